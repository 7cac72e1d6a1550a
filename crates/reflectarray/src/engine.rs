//! The trait that a device implements: the pattern of a design at one frequency, and the gradients of a cost of it.

use crate::error::ReflectarrayError;
use crate::evaluation::{Derivatives, Evaluation};
use crate::mask::IntensityBounds;
use crate::problem::Design;
use num_complex::Complex64;
use std::fmt::Debug;

/// One frequency on one device.
pub(crate) trait Engine: Debug {
    /// Loads a design and writes |E|² at the samples.
    fn pattern(&mut self, design: &Design, intensity: &mut [f64]) -> Result<(), ReflectarrayError>;

    /// |E|² of the last design; empty before the first.
    fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError>;

    /// Gradients of a cost C of the last pattern with `weights` = ∂C/∂|E|². The value is left zero.
    fn gradient(
        &mut self,
        weights: &[f64],
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError>;

    /// Loads a design and returns Φ = Σ (|E|² − 𝒫|E|²)² with its gradients.
    fn distance(
        &mut self,
        design: &Design,
        bounds: &IntensityBounds,
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError>;

    /// a_n S[g E* w]_n of the last pattern, S the adjoint sums of `transform`.
    fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError>;

    /// E of the last pattern.
    fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError>;
}
