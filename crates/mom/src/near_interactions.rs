//! Near interactions: the nodes near a cell, found by a spatial hash in time proportional to their number.

use crate::cell::Cell;
use crate::mesh::Mesh;
use num_complex::Complex64;
use std::collections::HashMap;
use std::ops::Range;

/// Nodes hashed into squares with the side of the longest cell.
pub(crate) struct NearInteractions {
    side: f64,
    squares: HashMap<[i64; 2], Vec<usize>>,
    /// Lowest and highest square along each axis.
    low: [i64; 2],
    high: [i64; 2],
}

impl NearInteractions {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        // The default near distance is up to three lengths: a search visits a few squares around a
        // cell.
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

    /// Nodes within `distance` of `cell`, including its `own`, in ascending order.
    pub(crate) fn near_nodes(
        &self,
        mesh: &Mesh,
        cell: &Cell,
        own: Range<usize>,
        distance: f64,
    ) -> Vec<usize> {
        let radius = 0.5 * cell.length + distance;
        let (x, y) = (cell.midpoint.re, cell.midpoint.im);
        let (low, high) =
            (square(self.side, x - radius, y - radius), square(self.side, x + radius, y + radius));
        let mut found = Vec::new();
        // A large radius must not make this a search through empty squares.
        for i in low[0].max(self.low[0])..=high[0].min(self.high[0]) {
            for j in low[1].max(self.low[1])..=high[1].min(self.high[1]) {
                let here = self.squares.get(&[i, j]).into_iter().flatten();
                found.extend(here.copied().filter(|&node| {
                    let point = Complex64::new(mesh.x[node], mesh.y[node]);
                    // `Cell::distance` from a node to its own cell is that to the next fine point, not zero.
                    own.contains(&node)
                        || ((point - cell.midpoint).norm() <= radius && cell.distance(point) <= distance)
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
    use crate::problem::{Body, CellCount, Problem};
    use crate::shape::Shape;
    use crate::study::prepare;

    #[test]
    fn small_and_large_radiuses_find_what_lies_within() {
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
        let near_interactions = NearInteractions::new(&mesh);
        assert_eq!(
            near_interactions.near_nodes(&mesh, cell, own.clone(), 1e-9),
            own.clone().collect::<Vec<_>>()
        );
        let near = near_interactions.near_nodes(&mesh, cell, own.clone(), cell.length);
        assert!(near.len() > own.len() && near.iter().all(|&i| mesh.body[i] == 0));
        assert_eq!(near_interactions.near_nodes(&mesh, cell, own, 1e12).len(), mesh.len());
    }
}
