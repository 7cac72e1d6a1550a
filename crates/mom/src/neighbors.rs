//! Finds the nodes near a cell without looking at all of them.

use crate::cell::Cell;
use crate::mesh::Mesh;
use num_complex::Complex64;
use std::collections::HashMap;
use std::ops::Range;

/// Nodes sorted into squares as large as the longest cell.
pub(crate) struct Neighbors {
    side: f64,
    squares: HashMap<[i64; 2], Vec<usize>>,
    /// Lowest and highest square along each axis.
    low: [i64; 2],
    high: [i64; 2],
}

impl Neighbors {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let side = mesh.longest_cell;
        let mut squares: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
        for i in 0..mesh.len() {
            squares.entry(square(side, mesh.x[i], mesh.y[i])).or_default().push(i);
        }
        let bound = |axis: usize, pick: fn(i64, i64) -> i64| {
            squares.keys().map(|s| s[axis]).reduce(pick).unwrap_or(0)
        };
        let low = [0, 1].map(|axis| bound(axis, i64::min));
        let high = [0, 1].map(|axis| bound(axis, i64::max));
        Self { side, squares, low, high }
    }

    /// Nodes within `distance` of `cell`, and its `own`, in order.
    pub(crate) fn around(&self, mesh: &Mesh, cell: &Cell, own: Range<usize>, distance: f64) -> Vec<usize> {
        let reach = 0.5 * cell.length + distance;
        let (x, y) = (cell.middle.re, cell.middle.im);
        let (low, high) = (square(self.side, x - reach, y - reach), square(self.side, x + reach, y + reach));
        let mut found = Vec::new();
        // A reach beyond all bodies must not make this a search through empty squares.
        for i in low[0].max(self.low[0])..=high[0].min(self.high[0]) {
            for j in low[1].max(self.low[1])..=high[1].min(self.high[1]) {
                let here = self.squares.get(&[i, j]).into_iter().flatten();
                found.extend(here.copied().filter(|&node| {
                    let point = Complex64::new(mesh.x[node], mesh.y[node]);
                    // The distance of a node from its own cell is that from the next fine point, not zero.
                    own.contains(&node)
                        || ((point - cell.middle).norm() <= reach && cell.distance(point) <= distance)
                }));
            }
        }
        found.sort_unstable();
        found
    }
}

fn square(side: f64, x: f64, y: f64) -> [i64; 2] {
    [(x / side).floor() as i64, (y / side).floor() as i64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Body, CellCount, Problem, prepare};
    use crate::shape::Shape;

    #[test]
    fn near_and_far_reaches_find_what_lies_within() {
        let circle = |x: f64| Body::conductor(Shape::Circle { center: [x, 0.0], radius: 1.0 });
        let problem = Problem {
            bodies: vec![circle(0.0), circle(5.0)],
            frequencies: vec![3e8],
            propagation: vec![0.0],
            cells: CellCount::Total(40),
            ..Problem::default()
        };
        let mesh = prepare(problem).unwrap().mesh;
        let (cell, own) = (&mesh.cells[0], 0..mesh.rules.order());
        let neighbors = Neighbors::new(&mesh);
        assert_eq!(neighbors.around(&mesh, cell, own.clone(), 1e-9), own.clone().collect::<Vec<_>>());
        let near = neighbors.around(&mesh, cell, own.clone(), cell.length);
        assert!(near.len() > own.len() && near.iter().all(|&i| mesh.body[i] == 0));
        assert_eq!(neighbors.around(&mesh, cell, own, 1e12).len(), mesh.len());
    }
}
