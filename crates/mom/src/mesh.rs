//! The cells and nodes of all bodies together, as the solver and its kernels take them.

use crate::cell::{Cell, Rules};
use crate::contact::Piece;
use crate::contour::{Span, even_spans, grade, refine_turns};
use crate::shape::Point;
use num_complex::Complex64;
use phasefront_mesh::Outline;

/// Chords that stand for a cell where its exact shape does not matter: in drawings and in the search for crossings.
pub(crate) const CHORDS_PER_CELL: usize = 4;

/// Cells of all bodies and the nodes on them, one entry per node in each list.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// Nodes, x.
    pub x: Vec<f64>,
    /// Nodes, y.
    pub y: Vec<f64>,
    /// Unit normals, x: outward on closed bodies, to the right of the way from start to end on open ones.
    pub nx: Vec<f64>,
    /// Unit normals, y.
    pub ny: Vec<f64>,
    /// Quadrature weights in arc length: the sum over a body is its length.
    pub w: Vec<f64>,
    /// Arc length from the start of the body to the node.
    pub s: Vec<f64>,
    /// Which body a node belongs to.
    pub body: Vec<usize>,
    /// Length of the longest cell.
    pub longest_cell: f64,
    /// The cells; each has `rules.order()` consecutive nodes.
    pub(crate) cells: Vec<Cell>,
    pub(crate) rules: Rules,
    /// Chords along the outlines before they are refined towards corners, and the body of each.
    pub(crate) chords: Vec<[Point; 2]>,
    pub(crate) chord_body: Vec<usize>,
    /// The piece of the outline that each chord stands for.
    pub(crate) pieces: Vec<Piece>,
}

/// How outlines are cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutting {
    /// Nodes per cell.
    pub order: usize,
    /// Chords in place of curved cells.
    pub flat: bool,
    /// Pulses: the node halfway along the cell, with all its length as weight, and no splitting of cells where the outline bends.
    pub pulses: bool,
    /// Halvings towards corners and open ends.
    pub corner_levels: usize,
}

impl Mesh {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.w.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn new(cutting: Cutting) -> Self {
        Self {
            x: Vec::new(),
            y: Vec::new(),
            nx: Vec::new(),
            ny: Vec::new(),
            w: Vec::new(),
            s: Vec::new(),
            body: Vec::new(),
            longest_cell: 0.0,
            cells: Vec::new(),
            rules: Rules::new(cutting.order),
            chords: Vec::new(),
            chord_body: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Adds a body whose outline is cut into `count` cells, before refinement.
    pub(crate) fn push_body(&mut self, body: usize, outline: &Outline, count: usize, cutting: Cutting) {
        let mut spans = even_spans(outline, count);
        if !cutting.pulses {
            spans = refine_turns(outline, spans);
        }
        self.push_chords(body, outline, &spans);
        let mut start = 0.0;
        for Span { segment, from, to, halvings } in grade(outline, &spans, cutting.corner_levels) {
            let segment = &outline.segments[segment];
            let make = if cutting.flat { Cell::flat } else { Cell::curved };
            let mut cell = make(&self.rules, body, segment, from, to);
            (cell.start, cell.halvings) = (start, halvings);
            start += cell.length;
            if cutting.pulses {
                self.push_halfway(&cell);
            } else {
                self.push_nodes(&cell);
            }
            self.longest_cell = self.longest_cell.max(cell.length);
            self.cells.push(cell);
        }
    }

    fn push_nodes(&mut self, cell: &Cell) {
        let along = cell.arc_lengths(&self.rules);
        for (i, along) in along.into_iter().enumerate() {
            let slope = cell.node_slopes[i];
            let weight = self.rules.coarse.weights[i] * slope.norm();
            self.push_node(cell, cell.nodes[i], slope, weight, along);
        }
    }

    fn push_halfway(&mut self, cell: &Cell) {
        let (offset, slope) = cell.halfway(&self.rules);
        self.push_node(cell, offset, slope, cell.length, 0.5 * cell.length);
    }

    fn push_node(&mut self, cell: &Cell, offset: Complex64, slope: Complex64, weight: f64, along: f64) {
        let (r, speed) = (cell.middle + offset, slope.norm());
        self.x.push(r.re);
        self.y.push(r.im);
        self.nx.push(slope.im / speed);
        self.ny.push(-slope.re / speed);
        self.w.push(weight);
        self.s.push(cell.start + along);
        self.body.push(cell.body);
    }

    /// Joints are the same to the bit, which the search for crossings relies on.
    fn push_chords(&mut self, body: usize, outline: &Outline, spans: &[Span]) {
        let first = outline.vertex(0);
        let mut here = first;
        for (i, span) in spans.iter().enumerate() {
            let segment = &outline.segments[span.segment];
            let end = match spans.get(i + 1) {
                Some(next) if next.segment != span.segment => outline.vertex(next.segment),
                Some(next) => segment.point(next.from),
                None if outline.closed => first,
                None => segment.point(1.0),
            };
            let share = |c: usize| span.from + (span.to - span.from) * c as f64 / CHORDS_PER_CELL as f64;
            for c in 0..CHORDS_PER_CELL {
                let point = if c + 1 == CHORDS_PER_CELL { end } else { segment.point(share(c + 1)) };
                self.chords.push([here, point]);
                self.chord_body.push(body);
                self.pieces.push(Piece::new(*segment, share(c), share(c + 1)));
                here = point;
            }
        }
    }

    /// Points along the outline of a body; the last is the first again if it is closed.
    pub fn outline(&self, body: usize) -> Vec<Point> {
        let mut mine = self.chords.iter().zip(&self.chord_body).filter(|(_, b)| **b == body).map(|(c, _)| c);
        let mut points: Vec<Point> = mine.clone().map(|chord| chord[0]).collect();
        points.extend(mine.next_back().map(|chord| chord[1]));
        points
    }
}
