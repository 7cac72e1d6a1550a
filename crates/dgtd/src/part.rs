//! Domain decomposition: the elements of one rank, and the faces that it shares with others.

use crate::domain::Domain;

/// A face: tetrahedron and face.
pub type FaceId = (u32, u8);

/// The faces between this rank and another one. Both have them in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Border {
    /// The other rank.
    pub rank: usize,
    /// The faces as seen from this rank's elements, whose traces are sent.
    pub own: Vec<FaceId>,
    /// The same faces as seen from the other rank's elements, whose traces are received.
    pub ghosts: Vec<FaceId>,
}

/// The elements of one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its tetrahedra, in the order of the mesh: fields are then the same to the last bit, however the mesh is divided.
    pub tets: Vec<u32>,
    /// Faces between its elements and those of other ranks, by rank.
    pub borders: Vec<Border>,
}

impl Part {
    /// All elements.
    pub fn whole(domain: &Domain) -> Self {
        Self::of((0..domain.mesh.tets.len() as u32).collect())
    }

    /// Some elements, in the order of the mesh, without those around them.
    pub fn of(tets: Vec<u32>) -> Self {
        Self { tets, borders: Vec::new() }
    }

    /// The elements of `rank`, where `owner` is the rank of each tetrahedron.
    pub fn new(domain: &Domain, owner: &[u32], rank: usize) -> Self {
        let own = |tet: usize| owner[tet] as usize == rank;
        let tets: Vec<u32> = (0..owner.len()).filter(|&tet| own(tet)).map(|tet| tet as u32).collect();
        // Faces whose other side belongs to another rank, once from each side.
        let mut cut: Vec<(usize, FaceId, FaceId)> = Vec::new();
        for &tet in &tets {
            for (face, neighbor) in domain.faces.neighbors[tet as usize].iter().enumerate() {
                if let Some(behind) = neighbor.filter(|behind| !own(behind.tet as usize)) {
                    cut.push((
                        owner[behind.tet as usize] as usize,
                        (tet, face as u8),
                        (behind.tet, behind.face),
                    ));
                }
            }
        }
        // The smaller of the two names of a face is the same on both sides.
        cut.sort_unstable_by_key(|&(other, here, there)| (other, here.min(there)));
        let borders = cut.chunk_by(|a, b| a.0 == b.0).map(|faces| Border {
            rank: faces[0].0,
            own: faces.iter().map(|face| face.1).collect(),
            ghosts: faces.iter().map(|face| face.2).collect(),
        });
        Self { tets, borders: borders.collect() }
    }
}
