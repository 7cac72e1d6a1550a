//! Properties of a surface mesh: shells, holes, non-manifold edges.

use super::edges::{Edges, ends};
use super::mesh::TriangleMesh;
use super::vec3::{norm, sub};
use super::winding::Winding;
use std::collections::BTreeMap;

/// What [`crate::repair`] found.
///
/// ```
/// use phasefront_mesh::{WELD_TOLERANCE, repair, targets::cylinder};
///
/// let pipe = cylinder(0.5, 1.0, [2, 36], false).unwrap();
/// let report = repair(pipe, WELD_TOLERANCE).unwrap().report;
/// assert_eq!((report.shells, report.closed_shells), (1, 0));
/// assert_eq!(report.holes.iter().map(|hole| hole.edges).collect::<Vec<_>>(), [36, 36]);
/// assert_eq!(report.volume, None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// Triangles left.
    pub triangles: usize,
    /// Vertices left.
    pub vertices: usize,
    /// The lowest and the highest coordinates.
    pub bounds: [[f64; 3]; 2],
    /// The area of all triangles.
    pub area: f64,
    /// The volume inside all shells together, where all are closed. Where shells overlap it counts twice.
    pub volume: Option<f64>,
    /// Connected components over edges of two triangles.
    pub shells: usize,
    /// How many of them are closed.
    pub closed_shells: usize,
    /// Where the surface ends. A sheet has such an edge too.
    pub holes: Vec<Hole>,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges over which the surface is not orientable, as on a Möbius strip.
    pub one_sided_edges: usize,
    /// What was changed.
    pub repairs: Repairs,
}

/// Counts of repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Vertices that were welded to another one, or unused.
    pub vertices: usize,
    /// Degenerate triangles removed.
    pub degenerate: usize,
    /// Neighbors of those that were split, so that no T-junction is left.
    pub cut: usize,
    /// Duplicate triangles removed.
    pub duplicate: usize,
    /// Hanging nodes that were inserted into the edges they lie on.
    pub stitched: usize,
    /// Triangles whose winding was flipped.
    pub flipped: usize,
}

/// A boundary loop: edges of one triangle only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hole {
    /// Number of edges.
    pub edges: usize,
    /// Total length.
    pub length: f64,
    /// One of its vertices, to find it by.
    pub vertex: u32,
}

impl MeshReport {
    pub(super) fn new(mesh: &TriangleMesh, edges: &Edges, winding: &Winding, repairs: Repairs) -> Self {
        Self {
            triangles: mesh.triangles.len(),
            vertices: mesh.vertices.len(),
            bounds: mesh.bounds(),
            area: mesh.area(),
            // The divergence theorem needs closed shells.
            volume: winding.closed.iter().all(|&closed| closed).then(|| mesh.volume()),
            shells: winding.closed.len(),
            closed_shells: winding.closed.iter().filter(|&&closed| closed).count(),
            holes: holes(mesh, edges),
            non_manifold_edges: edges.iter().filter(|edge| edge.halves.len() > 2).count(),
            one_sided_edges: winding.one_sided_edges,
            repairs,
        }
    }
}

/// Edges of one triangle, chained in its direction. Chains that cross at a vertex are separated there arbitrarily.
fn holes(mesh: &TriangleMesh, edges: &Edges) -> Vec<Hole> {
    // An ordered map, so that reports list holes in the same order on every run.
    let mut onward: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.halves.len() == 1) {
        let [from, to] = ends(mesh, edge.halves[0]);
        onward.entry(from).or_default().push(to);
    }
    let mut holes = Vec::new();
    while let Some(&vertex) = onward.keys().next() {
        let mut hole = Hole { edges: 0, length: 0.0, vertex };
        let mut at = vertex;
        // Each boundary edge is consumed once; a loop ends at its first vertex.
        while let Some(next) = take(&mut onward, at) {
            hole.edges += 1;
            hole.length += norm(sub(mesh.vertices[next as usize], mesh.vertices[at as usize]));
            at = next;
            if at == vertex {
                break;
            }
        }
        holes.push(hole);
    }
    holes
}

fn take(onward: &mut BTreeMap<u32, Vec<u32>>, from: u32) -> Option<u32> {
    let there = onward.get_mut(&from)?;
    let next = there.pop();
    if there.is_empty() {
        onward.remove(&from);
    }
    next
}
