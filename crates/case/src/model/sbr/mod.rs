//! The case of the `sbr` solver: radar cross sections by shooting and bouncing rays.

mod examples;
mod geometry;
mod material;
mod output;
mod solve;
mod source;
mod target;

pub use geometry::{Axis, Geometry, Rotation, Winding};
pub use material::{Layer, Material, Row, Surface};
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

/// A radar target to be looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SbrCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The solver this case is for.
    #[schemars(with = "String", extend("const" = "sbr"))]
    pub solver: SbrSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// The target.
    pub geometry: Geometry,
    /// Frequencies, and where the radar stands.
    pub source: Source,
    /// How rays are shot.
    #[serde(default)]
    pub solve: Solve,
    /// What is wanted.
    #[serde(default)]
    pub output: Output,
}

/// The name of this solver, as `solver` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SbrSolver {
    /// Shooting and bouncing rays.
    Sbr,
}

/// Checks what the types cannot say and fills in the defaults that depend on other keys.
pub(super) fn complete(case: &mut SbrCase) -> Result<(), FieldError> {
    case.geometry.complete()?;
    case.source.check()?;
    case.solve.check()?;
    case.output.check(&case.source)
}
