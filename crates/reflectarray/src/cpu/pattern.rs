//! The pattern of a design: excitations, field and intensity.

use crate::error::ReflectarrayError;
use crate::illumination::{FeedWave, Illumination};
use crate::problem::{Design, Problem, UvGrid};
use crate::radiation::Radiation;
use num_complex::Complex64;
use phasefront_device::Backend;

/// The transforms, and excitations and field of the last design.
#[derive(Debug, Clone)]
pub(super) struct PatternStage {
    illumination: Illumination,
    pub radiation: Radiation,
    /// a_n with the logarithmic derivatives of the feed's wave.
    pub waves: Vec<FeedWave>,
    pub field: Vec<Complex64>,
}

impl PatternStage {
    pub fn new(problem: &Problem, uv_grid: &UvGrid, frequency: f64) -> Self {
        Self {
            illumination: Illumination::new(problem.feed, frequency),
            radiation: Radiation::new(problem, uv_grid, frequency, &Backend::Cpu),
            waves: Vec::new(),
            field: Vec::new(),
        }
    }

    /// E of a design.
    pub fn run(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        // The derivatives of the feed's wave are computed along
        // with it, for the gradient that usually follows.
        self.waves = self.illumination.waves(design);
        self.radiation.set_positions(design)?;
        let a: Vec<Complex64> = self.waves.iter().map(|wave| wave.value).collect();
        self.field = self.radiation.field(&a)?;
        Ok(())
    }

    /// |E|².
    pub fn intensity(&self) -> Vec<f64> {
        self.field.iter().map(Complex64::norm_sqr).collect()
    }
}
