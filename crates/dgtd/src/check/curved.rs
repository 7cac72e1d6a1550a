//! Where elements must not be curved.

use crate::domain::Domain;
use crate::error::DgtdError;
use crate::geometry::Shape;
use glam::DVec3;
use phasefront_core::FieldError;
use phasefront_mesh::{Neighbor, TET_EDGES, TET_FACES};
use rayon::prelude::*;

/// Largest difference in curvature of coupled edges, relative to their length: files have seven digits.
const SAME_BEND: f64 = 1e-5;

/// Refuses curved elements in PMLs, and coupled faces of different curvature.
pub fn check(domain: &Domain) -> Result<(), DgtdError> {
    // In a mesh of the first order nothing is curved.
    if domain.mesh.middles.is_empty() {
        return Ok(());
    }
    let wrong = (0..domain.mesh.tets.len()).into_par_iter().find_map_first(|tet| complaint(domain, tet));
    wrong.map_or(Ok(()), |error| Err(error.into()))
}

fn complaint(domain: &Domain, tet: usize) -> Option<FieldError> {
    let shape = Shape::of(&domain.mesh, tet);
    let [x, y, z] = (0.25 * shape.corners.iter().sum::<DVec3>()).to_array();
    if shape.curved && domain.in_pml(tet) {
        let name = domain.volume_name(tet);
        return Some(FieldError::new(
            "geometry.mesh",
            format!("the PML {name:?} has a curved element, at ({x:.4}, {y:.4}, {z:.4}) m"),
            "PML elements must be straight: keep curved surfaces at least one element away from the PML",
        ));
    }
    let differs = |face: usize| {
        domain.faces.neighbors[tet][face].is_some_and(|neighbor| {
            !fits(&shape, face, &Shape::of(&domain.mesh, neighbor.tet as usize), neighbor)
        })
    };
    (0..4).any(differs).then(|| {
        FieldError::new(
            "geometry.mesh",
            format!("a face at ({x:.4}, {y:.4}, {z:.4}) m and its neighbor have different curvature"),
            "give both sides the same mid-edge nodes; periodic sides must be translates of each other",
        )
    })
}

/// Whether the edges of two faces have the same curvature.
fn fits(mine: &Shape, face: usize, theirs: &Shape, neighbor: Neighbor) -> bool {
    let bend = |shape: &Shape, a: usize, b: usize| {
        let edge = TET_EDGES.iter().position(|e| *e == [a, b] || *e == [b, a]);
        let straight = 0.5 * (shape.corners[a] + shape.corners[b]);
        edge.map_or(DVec3::ZERO, |edge| shape.middles[edge] - straight)
    };
    // Corner i of a face is corner (orientation + 3 − i) mod 3 of the neighbor's face.
    let other =
        |i: usize| TET_FACES[usize::from(neighbor.face)][(usize::from(neighbor.orientation) + 3 - i) % 3];
    [[0, 1], [1, 2], [2, 0]].into_iter().all(|[i, j]| {
        let (a, b) = (TET_FACES[face][i], TET_FACES[face][j]);
        let length = mine.corners[a].distance(mine.corners[b]);
        bend(mine, a, b).distance(bend(theirs, other(i), other(j))) <= SAME_BEND * length
            && mine.face_is_curved(face) == theirs.face_is_curved(usize::from(neighbor.face))
    })
}
