//! The extent of a face: the distance along the face from an edge to its far end.

use super::wedge::conducts;
use crate::scene::Scene;
use glam::DVec3;
use phasefront_mesh::{Edges, TriangleMesh};

/// Triangles that a path over a face may cross; a face that takes more counts as infinite.
const MAX_CROSSED: usize = 10_000;
/// No neighbor: the face ends at a sharp edge, at a rim, or where a coating starts.
const END: u32 = u32::MAX;

/// Adjacency of the triangles of smooth conducting faces.
pub(super) struct SmoothFaces {
    /// By half-edge, 3 × triangle + corner.
    sides: Vec<Side>,
}

/// One side of a triangle.
struct Side {
    corner: DVec3,
    /// Unit vector along it, from the corner.
    edge: DVec3,
    /// Outward normal in the plane of the triangle.
    out: DVec3,
    /// The opposite half-edge, or `END`.
    opposite: u32,
}

/// Extent of a face from a point on its edge, along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FaceExtent {
    pub length: f64,
    /// Derivative of the length along the edge.
    pub slope: f64,
}

impl SmoothFaces {
    pub fn new(mesh: &TriangleMesh, scene: &Scene, edge_angle: f64) -> Self {
        let normals: Vec<DVec3> =
            (0..mesh.triangles.len()).map(|t| DVec3::from(mesh.area_vector(t)).normalize_or_zero()).collect();
        let side = |half: usize| {
            let corners = mesh.corners(half / 3).map(|corner| DVec3::from(corner) - scene.center);
            let corner = corners[half % 3];
            let edge = (corners[(half + 1) % 3] - corner).normalize_or_zero();
            Side { corner, edge, out: edge.cross(normals[half / 3]), opposite: END }
        };
        let mut sides: Vec<Side> = (0..3 * mesh.triangles.len()).map(side).collect();
        for edge in Edges::of(mesh).iter() {
            // Rims (one half-edge) and non-manifold edges (three or more) end the face.
            let &[a, b] = edge.halves else { continue };
            let origin = |half: u32| mesh.triangles[half as usize / 3][half as usize % 3];
            let [first, second] = [a, b].map(|half| normals[half as usize / 3]);
            // Equal origins mean opposite orientations of the
            // triangles: their normals cannot be compared.
            let is_smooth = origin(a) != origin(b) && first.dot(second) > edge_angle.cos();
            if is_smooth && conducts(mesh, scene, a / 3) && conducts(mesh, scene, b / 3) {
                sides[a as usize].opposite = b;
                sides[b as usize].opposite = a;
            }
        }
        Self { sides }
    }

    /// The extent from `start` on a half-edge along `direction`, straight on over smooth edges as if the face were unfolded into a
    /// plane (a geodesic). `along` is the direction of the edge, for the slope.
    pub fn extent(
        &self,
        mut half: u32,
        start: DVec3,
        mut direction: DVec3,
        mut along: DVec3,
    ) -> Option<FaceExtent> {
        let (mut point, mut length) = (start, 0.0);
        for _ in 0..MAX_CROSSED {
            let (distance, &Side { edge, out, opposite, .. }) = self.far_side(half, point, direction)?;
            // Rounding may leave the path outside of a triangle; `?` then gives no extent, and the
            // face counts as infinite.
            length += distance;
            point += distance * direction;
            if opposite == END {
                // The end moves along the path by
                // −(along·out)/(direction·out) per unit length of the edge.
                return Some(FaceExtent { length, slope: -along.dot(out) / direction.dot(out) });
            }
            // Unfold about the shared edge: components along it are unchanged, those across
            // continue in the plane of the next triangle.
            let on = -self.sides[opposite as usize].out;
            let unfolded = |v: DVec3| v.dot(edge) * edge + v.dot(out) * on;
            (half, direction, along) = (opposite, unfolded(direction), unfolded(along));
        }
        None
    }

    /// The side through which a path leaves a triangle that it entered over `half`, and the distance to it.
    fn far_side(&self, half: u32, point: DVec3, direction: DVec3) -> Option<(f64, &Side)> {
        let first = half - half % 3;
        let sides = [1, 2].into_iter().filter_map(|next| {
            // The other two sides; the one entered over is behind.
            let side = &self.sides[(first + (half + next) % 3) as usize];
            let speed = direction.dot(side.out);
            // Never negative: a start on the side within rounding must not step back.
            (speed > 0.0).then(|| (((side.corner - point).dot(side.out) / speed).max(0.0), side))
        });
        sides.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::wedge::{Segment, segments};
    use crate::material::Material;
    use crate::problem::Tracer;
    use phasefront_mesh::{SMOOTH_ANGLE, targets};

    fn made(mesh: &TriangleMesh) -> (SmoothFaces, Vec<Segment>) {
        let scene = Scene::new(mesh, &[Material::Conductor], Tracer::Bvh);
        (SmoothFaces::new(mesh, &scene, SMOOTH_ANGLE), segments(mesh, &scene, SMOOTH_ANGLE, 0.3))
    }

    #[test]
    fn extents_on_a_plate_end_at_its_sides() {
        for cells in [[1, 1], [5, 3]] {
            let (faces, segments) = made(&targets::plate([2.0, 1.0], cells).unwrap());
            for segment in segments {
                for face in segment.faces {
                    for angle in [0.2, 1.0, 1.5, 2.5] {
                        let direction = face.x * f64::sin(angle) + face.t * f64::cos(angle);
                        let extent = faces.extent(face.half_edge, segment.center, direction, face.t).unwrap();
                        // Where x = ±1 or y = ±½, whichever is first.
                        let to_side = |at: DVec3| {
                            let x = (direction.x.signum() - at.x) / direction.x;
                            x.min((0.5 * direction.y.signum() - at.y) / direction.y)
                        };
                        assert!((extent.length - to_side(segment.center)).abs() < 1e-12);
                        let step = 1e-6 * face.t;
                        let slope = (to_side(segment.center + step) - to_side(segment.center - step)) / 2e-6;
                        assert!((extent.slope - slope).abs() < 1e-6 * slope.abs().max(1.0));
                    }
                }
            }
        }
    }

    /// The unrolled side of a prism is a rectangle with straight ends.
    #[test]
    fn extents_around_a_cylinder_are_unrolled() {
        let (faces, segments) = made(&targets::cylinder(0.5, 2.0, [3, 40], true).unwrap());
        let mut sides = 0;
        for segment in segments {
            let Some(face) = segment.faces.iter().find(|face| face.x.z.abs() > 0.5) else { continue };
            let direction = face.x * 0.6_f64.sin() + face.t * 0.6_f64.cos();
            let extent = faces.extent(face.half_edge, segment.center, direction, face.t).unwrap();
            assert!((extent.length - 2.0 / 0.6_f64.sin()).abs() < 1e-12 && extent.slope.abs() < 1e-12);
            sides += 1;
        }
        assert_eq!(sides, 80);
    }
}
