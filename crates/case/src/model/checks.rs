//! Checks shared by all solvers: folder and file names, positive numbers.

use phasefront_core::FieldError;

/// Maximum number of characters of a name: result folders must fit the 255 bytes of common file systems.
pub const MAX_NAME_LENGTH: usize = 60;

/// Pattern of the names that [`check_name`] accepts, for the schema.
pub(crate) const NAME_PATTERN: &str = r"^[\p{L}\p{N}_-]([\p{L}\p{N}_. -]*[\p{L}\p{N}_-])?$";

/// Rejects a name that is not a valid folder name on every operating system.
pub(crate) fn check_name(name: &str) -> Result<(), FieldError> {
    check_file_name("name", name, "the name is used for the result folder")
}

/// Rejects a name that is not a valid file or folder name on every operating system; `why` explains the restriction.
pub(super) fn check_file_name(path: &str, name: &str, why: &str) -> Result<(), FieldError> {
    let is_allowed = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    let problem = if name.is_empty() {
        "the name is empty".to_owned()
    } else if let Some(bad) = name.chars().find(|&c| !is_allowed(c)) {
        format!("the name cannot contain {bad:?}")
    } else if name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        "the name cannot start or end with a dot or a space".to_owned()
    } else if name.chars().count() > MAX_NAME_LENGTH {
        format!("the name is longer than {MAX_NAME_LENGTH} characters")
    } else {
        return Ok(());
    };
    let advice = format!("{why}: use letters, digits, `-`, `_`, `.` and spaces, for example \"circle-1\"");
    Err(FieldError::new(path, problem, advice))
}

/// Rejects a number that is not positive and finite; `what` names the quantity in the message.
pub(super) fn check_positive(
    path: impl Into<String>,
    what: &str,
    value: f64,
    advice: impl Into<String>,
) -> Result<(), FieldError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let limit = if value == f64::INFINITY { "finite" } else { "positive" };
    Err(FieldError::new(path, format!("{what} must be {limit}"), advice))
}
