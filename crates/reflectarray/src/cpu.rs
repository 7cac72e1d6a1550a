//! One frequency on the CPU.

use crate::engine::{Engine, IntensityBounds};
use crate::error::ReflectarrayError;
use crate::illumination::{FeedWave, Illumination};
use crate::objective::{Evaluation, Wanted};
use crate::problem::{Design, Problem, Window};
use crate::radiation::Radiation;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::Backend;

/// The transforms, and the last design's waves and field.
#[derive(Debug, Clone)]
pub(crate) struct CpuEngine {
    beta: f64,
    illumination: Illumination,
    radiation: Radiation,
    waves: Vec<FeedWave>,
    field: Vec<Complex64>,
}

impl CpuEngine {
    pub fn new(problem: &Problem, window: &Window, frequency: f64) -> Self {
        Self {
            beta: wavenumber(frequency),
            illumination: Illumination::new(problem.feed, frequency),
            radiation: Radiation::new(problem, window, frequency, &Backend::Cpu),
            waves: Vec::new(),
            field: Vec::new(),
        }
    }
}

impl Engine for CpuEngine {
    fn pattern(&mut self, design: &Design) -> Result<Vec<f64>, ReflectarrayError> {
        self.waves = self.illumination.waves(design);
        self.radiation.set_positions(design)?;
        let a: Vec<Complex64> = self.waves.iter().map(|wave| wave.value).collect();
        self.field = self.radiation.field(&a)?;
        self.intensity()
    }

    fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        Ok(self.field.iter().map(Complex64::norm_sqr).collect())
    }

    fn gradient(&mut self, weights: &[f64], wanted: Wanted) -> Result<Evaluation, ReflectarrayError> {
        let mut gradient = Evaluation::default();
        if wanted == Wanted::None {
            return Ok(gradient);
        }
        let positions = wanted == Wanted::PhaseAndPosition;
        let sums = self.radiation.element_sums(&self.field, weights, positions)?;
        let waves = self.waves.iter().enumerate();
        gradient.phase = waves.clone().map(|(n, wave)| -2.0 * (wave.value * sums.s[n]).im).collect();
        if positions {
            let jb = Complex64::new(0.0, self.beta);
            let along = |wave: &FeedWave, log: Complex64, s: Complex64, su: Complex64| {
                2.0 * (wave.value * (log * s + jb * su)).re
            };
            gradient.x = waves.clone().map(|(n, wave)| along(wave, wave.dx, sums.s[n], sums.su[n])).collect();
            gradient.y = waves.map(|(n, wave)| along(wave, wave.dy, sums.s[n], sums.sv[n])).collect();
        }
        Ok(gradient)
    }

    fn distance(
        &mut self,
        design: &Design,
        bounds: &IntensityBounds,
        wanted: Wanted,
    ) -> Result<Evaluation, ReflectarrayError> {
        let intensity = self.pattern(design)?;
        let (lower, upper) = bounds.split_at(intensity.len());
        let bounds = lower.iter().zip(upper);
        let misses = intensity.iter().zip(bounds).map(|(e, (lower, upper))| e - e.clamp(*lower, *upper));
        // ∂Φ/∂|E|² = 2(|E|² − 𝒫|E|²)
        let weights: Vec<f64> = misses.map(|miss| 2.0 * miss).collect();
        let value = weights.iter().map(|w| 0.25 * w * w).sum();
        Ok(Evaluation { value, ..self.gradient(&weights, wanted)? })
    }

    fn back_projection(&mut self, weights: &[f64]) -> Result<Vec<Complex64>, ReflectarrayError> {
        let back = self.radiation.element_sums(&self.field, weights, false)?.s;
        Ok(self.waves.iter().zip(back).map(|(wave, s)| wave.value * s).collect())
    }

    fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        Ok(self.field.clone())
    }

    fn renewed(&self) -> Box<dyn Engine> {
        Box::new(self.clone())
    }
}
