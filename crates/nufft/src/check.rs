//! What is asked of the caller's numbers, on every device.

use crate::error::{NufftError, Result};
use phasefront_core::{Precision, Real};
use rayon::prelude::*;

/// The smallest tolerance of a precision: its rounding, and a few digits for what adds up in the transform.
fn reach(precision: Precision) -> f64 {
    match precision {
        Precision::Single => 1e-6,
        Precision::Double => 1e-14,
    }
}

/// One to three dimensions, and a tolerance that the precision has.
pub(crate) fn request<T: Real>(dimensions: usize, tolerance: f64) -> Result<()> {
    let reach = reach(T::PRECISION);
    if !(1..=3).contains(&dimensions) {
        Err(NufftError::Dimensions(dimensions))
    } else if tolerance < reach || tolerance.is_nan() {
        Err(NufftError::Tolerance { tolerance, reach })
    } else {
        Ok(())
    }
}

/// An array has the length it should have.
pub(crate) fn length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(NufftError::Length { what, found, expected }) }
}

/// The first coordinate that is not finite is an error.
pub(crate) fn finite<T: Real>(points: &[&[T]]) -> Result<()> {
    for (axis, x) in points.iter().enumerate() {
        if let Some(index) = x.par_iter().position_first(|x| !x.to_f64().is_finite()) {
            return Err(NufftError::Point { index, axis, value: x[index].to_f64() });
        }
    }
    Ok(())
}
