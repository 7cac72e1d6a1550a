//! The case of the `mom` solver: scattering by conductors and dielectrics in two dimensions.

mod bodies;
mod examples;
mod material;
mod output;
mod solve;
mod source;

pub use bodies::{Body, Circle, Ellipse, Geometry, Gmsh, Naca, Polygon, Spline, Strip, Svg};
pub use material::{Dielectric, Material};
pub use output::{FieldGrid, Output};
pub use solve::{Equation, MAX_CORNER_LEVELS, MAX_ORDER, Method, NearQuadrature, Solve};
pub use source::{Polarization, Source};

pub(super) use bodies::TAGGED;
pub(super) use examples::EXAMPLES;

use phasefront_core::FieldError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scattering case in two dimensions, solved by the method of moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MomCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The solver this case is for.
    #[schemars(with = "String", extend("const" = "mom"))]
    pub solver: MomSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// The bodies that scatter.
    pub geometry: Geometry,
    /// The incident wave.
    pub source: Source,
    /// How to solve.
    #[serde(default)]
    pub solve: Solve,
    /// What to compute from the solution.
    #[serde(default)]
    pub output: Output,
}

/// The name of this solver, as `solver` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MomSolver {
    /// Method of moments in two dimensions.
    Mom,
}

/// Checks what the types cannot say and fills in the defaults that depend on other keys.
pub(super) fn complete(case: &mut MomCase) -> Result<(), FieldError> {
    bodies::check(&case.geometry.bodies)?;
    source::check_direction(&case.source)?;
    if case.solve.method == Method::Pulse {
        check_pulse(case)?;
    }
    case.solve.complete(case.source.polarization)?;
    case.output.complete();
    Ok(())
}

/// Pulses solve the electric-field equation of conductors for TM waves, and nothing else.
fn check_pulse(case: &MomCase) -> Result<(), FieldError> {
    let refuse = |path: String, message: &str| {
        let advice =
            "use `method = \"lcn\"` in [solve]; with `order = 1` it has one unknown per cell, as pulses do";
        Err(FieldError::new(path, message, advice))
    };
    if case.source.polarization != Polarization::Tm {
        return refuse("source.polarization".into(), "method = \"pulse\" solves for TM only");
    }
    if matches!(case.solve.equation, Equation::Mfie | Equation::Cfie) {
        return refuse("solve.equation".into(), "method = \"pulse\" has the equation \"efie\" only");
    }
    match case.geometry.bodies.iter().position(|body| body.material() != Material::Pec) {
        Some(i) => {
            refuse(format!("geometry.bodies[{i}].material"), "method = \"pulse\" solves for conductors only")
        }
        None => Ok(()),
    }
}
