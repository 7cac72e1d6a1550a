//! Ratios in decibels and back.
//!
//! [`power_db`] and [`amplitude_db`] have no floor: zero becomes −∞, which tables and plots treat as missing. The `finite_` forms replace zero by the
//! smallest normal number, about −3077 dB (power) and −6153 dB (amplitude), for formats that cannot hold an infinity.

/// 10 log₁₀ of a power ratio; −∞ for zero.
///
/// ```
/// assert_eq!(phasefront_core::decibels::power_db(100.0), 20.0);
/// ```
pub fn power_db(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

/// 20 log₁₀ of an amplitude ratio; −∞ for zero.
///
/// ```
/// assert_eq!(phasefront_core::decibels::amplitude_db(10.0), 20.0);
/// ```
pub fn amplitude_db(ratio: f64) -> f64 {
    20.0 * ratio.log10()
}

/// [`power_db`] with zero replaced by the smallest normal number, so that the level is finite.
///
/// ```
/// let level = phasefront_core::decibels::finite_power_db(0.0);
/// assert!(level.is_finite() && level < -3000.0);
/// ```
pub fn finite_power_db(ratio: f64) -> f64 {
    power_db(ratio.max(f64::MIN_POSITIVE))
}

/// [`amplitude_db`] with zero replaced by the smallest normal number, so that the level is finite.
pub fn finite_amplitude_db(ratio: f64) -> f64 {
    amplitude_db(ratio.max(f64::MIN_POSITIVE))
}

/// The power ratio of a level: 10^(dB/10).
///
/// ```
/// assert_eq!(phasefront_core::decibels::power_ratio(20.0), 100.0);
/// ```
pub fn power_ratio(db: f64) -> f64 {
    10_f64.powf(0.1 * db)
}

/// The amplitude ratio of a level: 10^(dB/20).
///
/// ```
/// assert_eq!(phasefront_core::decibels::amplitude_ratio(20.0), 10.0);
/// ```
pub fn amplitude_ratio(db: f64) -> f64 {
    10_f64.powf(db / 20.0)
}
