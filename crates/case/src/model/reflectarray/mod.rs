//! The case of the `reflectarray` solver: phases and positions of a reflectarray that fill a coverage.

mod antenna;
mod checks;
mod coverage;
mod examples;
mod output;
mod solve;
mod spacing;

pub use antenna::{Element, Feed, Geometry, Placement};
pub use coverage::{Coverage, Outside, Place, Satellite, UvEllipse};
pub use output::{Export, Output, Sensitivity};
pub use solve::{Gradient, MAX_PHASE_BITS, Method, Solve, UvGrid};
pub use spacing::{LatticeSpacing, Spacing};

pub(super) use examples::EXAMPLES;

use phasefront_core::units::FrequencyDim;
use phasefront_core::{FieldError, Sweep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reflectarray to be synthesized or analyzed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReflectarrayCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The solver this case is for.
    #[schemars(with = "String", extend("const" = "reflectarray"))]
    pub solver: ReflectarraySolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// The antenna, and where the satellite and the coverage are.
    pub geometry: Geometry,
    /// The frequencies.
    pub source: Source,
    /// How the design is found.
    #[serde(default)]
    pub solve: Solve,
    /// What else is wanted.
    #[serde(default)]
    pub output: Output,
}

/// The name of this solver, as `solver` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReflectarraySolver {
    /// Synthesis of reflectarrays.
    Reflectarray,
}

/// What the feed radiates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "reflectarray_source")]
pub struct Source {
    /// Frequency: one, a list of them, or { from, to, points }; the bounds hold at all of them. The first is that of `lambda`.
    pub frequency: Sweep<FrequencyDim>,
}

/// Checks what the types cannot say and fills in the defaults that depend on other keys.
pub(super) fn complete(case: &mut ReflectarrayCase) -> Result<(), FieldError> {
    case.geometry.check()?;
    if case.solve.method != Method::Analysis && case.geometry.coverage.is_empty() {
        return Err(FieldError::new(
            "geometry.coverage",
            "there is nothing to illuminate",
            "add\n[[geometry.coverage]]\nregion = \"europe\"\nor use `method = \"analysis\"` in [solve]",
        ));
    }
    if case.solve.method != Method::Analysis && case.geometry.design.is_some() {
        return Err(FieldError::new(
            "geometry.design",
            "a synthesis makes its own design: one that is given can only be analyzed",
            "remove it, or use `method = \"analysis\"` in [solve]",
        ));
    }
    case.solve.complete(case.geometry.placement.is_some())?;
    case.output.check()
}
