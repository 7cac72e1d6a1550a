//! Where the wedges of a target are.

use crate::material::Material;
use crate::scene::Scene;
use glam::DVec3;
use phasefront_mesh::{SMOOTH_ANGLE, TriangleMesh, wedges};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Angles, in radians, that a direction may be inside the metal and still be along a face: what rounding makes of it.
const ALONG_A_FACE: f64 = 1e-9;
/// Most segments of an edge. One that would have more is thousands of wavelengths long, and its shadows are coarser.
const MOST_SEGMENTS: f64 = 10_000.0;

/// One side of a wedge: x into the face and square to the edge, y its outward normal, t = x × y.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub x: DVec3,
    pub y: DVec3,
    pub t: DVec3,
    /// The half-edge of the mesh, 3 × triangle + corner, that it begins at.
    pub half: u32,
}

impl Face {
    fn new(normal: DVec3, along: DVec3, half: u32) -> Self {
        Self { x: normal.cross(along), y: normal, t: along, half }
    }
}

/// A piece of a straight edge of a conductor, in coordinates about the middle of the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Both faces; the second has its t against the first one's, and so both have the metal behind them.
    pub faces: [Face; 2],
    /// N: the angle outside over π.
    pub n: f64,
    /// Whether it is the rim of a sheet: both faces are the two sides of one.
    pub is_rim: bool,
    pub middle: DVec3,
    pub length: f64,
}

impl Segment {
    /// The angle from the first face to a direction, 0 to Nπ, or nothing if the direction leads into the metal.
    pub fn angle(&self, direction: DVec3) -> Option<f64> {
        let face = &self.faces[0];
        let angle = direction.dot(face.y).atan2(direction.dot(face.x));
        let angle = if angle < 0.0 { angle + TAU } else { angle };
        let last = self.n * PI;
        if angle <= last {
            Some(angle)
        } else if angle - last < ALONG_A_FACE {
            Some(last)
        } else {
            (TAU - angle < ALONG_A_FACE).then_some(0.0)
        }
    }

    /// Whether nothing is in the way from here towards `direction`, which is at `angle`. The ray begins `clearance` away from
    /// the edge: on the way itself, or straight above a face that it is along.
    pub fn sees(&self, scene: &Scene, direction: DVec3, angle: f64, clearance: f64) -> bool {
        let (sin, cos) = angle.clamp(FRAC_PI_2, self.n * PI - FRAC_PI_2).sin_cos();
        let away = self.faces[0].x * cos + self.faces[0].y * sin;
        scene.is_free(self.middle + clearance * away, direction)
    }
}

/// All convex edges between conducting faces and all rims of conducting sheets, cut to at most `longest`.
pub(super) fn segments(mesh: &TriangleMesh, scene: &Scene, longest: f64) -> Vec<Segment> {
    let normal = |triangle: u32| DVec3::from(mesh.area_vector(triangle as usize)).try_normalize();
    let conducts = |triangle: u32| conducts(mesh, scene, triangle);
    let mut segments = Vec::new();
    for wedge in wedges(mesh, SMOOTH_ANGLE) {
        let other = wedge.other.unwrap_or(wedge.face);
        if wedge.exterior <= PI || !(conducts(wedge.face) && conducts(other)) {
            continue;
        }
        let [from, to] = wedge.vertices.map(|i| DVec3::from(mesh.vertices[i as usize]) - scene.middle);
        let (Some(first), Some(second), Some(along)) =
            (normal(wedge.face), normal(other), (to - from).try_normalize())
        else {
            continue;
        };
        let is_rim = wedge.other.is_none();
        let half = |triangle: u32| half_between(mesh, triangle, wedge.vertices);
        let faces = [
            Face::new(first, along, half(wedge.face)),
            Face::new(if is_rim { -second } else { second }, -along, half(other)),
        ];
        let count = ((to - from).length() / longest).ceil().clamp(1.0, MOST_SEGMENTS);
        let length = (to - from).length() / count;
        segments.extend((0..count as usize).map(|i| {
            let middle = from + along * (length * (i as f64 + 0.5));
            Segment { faces, n: wedge.exterior / PI, is_rim, middle, length }
        }));
    }
    segments
}

/// Whether a triangle is a bare conductor.
pub(super) fn conducts(mesh: &TriangleMesh, scene: &Scene, triangle: u32) -> bool {
    scene.materials[mesh.groups[triangle as usize] as usize] == Material::Conductor
}

/// The half-edge of a triangle between two of its corners.
fn half_between(mesh: &TriangleMesh, triangle: u32, ends: [u32; 2]) -> u32 {
    let corners = mesh.triangles[triangle as usize];
    // The side after a corner is opposite to the corner before it.
    let opposite = corners.iter().position(|corner| !ends.contains(corner)).unwrap_or(2);
    3 * triangle + (opposite as u32 + 1) % 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Tracer;
    use phasefront_mesh::targets;

    fn made(mesh: &TriangleMesh, longest: f64) -> Vec<Segment> {
        segments(mesh, &Scene::new(mesh, &[Material::Conductor], Tracer::Bvh), longest)
    }

    #[test]
    fn a_box_has_twelve_edges_and_a_corner_reflector_its_rims() {
        let segments = made(&targets::cuboid([3.0, 2.0, 1.0], [2, 1, 1]).unwrap(), 0.6);
        // Edges along x are in two parts of 1.5 m.
        assert_eq!(segments.len(), 4 * (2 * 3 + 4 + 2));
        assert!((segments.iter().map(|segment| segment.length).sum::<f64>() - 24.0).abs() < 1e-12);
        assert!(segments.iter().all(|segment| (segment.n - 1.5).abs() < 1e-12 && !segment.is_rim));
        // The seam of a dihedral is concave.
        let rims = made(&targets::dihedral(1.0, 1.0, [1, 1]).unwrap(), 2.0);
        assert_eq!((rims.len(), rims.iter().all(|rim| rim.is_rim && rim.n == 2.0)), (6, true));
    }

    #[test]
    fn directions_are_outside_or_in_the_metal() {
        for segment in made(&targets::cuboid([3.0, 2.0, 1.0], [1, 1, 1]).unwrap(), 5.0) {
            let [first, second] = segment.faces;
            for (direction, angle) in [
                (first.x, Some(0.0)),
                (first.y, Some(FRAC_PI_2)),
                (-first.x, Some(PI)),
                (second.x, Some(1.5 * PI)),
                (first.x + second.x, None),
                (first.x + 1e-12 * second.x, Some(0.0)),
                (second.x + 1e-12 * first.x, Some(1.5 * PI)),
            ] {
                match (segment.angle(direction), angle) {
                    (Some(ours), Some(angle)) => assert!((ours - angle).abs() < 1e-9),
                    (ours, angle) => assert_eq!(ours, angle),
                }
            }
        }
    }
}
