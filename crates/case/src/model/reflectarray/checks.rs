//! Checks shared by parts of the case.

use phasefront_core::FieldError;

/// Rejects an exponent of a pattern that is negative or not finite.
pub(super) fn check_exponent(path: &str, exponent: f64) -> Result<(), FieldError> {
    if exponent >= 0.0 && exponent.is_finite() {
        return Ok(());
    }
    let message = "the exponent must be finite and not negative";
    Err(FieldError::new(path, message, "a larger exponent gives a narrower pattern; 0 is isotropic"))
}

/// Rejects a level that is not finite.
pub(super) fn check_level(path: impl Into<String>, level: Option<f64>) -> Result<(), FieldError> {
    match level {
        Some(level) if !level.is_finite() => {
            Err(FieldError::new(path, "the level must be a finite number", "give it in dBi, or omit it"))
        }
        _ => Ok(()),
    }
}

/// Rejects an empty file name.
pub(super) fn check_file(path: impl Into<String>, file: Option<&str>) -> Result<(), FieldError> {
    match file {
        Some("") => {
            Err(FieldError::new(path, "the file name is empty", "give its path relative to the case file"))
        }
        _ => Ok(()),
    }
}
