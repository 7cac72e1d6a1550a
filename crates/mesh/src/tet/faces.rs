//! Face adjacency of tetrahedra.

use super::mesh::{TetMesh, place_in_meters};
use crate::error::MeshError;
use crate::triangle::vec3::{add, times};

/// The neighbor across a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbor {
    /// The other tetrahedron.
    pub tet: u32,
    /// Its face.
    pub face: u8,
    /// Corner i of my face is corner (turn + 3 - i) % 3 of the neighbor's.
    pub turn: u8,
}

/// Neighbors and surface groups of the faces of a [`TetMesh`].
///
/// ```
/// use phasefront_mesh::BoxMesh;
///
/// let cube = BoxMesh { from: [0.0; 3], to: [1.0; 3], cell: [0.5; 3], ..BoxMesh::default() }.mesh().unwrap();
/// let faces = cube.faces().unwrap();
/// let outer = faces.neighbors.iter().flatten().filter(|neighbor| neighbor.is_none());
/// assert_eq!((cube.tets.len(), outer.count()), (48, 48));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaceTable {
    /// The neighbors of each tetrahedron, by face as in [`TET_FACES`](crate::TET_FACES); none at the boundary.
    pub neighbors: Vec<[Option<Neighbor>; 4]>,
    /// Faces, four times the tetrahedron plus the face, with the surface groups of the triangles on them, sorted. Inner
    /// faces are there from both sides.
    pub surfaces: Vec<(u32, u16)>,
}

impl FaceTable {
    /// The surface groups that a face is in.
    pub fn surfaces_of(&self, tet: usize, face: usize) -> impl Iterator<Item = u16> {
        // The list is sorted by face: binary search, then the few groups of this face.
        let id = face_id(tet, face);
        let first = self.surfaces.partition_point(|&(other, _)| other < id);
        self.surfaces[first..].iter().take_while(move |&&(other, _)| other == id).map(|&(_, group)| group)
    }

    /// The faces in a surface group, as tetrahedron and face; inner ones from both sides.
    pub fn faces_in(&self, group: u16) -> impl Iterator<Item = (usize, usize)> {
        let faces = self.surfaces.iter().filter(move |&&(_, other)| other == group);
        faces.map(|&(id, _)| (id as usize / 4, id as usize % 4))
    }

    /// The boundary faces, as tetrahedron and face.
    pub fn boundary(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.neighbors.iter().enumerate();
        all.flat_map(|(tet, faces)| (0..4).filter(|&f| faces[f].is_none()).map(move |f| (tet, f)))
    }
}

pub(super) fn face_id(tet: usize, face: usize) -> u32 {
    (4 * tet + face) as u32
}

impl TetMesh {
    /// The table of faces, once it is checked that the mesh is sound and conforming: every face is in one or two
    /// tetrahedra, neither faces nor volumes overlap, and every surface triangle is a face.
    pub fn faces(&self) -> Result<FaceTable, MeshError> {
        self.check()?;
        let index = FaceIndex::of(self);
        let table = FaceTable { neighbors: self.pairs(&index)?, surfaces: self.surfaces(&index)? };
        // The geometric checks need the adjacency: only boundary faces can overlap.
        self.check_conforming(&table)?;
        self.check_apart(&table)?;
        Ok(table)
    }

    /// Face neighbors, without the checks of [`TetMesh::faces`]; indices must be in range.
    pub(super) fn neighbors(&self) -> Result<Vec<[Option<Neighbor>; 4]>, MeshError> {
        self.pairs(&FaceIndex::of(self))
    }

    fn pairs(&self, index: &FaceIndex) -> Result<Vec<[Option<Neighbor>; 4]>, MeshError> {
        let mut neighbors = vec![[None; 4]; self.tets.len()];
        for same in index.faces.chunk_by(|a, b| a.nodes == b.nodes) {
            // One tetrahedron: a boundary face. More than two: not a manifold.
            let &[a, b] = same else {
                if same.len() > 2 {
                    return Err(self.crowded(same));
                }
                continue;
            };
            let [a, b] = [a, b].map(|face| (face.id as usize / 4, face.id as usize % 4));
            neighbors[a.0][a.1] = Some(self.neighbor(a, b)?);
            neighbors[b.0][b.1] = Some(self.neighbor(b, a)?);
        }
        Ok(neighbors)
    }

    /// `other`, seen from `mine`, which has the same nodes.
    fn neighbor(&self, mine: (usize, usize), other: (usize, usize)) -> Result<Neighbor, MeshError> {
        let (corners, others) = (self.face(mine.0, mine.1), self.face(other.0, other.1));
        // Seen from outside, both faces are counter-clockwise, so the shared corners run in
        // opposite order. No rotation matches if both tetrahedra lie on the same side.
        let turn = (0..3).find(|turn| (0..3).all(|i| corners[i] == others[(turn + 3 - i) % 3]));
        let turn = turn.ok_or_else(|| {
            MeshError::geometry(
                format!(
                    "tetrahedra {} and {} lie on the same side of the face that they share, at {}",
                    mine.0 + 1,
                    other.0 + 1,
                    place_in_meters(self.middle_of(mine))
                ),
                "volumes overlap: make them parts of one model before meshing, by Coherence or occ.fragment in Gmsh",
            )
        })?;
        Ok(Neighbor { tet: other.0 as u32, face: other.1 as u8, turn: turn as u8 })
    }

    fn crowded(&self, same: &[IndexedFace]) -> MeshError {
        let tets: Vec<String> = same.iter().map(|face| (face.id / 4 + 1).to_string()).collect();
        let at = (same[0].id as usize / 4, same[0].id as usize % 4);
        MeshError::geometry(
            format!(
                "tetrahedra {} share one face, at {}",
                tets.join(", "),
                place_in_meters(self.middle_of(at))
            ),
            "a face has two sides: leave out elements that are there twice, and volumes that overlap",
        )
    }

    /// The middle of a face.
    pub(super) fn middle_of(&self, (tet, face): (usize, usize)) -> [f64; 3] {
        let [a, b, c] = self.face_corners(tet, face);
        times(1.0 / 3.0, add(a, add(b, c)))
    }

    fn surfaces(&self, index: &FaceIndex) -> Result<Vec<(u32, u16)>, MeshError> {
        let mut surfaces = Vec::with_capacity(2 * self.triangles.len());
        for (triangle, &group) in self.triangles.iter().zip(&self.surface_of) {
            let faces = index.find(*triangle);
            // A surface that is no union of faces cannot carry a boundary condition.
            if faces.is_empty() {
                let [a, b, c] = triangle.map(|i| self.nodes[i as usize]);
                return Err(MeshError::geometry(
                    format!(
                        "a triangle of the surface {:?}, at {}, is no face of a tetrahedron",
                        self.surface_names[usize::from(group)],
                        place_in_meters(times(1.0 / 3.0, add(a, add(b, c))))
                    ),
                    "make the surface a part of the volumes before meshing, by occ.fragment or \"Surface{...} In Volume{...}\" in Gmsh",
                ));
            }
            surfaces.extend(faces.iter().map(|face| (face.id, group)));
        }
        surfaces.sort_unstable();
        surfaces.dedup();
        Ok(surfaces)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct IndexedFace {
    /// In ascending order.
    nodes: [u32; 3],
    id: u32,
}

/// All faces, sorted by their nodes.
struct FaceIndex {
    /// The faces with the lowest node i are those from `start[i]` to `start[i + 1]`.
    start: Vec<usize>,
    faces: Vec<IndexedFace>,
}

impl FaceIndex {
    fn of(mesh: &TetMesh) -> Self {
        let all = || {
            let ids = (0..mesh.tets.len()).flat_map(|tet| (0..4).map(move |face| (tet, face)));
            ids.map(|(tet, face)| IndexedFace { nodes: sorted(mesh.face(tet, face)), id: face_id(tet, face) })
        };
        // Counting sort by the lowest node: linear, and the bins of a few faces are then sorted in
        // cache.
        let mut start = vec![0_usize; mesh.nodes.len() + 1];
        for face in all() {
            start[face.nodes[0] as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut faces = vec![IndexedFace::default(); 4 * mesh.tets.len()];
        let mut free = start.clone();
        for face in all() {
            let at = &mut free[face.nodes[0] as usize];
            faces[*at] = face;
            *at += 1;
        }
        for bin in start.windows(2) {
            faces[bin[0]..bin[1]].sort_unstable();
        }
        Self { start, faces }
    }

    /// The faces with these nodes.
    fn find(&self, nodes: [u32; 3]) -> &[IndexedFace] {
        let nodes = sorted(nodes);
        let bin = &self.faces[self.start[nodes[0] as usize]..self.start[nodes[0] as usize + 1]];
        let first = bin.partition_point(|face| face.nodes < nodes);
        let count = bin[first..].iter().take_while(|face| face.nodes == nodes).count();
        &bin[first..first + count]
    }
}

fn sorted(mut nodes: [u32; 3]) -> [u32; 3] {
    nodes.sort_unstable();
    nodes
}
