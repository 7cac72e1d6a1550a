//! Nodes, elements and physical groups as Gmsh has them.

use crate::error::MeshError;

/// A mesh as Gmsh saves it: nodes, elements of all kinds, physical groups.
///
/// ```
/// let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
///     $PhysicalNames\n1\n1 7 \"strip\"\n$EndPhysicalNames\n\
///     $Nodes\n2\n10 0 0 0\n20 1 0 0\n$EndNodes\n\
///     $Elements\n1\n1 1 2 7 1 10 20\n$EndElements\n";
/// let mesh = phasefront_mesh::GmshMesh::parse(text).unwrap();
/// assert_eq!(mesh.nodes, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
/// assert_eq!(mesh.blocks[0].nodes, [0, 1]);
/// assert_eq!(mesh.group("strip", 1).unwrap().tag, 7);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GmshMesh {
    /// Coordinates.
    pub nodes: Vec<[f64; 3]>,
    /// The number of each node in the file.
    pub node_tags: Vec<u64>,
    /// Elements, together where they are of one kind, one entity and the same groups. MSH 2.2 repeats an element that is
    /// in several groups.
    pub blocks: Vec<ElementBlock>,
    /// Physical groups. One without a name is called by its number.
    pub groups: Vec<PhysicalGroup>,
}

/// Elements of one kind, on one geometric entity, in the same physical groups.
///
/// ```
/// # let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n\
/// #     $Elements\n1\n1 2 2 5 9 1 2 3\n$EndElements\n";
/// let mesh = phasefront_mesh::GmshMesh::parse(text).unwrap();
/// let block = &mesh.blocks[0];
/// assert_eq!((block.kind.dim, block.entity), (2, 9));
/// assert_eq!(block.groups, [5]);
/// let triangles: Vec<&[usize]> = block.nodes.chunks(block.kind.nodes).collect();
/// assert_eq!(triangles, [[0, 1, 2]]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementBlock {
    /// What they are.
    pub kind: ElementKind,
    /// Number of their geometric entity.
    pub entity: i32,
    /// Numbers of their physical groups, which have the dimension of the elements.
    pub groups: Vec<i32>,
    /// The number of each element in the file.
    pub tags: Vec<u64>,
    /// Positions in [`GmshMesh::nodes`], `kind.nodes` for each element.
    pub nodes: Vec<usize>,
}

/// A physical group.
///
/// ```
/// # let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 3 \"skin\"\n$EndPhysicalNames\n";
/// let mesh = phasefront_mesh::GmshMesh::parse(text).unwrap();
/// assert_eq!(mesh.groups[0].name, "skin");
/// assert_eq!(mesh.groups[0].dim, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhysicalGroup {
    /// Its name.
    pub name: String,
    /// Dimension of its elements, 0 to 3.
    pub dim: usize,
    /// Its number, unique in its dimension.
    pub tag: i32,
}

/// A kind of element.
///
/// ```
/// let kind = phasefront_mesh::gmsh::ElementKind::new(11).unwrap();
/// assert_eq!((kind.dim, kind.nodes), (3, 10));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementKind {
    /// Gmsh's number for it.
    pub number: i32,
    /// Its dimension.
    pub dim: usize,
    /// Nodes of one element.
    pub nodes: usize,
}

impl ElementKind {
    /// The kind with Gmsh's number (Gmsh reference manual, section "MSH file format").
    pub fn new(number: i32) -> Option<Self> {
        let &(_, dim, nodes) = KINDS.iter().find(|kind| kind.0 == number)?;
        Some(Self { number, dim, nodes })
    }
}

/// Gmsh's number, dimension and nodes: points, lines, triangles, quadrangles, tetrahedra, hexahedra, prisms and pyramids,
/// complete and serendipity ones, up to the eighth order for simplices.
#[rustfmt::skip]
const KINDS: [(i32, usize, usize); 52] = [
    (15, 0, 1),
    (1, 1, 2), (8, 1, 3), (26, 1, 4), (27, 1, 5), (28, 1, 6), (62, 1, 7), (63, 1, 8), (64, 1, 9), (65, 1, 10), (66, 1, 11),
    (2, 2, 3), (9, 2, 6), (20, 2, 9), (21, 2, 10), (22, 2, 12), (23, 2, 15), (24, 2, 15), (25, 2, 21), (42, 2, 28),
    (43, 2, 36), (44, 2, 45),
    (3, 2, 4), (10, 2, 9), (16, 2, 8), (36, 2, 16), (37, 2, 25), (38, 2, 36), (47, 2, 49), (48, 2, 64), (49, 2, 81),
    (4, 3, 4), (11, 3, 10), (29, 3, 20), (30, 3, 35), (31, 3, 56), (71, 3, 84), (72, 3, 120), (73, 3, 165),
    (5, 3, 8), (12, 3, 27), (17, 3, 20), (92, 3, 64), (93, 3, 125), (94, 3, 216),
    (6, 3, 6), (13, 3, 18), (18, 3, 15),
    (7, 3, 5), (14, 3, 14), (19, 3, 13), (118, 3, 30),
];

impl GmshMesh {
    /// The names of the groups of a block, for messages.
    pub(super) fn group_names(&self, block: &ElementBlock) -> String {
        let of_block =
            |group: &&PhysicalGroup| group.dim == block.kind.dim && block.groups.contains(&group.tag);
        let names: Vec<String> =
            self.groups.iter().filter(of_block).map(|group| format!("{:?}", group.name)).collect();
        if names.is_empty() { "no physical group".into() } else { names.join(", ") }
    }

    /// The group with this name and dimension.
    ///
    /// ```
    /// # let text = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 3 \"skin\"\n$EndPhysicalNames\n";
    /// let mesh = phasefront_mesh::GmshMesh::parse(text).unwrap();
    /// assert!(mesh.group("skin", 1).is_ok());
    /// let error = mesh.group("skim", 1).unwrap_err();
    /// assert_eq!(error.advice(), "did you mean \"skin\"? the file has \"skin\" (dimension 1)");
    /// ```
    pub fn group(&self, name: &str, dim: usize) -> Result<&PhysicalGroup, MeshError> {
        if let Some(group) = self.groups.iter().find(|group| group.name == name && group.dim == dim) {
            return Ok(group);
        }
        // A group of that name in another dimension is a likelier error than a wrong name.
        Err(match self.groups.iter().find(|group| group.name == name) {
            Some(other) => MeshError::geometry(
                format!(
                    "the physical group {name:?} has dimension {}, where dimension {dim} is wanted",
                    other.dim
                ),
                match dim {
                    1 => "make a group of curves: Physical Curve(\"name\") = {...} in Gmsh",
                    2 => "make a group of surfaces: Physical Surface(\"name\") = {...} in Gmsh",
                    _ => "make a group of that dimension in Gmsh",
                },
            ),
            None => MeshError::NotFound {
                kind: "physical group",
                name: name.into(),
                known: self
                    .groups
                    .iter()
                    .map(|group| (group.name.clone(), format!(" (dimension {})", group.dim)))
                    .collect(),
            },
        })
    }
}
