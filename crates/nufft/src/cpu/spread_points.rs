//! The innermost loops of spreading: points over the private grid of a tile, in SIMD.

use super::scalar::Scalar;
use super::sort::{SortedPoints, Tiling};
use super::taps::Taps;
use super::vectors::{axis_taps, by_vectors, parts};
use crate::grid::GridShape;
use num_complex::Complex;
use phasefront_core::simd::{Simd, WithSimd};
use std::ops::Range;

/// Strengths fetched ahead: they are scattered in memory, and a separate loop keeps many loads in flight.
const GATHER: usize = 128;

/// The input of spreading.
pub struct Spreading<'a, T> {
    pub shape: &'a GridShape,
    pub tiling: &'a Tiling,
    pub taps: &'a Taps<T>,
    pub points: &'a SortedPoints<T>,
    /// Strengths in the caller's order.
    pub strengths: &'a [Complex<T>],
    /// Whether to use more than one thread.
    pub parallel: bool,
}

/// A tile with its margins.
pub struct Subgrid<T> {
    pub values: Vec<T>,
    /// Values per row, rows per plane, planes.
    pub size: [usize; 3],
}

/// A range of points of one tile, to be spread over its private grid: b_l += c_j φ(l − n x_j/2π).
pub struct SpreadPoints<'a, 'b, T> {
    pub(super) spreading: &'a Spreading<'b, T>,
    pub(super) origin: [usize; 3],
    pub(super) points: Range<usize>,
    pub(super) subgrid: &'a mut Subgrid<T>,
}

impl<T: Scalar> WithSimd for SpreadPoints<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        by_vectors!(self.spreading.taps.width, T, S, V, U => self.run::<S, V, U>(simd));
    }
}

impl<T: Scalar> SpreadPoints<'_, '_, T> {
    /// `V` vectors hold a row of complex taps, `U` a row of real ones.
    #[inline(always)]
    fn run<S: Simd, const V: usize, const U: usize>(self, simd: S) {
        let Spreading { shape, taps, points, strengths, .. } = self.spreading;
        let [row, rows, _] = self.subgrid.size;
        let values = &mut self.subgrid.values[..];
        let row_length = V * T::simd_lanes::<S>();
        let (real, imaginary) = parts::<T, S>(simd);
        let mut gathered = [Complex::default(); GATHER];
        for (i, p) in self.points.clone().enumerate() {
            if i % GATHER == 0 {
                let next = &points.order[p..self.points.end.min(p + GATHER)];
                gathered.iter_mut().zip(next).for_each(|(c, &index)| *c = strengths[index as usize]);
            }
            let c = gathered[i % GATHER];
            // (re c, im c, re c, im c, …), to multiply the doubled taps along x.
            let pair = T::simd_mul(simd, real, T::simd_splat(simd, c.re));
            let pair = T::simd_fma(simd, imaginary, T::simd_splat(simd, c.im), pair);
            let mut along_x = taps.double::<S, V>(simd, points.z[0][p]);
            for x in &mut along_x {
                *x = T::simd_mul(simd, *x, pair);
            }
            let along_y = axis_taps::<T, S, U>(simd, taps, points, shape, 1, p);
            let along_z = axis_taps::<T, S, U>(simd, taps, points, shape, 2, p);
            let mut corner = 2 * (points.start[0][p] as usize - self.origin[0]);
            if shape.dimensions > 1 {
                corner += (points.start[1][p] as usize - self.origin[1]) * row;
            }
            if shape.dimensions > 2 {
                corner += (points.start[2][p] as usize - self.origin[2]) * rows * row;
            }
            // Outer product of the taps: rows of the private grid are contiguous along x.
            for z in &along_z[..shape.taps[2]] {
                let mut at = corner;
                for y in &along_y[..shape.taps[1]] {
                    let factor = T::simd_splat(simd, *y * *z);
                    // Full vectors: taps beyond the width are zero and the rows are padded.
                    let line = &mut T::as_simd_mut::<S>(&mut values[at..at + row_length])[..V];
                    for v in 0..V {
                        line[v] = T::simd_fma(simd, along_x[v], factor, line[v]);
                    }
                    at += row;
                }
                corner += rows * row;
            }
        }
    }
}
