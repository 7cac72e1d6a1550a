//! MSH files, version 2.2 in text: every program that reads Gmsh's meshes reads these.

use crate::tet::TetMesh;
use std::fmt::Write;

/// A mesh as the content of an MSH file, in meters, with its groups as physical groups.
///
/// ```
/// use phasefront_mesh::{BoxMesh, GmshMesh, Units, gmsh_text, gmsh_tets};
///
/// let mesh = BoxMesh { to: [1.0; 3], cell: [0.5; 3], name: "air".into(), ..BoxMesh::default() }.mesh().unwrap();
/// let read = gmsh_tets(&GmshMesh::parse(gmsh_text(&mesh).as_bytes()).unwrap(), Units::Meters).unwrap();
/// assert_eq!(read.mesh, mesh);
/// ```
pub fn gmsh_text(mesh: &TetMesh) -> String {
    let mut text = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
    // Writing to a string cannot fail.
    let groups = mesh.surface_names.len() + mesh.volume_names.len();
    let _ = writeln!(text, "$PhysicalNames\n{groups}");
    for (dim, names) in [(2, &mesh.surface_names), (3, &mesh.volume_names)] {
        for (i, name) in names.iter().enumerate() {
            let _ = writeln!(text, "{dim} {} \"{name}\"", i + 1);
        }
    }
    let _ = writeln!(text, "$EndPhysicalNames\n$Nodes\n{}", mesh.nodes.len());
    for (i, [x, y, z]) in mesh.nodes.iter().enumerate() {
        let _ = writeln!(text, "{} {x} {y} {z}", i + 1);
    }
    let _ = writeln!(text, "$EndNodes\n$Elements\n{}", mesh.triangles.len() + mesh.tets.len());
    let mut number = 0;
    let mut element = |kind: [u32; 2], group: u16, corners: &[u32], middles: Option<&[u32]>| {
        number += 1;
        let kind = kind[usize::from(middles.is_some())];
        let group = u32::from(group) + 1;
        let _ = write!(text, "{number} {kind} 2 {group} {group}");
        for node in corners.iter().chain(middles.unwrap_or_default()) {
            let _ = write!(text, " {}", node + 1);
        }
        text.push('\n');
    };
    for (i, corners) in mesh.triangles.iter().enumerate() {
        let middles = mesh.triangle_middles.get(i).map(|nodes| &nodes[..]);
        element([2, 9], mesh.surface_of[i], corners, middles);
    }
    for (i, corners) in mesh.tets.iter().enumerate() {
        let middles = mesh.middles.get(i).map(|nodes| &nodes[..]);
        element([4, 11], mesh.volume_of[i], corners, middles);
    }
    text += "$EndElements\n";
    text
}
