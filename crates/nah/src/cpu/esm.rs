//! Equivalent sources on the CPU: one matrix-vector product for each frequency.

use crate::esm::EsmOperator;
use crate::scalar::Scalar;
use num_complex::Complex;
use rayon::prelude::*;

impl<T: Scalar> EsmOperator<T> {
    /// The fields of a pressure at the microphones, one after the other.
    pub fn apply(&self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        let zero = Complex::new(T::zero(), T::zero());
        // Rows of the matrix are contiguous: one dot product per value.
        fields.par_iter_mut().zip(self.rows()).for_each(|(value, row)| {
            *value = row.iter().zip(pressure).fold(zero, |sum, (a, p)| sum + *a * *p);
        });
    }
}
