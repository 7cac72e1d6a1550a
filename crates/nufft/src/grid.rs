//! The fine grid of a transform: its size and the deconvolution factors.

use crate::error::{NufftError, Result};
use crate::kernel::Kernel;
use crate::options::ModeOrder;
use std::f64::consts::TAU;

/// Maximum points of a fine grid: 2⁴⁰ would be 16 TB.
const MAX_POINTS: u128 = 1 << 40;

/// Sizes along up to three axes, the first running fastest; unused axes have size 1.
#[derive(Debug, Clone, PartialEq)]
pub struct GridShape {
    pub dimensions: usize,
    pub modes: [usize; 3],
    pub fine: [usize; 3],
    /// Taps per axis; 1 for unused axes.
    pub taps: [usize; 3],
}

impl GridShape {
    pub fn new(modes: &[usize], kernel: &Kernel) -> Result<Self> {
        let dimensions = modes.len();
        let mut shape = Self { dimensions, modes: [1; 3], fine: [1; 3], taps: [1; 3] };
        for (axis, &n) in modes.iter().enumerate() {
            shape.modes[axis] = n;
            shape.taps[axis] = kernel.width;
            let minimum = (n as f64 * kernel.upsampling).ceil() as usize;
            // Even where there are few modes, taps must not wrap around more than once: two kernel
            // widths at least.
            shape.fine[axis] = smooth_size(minimum.max(2 * kernel.width)).ok_or(too_large(minimum as f64))?;
        }
        shape.checked()
    }

    /// A grid of exactly these sizes, with every point a mode.
    pub fn exact(fine: &[usize], kernel: &Kernel) -> Result<Self> {
        let mut shape = Self { dimensions: fine.len(), modes: [1; 3], fine: [1; 3], taps: [1; 3] };
        for (axis, &n) in fine.iter().enumerate() {
            (shape.modes[axis], shape.fine[axis], shape.taps[axis]) = (n, n, kernel.width);
        }
        shape.checked()
    }

    fn checked(self) -> Result<Self> {
        // In 128 bits: the product of three sizes may overflow 64.
        let points: u128 = self.fine.iter().map(|&n| n as u128).product();
        // Taps are numbered with 32 bits along an axis.
        if points > MAX_POINTS || self.fine.iter().any(|&n| u32::try_from(n).is_err()) {
            return Err(too_large(points as f64));
        }
        Ok(self)
    }

    /// Grid index of each mode along an axis, in the order of the caller.
    pub fn mode_indices(&self, axis: usize, order: ModeOrder) -> Vec<usize> {
        let fine = self.fine[axis] as i64;
        // Negative modes are in the upper half of an FFT grid.
        mode_numbers(self.modes[axis], order).map(|k| k.rem_euclid(fine) as usize).collect()
    }

    /// Deconvolution factor 1/Φ(2πk/n) of each mode along an axis, in the order of the caller.
    pub fn deconvolution(&self, axis: usize, kernel: &Kernel, order: ModeOrder) -> Vec<f64> {
        // An unused axis has one mode with the factor 1,
        // so that loops over three axes need no branches.
        if axis >= self.dimensions {
            return vec![1.0];
        }
        let step = TAU / self.fine[axis] as f64;
        mode_numbers(self.modes[axis], order).map(|k| 1.0 / kernel.transform(step * k as f64)).collect()
    }
}

/// The error of a grid with too many points.
pub(crate) fn too_large(count: f64) -> NufftError {
    NufftError::TooLarge { what: "points of the fine grid", count }
}

/// The modes −N/2, …, (N−1)/2 in either order.
pub(crate) fn mode_numbers(count: usize, order: ModeOrder) -> impl Iterator<Item = i64> {
    let (half, count) = ((count / 2) as i64, count as i64);
    let shift = match order {
        ModeOrder::Centered => 0,
        ModeOrder::Fft => half,
    };
    // The order of an FFT starts at mode 0, which is at index N/2 of the centered order.
    (0..count).map(move |i| (i + shift) % count.max(1) - half)
}

/// The smallest even number 2^a 3^b 5^c that is at least `minimum`.
pub(crate) fn smooth_size(minimum: usize) -> Option<usize> {
    // Odd parts 3^b 5^c up to the best size so far, each
    // completed by the power of two that reaches the minimum.
    let mut best = minimum.checked_next_power_of_two()?.max(2);
    let mut fives = 1_usize;
    while fives <= best {
        let mut odd = fives;
        while odd <= best {
            let need = minimum.div_ceil(odd).max(2).checked_next_power_of_two()?;
            if let Some(size) = odd.checked_mul(need) {
                best = best.min(size);
            }
            let Some(next) = odd.checked_mul(3) else { break };
            odd = next;
        }
        let Some(next) = fives.checked_mul(5) else { break };
        fives = next;
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_smooth_and_least() {
        let smooth = |mut n: usize| {
            for p in [2, 3, 5] {
                while n.is_multiple_of(p) {
                    n /= p;
                }
            }
            n == 1
        };
        for least in [1, 2, 7, 320, 511, 1250, 2000, 99_991] {
            let by_search =
                (least.max(2)..=2 * least.max(2)).find(|&n: &usize| n.is_multiple_of(2) && smooth(n));
            assert_eq!(smooth_size(least), by_search, "{least}");
        }
        assert_eq!(smooth_size(usize::MAX), None);
    }

    #[test]
    fn modes_are_those_of_an_fft() {
        let centered: Vec<i64> = mode_numbers(4, ModeOrder::Centered).collect();
        assert_eq!(centered, [-2, -1, 0, 1]);
        assert_eq!(mode_numbers(5, ModeOrder::Centered).collect::<Vec<_>>(), [-2, -1, 0, 1, 2]);
        assert_eq!(mode_numbers(4, ModeOrder::Fft).collect::<Vec<_>>(), [0, 1, -2, -1]);
        assert_eq!(mode_numbers(5, ModeOrder::Fft).collect::<Vec<_>>(), [0, 1, 2, -2, -1]);
        assert_eq!(mode_numbers(0, ModeOrder::Fft).count(), 0);
    }
}
