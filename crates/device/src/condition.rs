//! Estimate of ‖A⁻¹‖₁ from a few solves, for the condition number κ₁ = ‖A‖₁ ‖A⁻¹‖₁.
//!
//! Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., Algorithm 15.1 for complex matrices, as LAPACK's
//! `zlacn2` has it: the power method on the convex ‖A⁻¹x‖₁ over ‖x‖₁ = 1, whose maximum lies at a unit vector.

use crate::Op;
use num_complex::Complex64;
use std::f64::consts::PI;

/// Most solves with A: the estimate rarely improves after the third.
const MAX_ITERATIONS: usize = 5;

/// A lower bound of ‖A⁻¹‖₁ for a matrix of order `n`, nearly always within a factor of three of it.
///
/// `solve` replaces its vector b by the x of A x = b ([`Op::None`]) or Aᴴ x = b ([`Op::ConjTranspose`]). It is called at most
/// ten times.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_device::{inverse_norm_1, Op};
/// // A = diag(2, j/4): the inverse is diag(1/2, -4j), that of the conjugate transpose diag(1/2, 4j).
/// let norm = inverse_norm_1(2, |op, x| {
///     x[0] /= 2.0;
///     x[1] *= Complex64::new(0.0, if op == Op::ConjTranspose { 4.0 } else { -4.0 });
///     Ok::<(), ()>(())
/// });
/// assert_eq!(norm, Ok(4.0));
/// ```
pub fn inverse_norm_1<E>(
    n: usize,
    mut solve: impl FnMut(Op, &mut [Complex64]) -> Result<(), E>,
) -> Result<f64, E> {
    if n == 0 {
        return Ok(0.0);
    }
    // ‖x‖₁ = 1, with equal weight on all unit vectors.
    let mut x = vec![Complex64::from(1.0 / n as f64); n];
    solve(Op::None, &mut x)?;
    let mut estimate = norm(&x);
    // Exact: A⁻¹ is one number.
    if n == 1 {
        return Ok(estimate);
    }
    let mut last = None;
    for _ in 1..MAX_ITERATIONS {
        // An infinite or NaN estimate cannot improve.
        if !estimate.is_finite() {
            return Ok(estimate);
        }
        // The gradient of ‖A⁻¹x‖₁ is A⁻ᴴ sign(A⁻¹x); its largest entry names the unit vector to try next.
        for z in &mut x {
            *z = sign(*z);
        }
        solve(Op::ConjTranspose, &mut x)?;
        let steepest = steepest(&x);
        // A local maximum: no other unit vector promises an ascent.
        if last.is_some_and(|last: usize| x[last].norm() >= x[steepest].norm()) {
            break;
        }
        last = Some(steepest);
        x.fill(Complex64::ZERO);
        x[steepest] = Complex64::ONE;
        solve(Op::None, &mut x)?;
        let next = norm(&x);
        // No progress: the iteration would cycle.
        if next <= estimate {
            break;
        }
        estimate = next;
    }
    // Against matrices that mislead the search: x_i = ±(1 + i/(n − 1)), with ‖x‖₁ = 3n/2.
    for (i, z) in x.iter_mut().enumerate() {
        let size = 1.0 + i as f64 / (n - 1) as f64;
        *z = Complex64::from(if i % 2 == 0 { size } else { -size });
    }
    solve(Op::None, &mut x)?;
    let alternating = 2.0 * norm(&x) / (3.0 * n as f64);
    Ok(if alternating <= estimate { estimate } else { alternating })
}

/// A lower bound of ‖A⁻¹‖₁ for a matrix of order `n` from systems with A alone, where a library solves no transposed ones.
///
/// Inverse iteration: the largest ‖A⁻¹x‖₁/‖x‖₁ of `x`, A⁻¹x, A⁻²x, … The first x is a chirp, which has an equal share of all unit
/// vectors and of all frequencies. The true norm is at most about √n times as large if A is normal; otherwise nothing is known about it,
/// and [`inverse_norm_1`] is to be preferred.
/// `solve` replaces its vector b by the x of A x = b, and is called at most five times.
pub fn inverse_norm_1_forward<E>(
    n: usize,
    mut solve: impl FnMut(&mut [Complex64]) -> Result<(), E>,
) -> Result<f64, E> {
    let chirp = |i: usize| Complex64::cis(PI * (i as f64).powi(2) / n as f64) / n as f64;
    let mut x: Vec<Complex64> = (0..n).map(chirp).collect();
    let mut estimate = 0.0;
    for _ in 0..MAX_ITERATIONS {
        solve(&mut x)?;
        let size = norm(&x);
        // A NaN replaces the estimate, and ends the iteration as infinity does.
        estimate = if size <= estimate { estimate } else { size };
        if !size.is_finite() || size == 0.0 {
            break;
        }
        for z in &mut x {
            *z /= size;
        }
    }
    Ok(estimate)
}

fn norm(x: &[Complex64]) -> f64 {
    x.iter().map(|z| z.norm()).sum()
}

/// z/|z|; 1 where z is too small to have a direction.
fn sign(z: Complex64) -> Complex64 {
    let size = z.norm();
    if size > f64::MIN_POSITIVE { z / size } else { Complex64::ONE }
}

/// Index of the largest entry, the first of equals.
fn steepest(x: &[Complex64]) -> usize {
    let mut at = 0;
    for (i, z) in x.iter().enumerate() {
        if z.norm() > x[at].norm() {
            at = i;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu;
    use std::convert::Infallible;

    /// The estimate from an inverse that is known entry by entry, column-major.
    fn estimate(n: usize, inverse: &[Complex64]) -> f64 {
        let mut solves = 0;
        let solve = |op, x: &mut [Complex64]| {
            solves += 1;
            let entry = |i: usize, j: usize| match op {
                Op::None => inverse[i + j * n],
                Op::Transpose => inverse[j + i * n],
                Op::ConjTranspose => inverse[j + i * n].conj(),
            };
            let product: Vec<Complex64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
            x.copy_from_slice(&product);
            Ok::<(), Infallible>(())
        };
        let Ok(norm) = inverse_norm_1(n, solve);
        assert!(solves <= 10, "{solves} solves");
        norm
    }

    /// ‖B‖₁ by its definition.
    fn exact(n: usize, matrix: &[Complex64]) -> f64 {
        matrix.chunks(n).map(|column| column.iter().map(|z| z.norm()).sum()).fold(0.0, f64::max)
    }

    fn binomial(n: usize, k: usize) -> f64 {
        (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>().round()
    }

    /// Entries 1/(i + j - 1), and those of the inverse: (-1)^(i+j) (i+j-1) C(n+i-1, n-j) C(n+j-1, n-i) C(i+j-2, i-1)²
    /// (Choi, "Tricks or treats with the Hilbert matrix", Amer. Math. Monthly 90, 1983); indices from 1.
    fn hilbert(n: usize) -> [Vec<Complex64>; 2] {
        let pairs = || (1..=n).flat_map(move |j| (1..=n).map(move |i| (i, j)));
        let inverse = |(i, j): (usize, usize)| {
            let size =
                binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) * binomial(i + j - 2, i - 1).powi(2);
            let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
            Complex64::from(sign * (i + j - 1) as f64 * size)
        };
        let entry = |(i, j): (usize, usize)| Complex64::from(1.0 / (i + j - 1) as f64);
        [pairs().map(entry).collect(), pairs().map(inverse).collect()]
    }

    /// Rows and columns turned by phases, which change no norm.
    fn turned(n: usize, matrix: &[Complex64]) -> Vec<Complex64> {
        let phase = |at: usize| Complex64::cis((at * at) as f64 + 0.3);
        matrix.iter().enumerate().map(|(ij, z)| z * phase(ij % n) * phase(7 + ij / n)).collect()
    }

    #[test]
    fn hilbert_matrices_have_known_inverses() {
        for n in 1..=12 {
            let [_, inverse] = hilbert(n);
            let norm = exact(n, &inverse);
            for inverse in [turned(n, &inverse), inverse] {
                let ratio = estimate(n, &inverse) / norm;
                assert!((1.0 / 3.0..=1.0 + 1e-10).contains(&ratio), "n = {n}: {ratio}");
            }
        }
    }

    #[test]
    fn the_estimate_is_a_lower_bound_and_near() {
        // Whatever their conditioning, entries without pattern: a linear congruence (Knuth's MMIX), cubed for spread.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0).powi(3)
        };
        for n in (2..40).chain([97, 150]) {
            let inverse: Vec<_> = (0..n * n).map(|_| Complex64::new(next(), next())).collect();
            let ratio = estimate(n, &inverse) / exact(n, &inverse);
            assert!((1.0 / 3.0..=1.0 + 1e-10).contains(&ratio), "n = {n}: {ratio}");
        }
    }

    #[test]
    fn an_ill_conditioned_matrix_is_told_by_its_factors() {
        let n = 8;
        let [mut matrix, inverse] = hilbert(n);
        let norm = cpu::norm_1(n, &matrix);
        let lu = cpu::lu_factor(n, &mut matrix).unwrap();
        let solve = |op, x: &mut [Complex64]| {
            cpu::lu_solve(&lu, op, &matrix, x);
            Ok::<(), Infallible>(())
        };
        let Ok(estimate) = inverse_norm_1(n, solve);
        let condition = norm * exact(n, &inverse);
        assert!(condition > 3e10, "{condition:e}");
        // The factors know the inverse to κ ε.
        let ratio = norm * estimate / condition;
        assert!((1.0 / 3.0..=1.0 + condition * f64::EPSILON).contains(&ratio), "{ratio}");
    }

    /// Inverse iteration finds the largest eigenvalue of A⁻¹. Hilbert matrices are symmetric: it is their 2-norm, at least 1/√n of their
    /// 1-norm. With rows and columns turned by phases they are not normal, and the result is a lower bound only.
    #[test]
    fn forward_solves_alone_give_a_lower_bound() {
        for n in 1..=12 {
            let [_, inverse] = hilbert(n);
            let norm = exact(n, &inverse);
            let least = 1.0 / (n as f64).sqrt() - 1e-10;
            for (inverse, least) in [(turned(n, &inverse), 0.0), (inverse, least)] {
                let found = inverse_norm_1_forward(n, |x: &mut [Complex64]| {
                    let row = |i: usize| (0..n).map(|j| inverse[i + j * n] * x[j]).sum();
                    let product: Vec<Complex64> = (0..n).map(row).collect();
                    x.copy_from_slice(&product);
                    Ok::<(), Infallible>(())
                });
                let Ok(found) = found;
                let ratio = found / norm;
                assert!((least..=1.0 + 1e-10).contains(&ratio), "n = {n}: {ratio}");
            }
        }
        assert_eq!(inverse_norm_1_forward(3, |_| Err("singular")), Err("singular"));
    }

    #[test]
    fn nothing_failure_and_overflow() {
        assert_eq!(inverse_norm_1(0, |_, _| Err("not called")), Ok(0.0));
        assert_eq!(inverse_norm_1(3, |_, _| Err("singular")), Err("singular"));
        for bad in [f64::NAN, f64::INFINITY] {
            let norm = inverse_norm_1(3, |_, x| {
                x.fill(bad.into());
                Ok::<(), ()>(())
            });
            assert!(norm.is_ok_and(|norm| !norm.is_finite()));
        }
    }
}
