//! The seam between the plan and the device that carries it out.

use crate::error::DgtdError;
use num_complex::Complex64;

/// Fields on a device. All values are in double precision at this seam, in the order of the plan's slots.
pub trait Engine {
    /// Advances the fields by one Runge-Kutta stage, number `stage` of [`crate::time::STAGES`]; `time` is that of the stage, s. The traces that
    /// neighbors read in the next stage are complete afterwards: ranks exchange them between two calls.
    fn stage(&mut self, time: f64, stage: usize) -> Result<(), DgtdError>;
    /// Keeps the watched values, now that it is `time`.
    fn record(&mut self, time: f64) -> Result<(), DgtdError>;
    /// The values kept since the last call, row after row for each time.
    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError>;
    /// Adds the fields of the watched nodes to their spectra, each frequency with its factor.
    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError>;
    /// Spectra: [frequency][node][component].
    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError>;
    /// ½ ∫ ε|E|² + μ|H|², in ε₀ V²/m² m³; not a number once a field is not.
    fn energy(&mut self) -> Result<f64, DgtdError>;
    /// E and η₀H: [slot][component][node].
    fn fields(&mut self) -> Result<Vec<f64>, DgtdError>;
    /// All that a run goes on from, bit for bit: fields, further variables and spectra, the same however kernels are cut.
    fn state(&mut self) -> Result<Vec<u8>, DgtdError>;
    /// Goes on from there.
    fn restore(&mut self, state: &[u8]) -> Result<(), DgtdError>;
}
