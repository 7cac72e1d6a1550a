//! Faces on the outside of the mesh without a boundary condition.

use crate::domain::{Domain, Skin};
use crate::error::DgtdError;
use phasefront_core::FieldError;
use phasefront_mesh::TetMesh;

/// Every outer face must be something; behind layers that absorb it is an absorbing condition by itdomain.
pub fn check(domain: &Domain) -> Result<(), DgtdError> {
    let bare = domain.faces.boundary().find(|&(tet, face)| domain.skins[tet][face] == Skin::Open);
    let Some((tet, face)) = bare else { return Ok(()) };
    let named: Vec<&str> = domain
        .faces
        .surfaces_of(tet, face)
        .map(|g| domain.mesh.surface_names[usize::from(g)].as_str())
        .collect();
    let (what, advice) = if let Some(name) = named.first() {
        (
            format!("the surface {name:?} is on the outside of the mesh, and nothing says what it is"),
            format!("add it to the boundaries: {name} = \"pec\", \"pmc\" or \"absorbing\""),
        )
    } else {
        let [x, y, z] = center(&domain.mesh, tet, face);
        (
            format!(
                "a face on the outside of the mesh, at ({x:.4}, {y:.4}, {z:.4}) m, is in no surface group"
            ),
            "put all outer faces into physical surfaces, and name them in the boundaries".into(),
        )
    };
    Err(FieldError::new("geometry.boundaries", what, advice).into())
}

fn center(mesh: &TetMesh, tet: usize, face: usize) -> [f64; 3] {
    let corners = mesh.face_corners(tet, face);
    std::array::from_fn(|axis| corners.iter().map(|p| p[axis]).sum::<f64>() / 3.0)
}
