//! The innermost loops of interpolation: every point sums the grid around it, weighted with its taps, in SIMD.

use super::scalar::Scalar;
use super::scatter::Scatter;
use super::sort::SortedPoints;
use super::storage::FineGrid;
use super::taps::Taps;
use super::vectors::{axis_taps, by_vectors};
use crate::grid::GridShape;
use num_complex::Complex;
use phasefront_core::simd::{Simd, WithSimd};
use std::ops::Range;

/// The input of interpolation.
pub struct Interpolation<'a, T> {
    pub shape: &'a GridShape,
    pub taps: &'a Taps<T>,
    /// Taps of the derivative φ', if requested.
    pub derivative_taps: Option<&'a Taps<T>>,
    pub points: &'a SortedPoints<T>,
    pub grid: &'a FineGrid<T>,
    /// Whether to use more than one thread.
    pub parallel: bool,
}

impl<T: Scalar> Interpolation<'_, T> {
    /// Offset of the first tap of a point in the memory of the grid.
    #[inline(always)]
    fn offset(&self, p: usize) -> usize {
        let mut offset = self.points.start[0][p] as usize;
        for axis in 1..self.shape.dimensions {
            offset += self.points.start[axis][p] as usize * self.grid.strides[axis];
        }
        offset
    }

    /// Σ over planes and rows of `V` vectors from `offset`, weighted along y and z.
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(
        &self,
        simd: S,
        mut offset: usize,
        along_y: &[T],
        along_z: &[T],
    ) -> [T::Vector<S>; V] {
        // Complex values as pairs of reals: a vector holds alternating real and imaginary parts.
        let values: &[T] = bytemuck::cast_slice(&self.grid.values);
        let row_length = V * T::simd_lanes::<S>();
        // Rows are summed with the taps along y and z first; those along x are applied once, at the end.
        let mut sum = [T::simd_splat(simd, T::default()); V];
        for z in along_z {
            let mut at = offset;
            for y in along_y {
                let weight = T::simd_splat(simd, *y * *z);
                let line = &T::as_simd::<S>(&values[2 * at..2 * at + row_length])[..V];
                // `V` independent accumulators: chains of multiply-adds that overlap.
                for v in 0..V {
                    sum[v] = T::simd_fma(simd, line[v], weight, sum[v]);
                }
                at += self.grid.strides[1];
            }
            offset += self.grid.strides[2];
        }
        sum
    }
}

/// Σ of the complex numbers in `sum`, weighted along x.
#[inline(always)]
fn reduce<T: Scalar, S: Simd, const V: usize>(
    simd: S,
    sum: &[T::Vector<S>; V],
    along_x: &[T::Vector<S>; V],
) -> Complex<T> {
    let mut total = T::simd_mul(simd, sum[0], along_x[0]);
    for v in 1..V {
        total = T::simd_fma(simd, sum[v], along_x[v], total);
    }
    let mut result = Complex::default();
    // The lanes of the vector alternate between real and imaginary parts.
    for pair in T::simd_values::<S>(&total).chunks_exact(2) {
        result = Complex { re: result.re + pair[0], im: result.im + pair[1] };
    }
    result
}

/// A range of points, to be interpolated: c_j = Σ_l b_l φ(l − n x_j/2π).
pub struct InterpolateValues<'a, 'b, T> {
    pub(super) job: &'a Interpolation<'b, T>,
    pub(super) points: Range<usize>,
    pub(super) target: &'a Scatter<'a, Complex<T>>,
}

impl<T: Scalar> WithSimd for InterpolateValues<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // The number of vectors is a compile-time constant: loops over them unroll and accumulators
        // stay in registers.
        by_vectors!(self.job.taps.width, T, S, V, U => self.run::<S, V, U>(simd));
    }
}

impl<T: Scalar> InterpolateValues<'_, '_, T> {
    #[inline(always)]
    fn run<S: Simd, const V: usize, const U: usize>(self, simd: S) {
        let Interpolation { shape, taps, points, .. } = self.job;
        for p in self.points {
            let along_x = taps.double::<S, V>(simd, points.z[0][p]);
            let along_y = axis_taps::<T, S, U>(simd, taps, points, shape, 1, p);
            let along_z = axis_taps::<T, S, U>(simd, taps, points, shape, 2, p);
            let (y, z) = (&along_y[..shape.taps[1]], &along_z[..shape.taps[2]]);
            let sum = self.job.rows::<S, V>(simd, self.job.offset(p), y, z);
            let value = reduce::<T, S, V>(simd, &sum, &along_x);
            // SAFETY: `order` is a permutation and chunks of points do not overlap.
            unsafe { self.target.write(points.order[p] as usize, value) };
        }
    }
}

/// A range of points, to be interpolated with derivatives: φ' for φ along one axis at a time.
pub struct InterpolateWithGradient<'a, 'b, T> {
    pub(super) job: &'a Interpolation<'b, T>,
    pub(super) derivative_taps: &'a Taps<T>,
    pub(super) points: Range<usize>,
    pub(super) targets: &'a [Scatter<'a, Complex<T>>],
}

impl<T: Scalar> WithSimd for InterpolateWithGradient<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        by_vectors!(self.job.taps.width, T, S, V, U => self.run::<S, V, U>(simd));
    }
}

impl<T: Scalar> InterpolateWithGradient<'_, '_, T> {
    #[inline(always)]
    fn run<S: Simd, const V: usize, const U: usize>(self, simd: S) {
        let Interpolation { shape, taps, points, .. } = self.job;
        for p in self.points {
            let offset = self.job.offset(p);
            let x = taps.double::<S, V>(simd, points.z[0][p]);
            let derivative_x = self.derivative_taps.double::<S, V>(simd, points.z[0][p]);
            let axis = |taps, axis| axis_taps::<T, S, U>(simd, taps, points, shape, axis, p);
            let [y, z] = [axis(taps, 1), axis(taps, 2)];
            let (y, z) = (&y[..shape.taps[1]], &z[..shape.taps[2]]);
            let index = points.order[p] as usize;
            // Value and x-derivative share the sum over rows: only the last product differs.
            let sum = self.job.rows::<S, V>(simd, offset, y, z);
            // SAFETY: `order` is a permutation and chunks of points do not overlap; for all writes here.
            unsafe {
                self.targets[0].write(index, reduce::<T, S, V>(simd, &sum, &x));
                self.targets[1].write(index, reduce::<T, S, V>(simd, &sum, &derivative_x));
            }
            // Derivatives along y and z change the row weights and need a pass over the rows each.
            if shape.dimensions > 1 {
                let derivative_y = axis(self.derivative_taps, 1);
                let sum = self.job.rows::<S, V>(simd, offset, &derivative_y[..shape.taps[1]], z);
                // SAFETY: as above.
                unsafe { self.targets[2].write(index, reduce::<T, S, V>(simd, &sum, &x)) };
            }
            if shape.dimensions > 2 {
                let derivative_z = axis(self.derivative_taps, 2);
                let sum = self.job.rows::<S, V>(simd, offset, y, &derivative_z[..shape.taps[2]]);
                // SAFETY: as above.
                unsafe { self.targets[3].write(index, reduce::<T, S, V>(simd, &sum, &x)) };
            }
        }
    }
}
