//! Refuses bodies that intersect, touch, or lie inside one another.

use super::contact::first_contact;
use super::crossing::encloses;
use crate::material::Material;
use crate::mesh::Mesh;
use crate::problem::Problem;
use crate::proximity::Contact;
use crate::shape::Point;
use phasefront_core::FieldError;

/// Refuses contours that intersect themselves and bodies in contact.
pub(crate) fn contact(mesh: &Mesh) -> Result<(), FieldError> {
    let crossing = first_contact(mesh)
        .map(|(i, j)| Contact { bodies: [mesh.chord_body[i], mesh.chord_body[j]], point: mesh.chords[j][0] });
    let Some(Contact { bodies: [a, b], point: [x, y] }) = crossing.or(mesh.contact) else { return Ok(()) };
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

/// Refuses a body inside another: no field reaches the inside of a conductor, and the formulation has vacuum on the outer side of every
/// contour.
pub(crate) fn nesting(problem: &Problem, mesh: &Mesh) -> Result<(), FieldError> {
    // The chords of a body are consecutive.
    let contours: Vec<&[[Point; 2]]> = mesh
        .chord_body
        .chunk_by(|a, b| a == b)
        .scan(0, |start, same| {
            let contour = &mesh.chords[*start..*start + same.len()];
            *start += same.len();
            Some(contour)
        })
        .collect();
    for (outer, contour) in contours.iter().enumerate().filter(|(b, _)| problem.bodies[*b].shape.is_closed())
    {
        // Contours do not intersect, so one point of a body decides.
        let inside = |inner: &usize| *inner != outer && encloses(contour.iter(), contours[*inner][0][0]);
        let Some(inner) = (0..contours.len()).find(inside) else { continue };
        let (message, advice) = match problem.bodies[outer].material {
            Material::Conductor => (
                format!("body {inner} lies inside body {outer}, a closed conductor, where there is no field"),
                "remove the inner body, open the outer one, or place them side by side",
            ),
            Material::Dielectric(_) => (
                format!("body {inner} lies inside body {outer}, which is a dielectric"),
                "place them side by side: nested media are not supported",
            ),
        };
        return Err(FieldError::new(format!("geometry.bodies[{inner}]"), message, advice));
    }
    Ok(())
}
