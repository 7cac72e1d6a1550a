//! Edge adjacency of triangles.

use super::mesh::TriangleMesh;
use super::vec3::{cross, dot, norm, sub, times};

/// An edge with the triangles that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge<'a> {
    /// Its ends, the lower number first.
    pub vertices: [u32; 2],
    /// Its half-edges: 3t + k runs from corner k of triangle t to the next corner.
    pub halves: &'a [u32],
}

/// All edges of a mesh, ordered by their ends.
///
/// ```
/// use phasefront_mesh::{Edges, targets::plate};
///
/// let edges = Edges::of(&plate([1.0, 1.0], [1, 1]).unwrap());
/// // Two triangles share one of five edges.
/// let shared = edges.iter().filter(|edge| edge.halves.len() == 2).count();
/// assert_eq!((edges.iter().count(), shared), (5, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edges {
    ends: Vec<[u32; 2]>,
    /// Edge `i` has the half-edges from `first[i]` to `first[i + 1]`.
    first: Vec<usize>,
    halves: Vec<u32>,
}

impl Edges {
    /// The edges of a mesh.
    pub fn of(mesh: &TriangleMesh) -> Self {
        let corners = || mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let halves = || corners().map(|[a, b]| [a.min(b), a.max(b)]).zip(0_u32..);
        // Counting sort by the lower end: linear, and the bins of a few edges are then sorted in
        // cache.
        let mut start = vec![0_usize; mesh.vertices.len() + 1];
        for ([low, _], _) in halves() {
            start[low as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut all = vec![([0; 2], 0); 3 * mesh.triangles.len()];
        let mut free = start.clone();
        for (ends, half) in halves() {
            let at = &mut free[ends[0] as usize];
            all[*at] = (ends, half);
            *at += 1;
        }
        for bin in start.windows(2) {
            all[bin[0]..bin[1]].sort_unstable();
        }
        let mut edges = Self { ends: Vec::new(), first: Vec::new(), halves: Vec::with_capacity(all.len()) };
        for (ends, half) in all {
            if edges.ends.last() != Some(&ends) {
                edges.ends.push(ends);
                edges.first.push(edges.halves.len());
            }
            edges.halves.push(half);
        }
        edges.first.push(edges.halves.len());
        edges
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Edge<'_>> {
        let ranges = self.first.windows(2).map(|range| range[0]..range[1]);
        self.ends.iter().zip(ranges).map(|(&vertices, range)| Edge { vertices, halves: &self.halves[range] })
    }

    /// Pairs of half-edges of all edges with exactly two.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        self.iter().filter_map(|edge| edge.halves.try_into().ok())
    }
}

/// Where a half-edge begins and where it ends.
pub(super) fn ends(mesh: &TriangleMesh, half: u32) -> [u32; 2] {
    let triangle = mesh.triangles[half as usize / 3];
    let k = half as usize % 3;
    [triangle[k], triangle[(k + 1) % 3]]
}

/// Signed angle between the normals of two triangles across an edge, in (-π, π): positive where the
/// surface is convex, seen from the side of the normals. Both triangles must have the same winding.
///
/// θ = atan2((n₁ × n₂)·t, n₁·n₂), with t along the edge as the first triangle has it.
pub(super) fn turn(mesh: &TriangleMesh, [first, second]: [u32; 2]) -> f64 {
    let [from, to] = ends(mesh, first).map(|i| mesh.vertices[i as usize]);
    let along = sub(to, from);
    let [n1, n2] = [first, second].map(|half| {
        let normal = mesh.area_vector(half as usize / 3);
        times(norm(normal).recip(), normal)
    });
    // atan2 keeps full precision near 0 and π, where the arc cosine of n₁·n₂ loses half the digits.
    (dot(cross(n1, n2), along) / norm(along)).atan2(dot(n1, n2))
}
