//! The pattern of a design: excitations, field and intensity.

use crate::error::ReflectarrayError;
use crate::illumination::{FeedWave, Illumination, excite};
use crate::parallel::equal;
use crate::problem::{Design, Problem, UvGrid};
use crate::radiation::Radiation;
use num_complex::Complex64;
use phasefront_device::Backend;

/// The transforms, and excitations and field of the last design.
#[derive(Debug, Clone)]
pub(super) struct PatternStage {
    illumination: Illumination,
    pub radiation: Radiation,
    /// The positions for which the feed's wave was computed.
    positions: [Vec<f64>; 2],
    /// f_n with its logarithmic derivatives.
    pub waves: Vec<FeedWave>,
    /// a_n.
    pub excitations: Vec<Complex64>,
    pub field: Vec<Complex64>,
    /// |E|².
    pub intensity: Vec<f64>,
}

impl PatternStage {
    pub fn new(problem: &Problem, uv_grid: &UvGrid, frequency: f64) -> Self {
        Self {
            illumination: Illumination::new(&problem.feed, frequency),
            radiation: Radiation::new(problem, uv_grid, frequency, &Backend::Cpu),
            positions: [Vec::new(), Vec::new()],
            waves: Vec::new(),
            excitations: Vec::new(),
            field: Vec::new(),
            intensity: Vec::new(),
        }
    }

    /// E of a design.
    pub fn run(&mut self, design: &Design) -> Result<(), ReflectarrayError> {
        // Searches over phases alone keep the feed's wave.
        if !equal(&self.positions[0], &design.x) || !equal(&self.positions[1], &design.y) {
            self.waves = self.illumination.waves(design);
            self.positions = [design.x.clone(), design.y.clone()];
        }
        excite(&self.waves, &design.phase, &mut self.excitations);
        self.radiation.set_positions(design)?;
        self.radiation.field(&self.excitations, &mut self.field, &mut self.intensity)
    }
}
