//! Numbers in tables and plots.

/// Degrees, without the rounding error of the conversion from radians: 57 and not
/// 57.00000000000001.
pub(crate) fn degrees(radians: f64) -> f64 {
    (radians.to_degrees() * 1e10).round() / 1e10
}
