//! What is known before the run about the accuracy of a valid discretization.

use crate::material::Material;
use crate::mesh::{CHORDS_PER_CELL, Mesh};
use crate::probes::thinnest;
use crate::problem::{Body, Equation, Method, Polarization, Problem};
use phasefront_core::SelfCheck;

/// Nodes per wavelength that represent the wave. Pulses: on circles of ka = 1 to 15 the error of the echo width was at most 1 % with 20
/// nodes, 1.5 % with 10 and 13 % with 5. Cells of high order need fewer, and what theirs cost is measured after the run: this limit is
/// twice the Nyquist rate, below which none can represent the wave well.
const PULSE_NODES: f64 = 10.0;
const NODES: f64 = 4.0;
/// The usual number, and the usual least number of cells.
const USUAL_NODES: f64 = 20.0;
const USUAL_CELLS: f64 = 2.0;
/// Order below which the hypersingular TE-EFIE converges slowly: the error on circles with 10 cells per wavelength is 8 %
/// with order 2, 3e-4 with order 4.
const SLOW_TE_ORDER: usize = 4;
/// Levels of refinement toward edges of conductors: with fewer, echo widths of the few strips and polygons tried were off by up to 2e-2.
const MIN_CORNER_LEVELS: usize = 6;

/// How far to trust a result, as far as it is known before the run.
pub(crate) fn self_checks(problem: &Problem, mesh: &Mesh) -> Vec<SelfCheck> {
    let mut checks = vec![resolution(problem, mesh)];
    checks.extend(te_order(problem));
    checks.extend(corner_levels(problem));
    if problem.method == Method::Pulse {
        checks.extend(thickness(problem, mesh));
        checks.extend(gap(mesh));
    }
    checks
}

/// Nodes per wavelength where there are fewest.
fn resolution(problem: &Problem, mesh: &Mesh) -> SelfCheck {
    // Rounding must not turn the requested density into one below it.
    let density = mesh.fewest_cells_per_wavelength(problem) * (1.0 + 1e-6);
    let order = problem.order() as f64;
    let (nodes, usual) = (density * order, (USUAL_NODES / order).max(USUAL_CELLS));
    let limit = if problem.method == Method::Pulse { PULSE_NODES } else { NODES };
    let sentence = if nodes >= limit {
        "The nodes represent the wave.".into()
    } else {
        // Cells before refinement, scaled from the density found to the usual one.
        let needed = (mesh.chords.len() as f64 / CHORDS_PER_CELL as f64 * usual / density).ceil();
        let accuracy = if problem.method == Method::Pulse { " for about 2 % accuracy" } else { "" };
        format!(
            "{nodes:.1} nodes per wavelength do not represent the wave: use about {needed} cells ({usual} per \
             wavelength){accuracy}"
        )
    };
    SelfCheck::at_least("nodes per wavelength", nodes, limit, sentence)
}

/// Orders of TE cells on conductors whose equation contains the EFIE.
fn te_order(problem: &Problem) -> Option<SelfCheck> {
    let conducting = problem.bodies.iter().any(|body| body.material == Material::Conductor);
    let applies =
        problem.polarization == Polarization::Te && problem.equation != Equation::Mfie && conducting;
    let order = problem.order();
    let sentence = if order >= SLOW_TE_ORDER {
        "The order is high enough for the EFIE in TE polarization.".into()
    } else {
        format!(
            "TE polarization with cells of order {order}: the EFIE converges slowly; use order 6 or more, or \
             equation = \"mfie\" on closed bodies"
        )
    };
    applies.then(|| SelfCheck::at_least("order of TE cells", order as f64, SLOW_TE_ORDER as f64, sentence))
}

/// Levels of refinement at the edges of conductors, where there are any.
fn corner_levels(problem: &Problem) -> Option<SelfCheck> {
    let has_edges = |body: &Body| {
        let outline = body.shape.outline();
        body.material == Material::Conductor && (!outline.closed || outline.corners.contains(&true))
    };
    if problem.method == Method::Pulse || !problem.bodies.iter().any(has_edges) {
        return None;
    }
    let levels = problem.corner_levels();
    let sentence = if levels >= MIN_CORNER_LEVELS {
        "Cells are refined toward the edges of conductors.".into()
    } else {
        format!(
            "{levels} levels of refinement at the edges of conductors do not resolve the singular currents there; omit \
             solve.corner_levels, or give at least {MIN_CORNER_LEVELS}"
        )
    };
    Some(SelfCheck::at_least("corner levels", levels as f64, MIN_CORNER_LEVELS as f64, sentence))
}

/// Thickness of bodies in lengths of the pulses on them.
fn thickness(problem: &Problem, mesh: &Mesh) -> Option<SelfCheck> {
    let (body, thickness, length) = thinnest(mesh, problem)?;
    let sentence = if thickness >= length {
        "Pulses are shorter than the bodies are thick.".into()
    } else {
        format!(
            "body {body} is {thickness:.2e} m thick and its cells are {length:.2e} m long: pulses cannot separate the currents \
             on its two sides; use cells shorter than the thickness, or replace the body by a strip"
        )
    };
    Some(SelfCheck::at_least("thickness over cell length", thickness / length, 1.0, sentence))
}

/// Width of the narrowest gap between bodies in lengths of the pulses beside it.
fn gap(mesh: &Mesh) -> Option<SelfCheck> {
    let gap = mesh.narrowest_gap?;
    let sentence = if gap.width >= gap.cell {
        "Pulses are shorter than the gaps between bodies.".into()
    } else {
        let [a, b] = gap.bodies;
        format!(
            "the gap between bodies {a} and {b} is {:.2e} m and the cells beside it are {:.2e} m long: pulses cannot resolve the \
             currents in it; use shorter cells, or method = \"lcn\", which refines its cells at gaps",
            gap.width, gap.cell
        )
    };
    Some(SelfCheck::at_least("gap over cell length", gap.width / gap.cell, 1.0, sentence))
}
