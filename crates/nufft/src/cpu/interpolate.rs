//! Interpolation: every point takes the sum of the grid around it with its taps as weights, and its derivatives if wanted.

use super::float::Float;
use super::scatter::Scatter;
use super::sort::{CHUNK, SortedPoints};
use super::storage::FineGrid;
use super::taps::Taps;
use crate::grid::GridShape;
use num_complex::Complex;
use phasefront_core::simd::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// All that interpolation needs to know.
pub struct Interpolation<'a, T> {
    pub shape: &'a GridShape,
    pub taps: &'a Taps<T>,
    /// Taps of the derivative, when it is wanted.
    pub slopes: Option<&'a Taps<T>>,
    pub points: &'a SortedPoints<T>,
    pub grid: &'a FineGrid<T>,
    /// Whether to use more than one thread.
    pub parallel: bool,
}

impl<T: Float> Interpolation<'_, T> {
    /// Writes the value at each point to `outputs[0]`, and its derivatives along the axes, per grid point, to the others.
    pub fn run(&self, outputs: &mut [&mut [Complex<T>]]) {
        let count = self.points.order.len();
        let targets: Vec<Scatter<'_, Complex<T>>> = outputs.iter_mut().map(|o| Scatter::new(o)).collect();
        let chunk = |at: usize| {
            let points = at..count.min(at + CHUNK);
            match self.slopes {
                None => T::interpolate(Values { job: self, points, target: &targets[0] }),
                Some(slopes) => T::interpolate_slopes(Slopes {
                    job: self,
                    derivatives: slopes,
                    points,
                    targets: &targets,
                }),
            }
        };
        if self.parallel {
            (0..count.div_ceil(CHUNK)).into_par_iter().for_each(|i| chunk(i * CHUNK));
        } else {
            (0..count).step_by(CHUNK).for_each(chunk);
        }
    }

    /// Where the first tap of a point lies in the grid's memory.
    #[inline(always)]
    fn place(&self, p: usize) -> usize {
        let mut place = self.points.start[0][p] as usize;
        for axis in 1..self.shape.dimensions {
            place += self.points.start[axis][p] as usize * self.grid.strides[axis];
        }
        place
    }

    /// Σ over planes and rows of `V` vectors from `place` on, weighted along y and z.
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(
        &self,
        simd: S,
        mut place: usize,
        along_y: &[T],
        along_z: &[T],
    ) -> [T::Vector<S>; V] {
        let values: &[T] = bytemuck::cast_slice(&self.grid.values);
        let reach = V * T::simd_lanes::<S>();
        let mut sum = [T::simd_splat(simd, T::default()); V];
        for z in along_z {
            let mut at = place;
            for y in along_y {
                let weight = T::simd_splat(simd, *y * *z);
                let line = &T::as_simd::<S>(&values[2 * at..2 * at + reach])[..V];
                for v in 0..V {
                    sum[v] = T::simd_fma(simd, line[v], weight, sum[v]);
                }
                at += self.grid.strides[1];
            }
            place += self.grid.strides[2];
        }
        sum
    }
}

/// Σ of the complex numbers in `sum`, weighted along x.
#[inline(always)]
fn reduce<T: Float, S: Simd, const V: usize>(
    simd: S,
    sum: &[T::Vector<S>; V],
    along_x: &[T::Vector<S>; V],
) -> Complex<T> {
    let mut total = T::simd_mul(simd, sum[0], along_x[0]);
    for v in 1..V {
        total = T::simd_fma(simd, sum[v], along_x[v], total);
    }
    let mut result = Complex::default();
    for pair in T::simd_values::<S>(&total).chunks_exact(2) {
        result = Complex { re: result.re + pair[0], im: result.im + pair[1] };
    }
    result
}

/// Some points whose values are wanted.
pub struct Values<'a, 'b, T> {
    job: &'a Interpolation<'b, T>,
    points: Range<usize>,
    target: &'a Scatter<'a, Complex<T>>,
}

impl<T: Float> WithSimd for Values<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        super::by_vectors!(self.job.taps.width, T, S, V, U => self.run::<S, V, U>(simd));
    }
}

impl<T: Float> Values<'_, '_, T> {
    #[inline(always)]
    fn run<S: Simd, const V: usize, const U: usize>(self, simd: S) {
        let Interpolation { shape, taps, points, .. } = self.job;
        for p in self.points {
            let along_x = taps.double::<S, V>(simd, points.z[0][p]);
            let along_y = super::axis_taps::<T, S, U>(simd, taps, points, shape, 1, p);
            let along_z = super::axis_taps::<T, S, U>(simd, taps, points, shape, 2, p);
            let (y, z) = (&along_y[..shape.taps[1]], &along_z[..shape.taps[2]]);
            let sum = self.job.rows::<S, V>(simd, self.job.place(p), y, z);
            let value = reduce::<T, S, V>(simd, &sum, &along_x);
            // SAFETY: `order` is a permutation and chunks of points do not overlap.
            unsafe { self.target.write(points.order[p] as usize, value) };
        }
    }
}

/// Some points whose values and derivatives are wanted.
pub struct Slopes<'a, 'b, T> {
    job: &'a Interpolation<'b, T>,
    derivatives: &'a Taps<T>,
    points: Range<usize>,
    targets: &'a [Scatter<'a, Complex<T>>],
}

impl<T: Float> WithSimd for Slopes<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        super::by_vectors!(self.job.taps.width, T, S, V, U => self.run::<S, V, U>(simd));
    }
}

impl<T: Float> Slopes<'_, '_, T> {
    #[inline(always)]
    fn run<S: Simd, const V: usize, const U: usize>(self, simd: S) {
        let Interpolation { shape, taps, points, .. } = self.job;
        for p in self.points {
            let place = self.job.place(p);
            let x = taps.double::<S, V>(simd, points.z[0][p]);
            let slope_x = self.derivatives.double::<S, V>(simd, points.z[0][p]);
            let axis = |taps, axis| super::axis_taps::<T, S, U>(simd, taps, points, shape, axis, p);
            let [y, z] = [axis(taps, 1), axis(taps, 2)];
            let (y, z) = (&y[..shape.taps[1]], &z[..shape.taps[2]]);
            let index = points.order[p] as usize;
            let sum = self.job.rows::<S, V>(simd, place, y, z);
            // SAFETY: `order` is a permutation and chunks of points do not overlap; for all writes here.
            unsafe {
                self.targets[0].write(index, reduce::<T, S, V>(simd, &sum, &x));
                self.targets[1].write(index, reduce::<T, S, V>(simd, &sum, &slope_x));
            }
            if shape.dimensions > 1 {
                let slope_y = axis(self.derivatives, 1);
                let sum = self.job.rows::<S, V>(simd, place, &slope_y[..shape.taps[1]], z);
                unsafe { self.targets[2].write(index, reduce::<T, S, V>(simd, &sum, &x)) };
            }
            if shape.dimensions > 2 {
                let slope_z = axis(self.derivatives, 2);
                let sum = self.job.rows::<S, V>(simd, place, y, &slope_z[..shape.taps[2]]);
                unsafe { self.targets[3].write(index, reduce::<T, S, V>(simd, &sum, &x)) };
            }
        }
    }
}
