//! The stable time step of the Runge-Kutta scheme.

use crate::boundary_condition::BoundaryCondition;
use crate::domain::Domain;
use crate::geometry::Shape;
use crate::material::Pole;
use crate::plan::{admittances, flux_weights};
use crate::ports::PortPlan;
use crate::problem::Problem;
use crate::scheme::REACH;
use phasefront_core::constants::{C0, ETA0};
use rayon::prelude::*;

/// Largest stable c dt relative to the smallest altitude of an element, for orders 1 to 6, from the eigenvalues of the spatial operator on
/// meshes of many shapes.
const STABLE: [f64; 6] = [0.337, 0.206, 0.146, 0.105, 0.081, 0.063];
/// Relative increase of |λ| of an element for each reflecting face, from single tetrahedra (regular, and of a subdivided cube) with
/// PEC walls all around, whose longest stable step is 0.8 of the table's. Without it, elements with two walls become unstable after
/// some thousand steps.
const WALL: f64 = 0.08;

/// The time step, and what limits it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeStep {
    /// dt, s; with local steps the longest of them.
    pub dt: f64,
    /// Centroid of the limiting tetrahedron, m.
    pub position: [f64; 3],
    /// Its smallest altitude, m.
    pub altitude: f64,
    /// Its volume group, an index into the names of the mesh.
    pub volume: u16,
    /// Its limit without losses, poles and PML, s.
    pub undamped: f64,
    /// Median of the limits of all elements, s.
    pub median: f64,
}

/// The longest stable step of each element times the Courant factor of the problem, s.
pub fn limits(problem: &Problem, domain: &Domain, ports: &[PortPlan]) -> Vec<f64> {
    (0..domain.mesh.tets.len()).into_par_iter().map(|tet| limit(problem, domain, ports, tet)[0]).collect()
}

/// The shortest of these steps.
pub fn step(problem: &Problem, domain: &Domain, ports: &[PortPlan], limits: &[f64]) -> TimeStep {
    let mut all = limits.to_vec();
    // The first of several with the same limit.
    let first = all.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(tet, _)| tet);
    let [_, undamped] = limit(problem, domain, ports, first);
    let shape = Shape::of(&domain.mesh, first);
    let middle = all.len() / 2;
    TimeStep {
        dt: limits[first],
        position: shape.at([0.25; 3]).into(),
        altitude: shape.altitude(),
        volume: domain.mesh.volume_of[first],
        undamped,
        // The median shows whether a few small elements limit the step.
        median: *all.select_nth_unstable_by(middle, f64::total_cmp).1,
    }
}

/// The limits of an element, s: with losses, poles and PML, and without.
fn limit(problem: &Problem, domain: &Domain, ports: &[PortPlan], tet: usize) -> [f64; 2] {
    let shape = Shape::of(&domain.mesh, tet);
    let material = domain.material(tet);
    // Magnitude of the reflection coefficient of a face at normal incidence, 0 to 1: E* = A w⁻ reflects (2A − 1) w⁻.
    let reflects = |face: usize| (2.0 * flux_weights(domain, ports, tet, face).0 - 1.0).abs();
    let walls: f64 = (0..4).map(reflects).sum();
    // |λ| of the curls, and the damping of losses, poles and PML, in 1/m: c dt = STABLE altitude/speed without losses, written as a
    // rate, c dt = REACH/rate.
    let curls =
        (1.0 + WALL * walls) * REACH * material.speed() / (STABLE[problem.order - 1] * shape.altitude());
    let damping = material.sigma * ETA0 / material.eps
        + poles(&material.poles, material.eps)
        + pml_damping(domain, tet, &shape)
        + sheets(domain, tet);
    // A bound on the eigenvalues of the sum is the sum of the bounds.
    [curls + damping, curls].map(|rate| problem.courant * REACH / rate / C0)
}

/// The two largest σ at a corner.
fn pml_damping(domain: &Domain, tet: usize, shape: &Shape) -> f64 {
    let Some(pml) = domain.pml(tet) else { return 0.0 };
    let at = |corner: &glam::DVec3| {
        let mut s = pml.sigma((*corner).into());
        s.sort_by(f64::total_cmp);
        // ∂E_x/∂τ loses (σ_y + σ_z − σ_x) E_x, at most the two largest σ.
        s[1] + s[2]
    };
    shape.corners.iter().map(at).fold(0.0, f64::max)
}

/// The largest rate of the states of its sheets, 1/m.
fn sheets(domain: &Domain, tet: usize) -> f64 {
    let of = |face: usize| match domain.conditions[tet][face] {
        BoundaryCondition::Sheet { model, .. } => {
            domain.sheet_models[usize::from(model)].equations(admittances(domain, tet, face)).rate()
        }
        _ => 0.0,
    };
    (0..4).map(of).fold(0.0, f64::max)
}

/// A bound on the rates of the poles' ADE, 1/m.
fn poles(poles: &[Pole], eps: f64) -> f64 {
    // Eigenvalues of E and the unknowns of the pole alone: (1 + Δε/ε)/τ of a Debye pole; of the
    // others damping plus the frequency ω_p/√ε or ω₀ √(1 + Δε/ε) of longitudinal oscillations.
    let rate = |pole: &Pole| match *pole {
        Pole::Debye { delta, tau } => (1.0 + delta / eps) / tau,
        Pole::Drude { plasma, damping } => damping + plasma / eps.sqrt(),
        Pole::Lorentz { delta, resonance, damping } => damping + resonance * (1.0 + delta / eps).sqrt(),
    };
    poles.iter().map(rate).sum::<f64>() / C0
}
