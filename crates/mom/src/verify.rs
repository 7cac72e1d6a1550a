//! Verification of a solution, independent of the engine that computed it: the residual of sampled rows, and the total field inside
//! closed conductors, which must vanish.
//!
//! At an interior resonance of a closed body the EFIE and the MFIE have no unique solution: the residual stays at
//! rounding level while current and echo width are wrong. The interior field then does not vanish.

use crate::layer_potentials;
use crate::media::Media;
use crate::probes::interior_points;
use crate::shape::Point;
use crate::study::Study;
use crate::system::System;
use num_complex::Complex64;
use phasefront_core::Precision;
use rayon::prelude::*;

/// Rows of the system that the residual is evaluated on.
const SAMPLED_ROWS: usize = 32;
/// Directions of incidence that solutions are verified for.
const SAMPLED_DIRECTIONS: usize = 16;

/// Evenly spaced indices below `count`, [`SAMPLED_DIRECTIONS`] at most.
pub(crate) fn sample(count: usize) -> Vec<usize> {
    (0..count).step_by(count.div_ceil(SAMPLED_DIRECTIONS).max(1)).collect()
}

/// Largest backward error that passes: far above rounding in either precision (at most N times the unit roundoff), far below
/// anything that is right by chance.
pub(crate) fn backward_error_limit(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-2,
        Precision::Double => 1e-8,
    }
}

/// Residual of solutions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Residual {
    /// Largest |b − A x| of a row; incident waves have unit amplitude.
    pub largest: f64,
    /// Largest componentwise backward error |b − A x| / (Σ|a||x| + |b|) of a row (Oettli and Prager, Numer. Math. 6 (1964) 405),
    /// with |.| in the sum as |re| + |im|.
    pub backward_error: f64,
}

/// The residual on evenly sampled rows, whose entries are computed independently, in double precision and without SIMD.
pub(crate) fn residual(
    system: &System<'_>,
    media: &Media,
    directions: &[f64],
    solutions: &[Vec<Complex64>],
) -> Residual {
    let n = system.len();
    // Evenly spaced over all bodies and equations.
    let step = n.div_ceil(SAMPLED_ROWS);
    let row_residual = |m: usize| {
        let row = matrix_row(system, media, m);
        let residual = |(a, x): (&f64, &Vec<Complex64>)| {
            let incident = system.incident(system.rows[m], *a);
            let (mut sum, mut size) = (Complex64::ZERO, incident.norm());
            for (z, x) in row.iter().zip(x) {
                sum += z * x;
                // |re| + |im| saves a square root per term and is at most √2 too large.
                size += (z * x).l1_norm();
            }
            let residual = (incident - sum).norm();
            (residual, if size > 0.0 { residual / size } else { 0.0 })
        };
        directions.iter().zip(solutions).map(residual).fold((0.0, 0.0), larger)
    };
    let (largest, backward_error) =
        (0..n).into_par_iter().step_by(step).map(row_residual).reduce(|| (0.0, 0.0), larger);
    Residual { largest, backward_error }
}

fn larger(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (nan_max(a.0, b.0), nan_max(a.1, b.1))
}

/// The larger of two numbers; a NaN propagates, so that it cannot pass unnoticed.
fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// One row of the matrix.
fn matrix_row(system: &System<'_>, media: &Media, m: usize) -> Vec<Complex64> {
    let order = system.mesh.rules.order();
    let row = system.rows[m];
    let at = system.layout.block_of[row.node];
    let interior = system.interior_of(at).zip(media.interior(at));
    let mut entries = vec![Complex64::ZERO; system.len()];
    for (entry, &(source, density)) in entries.iter_mut().zip(&system.columns) {
        // Self interactions are singular: always in a near block.
        if source == row.node {
            continue;
        }
        let separation = system.point(source) - system.point(row.node);
        let (n, n_source) = (system.normal(row.node), system.normal(source));
        let kernels = layer_potentials::kernels(&media.exterior, separation, n, n_source);
        *entry = System::exterior(row, density).combine(&kernels);
        if let Some((interior, medium)) = interior.filter(|_| system.layout.block_of[source] == at) {
            let kernels = layer_potentials::kernels(medium, separation, n, n_source);
            *entry += system.interior(interior, row, density).combine(&kernels);
        }
        *entry *= system.mesh.w[source];
    }
    // Local corrections replace the regular entries, as in the engines.
    for block in &system.near {
        if let Some(i) = block.rows.iter().position(|&r| r == m) {
            entries[block.column..block.column + order]
                .copy_from_slice(&block.values[i * order..(i + 1) * order]);
        }
    }
    entries
}

/// Largest total field at points inside the closed conductors for a unit incident field; zero if there is no such body.
pub(crate) fn interior_field(
    study: &Study,
    system: &System<'_>,
    media: &Media,
    directions: &[f64],
    solutions: &[Vec<Complex64>],
) -> f64 {
    let field = |[x, y]: Point| {
        let point = Complex64::new(x, y);
        // The weights of a point serve all directions of incidence.
        let weights = system.field_weights(point, &system.region(point), &media.exterior);
        let total = |(a, solution): (&f64, &Vec<Complex64>)| {
            let incident = Complex64::cis(-system.k * (x * a.cos() + y * a.sin()));
            let scattered: Complex64 = weights.iter().zip(solution).map(|(w, x)| w * x).sum();
            (incident + scattered).norm()
        };
        directions.iter().zip(solutions).map(total).fold(0.0, f64::max)
    };
    interior_points(&study.mesh, &study.problem).into_par_iter().map(field).reduce(|| 0.0, f64::max)
}
