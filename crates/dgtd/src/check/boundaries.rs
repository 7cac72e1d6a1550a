//! Outer faces without a boundary condition.

use crate::domain::Domain;
use crate::error::DgtdError;
use phasefront_core::FieldError;
use phasefront_mesh::TetMesh;

/// Every outer face needs a boundary condition; behind a PML it is an absorbing one by default.
pub fn check(domain: &Domain) -> Result<(), DgtdError> {
    let bare = domain.faces.boundary().find(|&(tet, face)| domain.conditions[tet][face].is_interior());
    let Some((tet, face)) = bare else { return Ok(()) };
    // The message names the surface if the face is in one; otherwise it gives a position.
    let named: Vec<&str> = domain
        .faces
        .surfaces_of(tet, face)
        .map(|g| domain.mesh.surface_names[usize::from(g)].as_str())
        .collect();
    let (what, advice) = if let Some(name) = named.first() {
        (
            format!(
                "the surface {name:?} is on the outer boundary of the mesh, but has no boundary condition"
            ),
            format!("add it to the boundaries: {name} = \"pec\", \"pmc\" or \"absorbing\""),
        )
    } else {
        let [x, y, z] = center(&domain.mesh, tet, face);
        (
            format!(
                "a face on the outer boundary of the mesh, at ({x:.4}, {y:.4}, {z:.4}) m, is in no surface group"
            ),
            "assign all outer faces to physical surfaces, and name these in the boundaries".into(),
        )
    };
    Err(FieldError::new("geometry.boundaries", what, advice).into())
}

fn center(mesh: &TetMesh, tet: usize, face: usize) -> [f64; 3] {
    let corners = mesh.face_corners(tet, face);
    std::array::from_fn(|axis| corners.iter().map(|p| p[axis]).sum::<f64>() / 3.0)
}
