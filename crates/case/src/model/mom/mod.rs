//! Case model of the `mom` solver: two-dimensional scattering by conductors and dielectrics.

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

/// Two-dimensional scattering by conductors and dielectrics, solved by the method of moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MomCase {
    /// Version of the case-file format: 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// Solver: "mom".
    #[schemars(with = "String", extend("const" = "mom"))]
    pub solver: MomSolver,
    /// Name of the case and of its result folder: letters, digits, spaces, `-`, `_` and `.`.
    #[schemars(extend("maxLength" = super::MAX_NAME_LENGTH, "pattern" = super::NAME_PATTERN))]
    pub name: String,
    /// Bodies that scatter the wave.
    pub geometry: Geometry,
    /// Incident plane wave.
    pub source: Source,
    /// Discretization, integral equation and precision.
    #[serde(default)]
    pub solve: Solve,
    /// Requested outputs.
    #[serde(default)]
    pub output: Output,
}

/// Value of the key `solver`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MomSolver {
    /// Two-dimensional method of moments.
    Mom,
}

/// Validates the case beyond its types and resolves the defaults that depend on other keys.
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

/// Pulse basis functions support only the TM-EFIE on conductors.
fn check_pulse(case: &MomCase) -> Result<(), FieldError> {
    let reject = |path: String, message: &str| {
        let advice = "use `method = \"lcn\"` in [solve]; with `order = 1` it also has one unknown per cell";
        Err(FieldError::new(path, message, advice))
    };
    if case.source.polarization != Polarization::Tm {
        return reject("source.polarization".into(), "method = \"pulse\" supports TM polarization only");
    }
    if matches!(case.solve.equation, Equation::Mfie | Equation::Cfie) {
        return reject("solve.equation".into(), "method = \"pulse\" supports equation = \"efie\" only");
    }
    match case.geometry.bodies.iter().position(|body| body.material() != Material::Pec) {
        Some(i) => {
            reject(format!("geometry.bodies[{i}].material"), "method = \"pulse\" supports conductors only")
        }
        None => Ok(()),
    }
}
