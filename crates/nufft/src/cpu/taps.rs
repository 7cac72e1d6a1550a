//! Taps of points in SIMD.

use super::scalar::{Scalar, real};
use crate::table::TapTable;
use phasefront_core::simd::Simd;

/// Maximum taps of a kernel, rounded up to whole SIMD vectors of every instruction set and precision.
pub(crate) const MAX_TAPS: usize = 32;

/// The polynomials of a [`TapTable`] in SIMD layout: rows padded with zeros, so that taps beyond the width are zero.
#[derive(Debug, Clone)]
pub struct Taps<T> {
    pub width: usize,
    rows: usize,
    /// One value per tap.
    single: Vec<T>,
    /// Each value twice, for the real and imaginary parts of a row of the grid.
    double: Vec<T>,
}

impl<T: Scalar> Taps<T> {
    pub fn new(table: &TapTable) -> Self {
        let rows = table.coefficients.len();
        let mut single = vec![T::default(); rows * MAX_TAPS];
        let mut double = vec![T::default(); rows * 2 * MAX_TAPS];
        for (d, row) in table.coefficients.iter().enumerate() {
            for (j, &c) in row.iter().enumerate() {
                single[d * MAX_TAPS + j] = real(c);
                for part in 0..2 {
                    double[d * 2 * MAX_TAPS + 2 * j + part] = real(c);
                }
            }
        }
        Self { width: table.width, rows, single, double }
    }

    /// `V` vectors of taps at z, each once: Horner from the highest power down.
    #[inline(always)]
    pub fn single<S: Simd, const V: usize>(&self, simd: S, z: T) -> [T::Vector<S>; V] {
        horner::<T, S, V>(simd, &self.single, MAX_TAPS, self.rows, z)
    }

    /// `V` vectors of taps at z, each twice.
    #[inline(always)]
    pub fn double<S: Simd, const V: usize>(&self, simd: S, z: T) -> [T::Vector<S>; V] {
        horner::<T, S, V>(simd, &self.double, 2 * MAX_TAPS, self.rows, z)
    }
}

#[inline(always)]
fn horner<T: Scalar, S: Simd, const V: usize>(
    simd: S,
    coefficients: &[T],
    stride: usize,
    rows: usize,
    z: T,
) -> [T::Vector<S>; V] {
    let z = T::simd_splat(simd, z);
    let mut sum = [T::simd_splat(simd, T::default()); V];
    // Highest power first. All taps advance together: `V` independent chains of multiply-adds.
    for row in coefficients.chunks_exact(stride).take(rows).rev() {
        let row = &T::as_simd::<S>(row)[..V];
        for v in 0..V {
            sum[v] = T::simd_fma(simd, sum[v], z, row[v]);
        }
    }
    sum
}

/// Stores vectors as an array.
#[inline(always)]
pub(crate) fn store<T: Scalar, S: Simd, const V: usize>(vectors: &[T::Vector<S>; V]) -> [T; MAX_TAPS] {
    let mut values = [T::default(); MAX_TAPS];
    for (target, vector) in T::as_simd_mut::<S>(&mut values).iter_mut().zip(vectors) {
        *target = *vector;
    }
    values
}
