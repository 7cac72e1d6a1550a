//! Faces of sheets and walls with states: surface impedances of conductors, and lumped elements.

use crate::boundary_condition::BoundaryCondition;
use crate::domain::Domain;
use crate::error::DgtdError;
use crate::plan::admittances;
use crate::ports::PortPlan;
use crate::problem::{Boundary, Conductor, LumpedElement, Port, PortShape, Problem};
use crate::sheet_model::{FaceEquations, SheetModel};
use phasefront_core::FieldError;
use phasefront_core::constants::{EPS0, ETA0};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Ratio of the frequencies of a fit, at most and at least.
const RATIO: [f64; 2] = [10.0, 1e4];
/// The same where no frequencies are asked for.
const DEFAULT_RATIO: f64 = 100.0;
/// σ/(ωε₀) of a good conductor, at least.
const GOOD: f64 = 100.0;

/// A face with states at its points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetFace {
    /// Its element.
    pub tet: u32,
    /// Which face.
    pub face: u8,
    /// Its equations, an index into [`SheetPlan::equations`].
    pub equations: u32,
}

/// All faces with states.
#[derive(Debug, Clone, Default)]
pub struct SheetPlan {
    /// In the order of the mesh; those with an element on both sides from both.
    pub faces: Vec<SheetFace>,
    /// The equations that occur.
    pub equations: Vec<FaceEquations>,
}

impl SheetPlan {
    /// Those of a domain.
    pub fn new(domain: &Domain) -> Self {
        let mut plan = Self::default();
        let mut known: HashMap<(u16, [u64; 2]), u32> = HashMap::new();
        for (tet, conditions) in domain.conditions.iter().enumerate() {
            for (face, condition) in conditions.iter().enumerate() {
                let BoundaryCondition::Sheet { model, .. } = *condition else { continue };
                if domain.sheet_models[usize::from(model)].states() == 0 {
                    continue;
                }
                let sides = admittances(domain, tet, face);
                let equations = *known.entry((model, sides.map(f64::to_bits))).or_insert_with(|| {
                    plan.equations.push(domain.sheet_models[usize::from(model)].equations(sides));
                    plan.equations.len() as u32 - 1
                });
                plan.faces.push(SheetFace { tet: tet as u32, face: face as u8, equations });
            }
        }
        plan
    }

    /// States at each point of a face.
    pub fn states(&self, face: &SheetFace) -> usize {
        self.equations[face.equations as usize].output.len()
    }
}

/// The models of the sheets of a problem, in the order of their numbers in [`BoundaryCondition::Sheet`]: conductors and coatings, then lumped elements.
pub fn models(problem: &Problem, lumped: &[PortPlan]) -> Result<Vec<SheetModel>, DgtdError> {
    let band = band(problem);
    let mut models = Vec::new();
    for (name, boundary) in &problem.boundaries {
        match boundary {
            Boundary::Conductor(conductor) => {
                good(name, conductor, problem.highest_frequency)?;
                models.push(conductor.model(band));
            }
            Boundary::Coating(coating) => {
                coating.check(&format!("geometry.boundaries.{name}.coating"), band[1])?;
                models.push(coating.model(band));
            }
            Boundary::Pec | Boundary::Pmc | Boundary::Absorbing | Boundary::ResistiveSheet(_) => {}
        }
    }
    // The port's resistance is η₀, so that its admittance is length over width.
    models.extend(problem.lumped.iter().zip(lumped).map(|(of, plan)| of.circuit.model(plan.admittance)));
    Ok(models)
}

/// Refuses a conductor in which currents of displacement count.
fn good(name: &str, conductor: &Conductor, highest: f64) -> Result<(), DgtdError> {
    let ratio = conductor.conductivity / (TAU * highest * EPS0);
    if ratio >= GOOD {
        return Ok(());
    }
    Err(FieldError::new(
        format!("geometry.boundaries.{name}"),
        format!(
            "{} S/m is no good conductor at {:.4} GHz: σ/(ωε₀) is {ratio:.1} and should be {GOOD} at least, and waves enter it",
            conductor.conductivity,
            1e-9 * highest
        ),
        "give its inside as a volume with this conductivity, or a thin layer a sheet resistance",
    )
    .into())
}

/// The lumped elements as ports with a resistance of η₀: they have the same shape.
pub fn lumped_plans(problem: &Problem, domain: &Domain) -> Result<Vec<PortPlan>, DgtdError> {
    let plan = |(i, lumped): (usize, &LumpedElement)| {
        let shape = PortShape::Lumped { along: lumped.along };
        let port = Port { surface: lumped.surface.clone(), resistance: Some(ETA0), shape };
        PortPlan::new(&format!("geometry.lumped[{i}]"), &port, domain)
    };
    problem.lumped.iter().enumerate().map(plan).collect()
}

/// The frequencies at which conductors must be right, Hz: those of the spectra, and up to the highest one of the pulse.
pub fn band(problem: &Problem) -> [f64; 2] {
    let high = problem.pulse.highest_content().max(problem.highest_frequency);
    let low = problem.monitors.frequencies.iter().copied().reduce(f64::min).unwrap_or(high / DEFAULT_RATIO);
    [low.clamp(high / RATIO[1], high / RATIO[0]), high]
}
