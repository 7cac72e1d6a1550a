//! `[geometry]`: the antenna, and where the satellite and the coverage are.

use super::checks::{check_exponent, check_file};
use super::coverage::{Coverage, Outside, Satellite};
use super::spacing::{LatticeSpacing, Spacing};
use crate::model::Two;
use crate::model::angles::no_rotation;
use phasefront_core::{Angle, FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The antenna, and where the satellite and the coverage are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_geometry")]
pub struct Geometry {
    /// Number of elements along x and y.
    pub elements: Two<NonZeroU32>,
    /// Spacing of the lattice that elements stand on, or start from; along both axes or [x, y].
    pub spacing: LatticeSpacing,
    /// How far elements may leave the lattice; left out, they stay on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Placement")]
    pub placement: Option<Placement>,
    /// The feed.
    pub feed: Feed,
    /// Pattern of one element.
    #[serde(default)]
    pub element: Element,
    /// A design to analyze: the `elements.csv` of an earlier run, from the case file. With method "analysis" only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub design: Option<String>,
    /// Direction [u, v] that phases first focus on; the middle of the coverage if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Two<f64>")]
    pub focus: Option<Two<f64>>,
    /// The satellite that carries the antenna, if coverages are given on the Earth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Satellite")]
    pub satellite: Option<Satellite>,
    /// The regions to illuminate, each with its bounds.
    #[serde(default)]
    pub coverage: Vec<Coverage>,
    /// What holds outside the coverage; nothing if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Outside")]
    pub outside: Option<Outside>,
}

/// The range that distances of neighboring elements keep to while the synthesis moves them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_placement")]
pub struct Placement {
    /// Shortest distance of neighbors.
    pub min_spacing: Spacing,
    /// Longest distance of neighbors.
    pub max_spacing: Spacing,
}

/// The feed: at the origin of its own axes, turned to the center of the array.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_feed")]
pub struct Feed {
    /// Distance of the array's center from the feed along y.
    pub offset: Length,
    /// Distance of the array's plane from the feed.
    pub height: Length,
    /// m of the feed's amplitude cos^m, from its axis.
    #[schemars(extend("minimum" = 0))]
    pub power_exponent: f64,
    /// Direction of its electric field, from x towards y; along x if left out.
    #[serde(default = "no_rotation")]
    pub polarization: Angle,
}

/// Pattern of one element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_element")]
pub struct Element {
    /// p of the element's power pattern cos^p, from the array's normal.
    #[schemars(extend("minimum" = 0))]
    pub power_exponent: f64,
    /// A CSV file of the cell's reflection: theta_deg, amplitude, phase_deg; an ideal cell if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub reflection: Option<String>,
}

impl Default for Element {
    fn default() -> Self {
        Self { power_exponent: 1.0, reflection: None }
    }
}

impl Geometry {
    pub(super) fn check(&self) -> Result<(), FieldError> {
        check_exponent("geometry.feed.power_exponent", self.feed.power_exponent)?;
        check_exponent("geometry.element.power_exponent", self.element.power_exponent)?;
        check_file("geometry.element.reflection", self.element.reflection.as_deref())?;
        check_file("geometry.design", self.design.as_deref())?;
        for (i, coverage) in self.coverage.iter().enumerate() {
            coverage.check(&format!("geometry.coverage[{i}]"), self.satellite.is_some())?;
        }
        self.outside.as_ref().map_or(Ok(()), Outside::check)
    }
}
