//! Checks that all solvers share: names of folders and files, positive numbers.

use phasefront_core::FieldError;

/// The most characters a name may have: result folders must fit the 255 bytes of common file systems.
pub const MAX_NAME_LENGTH: usize = 60;

/// The names that [`check_name`] takes, for the schema.
pub(crate) const NAME_PATTERN: &str = r"^[\p{L}\p{N}_-]([\p{L}\p{N}_. -]*[\p{L}\p{N}_-])?$";

/// Refuses a name that is not a good folder name on every system.
pub(crate) fn check_name(name: &str) -> Result<(), FieldError> {
    check_file_name("name", name, "the name becomes a folder")
}

/// Refuses a name that is not good for a file or a folder on every system; `why` it must be.
pub(super) fn check_file_name(path: &str, name: &str, why: &str) -> Result<(), FieldError> {
    let good = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    let problem = if name.is_empty() {
        "the name is empty".to_owned()
    } else if let Some(bad) = name.chars().find(|&c| !good(c)) {
        format!("a name cannot contain {bad:?}")
    } else if name.starts_with(['.', ' ']) || name.ends_with(['.', ' ']) {
        "a name cannot start or end with a dot or a space".to_owned()
    } else if name.chars().count() > MAX_NAME_LENGTH {
        format!("the name is longer than {MAX_NAME_LENGTH} characters")
    } else {
        return Ok(());
    };
    let advice = format!("{why}: use letters, digits, `-`, `_`, `.` and spaces, for example \"circle-1\"");
    Err(FieldError::new(path, problem, advice))
}

/// Refuses a number that is not above zero; `what` it is stands in the message.
pub(super) fn check_positive(
    path: impl Into<String>,
    what: &str,
    value: f64,
    advice: impl Into<String>,
) -> Result<(), FieldError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let limit = if value == f64::INFINITY { "finite" } else { "above zero" };
    Err(FieldError::new(path, format!("{what} must be {limit}"), advice))
}
