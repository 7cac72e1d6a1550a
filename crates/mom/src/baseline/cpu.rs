//! The C program of the thesis: one thread, plain loops.

use super::{Circle, Times, Value};
use num_complex::{Complex, Complex64};
use phasefront_core::{Precision, Real};
use std::time::Instant;

/// Solves the circle of `n` cells; returns the seconds of each stage and the current on each cell.
///
/// ```
/// use phasefront_core::Precision;
/// let (times, current) = phasefront_mom::baseline::cpu::solve(252, Precision::Double);
/// assert!(times.total() > 0.0);
/// // η|J| at the specular point is 2.02557 by the series (Harrington, section 5-9). Pulses converge with first order: an error of 0.35 %
/// // with 1008 cells, so 1.4 % with 252.
/// assert!((current[125].norm() * 376.730313668 / 2.02557 - 1.0).abs() < 0.014);
/// ```
pub fn solve(n: usize, precision: Precision) -> (Times, Vec<Complex64>) {
    match precision {
        Precision::Single => run::<f32>(n),
        Precision::Double => run::<f64>(n),
    }
}

fn run<T: Real>(n: usize) -> (Times, Vec<Complex64>)
where
    Complex<T>: Value,
{
    let circle = Circle::new(n);
    let (fill, (mut lu, e)) = seconds(|| system::<T>(&circle));
    let (factor, ()) = seconds(|| crout(n, &mut lu));
    let (inverse, inverses) = seconds(|| triangular_inverses::<T>(n, &lu));
    let (multiply, current) = seconds(|| multiply(n, &inverses, &e));
    let current = current.into_iter().map(T::complex_to_f64).collect();
    (Times { fill, lu: factor, inverse, multiply }, current)
}

fn seconds<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// Z and E.
pub(super) fn system<T: Real>(circle: &Circle) -> (Vec<Complex<T>>, Vec<Complex<T>>) {
    let n = circle.x.len();
    let z = (0..n * n).map(|e| T::complex_from_f64(circle.entry(e / n, e % n))).collect();
    let e = (0..n).map(|row| T::complex_from_f64(circle.incident(row))).collect();
    (z, e)
}

/// LU without pivoting in place, column by column. On and above the diagonal U_ij = Z_ij − Σ_{k<i} L_ik U_kj, below it
/// L_ij = (Z_ij − Σ_{k<j} L_ik U_kj) / U_jj.
fn crout<C: Value>(n: usize, lu: &mut [C]) {
    for j in 0..n {
        for i in 0..n {
            // Both triangles have one sum, over k < min(i, j), where row i of L and column j of U
            // are final.
            let inner = i.min(j);
            let row = &lu[i * n..][..inner];
            // A strided column of a row-major matrix, as in the thesis.
            let column = lu[j..].iter().step_by(n);
            let sum = row.iter().zip(column).fold(C::zeroed(), |sum, (&l, &u)| sum + l * u);
            let rest = lu[i * n + j] - sum;
            lu[i * n + j] = if i <= j { rest } else { rest / lu[j * n + j] };
        }
    }
}

/// L⁻¹ below the diagonal, column by column: X_ij = −Σ_{j≤m<i} L_im X_mj with X_jj = 1, which is not stored.
/// U⁻¹ on and above it, row by row: X_ij = −(1/U_jj) Σ_{i≤m<j} X_im U_mj with X_ii = 1/U_ii.
fn triangular_inverses<T: Real>(n: usize, lu: &[Complex<T>]) -> Vec<Complex<T>>
where
    Complex<T>: Value,
{
    let (zero, one) = (T::complex_from_f64(Complex64::ZERO), T::complex_from_f64(Complex64::ONE));
    let mut inverse = vec![zero; n * n];
    for j in 0..n {
        for i in j + 1..n {
            let row = &lu[i * n + j + 1..i * n + i];
            let column = inverse.get((j + 1) * n + j..).unwrap_or_default().iter().step_by(n);
            // The sum begins with the term m = j, where X_jj = 1.
            let sum = row.iter().zip(column).fold(lu[i * n + j], |sum, (&l, &x)| sum + l * x);
            inverse[i * n + j] = zero - sum;
        }
    }
    for i in 0..n {
        inverse[i * n + i] = one / lu[i * n + i];
        for j in i + 1..n {
            let row = &inverse[i * n + i..i * n + j];
            let column = lu[i * n + j..].iter().step_by(n);
            let sum = row.iter().zip(column).fold(zero, |sum, (&x, &u)| sum + x * u);
            inverse[i * n + j] = (zero - sum) / lu[j * n + j];
        }
    }
    inverse
}

/// U⁻¹ (L⁻¹ E).
fn multiply<C: Value>(n: usize, inverse: &[C], e: &[C]) -> Vec<C> {
    let product = |row: &[C], x: &[C], start| row.iter().zip(x).fold(start, |sum, (&a, &x)| sum + a * x);
    // The unit diagonal of L⁻¹ contributes e[i].
    let y: Vec<C> = (0..n).map(|i| product(&inverse[i * n..][..i], e, e[i])).collect();
    (0..n).map(|i| product(&inverse[i * n + i..(i + 1) * n], &y[i..], C::zeroed())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::tests::{DOUBLE, SINGLE, identity_error, pivoted, relative_error};

    #[test]
    fn agrees_with_the_pivoted_lu() {
        for (precision, tolerance) in [(Precision::Double, DOUBLE), (Precision::Single, SINGLE)] {
            let error = relative_error(&solve(300, precision).1, &pivoted(300));
            assert!(error < tolerance, "{precision}: {error:e}");
        }
    }

    #[test]
    fn factors_times_inverses_are_the_identity() {
        let n = 120;
        let (mut lu, _) = system::<f64>(&Circle::new(n));
        crout(n, &mut lu);
        let error = identity_error(n, &lu, &triangular_inverses::<f64>(n, &lu));
        assert!(error < 1e-12, "{error:e}");
    }

    #[test]
    fn the_smallest_systems_are_solved() {
        for n in [0, 1, 2] {
            assert_eq!(solve(n, Precision::Double).1.len(), n);
        }
        let error = relative_error(&solve(2, Precision::Double).1, &pivoted(2));
        assert!(error < 1e-15, "{error:e}");
    }
}
