//! `[geometry]`: antenna, satellite and coverage.

use super::checks::{check_exponent, check_file};
use super::coverage::{Coverage, Outside, Satellite};
use super::spacing::LatticeSpacing;
use crate::model::angles::no_rotation;
use crate::model::{AntennaPattern, ElectricalLength, Two};
use phasefront_core::{Angle, FieldError, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Antenna, satellite and coverage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_geometry")]
pub struct Geometry {
    /// Number of elements along x and y.
    pub elements: Two<NonZeroU32>,
    /// Lattice spacing of the elements, or their initial spacing with `placement`: one value, or [x, y]; `lambda` is the wavelength
    /// at the first frequency.
    pub spacing: LatticeSpacing,
    /// Optimize the element positions, within these bounds of the spacing. Default: none, a regular lattice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Placement")]
    pub placement: Option<Placement>,
    /// Feed of the array.
    pub feed: Feed,
    /// Radiation pattern of an element.
    #[serde(default)]
    pub element: Element,
    /// Design to analyze: the `elements.csv` of an earlier run; path relative to the case file. Requires `method = "analysis"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("minLength" = 1))]
    pub design: Option<String>,
    /// Beam direction [u, v] of the initial phases. Default: the center of the coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Two<f64>")]
    pub focus: Option<Two<f64>>,
    /// Satellite that carries the antenna. Required with coverages in geographic coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Satellite")]
    pub satellite: Option<Satellite>,
    /// Coverage regions, each with its directivity bounds. Required unless `method = "analysis"`.
    #[serde(default)]
    pub coverage: Vec<Coverage>,
    /// Upper bound of the directivity outside the coverage. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Outside")]
    pub outside: Option<Outside>,
}

/// Bounds of the distance between neighboring elements during the optimization of their positions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_placement")]
pub struct Placement {
    /// Minimum distance between neighboring elements.
    pub min_spacing: ElectricalLength,
    /// Maximum distance between neighboring elements.
    pub max_spacing: ElectricalLength,
}

/// Feed at the origin; its boresight points at the center of the array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_feed")]
pub struct Feed {
    /// Offset of the array center from the feed along y.
    pub offset: Length,
    /// Distance of the array plane from the feed.
    pub height: Length,
    /// Exponent p of the feed's power pattern cos^p(θ), with θ from its boresight. Required without `pattern`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", extend("minimum" = 0))]
    pub power_exponent: Option<f64>,
    /// Far field of the feed, in place of `power_exponent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AntennaPattern")]
    pub pattern: Option<AntennaPattern>,
    /// Polarization angle of the feed's electric field, from +x toward +y.
    #[serde(default = "no_rotation")]
    pub polarization: Angle,
}

/// Element pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "reflectarray_element")]
pub struct Element {
    /// Exponent p of the element's power pattern cos^p(θ), with θ from the array normal.
    #[schemars(extend("minimum" = 0))]
    pub power_exponent: f64,
    /// CSV file with the reflection coefficient of the unit cell, in the columns `theta_deg`, `amplitude` and `phase_deg`; path
    /// relative to the case file. Default: an ideal cell.
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
        self.feed.check()?;
        check_exponent("geometry.element.power_exponent", self.element.power_exponent)?;
        check_file("geometry.element.reflection", self.element.reflection.as_deref())?;
        check_file("geometry.design", self.design.as_deref())?;
        for (i, coverage) in self.coverage.iter().enumerate() {
            coverage.check(&format!("geometry.coverage[{i}]"), self.satellite.is_some())?;
        }
        self.outside.as_ref().map_or(Ok(()), Outside::check)
    }
}

impl Feed {
    fn check(&self) -> Result<(), FieldError> {
        match (self.power_exponent, &self.pattern) {
            (Some(exponent), None) => check_exponent("geometry.feed.power_exponent", exponent),
            (None, Some(pattern)) => pattern.check("geometry.feed.pattern"),
            (Some(_), Some(_)) => Err(FieldError::new(
                "geometry.feed.pattern",
                "the feed has two patterns, `pattern` and `power_exponent`",
                "remove one of them",
            )),
            (None, None) => Err(FieldError::new(
                "geometry.feed",
                "the feed has no pattern",
                "add `power_exponent = 24`, or `pattern = { file = \"horn.ffe\" }`",
            )),
        }
    }
}
