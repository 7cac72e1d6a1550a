//! Validation errors with the path of the invalid field.

/// What is wrong with one field of a problem.
///
/// Solvers never see the case file. They name the field by its path (`source.frequency`,
/// `geometry.bodies[2].radius`), and the caller that holds the file finds the line.
///
/// ```
/// use phasefront_core::FieldError;
/// let error = FieldError::new("source.frequency", "frequency must be positive", "write e.g. \"1 GHz\"");
/// assert_eq!(error.to_string(), "source.frequency: frequency must be positive");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct FieldError {
    /// Path of the field: keys joined by dots, list items by `[index]` from zero.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl FieldError {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), advice: advice.into() }
    }
}
