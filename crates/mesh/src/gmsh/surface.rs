//! The surface elements of a mesh.

use super::mesh::GmshMesh;
use crate::error::MeshError;
use crate::read::soup::{Import, Soup};
use crate::triangle::Units;
use std::collections::{HashMap, HashSet};

/// All surface elements of a mesh as triangles, by physical group; quadrangles are cut in two.
///
/// Curved elements are taken by their corners. An element in several groups belongs to the first of them.
///
/// ```
/// let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"skin\"\n$EndPhysicalNames\n\
///     $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n\
///     $Elements\n1\n1 3 2 7 1 1 2 3 4\n$EndElements\n";
/// let mesh = phasefront_mesh::GmshMesh::parse(text).unwrap();
/// let import = phasefront_mesh::gmsh_triangles(&mesh, phasefront_mesh::Units::Meters).unwrap();
/// assert_eq!(import.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(import.mesh.group_names, ["skin"]);
/// ```
pub fn gmsh_triangles(mesh: &GmshMesh, units: Units) -> Result<Import, MeshError> {
    let mut soup = Soup::default();
    soup.mesh.vertices.clone_from(&mesh.nodes);
    let mut seen = HashSet::new();
    let names: HashMap<i32, &str> = mesh
        .groups
        .iter()
        .filter(|group| group.dim == 2)
        .map(|group| (group.tag, group.name.as_str()))
        .collect();
    let (mut curved, mut others) = (0, 0);
    for block in &mesh.blocks {
        let elements = block.nodes.chunks_exact(block.kind.nodes);
        let Some(corners) = corners(block.kind.number) else {
            others += elements.len();
            continue;
        };
        // Ray tracing needs flat facets: curved elements are reduced to their corners, with a note.
        if block.kind.nodes > corners {
            curved += elements.len();
        }
        let name = block.groups.first().and_then(|group| names.get(group));
        soup.enter(name.copied().unwrap_or_default());
        for element in elements {
            let mut polygon = [0; 4];
            for (corner, &node) in polygon.iter_mut().zip(&element[..corners]) {
                *corner = node as u32;
            }
            let mut key = polygon;
            key[..corners].sort_unstable();
            // MSH 2.2 repeats an element for each of its groups; the first occurrence counts.
            if seen.insert((corners, key)) {
                soup.add_polygon(&polygon[..corners])?;
            }
        }
    }
    if curved > 0 {
        soup.notes.push(format!("{curved} curved elements are taken by their corners"));
    }
    if others > 0 {
        soup.notes.push(format!("{others} elements that are no surface are left out"));
    }
    if soup.mesh.triangles.is_empty() {
        return Err(MeshError::geometry(
            "the mesh has no surface elements",
            "mesh the surfaces, and save them: all elements, or those of a Physical Surface",
        ));
    }
    soup.into_import(units)
}

/// Corners of the surface elements among Gmsh's kinds.
fn corners(kind: i32) -> Option<usize> {
    match kind {
        2 | 9 | 20..=25 | 42..=44 => Some(3),
        3 | 10 | 16 | 36..=38 | 47..=49 => Some(4),
        _ => None,
    }
}
