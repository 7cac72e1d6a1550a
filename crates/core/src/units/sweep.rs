//! Sweeps of a parameter: one value, a list, or a uniform range.

use super::quantity::{Dimension, Quantity};

/// Upper limit of points in a sweep: far above any use, and low enough that a typing error cannot
/// exhaust the memory.
pub const MAX_SWEEP_POINTS: usize = 10_000_000;

/// Uniformly spaced range with both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range<D: Dimension> {
    /// First value.
    pub from: Quantity<D>,
    /// Last value.
    pub to: Quantity<D>,
    /// Number of values, ends included.
    pub points: usize,
}

impl<D: Dimension> Range<D> {
    /// All values in SI units.
    pub fn values(&self) -> Vec<f64> {
        let (a, b) = (self.from.si(), self.to.si());
        let last = self.points.saturating_sub(1).max(1) as f64;
        (0..self.points)
            // The last value is `to` itself: a + (b − a) may differ from b in the last bit.
            .map(|i| if i + 1 == self.points && i > 0 { b } else { a + (b - a) * (i as f64 / last) })
            .collect()
    }
}

/// One quantity, a list, or `{ from, to, points }`.
///
/// ```
/// use phasefront_core::{Frequency, Sweep, units::FrequencyDim};
/// let sweep: Sweep<FrequencyDim> = serde_json::from_str(r#"{"from": "1 GHz", "to": "2 GHz", "points": 3}"#).unwrap();
/// assert_eq!(sweep.values(), [1e9, 1.5e9, 2e9]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Sweep<D: Dimension> {
    /// A single value.
    One(Quantity<D>),
    /// Values in the order given.
    List(Vec<Quantity<D>>),
    /// Uniformly spaced values.
    Range(Range<D>),
}

impl<D: Dimension> Sweep<D> {
    /// All values in SI units.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::One(q) => vec![q.si()],
            Self::List(list) => list.iter().map(|q| q.si()).collect(),
            Self::Range(range) => range.values(),
        }
    }
}
