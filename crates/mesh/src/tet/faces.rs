//! Face adjacency of tetrahedra.

use super::mesh::{TetMesh, position_in_meters};
use crate::error::MeshError;
use crate::triangle::vec3::{add, times};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// The neighbor across a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbor {
    /// The other tetrahedron.
    pub tet: u32,
    /// Its face.
    pub face: u8,
    /// Corner i of my face is corner (orientation + 3 - i) % 3 of the neighbor's.
    pub orientation: u8,
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
        let all = self.neighbors.par_iter().enumerate();
        let found: Vec<(usize, usize)> = all
            .flat_map_iter(|(tet, faces)| (0..4).filter(|&f| faces[f].is_none()).map(move |f| (tet, f)))
            .collect();
        found.into_iter()
    }
}

pub(super) fn face_id(tet: usize, face: usize) -> u32 {
    (4 * tet + face) as u32
}

impl TetMesh {
    /// The table of faces, once it is checked that the mesh is sound and conforming: every face is in one or two
    /// tetrahedra, neither faces nor volumes overlap, and every surface triangle is a face.
    pub fn faces(&self) -> Result<FaceTable, MeshError> {
        let table = self.adjacency()?;
        // The geometric checks need the adjacency: only boundary faces can overlap.
        self.check_conforming(&table)?;
        self.check_apart(&table)?;
        Ok(table)
    }

    /// The table of faces of a mesh that may overlap itself, as guides that are added behind ports may.
    pub fn adjacency(&self) -> Result<FaceTable, MeshError> {
        self.check()?;
        let index = FaceIndex::of(self);
        Ok(FaceTable { neighbors: self.pairs(&index)?, surfaces: self.surfaces(&index)? })
    }

    fn pairs(&self, index: &FaceIndex) -> Result<Vec<[Option<Neighbor>; 4]>, MeshError> {
        let partners = index.partners().map_err(|same| self.crowded(same))?;
        let partner = |id: usize| Some(partners[id] as usize).filter(|other| *other != id);
        // The first in the order of the mesh, whatever the number of threads.
        let wrong = (0..partners.len()).into_par_iter().find_map_first(|id| {
            let other = partner(id)?;
            self.orientation(id, other).is_none().then_some((id, other))
        });
        if let Some((id, other)) = wrong {
            return Err(self.same_side(id, other));
        }
        let neighbor = |id: usize| {
            let other = partner(id)?;
            Some(Neighbor {
                tet: other as u32 / 4,
                face: other as u8 % 4,
                orientation: self.orientation(id, other)?,
            })
        };
        let of_tet = |tet: usize| std::array::from_fn(|face| neighbor(4 * tet + face));
        Ok((0..self.tets.len()).into_par_iter().map(of_tet).collect())
    }

    /// The orientation of a face relative to another one with the same nodes, as [`Neighbor::orientation`]; none if both tetrahedra lie on
    /// the same side.
    fn orientation(&self, mine: usize, other: usize) -> Option<u8> {
        let [corners, others] = [mine, other].map(|id| self.face(id / 4, id % 4));
        // Seen from outside, both faces are counterclockwise, so the shared corners run in
        // opposite order.
        (0..3_u8)
            .find(|&orientation| (0..3).all(|i| corners[i] == others[(usize::from(orientation) + 3 - i) % 3]))
    }

    fn same_side(&self, mine: usize, other: usize) -> MeshError {
        MeshError::geometry(
            format!(
                "tetrahedra {} and {} lie on the same side of the face that they share, at {}",
                mine / 4 + 1,
                other / 4 + 1,
                position_in_meters(self.middle_of((mine / 4, mine % 4)))
            ),
            "volumes overlap: make them parts of one model before meshing, by Coherence or occ.fragment in Gmsh",
        )
    }

    fn crowded(&self, same: &[IndexedFace]) -> MeshError {
        let tets: Vec<String> = same.iter().map(|face| (face.id / 4 + 1).to_string()).collect();
        let at = (same[0].id as usize / 4, same[0].id as usize % 4);
        MeshError::geometry(
            format!(
                "tetrahedra {} share one face, at {}",
                tets.join(", "),
                position_in_meters(self.middle_of(at))
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
                        position_in_meters(times(1.0 / 3.0, add(a, add(b, c))))
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

#[derive(Debug, Clone, Copy)]
struct IndexedFace {
    /// In ascending order.
    nodes: [u32; 3],
    id: u32,
}

impl IndexedFace {
    /// Nodes and face as one number: it is compared at once.
    fn key(&self) -> u128 {
        let [a, b, c] = self.nodes;
        [a, b, c, self.id].iter().fold(0, |key, part| key << 32 | u128::from(*part))
    }
}

/// All faces, sorted by their nodes.
struct FaceIndex(Vec<IndexedFace>);

impl FaceIndex {
    fn of(mesh: &TetMesh) -> Self {
        let of_tet = |tet: usize| {
            [0, 1, 2, 3]
                .map(|face| IndexedFace { nodes: sorted(mesh.face(tet, face)), id: face_id(tet, face) })
        };
        let mut faces = (0..mesh.tets.len()).into_par_iter().map(of_tet).collect::<Vec<_>>().into_flattened();
        // No two are equal: the order is the same for any number of threads.
        faces.par_sort_unstable_by_key(IndexedFace::key);
        Self(faces)
    }

    /// The other face with the nodes of each face, or the face itself at the boundary; more than two faces with the same nodes are an
    /// error.
    fn partners(&self) -> Result<Vec<u32>, &[IndexedFace]> {
        let faces = &self.0;
        let crowd = faces.par_windows(3).position_first(|three| three[0].nodes == three[2].nodes);
        if let Some(first) = crowd {
            return Err(self.find(faces[first].nodes));
        }
        let partners: Vec<AtomicU32> =
            (0..faces.len()).into_par_iter().map(|id| AtomicU32::new(id as u32)).collect();
        faces.par_windows(2).filter(|pair| pair[0].nodes == pair[1].nodes).for_each(|pair| {
            // Every face is in one pair at most, so that no two threads write the same entry.
            partners[pair[0].id as usize].store(pair[1].id, Ordering::Relaxed);
            partners[pair[1].id as usize].store(pair[0].id, Ordering::Relaxed);
        });
        Ok(partners.into_par_iter().map(AtomicU32::into_inner).collect())
    }

    /// The faces with these nodes.
    fn find(&self, nodes: [u32; 3]) -> &[IndexedFace] {
        let nodes = sorted(nodes);
        let first = self.0.partition_point(|face| face.nodes < nodes);
        let count = self.0[first..].iter().take_while(|face| face.nodes == nodes).count();
        &self.0[first..first + count]
    }
}

fn sorted(mut nodes: [u32; 3]) -> [u32; 3] {
    nodes.sort_unstable();
    nodes
}
