//! A mesh as a file has it, made into one to compute with.

use super::TriangleMesh;
use super::edges::Edges;
use super::report::MeshReport;
use super::slivers::{Facet, drop_slivers};
use super::vec3::Vec3;
use super::weld::weld;
use super::winding::orient;
use crate::error::MeshError;
use std::collections::HashSet;

/// A mesh that was repaired, and what it is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// What it is like, and what was done to it.
    pub report: MeshReport,
}

/// How much of a mesh was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Vertices that were joined with another one, or that no triangle has.
    pub vertices: usize,
    /// Triangles without area that were dropped.
    pub degenerate: usize,
    /// Cuts through triangles beside those, so that no gap is left.
    pub cut: usize,
    /// Triangles with the corners of another one that were dropped.
    pub duplicate: usize,
    /// Triangles that were turned over.
    pub flipped: usize,
}

/// The largest tolerance that is taken: with more, bodies lose their shape.
const MAX_TOLERANCE: f64 = 0.01;

/// Joins vertices that are `tolerance` times the diagonal of the box apart or less ([`crate::WELD_TOLERANCE`]), drops
/// triangles that are then lower than that, and doubles, winds the triangles of each shell alike and of closed shells
/// outwards, and reports.
///
/// Shells are looked at one by one: normals of a shell inside another one point out of the inner one.
///
/// ```
/// use phasefront_mesh::{MeshFormat, Units, WELD_TOLERANCE, read_triangles, repair};
///
/// let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
/// let import = read_triangles(text.as_bytes(), MeshFormat::Obj, Units::Meters).unwrap();
/// let repaired = repair(import.mesh, WELD_TOLERANCE).unwrap();
/// // A tetrahedron, with one face inside out.
/// assert_eq!(repaired.report.repairs.flipped, 1);
/// assert_eq!(repaired.report.closed_shells, 1);
/// assert!((repaired.mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
/// ```
pub fn repair(mesh: TriangleMesh, tolerance: f64) -> Result<Repaired, MeshError> {
    if !(0.0..=MAX_TOLERANCE).contains(&tolerance) {
        return Err(MeshError::geometry(
            format!("a tolerance of {tolerance} for joining vertices"),
            format!("it is a part of the size of the mesh: give 0 to {MAX_TOLERANCE}"),
        ));
    }
    let TriangleMesh { vertices, triangles, groups, group_names } = mesh;
    let mesh = TriangleMesh::new(vertices, triangles, groups, group_names)?;
    let mut repairs = Repairs::default();
    let distance = tolerance * mesh.diagonal();
    let mut mesh = joined(mesh, distance, &mut repairs)?;
    let edges = Edges::of(&mesh);
    let winding = orient(&mut mesh, &edges);
    repairs.flipped = winding.flipped;
    // Turning a triangle over renumbers its half-edges.
    let edges = if winding.flipped > 0 { Edges::of(&mesh) } else { edges };
    let report = MeshReport::new(&mesh, &edges, &winding, repairs);
    Ok(Repaired { mesh, report })
}

/// The mesh with vertices joined, and without triangles that have no area or are there twice.
fn joined(mesh: TriangleMesh, distance: f64, repairs: &mut Repairs) -> Result<TriangleMesh, MeshError> {
    let target = weld(&mesh.vertices, mesh.bounds()[0], distance);
    let mut seen = HashSet::with_capacity(mesh.triangles.len());
    let mut facets: Vec<Facet> = Vec::with_capacity(mesh.triangles.len());
    for (triangle, group) in mesh.triangles.into_iter().zip(mesh.groups) {
        let triangle @ [a, b, c] = triangle.map(|i| target[i as usize]);
        let mut key = triangle;
        key.sort_unstable();
        if a == b || b == c || c == a {
            repairs.degenerate += 1;
        } else if seen.insert(key) {
            facets.push((triangle, group));
        } else {
            repairs.duplicate += 1;
        }
    }
    let (dropped, cuts) = drop_slivers(&mut facets, &mesh.vertices, distance);
    repairs.degenerate += dropped;
    repairs.cut = cuts;
    if facets.is_empty() {
        return Err(MeshError::geometry(
            format!("none of the {} triangles has an area", repairs.degenerate),
            "give a surface mesh: these are lines and points",
        ));
    }
    let kept = renumbered(&facets, &mesh.vertices, mesh.group_names);
    repairs.vertices = mesh.vertices.len() - kept.vertices.len();
    Ok(kept)
}

/// A mesh of these facets, with the vertices that they use in the order of their use.
fn renumbered(facets: &[Facet], vertices: &[Vec3], group_names: Vec<String>) -> TriangleMesh {
    let mut mesh = TriangleMesh { group_names, ..TriangleMesh::default() };
    let mut number = vec![None; vertices.len()];
    for &(triangle, group) in facets {
        mesh.triangles.push(triangle.map(|i| {
            *number[i as usize].get_or_insert_with(|| {
                mesh.vertices.push(vertices[i as usize]);
                mesh.vertices.len() as u32 - 1
            })
        }));
        mesh.groups.push(group);
    }
    mesh
}
