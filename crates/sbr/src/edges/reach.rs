//! How far a face goes on from its edge.

use super::wedge::conducts;
use crate::cpu::Scene;
use glam::DVec3;
use phasefront_mesh::{Edges, SMOOTH_ANGLE, TriangleMesh};

/// Triangles that a way over a face may cross. One that crosses more is taken for endless.
const MOST_CROSSED: usize = 10_000;
/// Where a face ends: at a sharp edge, at a rim, or where it is coated.
const END: u32 = u32::MAX;

/// The triangles, as ways over smooth faces of a conductor see them.
pub(super) struct Faces {
    corners: Vec<[DVec3; 3]>,
    normals: Vec<DVec3>,
    /// For each half-edge, 3 × triangle + corner, the one on the other side, or `END`.
    beyond: Vec<u32>,
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
        let corners = |t: usize| mesh.corners(t).map(|corner| DVec3::from(corner) - scene.middle);
        let count = mesh.triangles.len();
        let normals: Vec<DVec3> =
            (0..count).map(|t| DVec3::from(mesh.area_vector(t)).normalize_or_zero()).collect();
        let mut beyond = vec![END; 3 * count];
        for edge in Edges::of(mesh).iter() {
            let &[a, b] = edge.halves else { continue };
            let begins = |half: u32| mesh.triangles[half as usize / 3][half as usize % 3];
            let [first, second] = [a, b].map(|half| normals[half as usize / 3]);
            let is_smooth = begins(a) != begins(b) && first.dot(second) > SMOOTH_ANGLE.cos();
            if is_smooth && conducts(mesh, scene, a / 3) && conducts(mesh, scene, b / 3) {
                beyond[a as usize] = b;
                beyond[b as usize] = a;
            }
        }
        Self { corners: (0..count).map(corners).collect(), normals, beyond }
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
            let (distance, side) = self.way_out(half, point, direction)?;
            length += distance;
            point += distance * direction;
            let normal = self.normals[side as usize / 3];
            let edge = self.edge(side)?;
            let out = edge.cross(normal);
            half = self.beyond[side as usize];
            if half == END {
                return Some(Reach { length, slope: -along.dot(out) / direction.dot(out) });
            }
            let on = edge.cross(self.normals[half as usize / 3]);
            let unfolded = |v: DVec3| v.dot(edge) * edge + v.dot(out) * on;
            (direction, along) = (unfolded(direction), unfolded(along));
        }
        None
    }

    /// The side of a triangle by which a way leaves that came in over `half`, and the distance to it.
    fn way_out(&self, half: u32, point: DVec3, direction: DVec3) -> Option<(f64, u32)> {
        let triangle = half / 3;
        let ways = [1, 2].into_iter().filter_map(|next| {
            let side = 3 * triangle + (half + next) % 3;
            let out = self.edge(side)?.cross(self.normals[triangle as usize]);
            let speed = direction.dot(out);
            let corner = self.corners[triangle as usize][side as usize % 3];
            (speed > 0.0).then(|| (((corner - point).dot(out) / speed).max(0.0), side))
        });
        ways.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn edge(&self, half: u32) -> Option<DVec3> {
        let corners = self.corners[half as usize / 3];
        (corners[(half as usize + 1) % 3] - corners[half as usize % 3]).try_normalize()
    }
}
