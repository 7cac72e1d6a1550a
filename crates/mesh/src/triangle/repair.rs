//! Repair of surface meshes: welding, removal of degenerate and duplicate triangles, stitching of T-junctions, consistent winding.

use super::edges::Edges;
use super::mesh::TriangleMesh;
use super::report::{MeshReport, Repairs};
use super::slivers::{Facet, drop_slivers};
use super::stitch::stitch;
use super::vec3::Vec3;
use super::weld::weld;
use super::winding::orient;
use crate::error::MeshError;
use std::collections::HashSet;

/// A repaired mesh with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// Properties of the mesh, and what was repaired.
    pub report: MeshReport,
}

/// The largest tolerance accepted: above it, bodies lose their shape.
const MAX_TOLERANCE: f64 = 0.01;

/// Welds vertices within `tolerance` times the diagonal of the bounding box ([`crate::WELD_TOLERANCE`]), removes
/// degenerate triangles (of smaller height) and duplicates, makes the winding of each shell consistent, with outward
/// normals for closed shells, and reports.
///
/// T-junctions are stitched: an end of a boundary edge that lies on another edge, within thirty times the tolerance but at most a
/// hundredth of the height of the triangles there, is inserted into these triangles.
///
/// Shells are treated one by one: the normals of a shell inside another point out of the inner one.
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
    // The fields are public and may have been changed: check the invariants again.
    let TriangleMesh { vertices, triangles, groups, group_names } = mesh;
    let mesh = TriangleMesh::new(vertices, triangles, groups, group_names)?;
    let mut repairs = Repairs::default();
    let distance = tolerance * mesh.diagonal();
    let mut mesh = welded(mesh, distance, &mut repairs)?;
    let edges = Edges::of(&mesh);
    let winding = orient(&mut mesh, &edges);
    repairs.flipped = winding.flipped;
    // Flipping a triangle renumbers its half-edges.
    let edges = if winding.flipped > 0 { Edges::of(&mesh) } else { edges };
    let report = MeshReport::new(&mesh, &edges, &winding, repairs);
    Ok(Repaired { mesh, report })
}

/// The mesh with vertices welded, T-junctions stitched, and without degenerate and duplicate triangles.
fn welded(mesh: TriangleMesh, distance: f64, repairs: &mut Repairs) -> Result<TriangleMesh, MeshError> {
    let target = weld(&mesh.vertices, mesh.bounds()[0], distance);
    let before = mesh.vertices.len();
    let welded = mesh.triangles.iter().map(|triangle| triangle.map(|i| target[i as usize])).collect();
    let mut mesh = cleaned(TriangleMesh { triangles: welded, ..mesh }, distance, repairs)?;
    repairs.stitched = stitch(&mut mesh, distance);
    if repairs.stitched > 0 {
        // Parts of triangles may be slivers, and sheets that lie on each other have the same parts.
        mesh = cleaned(mesh, distance, repairs)?;
    }
    repairs.vertices = before - mesh.vertices.len();
    Ok(mesh)
}

/// The mesh without degenerate and duplicate triangles, and without unused vertices.
fn cleaned(mesh: TriangleMesh, distance: f64, repairs: &mut Repairs) -> Result<TriangleMesh, MeshError> {
    let mut seen = HashSet::with_capacity(mesh.triangles.len());
    let mut facets: Vec<Facet> = Vec::with_capacity(mesh.triangles.len());
    for (triangle @ [a, b, c], group) in mesh.triangles.into_iter().zip(mesh.groups) {
        // Sorted, so that two copies of opposite winding are duplicates as well.
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
    // Welding comes first: it collapses short edges, and what remains degenerate is a sliver.
    let (dropped, cuts) = drop_slivers(&mut facets, &mesh.vertices, distance);
    repairs.degenerate += dropped;
    repairs.cut += cuts;
    if facets.is_empty() {
        return Err(MeshError::geometry(
            format!("none of the {} triangles has an area", repairs.degenerate),
            "give a surface mesh: these are lines and points",
        ));
    }
    Ok(renumbered(&facets, &mesh.vertices, mesh.group_names))
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
