//! The wedges of a target: convex edges and rims, divided into segments.

use crate::material::Material;
use crate::scene::Scene;
use glam::DVec3;
use phasefront_mesh::bvh::Bundle;
use phasefront_mesh::{TriangleMesh, wedges};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Distance within which a rim lies on another facet, relative to the radius of the target and to the length of a segment: that within
/// which meshes are stitched, and small against the triangles around.
const SEAM: f64 = 1e-5;
const SEAM_LENGTH: f64 = 0.01;
/// Angle, rad, by which rounding may move a direction along a face into the wedge.
const GRAZING_TOLERANCE: f64 = 1e-9;
/// Segments of an edge, at most. Longer edges, of thousands of wavelengths, have coarser shadow boundaries.
const MAX_SEGMENTS: f64 = 10_000.0;

/// A face of a wedge: x into the face and perpendicular to the edge, y its outward normal, t = x × y along the edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub x: DVec3,
    pub y: DVec3,
    pub t: DVec3,
    /// The half-edge of the mesh that it starts at, 3 × triangle + corner.
    pub half_edge: u32,
}

impl Face {
    fn new(normal: DVec3, along: DVec3, half_edge: u32) -> Self {
        Self { x: normal.cross(along), y: normal, t: along, half_edge }
    }
}

/// A segment of a straight edge of a conductor, relative to the center of the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Both faces. Their vectors t are opposite, so that both have the conductor on the same side.
    pub faces: [Face; 2],
    /// Wedge index N: the exterior angle over π.
    pub n: f64,
    /// Whether it is the rim of a sheet, whose two sides are the faces.
    pub is_rim: bool,
    pub center: DVec3,
    pub length: f64,
}

impl Segment {
    /// The angle from the first face to a direction, 0 to Nπ; `None` if the direction points into the conductor.
    pub fn angle(&self, direction: DVec3) -> Option<f64> {
        let face = &self.faces[0];
        // atan2 gives −π to π; faces span 0 to Nπ > π.
        let angle = direction.dot(face.y).atan2(direction.dot(face.x));
        let angle = if angle < 0.0 { angle + TAU } else { angle };
        let last = self.n * PI;
        if angle <= last {
            Some(angle)
        } else if angle - last < GRAZING_TOLERANCE {
            Some(last)
        } else {
            // The end of the circle is the first face again.
            (TAU - angle < GRAZING_TOLERANCE).then_some(0.0)
        }
    }

    /// Whether the segment is visible from `direction`, at `angle` to the first face. The visibility ray starts at a distance
    /// `clearance` from the edge: along the direction itself, or above a face that it is parallel to.
    pub fn is_visible(&self, scene: &Scene, direction: DVec3, angle: f64, clearance: f64) -> bool {
        // Offset at 90° or more from both faces (N > 1): the
        // origin is off the faces even for a grazing direction.
        let (sin, cos) = angle.clamp(FRAC_PI_2, self.n * PI - FRAC_PI_2).sin_cos();
        let away = self.faces[0].x * cos + self.faces[0].y * sin;
        scene.is_unobstructed(self.center + clearance * away, direction)
    }
}

/// All convex edges between conducting faces over which the surface turns by `angle` or more, and all rims of conducting sheets, in
/// segments of at most `longest`.
pub(super) fn segments(mesh: &TriangleMesh, scene: &Scene, angle: f64, longest: f64) -> Vec<Segment> {
    let normal = |triangle: u32| DVec3::from(mesh.area_vector(triangle as usize)).try_normalize();
    let conducts = |triangle: u32| conducts(mesh, scene, triangle);
    let mut segments = Vec::new();
    for wedge in wedges(mesh, angle) {
        let other = wedge.other.unwrap_or(wedge.face);
        // Concave edges have no fringe current of their
        // own here: their rays are multiple reflections.
        if wedge.exterior <= PI || !(conducts(wedge.face) && conducts(other)) {
            continue;
        }
        let [from, to] = wedge.vertices.map(|i| DVec3::from(mesh.vertices[i as usize]) - scene.center);
        let (Some(first), Some(second), Some(along)) =
            (normal(wedge.face), normal(other), (to - from).try_normalize())
        else {
            continue;
        };
        let is_rim = wedge.other.is_none();
        let half_edge = |triangle: u32| half_edge_between(mesh, triangle, wedge.vertices);
        let faces = [
            Face::new(first, along, half_edge(wedge.face)),
            // The second side of a sheet has the opposite normal.
            Face::new(if is_rim { -second } else { second }, -along, half_edge(other)),
        ];
        // Equal segments, none longer than `longest`.
        let count = ((to - from).length() / longest).ceil().clamp(1.0, MAX_SEGMENTS);
        let length = (to - from).length() / count;
        let segment = |i: usize| {
            let center = from + along * (length * (i as f64 + 0.5));
            Segment { faces, n: wedge.exterior / PI, is_rim, center, length }
        };
        // A rim that lies on another facet is a seam: the surface does not end there.
        let is_edge = |segment: &Segment| !(is_rim && lies_on_another(scene, segment, wedge.face));
        segments.extend((0..count as usize).map(segment).filter(is_edge));
    }
    segments
}

/// Whether the center of a segment lies on a facet other than that of its own triangle.
fn lies_on_another(scene: &Scene, segment: &Segment, triangle: u32) -> bool {
    let (center, tolerance) = (segment.center, (SEAM * scene.radius).min(SEAM_LENGTH * segment.length));
    let mut found = false;
    let [low, high] = [center - tolerance, center + tolerance].map(|corner| corner.to_array());
    scene.tree.bundle(&Bundle { axes: [DVec3::X, DVec3::Y, DVec3::Z], low, high }, |index| {
        let facet = &scene.facets[index as usize];
        found |= facet.triangle != triangle && facet.is_near(center, tolerance);
        if found { f64::NEG_INFINITY } else { high[2] }
    });
    found
}

/// Whether a triangle is a bare conductor.
pub(super) fn conducts(mesh: &TriangleMesh, scene: &Scene, triangle: u32) -> bool {
    scene.materials[mesh.groups[triangle as usize] as usize] == Material::Conductor
}

/// The half-edge of a triangle between two of its corners.
fn half_edge_between(mesh: &TriangleMesh, triangle: u32, ends: [u32; 2]) -> u32 {
    let corners = mesh.triangles[triangle as usize];
    // The side that starts at a corner is opposite to the previous corner.
    let opposite = corners.iter().position(|corner| !ends.contains(corner)).unwrap_or(2);
    3 * triangle + (opposite as u32 + 1) % 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Tracer;
    use phasefront_mesh::{SMOOTH_ANGLE, targets};

    fn made(mesh: &TriangleMesh, longest: f64) -> Vec<Segment> {
        segments(mesh, &Scene::new(mesh, &[Material::Conductor], Tracer::Bvh), SMOOTH_ANGLE, longest)
    }

    #[test]
    fn a_box_has_twelve_edges_and_a_corner_reflector_its_rims() {
        let segments = made(&targets::cuboid([3.0, 2.0, 1.0], [2, 1, 1]).unwrap(), 0.6);
        // Edges along x are divided twice: 1.5 m per mesh edge.
        assert_eq!(segments.len(), 4 * (2 * 3 + 4 + 2));
        assert!((segments.iter().map(|segment| segment.length).sum::<f64>() - 24.0).abs() < 1e-12);
        assert!(segments.iter().all(|segment| (segment.n - 1.5).abs() < 1e-12 && !segment.is_rim));
        // The inner edge of a dihedral is concave.
        let rims = made(&targets::dihedral(1.0, 1.0, [1, 1]).unwrap(), 2.0);
        assert_eq!((rims.len(), rims.iter().all(|rim| rim.is_rim && rim.n == 2.0)), (6, true));
    }

    #[test]
    fn directions_are_outside_or_inside_the_conductor() {
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
