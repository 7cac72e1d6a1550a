//! Case model of the `reflectarray` solver: synthesis of element phases and positions for a coverage.

mod antenna;
mod checks;
mod coverage;
mod examples;
mod output;
mod solve;
mod spacing;

pub use antenna::{Element, Feed, Geometry, Placement};
pub use coverage::{Coverage, Ellipse, GeographicPosition, Outside, Satellite};
pub use output::{Export, Output, Sensitivity};
pub use solve::{Gradient, MAX_PHASE_BITS, Method, Solve, UvGrid};
pub use spacing::LatticeSpacing;

pub(super) use examples::EXAMPLES;

use phasefront_core::units::FrequencyDim;
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Synthesis or analysis of a reflectarray antenna.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReflectarrayCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// Solver: "reflectarray".
    #[schemars(with = "String", extend("const" = "reflectarray"))]
    pub solver: ReflectarraySolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// Antenna, satellite and coverage.
    pub geometry: Geometry,
    /// Frequencies of operation.
    pub source: Source,
    /// Synthesis settings.
    #[serde(default)]
    pub solve: Solve,
    /// Requested outputs.
    #[serde(default)]
    pub output: Output,
}

/// Value of the key `solver`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReflectarraySolver {
    /// Reflectarray synthesis.
    Reflectarray,
}

/// Frequencies of operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_source")]
pub struct Source {
    /// Frequencies: one value, a list, or { from, to, points or step }. The directivity bounds apply at all of them; the first defines the
    /// wavelength `lambda`.
    pub frequency: Sweep<FrequencyDim>,
}

/// Validates the case beyond its types and resolves the defaults that depend on other keys.
pub(super) fn complete(case: &mut ReflectarrayCase) -> Result<(), FieldError> {
    case.geometry.check()?;
    if case.solve.method != Method::Analysis && case.geometry.coverage.is_empty() {
        return Err(FieldError::new(
            "geometry.coverage",
            "no coverage is given",
            "add\n[[geometry.coverage]]\nregion = \"europe\"\nor use `method = \"analysis\"` in [solve]",
        ));
    }
    if case.solve.method != Method::Analysis && case.geometry.design.is_some() {
        return Err(FieldError::new(
            "geometry.design",
            "`design` applies to method = \"analysis\" only",
            "remove it, or use `method = \"analysis\"` in [solve]",
        ));
    }
    case.solve.complete(case.geometry.placement.is_some())?;
    case.output.check()
}
