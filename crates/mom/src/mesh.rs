//! [`Mesh`]: the cells and nodes of all bodies, as the solver and its kernels use them.

use crate::cell::{Cell, Rules};
use crate::contour::{Span, refine_corners, refine_curvature, uniform_spans};
use crate::problem::{CellCount, Lcn, Method, Problem};
use crate::proximity::{Contact, Gap, narrowest_gap, refine_proximity};
use crate::shape::{Point, apportion};
use num_complex::Complex64;
use phasefront_mesh::{Outline, Segment};

/// Chords that approximate a cell where its exact shape does not matter: in plots and in the search for intersections.
pub(crate) const CHORDS_PER_CELL: usize = 4;

/// Fewest cells on one body: fewer do not even outline it.
pub(crate) const MIN_CELLS: usize = 4;

/// Cells of all bodies and the nodes on them, one entry per node in each list.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// Nodes, x.
    pub x: Vec<f64>,
    /// Nodes, y.
    pub y: Vec<f64>,
    /// Unit normals, x: outward on closed bodies, to the right of the direction from start to end on open ones.
    pub nx: Vec<f64>,
    /// Unit normals, y.
    pub ny: Vec<f64>,
    /// Quadrature weights in arc length: the sum over a body is its length.
    pub w: Vec<f64>,
    /// Arc length from the start of the body to the node.
    pub s: Vec<f64>,
    /// The body of each node.
    pub body: Vec<usize>,
    /// Length of the longest cell.
    pub longest_cell: f64,
    /// Cells that the refinement by proximity has added.
    pub proximity_cells: usize,
    /// The narrowest gap between bodies, for pulses.
    pub(crate) narrowest_gap: Option<Gap>,
    /// Where the refinement by proximity has found no gap.
    pub(crate) contact: Option<Contact>,
    /// The cells; each has `rules.order()` consecutive nodes.
    pub(crate) cells: Vec<Cell>,
    pub(crate) rules: Rules,
    /// Chords along the contours before corner refinement, and the body of each.
    pub(crate) chords: Vec<[Point; 2]>,
    pub(crate) chord_body: Vec<usize>,
    /// The segment of the outline and the range of its parameter that each chord approximates.
    pub(crate) chord_spans: Vec<(Segment, [f64; 2])>,
}

/// How contours are discretized.
#[derive(Debug, Clone, Copy)]
struct Discretization {
    /// Nodes per cell.
    order: usize,
    /// Flat cells (chords) instead of curved ones.
    flat: bool,
    /// Pulse basis: one node at the arc midpoint of each cell with the cell length as weight, and no refinement by curvature.
    pulses: bool,
    /// Levels of refinement toward corners and open ends.
    corner_levels: usize,
}

impl Discretization {
    fn new(problem: &Problem) -> Self {
        match problem.method {
            Method::Pulse => Self { order: 1, flat: false, pulses: true, corner_levels: 0 },
            Method::Lcn(Lcn { order, flat, .. }) => {
                Self { order, flat, pulses: false, corner_levels: problem.corner_levels() }
            }
        }
    }
}

impl Mesh {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.w.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Discretizes the outlines of all bodies; `lengths` are the arc lengths of their segments.
    pub(crate) fn new(problem: &Problem, outlines: &[Outline], lengths: &[Vec<f64>]) -> Self {
        let discretization = Discretization::new(problem);
        let mut mesh = Self::empty(discretization.order);
        let mut spans = Vec::with_capacity(outlines.len());
        for (i, (outline, count)) in outlines.iter().zip(cell_counts(problem, lengths)).enumerate() {
            spans.push(mesh.spans(i, outline, count, discretization));
        }
        // Pulses keep the requested number of cells, which is their number of unknowns.
        if discretization.pulses {
            mesh.narrowest_gap = narrowest_gap(outlines, &spans);
        } else {
            let before: usize = spans.iter().map(Vec::len).sum();
            (spans, mesh.contact) = refine_proximity(outlines, spans);
            mesh.proximity_cells = spans.iter().map(Vec::len).sum::<usize>() - before;
        }
        for (i, (outline, spans)) in outlines.iter().zip(spans).enumerate() {
            mesh.push_body(i, outline, spans, discretization);
        }
        mesh
    }

    fn empty(order: usize) -> Self {
        Self {
            x: Vec::new(),
            y: Vec::new(),
            nx: Vec::new(),
            ny: Vec::new(),
            w: Vec::new(),
            s: Vec::new(),
            body: Vec::new(),
            longest_cell: 0.0,
            proximity_cells: 0,
            narrowest_gap: None,
            contact: None,
            cells: Vec::new(),
            rules: Rules::new(order),
            chords: Vec::new(),
            chord_body: Vec::new(),
            chord_spans: Vec::new(),
        }
    }

    /// The spans of a body with `count` cells before refinement.
    fn spans(&mut self, body: usize, outline: &Outline, count: usize, how: Discretization) -> Vec<Span> {
        let mut spans = uniform_spans(outline, count);
        if !how.pulses {
            spans = refine_curvature(outline, spans);
        }
        // Before corner refinement: its cells add nothing to plots and contact checks.
        self.push_chords(body, outline, &spans);
        refine_corners(outline, &spans, how.corner_levels)
    }

    /// Adds the cells of a body.
    fn push_body(&mut self, body: usize, outline: &Outline, spans: Vec<Span>, how: Discretization) {
        let mut start = 0.0;
        for Span { segment, from, to, refinement_level } in spans {
            let segment = &outline.segments[segment];
            let make = if how.flat { Cell::flat } else { Cell::curved };
            let mut cell = make(&self.rules, body, segment, from, to);
            // Arc length accumulates along the contour.
            (cell.start, cell.refinement_level) = (start, refinement_level);
            start += cell.length;
            if how.pulses {
                self.push_midpoint(&cell);
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
            let slope = cell.node_tangents[i];
            // w |dr/du|.
            let weight = self.rules.coarse.weights[i] * slope.norm();
            self.push_node(cell, cell.nodes[i], slope, weight, along);
        }
    }

    fn push_midpoint(&mut self, cell: &Cell) {
        let (offset, slope) = cell.arc_midpoint(&self.rules);
        self.push_node(cell, offset, slope, cell.length, 0.5 * cell.length);
    }

    fn push_node(&mut self, cell: &Cell, offset: Complex64, slope: Complex64, weight: f64, along: f64) {
        let (r, speed) = (cell.midpoint + offset, slope.norm());
        self.x.push(r.re);
        self.y.push(r.im);
        // The tangent turned clockwise: outward on counterclockwise contours.
        self.nx.push(slope.im / speed);
        self.ny.push(-slope.re / speed);
        self.w.push(weight);
        self.s.push(cell.start + along);
        self.body.push(cell.body);
    }

    /// Joints are bitwise equal, which the search for intersections relies on.
    fn push_chords(&mut self, body: usize, outline: &Outline, spans: &[Span]) {
        let first = outline.vertex(0);
        let mut here = first;
        for (i, span) in spans.iter().enumerate() {
            let segment = &outline.segments[span.segment];
            // The point where the next span starts, evaluated in the same way.
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
                self.chord_spans.push((*segment, [share(c), share(c + 1)]));
                here = point;
            }
        }
    }

    /// Cells per wavelength where there are fewest, at the highest frequency.
    pub(crate) fn fewest_cells_per_wavelength(&self, problem: &Problem) -> f64 {
        let density = |cell: &Cell| problem.wavelength_on(cell.body) / cell.length;
        self.cells.iter().map(density).fold(f64::INFINITY, f64::min)
    }

    /// Points along the outline of a body; the last is the first again if it is closed.
    pub fn outline(&self, body: usize) -> Vec<Point> {
        let mut mine = self.chords.iter().zip(&self.chord_body).filter(|(_, b)| **b == body).map(|(c, _)| c);
        let mut points: Vec<Point> = mine.clone().map(|chord| chord[0]).collect();
        points.extend(mine.next_back().map(|chord| chord[1]));
        points
    }
}

/// Cells of each body: its own count if it has one, otherwise its share of the requested number.
fn cell_counts(problem: &Problem, lengths: &[Vec<f64>]) -> Vec<usize> {
    let is_free = |i: &usize| problem.bodies[*i].cells.is_none();
    let free: Vec<usize> = (0..problem.bodies.len()).filter(is_free).collect();
    let shares = match problem.cells {
        CellCount::Total(total) => {
            let own: usize = problem.bodies.iter().filter_map(|body| body.cells).sum();
            let lengths: Vec<f64> = free.iter().map(|&i| lengths[i].iter().sum()).collect();
            apportion(total - own, &lengths)
        }
        CellCount::PerWavelength(density) => {
            // Each segment separately, so that none is coarser than requested. The tolerance keeps a segment of exactly n cell
            // lengths from getting n + 1 cells by rounding.
            let of_segment =
                |i: usize, s: &f64| (s * density / problem.wavelength_on(i) - 1e-6).ceil().max(1.0) as usize;
            free.iter().map(|&i| lengths[i].iter().map(|s| of_segment(i, s)).sum()).collect()
        }
    };
    let mut counts: Vec<usize> = problem.bodies.iter().map(|body| body.cells.unwrap_or(0)).collect();
    for (i, share) in free.into_iter().zip(shares) {
        counts[i] = share.max(MIN_CELLS);
    }
    counts
}
