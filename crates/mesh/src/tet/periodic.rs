//! Periodic boundaries: opposite sides whose faces become neighbors.

use super::faces::{FaceTable, Neighbor};
use super::mesh::{TetMesh, position_in_meters};
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, add, dot, norm, sub};
use crate::triangle::weld::weld;

/// Tolerance for matching points of the two sides, relative to the size of a side: files with seven
/// digits suffice.
const SAME_POSITION: f64 = 1e-6;

type Face = (usize, usize);

impl FaceTable {
    /// Joins two groups of boundary faces that are translates of one another: every face of the one becomes the neighbor of
    /// its translate. Returns the translation from a to b.
    ///
    /// ```
    /// use phasefront_mesh::BoxMesh;
    ///
    /// let mesh = BoxMesh { cell: [0.5; 3], ..BoxMesh::default() }.mesh().unwrap();
    /// let mut faces = mesh.faces().unwrap();
    /// let [a, b] = ["xmin", "xmax"].map(|name| mesh.surface(name).unwrap());
    /// assert_eq!(faces.join_periodic(&mesh, a, b).unwrap(), [1.0, 0.0, 0.0]);
    /// assert_eq!(faces.boundary().count(), 4 * 8);
    /// ```
    pub fn join_periodic(&mut self, mesh: &TetMesh, a: u16, b: u16) -> Result<[f64; 3], MeshError> {
        let names = Names { first: name_of(mesh, a)?, second: name_of(mesh, b)? };
        let [first, second] = [self.side(a, names.first)?, self.side(b, names.second)?];
        if first.len() != second.len() {
            return Err(names.differ(&format!("{} faces and {}", first.len(), second.len())));
        }
        let ([low, high], [other_low, _]) = (bounds(mesh, &first), bounds(mesh, &second));
        // The lowest corners of both bounding boxes correspond under a translation.
        let shift = sub(other_low, low);
        let near = SAME_POSITION * norm(sub(high, low));
        // Centroids of the first side, translated, followed by those of the second: welding maps
        // each of the latter to its partner in linear time.
        let moved = first.iter().map(|&face| add(mesh.middle_of(face), shift));
        let middles: Vec<Vec3> = moved.chain(second.iter().map(|&face| mesh.middle_of(face))).collect();
        let origin = sub(other_low, [near; 3]);
        let partners = weld(&middles, origin, near);
        let mut joined = Vec::with_capacity(first.len());
        for (&face, &partner) in second.iter().zip(&partners[first.len()..]) {
            let found = first.get(partner as usize);
            let pair =
                found.and_then(|&partner| Some((partner, orientation(mesh, partner, face, shift, near)?)));
            let Some((partner, orientation)) = pair else {
                let at = position_in_meters(mesh.middle_of(face));
                return Err(names.differ(&format!("the face of {:?} at {at} has no partner", names.second)));
            };
            joined.push((partner, face, orientation));
        }
        // Only after all pairs are found: an error leaves the table unchanged.
        for (mine, other, orientation) in joined {
            self.neighbors[mine.0][mine.1] = Some(behind(other, orientation));
            self.neighbors[other.0][other.1] = Some(behind(mine, orientation));
        }
        Ok(shift)
    }

    /// The faces of a group, all of which must be at the boundary.
    fn side(&self, group: u16, name: &str) -> Result<Vec<Face>, MeshError> {
        let faces: Vec<Face> = self.faces_in(group).collect();
        let advice = "a periodic boundary joins two opposite outer sides of the mesh, each once";
        if faces.is_empty() {
            return Err(MeshError::geometry(format!("the surface {name:?} has no faces"), advice));
        }
        let inner = faces.iter().filter(|&&(tet, face)| self.neighbors[tet][face].is_some()).count();
        if inner > 0 {
            let problem = format!(
                "{inner} of the {} faces of the surface {name:?} have neighbors already",
                faces.len()
            );
            return Err(MeshError::geometry(problem, advice));
        }
        Ok(faces)
    }
}

struct Names<'a> {
    first: &'a str,
    second: &'a str,
}

impl Names<'_> {
    fn differ(&self, how: &str) -> MeshError {
        MeshError::geometry(
            format!(
                "the surfaces {:?} and {:?} are no translates of each other: {how}",
                self.first, self.second
            ),
            "mesh one as a copy of the other: \"Periodic Surface\" or mesh.setPeriodic in Gmsh",
        )
    }
}

fn name_of(mesh: &TetMesh, group: u16) -> Result<&str, MeshError> {
    mesh.surface_names.get(usize::from(group)).map(String::as_str).ok_or_else(|| {
        MeshError::geometry(
            format!("there is no surface group {group}, counted from 0, of {}", mesh.surface_names.len()),
            "give the number that TetMesh::surface has for its name",
        )
    })
}

fn bounds(mesh: &TetMesh, faces: &[Face]) -> [Vec3; 2] {
    let corners = || faces.iter().flat_map(|&(tet, face)| mesh.face_corners(tet, face));
    let extreme = |pick: fn(f64, f64) -> f64| {
        corners().reduce(|a, b| [0, 1, 2].map(|k| pick(a[k], b[k]))).unwrap_or_default()
    };
    [extreme(f64::min), extreme(f64::max)]
}

fn behind((tet, face): Face, orientation: u8) -> Neighbor {
    Neighbor { tet: tet as u32, face: face as u8, orientation }
}

/// The orientation between a translated face and another; none if their corners do not coincide, or
/// if both normals point to the same side.
fn orientation(mesh: &TetMesh, mine: Face, other: Face, shift: Vec3, near: f64) -> Option<u8> {
    let corners = mesh.face_corners(mine.0, mine.1).map(|corner| add(corner, shift));
    let others = mesh.face_corners(other.0, other.1);
    let meets = |orientation: usize| {
        let gaps = (0..3).map(|i| sub(corners[i], others[(orientation + 3 - i) % 3]));
        gaps.into_iter().all(|gap| dot(gap, gap) <= near * near)
    };
    (0..3_u8).find(|&orientation| meets(usize::from(orientation)))
}
