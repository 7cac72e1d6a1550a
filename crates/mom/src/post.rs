//! From solutions to what the user asked for, and a check on them that does not trust the solver.

use crate::layers;
use crate::system::System;
use crate::wave::Medium;
use num_complex::Complex64;
use phasefront_core::Precision;
use rayon::prelude::*;

/// Rows of the equation system that the residual is checked on.
const SAMPLED_ROWS: usize = 32;
/// Directions of incidence that solutions are checked for.
const SAMPLED_DIRECTIONS: usize = 16;

/// Evenly spread indices below `count`, [`SAMPLED_DIRECTIONS`] at most.
pub(crate) fn sample(count: usize) -> Vec<usize> {
    (0..count).step_by(count.div_ceil(SAMPLED_DIRECTIONS).max(1)).collect()
}

/// σ(φ) = (k/4) |∫ [σ − (n·ŝ)μ] e^{jk r·ŝ} ds|².
pub(crate) fn echo_width(k: f64, sum: Complex64) -> f64 {
    0.25 * k * sum.norm_sqr()
}

/// Largest backward error that passes: far above rounding in either precision (at most N times the unit roundoff), far below
/// anything that is right by chance.
pub(crate) fn backward_error_limit(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-2,
        Precision::Double => 1e-8,
    }
}

/// How far solutions are from their equations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Residual {
    /// Largest |b − A x| of a row; incident waves have unit size.
    pub largest: f64,
    /// Largest |b − A x| / (Σ|a||x| + |b|) of a row (Oettli and Prager), |.| of the sum as |re| + |im|.
    pub backward_error: f64,
}

/// On evenly sampled rows, whose entries are computed anew, in double and without SIMD.
pub(crate) fn residual(system: &System<'_>, directions: &[f64], solutions: &[Vec<Complex64>]) -> Residual {
    let n = system.len();
    let step = n.div_ceil(SAMPLED_ROWS);
    let outside = Medium::new(system.k.into());
    let row_residual = |m: usize| {
        let row = matrix_row(system, &outside, m);
        let miss = |(a, x): (&f64, &Vec<Complex64>)| {
            let incident = system.incident(system.rows[m], *a);
            let (mut sum, mut size) = (Complex64::ZERO, incident.norm());
            for (z, x) in row.iter().zip(x) {
                sum += z * x;
                size += (z * x).l1_norm();
            }
            let miss = (incident - sum).norm();
            (miss, if size > 0.0 { miss / size } else { 0.0 })
        };
        directions.iter().zip(solutions).map(miss).fold((0.0, 0.0), larger)
    };
    let (largest, backward_error) =
        (0..n).into_par_iter().step_by(step).map(row_residual).reduce(|| (0.0, 0.0), larger);
    Residual { largest, backward_error }
}

fn larger(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (nan_max(a.0, b.0), nan_max(a.1, b.1))
}

/// The larger of two numbers; a NaN wins, so that it cannot hide.
fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// One row of the matrix.
fn matrix_row(system: &System<'_>, outside: &Medium, m: usize) -> Vec<Complex64> {
    let order = system.mesh.rules.order();
    let row = system.rows[m];
    let at = system.layout.block_of[row.node];
    let inside = system.interior_of(at).map(|inside| (inside, Medium::new(inside.k)));
    let mut entries = vec![Complex64::ZERO; system.len()];
    for (entry, &(source, density)) in entries.iter_mut().zip(&system.columns) {
        if source == row.node {
            continue;
        }
        let (away, n, n_source) =
            (system.point(source) - system.point(row.node), system.normal(row.node), system.normal(source));
        let kernels = layers::far(outside, away, n, n_source);
        *entry = System::outer(row, density).combine(&kernels);
        if let Some((inside, medium)) = inside.as_ref().filter(|_| system.layout.block_of[source] == at) {
            let kernels = layers::far(medium, away, n, n_source);
            *entry += system.inner(*inside, row, density).combine(&kernels);
        }
        *entry *= system.mesh.w[source];
    }
    for group in &system.near {
        if let Some(i) = group.rows.iter().position(|&r| r == m) {
            entries[group.column..group.column + order]
                .copy_from_slice(&group.values[i * order..(i + 1) * order]);
        }
    }
    entries
}
