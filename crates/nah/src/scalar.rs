//! The two precisions of the reconstruction.

use phasefront_core::Real;
use phasefront_core::simd::SimdReal;
use phasefront_device::Direction;
use phasefront_device::cpu::PlanFft;
use rustfft::Fft;
use rustfft::num_traits::Float;
use std::sync::Arc;

/// `f32` or `f64`, with arithmetic, SIMD vectors and FFT plans.
pub trait Scalar: Real + PlanFft + Float + SimdReal {
    /// Rounds a double to this precision.
    fn rounded(x: f64) -> Self {
        <Self as Real>::from_f64(x)
    }

    /// The forward DFT, Σ x_n e^{−jωn}, unnormalized.
    fn forward(length: usize) -> Arc<dyn Fft<Self>> {
        Self::plan_fft(length, Direction::Forward)
    }

    /// The inverse DFT, Σ x_n e^{+jωn}, unnormalized.
    fn inverse(length: usize) -> Arc<dyn Fft<Self>> {
        Self::plan_fft(length, Direction::Inverse)
    }
}

impl Scalar for f32 {}
impl Scalar for f64 {}
