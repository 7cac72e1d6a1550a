//! The two precisions that holograms are computed in.

use crate::lanes::Vectors;
use phasefront_core::Real;
use phasefront_device::Direction;
use phasefront_device::cpu::PlanFft;
use rustfft::Fft;
use rustfft::num_traits::Float;
use std::sync::Arc;

/// `f32` or `f64`, with arithmetic and transforms.
pub trait Scalar: Real + PlanFft + Float + Vectors {
    /// Rounds a double to this precision.
    fn rounded(x: f64) -> Self {
        <Self as Real>::from_f64(x)
    }

    /// The transform Σ x_n e^{−jωn}.
    fn forward(length: usize) -> Arc<dyn Fft<Self>> {
        Self::plan_fft(length, Direction::Forward)
    }

    /// The transform Σ x_n e^{+jωn}.
    fn back(length: usize) -> Arc<dyn Fft<Self>> {
        Self::plan_fft(length, Direction::Inverse)
    }
}

impl Scalar for f32 {}
impl Scalar for f64 {}
