//! `f32` and `f64` with the routines of this crate.

use super::interpolate::{Slopes, Values};
use super::spread::SpreadPoints;
use phasefront_core::Real;
use phasefront_core::simd::{SimdReal, dispatch};
use phasefront_device::cpu::PlanFft;

/// The routines for one type. They are not generic, so they are compiled once, here, and not in every crate that runs a transform: that saves minutes
/// of build time.
pub trait Routines: Sized {
    /// Spreads points over a subgrid.
    fn spread(job: SpreadPoints<'_, '_, Self>);
    /// Interpolates values.
    fn interpolate(job: Values<'_, '_, Self>);
    /// Interpolates values and slopes.
    fn interpolate_slopes(job: Slopes<'_, '_, Self>);
}

/// `f32` or `f64`, with SIMD vectors, transforms and routines.
pub trait Float: SimdReal + PlanFft + Routines {}

macro_rules! float {
    ($real:ty) => {
        impl Routines for $real {
            fn spread(job: SpreadPoints<'_, '_, Self>) {
                dispatch(job);
            }
            fn interpolate(job: Values<'_, '_, Self>) {
                dispatch(job);
            }
            fn interpolate_slopes(job: Slopes<'_, '_, Self>) {
                dispatch(job);
            }
        }
        impl Float for $real {}
    };
}
float!(f32);
float!(f64);

/// A double rounded to working precision. (`T::from_f64` alone is ambiguous: `FftNum` brings another.)
#[inline(always)]
pub(crate) fn real<T: Float>(x: f64) -> T {
    <T as Real>::from_f64(x)
}
