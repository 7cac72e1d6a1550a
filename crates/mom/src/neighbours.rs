//! Finds the nodes near a cell without looking at all of them.

use crate::cell::Cell;
use crate::mesh::Mesh;
use num_complex::Complex64;
use std::collections::HashMap;
use std::ops::Range;

/// Nodes sorted into squares as large as the longest cell.
pub(crate) struct Neighbours {
    side: f64,
    squares: HashMap<[i64; 2], Vec<usize>>,
}

impl Neighbours {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let side = mesh.longest_cell;
        let mut squares: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
        for i in 0..mesh.len() {
            squares.entry(square(side, mesh.x[i], mesh.y[i])).or_default().push(i);
        }
        Self { side, squares }
    }

    /// Nodes within `distance` of `cell`, and its `own`, in order.
    pub(crate) fn around(&self, mesh: &Mesh, cell: &Cell, own: Range<usize>, distance: f64) -> Vec<usize> {
        let reach = 0.5 * cell.length + distance;
        let (x, y) = (cell.middle.re, cell.middle.im);
        let (low, high) = (square(self.side, x - reach, y - reach), square(self.side, x + reach, y + reach));
        let mut found = Vec::new();
        for i in low[0]..=high[0] {
            for j in low[1]..=high[1] {
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
