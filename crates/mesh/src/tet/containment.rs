//! Overlapping volumes, as in a model whose parts were meshed separately.
//!
//! The boundary of one is then inside the other: the centroid of a boundary face lies in a
//! tetrahedron.

use super::faces::FaceTable;
use super::mesh::{TetMesh, determinant, position_in_meters};
use super::overlap::ADVICE;
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, sub};
use rayon::prelude::*;

/// A point is inside a tetrahedron if all its barycentric coordinates exceed this.
const DEPTH: f64 = 1e-6;

/// The same for second-order meshes. The test uses the flat faces between the corners, which may
/// intersect where the curved ones leave a thin gap.
const DEPTH_CURVED: f64 = 0.1;

/// Number of points below which all nearby tetrahedra are tested.
const FEW: usize = 8;

struct Point {
    at: Vec3,
    tet: usize,
}

impl TetMesh {
    /// Refuses boundary faces inside tetrahedra.
    pub(super) fn check_apart(&self, faces: &FaceTable) -> Result<(), MeshError> {
        let mut points: Vec<Point> =
            faces.boundary().map(|face| Point { at: self.middle_of(face), tet: face.0 }).collect();
        let all: Vec<u32> = (0..self.tets.len() as u32).collect();
        match self.search(&mut points, &all) {
            None => Ok(()),
            Some((point, tet)) => {
                let name = |tet: usize| &self.volume_names[usize::from(self.volume_of[tet])];
                Err(MeshError::geometry(
                    format!(
                        "the tetrahedra {} of {:?} and {} of {:?} overlap, at {}",
                        point.tet + 1,
                        name(point.tet),
                        tet + 1,
                        name(tet),
                        position_in_meters(point.at)
                    ),
                    ADVICE,
                ))
            }
        }
    }

    /// A point and a tetrahedron that contains it. The set of points is bisected along its longest
    /// axis; each half retains the tetrahedra that meet its bounding box.
    fn search<'a>(&self, points: &'a mut [Point], tets: &[u32]) -> Option<(&'a Point, usize)> {
        let bound = |pick: fn(f64, f64) -> f64, start: f64| {
            points.iter().fold([start; 3], |a, point| [0, 1, 2].map(|k| pick(a[k], point.at[k])))
        };
        let (low, high) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
        let meets = |tet: usize| {
            let corners = self.corners(tet);
            (0..3).all(|k| corners.iter().any(|c| c[k] >= low[k]) && corners.iter().any(|c| c[k] <= high[k]))
        };
        // Candidates shrink with the box at every level, so that a search costs about n log n.
        let near: Vec<u32> = tets.par_iter().copied().filter(|&tet| meets(tet as usize)).collect();
        if points.len() <= FEW {
            let pairs = points.iter().flat_map(|point| near.iter().map(move |&tet| (point, tet as usize)));
            return pairs.into_iter().find(|&(point, tet)| self.holds(tet, point.at));
        }
        let size = sub(high, low);
        let axis = (0..3).fold(0, |longest, k| if size[k] > size[longest] { k } else { longest });
        let half = points.len() / 2;
        // Median split in linear time: the depth is log₂ n for any distribution of the points.
        points.select_nth_unstable_by(half, |a, b| a.at[axis].total_cmp(&b.at[axis]));
        let (lower, upper) = points.split_at_mut(half);
        // The lower half takes precedence: the same pair for any number of threads.
        let (below, above) = rayon::join(|| self.search(lower, &near), || self.search(upper, &near));
        below.or(above)
    }

    /// λₖ is the determinant with corner k at the point, over that of the tetrahedron.
    fn holds(&self, tet: usize, point: Vec3) -> bool {
        let corners = self.corners(tet);
        let depth = if self.middles.is_empty() { DEPTH } else { DEPTH_CURVED };
        // Compare determinants instead of dividing: λₖ > depth without a division by a small
        // volume.
        let least = depth * determinant(corners);
        (0..4).all(|k| {
            let mut moved = corners;
            moved[k] = point;
            determinant(moved) > least
        })
    }
}
