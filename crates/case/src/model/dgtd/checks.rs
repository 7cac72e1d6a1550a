//! Checks that sources, ports and outputs share.

use crate::model::Three;
use crate::model::checks::check_positive;
use phasefront_core::FieldError;

/// Refuses a vector without length.
pub(super) fn check_direction(path: &str, vector: Three<f64>) -> Result<(), FieldError> {
    let largest = vector.0.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    check_positive(path, "the length of the vector", largest, "write for example [0.0, 0.0, 1.0]")
}

/// Refuses an empty name of a surface.
pub(super) fn check_surface(path: &str, name: Option<&str>) -> Result<(), FieldError> {
    match name {
        Some("") => Err(FieldError::new(
            path,
            "the name of the surface is empty",
            "give the name of a surface group of the mesh",
        )),
        _ => Ok(()),
    }
}
