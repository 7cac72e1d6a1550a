//! Welding of coincident vertices.

use super::vec3::{Vec3, dot, sub};
use std::collections::HashMap;

/// Vertices closer than this, relative to the diagonal of the bounding box, are merged.
/// Single-precision coordinates, as in binary STL, have errors up to 6e-8 of the largest one.
pub const WELD_TOLERANCE: f64 = 3e-7;

/// The first vertex within `distance` of each, or itself. No vertex moves by more than `distance`.
///
/// Vertices are hashed into the cells of a grid four times as wide as `distance`; near a border the
/// adjacent cells are searched too, so that every pair is found.
pub(crate) fn weld(vertices: &[Vec3], low: Vec3, distance: f64) -> Vec<u32> {
    let extent = vertices.iter().flat_map(|p| (0..3).map(|k| (p[k] - low[k]).abs())).fold(0.0, f64::max);
    // For a distance of zero any narrow cell will do, as long as the cell numbers are exact.
    let width = (4.0 * distance).max(1e-9 * extent).max(f64::MIN_POSITIVE);
    let cell = |p: Vec3, shift: f64| [0, 1, 2].map(|k| ((p[k] - low[k] + shift) / width).floor());
    let mut grid = Grid { newest: HashMap::with_capacity(vertices.len() / 2), older: Vec::new() };
    let mut target = Vec::with_capacity(vertices.len());
    for (i, &p) in vertices.iter().enumerate() {
        let (first, last) = (cell(p, -distance), cell(p, distance));
        let near = |j: u32| {
            let to = sub(vertices[j as usize], p);
            dot(to, to) <= distance * distance
        };
        // The lowest index among all cells: the result does not depend on the order of the search.
        let found = around(first, last).filter_map(|cell| grid.find(cell, near)).min();
        grid.older.push(NONE);
        // Merged vertices are not stored: chains of close vertices cannot drift farther than
        // `distance`.
        if found.is_none() {
            grid.put(key(cell(p, 0.0)), i as u32);
        }
        target.push(found.unwrap_or(i as u32));
    }
    target
}

const NONE: u32 = u32::MAX;

type Key = [u64; 3];

/// Cell numbers are floating point: no coordinate overflows them.
fn key(cell: Vec3) -> Key {
    // −0 and +0 differ in their bits; adding zero makes both +0.
    cell.map(|x| (x + 0.0).to_bits())
}

/// The cells between two, at most eight.
fn around(first: Vec3, last: Vec3) -> impl Iterator<Item = Key> {
    let count = [0, 1, 2].map(|k| if first[k] == last[k] { 1 } else { 2 });
    (0..count[0] * count[1] * count[2]).map(move |i| {
        let pick = [i % count[0], i / count[0] % count[1], i / (count[0] * count[1])];
        key([0, 1, 2].map(|k| if pick[k] == 0 { first[k] } else { last[k] }))
    })
}

/// Vertices by cell: the newest in each, and behind every vertex the one before it.
struct Grid {
    newest: HashMap<Key, u32>,
    older: Vec<u32>,
}

impl Grid {
    fn put(&mut self, cell: Key, vertex: u32) {
        if let Some(before) = self.newest.insert(cell, vertex) {
            self.older[vertex as usize] = before;
        }
    }

    /// The first vertex in a cell for which `near` holds.
    fn find(&self, cell: Key, near: impl Fn(u32) -> bool) -> Option<u32> {
        let newest = self.newest.get(&cell).copied();
        let older = |&i: &u32| Some(self.older[i as usize]).filter(|&i| i != NONE);
        std::iter::successors(newest, older).filter(|&i| near(i)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs compared.
    fn plain(vertices: &[Vec3], distance: f64) -> Vec<u32> {
        let mut target: Vec<u32> = Vec::new();
        for (i, &p) in vertices.iter().enumerate() {
            let near = |&j: &u32| {
                let to = sub(vertices[j as usize], p);
                dot(to, to) <= distance * distance
            };
            let kept = (0..i as u32).filter(|&j| target[j as usize] == j);
            target.push(kept.into_iter().find(near).unwrap_or(i as u32));
        }
        target
    }

    #[test]
    fn pairs_are_found_across_borders() {
        // Steps that fall on, before and behind every kind of border of the grid.
        let h = 1e-3;
        let steps: Vec<f64> = (-9..9).map(|i| f64::from(i) * 0.77 * h).collect();
        let points: Vec<Vec3> =
            steps.iter().flat_map(|&x| steps.iter().map(move |&y| [x, y, 0.3 * x - 0.2 * y])).collect();
        let found = weld(&points, [-0.5, -0.25, 0.0], h);
        assert_eq!(found, plain(&points, h));
        assert!(found.iter().enumerate().any(|(i, &j)| i as u32 != j));
    }

    #[test]
    fn no_distance_does_not_compare_all_pairs() {
        // A million pairs would take hours if they were in one cell.
        let points: Vec<Vec3> = (0..2_000_000).map(|i| [f64::from(i / 2), 0.0, 1.0]).collect();
        let target = weld(&points, [0.0; 3], 0.0);
        assert!(target.iter().enumerate().all(|(i, &j)| j as usize == i / 2 * 2));
    }

    #[test]
    fn no_distance_joins_equals_only() {
        let points = [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0 + 1e-15], [0.0, 1.0, 2.0], [-0.0, 1.0, 2.0]];
        assert_eq!(weld(&points, [0.0; 3], 0.0), [0, 1, 0, 0]);
    }
}
