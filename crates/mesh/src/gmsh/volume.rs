//! The volume elements of a mesh.

use super::mesh::{ElementBlock, GmshMesh};
use super::split::split;
use crate::error::MeshError;
use crate::tet::{DEFAULT_VOLUME, TetMesh, determinant, group_number, is_flat, position_text, worst_point};
use crate::triangle::Units;
use std::collections::{HashMap, HashSet};

/// A volume mesh as a file has it, in meters.
#[derive(Debug, Clone, PartialEq)]
pub struct TetImport {
    /// The mesh.
    pub mesh: TetMesh,
    /// Notes for the user: what else the file contains and how it was handled.
    pub notes: Vec<String>,
}

const FIRST_TET: i32 = 4;
const SECOND_TET: i32 = 11;
const FIRST_TRIANGLE: i32 = 2;
const SECOND_TRIANGLE: i32 = 9;

/// The tetrahedra of a mesh, and the triangles that are in physical groups, all of first or all of second order.
///
/// Tetrahedra are reoriented to positive volume. In a file without volume groups all are in
/// [`DEFAULT_VOLUME`]. Unused nodes are left out.
///
/// ```
/// use phasefront_mesh::{GmshMesh, Units, gmsh_tets};
///
/// let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
///     $PhysicalNames\n2\n2 5 \"floor\"\n3 7 \"air\"\n$EndPhysicalNames\n\
///     $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
///     $Elements\n2\n1 2 2 5 1 1 3 2\n2 4 2 7 1 1 2 3 4\n$EndElements\n";
/// let import = gmsh_tets(&GmshMesh::parse(text).unwrap(), Units::Meters).unwrap();
/// assert_eq!(import.mesh.tets, [[0, 1, 2, 3]]);
/// assert_eq!(import.mesh.volume_names, ["air"]);
/// assert_eq!(import.mesh.surface_names, ["floor"]);
/// ```
///
/// Hexahedra, prisms and pyramids of the first order with flat faces, and of the second, are divided into tetrahedra.
pub fn gmsh_tets(mesh: &GmshMesh, units: Units) -> Result<TetImport, MeshError> {
    let (mesh, mut notes) = split(mesh)?;
    let mesh = &*mesh;
    let second = check_kinds(mesh)?;
    // Checked before the casts to u32 below.
    if u32::try_from(mesh.nodes.len()).is_err() {
        return Err(MeshError::geometry(
            format!("{} nodes are too many", mesh.nodes.len()),
            "mesh more coarsely: 2^32 nodes can be counted",
        ));
    }
    let mut found = TetMesh::default();
    let mut tags = Vec::new();
    let mut turned = 0;
    add_tets(mesh, &mut found, &mut tags)?;
    found.nodes.clone_from(&mesh.nodes);
    for (t, &tag) in tags.iter().enumerate() {
        turned += usize::from(turn(&mut found, t));
        check_shape(&found, t, tag)?;
    }
    check_repeated(&found, &tags)?;
    add_triangles(mesh, second, &mut found)?;
    let unused = drop_unused(&mut found);
    // Scaled last: messages above give positions in the units of the file.
    for x in found.nodes.iter_mut().flatten() {
        *x *= units.in_meters();
    }
    // Dividing elements turns about half of their parts: that is no fault of the file.
    if turned > 0 && notes.is_empty() {
        notes.push(match turned {
            1 => "the node order of 1 tetrahedron was inverted and is corrected".into(),
            _ => format!("the node order of {turned} tetrahedra was inverted and is corrected"),
        });
    }
    if unused > 0 {
        notes.push(match unused {
            1 => "1 node that no element has is left out".into(),
            _ => format!("{unused} nodes that no element has are left out"),
        });
    }
    let used = [&found.surface_names, &found.volume_names].map(|names| names.iter().collect::<HashSet<_>>());
    for group in mesh.groups.iter().filter(|group| group.dim >= 2) {
        let names = &used[group.dim - 2];
        if !names.contains(&group.name) {
            let kind = if group.dim == 3 { "volume" } else { "surface" };
            notes.push(format!("the physical {kind} {:?} has no elements", group.name));
        }
    }
    Ok(TetImport { mesh: found, notes })
}

/// Whether the elements are of the second order, once it is checked that all tetrahedra are of one, and that there are no
/// other volume elements.
fn check_kinds(mesh: &GmshMesh) -> Result<bool, MeshError> {
    let count = |wanted: &dyn Fn(&ElementBlock) -> bool| -> usize {
        mesh.blocks.iter().filter(|block| wanted(block)).map(|block| block.tags.len()).sum()
    };
    let of_kind = |kind: i32| count(&|block| block.kind.number == kind);
    let other = |block: &&ElementBlock| {
        block.kind.dim == 3 && ![FIRST_TET, SECOND_TET].contains(&block.kind.number) && !block.tags.is_empty()
    };
    if let Some(block) = mesh.blocks.iter().find(other) {
        let name = match block.kind.number {
            92..=94 => "hexahedra",
            118 => "pyramids",
            _ => "tetrahedra",
        };
        let problem = format!(
            "the mesh has {} {name} of the third order or higher in {}, such as element {}",
            of_kind(block.kind.number),
            mesh.group_names(block),
            block.tags[0]
        );
        return Err(MeshError::geometry(problem, "mesh with Mesh.ElementOrder = 1 or 2"));
    }
    match [of_kind(FIRST_TET), of_kind(SECOND_TET)] {
        [0, 0] => Err(MeshError::geometry(
            "the mesh has no tetrahedra",
            "mesh the volumes (Mesh 3D), and save them: all elements, or those of a Physical Volume",
        )),
        [_, 0] => Ok(false),
        [0, _] => Ok(true),
        [first, second] => Err(MeshError::geometry(
            format!("the mesh has tetrahedra of two orders, {first} of the first and {second} of the second"),
            "mesh all volumes with the same Mesh.ElementOrder",
        )),
    }
}

/// The names of the groups of one dimension that have elements, and the positions of those by the groups' numbers.
fn names(mesh: &GmshMesh, dim: usize) -> Result<(Vec<String>, HashMap<i32, u16>), MeshError> {
    let blocks = mesh.blocks.iter().filter(|block| block.kind.dim == dim && !block.tags.is_empty());
    let used: HashSet<i32> = blocks.flat_map(|block| &block.groups).copied().collect();
    let (mut names, mut numbers) = (Vec::new(), HashMap::new());
    let mut positions = HashMap::new();
    for group in mesh.groups.iter().filter(|group| group.dim == dim && used.contains(&group.tag)) {
        // Groups of one name are one group, even with different numbers.
        let position = *positions.entry(group.name.as_str()).or_insert(names.len());
        if position == names.len() {
            names.push(group.name.clone());
        }
        numbers.insert(group.tag, group_number(position)?);
    }
    Ok((names, numbers))
}

fn add_tets(mesh: &GmshMesh, found: &mut TetMesh, tags: &mut Vec<u64>) -> Result<(), MeshError> {
    let (names, numbers) = names(mesh, 3)?;
    let mut without = 0;
    for block in mesh.blocks.iter().filter(|block| block.kind.dim == 3 && !block.tags.is_empty()) {
        let group = match block.groups[..] {
            [] => 0,
            [group] => numbers.get(&group).copied().unwrap_or_default(),
            // A volume element has one material, a surface element may be in several groups.
            [first, second, ..] => {
                let [first, second] =
                    [first, second].map(|tag| numbers.get(&tag).copied().unwrap_or_default());
                return Err(in_two(&names, block.tags[0], [first, second]));
            }
        };
        if block.groups.is_empty() {
            without += block.tags.len();
        }
        for nodes in block.nodes.chunks_exact(block.kind.nodes) {
            let node = |i: usize| nodes[i] as u32;
            found.tets.push([0, 1, 2, 3].map(node));
            if block.kind.number == SECOND_TET {
                found.middles.push([4, 5, 6, 7, 8, 9].map(node));
            }
        }
        // Fills the entries of this block only.
        found.volume_of.resize(found.tets.len(), group);
        tags.extend(&block.tags);
    }
    // Some in groups and some not: most likely a forgotten volume, whose material would be a guess.
    if without > 0 && !names.is_empty() {
        return Err(MeshError::geometry(
            format!(
                "{without} of the {} tetrahedra {} in no physical volume",
                found.tets.len(),
                if without == 1 { "is" } else { "are" }
            ),
            "put every volume into a Physical Volume, or save only those that are in one (Mesh.SaveAll = 0)",
        ));
    }
    found.volume_names = if names.is_empty() { vec![DEFAULT_VOLUME.into()] } else { names };
    Ok(())
}

fn in_two(names: &[String], tag: u64, groups: [u16; 2]) -> MeshError {
    let [first, second] = groups.map(|group| &names[usize::from(group)]);
    MeshError::geometry(
        format!("the tetrahedron {tag} is in two physical volumes, {first:?} and {second:?}"),
        "put every volume into one Physical Volume: its material must be one",
    )
}

/// Swaps two corners of a tetrahedron of negative volume; returns whether it did.
fn turn(mesh: &mut TetMesh, tet: usize) -> bool {
    let turned = determinant(mesh.corners(tet)) < 0.0;
    if turned {
        mesh.tets[tet].swap(1, 2);
        if let Some(middles) = mesh.middles.get_mut(tet) {
            // Exchanging corners 1 and 2 exchanges the edges 01 and 02, and the edges 13 and 23.
            middles.swap(0, 2);
            middles.swap(4, 5);
        }
    }
    turned
}

/// Rejects degenerate tetrahedra, and curved ones whose Jacobian is not positive everywhere.
fn check_shape(mesh: &TetMesh, tet: usize, tag: u64) -> Result<(), MeshError> {
    let corners = mesh.corners(tet);
    let group = || &mesh.volume_names[usize::from(mesh.volume_of[tet])];
    if is_flat(corners, determinant(corners)) {
        return Err(MeshError::geometry(
            format!(
                "the tetrahedron {tag} of {:?}, at {} in the file, is flat",
                group(),
                position_text(corners[0])
            ),
            "mesh again with Mesh.Optimize = 1, and without parts that are much thinner than elements",
        ));
    }
    if let Some(middles) = mesh.middles.get(tet) {
        // Sampled at 15 points, not bounded over the element: a necessary condition.
        let (least, at) = worst_point(corners, middles.map(|i| mesh.nodes[i as usize]));
        if is_flat(corners, least) {
            return Err(MeshError::geometry(
                format!(
                    "the curved tetrahedron {tag} of {:?} is folded at {} in the file",
                    group(),
                    position_text(at)
                ),
                "mesh more finely there, or with Mesh.HighOrderOptimize = 2",
            ));
        }
    }
    Ok(())
}

/// Rejects two tetrahedra with the same corners: MSH 2.2 repeats an element for each of its groups.
fn check_repeated(mesh: &TetMesh, tags: &[u64]) -> Result<(), MeshError> {
    let key = |(mut corners, i): ([u32; 4], usize)| {
        corners.sort_unstable();
        (corners, i)
    };
    // Sorting brings copies together: O(n log n) without a hash map of all elements.
    let mut all: Vec<([u32; 4], usize)> = mesh.tets.iter().copied().zip(0..).map(key).collect();
    all.sort_unstable();
    let Some(pair) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) else { return Ok(()) };
    let [a, b] = [pair[0].1, pair[1].1];
    let groups = [a, b].map(|t| mesh.volume_of[t]);
    if groups[0] != groups[1] {
        return Err(in_two(&mesh.volume_names, tags[a], groups));
    }
    Err(MeshError::geometry(
        format!("the tetrahedra {} and {} have the same corners", tags[a], tags[b]),
        "an element is there twice: save the mesh again from Gmsh",
    ))
}

/// The surface elements that are in groups: triangles of the order of the tetrahedra.
fn add_triangles(mesh: &GmshMesh, second: bool, found: &mut TetMesh) -> Result<(), MeshError> {
    let (names, numbers) = names(mesh, 2)?;
    let wanted = if second { SECOND_TRIANGLE } else { FIRST_TRIANGLE };
    for block in mesh.blocks.iter().filter(|block| block.kind.dim == 2 && !block.groups.is_empty()) {
        let groups: Vec<u16> = block.groups.iter().filter_map(|tag| numbers.get(tag).copied()).collect();
        if block.kind.number != wanted && !block.tags.is_empty() {
            let name = groups.first().map_or("", |&group| &names[usize::from(group)]);
            let order = if second { "second" } else { "first" };
            return Err(MeshError::geometry(
                format!(
                    "the surface {name:?} has the element {}, which is no triangle of the {order} order as the faces of the \
                     tetrahedra are",
                    block.tags[0]
                ),
                "mesh surfaces and volumes together, with triangles and with one Mesh.ElementOrder",
            ));
        }
        for nodes in block.nodes.chunks_exact(block.kind.nodes) {
            let node = |i: usize| nodes[i] as u32;
            // A triangle in several groups is listed once for each.
            for &group in &groups {
                found.triangles.push([0, 1, 2].map(node));
                found.surface_of.push(group);
                if second {
                    found.triangle_middles.push([3, 4, 5].map(node));
                }
            }
        }
    }
    found.surface_names = names;
    Ok(())
}

/// Removes unused nodes; returns their number.
fn drop_unused(mesh: &mut TetMesh) -> usize {
    let mut used = vec![false; mesh.nodes.len()];
    let (tets, middles) = (mesh.tets.as_flattened(), mesh.middles.as_flattened());
    let (triangles, others) = (mesh.triangles.as_flattened(), mesh.triangle_middles.as_flattened());
    for &node in tets.iter().chain(middles).chain(triangles).chain(others) {
        used[node as usize] = true;
    }
    let before = std::mem::take(&mut mesh.nodes);
    let mut number = Vec::with_capacity(before.len());
    for (node, &used) in before.iter().zip(&used) {
        // New index of every used node; the entries of unused ones are never read.
        number.push(mesh.nodes.len() as u32);
        if used {
            mesh.nodes.push(*node);
        }
    }
    let (tets, middles) = (mesh.tets.as_flattened_mut(), mesh.middles.as_flattened_mut());
    let (triangles, others) = (mesh.triangles.as_flattened_mut(), mesh.triangle_middles.as_flattened_mut());
    for node in tets.iter_mut().chain(middles).chain(triangles).chain(others) {
        *node = number[*node as usize];
    }
    before.len() - mesh.nodes.len()
}
