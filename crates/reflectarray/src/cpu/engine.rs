//! One frequency on the CPU.

use super::pattern::PatternStage;
use crate::engine::Engine;
use crate::error::ReflectarrayError;
use crate::evaluation::{Derivatives, Evaluation};
use crate::mask::IntensityBounds;
use crate::problem::{Design, Placement, Problem, UvGrid};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;

/// The engine on the CPU.
#[derive(Debug, Clone)]
pub(crate) struct CpuEngine {
    beta: f64,
    stage: PatternStage,
}

impl CpuEngine {
    pub fn new(problem: &Problem, uv_grid: &UvGrid, frequency: f64) -> Self {
        let mut stage = PatternStage::new(problem, uv_grid, frequency);
        if problem.placement == Placement::Periodic {
            // Clones of this engine, one for each task, share what belongs to the positions. A failure is that of the first pattern, too.
            let _ = stage.set_positions(&problem.initial_design());
        }
        Self { beta: wavenumber(frequency), stage }
    }
}

impl Engine for CpuEngine {
    fn pattern(&mut self, design: &Design, intensity: &mut [f64]) -> Result<(), ReflectarrayError> {
        self.stage.run(design, intensity)
    }

    fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        Ok(self.stage.field.iter().map(Complex64::norm_sqr).collect())
    }

    fn gradient(
        &mut self,
        weights: &[f64],
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        self.stage.gradient(self.beta, weights, derivatives)
    }

    fn distance(
        &mut self,
        design: &Design,
        bounds: &IntensityBounds,
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        let mut intensity = vec![0.0; bounds.len() / 2];
        self.stage.run(design, &mut intensity)?;
        let (lower, upper) = bounds.split_at(intensity.len());
        let bounds = lower.iter().zip(upper);
        // 𝒫 clamps |E|² to the mask.
        let misses = intensity.iter().zip(bounds).map(|(e, (lower, upper))| e - e.clamp(*lower, *upper));
        // ∂Φ/∂|E|² = 2(|E|² − 𝒫|E|²)
        let weights: Vec<f64> = misses.map(|miss| 2.0 * miss).collect();
        // Φ = Σ miss² = Σ (w/2)².
        let value = weights.iter().map(|w| 0.25 * w * w).sum();
        Ok(Evaluation { value, ..self.gradient(&weights, derivatives)? })
    }

    fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        self.stage.back_projection(weights)
    }

    fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        Ok(self.stage.field.clone())
    }
}
