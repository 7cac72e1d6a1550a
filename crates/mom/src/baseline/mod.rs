//! Baseline for benchmarks: the algorithm of the thesis that this solver began with.
//!
//! The thesis (a moment method on a GTX 280, about 2010) fills Z and E for a circle, factors Z = LU without pivoting
//! by Crout's scheme, inverts both factors, and multiplies: J = U⁻¹ (L⁻¹ E). On the GPU the factorization is one kernel
//! whose blocks synchronize at a grid-wide barrier between iterations. It is slower than LU with substitution and numerically unsafe
//! without pivoting; `phasefront bench mom` uses it to reproduce the figures of the thesis on the present machine.
//!
//! Corrected against its pseudo-code, on CPU and GPU alike:
//! - the labels of Crout's two loops are swapped there: i ≤ j is the upper triangle;
//! - its sums are never reset to zero;
//! - its first loop divides the whole lower triangle by the diagonal: only column 0 must be divided, by Z₀₀;
//! - the diagonals of both inverses are never set: 1 in L⁻¹, 1/Uᵢᵢ in U⁻¹, and without them both inverses are zero;
//! - L's diagonal is 1, so L⁻¹ is not divided by LUᵢᵢ, which is U's;
//! - the GPU's inverse updates by LU(i, iter) alone: the factor X(iter, j) is missing;
//! - the barrier has no memory fence.
//!
//! As in the thesis there is no pivoting, and matrices are row-major.

pub mod cpu;
pub mod gpu;

use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use phasefront_core::constants::EXP_EULER;
use phasefront_core::special::bessel::hankel2_0;
use phasefront_device::Complex;
use std::f64::consts::{FRAC_2_PI, TAU};
use std::ops::{Add, Div, Mul, Sub};

/// Seconds of each stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Z and E.
    pub fill: f64,
    /// Crout's LU.
    pub lu: f64,
    /// Inverses of both triangular factors.
    pub inverse: f64,
    /// U⁻¹ (L⁻¹ E).
    pub multiply: f64,
}

impl Times {
    /// Sum of all stages.
    pub fn total(&self) -> f64 {
        self.fill + self.lu + self.inverse + self.multiply
    }
}

/// `Complex<f32>` (float2 in the thesis) or `Complex<f64>`.
pub(crate) trait Value:
    Complex + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}
impl<C> Value for C where C: Complex + Add<Output = C> + Sub<Output = C> + Mul<Output = C> + Div<Output = C> {}

/// The scatterer of the thesis: a circle with a radius of one wavelength and equal cells, and a plane wave along +x. The
/// wavelength is the unit of length.
pub(crate) struct Circle {
    /// Midpoints of the cells.
    x: Vec<f64>,
    y: Vec<f64>,
    /// Arc length of a cell.
    w: f64,
}

impl Circle {
    /// Wavenumber.
    const K: f64 = TAU;

    fn new(n: usize) -> Self {
        let angles = || (0..n).map(|i| TAU * (i as f64 + 0.5) / n as f64);
        Self { x: angles().map(f64::cos).collect(), y: angles().map(f64::sin).collect(), w: TAU / n as f64 }
    }

    /// Z_mn = (kηw/4) H₀⁽²⁾(kR_mn), and on the diagonal (kηw/4) {1 − j(2/π)[ln(γkw/4) − 1]}.
    fn entry(&self, row: usize, col: usize) -> Complex64 {
        // H₀ is singular at R = 0: its mean over the cell, from the form 1 − j(2/π) ln(γkR/2) of
        // small arguments.
        let h = if row == col {
            Complex64::new(1.0, -FRAC_2_PI * ((0.25 * EXP_EULER * Self::K * self.w).ln() - 1.0))
        } else {
            let (dx, dy) = (self.x[row] - self.x[col], self.y[row] - self.y[col]);
            hankel2_0(Self::K * (dx * dx + dy * dy).sqrt())
        };
        0.25 * Self::K * ETA0 * self.w * h
    }

    /// e^{-jkx}.
    fn incident(&self, row: usize) -> Complex64 {
        Complex64::cis(-Self::K * self.x[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_device::Op;
    use phasefront_device::cpu::{lu_factor, lu_solve};

    /// Required agreement of the solutions without and with pivoting, N = 200 to 600. Measured at N = 300: 3e-14 and 7e-6,
    /// some hundred units of rounding, as the condition number predicts; the missing pivoting costs nothing here.
    pub(super) const DOUBLE: f64 = 1e-12;
    pub(super) const SINGLE: f64 = 1e-4;

    /// The current of the same system by the pivoted LU of the device layer, in double precision.
    pub(super) fn pivoted(n: usize) -> Vec<Complex64> {
        let circle = Circle::new(n);
        let mut matrix: Vec<Complex64> = (0..n * n).map(|e| circle.entry(e % n, e / n)).collect();
        let mut current: Vec<Complex64> = (0..n).map(|row| circle.incident(row)).collect();
        let lu = lu_factor(n, &mut matrix).unwrap();
        lu_solve(&lu, Op::None, &matrix, &mut current);
        current
    }

    /// ‖a − b‖ / ‖b‖ in the 2-norm.
    pub(super) fn relative_error(a: &[Complex64], b: &[Complex64]) -> f64 {
        assert_eq!(a.len(), b.len());
        let difference: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()).sum();
        (difference / b.iter().map(Complex64::norm_sqr).sum::<f64>()).sqrt()
    }

    /// Largest entry of L L⁻¹ − 1 and U U⁻¹ − 1, with L and L⁻¹ below the diagonals of the two matrices.
    pub(super) fn identity_error(n: usize, lu: &[Complex64], inverse: &[Complex64]) -> f64 {
        let lower = |a: &[Complex64], i: usize, j: usize| {
            if i > j { a[i * n + j] } else { Complex64::from(f64::from(u8::from(i == j))) }
        };
        let upper = |a: &[Complex64], i: usize, j: usize| if i <= j { a[i * n + j] } else { Complex64::ZERO };
        let mut worst: f64 = 0.0;
        for i in 0..n {
            for j in 0..n {
                let one = f64::from(u8::from(i == j));
                let l: Complex64 = (0..n).map(|m| lower(lu, i, m) * lower(inverse, m, j)).sum();
                let u: Complex64 = (0..n).map(|m| upper(lu, i, m) * upper(inverse, m, j)).sum();
                worst = worst.max((l - one).norm()).max((u - one).norm());
            }
        }
        worst
    }
}
