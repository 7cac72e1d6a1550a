//! LU factorization with partial pivoting, and the condition number that follows from it.

use crate::error::MomError;
use num_complex::{Complex, Complex64};
use phasefront_core::{Progress, Real};
use phasefront_device::cpu::{self, HostComplex, Lu};
use phasefront_device::{Op, inverse_norm_1};

/// The factorization of a matrix, which its factors overwrite.
pub(super) struct Factors {
    lu: Lu,
    /// 1-norm of the matrix before it was overwritten.
    norm: f64,
}

impl Factors {
    /// Factors the column-major `matrix` of order `n` in place.
    pub(super) fn new<T: Real>(
        n: usize,
        matrix: &mut [Complex<T>],
        progress: &Progress,
    ) -> Result<Self, MomError>
    where
        Complex<T>: HostComplex,
    {
        // Before the factors overwrite the matrix.
        let norm = cpu::norm_1(n, matrix);
        let _stage = progress.stage("factor", None, "matrices");
        Ok(Self { lu: cpu::lu_factor(n, matrix)?, norm })
    }

    /// Solves for right-hand sides by substitution, in place; `matrix` holds the factors.
    pub(super) fn solve<T: Real>(&self, op: Op, matrix: &[Complex<T>], rhs: &mut [Complex<T>])
    where
        Complex<T>: HostComplex,
    {
        cpu::lu_solve(&self.lu, op, matrix, rhs);
    }

    /// Estimate of the condition number ‖A‖₁ ‖A⁻¹‖₁.
    pub(super) fn condition<T: Real>(&self, n: usize, matrix: &[Complex<T>]) -> Result<f64, MomError>
    where
        Complex<T>: HostComplex,
    {
        let inverse_norm = inverse_norm_1(n, |op: Op, x: &mut [Complex64]| {
            // The estimator works in double precision; solves have that of the factors.
            let mut rhs: Vec<Complex<T>> = x.iter().map(|&z| T::complex_from_f64(z)).collect();
            self.solve(op, matrix, &mut rhs);
            x.iter_mut().zip(rhs).for_each(|(x, z)| *x = T::complex_to_f64(z));
            Ok::<(), MomError>(())
        })?;
        Ok(self.norm * inverse_norm)
    }
}
