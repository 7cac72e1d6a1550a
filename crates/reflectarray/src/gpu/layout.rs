//! How the elements are arranged: on a grid, possibly with gaps, or scattered.

use crate::problem::Design;
use crate::transform::ElementGrid;

/// The arrangement of the elements.
#[derive(Clone, PartialEq)]
pub(super) struct ElementLayout {
    /// x of the columns and y of the rows if the elements form a grid; else empty.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// Element of each cell, −1 for none.
    pub element: Vec<i32>,
    pub elements: usize,
}

impl ElementLayout {
    pub fn of(design: &Design) -> Self {
        let elements = design.len();
        let Some(ElementGrid { x, y, cells }) = ElementGrid::of(design) else {
            // Scattered: every element is its own cell.
            return Self { x: vec![], y: vec![], element: (0..elements as i32).collect(), elements };
        };
        let mut element = vec![-1; x.len() * y.len()];
        cells.iter().enumerate().for_each(|(n, &cell)| element[cell] = n as i32);
        Self { x, y, element, elements }
    }

    /// Whether the two differ in coordinates only, so that buffers can be reused.
    pub fn has_same_cells(&self, other: &Self) -> bool {
        // Equal sizes along x and equal cells imply equal sizes along y.
        self.x.len() == other.x.len() && self.element == other.element
    }

    /// Columns and rows, if the elements form a grid.
    pub fn grid(&self) -> Option<[usize; 2]> {
        (!self.x.is_empty()).then_some([self.x.len(), self.y.len()])
    }
}
