//! Checks that parts of the case share.

use phasefront_core::FieldError;

/// Refuses an exponent of a pattern that is negative or not a number.
pub(super) fn check_exponent(path: &str, exponent: f64) -> Result<(), FieldError> {
    if exponent >= 0.0 && exponent.is_finite() {
        return Ok(());
    }
    let message = "the exponent must be a finite number, zero or above";
    Err(FieldError::new(path, message, "a larger one is a narrower pattern; 0 is the same in all directions"))
}

/// Refuses a level that is not a number.
pub(super) fn check_level(path: impl Into<String>, level: Option<f64>) -> Result<(), FieldError> {
    match level {
        Some(level) if !level.is_finite() => {
            Err(FieldError::new(path, "the level must be a finite number", "give it in dBi, or leave it out"))
        }
        _ => Ok(()),
    }
}

/// Refuses an empty name of a file.
pub(super) fn check_file(path: impl Into<String>, file: Option<&str>) -> Result<(), FieldError> {
    match file {
        Some("") => {
            Err(FieldError::new(path, "the name of the file is empty", "give its path from the case file"))
        }
        _ => Ok(()),
    }
}
