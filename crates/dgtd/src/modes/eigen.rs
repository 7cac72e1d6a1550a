//! The lowest eigenvalues of K x = λ M x by subspace iteration (K.-J. Bathe, E. L. Wilson, *Numerical Methods in Finite Element
//! Analysis*, 1976, chapter 12): few are wanted of many, and both matrices are symmetric.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::Solve;
use faer::{Mat, Par, Side};

/// Vectors beside those that are wanted: the error falls in an iteration by the ratio of the last wanted eigenvalue to the first one
/// beyond the subspace.
const SPARE: usize = 8;
const MAX_ITERATIONS: usize = 200;
/// Relative change of the eigenvalues at which the iteration ends.
const CONVERGED: f64 = 1e-13;

/// The `count` lowest eigenvalues, rising, with vectors of unit norm xᵀMx. `stiffness` is positive semidefinite, `mass` positive
/// definite.
pub fn lowest(stiffness: &Mat<f64>, mass: &Mat<f64>, count: usize) -> Vec<(f64, Vec<f64>)> {
    let n = stiffness.nrows();
    let wanted = count.min(n);
    let size = (wanted + SPARE).min(n);
    // A shift of the order of the lowest eigenvalues keeps the matrix definite where λ = 0.
    let trace = |of: &Mat<f64>| (0..n).map(|i| of[(i, i)]).sum::<f64>();
    let shift = trace(stiffness) / trace(mass) / n as f64;
    let shifted = stiffness + mass * faer::Scale(shift);
    let Ok(factors) = shifted.llt(Side::Lower) else { return Vec::new() };
    // Any vectors that are not perpendicular to those wanted: here columns of a quasi-random sequence.
    let mut vectors =
        Mat::from_fn(n, size, |i, j| (0.5 + (i * (j + 1)) as f64 * 0.618_033_988_749_894_9).fract() - 0.5);
    let mut values = vec![f64::INFINITY; size];
    for _ in 0..MAX_ITERATIONS {
        let next = factors.solve(&(mass * &vectors));
        // Rayleigh-Ritz in the subspace: K' y = θ M' y.
        let [small_k, small_m] = [stiffness, mass].map(|of| next.transpose() * (of * &next));
        let Some((found, rotation)) = dense(&small_k, &small_m) else { return Vec::new() };
        vectors = &next * &rotation;
        let scale = found[wanted - 1].abs().max(shift);
        let change = (0..wanted).map(|i| (found[i] - values[i]).abs()).fold(0.0, f64::max);
        values = found;
        if change <= CONVERGED * scale {
            break;
        }
    }
    (0..wanted).map(|j| (values[j], (0..n).map(|i| vectors[(i, j)]).collect())).collect()
}

/// All eigenvalues of a small problem, rising, with vectors of unit norm.
pub fn dense(stiffness: &Mat<f64>, mass: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    // M = L Lᵀ, and L⁻¹ K L⁻ᵀ z = θ z with y = L⁻ᵀ z.
    let factors = mass.llt(Side::Lower).ok()?;
    let lower = factors.L();
    let mut half = stiffness.clone();
    solve_lower_triangular_in_place(lower, half.as_mut(), Par::Seq);
    let mut both = half.transpose().to_owned();
    solve_lower_triangular_in_place(lower, both.as_mut(), Par::Seq);
    let found = both.self_adjoint_eigen(Side::Lower).ok()?;
    let mut vectors = found.U().to_owned();
    solve_upper_triangular_in_place(lower.transpose(), vectors.as_mut(), Par::Seq);
    Some((found.S().column_vector().iter().copied().collect(), vectors))
}
