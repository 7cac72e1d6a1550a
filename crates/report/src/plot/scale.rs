//! Axis scales: data to pixels.

use super::series::Axis;

/// Data are clamped to this magnitude, so that sums and differences stay finite.
const HUGE: f64 = 1e300;
/// Pixels beyond this are outside of every plot.
const FAR: f64 = 1e7;

/// A linear or logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Data at the ends.
    pub range: [f64; 2],
    pub log: bool,
    /// Pixels at the ends.
    pub pixels: [f64; 2],
}

impl Scale {
    /// The pixel of a value; `None` if it is not on the axis (NaN, or not positive on a logarithmic axis).
    pub fn pixel(&self, value: f64) -> Option<f64> {
        let [low, high] = self.range.map(|end| self.transformed(end));
        if !value.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        // Halves first: a difference of two huge values would overflow.
        let t = (0.5 * self.transformed(value) - 0.5 * low) / (0.5 * high - 0.5 * low);
        Some((self.pixels[0] + t * (self.pixels[1] - self.pixels[0])).clamp(-FAR, FAR))
    }

    fn transformed(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value.clamp(-HUGE, HUGE) }
    }
}

/// Smallest and largest value that the axis can show.
pub fn extent(values: impl IntoIterator<Item = f64>, log: bool) -> Option<[f64; 2]> {
    let fits = |x: &f64| x.is_finite() && (!log || *x > 0.0);
    values.into_iter().filter(fits).map(|x| x.clamp(-HUGE, HUGE)).fold(None, |extent, x| match extent {
        None => Some([x, x]),
        Some([low, high]) => Some([x.min(low), x.max(high)]),
    })
}

/// The range of an axis: the requested one if it is valid, else that of the data; never empty.
pub fn range(axis: &Axis, data: Option<[f64; 2]>) -> [f64; 2] {
    let fits = |x: &f64| x.is_finite() && (!axis.log || *x > 0.0);
    let requested = axis.range.filter(|ends| ends.iter().all(fits) && ends[0] != ends[1]);
    let requested = requested.and_then(|ends| extent(ends, axis.log));
    let fallback = if axis.log { [1.0, 10.0] } else { [0.0, 1.0] };
    requested.unwrap_or_else(|| widen(data.unwrap_or(fallback), axis.log))
}

/// A range around a single value.
pub fn widen([low, high]: [f64; 2], log: bool) -> [f64; 2] {
    // Closer ends would have indistinguishable tick labels.
    if 0.5 * high - 0.5 * low > 1e-12 * low.abs().max(high.abs()) {
        return [low, high];
    }
    // A single value: a tenth to each side, or a decade on a logarithmic axis.
    let middle = 0.5 * low + 0.5 * high;
    if log {
        return [(middle / 10.0).max(f64::MIN_POSITIVE), (middle * 10.0).min(HUGE)];
    }
    let half = if middle == 0.0 { 1.0 } else { 0.1 * middle.abs() };
    [middle - half, middle + half]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(range: Option<[f64; 2]>, log: bool) -> Axis {
        Axis { label: "x (m)".into(), range, log }
    }

    #[test]
    fn values_are_placed() {
        let linear = Scale { range: [0.0, 10.0], log: false, pixels: [100.0, 200.0] };
        assert_eq!(linear.pixel(5.0), Some(150.0));
        let log = Scale { range: [1.0, 100.0], log: true, pixels: [0.0, 1.0] };
        assert_eq!(log.pixel(10.0), Some(0.5));
        assert_eq!([log.pixel(0.0), log.pixel(-1.0), linear.pixel(f64::NAN)], [None; 3]);
        let huge = Scale { range: [-1e300, 1e300], log: false, pixels: [0.0, 1.0] };
        assert_eq!(huge.pixel(f64::MAX), Some(1.0));
    }

    #[test]
    fn a_range_is_never_empty() {
        assert_eq!(range(&axis(Some([3.0, -1.0]), false), None), [-1.0, 3.0]);
        for requested in [None, Some([1.0, 1.0]), Some([f64::NAN, 1.0]), Some([0.0, f64::INFINITY])] {
            assert_eq!(range(&axis(requested, false), Some([2.0, 4.0])), [2.0, 4.0], "{requested:?}");
        }
        assert_eq!(range(&axis(Some([-1.0, 5.0]), true), None), [1.0, 10.0]);
        for x in [0.0, 5.0, -1e-300, 1e300, 1.0] {
            let [low, high] = range(&axis(None, false), Some([x, x]));
            assert!(low < x && x < high, "{x}: {low} {high}");
        }
    }
}
