//! `f32` and `f64` with the compiled SIMD routines of this crate.

use super::interpolate_points::{InterpolateValues, InterpolateWithGradient};
use super::scalar::Scalar;
use super::spread_points::SpreadPoints;
use phasefront_core::simd::dispatch;

/// The SIMD routines for one type. They are not generic, so that they are compiled once, here, and not in every crate that runs a
/// transform, which saves minutes of build time.
pub trait Routines: Sized {
    /// Spreads points over a subgrid.
    fn spread(job: SpreadPoints<'_, '_, Self>);
    /// Interpolates values.
    fn interpolate(job: InterpolateValues<'_, '_, Self>);
    /// Interpolates values and derivatives.
    fn interpolate_with_gradient(job: InterpolateWithGradient<'_, '_, Self>);
}

/// `f32` or `f64`, with SIMD vectors, transforms and routines.
pub trait Float: Scalar + Routines {}

macro_rules! float {
    ($real:ty) => {
        impl Routines for $real {
            fn spread(job: SpreadPoints<'_, '_, Self>) {
                dispatch(job);
            }
            fn interpolate(job: InterpolateValues<'_, '_, Self>) {
                dispatch(job);
            }
            fn interpolate_with_gradient(job: InterpolateWithGradient<'_, '_, Self>) {
                dispatch(job);
            }
        }
        impl Float for $real {}
    };
}
float!(f32);
float!(f64);
