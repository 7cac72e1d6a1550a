//! Numbers in scripts.

/// Numbers, separated by commas.
pub(super) fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:e}")).collect::<Vec<_>>().join(", ")
}
