//! Checks of the arguments, on every device.

use crate::error::{NufftError, Result};
use phasefront_core::{Precision, Real};
use rayon::prelude::*;

/// Smallest tolerance of a precision: its rounding error, and a margin for its growth in the transform.
fn min_tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-6,
        Precision::Double => 1e-14,
    }
}

/// Checks for one to three dimensions and a tolerance attainable in the precision.
pub(crate) fn request<T: Real>(dimensions: usize, tolerance: f64) -> Result<()> {
    let attainable = min_tolerance(T::PRECISION);
    if !(1..=3).contains(&dimensions) {
        Err(NufftError::Dimensions(dimensions))
    } else if tolerance < attainable || tolerance.is_nan() {
        Err(NufftError::Tolerance { tolerance, attainable })
    } else {
        Ok(())
    }
}

/// Checks the length of an array.
pub(crate) fn length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(NufftError::Length { what, found, expected }) }
}

/// Checks that all coordinates are finite; the error has the first that is not. Returns the largest magnitude along each axis.
pub(crate) fn finite<T: Real>(points: &[&[T]]) -> Result<Vec<f64>> {
    let axis = |(axis, x): (usize, &&[T])| {
        if let Some(index) = x.par_iter().position_first(|x| !x.to_f64().is_finite()) {
            return Err(NufftError::Point { index, axis, value: x[index].to_f64() });
        }
        Ok(x.par_iter().map(|x| x.to_f64().abs()).reduce(|| 0.0, f64::max))
    };
    points.iter().enumerate().map(axis).collect()
}

/// Relative error of a coordinate that is reduced to one period as the sum of two doubles (`sort.rs`).
const PERIOD_ROUNDING: f64 = f64::EPSILON * f64::EPSILON;

/// Checks that coordinates up to `largest` can be reduced to one period accurately enough for all modes.
pub(crate) fn periods(largest: &[f64], modes: &[usize], tolerance: f64) -> Result<()> {
    let phase = largest.iter().zip(modes).map(|(x, &n)| 0.5 * n as f64 * x).fold(0.0, f64::max);
    // Beyond 2⁵² periods not even their number is exact.
    let countable = largest.iter().all(|x| *x < 1.0 / f64::EPSILON);
    if countable && phase * PERIOD_ROUNDING <= tolerance { Ok(()) } else { Err(NufftError::Phase { phase }) }
}
