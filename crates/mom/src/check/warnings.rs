//! Warnings about a discretization that is valid but may be inaccurate.

use crate::mesh::{CHORDS_PER_CELL, Mesh};
use crate::probes::thinnest;
use crate::problem::{Equation, Method, Polarization, Problem};

/// Cells per wavelength below which pulses cannot represent the wave (Nyquist) and cells of high order lose digits.
const NYQUIST_CELLS: f64 = 2.0;
/// Nodes per wavelength below which a mesh is coarse, and the usual number. On circles of ka = 1 to 15 the error of the echo
/// width with pulses was at most 1 % with 20, 1.5 % with 10 and 13 % with 5.
const COARSE_NODES: f64 = 10.0;
const USUAL_NODES: f64 = 20.0;
/// Order below which the hypersingular TE-EFIE converges slowly: the error on circles with 10 cells per wavelength is 8 %
/// with order 2, 3e-4 with order 4.
const SLOW_TE_ORDER: usize = 4;

/// What the user should know before trusting the results.
pub(crate) fn warnings(problem: &Problem, mesh: &Mesh) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(resolution(problem, mesh));
    let electric = problem.equation != Equation::Mfie;
    if problem.polarization == Polarization::Te && electric && problem.order() < SLOW_TE_ORDER {
        warnings.push(format!(
            "TE polarization with cells of order {}: the EFIE converges slowly; use order 6 or more, or \
             equation = \"mfie\" on closed bodies",
            problem.order()
        ));
    }
    if problem.method == Method::Pulse
        && let Some((body, thickness, length)) = thinnest(mesh, problem)
    {
        warnings.push(format!(
            "body {body} is {thickness:.2e} m thick and its cells are {length:.2e} m long: pulses cannot separate the currents \
             on its two sides; use cells shorter than the thickness, or replace the body by a strip"
        ));
    }
    warnings
}

/// Too few cells or nodes per wavelength.
fn resolution(problem: &Problem, mesh: &Mesh) -> Option<String> {
    // Rounding must not turn the requested density into one below it.
    let density = mesh.fewest_cells_per_wavelength(problem) * (1.0 + 1e-6);
    let order = problem.order() as f64;
    let usual = (USUAL_NODES / order).max(NYQUIST_CELLS);
    // Cells before refinement, scaled from the density found to the usual one.
    let needed = (mesh.chords.len() as f64 / CHORDS_PER_CELL as f64 * usual / density).ceil();
    let advice = format!("{needed} cells ({usual} per wavelength)");
    if density * order < NYQUIST_CELLS {
        Some(format!("{density:.2} cells per wavelength cannot represent the wave: use at least {advice}"))
    } else if density < NYQUIST_CELLS {
        Some(format!(
            "{density:.2} cells of order {order} per wavelength: accuracy is lost below 2; use {advice}"
        ))
    } else if density * order < COARSE_NODES {
        let accuracy = if problem.method == Method::Pulse { " for about 2 % accuracy" } else { "" };
        Some(format!("{density:.1} cells per wavelength is coarse: use about {advice}{accuracy}"))
    } else {
        None
    }
}
