//! Sections of MSH files (Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)").

use super::cursor::{Cursor, Encoding};
use super::mesh::{ElementBlock, ElementKind, GmshMesh, PhysicalGroup};
use crate::error::MeshError;
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

/// Physical groups of each entity, by dimension and number.
type Entities = HashMap<(usize, i32), Vec<i32>>;

impl GmshMesh {
    /// Reads the content of an MSH file.
    pub fn parse(bytes: &[u8]) -> Result<Self, MeshError> {
        mesh(bytes)
    }
}

fn mesh(bytes: &[u8]) -> Result<GmshMesh, MeshError> {
    let mut cursor = Cursor::new(bytes);
    let version = format(&mut cursor)?;
    let mut mesh = GmshMesh::default();
    let mut entities = Entities::new();
    let mut index = HashMap::new();
    let mut names = BTreeMap::new();
    while let Some(section) = cursor.next_section()? {
        match (section.as_str(), version) {
            ("PhysicalNames", _) => physical_names(&mut cursor, &mut names)?,
            ("Entities", Version::V4) => read_entities(&mut cursor, &mut entities)?,
            ("Nodes", Version::V4) => nodes_4(&mut cursor, &mut mesh, &mut index)?,
            ("Nodes", Version::V2) => nodes_2(&mut cursor, &mut mesh, &mut index)?,
            ("Elements", Version::V4) => elements_4(&mut cursor, &mut mesh, &index, &entities)?,
            ("Elements", Version::V2) => elements_2(&mut cursor, &mut mesh, &index)?,
            ("PartitionedEntities", _) => {
                return Err(MeshError::unsupported(
                    cursor.location(),
                    "a partitioned mesh",
                    "save it in one piece: Mesh, Delete partitions in Gmsh",
                ));
            }
            _ => {
                cursor.skip_section()?;
                continue;
            }
        }
        cursor.end_section()?;
    }
    mesh.groups = groups(&names, &mesh, &entities);
    Ok(mesh)
}

fn format(cursor: &mut Cursor) -> Result<Version, MeshError> {
    if cursor.next_section()?.as_deref() != Some("MeshFormat") {
        return Err(MeshError::syntax(
            cursor.location(),
            "the file does not begin with $MeshFormat",
            "give a mesh that Gmsh saved as MSH version 4.1 or 2.2",
        ));
    }
    let location = cursor.location();
    let line = cursor.line()?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let [version, mode, size] = words[..] else {
        return Err(MeshError::syntax(
            location,
            format!("{line:?} where version, file type and data size belong"),
            "the file is damaged: save it again from Gmsh",
        ));
    };
    let advice = "save it as version 4.1 or 2.2 from Gmsh";
    let known = match (version, mode) {
        ("4.1", "0" | "1") => Version::V4,
        ("2.2", "0" | "1") => Version::V2,
        _ => {
            return Err(MeshError::unsupported(
                location,
                format!("MSH version {version}, type {mode}"),
                advice,
            ));
        }
    };
    if size != "8" {
        return Err(MeshError::unsupported(
            location,
            format!("MSH with a data size of {size} bytes"),
            advice,
        ));
    }
    if mode == "1" {
        // The integer 1, written in the byte order of the file.
        cursor.encoding = Encoding::Binary { big_endian: false };
        cursor.encoding = match cursor.int()?.to_le_bytes() {
            [1, 0, 0, 0] => Encoding::Binary { big_endian: false },
            [0, 0, 0, 1] => Encoding::Binary { big_endian: true },
            _ => return Err(cursor.damaged("the byte order is not given")),
        };
        // MSH 2.2 writes counts and tags as int, MSH 4.1 as size_t.
        cursor.narrow = known == Version::V2;
    }
    cursor.end_section()?;
    Ok(known)
}

/// Names by dimension and number: text in binary files too.
fn physical_names(cursor: &mut Cursor, names: &mut BTreeMap<(usize, i32), String>) -> Result<(), MeshError> {
    let encoding = std::mem::replace(&mut cursor.encoding, Encoding::Text);
    for _ in 0..cursor.count([2, 0, 0])? {
        let (dim, tag) = (dimension(cursor)?, cursor.int()?);
        let start = cursor.offset();
        let line = cursor.line()?;
        let Some(name) = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            // Only now: the number of a line takes time to count.
            cursor.go_back(start);
            return Err(cursor.damaged("the name of a physical group is not between quotes"));
        };
        names.insert((dim, tag), name.to_owned());
    }
    cursor.encoding = encoding;
    Ok(())
}

fn dimension(cursor: &mut Cursor) -> Result<usize, MeshError> {
    let dim = cursor.int()?;
    match usize::try_from(dim) {
        Ok(dim @ 0..=3) => Ok(dim),
        _ => Err(cursor.damaged(format!("a dimension of {dim} in ${}", cursor.section))),
    }
}

fn read_entities(cursor: &mut Cursor, entities: &mut Entities) -> Result<(), MeshError> {
    let counts = [
        cursor.count([1, 1, 3])?,
        cursor.count([1, 2, 6])?,
        cursor.count([1, 2, 6])?,
        cursor.count([1, 2, 6])?,
    ];
    for (dim, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let tag = cursor.int()?;
            // A point has a position, other entities a bounding box.
            for _ in 0..if dim == 0 { 3 } else { 6 } {
                cursor.float()?;
            }
            let mut groups = Vec::new();
            for _ in 0..cursor.count([1, 0, 0])? {
                // A negative number marks a reversed entity of the group.
                MeshError::push(&mut groups, cursor.int()?.saturating_abs())?;
            }
            entities.insert((dim, tag), groups);
            // Bounding entities of lower dimension: not needed.
            if dim > 0 {
                for _ in 0..cursor.count([1, 0, 0])? {
                    cursor.int()?;
                }
            }
        }
    }
    Ok(())
}

type Index = HashMap<u64, usize>;

fn add_node(
    cursor: &Cursor,
    mesh: &mut GmshMesh,
    index: &mut Index,
    tag: u64,
    node: [f64; 3],
) -> Result<(), MeshError> {
    // Node tags need not be contiguous or sorted, hence the map from tag to index.
    if index.insert(tag, mesh.nodes.len()).is_some() {
        return Err(cursor.damaged(format!("node {tag} is there twice")));
    }
    MeshError::push(&mut mesh.nodes, node)?;
    MeshError::push(&mut mesh.node_tags, tag)
}

fn nodes_4(cursor: &mut Cursor, mesh: &mut GmshMesh, index: &mut Index) -> Result<(), MeshError> {
    let blocks = cursor.count([3, 1, 0])?;
    // Total count, smallest and largest tag: not needed.
    for _ in 0..3 {
        cursor.size()?;
    }
    for _ in 0..blocks {
        let (dim, _entity, parametric) = (dimension(cursor)?, cursor.int()?, cursor.int()?);
        let count = cursor.count([0, 1, 3])?;
        let mut tags = Vec::new();
        MeshError::reserve(&mut tags, count)?;
        for _ in 0..count {
            tags.push(cursor.size()?);
        }
        for tag in tags {
            let node = [cursor.float()?, cursor.float()?, cursor.float()?];
            // Parametric coordinates on the entity follow each point.
            for _ in 0..if parametric == 0 { 0 } else { dim } {
                cursor.float()?;
            }
            add_node(cursor, mesh, index, tag, node)?;
        }
    }
    Ok(())
}

/// Number of nodes or elements: text on a line of its own, in binary files too.
fn count_2(cursor: &mut Cursor, numbers: [usize; 3]) -> Result<usize, MeshError> {
    let encoding = std::mem::replace(&mut cursor.encoding, Encoding::Text);
    let count = cursor.count(numbers)?;
    if encoding != Encoding::Text {
        cursor.line()?;
    }
    cursor.encoding = encoding;
    Ok(count)
}

fn nodes_2(cursor: &mut Cursor, mesh: &mut GmshMesh, index: &mut Index) -> Result<(), MeshError> {
    for _ in 0..count_2(cursor, [0, 1, 3])? {
        let tag = cursor.size()?;
        let node = [cursor.float()?, cursor.float()?, cursor.float()?];
        add_node(cursor, mesh, index, tag, node)?;
    }
    Ok(())
}

fn kind(cursor: &mut Cursor) -> Result<ElementKind, MeshError> {
    let number = cursor.int()?;
    ElementKind::new(number).ok_or_else(|| {
        MeshError::unsupported(
            cursor.location(),
            format!("Gmsh's element type {number}"),
            "mesh with lines, triangles, quadrangles, tetrahedra, hexahedra, prisms or pyramids of low order",
        )
    })
}

/// The nodes of one element, by their positions.
fn connect(
    cursor: &mut Cursor,
    index: &Index,
    count: usize,
    nodes: &mut Vec<usize>,
) -> Result<(), MeshError> {
    for _ in 0..count {
        let tag = cursor.size()?;
        match index.get(&tag) {
            Some(&position) => MeshError::push(nodes, position)?,
            None => return Err(cursor.damaged(format!("an element has node {tag}, which is not there"))),
        }
    }
    Ok(())
}

fn elements_4(
    cursor: &mut Cursor,
    mesh: &mut GmshMesh,
    index: &Index,
    entities: &Entities,
) -> Result<(), MeshError> {
    let blocks = cursor.count([3, 1, 0])?;
    // A file may have a block for each element: those of one kind on one entity are together, so that its groups are not
    // copied for every element.
    let mut block_of: HashMap<(i32, i32), usize> = HashMap::new();
    for _ in 0..3 {
        cursor.size()?;
    }
    for _ in 0..blocks {
        let (dim, entity, kind) = (dimension(cursor)?, cursor.int()?, kind(cursor)?);
        if dim != kind.dim {
            return Err(cursor.damaged(format!("elements of dimension {} on an entity of {dim}", kind.dim)));
        }
        let count = cursor.count([0, 1 + kind.nodes, 0])?;
        let block = *block_of.entry((kind.number, entity)).or_insert(mesh.blocks.len());
        if block == mesh.blocks.len() {
            let groups = entities.get(&(dim, entity)).cloned().unwrap_or_default();
            let (tags, nodes) = (Vec::new(), Vec::new());
            MeshError::push(&mut mesh.blocks, ElementBlock { kind, entity, groups, tags, nodes })?;
        }
        let ElementBlock { tags, nodes, .. } = &mut mesh.blocks[block];
        MeshError::reserve(tags, count)?;
        MeshError::reserve(nodes, count * kind.nodes)?;
        for _ in 0..count {
            tags.push(cursor.size()?);
            connect(cursor, index, kind.nodes, nodes)?;
        }
    }
    Ok(())
}

fn elements_2(cursor: &mut Cursor, mesh: &mut GmshMesh, index: &Index) -> Result<(), MeshError> {
    // Text: number, kind, number of tags and a node at least. Binary: number and a node, behind a common header.
    let least = if cursor.encoding == Encoding::Text { 4 } else { 2 };
    let mut left = count_2(cursor, [0, least, 0])?;
    while left > 0 {
        // Text: number and kind per element. Binary: blocks of elements of one kind after a common
        // header.
        let own = if cursor.encoding == Encoding::Text { Some(cursor.size()?) } else { None };
        let kind = kind(cursor)?;
        let count = if own.is_some() { 1 } else { usize::try_from(cursor.size()?).unwrap_or(usize::MAX) };
        if count == 0 || count > left {
            return Err(
                cursor.damaged(format!("{count} elements where 1 to {left} belong, in ${}", cursor.section))
            );
        }
        left -= count;
        let tags = cursor.size()?;
        for _ in 0..count {
            let number = own.map_or_else(|| cursor.size(), Ok)?;
            element_2(cursor, mesh, index, kind, number, tags)?;
        }
    }
    Ok(())
}

fn element_2(
    cursor: &mut Cursor,
    mesh: &mut GmshMesh,
    index: &Index,
    kind: ElementKind,
    number: u64,
    count: u64,
) -> Result<(), MeshError> {
    // The first tag is the physical group, zero for none, the second the entity; partitions follow.
    let mut tags = [0, 0];
    for i in 0..count {
        let tag = cursor.int()?;
        if let Some(slot) = usize::try_from(i).ok().and_then(|i| tags.get_mut(i)) {
            *slot = tag;
        }
    }
    let [group, entity] = tags;
    let groups = if group == 0 { Vec::new() } else { vec![group.saturating_abs()] };
    // Gmsh writes the elements of an entity together: comparing with the last block suffices.
    let same = |block: &ElementBlock| block.kind == kind && block.entity == entity && block.groups == groups;
    if !mesh.blocks.last().is_some_and(same) {
        let block = ElementBlock { kind, entity, groups, tags: Vec::new(), nodes: Vec::new() };
        MeshError::push(&mut mesh.blocks, block)?;
    }
    if let Some(block) = mesh.blocks.last_mut() {
        MeshError::push(&mut block.tags, number)?;
        connect(cursor, index, kind.nodes, &mut block.nodes)?;
    }
    Ok(())
}

/// Groups with a name, and those that only have a number.
fn groups(
    names: &BTreeMap<(usize, i32), String>,
    mesh: &GmshMesh,
    entities: &Entities,
) -> Vec<PhysicalGroup> {
    let of_entities = entities.iter().flat_map(|((dim, _), tags)| tags.iter().map(move |&tag| (*dim, tag)));
    let of_blocks =
        mesh.blocks.iter().flat_map(|block| block.groups.iter().map(|&tag| (block.kind.dim, tag)));
    // Sorted by dimension and number: the order of groups must not depend on hashing.
    let keys: BTreeSet<(usize, i32)> = names.keys().copied().chain(of_entities).chain(of_blocks).collect();
    keys.into_iter()
        .map(|(dim, tag)| PhysicalGroup {
            name: names.get(&(dim, tag)).cloned().unwrap_or_else(|| tag.to_string()),
            dim,
            tag,
        })
        .collect()
}
