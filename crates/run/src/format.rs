//! Numbers as tables and plots show them.

/// Degrees, rounded where radians blur them: 57 and not 57.00000000000001.
pub(crate) fn degrees(radians: f64) -> f64 {
    (radians.to_degrees() * 1e10).round() / 1e10
}

/// A power ratio in decibels.
pub(crate) fn decibels(power: f64) -> f64 {
    10.0 * power.log10()
}
