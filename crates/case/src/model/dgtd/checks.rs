//! Checks shared by sources, ports and outputs.

use crate::model::Three;
use crate::model::checks::check_positive;
use phasefront_core::FieldError;

/// Rejects a zero vector.
pub(super) fn check_direction(path: &str, vector: Three<f64>) -> Result<(), FieldError> {
    let max_norm = vector.0.iter().fold(0.0, |max: f64, v| max.max(v.abs()));
    check_positive(path, "the length of the vector", max_norm, "write for example [0.0, 0.0, 1.0]")
}

/// Rejects an empty surface name.
pub(super) fn check_surface(path: &str, name: Option<&str>) -> Result<(), FieldError> {
    match name {
        Some("") => Err(FieldError::new(
            path,
            "the surface name is empty",
            "give the name of a physical surface of the mesh",
        )),
        _ => Ok(()),
    }
}
