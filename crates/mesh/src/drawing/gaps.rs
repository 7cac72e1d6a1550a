//! Narrow gaps between conductors, which get elements across them.

use super::model::Drawing;
use super::sheet::SheetShape;
use super::solid::SolidShape;
use crate::triangle::vec3::{Vec3, add, norm, sub, times};
use std::collections::BTreeMap;

/// Elements across a gap.
const ACROSS: f64 = 2.0;
/// Conductors that are closer than this part of the model's size touch.
const TOUCHING: f64 = 1e-6;
/// Points along an edge at which the width of a gap is measured.
const ALONG: usize = 16;

/// A gap between two conductors: where it is narrow, and how wide it is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    /// The names of the two conductors.
    pub between: [String; 2],
    /// Points in it, with its width there, in meters.
    pub points: Vec<([f64; 3], f64)>,
}

impl Gap {
    /// Its smallest width.
    pub fn width(&self) -> f64 {
        self.points.iter().map(|(_, width)| *width).fold(f64::INFINITY, f64::min)
    }

    /// Points by the element size there, in steps of two.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (Vec<Vec3>, f64)> {
        let mut sizes: BTreeMap<i32, Vec<Vec3>> = BTreeMap::new();
        for &(point, width) in &self.points {
            sizes.entry((width / ACROSS).log2().floor() as i32).or_default().push(point);
        }
        sizes.into_iter().map(|(exponent, points)| (points, 2_f64.powi(exponent)))
    }
}

/// A conductor of a drawing.
#[derive(Clone, Copy)]
enum Conductor<'a> {
    Body(&'a SolidShape),
    Sheet(&'a SheetShape),
}

impl Conductor<'_> {
    /// Points on its edges, or on its surface if it has none.
    fn points(self) -> Vec<Vec3> {
        let lines = match self {
            Self::Body(shape) => shape.edges(),
            Self::Sheet(shape) => vec![shape.edge()],
        };
        if let (true, Self::Body(shape)) = (lines.is_empty(), self) {
            return shape.surface_points();
        }
        let between = |ends: &[Vec3]| {
            let [from, way] = [ends[0], sub(ends[1], ends[0])];
            (0..ALONG).map(move |i| add(from, times(i as f64 / ALONG as f64, way))).collect::<Vec<_>>()
        };
        lines.iter().flat_map(|line| line.windows(2).flat_map(between).collect::<Vec<_>>()).collect()
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
                let [mut points, others] = [(first, second), (second, first)].map(|(from, to)| {
                    from.points().into_iter().map(|p| (p, to.distance(p))).collect::<Vec<_>>()
                });
                // Where two conductors touch, the distance falls to zero along the edge, and no gap is left.
                if points.iter().chain(&others).any(|(_, width)| *width <= TOUCHING * self.diagonal()) {
                    continue;
                }
                points.retain(|(_, width)| *width < sizes[0]);
                points.extend(others.into_iter().filter(|(_, width)| *width < sizes[1]));
                if !points.is_empty() {
                    gaps.push(Gap { between: [name.clone(), other.clone()], points });
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
