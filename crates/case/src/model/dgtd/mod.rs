//! The case of the `dgtd` solver: Maxwell's equations in time on tetrahedra.

mod boundary;
mod brick;
mod checks;
mod energy_decay;
mod examples;
mod excite;
mod geometry;
mod material;
mod mie;
mod output;
mod port;
mod pulse;
mod solve;
mod source;
mod wave;

pub use boundary::{Boundary, Sheet};
pub use brick::{Brick, CellSize, Part};
pub use energy_decay::EnergyDecay;
pub use excite::Excite;
pub use geometry::Geometry;
pub use material::{Debye, Drude, Lorentz, Material};
pub use mie::Mie;
pub use output::{Output, Slice};
pub use port::{Coaxial, Port};
pub use pulse::{Gaussian, Modulated, Pulse};
pub use solve::{Flux, Kernels, MAX_ORDER, Pml, Solve};
pub use source::{Dipole, Initial, InitialWave, Mode, Source};
pub use wave::{PlaneWave, Polarization};

pub(super) use examples::EXAMPLES;
pub(super) use pulse::TAGGED;

use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fields in time in a mesh of tetrahedra.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DgtdCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The solver this case is for.
    #[schemars(with = "String", extend("const" = "dgtd"))]
    pub solver: DgtdSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// The mesh, and what its volumes and surfaces are.
    pub geometry: Geometry,
    /// What drives the fields.
    pub source: Source,
    /// How the fields are computed.
    #[serde(default)]
    pub solve: Solve,
    /// What is wanted.
    #[serde(default)]
    pub output: Output,
}

/// The name of this solver, as `solver` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DgtdSolver {
    /// Discontinuous Galerkin in the time domain.
    Dgtd,
}

/// Checks what the types cannot say and fills in the defaults that depend on other keys.
pub(super) fn complete(case: &mut DgtdCase) -> Result<(), FieldError> {
    case.geometry.check()?;
    case.source.check()?;
    check_roles(case)?;
    case.output.complete(&case.source)?;
    case.output.mie.as_ref().map_or(Ok(()), |mie| mie.check(&case.geometry.materials))?;
    case.source.complete()?;
    case.solve.complete(&case.source)
}

/// Refuses a surface that is a boundary and something else.
fn check_roles(case: &DgtdCase) -> Result<(), FieldError> {
    let ports = case.source.ports.iter().flatten().enumerate();
    let ports = ports.map(|(i, port)| (format!("source.ports[{i}].surface"), &port.surface));
    let wave = case.source.plane_wave.iter().filter_map(|wave| wave.surface.as_ref());
    let mut driven = ports.chain(wave.map(|surface| ("source.plane_wave.surface".to_owned(), surface)));
    let (boundaries, periodic) = (&case.geometry.boundaries, &case.geometry.periodic);
    let is_taken = |name: &String| {
        boundaries.contains_key(name) || periodic.iter().any(|p| [&p.x, &p.y].contains(&name))
    };
    match driven.find(|(_, name)| is_taken(name)) {
        Some((path, name)) => Err(FieldError::new(
            path,
            format!("the surface \"{name}\" has a boundary in [geometry] already"),
            "a surface has one meaning: remove it from `boundaries` or `periodic`, or name another one",
        )),
        None => Ok(()),
    }
}
