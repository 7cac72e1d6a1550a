//! The seam between the plan of a solution and the device that carries it out.

use crate::error::MomError;
use crate::problem::NearGrid;
use num_complex::Complex64;
use phasefront_core::Progress;

/// Distance, in cell lengths, within which a cell's field is integrated and not taken from its mid point:
/// beyond it the mid-point rule errs by less than (1/24)(w/R)² = 0.5 %, which is the size of the pulses' own error.
pub(crate) const NEAR_CELLS: f64 = 3.0;

/// The stages of a solution at one frequency, in order. One implementation per device.
pub(crate) trait Engine {
    /// Fills the matrix for wavenumber `k`.
    fn fill(&mut self, k: f64, progress: &Progress) -> Result<(), MomError>;
    /// Factors it.
    fn factor(&mut self) -> Result<(), MomError>;
    /// Solves for plane waves in the given directions; keeps the currents for the next two stages.
    fn solve(&mut self, k: f64, directions: &[f64]) -> Result<(), MomError>;
    /// The currents, one list per direction.
    fn currents(&self) -> Result<Vec<Vec<Complex64>>, MomError>;
    /// Σ J w e^{jk(x cos φ + y sin φ)}, per direction and observation angle.
    fn far_sums(&self, k: f64, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError>;
    /// Scattered field of the first direction's current, row-major along y.
    fn near_field(&self, k: f64, grid: &NearGrid, progress: &Progress) -> Result<Vec<Complex64>, MomError>;
}
