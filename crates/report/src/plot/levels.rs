//! The range of levels in dB that a plot shows.

use super::scale;

/// Ends are multiples of this, dB.
const STEP: f64 = 5.0;

/// Limits of an axis or a color scale for levels in dB: from the maximum down by at most `depth`, since nulls are arbitrarily
/// deep. Both limits are multiples of 5 dB; values that are not finite are ignored.
///
/// ```
/// use phasefront_report::plot::level_range;
/// assert_eq!(level_range([-3.2, -17.0, -310.0, f64::NEG_INFINITY], 50.0), [-50.0, 0.0]);
/// assert_eq!(level_range([12.0, 3.0], 50.0), [0.0, 15.0]);
/// ```
pub fn level_range(levels: impl IntoIterator<Item = f64>, depth: f64) -> [f64; 2] {
    let [lowest, highest] = scale::extent(levels, false).unwrap_or([-depth, 0.0]);
    let high = (highest / STEP).ceil() * STEP;
    let low = (lowest / STEP).floor() * STEP;
    [low.max(high - depth).min(high - STEP), high]
}
