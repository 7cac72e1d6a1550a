//! The seam between costs and devices: one frequency's pattern and what falls back of it on the elements.

use crate::cpu::CpuEngine;
use crate::error::ReflectarrayError;
use crate::gpu::GpuEngine;
use crate::objective::{Evaluation, Wanted};
use crate::problem::{Design, Problem, Window};
use num_complex::Complex64;
use phasefront_device::Backend;
use std::fmt::Debug;
use std::sync::Arc;

/// Bounds on |E|² at the samples: all lower ones, then all upper ones. Whoever changes them makes new ones, so that an
/// engine knows by the pointer what it has seen.
pub(crate) type IntensityBounds = Arc<[f64]>;

/// One frequency on one device.
pub(crate) trait Engine: Debug {
    /// Takes a design, and gives |E|² at the samples.
    fn pattern(&mut self, design: &Design) -> Result<Vec<f64>, ReflectarrayError>;

    /// |E|² of the last design; empty before the first.
    fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError>;

    /// The gradients of a cost of the last pattern with these derivatives in |E|²; the value, which they do not tell, is zero.
    fn gradient(&mut self, weights: &[f64], wanted: Wanted) -> Result<Evaluation, ReflectarrayError>;

    /// Takes a design, and gives its Φ = Σ (|E|² − 𝒫|E|²)² with the gradients.
    fn distance(
        &mut self,
        design: &Design,
        bounds: &IntensityBounds,
        wanted: Wanted,
    ) -> Result<Evaluation, ReflectarrayError>;

    /// a_n S[g E* w]_n of the last pattern.
    fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError>;

    /// E of the last pattern.
    fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError>;

    /// The same without a design.
    fn renewed(&self) -> Box<dyn Engine>;
}

impl Clone for Box<dyn Engine> {
    fn clone(&self) -> Self {
        self.renewed()
    }
}

/// The engine of a frequency on a window, on the device that was asked for.
pub(crate) fn engine(
    problem: &Problem,
    window: &Window,
    frequency: f64,
    backend: &Backend,
) -> Result<Box<dyn Engine>, ReflectarrayError> {
    Ok(match backend {
        Backend::Cpu => Box::new(CpuEngine::new(problem, window, frequency)),
        Backend::Gpu(gpu) => Box::new(GpuEngine::new(gpu.clone(), problem, window, frequency)?),
    })
}
