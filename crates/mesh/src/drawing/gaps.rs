//! Narrow gaps between conductors, which get elements across them.

use super::model::Drawing;
use super::sheet::SheetShape;
use super::solid::SolidShape;
use crate::triangle::vec3::{Vec3, add, norm, sub, times};
use std::collections::BTreeMap;

/// Conductors that are closer than this part of the model's size touch.
const TOUCHING: f64 = 1e-6;
/// Pieces of the edges of a conductor at which the width of a gap is measured, if they are not shorter by themselves.
const PIECES: f64 = 500.0;

/// A gap between two conductors: where it is narrow, and how wide it is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// The names of the two conductors.
    pub between: [String; 2],
    /// Pieces of edges along it, with its width there, in meters.
    pub pieces: Vec<([[f64; 3]; 2], f64)>,
}

impl Gap {
    /// Its smallest width.
    pub fn width(&self) -> f64 {
        self.pieces.iter().map(|(_, width)| *width).fold(f64::INFINITY, f64::min)
    }

    /// Lines by the element size there, with so many elements across, in steps of two.
    pub(super) fn sizes(&self, across: f64) -> impl Iterator<Item = (Vec<Vec<Vec3>>, f64)> {
        let mut sizes: BTreeMap<i32, Vec<Vec<Vec3>>> = BTreeMap::new();
        for (ends, width) in &self.pieces {
            sizes.entry((width / across).log2().floor() as i32).or_default().push(ends.to_vec());
        }
        sizes.into_iter().map(|(exponent, lines)| (lines, 2_f64.powi(exponent)))
    }
}

/// A conductor of a drawing.
#[derive(Clone, Copy)]
enum Conductor<'a> {
    Body(&'a SolidShape),
    Sheet(&'a SheetShape),
}

impl Conductor<'_> {
    /// Pieces of its edges; points of its surface if it has none.
    fn pieces(self) -> Vec<[Vec3; 2]> {
        let lines = match self {
            Self::Body(shape) => shape.edges(),
            Self::Sheet(shape) => shape.edges(),
        };
        if let (true, Self::Body(shape)) = (lines.is_empty(), self) {
            return shape.surface_points().into_iter().map(|point| [point, point]).collect();
        }
        let segments: Vec<[Vec3; 2]> =
            lines.iter().flat_map(|line| line.windows(2).map(|ends| [ends[0], ends[1]])).collect();
        let step = segments.iter().map(|[from, to]| norm(sub(*to, *from))).sum::<f64>() / PIECES;
        let divided = |[from, to]: [Vec3; 2]| {
            let way = sub(to, from);
            let count = (norm(way) / step).ceil().max(1.0) as usize;
            let at = move |i: usize| add(from, times(i as f64 / count as f64, way));
            (0..count).map(move |i| [at(i), at(i + 1)])
        };
        segments.into_iter().flat_map(divided).collect()
    }

    /// Pieces of its edges that are closer to another conductor than `limit`, with the distance: the smallest of ends and middle.
    fn close_to(self, other: Conductor<'_>, limit: f64) -> Vec<([Vec3; 2], f64)> {
        let bounds = other.bounds();
        let width = |[from, to]: [Vec3; 2]| {
            let middle = times(0.5, add(from, to));
            // The box around a body is known at once; its triangles may be many.
            let is_near = |point: &Vec3| apart([*point; 2], bounds) < limit;
            let near = [from, middle, to].into_iter().filter(is_near);
            near.map(|point| other.distance(point)).fold(f64::INFINITY, f64::min)
        };
        let pieces = self.pieces().into_iter().map(|piece| (piece, width(piece)));
        pieces.filter(|(_, width)| *width < limit).collect()
    }

    fn distance(self, point: Vec3) -> f64 {
        match self {
            Self::Body(shape) => shape.distance(point),
            Self::Sheet(shape) => shape.distance(point),
        }
    }

    fn bounds(self) -> [Vec3; 2] {
        match self {
            Self::Body(shape) => shape.bounds(),
            Self::Sheet(shape) => shape.bounds(),
        }
    }
}

impl Drawing {
    /// The narrow gaps between conductors.
    pub fn gaps(&self) -> Vec<Gap> {
        let bodies = self.solids.iter().filter(|solid| solid.is_body);
        let bodies = bodies.map(|solid| (&solid.name, Conductor::Body(&solid.shape), solid.edge_size));
        let sheets = self.sheets.iter().filter(|sheet| sheet.is_conductor);
        let sheets = sheets.map(|sheet| (&sheet.name, Conductor::Sheet(&sheet.shape), sheet.edge_size));
        let all: Vec<_> = bodies.chain(sheets).collect();
        let mut gaps = Vec::new();
        for (i, &(name, first, size)) in all.iter().enumerate() {
            for &(other, second, other_size) in &all[i + 1..] {
                // A gap is narrow if elements at the edges along it are longer than it is wide.
                let sizes = [size, other_size].map(|size| size.min(self.cell_size));
                if apart(first.bounds(), second.bounds()) >= sizes[0].max(sizes[1]) {
                    continue;
                }
                let mut pieces =
                    [first.close_to(second, sizes[0]), second.close_to(first, sizes[1])].concat();
                // Where two conductors touch, the distance falls to zero along the edge, and no gap is left.
                if pieces.iter().any(|(_, width)| *width <= TOUCHING * self.diagonal()) {
                    pieces.clear();
                }
                if !pieces.is_empty() {
                    gaps.push(Gap { between: [name.clone(), other.clone()], pieces });
                }
            }
        }
        gaps
    }
}

/// Distance between two boxes.
fn apart(a: [Vec3; 2], b: [Vec3; 2]) -> f64 {
    norm(std::array::from_fn(|k| (b[0][k] - a[1][k]).max(a[0][k] - b[1][k]).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{DrawnSheet, Planes, Space};

    /// Two strips of 10 mm by 100 mm in one plane, this far apart.
    fn strips(gap: f64) -> Drawing {
        let strip = |name: &str, x: f64| DrawnSheet {
            name: name.into(),
            shape: SheetShape::rectangle([x, 0.0, 0.0], [x + 0.01, 0.1, 0.0]),
            is_conductor: true,
            edge_size: 2.5e-3,
        };
        Drawing {
            files: Vec::new(),
            solids: Vec::new(),
            sheets: vec![strip("a", 0.0), strip("b", 0.01 + gap)],
            space: Some(Space { air: 0.1, pml: 0.1 }),
            planes: Planes::default(),
            cell_size: 0.05,
            across_gaps: 2.0,
            wires: Vec::new(),
            wire_size: 1.0,
            refinements: Vec::new(),
            views: Vec::new(),
        }
    }

    #[test]
    fn a_gap_is_found_along_both_edges() {
        let gaps = strips(1e-3).gaps();
        assert_eq!((gaps.len(), gaps[0].between.clone()), (1, ["a".into(), "b".into()]));
        assert!((gaps[0].width() - 1e-3).abs() < 1e-12);
        let [narrow, wide]: [f64; 2] = [1.0 + 1e-9, 2.0].map(|limit| {
            let near = gaps[0].pieces.iter().filter(|(_, width)| *width < limit * 1e-3);
            near.map(|([from, to], _)| norm(sub(*to, *from))).sum()
        });
        // Two long sides of 100 mm, and of four short ones what is closer than twice the gap.
        assert!((narrow - 0.2).abs() < 2e-3, "{narrow}");
        assert!((wide - 0.204).abs() < 2e-3, "{wide}");
        // Two elements across, or more.
        assert!(gaps[0].sizes(2.0).all(|(_, size)| size <= 0.5 * 2.5e-3));
    }

    #[test]
    fn wide_gaps_and_contacts_are_none() {
        assert_eq!(strips(3e-3).gaps(), []);
        assert_eq!(strips(0.0).gaps(), []);
    }
}
