//! Edges of volumes that bend around a conductor, such as the inner edge of an L-shaped cavity: fields are singular there, too.

use super::model::{Drawing, DrawnSolid};
use super::solid::SolidShape;
use crate::triangle::vec3::{Vec3, add, cross, norm, sub, times};
use std::f64::consts::TAU;

/// Part of a circle around an edge from which on the field that fills it is singular: 225 degrees, where it grows as r^−0.2 (J. Van
/// Bladel, Singular Electromagnetic Fields and Sources, 1991, chapter 4). At less it is the edge of a curved surface.
const SHARP: f64 = 0.625;
/// Points of that circle.
const POINTS: usize = 24;
/// Its radii, relative to the width of the solid: round edges are polygons, off by a thousandth, and plates may be thinner than the larger
/// one.
const RADII: [f64; 2] = [0.02, 5e-4];
/// Pieces that the edges of a solid are divided into at least.
const PIECES: f64 = 64.0;

impl Drawing {
    /// The edges of a body, and of a volume those that bend around a conductor.
    pub(super) fn singular_edges(&self, solid: usize) -> Vec<Vec<Vec3>> {
        let DrawnSolid { shape, is_body, .. } = &self.solids[solid];
        if *is_body { shape.edges() } else { self.reentrant_edges(shape) }
    }

    /// Whether an element size at the edges of a solid applies to anything.
    pub fn has_singular_edges(&self, solid: usize) -> bool {
        self.solids[solid].is_body || !self.singular_edges(solid).is_empty()
    }

    fn reentrant_edges(&self, shape: &SolidShape) -> Vec<Vec<Vec3>> {
        // Without conductors there is nothing to bend around.
        if self.space.is_some() && !self.solids.iter().any(|solid| solid.is_body) {
            return Vec::new();
        }
        let lines = shape.edges();
        let segments = || lines.iter().flat_map(|line| line.windows(2));
        let step = segments().map(|ends| norm(sub(ends[1], ends[0]))).sum::<f64>() / PIECES;
        let mut found: Vec<Vec<Vec3>> = Vec::new();
        for ends in segments() {
            let way = sub(ends[1], ends[0]);
            let count = (norm(way) / step).ceil().max(1.0) as usize;
            let at = |i: usize| add(ends[0], times(i as f64 / count as f64, way));
            for piece in (0..count).map(|i| [at(i), at(i + 1)]) {
                if RADII.iter().any(|radius| self.is_reentrant(piece, radius * shape.width())) {
                    match found.last_mut().filter(|line| line.last() == Some(&piece[0])) {
                        Some(line) => line.push(piece[1]),
                        None => found.push(piece.to_vec()),
                    }
                }
            }
        }
        found
    }

    /// Whether fields fill a large part of a circle around the middle of a piece of an edge, and a conductor the rest.
    fn is_reentrant(&self, [from, to]: [Vec3; 2], radius: f64) -> bool {
        let axis = sub(to, from);
        // Perpendicular to the axis that is least along it.
        let least = (0..3).min_by(|&a, &b| axis[a].abs().total_cmp(&axis[b].abs())).unwrap_or(0);
        let u = cross(axis, std::array::from_fn(|k| f64::from(u8::from(k == least))));
        let v = cross(axis, u);
        let [u, v] = [u, v].map(|arm| times(radius / norm(arm).max(f64::MIN_POSITIVE), arm));
        let middle = times(0.5, add(from, to));
        let filled = (0..POINTS).filter(|i| {
            // Between the directions of faces along the axes.
            let (sin, cos) = (TAU * (*i as f64 + 0.5) / POINTS as f64).sin_cos();
            self.has_field(add(middle, add(times(cos, u), times(sin, v))))
        });
        let part = filled.count() as f64 / POINTS as f64;
        part > SHARP && part < 1.0
    }

    /// Whether waves propagate at a point: the last solid there is no body, or there is air. Outside of a closed model are its walls.
    fn has_field(&self, point: Vec3) -> bool {
        let is_at = |solid: &&DrawnSolid| {
            let [low, high] = solid.shape.bounds();
            (0..3).all(|k| low[k] <= point[k] && point[k] <= high[k]) && solid.shape.contains(point)
        };
        self.solids.iter().rev().find(is_at).map_or(self.space.is_some(), |solid| !solid.is_body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{Planes, Space};

    fn model(solids: &[(bool, SolidShape)], space: Option<Space>) -> Drawing {
        let solid = |(is_body, shape): &(bool, SolidShape)| DrawnSolid {
            name: "a".into(),
            shape: shape.clone(),
            is_body: *is_body,
            cell_size: 1.0,
            edge_size: 0.1,
        };
        Drawing {
            files: Vec::new(),
            solids: solids.iter().map(solid).collect(),
            sheets: Vec::new(),
            space,
            planes: Planes::default(),
            cell_size: 1.0,
            across_gaps: 2.0,
            refinements: Vec::new(),
            views: Vec::new(),
        }
    }

    fn cuboid(from: [f64; 3], to: [f64; 3]) -> SolidShape {
        SolidShape::Box { from, to }
    }

    fn length(lines: &[Vec<Vec3>]) -> f64 {
        lines.iter().flat_map(|line| line.windows(2)).map(|ends| norm(sub(ends[1], ends[0]))).sum()
    }

    const AIR: Option<Space> = Some(Space { air: 1.0, pml: 1.0 });

    #[test]
    fn the_inner_edge_of_an_l_is_found() {
        let outline = vec![[-2.0, -2.0], [2.0, -2.0], [2.0, 0.0], [0.0, 0.0], [0.0, 2.0], [-2.0, 2.0]];
        let l = SolidShape::Extrusion { outline, z: [0.0, 3.0] };
        let found = model(&[(false, l)], None).singular_edges(0);
        assert!(found.iter().flatten().all(|[x, y, _]| x.hypot(*y) < 1e-12), "{found:?}");
        assert!((length(&found) - 3.0).abs() < 1e-12, "{found:?}");
        // The same of two boxes: it is an edge of the second one, and of the first a point of a longer one.
        let two = [cuboid([-2.0, -2.0, 0.0], [2.0, 0.0, 3.0]), cuboid([-2.0, 0.0, 0.0], [0.0, 2.0, 3.0])];
        let two = model(&two.map(|shape| (false, shape)), None);
        assert_eq!(two.singular_edges(0), [[[0.0; 3]; 0]; 0]);
        assert!((length(&two.singular_edges(1)) - 3.0).abs() < 1e-12);
        assert!(!two.has_singular_edges(0) && two.has_singular_edges(1));
    }

    #[test]
    fn the_rim_of_a_hole_in_a_body_is_found() {
        let body = cuboid([-2.0, -2.0, -2.0], [2.0, 2.0, 0.0]);
        let hole = SolidShape::Cone { ends: [[0.0, 0.0, -1.0], [0.0; 3]], radii: [0.5; 2] };
        let found = model(&[(true, body.clone()), (false, hole.clone())], AIR).singular_edges(1);
        assert!((length(&found) - 0.5 * TAU).abs() < 2e-3 && found.iter().flatten().all(|p| p[2] == 0.0));
        // A body that covers the hole leaves nothing of it; a box around is no edge.
        assert_eq!(model(&[(false, hole.clone()), (true, body)], AIR).singular_edges(0), [[[0.0; 3]; 0]; 0]);
        let ball = SolidShape::Sphere { center: [0.0, 0.0, 5.0], radius: 1.0 };
        assert_eq!(model(&[(false, hole), (true, ball)], AIR).singular_edges(0), [[[0.0; 3]; 0]; 0]);
    }

    #[test]
    fn thin_irises_are_found() {
        // A guide of 2 by 1 with an iris, 1e-3 thick, from one side to the middle.
        let outline = vec![
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 1.0],
            [2.501, 1.0],
            [2.501, 0.5],
            [2.5, 0.5],
            [2.5, 1.0],
            [0.0, 1.0],
        ];
        let guide = SolidShape::Extrusion { outline, z: [0.0, 2.0] };
        let found = model(&[(false, guide)], None).singular_edges(0);
        assert!(found.iter().flatten().all(|[_, y, _]| *y == 0.5), "{found:?}");
        assert!(length(&found) > 4.0 - 1e-9, "{found:?}");
    }
}
