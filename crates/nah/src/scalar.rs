//! The two precisions that holograms are computed in.

use crate::carriers::{GpuCarrier, Recipes, gpu_carrier};
use crate::error::NahError;
use phasefront_core::Real;
use phasefront_core::simd::SimdReal;
use phasefront_device::cpu::PlanFft;
use phasefront_device::{Direction, Gpu};
use rustfft::Fft;
use rustfft::num_traits::Float;
use std::sync::Arc;

/// `f32` or `f64`, with arithmetic and transforms.
pub trait Scalar: Real + PlanFft + Float + SimdReal {
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

    /// What makes fields on a GPU.
    fn gpu_carrier(
        gpu: &Arc<dyn Gpu>,
        recipes: Recipes<Self>,
        microphones: usize,
    ) -> Result<Box<dyn GpuCarrier<Self>>, NahError>;
}

macro_rules! scalar {
    ($real:ty) => {
        impl Scalar for $real {
            fn gpu_carrier(
                gpu: &Arc<dyn Gpu>,
                recipes: Recipes<Self>,
                microphones: usize,
            ) -> Result<Box<dyn GpuCarrier<Self>>, NahError> {
                gpu_carrier(gpu, recipes, microphones)
            }
        }
    };
}

scalar!(f32);
scalar!(f64);
