//! Hexahedra, prisms and pyramids with flat faces, divided into tetrahedra.
//!
//! Every face with four corners is divided by the diagonal through its corner with the lowest number, which is the same seen from both
//! sides; an element, by the tetrahedra between its corner with the lowest number and the triangles of the faces opposite to it.

use super::mesh::{ElementBlock, ElementKind, GmshMesh};
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, cross, dot, norm, sub};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Gmsh's numbers of straight elements, and the corners of their faces (reference manual, "Node ordering").
const QUADRANGLE: i32 = 3;
const HEXAHEDRON: i32 = 5;
const PRISM: i32 = 6;
const PYRAMID: i32 = 7;
const HEXAHEDRON_FACES: &[&[usize]] =
    &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];
const PRISM_FACES: &[&[usize]] = &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const PYRAMID_FACES: &[&[usize]] = &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];
/// Height of a corner over the plane of the others, relative to the size of a face, that counts as none.
const FLAT: f64 = 1e-6;

/// The mesh with tetrahedra and triangles in place of elements that can be divided exactly, and notes.
pub(super) fn split(mesh: &GmshMesh) -> Result<(Cow<'_, GmshMesh>, Vec<String>), MeshError> {
    if !mesh.blocks.iter().any(|block| faces(block.kind.number).is_some()) {
        return Ok((Cow::Borrowed(mesh), Vec::new()));
    }
    let mut divided = mesh.clone();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for block in &mut divided.blocks {
        if let Some((name, faces)) = faces(block.kind.number) {
            *counts.entry(name).or_default() += block.tags.len();
            *block = tetrahedra(mesh, block, name, faces)?;
        } else if block.kind.number == QUADRANGLE {
            *block = triangles(block);
        }
    }
    let note = |(name, count)| format!("{count} {name} are divided into tetrahedra");
    Ok((Cow::Owned(divided), counts.into_iter().map(note).collect()))
}

fn faces(kind: i32) -> Option<(&'static str, &'static [&'static [usize]])> {
    match kind {
        HEXAHEDRON => Some(("hexahedra", HEXAHEDRON_FACES)),
        PRISM => Some(("prisms", PRISM_FACES)),
        PYRAMID => Some(("pyramids", PYRAMID_FACES)),
        _ => None,
    }
}

fn tetrahedra(
    mesh: &GmshMesh,
    block: &ElementBlock,
    name: &str,
    faces: &[&[usize]],
) -> Result<ElementBlock, MeshError> {
    let mut found = ElementBlock { kind: kind(4), tags: Vec::new(), nodes: Vec::new(), ..block.clone() };
    let is_bent = |nodes: &&[usize]| {
        let corners = |face: &[usize]| face.iter().map(|&i| mesh.nodes[nodes[i]]).collect::<Vec<_>>();
        faces.iter().any(|face| !is_flat(&corners(face)))
    };
    let bent = block.nodes.chunks_exact(block.kind.nodes).filter(is_bent).count();
    if bent > 0 {
        return Err(MeshError::geometry(
            format!("{bent} {name} of {} have faces that are not flat", mesh.group_names(block)),
            "mesh with tetrahedra: only elements with flat faces can be divided exactly",
        ));
    }
    for (nodes, &tag) in block.nodes.chunks_exact(block.kind.nodes).zip(&block.tags) {
        let lowest = (0..nodes.len()).min_by_key(|&i| nodes[i]).unwrap_or(0);
        for face in faces.iter().filter(|face| !face.contains(&lowest)) {
            let corners: Vec<usize> = face.iter().map(|&i| nodes[i]).collect();
            for triangle in fan(&corners) {
                found.nodes.extend(triangle);
                found.nodes.push(nodes[lowest]);
                found.tags.push(tag);
            }
        }
    }
    Ok(found)
}

fn triangles(block: &ElementBlock) -> ElementBlock {
    let mut found = ElementBlock { kind: kind(2), tags: Vec::new(), nodes: Vec::new(), ..block.clone() };
    for (nodes, &tag) in block.nodes.chunks_exact(4).zip(&block.tags) {
        for triangle in fan(nodes) {
            found.nodes.extend(triangle);
            found.tags.push(tag);
        }
    }
    found
}

/// Straight tetrahedra or triangles.
fn kind(number: i32) -> ElementKind {
    let dim = if number == 4 { 3 } else { 2 };
    ElementKind { number, dim, nodes: dim + 1 }
}

/// The triangles of a face, which share its corner with the lowest number.
fn fan(corners: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let n = corners.len();
    let lowest = (0..n).min_by_key(|&i| corners[i]).unwrap_or(0);
    (1..n - 1).map(move |i| [corners[lowest], corners[(lowest + i) % n], corners[(lowest + i + 1) % n]])
}

fn is_flat(corners: &[Vec3]) -> bool {
    let &[a, b, c, d] = corners else { return true };
    let normal = cross(sub(c, a), sub(d, b));
    dot(sub(b, a), normal).abs() <= FLAT * norm(normal) * norm(sub(c, a)).max(norm(sub(d, b)))
}

#[cfg(test)]
mod tests {
    use crate::{GmshMesh, Units, gmsh_tets};
    use std::fmt::Write;

    /// Unit cubes side by side along x, prisms behind them and a pyramid on the first, with node numbers turned around.
    fn text(turned: bool) -> String {
        let mut nodes = Vec::new();
        for x in 0..3 {
            for y in 0..3 {
                for z in 0..2 {
                    nodes.push([f64::from(x), f64::from(y), f64::from(z)]);
                }
            }
        }
        nodes.push([0.5, 0.5, 1.7]);
        let count = nodes.len();
        let number = |x: usize, y: usize, z: usize| {
            let i = 6 * x + 2 * y + z;
            if turned { count - i } else { i + 1 }
        };
        let ring = |x: usize, y: usize, z: usize| {
            [number(x, y, z), number(x + 1, y, z), number(x + 1, y + 1, z), number(x, y + 1, z)]
        };
        let tip = if turned { 1 } else { count };
        let [low, high, next, above] = [ring(0, 0, 0), ring(0, 0, 1), ring(1, 0, 0), ring(1, 0, 1)];
        let [back, top] = [ring(0, 1, 0), ring(0, 1, 1)];
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let elements = [
            format!("5 2 1 1 {}", list(&[low, high].concat())),
            format!("5 2 1 1 {}", list(&[next, above].concat())),
            format!("6 2 1 1 {}", list(&[back[0], back[1], back[2], top[0], top[1], top[2]])),
            format!("6 2 1 1 {}", list(&[back[0], back[2], back[3], top[0], top[2], top[3]])),
            format!("7 2 1 1 {}", list(&[&high[..], &[tip]].concat())),
            format!("3 2 2 2 {}", list(&low)),
        ];
        let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"slab\"\n2 2 \"floor\"\n$EndPhysicalNames\n".to_owned();
        let _ = writeln!(text, "$Nodes\n{count}");
        for (i, [x, y, z]) in nodes.iter().enumerate() {
            let _ = writeln!(text, "{} {x} {y} {z}", if turned { count - i } else { i + 1 });
        }
        let _ = writeln!(text, "$EndNodes\n$Elements\n{}", elements.len());
        for (i, element) in elements.iter().enumerate() {
            let _ = writeln!(text, "{} {element}", i + 1);
        }
        text + "$EndElements\n"
    }

    #[test]
    fn divided_elements_conform_and_fill_their_volume() {
        for turned in [false, true] {
            let import =
                gmsh_tets(&GmshMesh::parse(text(turned).as_bytes()).unwrap(), Units::Meters).unwrap();
            let mesh = &import.mesh;
            // Two cubes of six, two prisms of three, a pyramid of two.
            assert_eq!(mesh.tets.len(), 20);
            let volume: f64 = (0..20).map(|t| mesh.volume(t)).sum();
            assert!((volume - (3.0 + 0.7 / 3.0)).abs() < 1e-12, "{volume}");
            assert_eq!(mesh.statistics().surfaces[0].size, 1.0);
            // Faces meet: this refuses a mesh that does not conform.
            mesh.faces().unwrap();
            assert!(import.notes.iter().any(|note| note == "2 hexahedra are divided into tetrahedra"));
        }
    }

    #[test]
    fn bent_faces_are_refused_with_their_group() {
        let bent = text(false).replace("2 0 0 1\n", "2 0 0 1.1\n");
        let error = gmsh_tets(&GmshMesh::parse(bent.as_bytes()).unwrap(), Units::Meters).unwrap_err();
        assert_eq!(error.to_string(), "1 hexahedra of \"slab\" have faces that are not flat");
    }
}
