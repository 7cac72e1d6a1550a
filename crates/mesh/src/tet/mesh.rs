//! Tetrahedra with volume groups, triangles with surface groups.

use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, cross, dot, sub};

/// Tetrahedra in meters, each in a named volume group; triangles in named surface groups.
///
/// ```
/// use phasefront_mesh::TetMesh;
///
/// let mesh = TetMesh {
///     nodes: vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
///     tets: vec![[0, 1, 2, 3]],
///     volume_of: vec![0],
///     volume_names: vec!["air".into()],
///     triangles: vec![[0, 2, 1]],
///     surface_of: vec![0],
///     surface_names: vec!["floor".into()],
///     ..TetMesh::default()
/// };
/// assert_eq!(mesh.volume(0), 2.0);
/// let faces = mesh.faces().unwrap();
/// assert_eq!(faces.neighbors, [[None; 4]]);
/// assert!(faces.surfaces_of(0, 3).eq([mesh.surface("floor").unwrap()]));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// Positions in meters.
    pub nodes: Vec<[f64; 3]>,
    /// Corners p₀ to p₃, indices into `nodes`; det(p₁ - p₀, p₂ - p₀, p₃ - p₀) > 0.
    pub tets: Vec<[u32; 4]>,
    /// Of a mesh of the second order, the nodes on the edges [`TET_EDGES`] of each tetrahedron; else empty.
    pub middles: Vec<[u32; 6]>,
    /// The volume group of each tetrahedron, an index into `volume_names`.
    pub volume_of: Vec<u16>,
    /// Names of the volume groups, each once.
    pub volume_names: Vec<String>,
    /// Corners of triangles that are faces of tetrahedra: one entry for each triangle and group that it is in.
    pub triangles: Vec<[u32; 3]>,
    /// Of a mesh of the second order, the nodes on the edges 01, 12 and 20 of each triangle; else empty.
    pub triangle_middles: Vec<[u32; 3]>,
    /// The surface group of each triangle, an index into `surface_names`.
    pub surface_of: Vec<u16>,
    /// Names of the surface groups, each once.
    pub surface_names: Vec<String>,
}

/// Corners of face f, which is opposite to corner f, counterclockwise seen from outside.
pub const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Corners at the ends of the edges, in Gmsh's order of the nodes between them (reference manual, "Node ordering").
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];

/// The volume group of tetrahedra that are given none.
pub const DEFAULT_VOLUME: &str = "domain";

impl TetMesh {
    /// The corners of a tetrahedron.
    pub fn corners(&self, tet: usize) -> [[f64; 3]; 4] {
        self.tets[tet].map(|i| self.nodes[i as usize])
    }

    /// The nodes at the corners of a face of a tetrahedron, in the order of [`TET_FACES`].
    pub fn face(&self, tet: usize, face: usize) -> [u32; 3] {
        TET_FACES[face].map(|corner| self.tets[tet][corner])
    }

    /// The corners of a face of a tetrahedron, counterclockwise seen from outside.
    pub fn face_corners(&self, tet: usize, face: usize) -> [[f64; 3]; 3] {
        self.face(tet, face).map(|i| self.nodes[i as usize])
    }

    /// The number of the volume group with this name.
    pub fn volume_group(&self, name: &str) -> Result<u16, MeshError> {
        number_of("volume group", name, &self.volume_names)
    }

    /// The number of the surface group with this name.
    pub fn surface(&self, name: &str) -> Result<u16, MeshError> {
        number_of("surface group", name, &self.surface_names)
    }
}

fn number_of(kind: &'static str, name: &str, names: &[String]) -> Result<u16, MeshError> {
    // Groups are 16-bit numbers, to keep the per-element tables small.
    let found = names.iter().position(|known| known == name).and_then(|i| u16::try_from(i).ok());
    found.ok_or_else(|| MeshError::NotFound {
        kind,
        name: name.into(),
        known: names.iter().map(|name| (name.clone(), String::new())).collect(),
    })
}

/// A position in a list of names as the number of a group.
pub(crate) fn group_number(position: usize) -> Result<u16, MeshError> {
    u16::try_from(position).map_err(|_| {
        MeshError::geometry("the mesh has more than 65536 groups", "put elements of one kind into one group")
    })
}

/// det(p₁ - p₀, p₂ - p₀, p₃ - p₀): six times the volume.
pub(crate) fn determinant([a, b, c, d]: [Vec3; 4]) -> f64 {
    dot(sub(b, a), cross(sub(c, a), sub(d, a)))
}

/// A position in the mesh for messages.
pub(super) fn position_in_meters(at: Vec3) -> String {
    format!("{} m", position_text(at))
}

/// A position for messages, to six digits, in the unit it is given in.
pub(crate) fn position_text([x, y, z]: Vec3) -> String {
    // Rounded by formatting and parsing back: six digits without trailing zeros or exponents.
    let short = |x: f64| format!("{x:.5e}").parse::<f64>().unwrap_or(x);
    format!("({}, {}, {})", short(x), short(y), short(z))
}
