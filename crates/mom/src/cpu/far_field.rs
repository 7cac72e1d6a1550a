//! Far-field integrals ∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds, ŝ = (cos φ, sin φ).

use crate::system::System;
use num_complex::Complex64;
use rayon::prelude::*;

/// Toward every observation angle, per solution.
pub(crate) fn bistatic(
    system: &System<'_>,
    observation: &[f64],
    solutions: &[Complex64],
) -> Vec<Vec<Complex64>> {
    // Parallel over angles: the exponentials of an angle serve all solutions.
    let toward = |&phi: &f64| integrals(system, phi, solutions);
    let per_angle: Vec<Vec<Complex64>> = observation.par_iter().map(toward).collect();
    let directions = solutions.len() / system.len();
    (0..directions).map(|d| per_angle.iter().map(|integrals| integrals[d]).collect()).collect()
}

/// Toward one angle per solution.
pub(crate) fn paired(system: &System<'_>, angles: &[f64], solutions: &[Complex64]) -> Vec<Complex64> {
    let of_pair = |(&phi, solution): (&f64, &[Complex64])| integrals(system, phi, solution)[0];
    angles.par_iter().zip(solutions.par_chunks(system.len())).map(of_pair).collect()
}

/// The integral toward φ for each of the solutions, which follow one another.
fn integrals(system: &System<'_>, phi: f64, solutions: &[Complex64]) -> Vec<Complex64> {
    let weights = system.far_field_weights(phi);
    solutions.chunks(weights.len()).map(|x| x.iter().zip(&weights).map(|(x, w)| x * w).sum()).collect()
}
