//! The spreading kernel as a piecewise polynomial, one per tap, so that all taps of a point are evaluated by one Horner scheme in SIMD.

use crate::kernel::Kernel;
use std::f64::consts::PI;

/// Taps of a point x: the first is the grid point i₀ = ⌈x − w/2⌉; with z = 2(i₀ − x) + w − 1 in [−1, 1) tap j has the value
/// φ(i₀ + j − x) = Σ_d coefficients[d][j] z^d.
#[derive(Debug, Clone)]
pub(crate) struct TapTable {
    pub width: usize,
    /// From the constant term up; each row has `width` values.
    pub coefficients: Vec<Vec<f64>>,
}

/// Error of the polynomials relative to the tolerance.
const POLYNOMIAL_ERROR: f64 = 0.05;
/// Limit of a fit in double precision.
const ROUNDING: f64 = 2e-16;

impl TapTable {
    pub fn new(kernel: &Kernel, tolerance: f64) -> Self {
        // The error of the polynomials is not band-limited: the deconvolution of the highest mode amplifies it by the smallest Φ.
        // Relative to Φ(0): the highest mode has the smallest transform.
        let smallest = kernel.transform(PI / kernel.upsampling) / kernel.transform(0.0);
        let goal = (POLYNOMIAL_ERROR * tolerance * smallest).max(ROUNDING) * kernel.value(0.0).abs();
        let highest = kernel.width + 12;
        // An upper bound of the degree; the lowest that suffices is chosen below.
        let fits: Vec<Vec<f64>> = (0..kernel.width).map(|j| chebyshev_fit(kernel, j, highest)).collect();
        // Chebyshev coefficients decay geometrically: the truncated tail bounds the error.
        let tail = |degree: usize| -> f64 {
            fits.iter().map(|c| c[degree + 1..].iter().map(|a| a.abs()).sum()).fold(0.0, f64::max)
        };
        let degree = (1..highest).find(|&d| tail(d) < goal).unwrap_or(highest);
        // To powers of z, for Horner's scheme.
        let polynomials: Vec<Vec<f64>> = fits.iter().map(|c| monomials(&c[..=degree])).collect();
        // Transposed: one row of `width` values per power, so that a Horner step is one SIMD
        // operation over all taps.
        let coefficients = (0..=degree).map(|d| polynomials.iter().map(|p| p[d]).collect()).collect();
        Self { width: kernel.width, coefficients }
    }

    /// The derivative of each tap along x (in grid points), dz/dx = −2.
    pub fn derivative(&self) -> Self {
        // Coefficient d of φ is coefficient d − 1 of φ'.
        let scaled = |(d, row): (usize, &Vec<f64>)| row.iter().map(|c| -2.0 * d as f64 * c).collect();
        let coefficients = self.coefficients.iter().enumerate().skip(1).map(scaled).collect();
        Self { width: self.width, coefficients }
    }
}

/// First tap of a point and its z; x in grid points.
#[inline]
pub(crate) fn first_tap(x: f64, width: usize) -> (i64, f64) {
    let half = 0.5 * width as f64;
    // The ceiling puts −width/2 ≤ first − x < 1 − width/2, hence z in [−1, 1).
    let first = (x - half).ceil();
    (first as i64, 2.0 * (first - x) + width as f64 - 1.0)
}

/// Chebyshev coefficients in z of tap j, up to `degree`.
fn chebyshev_fit(kernel: &Kernel, tap: usize, degree: usize) -> Vec<f64> {
    let count = degree + 1;
    let angle = |i: usize| PI * (i as f64 + 0.5) / count as f64;
    let w = kernel.width as f64;
    let values: Vec<f64> =
        // t = (z − w + 1)/2 + j at the Chebyshev nodes z = cos(angle).
        (0..count).map(|i| kernel.value(0.5 * (angle(i).cos() - w + 1.0) + tap as f64)).collect();
    (0..count)
        .map(|d| {
            let sum: f64 = values.iter().enumerate().map(|(i, v)| v * (d as f64 * angle(i)).cos()).sum();
            sum * if d == 0 { 1.0 } else { 2.0 } / count as f64
        })
        .collect()
}

/// Σ c_d T_d(z) as powers of z.
fn monomials(chebyshev: &[f64]) -> Vec<f64> {
    let n = chebyshev.len();
    let mut sum = vec![0.0; n];
    let (mut previous, mut current) = (vec![0.0; n], vec![0.0; n]);
    current[0] = 1.0; // T_0; T_{-1} = T_1 = z
    if n > 1 {
        previous[1] = 1.0;
    }
    for c in chebyshev {
        sum.iter_mut().zip(&current).for_each(|(s, t)| *s += c * t);
        // T_{d+1} = 2 z T_d − T_{d−1}; the power n does not occur.
        let next: Vec<f64> =
            (0..n).map(|i| if i > 0 { 2.0 * current[i - 1] } else { 0.0 } - previous[i]).collect();
        (previous, current) = (current, next);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_are_the_kernel() {
        for (kernel, tolerance) in [
            (Kernel::prolate(7, 2.0), 1e-6),
            (Kernel::prolate(13, 2.0), 1e-12),
            (Kernel::prolate(19, 1.25), 1e-11),
            (Kernel::kaiser_bessel(6), 1e-12),
        ] {
            let table = TapTable::new(&kernel, tolerance);
            let derivative = table.derivative();
            for x in [5.0, 5.1, 5.499, 5.5, 5.999] {
                let (first, z) = first_tap(x, kernel.width);
                assert!((-1.0..=1.0).contains(&z));
                for j in 0..kernel.width {
                    let at = |t: &TapTable| t.coefficients.iter().rev().fold(0.0, |s, c| s * z + c[j]);
                    let t = first as f64 + j as f64 - x;
                    let peak = kernel.value(0.0);
                    assert!((at(&table) - kernel.value(t)).abs() < 0.3 * tolerance * peak, "{x} {j}");
                    let h = 1e-5;
                    let derivative_of_kernel = (kernel.value(t - h) - kernel.value(t + h)) / (2.0 * h);
                    if t.abs() + h < 0.5 * kernel.width as f64 {
                        assert!(
                            (at(&derivative) - derivative_of_kernel).abs() < (10.0 * tolerance + 1e-8) * peak,
                            "{x} {j}"
                        );
                    }
                }
            }
        }
    }
}
