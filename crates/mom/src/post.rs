//! From currents to what the user asked for, and a check on them that does not trust the solver.

use crate::cpu::matrix_entry;
use crate::mesh::Mesh;
use num_complex::Complex64;
use phasefront_core::Precision;
use phasefront_core::constants::ETA0;
use rayon::prelude::*;

/// Rows of the equation system that the residual is checked on.
const SAMPLED_ROWS: usize = 32;

/// σ(φ) = (kη²/4) |Σ J w e^{jk(x cos φ + y sin φ)}|².
pub(crate) fn echo_width(k: f64, sums: &[Vec<Complex64>]) -> Vec<Vec<f64>> {
    let scale = 0.25 * k * ETA0 * ETA0;
    sums.iter().map(|row| row.iter().map(|s| scale * s.norm_sqr()).collect()).collect()
}

/// Largest residual that passes: far above rounding in either precision (about N times the unit roundoff),
/// far below the pulses' discretisation error.
pub(crate) fn residual_limit(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-2,
        Precision::Double => 1e-6,
    }
}

/// Largest |E_inc − Σ Z_mn J_n| on evenly sampled rows m; the entries are computed anew, in double.
pub(crate) fn residual(mesh: &Mesh, k: f64, directions: &[f64], currents: &[Vec<Complex64>]) -> f64 {
    let n = mesh.len();
    let step = n.div_ceil(SAMPLED_ROWS);
    let row_residual = |m: usize| {
        let row: Vec<Complex64> = (0..n).map(|i| matrix_entry(mesh, k, m, i)).collect();
        let miss = |(a, current): (&f64, &Vec<Complex64>)| {
            let incident = Complex64::cis(-k * (mesh.x[m] * a.cos() + mesh.y[m] * a.sin()));
            let field: Complex64 = row.iter().zip(current).map(|(z, j)| z * j).sum();
            (incident - field).norm()
        };
        directions.iter().zip(currents).map(miss).fold(0.0, nan_max)
    };
    (0..n).into_par_iter().step_by(step).map(row_residual).reduce(|| 0.0, nan_max)
}

/// The larger of two numbers; a NaN wins, so that it cannot hide.
fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
