//! Distances from points to solids and sheets.

use super::polygon::{to_outline, to_polygon, to_segment};
use super::sheet::SheetShape;
use super::solid::{SolidShape, circle};
use crate::triangle::vec3::{Vec3, add, dot, norm, sub};
use std::f64::consts::TAU;

/// Circles of points on a round surface.
const RINGS: usize = 12;

impl SolidShape {
    /// Distance of a point from it, zero inside.
    pub(super) fn distance(&self, point: Vec3) -> f64 {
        match self {
            Self::Box { from, to } => outside(point, [*from, *to]),
            // Between the axis and the rim everything is inside: the distance from the axis less the radius there.
            Self::Cone { ends, radii } => {
                let (along, off) = to_segment(point, *ends);
                let radius = radii[0] + along * (radii[1] - radii[0]);
                let axis = sub(ends[1], ends[0]);
                let beyond = (dot(sub(point, ends[0]), axis) / norm(axis) - along * norm(axis)).abs();
                let across = (off * off - beyond * beyond).max(0.0).sqrt();
                (across - radius).max(0.0).hypot(beyond)
            }
            Self::Sphere { center, radius } => (norm(sub(point, *center)) - radius).max(0.0),
            Self::Torus { center, radius, tube } => {
                let [x, y, z] = sub(point, *center);
                ((x.hypot(y) - radius).hypot(z) - tube).max(0.0)
            }
            Self::Wire { points, radius } => {
                let pieces = points.windows(2).map(|ends| to_segment(point, [ends[0], ends[1]]).1);
                (pieces.fold(f64::INFINITY, f64::min) - radius).max(0.0)
            }
            Self::Extrusion { outline, z } => {
                let flat = [point[0], point[1], 0.0];
                let height = (z[0] - point[2]).max(point[2] - z[1]).max(0.0);
                let corners: Vec<Vec3> = outline.iter().map(|&[x, y]| [x, y, 0.0]).collect();
                let inside = super::solid::in_polygon(outline, [point[0], point[1]]);
                (if inside { 0.0 } else { to_outline(flat, &corners) }).hypot(height)
            }
            Self::Cad(body) if body.contains(point) => 0.0,
            Self::Cad(body) => {
                let triangles = (0..body.surface.triangles.len()).map(|t| body.surface.corners(t));
                triangles.map(|corners| to_polygon(point, &corners)).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Points on its surface, of a solid without edges.
    pub(super) fn surface_points(&self) -> Vec<Vec3> {
        let ring = |i: usize| TAU * i as f64 / RINGS as f64;
        match self {
            Self::Sphere { center, radius } => (0..=RINGS)
                .flat_map(|i| {
                    let (sin, cos) = (0.5 * ring(i)).sin_cos();
                    circle(add(*center, [0.0, 0.0, radius * cos]), [0.0, 0.0, 1.0], radius * sin)
                })
                .collect(),
            Self::Torus { center, radius, tube } => (0..RINGS)
                .flat_map(|i| {
                    let (sin, cos) = ring(i).sin_cos();
                    circle(add(*center, [0.0, 0.0, tube * sin]), [0.0, 0.0, 1.0], radius + tube * cos)
                })
                .collect(),
            Self::Cad(body) => body.surface.vertices.clone(),
            _ => Vec::new(),
        }
    }
}

impl SheetShape {
    /// Distance of a point from it.
    pub(super) fn distance(&self, point: Vec3) -> f64 {
        match self {
            Self::Polygon { corners } => to_polygon(point, corners),
            Self::Disk { center, radius, axis } => {
                let mut off = sub(point, *center);
                let height = std::mem::take(&mut off[*axis]);
                (norm(off) - radius).max(0.0).hypot(height)
            }
            Self::Cad(sheet) => sheet.distance(point),
        }
    }
}

/// Distance from a box.
fn outside(point: Vec3, [low, high]: [Vec3; 2]) -> f64 {
    norm(std::array::from_fn(|k| (low[k] - point[k]).max(point[k] - high[k]).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_geometry() {
        let near = |shape: &SolidShape, point: Vec3, expected: f64| {
            let found = shape.distance(point);
            assert!((found - expected).abs() < 1e-12, "{shape:?} {point:?}: {found}");
        };
        let rod = SolidShape::Cone { ends: [[0.0; 3], [0.0, 0.0, 4.0]], radii: [1.0, 1.0] };
        near(&rod, [3.0, 0.0, 2.0], 2.0);
        near(&rod, [0.5, 0.0, 7.0], 3.0);
        near(&rod, [4.0, 0.0, 8.0], 5.0);
        near(&rod, [0.5, 0.0, 1.0], 0.0);
        let cube = SolidShape::Box { from: [0.0; 3], to: [1.0; 3] };
        near(&cube, [4.0, 5.0, 0.5], 5.0);
        let ring = SolidShape::Torus { center: [0.0; 3], radius: 5.0, tube: 1.0 };
        near(&ring, [0.0; 3], 4.0);
        let triangle =
            SolidShape::Extrusion { outline: vec![[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], z: [0.0, 1.0] };
        near(&triangle, [4.0, 4.0, 0.5], 8.0_f64.sqrt());
        near(&triangle, [1.0, 1.0, 3.0], 2.0);
        let plate = SheetShape::rectangle([0.0, 0.0, 2.0], [1.0, 1.0, 2.0]);
        assert!((plate.distance([0.5, 0.5, 0.0]) - 2.0).abs() < 1e-12);
        assert!((plate.distance([4.0, 0.5, 6.0]) - 5.0).abs() < 1e-12);
    }
}
