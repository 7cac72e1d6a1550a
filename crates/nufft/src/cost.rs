//! Cost model for the choice of the upsampling factor: a finer grid has longer FFTs and narrower kernels.

use crate::grid::smooth_size;
use crate::kernel::{Kernel, KernelUse, choose_kernel};
use crate::options::{SpreadingKernel, Upsampling};
use phasefront_core::{Precision, Real};

/// Nanoseconds, measured on one core with AVX-512: per point; per point, row and pair of complex values in it; per grid point
/// and doubling of the FFT's length.
const POINT: f64 = 12.0;
const PAIR: f64 = 0.35;
const BUTTERFLY: f64 = 0.45;

/// The faster upsampling factor for this number of points.
pub(crate) fn cheapest_upsampling<T: Real>(modes: &[usize], points: usize, tolerance: f64) -> Upsampling {
    let cost = |upsampling| {
        let kind = SpreadingKernel::Prolate;
        // A factor that cannot reach the tolerance has no cost and is not chosen.
        let kernel = choose_kernel::<T>(KernelUse::Modes(modes), tolerance, kind, upsampling).ok()?;
        Some(nanoseconds(modes, points, &kernel, T::PRECISION))
    };
    match (cost(Upsampling::Low), cost(Upsampling::High)) {
        (Some(low), Some(high)) if low < high => Upsampling::Low,
        _ => Upsampling::High,
    }
}

/// Estimated time of a transform of type 1 or 2, ns.
fn nanoseconds(modes: &[usize], points: usize, kernel: &Kernel, precision: Precision) -> f64 {
    // Rows are processed in whole vectors of 64 bytes: padding counts.
    let pairs = kernel.width.div_ceil(32 / precision.bytes()) * (32 / precision.bytes()) / 2;
    // One row along x for every combination of taps along the other axes.
    let rows = kernel.width.pow(modes.len() as u32 - 1);
    let spreading = points as f64 * (POINT + PAIR * (rows * pairs) as f64);
    let fine: Vec<f64> = modes
        .iter()
        .map(|&n| smooth_size((n as f64 * kernel.upsampling) as usize).unwrap_or(usize::MAX) as f64)
        .collect();
    let size: f64 = fine.iter().product();
    spreading + BUTTERFLY * size * size.max(2.0).log2()
}
