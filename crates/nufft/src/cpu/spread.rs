//! Spreading: tile by tile through private grids, on several threads.

use super::float::Float;
use super::sort::{CHUNK, Tiling};
use super::spread_points::{SpreadPoints, Spreading, Subgrid};
use super::storage::FineGrid;
use num_complex::Complex;
use rayon::prelude::*;
use std::ops::Range;

/// Points of one tile beyond which several threads spread it, each with a private grid.
const SHARED_TILE: usize = 4 * CHUNK;
/// Maximum shares of such a tile: enough for the threads of large machines.
const MAX_SHARES: usize = 64;

impl<T: Float> Spreading<'_, T> {
    /// Spreads all points to `grid`, cleared first. Strips of tiles along the last axis that are not neighbors write to disjoint parts
    /// of the grid, so the even ones are spread in parallel, then the odd ones.
    pub fn run(&self, grid: &mut FineGrid<T>) {
        grid.values.fill(Complex::default());
        let last = self.shape.dimensions - 1;
        let strip_len = self.tiling.edges[last] * grid.strides[last];
        let strides = grid.strides;
        // Two passes with a barrier in between: no strip is spread while a neighbor writes to its
        // margin, and no atomics are needed.
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
        // One tile at a time through the same private grid, which stays in cache.
        let last = self.shape.dimensions - 1;
        for tile in self.tiling.strip(self.shape.dimensions, strip) {
            let points = self.points.bounds[tile] as usize..self.points.bounds[tile + 1] as usize;
            if points.is_empty() {
                continue;
            }
            let origin = self.tiling.origin(tile);
            let mut base = origin;
            // `part` begins at this strip: only the other axes have an offset.
            base[last] = 0;
            // Clustered points: one tile would hold up all other threads. On one thread the points are divided
            // too, so that sums are rounded alike for any number of threads.
            if points.len() > SHARED_TILE {
                for private in self.spread_shared(origin, points) {
                    self.add(&private, origin, &mut part[dot(base, strides)..], strides);
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
        // The last row has room for whole SIMD vectors of taps.
        let row = 2 * (edges[0] + taps[0].next_multiple_of(8));
        let size = [row, edges[1] + taps[1] - 1, edges[2] + taps[2] - 1];
        Subgrid { values: vec![T::default(); size.iter().product()], size }
    }

    /// Spreads the points of one tile on several private grids, in parallel if there are threads.
    fn spread_shared(&self, origin: [usize; 3], points: Range<usize>) -> Vec<Subgrid<T>> {
        let share = points.len().div_ceil(MAX_SHARES).max(CHUNK);
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

    /// Adds a private grid to the fine grid.
    fn add(&self, subgrid: &Subgrid<T>, origin: [usize; 3], part: &mut [Complex<T>], strides: [usize; 3]) {
        let extent: [usize; 3] = std::array::from_fn(|axis| {
            // The last tile of an axis may be smaller; its margin follows directly.
            let own = self.tiling.edges[axis].min(self.shape.fine[axis] - origin[axis]);
            own + self.shape.taps[axis] - 1
        });
        let [row, rows, _] = subgrid.size;
        for k in 0..extent[2] {
            for j in 0..extent[1] {
                let from: &[Complex<T>] =
                    bytemuck::cast_slice(&subgrid.values[(k * rows + j) * row..][..2 * extent[0]]);
                let to = &mut part[k * strides[2] + j * strides[1]..][..extent[0]];
                to.iter_mut().zip(from).for_each(|(t, f)| *t = *t + *f);
            }
        }
    }
}

fn dot(index: [usize; 3], strides: [usize; 3]) -> usize {
    index.iter().zip(strides).map(|(i, s)| i * s).sum()
}
