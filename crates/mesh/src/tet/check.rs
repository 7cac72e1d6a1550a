//! Invariants of a tetrahedral mesh.

use super::mesh::{TetMesh, determinant};
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, dot, sub};
use rayon::prelude::*;

/// A tetrahedron with a smaller determinant, relative to the cube of its longest edge, is
/// degenerate: a height of a billionth of its length allows no useful time step.
const FLAT: f64 = 1e-9;

/// The largest coordinate accepted, in meters: squares of volumes stay finite.
const MAX_COORDINATE: f64 = 1e40;

/// Face indices have 32 bits, four faces per tetrahedron.
pub(super) const MAX_TETS: usize = 1 << 30;

/// Whether a determinant is negative or negligible for a tetrahedron of this size.
pub(crate) fn is_flat(corners: [Vec3; 4], determinant: f64) -> bool {
    let pairs = (0..4).flat_map(|i| (0..i).map(move |j| sub(corners[i], corners[j])));
    let longest = pairs.map(|edge| dot(edge, edge)).fold(0.0, f64::max).sqrt();
    determinant <= FLAT * longest.powi(3)
}

impl TetMesh {
    /// Checks that lists have matching lengths, indices are in range, coordinates finite, names
    /// unique, and tetrahedra positively oriented.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        if self.tets.is_empty() {
            return Err(MeshError::geometry("the mesh has no tetrahedra", "give a volume mesh"));
        }
        if self.tets.len() > MAX_TETS || self.nodes.len() > u32::MAX as usize {
            return Err(MeshError::geometry(
                format!("{} tetrahedra with {} nodes are too many", self.tets.len(), self.nodes.len()),
                format!("mesh more coarsely: at most {MAX_TETS} tetrahedra can be counted"),
            ));
        }
        // First, since the checks below index with the lists.
        self.check_lists()?;
        // The comparison is false for NaN.
        let fine = |&x: &f64| x.abs() <= MAX_COORDINATE;
        if let Some(i) = self.nodes.iter().position(|node| !node.iter().all(fine)) {
            let [x, y, z] = self.nodes[i];
            return Err(MeshError::geometry(
                format!("node {} is at ({x}, {y}, {z})", i + 1),
                "give finite coordinates",
            ));
        }
        let wrong = (0..self.tets.len()).into_par_iter().find_first(|&t| {
            let corners = self.corners(t);
            is_flat(corners, determinant(corners))
        });
        match wrong {
            Some(t) => Err(MeshError::geometry(
                format!("tetrahedron {} has the volume {:e}", t + 1, determinant(self.corners(t)) / 6.0),
                "order its corners so that det(p1-p0, p2-p0, p3-p0) > 0, and leave out flat ones",
            )),
            None => Ok(()),
        }
    }

    fn check_lists(&self) -> Result<(), MeshError> {
        let wrong = |problem: String| {
            Err(MeshError::geometry(
                problem,
                "give every element its nodes, counted from 0, and the position of its group's name",
            ))
        };
        let (tets, triangles) = (self.tets.len(), self.triangles.len());
        // Second order is all or nothing: every element has mid-edge nodes, or none has.
        let second = !self.middles.is_empty();
        let lists = [
            ("middles", self.middles.len(), if second { tets } else { 0 }),
            ("triangle_middles", self.triangle_middles.len(), if second { triangles } else { 0 }),
            ("volume_of", self.volume_of.len(), tets),
            ("surface_of", self.surface_of.len(), triangles),
        ];
        if let Some((name, long, wanted)) = lists.iter().find(|(_, long, wanted)| long != wanted) {
            return wrong(format!("the list {name} has {long} entries instead of {wanted}"));
        }
        let lists = [
            self.tets.as_flattened(),
            self.middles.as_flattened(),
            self.triangles.as_flattened(),
            self.triangle_middles.as_flattened(),
        ];
        let beyond = |i: &&u32| **i as usize >= self.nodes.len();
        if let Some(i) = lists.iter().find_map(|list| list.par_iter().find_first(beyond)) {
            return wrong(format!("an element has node {i}, counted from 0, of {}", self.nodes.len()));
        }
        for (groups, names) in
            [(&self.volume_of, &self.volume_names), (&self.surface_of, &self.surface_names)]
        {
            if let Some(group) = groups.par_iter().find_first(|&&group| usize::from(group) >= names.len()) {
                return wrong(format!("an element is in group {group}, counted from 0, of {}", names.len()));
            }
            // Boundary conditions refer to groups by name, so that names must be unique.
            let mut names: Vec<&String> = names.iter().collect();
            names.sort_unstable();
            if let Some([name, ..]) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return wrong(format!("two groups have the name {name:?}"));
            }
        }
        Ok(())
    }
}
