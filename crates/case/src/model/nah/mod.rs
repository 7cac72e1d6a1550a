//! Case model of the `nah` solver: near-field acoustic holography.

mod beamforming;
mod examples;
mod geometry;
mod levels;
mod output;
mod photo;
mod region;
mod solve;
mod source;

pub use beamforming::{Beamforming, BeamformingMethod};
pub use geometry::{Geometry, Medium};
pub use levels::{FrequencyWeighting, Levels, TimeWeighting};
pub use output::Output;
pub use photo::Photo;
pub use region::Region;
pub use solve::{Averaging, Extrapolation, Filter, Functions, Method, Solve, SpectralMethod};
pub use source::{ChannelOrder, Format, Mode, Monopole, PlaneWave, Plate, Replay, Signal, Source};

pub(super) use examples::EXAMPLES;

use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Near-field acoustic holography: reconstructs the sound field of a source from the pressures at a microphone array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NahCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// Solver: "nah".
    #[schemars(with = "String", extend("const" = "nah"))]
    pub solver: NahSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// Microphone array, source plane and medium.
    pub geometry: Geometry,
    /// Array signals: a recording, a live stream, or simulated sources.
    pub source: Source,
    /// Reconstruction settings.
    #[serde(default)]
    pub solve: Solve,
    /// Requested outputs.
    #[serde(default)]
    pub output: Output,
}

/// Value of the key `solver`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NahSolver {
    /// Near-field acoustic holography.
    Nah,
}

/// Validates the case beyond its types and resolves the defaults that depend on other keys.
pub(super) fn complete(case: &mut NahCase) -> Result<(), FieldError> {
    case.geometry.check()?;
    case.source.complete()?;
    case.solve.complete(&case.source, &case.output.spectral_methods)?;
    case.output.complete(&case.geometry, &case.source)
}
