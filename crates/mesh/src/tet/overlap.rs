//! Non-conformal meshes: boundary faces that overlap.
//!
//! At a hanging node, where the diagonals of two sides cross, and where volumes were meshed
//! separately, two boundary faces are coplanar and share an area. Elsewhere boundary faces meet in
//! edges and corners at most.

use super::faces::FaceTable;
use super::mesh::{TetMesh, position_in_meters};
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};

/// Relative to the longest edge: corners within this distance of a plane lie in it, and faces that
/// overlap by less only touch. Files have seven digits or more.
const NEAR: f64 = 1e-6;

/// Sets of at most this many faces are compared pair by pair.
const FEW: usize = 24;

pub(super) const ADVICE: &str = "make the volumes parts of one model before meshing: Coherence in a .geo file, occ.fragment in the API of Gmsh";

struct Face {
    id: (usize, usize),
    corners: [Vec3; 3],
    /// Its bounding box, enlarged by the tolerance.
    low: Vec3,
    high: Vec3,
    longest: f64,
}

impl TetMesh {
    /// Refuses boundary faces that overlap, and corners on curved edges.
    pub(super) fn check_conforming(&self, faces: &FaceTable) -> Result<(), MeshError> {
        self.check_middles()?;
        let all: Vec<Face> = faces.boundary().map(|id| Face::new(self, id)).collect();
        let set = (0..all.len() as u32).collect();
        search(&all, set, &mut |a, b| if a.overlaps(b) { Err(self.overlap(b, a)) } else { Ok(()) })
    }

    /// Hanging nodes of curved faces: a face that is split on one side only is not coplanar with
    /// its parts, but its mid-edge nodes are corners of theirs.
    fn check_middles(&self) -> Result<(), MeshError> {
        let mut corner = vec![false; self.nodes.len()];
        for &node in self.tets.as_flattened() {
            corner[node as usize] = true;
        }
        match self.middles.as_flattened().iter().find(|&&node| corner[node as usize]) {
            Some(&node) => Err(MeshError::geometry(
                format!(
                    "a node hangs at {}: it is the middle of an edge of one tetrahedron and a corner of another",
                    position_in_meters(self.nodes[node as usize])
                ),
                ADVICE,
            )),
            None => Ok(()),
        }
    }

    fn overlap(&self, a: &Face, b: &Face) -> MeshError {
        let [mine, other] = [a.id.0 + 1, b.id.0 + 1];
        let near = NEAR * a.longest.max(b.longest);
        let on = |face: &Face, corner: &Vec3| {
            face.corners.iter().all(|c| norm(sub(*c, *corner)) > near) && face.holds(*corner, near)
        };
        // Three causes have different remedies: coincident faces, a hanging node, crossing
        // diagonals.
        let hanging = a.corners.iter().find(|c| on(b, c)).or_else(|| b.corners.iter().find(|c| on(a, c)));
        let same = a.corners.iter().all(|c| b.corners.iter().any(|d| norm(sub(*c, *d)) <= near));
        let middle = position_in_meters(self.middle_of(a.id));
        let problem = match hanging {
            _ if same => format!(
                "faces of the tetrahedra {mine} and {other}, at {middle}, lie on each other without sharing their nodes"
            ),
            Some(&node) => {
                format!(
                    "a node hangs on a face, at {}, between the tetrahedra {mine} and {other}",
                    position_in_meters(node)
                )
            }
            None => {
                format!(
                    "faces of the tetrahedra {mine} and {other}, at {middle}, overlap without being the same"
                )
            }
        };
        MeshError::geometry(problem, ADVICE)
    }
}

impl Face {
    fn new(mesh: &TetMesh, id: (usize, usize)) -> Self {
        let corners = mesh.face_corners(id.0, id.1);
        let [a, b, c] = corners;
        let longest = [sub(b, a), sub(c, b), sub(a, c)].map(norm).into_iter().fold(0.0, f64::max);
        let extreme = |pick: fn(f64, f64) -> f64| [0, 1, 2].map(|k| pick(pick(a[k], b[k]), c[k]));
        // The boxes must contain the tolerance, or touching faces would be culled before the test.
        let wide = [NEAR * longest; 3];
        Self { id, corners, low: sub(extreme(f64::min), wide), high: add(extreme(f64::max), wide), longest }
    }

    fn normal(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        let normal = cross(sub(b, a), sub(c, a));
        times(norm(normal).recip(), normal)
    }

    /// Directions in the plane of the face, across its edges and outward.
    fn sides(&self) -> [(Vec3, Vec3); 3] {
        let normal = self.normal();
        [0, 1, 2].map(|i| {
            let (from, to) = (self.corners[i], self.corners[(i + 1) % 3]);
            let out = cross(sub(to, from), normal);
            (from, times(norm(out).recip(), out))
        })
    }

    /// Whether a point of the face's plane is in the face or on its edge.
    fn holds(&self, point: Vec3, near: f64) -> bool {
        self.sides().iter().all(|&(from, out)| dot(sub(point, from), out) <= near)
    }

    /// Whether two faces are coplanar and no edge of either separates them: the separating axis
    /// test of convex polygons.
    fn overlaps(&self, other: &Self) -> bool {
        let near = NEAR * self.longest.max(other.longest);
        let normal = self.normal();
        let off = |corner: &Vec3| dot(sub(*corner, self.corners[0]), normal).abs() > near;
        if other.corners.iter().any(off) {
            return false;
        }
        // The tolerance for touching follows the smaller face, that for coplanarity the larger.
        let touching = NEAR * self.longest.min(other.longest);
        let beyond = |one: &Self, two: &Self| {
            let all_beyond =
                |(from, out): (Vec3, Vec3)| two.corners.iter().all(|c| dot(sub(*c, from), out) >= -touching);
            one.sides().into_iter().any(all_beyond)
        };
        !beyond(self, other) && !beyond(other, self)
    }

    fn box_meets(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

/// Calls `visit` for all pairs whose boxes overlap, some of them repeatedly: a set is bisected as
/// long as that saves work, and faces that straddle the cut are in both halves.
fn search(
    all: &[Face],
    set: Vec<u32>,
    visit: &mut impl FnMut(&Face, &Face) -> Result<(), MeshError>,
) -> Result<(), MeshError> {
    let halves = if set.len() > FEW { (0..3).find_map(|axis| halves(all, &set, axis)) } else { None };
    if let Some([lower, upper]) = halves {
        // Freed before the recursion, which would otherwise hold the sets of all levels.
        drop(set);
        search(all, lower, visit)?;
        return search(all, upper, visit);
    }
    let face = |&i: &u32| &all[i as usize];
    for (position, i) in set.iter().enumerate() {
        // Each unordered pair once; boxes are compared before the costlier test of the faces.
        for j in set[..position].iter().filter(|j| face(i).box_meets(face(j))) {
            visit(face(i), face(j))?;
        }
    }
    Ok(())
}

/// The faces below and above the median along an axis; none if so many straddle the cut that the
/// number of pairs hardly decreases, as around a node with many faces.
fn halves(all: &[Face], set: &[u32], axis: usize) -> Option<[Vec<u32>; 2]> {
    let face = |&i: &u32| &all[i as usize];
    let mut middles: Vec<f64> = set.iter().map(|i| face(i).low[axis] + face(i).high[axis]).collect();
    let (_, &mut twice, _) = middles.select_nth_unstable_by(set.len() / 2, f64::total_cmp);
    let cut = 0.5 * twice;
    let lower: Vec<u32> = set.iter().copied().filter(|i| face(i).low[axis] <= cut).collect();
    let upper: Vec<u32> = set.iter().copied().filter(|i| face(i).high[axis] >= cut).collect();
    let pairs = |set: &[u32]| (set.len() as f64).powi(2);
    // Bisect only if it saves a fifth of the pairs: this ends the recursion at crowded nodes.
    (pairs(&lower) + pairs(&upper) < 0.8 * pairs(set)).then_some([lower, upper])
}
