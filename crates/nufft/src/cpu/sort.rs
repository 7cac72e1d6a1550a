//! Points sorted by the tile of the grid that contains their first tap (bin sorting).

use super::scalar::{Scalar, real};
use crate::error::{NufftError, Result};
use crate::grid::GridShape;
use crate::table::first_tap;
use rayon::prelude::*;
use std::ops::Range;

/// Edges of a tile in one, two and three dimensions, in grid points: with its margin it stays in the first-level cache (in the
/// second, in three dimensions).
const TILE: [[usize; 3]; 3] = [[1024, 1, 1], [32, 32, 1], [16, 16, 16]];
/// Points per task of a thread.
pub(crate) const CHUNK: usize = 4096;

/// Points sorted by the tile of their first tap; within a tile in the order given.
#[derive(Debug, Clone, Default)]
pub struct SortedPoints<T> {
    /// Index of each point in the arrays of the caller.
    pub order: Vec<u32>,
    /// First tap along each axis, in 0..fine.
    pub start: [Vec<u32>; 3],
    /// z of the taps along each axis.
    pub z: [Vec<T>; 3],
    /// Index of the first point of each tile, and the end.
    pub bounds: Vec<u32>,
}

/// The division of a grid into tiles.
#[derive(Debug, Clone, Copy)]
pub struct Tiling {
    pub edges: [usize; 3],
    pub counts: [usize; 3],
}

impl Tiling {
    pub fn new(shape: &GridShape) -> Self {
        let mut edges = TILE[shape.dimensions - 1];
        // Every second strip of tiles along the last axis is spread in parallel: their margins must not overlap.
        let last = shape.dimensions - 1;
        edges[last] = edges[last].max(shape.taps[last]);
        let counts = std::array::from_fn(|axis| shape.fine[axis].div_ceil(edges[axis]));
        Self { edges, counts }
    }

    /// Number of tiles.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// The tiles of one strip along the last axis.
    pub fn strip(&self, dimensions: usize, strip: usize) -> Range<usize> {
        let tiles = self.len() / self.counts[dimensions - 1];
        strip * tiles..(strip + 1) * tiles
    }

    /// First grid point of a tile along each axis.
    pub fn origin(&self, tile: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts;
        let index = [tile % nx, tile / nx % ny, tile / (nx * ny)];
        std::array::from_fn(|axis| index[axis] * self.edges[axis])
    }
}

/// 1/2π as the sum of two doubles.
const TURNS: [f64; 2] = [0.15915494309189535, -9.839338337591243e-18];

/// A coordinate in grid points, x folded into one period of 2π, −n/2 to n/2, as the sum of two doubles: rounded to one, it would
/// turn the phase of mode k by up to k ε.
#[inline]
fn fold(x: f64, n: f64) -> [f64; 2] {
    let turns = x * TURNS[0];
    let rest = x.mul_add(TURNS[0], -turns) + x * TURNS[1];
    // Exact: both have the same last digit.
    let part = turns - turns.round();
    let cell = part * n;
    [cell, part.mul_add(n, -cell) + rest * n]
}

/// First tap of a point along an axis, in 0..fine, and z.
#[inline]
fn locate(x: f64, fine: usize, width: usize) -> (u32, f64) {
    let [cell, rest] = fold(x, fine as f64);
    let (first, z) = first_tap(cell, width);
    // Negative taps are those of the second half of the period.
    let first = if first < 0 { first + fine as i64 } else { first };
    (first as u32, z - 2.0 * rest)
}

/// Sorts points given in radians, one slice per axis.
pub(crate) fn sort_points<T: Scalar>(
    points: &[&[T]],
    shape: &GridShape,
    tiling: &Tiling,
) -> Result<SortedPoints<T>> {
    let count = points[0].len();
    if u32::try_from(count).is_err() {
        return Err(NufftError::TooLarge { what: "points", count: count as f64 });
    }
    let tile_of = |index: usize| -> u32 {
        let mut tile = 0;
        // Last axis slowest, as in the grid, so that
        // strips along it are contiguous ranges of tiles.
        for axis in (0..shape.dimensions).rev() {
            let (first, _) = locate(points[axis][index].to_f64(), shape.fine[axis], shape.taps[axis]);
            tile = tile * tiling.counts[axis] + first as usize / tiling.edges[axis];
        }
        tile as u32
    };
    // Two passes over the points: tile numbers first, then taps in sorted order.
    let tiles: Vec<u32> = (0..count).into_par_iter().with_min_len(CHUNK).map(tile_of).collect();
    let (order, bounds) = counting_sort(&tiles, tiling.len());
    let mut sorted = SortedPoints { order, bounds, ..SortedPoints::default() };
    for (axis, x) in points.iter().enumerate() {
        let located = sorted.order.par_iter().with_min_len(CHUNK).map(|&i| {
            let (first, z) = locate(x[i as usize].to_f64(), shape.fine[axis], shape.taps[axis]);
            (first, real::<T>(z))
        });
        (sorted.start[axis], sorted.z[axis]) = located.unzip();
    }
    Ok(sorted)
}

/// The stable order of `keys`, and the start of the run of each key.
fn counting_sort(keys: &[u32], kinds: usize) -> (Vec<u32>, Vec<u32>) {
    // Counting sort: linear in points and tiles, and stable, so that the order of summation
    // within a tile is that of the caller.
    let mut bounds = vec![0_u32; kinds + 1];
    for &key in keys {
        bounds[key as usize + 1] += 1;
    }
    for kind in 0..kinds {
        bounds[kind + 1] += bounds[kind];
    }
    let mut next = bounds.clone();
    let mut order = vec![0_u32; keys.len()];
    for (i, &key) in keys.iter().enumerate() {
        let position = &mut next[key as usize];
        order[*position as usize] = i as u32;
        *position += 1;
    }
    (order, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn folding_keeps_points_in_the_period() {
        for x in [0.0, -1e-300, TAU, -TAU, 1e6, -1e6, 3.0, TAU - 1e-16] {
            let [folded, rest] = fold(x, 320.0);
            assert!((-160.0..=160.0).contains(&folded) && rest.abs() < 1e-8, "{x} {folded} {rest}");
        }
        assert!((fold(TAU - 1.0, TAU)[0] + 1.0).abs() < 1e-14);
        // The double next to 2π lies 2.4492935982947064e-16 below it.
        let [folded, rest] = fold(TAU, TAU);
        assert!((folded + rest + 2.449_293_598_294_706_4e-16).abs() < 1e-30, "{folded:e} {rest:e}");
    }

    #[test]
    fn sorting_is_stable() {
        let (order, bounds) = counting_sort(&[2, 0, 2, 1, 0], 4);
        assert_eq!(order, [1, 4, 3, 0, 2]);
        assert_eq!(bounds, [0, 2, 3, 5, 5]);
    }
}
