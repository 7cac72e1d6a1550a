//! The case of the `nah` solver: near-field acoustic holography.

mod examples;
mod geometry;
mod output;
mod solve;
mod source;

pub use geometry::{Geometry, Medium};
pub use output::Output;
pub use solve::{Extrapolation, Filter, Functions, Method, Solve, SpectralMethod};
pub use source::{ChannelOrder, Format, Mode, Monopole, PlaneWave, Plate, Replay, Signal, Source};

pub(super) use examples::EXAMPLES;

use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sound field on the surface of a source, from an array of microphones in front of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NahCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The solver this case is for.
    #[schemars(with = "String", extend("const" = "nah"))]
    pub solver: NahSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// The array, and where the source is.
    pub geometry: Geometry,
    /// What the array hears: a file, or sources that are made in code.
    pub source: Source,
    /// How holograms are made.
    #[serde(default)]
    pub solve: Solve,
    /// What is wanted.
    #[serde(default)]
    pub output: Output,
}

/// The name of this solver, as `solver` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NahSolver {
    /// Near-field acoustic holography.
    Nah,
}

/// Checks what the types cannot say and fills in the defaults that depend on other keys.
pub(super) fn complete(case: &mut NahCase) -> Result<(), FieldError> {
    case.geometry.check()?;
    case.source.complete()?;
    case.solve.complete(&case.source, &case.output.spectral_methods)?;
    case.output.complete(&case.geometry, &case.source)
}
