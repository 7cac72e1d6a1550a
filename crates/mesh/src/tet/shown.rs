//! The faces of a part of a mesh, each once: what a picture of it shows.

use super::faces::face_id;
use super::mesh::TetMesh;
use rayon::prelude::*;

/// Tetrahedra whose faces are sorted at a time, so that a large mesh needs 100 MB besides itself.
const BATCH: usize = 1 << 20;

/// A face of a part of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFace {
    /// Its corners, counterclockwise seen from outside of the first of `tets`.
    pub corners: [u32; 3],
    /// The tetrahedra of the part that it belongs to: one, or two inside of the part.
    pub tets: Vec<usize>,
    /// The surface groups that it is in.
    pub surfaces: Vec<u16>,
}

/// What has a face.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// A tetrahedron: four times its number plus the face.
    Tet(u32),
    /// A surface group.
    Surface(u16),
}

impl TetMesh {
    /// Visits each face of the tetrahedra that `is_kept` keeps once, in an order that depends on the mesh alone. Unlike [`TetMesh::faces`]
    /// it takes meshes that a solver refuses, and keeps no table.
    ///
    /// ```
    /// use phasefront_mesh::BoxMesh;
    ///
    /// let cube = BoxMesh { from: [0.0; 3], to: [1.0; 3], cell: [0.5; 3], ..BoxMesh::default() }.mesh().unwrap();
    /// let (mut inner, mut outer) = (0, 0);
    /// cube.visit_faces(|_| true, |face| if face.tets.len() == 2 { inner += 1 } else { outer += 1 });
    /// assert_eq!((outer, outer + 2 * inner), (48, 4 * cube.tets.len()));
    /// ```
    pub fn visit_faces(&self, is_kept: impl Fn(usize) -> bool + Sync, mut visit: impl FnMut(&ShownFace)) {
        let mut face = ShownFace { corners: [0; 3], tets: Vec::new(), surfaces: Vec::new() };
        let batches = self.tets.len().div_ceil(BATCH).max(1);
        for batch in 0..batches {
            // A face belongs to the batch of its first node.
            let is_here = |(nodes, _): &([u32; 3], Owner)| nodes[0] as usize % batches == batch;
            let tets = (0..self.tets.len()).into_par_iter().filter(|&tet| is_kept(tet));
            let of_tets = tets.flat_map_iter(|tet| {
                (0..4).map(move |face| (sorted(self.face(tet, face)), Owner::Tet(face_id(tet, face))))
            });
            let surfaces = self.triangles.par_iter().zip(&self.surface_of);
            let of_surfaces = surfaces.map(|(nodes, &group)| (sorted(*nodes), Owner::Surface(group)));
            let mut owned: Vec<([u32; 3], Owner)> = of_tets.chain(of_surfaces).filter(is_here).collect();
            // Tetrahedra come before surfaces.
            owned.par_sort_unstable();
            for owners in owned.chunk_by(|a, b| a.0 == b.0) {
                let Owner::Tet(first) = owners[0].1 else { continue };
                face.corners = self.face(first as usize / 4, first as usize % 4);
                face.tets.clear();
                face.surfaces.clear();
                for (_, owner) in owners {
                    match *owner {
                        Owner::Tet(id) => face.tets.push(id as usize / 4),
                        Owner::Surface(group) => face.surfaces.push(group),
                    }
                }
                visit(&face);
            }
        }
    }
}

fn sorted(mut nodes: [u32; 3]) -> [u32; 3] {
    nodes.sort_unstable();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tetrahedra on both sides of a named triangle, and a triangle that is no face.
    fn pair() -> TetMesh {
        TetMesh {
            nodes: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]],
            tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]],
            volume_of: vec![0, 0],
            volume_names: vec!["air".into()],
            triangles: vec![[0, 1, 2], [1, 3, 4]],
            surface_of: vec![7, 7],
            ..TetMesh::default()
        }
    }

    #[test]
    fn a_face_knows_both_sides_and_its_surface() {
        let mut found = Vec::new();
        pair().visit_faces(|_| true, |face| found.push(face.clone()));
        assert_eq!(found.len(), 7);
        let inner: Vec<_> = found.iter().filter(|face| face.tets.len() == 2).collect();
        // Seen from below, outside of the first one: 0, 2, 1.
        assert_eq!(inner, [&ShownFace { corners: [0, 2, 1], tets: vec![0, 1], surfaces: vec![7] }]);
        assert!(found.iter().all(|face| face.tets.len() == 2 || face.surfaces.is_empty()));
    }

    #[test]
    fn the_end_of_a_part_has_one_side() {
        let mut found = Vec::new();
        pair().visit_faces(|tet| tet == 1, |face| found.push(face.clone()));
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|face| face.tets == [1]));
        assert_eq!(found.iter().filter(|face| face.surfaces == [7]).count(), 1);
    }
}
