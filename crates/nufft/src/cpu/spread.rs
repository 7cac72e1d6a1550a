//! Spreading: every point adds its taps to the grid, tile by tile through a small private grid.

use super::float::Float;
use super::sort::{CHUNK, SortedPoints, Tiling};
use super::storage::FineGrid;
use super::taps::Taps;
use crate::grid::GridShape;
use num_complex::Complex;
use phasefront_core::simd::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Points of one tile beyond which threads share it, each with a private grid.
const CROWDED: usize = 4 * CHUNK;
/// Strengths fetched ahead: they lie scattered in memory, and a loop that does nothing else waits for many at a time.
const GATHER: usize = 128;

/// All that spreading needs to know.
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
    values: Vec<T>,
    /// Values per row, rows per plane, planes.
    size: [usize; 3],
}

impl<T: Float> Spreading<'_, T> {
    /// Adds all points to `grid`, which starts at zero. Strips of tiles along the last axis that are not neighbors touch
    /// different parts of the grid; so first the even ones are spread at once, then the odd ones.
    pub fn run(&self, grid: &mut FineGrid<T>) {
        grid.values.fill(Complex::default());
        let last = self.shape.dimensions - 1;
        let strip_len = self.tiling.edges[last] * grid.strides[last];
        let strides = grid.strides;
        for parity in 0..2 {
            let skip = (parity * strip_len).min(grid.values.len());
            let parts = &mut grid.values[skip..];
            let strips = (parity..self.tiling.counts[last]).step_by(2);
            if self.parallel {
                let parts = parts.par_chunks_mut(2 * strip_len);
                let strips: Vec<usize> = strips.collect();
                parts.zip(strips).for_each(|(part, strip)| self.strip(strip, part, strides));
            } else {
                let parts = parts.chunks_mut(2 * strip_len);
                parts.zip(strips).for_each(|(part, strip)| self.strip(strip, part, strides));
            }
        }
        grid.fold_margins();
    }

    /// Spreads the points of one strip onto its part of the grid, which begins at the strip's first point along the last axis.
    fn strip(&self, strip: usize, part: &mut [Complex<T>], strides: [usize; 3]) {
        let mut subgrid = self.subgrid();
        let last = self.shape.dimensions - 1;
        for tile in self.tiling.strip(self.shape.dimensions, strip) {
            let points = self.points.bounds[tile] as usize..self.points.bounds[tile + 1] as usize;
            if points.is_empty() {
                continue;
            }
            let origin = self.tiling.origin(tile);
            let mut base = origin;
            base[last] = 0;
            if self.parallel && points.len() > CROWDED {
                for crowd in self.spread_crowd(origin, points) {
                    self.add(&crowd, origin, &mut part[dot(base, strides)..], strides);
                }
            } else {
                subgrid.values.fill(T::default());
                self.spread_points(origin, points, &mut subgrid);
                self.add(&subgrid, origin, &mut part[dot(base, strides)..], strides);
            }
        }
    }

    fn subgrid(&self) -> Subgrid<T> {
        let Tiling { edges, .. } = self.tiling;
        let taps = self.shape.taps;
        // The last row has room for whole vectors of taps.
        let row = 2 * (edges[0] + taps[0].next_multiple_of(8));
        let size = [row, edges[1] + taps[1] - 1, edges[2] + taps[2] - 1];
        Subgrid { values: vec![T::default(); size.iter().product()], size }
    }

    /// The points of one tile, on as many private grids as there is work for.
    fn spread_crowd(&self, origin: [usize; 3], points: Range<usize>) -> Vec<Subgrid<T>> {
        let share = points.len().div_ceil(4 * rayon::current_num_threads()).max(CHUNK);
        let parts: Vec<Range<usize>> =
            points.clone().step_by(share).map(|at| at..points.end.min(at + share)).collect();
        parts
            .into_par_iter()
            .map(|range| {
                let mut subgrid = self.subgrid();
                self.spread_points(origin, range, &mut subgrid);
                subgrid
            })
            .collect()
    }

    fn spread_points(&self, origin: [usize; 3], points: Range<usize>, subgrid: &mut Subgrid<T>) {
        T::spread(SpreadPoints { spreading: self, origin, points, subgrid });
    }

    /// Adds a private grid to its place.
    fn add(&self, subgrid: &Subgrid<T>, origin: [usize; 3], part: &mut [Complex<T>], strides: [usize; 3]) {
        let reach: [usize; 3] = std::array::from_fn(|axis| {
            let own = self.tiling.edges[axis].min(self.shape.fine[axis] - origin[axis]);
            own + self.shape.taps[axis] - 1
        });
        let [row, rows, _] = subgrid.size;
        for k in 0..reach[2] {
            for j in 0..reach[1] {
                let from: &[Complex<T>] =
                    bytemuck::cast_slice(&subgrid.values[(k * rows + j) * row..][..2 * reach[0]]);
                let to = &mut part[k * strides[2] + j * strides[1]..][..reach[0]];
                to.iter_mut().zip(from).for_each(|(t, f)| *t = *t + *f);
            }
        }
    }
}

fn dot(place: [usize; 3], strides: [usize; 3]) -> usize {
    place.iter().zip(strides).map(|(p, s)| p * s).sum()
}

/// Some points of one tile, to be spread over its private grid.
pub struct SpreadPoints<'a, 'b, T> {
    spreading: &'a Spreading<'b, T>,
    origin: [usize; 3],
    points: Range<usize>,
    subgrid: &'a mut Subgrid<T>,
}

impl<T: Float> WithSimd for SpreadPoints<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        super::by_vectors!(self.spreading.taps.width, T, S, V, U => self.run::<S, V, U>(simd));
    }
}

impl<T: Float> SpreadPoints<'_, '_, T> {
    /// `V` vectors hold a row of complex taps, `U` a row of real ones.
    #[inline(always)]
    fn run<S: Simd, const V: usize, const U: usize>(self, simd: S) {
        let Spreading { shape, taps, points, strengths, .. } = self.spreading;
        let [row, rows, _] = self.subgrid.size;
        let values = &mut self.subgrid.values[..];
        let reach = V * T::simd_lanes::<S>();
        let (real, imaginary) = super::parts::<T, S>(simd);
        let mut gathered = [Complex::default(); GATHER];
        for (i, p) in self.points.clone().enumerate() {
            if i % GATHER == 0 {
                let next = &points.order[p..self.points.end.min(p + GATHER)];
                gathered.iter_mut().zip(next).for_each(|(c, &index)| *c = strengths[index as usize]);
            }
            let c = gathered[i % GATHER];
            let pair = T::simd_mul(simd, real, T::simd_splat(simd, c.re));
            let pair = T::simd_fma(simd, imaginary, T::simd_splat(simd, c.im), pair);
            let mut along_x = taps.double::<S, V>(simd, points.z[0][p]);
            for x in &mut along_x {
                *x = T::simd_mul(simd, *x, pair);
            }
            let along_y = super::axis_taps::<T, S, U>(simd, taps, points, shape, 1, p);
            let along_z = super::axis_taps::<T, S, U>(simd, taps, points, shape, 2, p);
            let mut place = 2 * (points.start[0][p] as usize - self.origin[0]);
            if shape.dimensions > 1 {
                place += (points.start[1][p] as usize - self.origin[1]) * row;
            }
            if shape.dimensions > 2 {
                place += (points.start[2][p] as usize - self.origin[2]) * rows * row;
            }
            for z in &along_z[..shape.taps[2]] {
                let mut at = place;
                for y in &along_y[..shape.taps[1]] {
                    let factor = T::simd_splat(simd, *y * *z);
                    let line = &mut T::as_simd_mut::<S>(&mut values[at..at + reach])[..V];
                    for v in 0..V {
                        line[v] = T::simd_fma(simd, along_x[v], factor, line[v]);
                    }
                    at += row;
                }
                place += rows * row;
            }
        }
    }
}
