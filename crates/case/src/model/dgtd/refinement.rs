//! Element sizes that the user asks for, selected by their `region`.

use super::brick::{check_corners, check_group};
use crate::model::checks::check_positive;
use crate::model::{Point, Tagged, Variant};
use phasefront_core::{FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Region with an element size, selected by `region`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "region", rename_all = "lowercase")]
#[schemars(rename = "dgtd_refinement")]
pub enum Refinement {
    /// Axis-aligned box.
    Box(RefinedBox),
    /// Ball.
    Sphere(RefinedBall),
    /// The box around solids, sheets and bodies of CAD files of one name.
    Part(RefinedPart),
    /// The sharp edges of conductors of one name.
    Edges(RefinedPart),
}

/// Axis-aligned box with an element size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_refined_box")]
pub struct RefinedBox {
    /// Corner with the smallest coordinates.
    pub from: Point,
    /// Opposite corner, with the largest coordinates.
    pub to: Point,
    /// Maximum element size in it.
    pub size: Length,
}

/// Ball with an element size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_refined_ball")]
pub struct RefinedBall {
    /// Center.
    pub center: Point,
    /// Radius.
    pub radius: Length,
    /// Maximum element size in it.
    pub size: Length,
}

/// Part of the model with an element size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_refined_part")]
pub struct RefinedPart {
    /// Name of the solids, sheets or bodies.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Element size there.
    pub size: Length,
}

impl Refinement {
    /// The element size.
    pub fn size(&self) -> Length {
        match self {
            Self::Box(r) => r.size,
            Self::Sphere(r) => r.size,
            Self::Part(r) | Self::Edges(r) => r.size,
        }
    }

    /// Rejects regions without a volume; `path` is its place in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let advice = "write for example `size = \"1 mm\"`";
        check_positive(format!("{path}.size"), "the element size", self.size().si(), advice)?;
        match self {
            Self::Box(r) => check_corners(path, r.from, r.to, 0),
            Self::Sphere(r) => {
                let advice = "write for example `radius = \"5 mm\"`";
                check_positive(format!("{path}.radius"), "the radius", r.radius.si(), advice)
            }
            Self::Part(r) | Self::Edges(r) => check_group(&format!("{path}.name"), &r.name),
        }
    }
}

/// Tagged tables of refinements.
pub(super) const REFINE: Tagged = Tagged {
    path: "geometry.refine",
    tag: "region",
    variants: &[
        Variant { name: "box", read: |table| RefinedBox::deserialize(table).map(drop) },
        Variant { name: "sphere", read: |table| RefinedBall::deserialize(table).map(drop) },
        Variant { name: "part", read: |table| RefinedPart::deserialize(table).map(drop) },
        Variant { name: "edges", read: |table| RefinedPart::deserialize(table).map(drop) },
    ],
};
