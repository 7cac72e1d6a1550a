//! The two precisions that holograms are computed in.

use phasefront_core::Real;
use rustfft::num_traits::Float;
use rustfft::{Fft, FftNum, FftPlanner};
use std::sync::Arc;

/// `f32` or `f64`, with arithmetic and transforms.
pub trait Scalar: Real + FftNum + Float {
    /// Rounds a double to this precision.
    fn rounded(x: f64) -> Self {
        <Self as Real>::from_f64(x)
    }

    /// The transform Σ x_n e^{−jωn}. Here and not where it is used, so that transforms are compiled once in each precision.
    fn forward(length: usize) -> Arc<dyn Fft<Self>>;

    /// The transform Σ x_n e^{+jωn}.
    fn back(length: usize) -> Arc<dyn Fft<Self>>;
}

macro_rules! scalar {
    ($t:ty) => {
        impl Scalar for $t {
            fn forward(length: usize) -> Arc<dyn Fft<Self>> {
                FftPlanner::new().plan_fft_forward(length)
            }
            fn back(length: usize) -> Arc<dyn Fft<Self>> {
                FftPlanner::new().plan_fft_inverse(length)
            }
        }
    };
}

scalar!(f32);
scalar!(f64);
