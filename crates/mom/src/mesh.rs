//! The cells of all bodies together, as the solver and its kernels take them.

use crate::shape::{Cell, Point};

/// Cells of all bodies, one entry per cell in each list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Mid points, x.
    pub x: Vec<f64>,
    /// Mid points, y.
    pub y: Vec<f64>,
    /// Unit tangents, x.
    pub tx: Vec<f64>,
    /// Unit tangents, y.
    pub ty: Vec<f64>,
    /// Arc lengths.
    pub w: Vec<f64>,
    /// Arc length from the start of the body to the mid point.
    pub s: Vec<f64>,
    /// Which body a cell belongs to.
    pub body: Vec<usize>,
    /// Ends of the cells.
    pub ends: Vec<[Point; 2]>,
}

impl Mesh {
    /// Number of cells, which is the number of unknowns.
    pub fn len(&self) -> usize {
        self.w.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// Adds the cells of one body.
    pub(crate) fn push_body(&mut self, body: usize, cells: &[Cell]) {
        let mut s = 0.0;
        for cell in cells {
            let chord = [cell.end[0] - cell.start[0], cell.end[1] - cell.start[1]];
            // A cell that folds about a sharp tip may end where it began: any direction serves there.
            let size = chord[0].hypot(chord[1]);
            let chord = if size > 0.0 { [chord[0] / size, chord[1] / size] } else { [1.0, 0.0] };
            self.x.push(cell.middle[0]);
            self.y.push(cell.middle[1]);
            self.tx.push(chord[0]);
            self.ty.push(chord[1]);
            self.w.push(cell.length);
            self.s.push(s + 0.5 * cell.length);
            self.body.push(body);
            self.ends.push([cell.start, cell.end]);
            s += cell.length;
        }
    }
}
