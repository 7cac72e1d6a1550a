//! Points in the order of the tiles of the grid they touch.

use super::float::{Float, real};
use crate::check;
use crate::error::{NufftError, Result};
use crate::grid::GridShape;
use crate::table::first_tap;
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::ops::Range;

/// Edges of a tile in one, two and three dimensions, in grid points: with its margin it stays in the first-level cache (in the
/// second, in three dimensions).
const TILE: [[usize; 3]; 3] = [[1024, 1, 1], [32, 32, 1], [16, 16, 16]];
/// Points per task where work is shared among threads.
pub(crate) const CHUNK: usize = 4096;

/// Points sorted by the tile of their first tap; within a tile in the order given.
#[derive(Debug, Clone, Default)]
pub struct SortedPoints<T> {
    /// Number of each point in the caller's arrays.
    pub order: Vec<u32>,
    /// First tap along each axis, in 0..fine.
    pub start: [Vec<u32>; 3],
    /// z of the taps along each axis.
    pub z: [Vec<T>; 3],
    /// Where each tile's points begin, and the end.
    pub bounds: Vec<u32>,
}

/// How a grid is cut into tiles.
#[derive(Debug, Clone, Copy)]
pub struct Tiling {
    pub edges: [usize; 3],
    pub counts: [usize; 3],
}

impl Tiling {
    pub fn new(shape: &GridShape) -> Self {
        let mut edges = TILE[shape.dimensions - 1];
        // Strips of tiles along the last axis are worked on at once, every second one: their margins must not meet.
        let last = shape.dimensions - 1;
        edges[last] = edges[last].max(shape.taps[last]);
        let counts = std::array::from_fn(|axis| shape.fine[axis].div_ceil(edges[axis]));
        Self { edges, counts }
    }

    /// Tiles in all.
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
        let place = [tile % nx, tile / nx % ny, tile / (nx * ny)];
        std::array::from_fn(|axis| place[axis] * self.edges[axis])
    }
}

/// A coordinate in grid points, [0, n): x folded into one period of 2π.
#[inline]
fn fold(x: f64, n: f64) -> f64 {
    let turns = x * (1.0 / TAU);
    let folded = (turns - turns.floor()) * n;
    // Rounding may carry a point just below a period to its end.
    if folded >= n { 0.0 } else { folded }
}

/// Where along an axis: first tap in 0..fine, and z.
#[inline]
fn place(x: f64, fine: usize, width: usize) -> (u32, f64) {
    let (first, z) = first_tap(fold(x, fine as f64), width);
    let first = if first < 0 { first + fine as i64 } else { first };
    (first as u32, z)
}

/// Sorts points given in radians, one slice per axis.
pub(crate) fn sort_points<T: Float>(
    points: &[&[T]],
    shape: &GridShape,
    tiling: &Tiling,
) -> Result<SortedPoints<T>> {
    let count = points[0].len();
    if u32::try_from(count).is_err() {
        return Err(NufftError::TooLarge);
    }
    check::finite(points)?;
    let tile_of = |index: usize| -> u32 {
        let mut tile = 0;
        for axis in (0..shape.dimensions).rev() {
            let (first, _) = place(points[axis][index].to_f64(), shape.fine[axis], shape.taps[axis]);
            tile = tile * tiling.counts[axis] + first as usize / tiling.edges[axis];
        }
        tile as u32
    };
    let tiles: Vec<u32> = (0..count).into_par_iter().with_min_len(CHUNK).map(tile_of).collect();
    let (order, bounds) = counting_sort(&tiles, tiling.len());
    let mut sorted = SortedPoints { order, bounds, ..SortedPoints::default() };
    for (axis, x) in points.iter().enumerate() {
        let places = sorted.order.par_iter().with_min_len(CHUNK).map(|&i| {
            let (first, z) = place(x[i as usize].to_f64(), shape.fine[axis], shape.taps[axis]);
            (first, real::<T>(z))
        });
        (sorted.start[axis], sorted.z[axis]) = places.unzip();
    }
    Ok(sorted)
}

/// The stable order of `keys`, and where each key's run begins.
fn counting_sort(keys: &[u32], kinds: usize) -> (Vec<u32>, Vec<u32>) {
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
        let place = &mut next[key as usize];
        order[*place as usize] = i as u32;
        *place += 1;
    }
    (order, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_keeps_points_in_the_period() {
        for x in [0.0, -1e-300, TAU, -TAU, 1e6, -1e6, 3.0, TAU - 1e-16] {
            let folded = fold(x, 320.0);
            assert!((0.0..320.0).contains(&folded), "{x} {folded}");
        }
        assert!((fold(-1.0, TAU) - (TAU - 1.0)).abs() < 1e-14);
    }

    #[test]
    fn sorting_is_stable() {
        let (order, bounds) = counting_sort(&[2, 0, 2, 1, 0], 4);
        assert_eq!(order, [1, 4, 3, 0, 2]);
        assert_eq!(bounds, [0, 2, 3, 5, 5]);
    }
}
