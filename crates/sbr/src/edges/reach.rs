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
