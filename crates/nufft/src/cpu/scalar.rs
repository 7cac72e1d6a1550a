//! `f32` and `f64` with SIMD vectors and FFTs.

use phasefront_core::Real;
use phasefront_core::simd::SimdReal;
use phasefront_device::cpu::PlanFft;

/// `f32` or `f64`, with SIMD vectors and FFTs.
pub trait Scalar: SimdReal + PlanFft {}

impl<T: SimdReal + PlanFft> Scalar for T {}

/// A double rounded to working precision. (`T::from_f64` alone is ambiguous: `FftNum` brings another.)
#[inline(always)]
pub(crate) fn real<T: Scalar>(x: f64) -> T {
    <T as Real>::from_f64(x)
}
