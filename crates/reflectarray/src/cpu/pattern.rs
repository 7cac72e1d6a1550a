//! The pattern of a design: excitations, field and intensity.

use crate::error::ReflectarrayError;
use crate::illumination::{Illumination, Waves, excite};
use crate::problem::{Design, Problem, UvGrid};
use crate::radiation::Radiation;
use num_complex::Complex64;
use phasefront_device::Backend;
use std::sync::Arc;

/// The transforms, and excitations and field of the last design.
#[derive(Debug, Clone)]
pub(super) struct PatternStage {
    illumination: Illumination,
    pub radiation: Radiation,
    /// The feed's wave at the last positions.
    pub waves: Arc<Waves>,
    /// a_n.
    pub excitations: Vec<Complex64>,
    pub field: Vec<Complex64>,
}

impl PatternStage {
    pub fn new(problem: &Problem, uv_grid: &UvGrid, frequency: f64) -> Self {
        Self {
            illumination: Illumination::new(problem.feed, frequency),
            radiation: Radiation::new(problem, uv_grid, frequency, &Backend::Cpu),
            waves: Arc::default(),
            excitations: Vec::new(),
            field: Vec::new(),
        }
    }

    /// E of a design, and |E|².
    pub fn run(&mut self, design: &Design, intensity: &mut [f64]) -> Result<(), ReflectarrayError> {
        // Searches over phases alone keep the feed's wave and the transform.
        let is_set = self.radiation.is_set() && excite(&self.waves, design, &mut self.excitations);
        if !is_set {
            self.set_positions(design)?;
            excite(&self.waves, design, &mut self.excitations);
        }
        self.radiation.field(&self.excitations, &mut self.field, intensity)
    }

    /// Sets the positions of a design.
    pub fn set_positions(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        self.waves = Arc::new(self.illumination.waves(design));
        self.radiation.set_positions(design)
    }
}
