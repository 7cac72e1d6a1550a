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
    /// Spherical region.
    Sphere(RefinedSphere),
    /// Bounding box of the solids, sheets and CAD bodies of one name.
    Part(RefinedPart),
    /// Sharp edges of the conductors of one name.
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
    /// Maximum element size in the region.
    pub cell_size: Length,
}

/// Sphere with an element size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_refined_sphere")]
pub struct RefinedSphere {
    /// Center [x, y, z].
    pub center: Point,
    /// Radius of the region.
    pub radius: Length,
    /// Maximum element size in the region.
    pub cell_size: Length,
}

/// Part of the model with an element size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "dgtd_refined_part")]
pub struct RefinedPart {
    /// Name of the solids, sheets or bodies.
    #[schemars(extend("minLength" = 1))]
    pub name: String,
    /// Element size at the part, or at its edges.
    pub cell_size: Length,
}

impl Refinement {
    /// The element size.
    pub fn cell_size(&self) -> Length {
        match self {
            Self::Box(r) => r.cell_size,
            Self::Sphere(r) => r.cell_size,
            Self::Part(r) | Self::Edges(r) => r.cell_size,
        }
    }

    /// Rejects regions without a volume; `path` is its path in the case.
    pub(super) fn check(&self, path: &str) -> Result<(), FieldError> {
        let advice = "write for example `cell_size = \"1 mm\"`";
        check_positive(format!("{path}.cell_size"), "the element size", self.cell_size().si(), advice)?;
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
        Variant { name: "sphere", read: |table| RefinedSphere::deserialize(table).map(drop) },
        Variant { name: "part", read: |table| RefinedPart::deserialize(table).map(drop) },
        Variant { name: "edges", read: |table| RefinedPart::deserialize(table).map(drop) },
    ],
};
