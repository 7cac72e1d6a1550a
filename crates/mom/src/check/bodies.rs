//! Refuses bodies that intersect, touch, or lie inside a dielectric.

use super::contact::first_contact;
use super::crossing::encloses;
use crate::material::Material;
use crate::mesh::Mesh;
use crate::problem::Problem;
use phasefront_core::FieldError;

/// Refuses contours that intersect themselves and bodies in contact.
pub(crate) fn contact(mesh: &Mesh) -> Result<(), FieldError> {
    let Some((i, j)) = first_contact(mesh) else { return Ok(()) };
    let [x, y] = mesh.chords[j][0];
    let (a, b) = (mesh.chord_body[i], mesh.chord_body[j]);
    let path = format!("geometry.bodies[{b}]");
    if a == b {
        let message = format!("the outline intersects or touches itself near ({x:.6}, {y:.6}) m");
        return Err(FieldError::new(
            path,
            message,
            "use more cells, or change the outline so that it does not touch itself",
        ));
    }
    let message = format!("bodies {a} and {b} touch or intersect near ({x:.6}, {y:.6}) m");
    Err(FieldError::new(path, message, "separate them, or draw them as one outline"))
}

/// Refuses a body inside a dielectric: the formulation has one medium on each side of a contour, and vacuum on the outer side.
pub(crate) fn nesting(problem: &Problem, mesh: &Mesh) -> Result<(), FieldError> {
    let filled = |b: &usize| problem.bodies[*b].material != Material::Conductor;
    for outer in (0..problem.bodies.len()).filter(filled) {
        let chords =
            || mesh.chords.iter().zip(&mesh.chord_body).filter(|(_, b)| **b == outer).map(|(c, _)| c);
        let mut others = mesh.chords.iter().zip(&mesh.chord_body).filter(|(_, b)| **b != outer);
        // Contours do not intersect, so one point of a body decides.
        if let Some((_, inner)) = others.find(|(chord, _)| encloses(chords(), chord[0])) {
            let message = format!("body {inner} lies inside body {outer}, which is a dielectric");
            let advice = "place them side by side: nested media are not supported";
            return Err(FieldError::new(format!("geometry.bodies[{inner}]"), message, advice));
        }
    }
    Ok(())
}
