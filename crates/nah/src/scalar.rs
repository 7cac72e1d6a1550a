//! The two precisions that holograms are computed in.

use phasefront_core::Real;
use rustfft::FftNum;
use rustfft::num_traits::Float;

/// `f32` or `f64`, with arithmetic and transforms.
pub trait Scalar: Real + FftNum + Float {
    /// Rounds a double to this precision.
    fn rounded(x: f64) -> Self {
        <Self as Real>::from_f64(x)
    }
}

impl Scalar for f32 {}
impl Scalar for f64 {}
