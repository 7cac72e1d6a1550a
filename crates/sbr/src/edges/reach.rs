//! How far a face goes on from its edge.

use super::wedge::conducts;
use crate::scene::Scene;
use glam::DVec3;
use phasefront_mesh::{Edges, SMOOTH_ANGLE, TriangleMesh};

/// Triangles that a way over a face may cross. One that crosses more is taken for endless.
const MOST_CROSSED: usize = 10_000;
/// Where a face ends: at a sharp edge, at a rim, or where it is coated.
const END: u32 = u32::MAX;

/// The sides of triangles, as ways over smooth faces of a conductor cross them.
pub(super) struct Faces {
    /// By half-edge: 3 × triangle + corner.
    sides: Vec<Side>,
}

/// One side of a triangle.
struct Side {
    corner: DVec3,
    /// Along it, from the corner on.
    edge: DVec3,
    /// Out of the triangle, in its plane.
    out: DVec3,
    /// The half-edge on its other side, or `END`.
    beyond: u32,
}

/// The way from an edge to the far end of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reach {
    pub length: f64,
    /// By how much the length changes along the edge.
    pub slope: f64,
}

impl Faces {
    pub fn new(mesh: &TriangleMesh, scene: &Scene) -> Self {
        let normals: Vec<DVec3> =
            (0..mesh.triangles.len()).map(|t| DVec3::from(mesh.area_vector(t)).normalize_or_zero()).collect();
        let side = |half: usize| {
            let corners = mesh.corners(half / 3).map(|corner| DVec3::from(corner) - scene.middle);
            let corner = corners[half % 3];
            let edge = (corners[(half + 1) % 3] - corner).normalize_or_zero();
            Side { corner, edge, out: edge.cross(normals[half / 3]), beyond: END }
        };
        let mut sides: Vec<Side> = (0..3 * mesh.triangles.len()).map(side).collect();
        for edge in Edges::of(mesh).iter() {
            let &[a, b] = edge.halves else { continue };
            let begins = |half: u32| mesh.triangles[half as usize / 3][half as usize % 3];
            let [first, second] = [a, b].map(|half| normals[half as usize / 3]);
            let is_smooth = begins(a) != begins(b) && first.dot(second) > SMOOTH_ANGLE.cos();
            if is_smooth && conducts(mesh, scene, a / 3) && conducts(mesh, scene, b / 3) {
                sides[a as usize].beyond = b;
                sides[b as usize].beyond = a;
            }
        }
        Self { sides }
    }

    /// From `start` on a half-edge into its triangle and straight on, over smooth edges as if they were unfolded. `along` is
    /// the direction of the edge in which the slope is wanted.
    pub fn reach(
        &self,
        mut half: u32,
        start: DVec3,
        mut direction: DVec3,
        mut along: DVec3,
    ) -> Option<Reach> {
        let (mut point, mut length) = (start, 0.0);
        for _ in 0..MOST_CROSSED {
            let (distance, &Side { edge, out, beyond, .. }) = self.way_out(half, point, direction)?;
            length += distance;
            point += distance * direction;
            if beyond == END {
                return Some(Reach { length, slope: -along.dot(out) / direction.dot(out) });
            }
            let on = -self.sides[beyond as usize].out;
            let unfolded = |v: DVec3| v.dot(edge) * edge + v.dot(out) * on;
            (half, direction, along) = (beyond, unfolded(direction), unfolded(along));
        }
        None
    }

    /// The side of a triangle by which a way leaves that came in over `half`, and the distance to it.
    fn way_out(&self, half: u32, point: DVec3, direction: DVec3) -> Option<(f64, &Side)> {
        let first = half - half % 3;
        let ways = [1, 2].into_iter().filter_map(|next| {
            let side = &self.sides[(first + (half + next) % 3) as usize];
            let speed = direction.dot(side.out);
            (speed > 0.0).then(|| (((side.corner - point).dot(side.out) / speed).max(0.0), side))
        });
        ways.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::wedge::{Segment, segments};
    use crate::material::Material;
    use crate::problem::Tracer;
    use phasefront_mesh::targets;

    fn made(mesh: &TriangleMesh) -> (Faces, Vec<Segment>) {
        let scene = Scene::new(mesh, &[Material::Conductor], Tracer::Bvh);
        (Faces::new(mesh, &scene), segments(mesh, &scene, 0.3))
    }

    #[test]
    fn ways_over_a_plate_end_at_its_sides() {
        for cells in [[1, 1], [5, 3]] {
            let (faces, segments) = made(&targets::plate([2.0, 1.0], cells).unwrap());
            for segment in segments {
                for face in segment.faces {
                    for angle in [0.2, 1.0, 1.5, 2.5] {
                        let direction = face.x * f64::sin(angle) + face.t * f64::cos(angle);
                        let reach = faces.reach(face.half, segment.middle, direction, face.t).unwrap();
                        // Where x = ±1 or y = ±½, whichever is first.
                        let to_side = |at: DVec3| {
                            let x = (direction.x.signum() - at.x) / direction.x;
                            x.min((0.5 * direction.y.signum() - at.y) / direction.y)
                        };
                        assert!((reach.length - to_side(segment.middle)).abs() < 1e-12);
                        let step = 1e-6 * face.t;
                        let slope = (to_side(segment.middle + step) - to_side(segment.middle - step)) / 2e-6;
                        assert!((reach.slope - slope).abs() < 1e-6 * slope.abs().max(1.0));
                    }
                }
            }
        }
    }

    /// A prism's side unrolled is a rectangle, and its ends are straight.
    #[test]
    fn ways_around_a_cylinder_are_unrolled() {
        let (faces, segments) = made(&targets::cylinder(0.5, 2.0, [3, 40], true).unwrap());
        let mut sides = 0;
        for segment in segments {
            let Some(face) = segment.faces.iter().find(|face| face.x.z.abs() > 0.5) else { continue };
            let direction = face.x * 0.6_f64.sin() + face.t * 0.6_f64.cos();
            let reach = faces.reach(face.half, segment.middle, direction, face.t).unwrap();
            assert!((reach.length - 2.0 / 0.6_f64.sin()).abs() < 1e-12 && reach.slope.abs() < 1e-12);
            sides += 1;
        }
        assert_eq!(sides, 80);
    }
}
