//! LU factorization with partial pivoting, and the condition number that follows from it.

use super::context::Context;
use crate::error::MomError;
use num_complex::{Complex, Complex64};
use phasefront_core::{Progress, Real};
use phasefront_device::{Buffer, Complex as DeviceComplex, LuFactors, Op, inverse_norm_1};

/// The factorization of a matrix, which its factors overwrite.
pub(super) struct Factors {
    lu: LuFactors,
    /// 1-norm of the matrix before it was overwritten.
    norm: f64,
}

impl Factors {
    /// Factors the column-major `matrix` in place.
    pub(super) fn new<T: Real>(
        context: &Context,
        matrix: &Buffer<Complex<T>>,
        progress: &Progress,
    ) -> Result<Self, MomError>
    where
        Complex<T>: DeviceComplex,
    {
        // Before the factors overwrite the matrix.
        let norm = context.gpu.norm_1(context.n, matrix)?;
        let _stage = progress.stage("factor", None, "matrices");
        Ok(Self { lu: context.gpu.lu_factor(context.n, matrix)?, norm })
    }

    /// Solves for right-hand sides by substitution, in place; `matrix` holds the factors.
    pub(super) fn solve<T: Real>(
        &self,
        context: &Context,
        matrix: &Buffer<Complex<T>>,
        rhs: &Buffer<Complex<T>>,
    ) -> Result<(), MomError>
    where
        Complex<T>: DeviceComplex,
    {
        Ok(context.gpu.lu_solve(&self.lu, Op::None, matrix, rhs)?)
    }

    /// Estimate of the condition number ‖A‖₁ ‖A⁻¹‖₁.
    pub(super) fn condition<T: Real>(
        &self,
        context: &Context,
        matrix: &Buffer<Complex<T>>,
    ) -> Result<f64, MomError>
    where
        Complex<T>: DeviceComplex,
    {
        let gpu = &context.gpu;
        let inverse_norm = inverse_norm_1(context.n, |op: Op, x: &mut [Complex64]| {
            let narrow: Vec<Complex<T>> = x.iter().map(|&z| T::complex_from_f64(z)).collect();
            // The estimator of Higham iterates on the host; each step solves on the device.
            let rhs = gpu.upload(&narrow)?;
            gpu.lu_solve(&self.lu, op, matrix, &rhs)?;
            let solved = gpu.download(&rhs)?;
            x.iter_mut().zip(solved).for_each(|(x, z)| *x = T::complex_to_f64(z));
            Ok::<(), MomError>(())
        })?;
        Ok(self.norm * inverse_norm)
    }
}
