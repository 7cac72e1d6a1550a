//! Case model of the `sbr` solver: radar cross sections by shooting and bouncing rays.

mod antenna;
mod bounces;
mod examples;
mod geometry;
mod material;
mod output;
mod solve;
mod source;
mod target;

pub use antenna::Antenna;
pub use bounces::Bounces;
pub use geometry::{Geometry, SurfaceModel, Winding};
pub use material::{Layer, Material, Medium, Row, Surface};
pub use output::{HotSpotAspect, Isar, Output, RangeProfile, Window};
pub use solve::{Edges, Formulation, Solve, Tracer, Tubes};
pub use source::Source;
pub use target::{
    Almond, ConeSphere, Cylinder, Dihedral, Ogive, Plate, Sphere, SquareTrihedral, Target, Trihedral, Vehicle,
};

pub(super) use examples::EXAMPLES;
pub(super) use target::TAGGED;

use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Radar cross section of a target by shooting and bouncing rays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SbrCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// Solver: "sbr".
    #[schemars(with = "String", extend("const" = "sbr"))]
    pub solver: SbrSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// Target geometry and materials.
    pub geometry: Geometry,
    /// Frequencies, and directions or positions of the radar.
    pub source: Source,
    /// Ray-tracing settings.
    #[serde(default)]
    pub solve: Solve,
    /// Requested outputs.
    #[serde(default)]
    pub output: Output,
}

/// Value of the key `solver`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SbrSolver {
    /// Shooting and bouncing rays.
    Sbr,
}

/// Validates the case beyond its types and resolves the defaults that depend on other keys.
pub(super) fn complete(case: &mut SbrCase) -> Result<(), FieldError> {
    case.geometry.complete()?;
    case.source.check()?;
    case.solve.check()?;
    case.output.check(&case.source)
}
