//! The interface between the study and the device that runs it.

use crate::error::DgtdError;
use num_complex::Complex64;

/// Fields on a device. All values at this interface are in double precision, in the order of the plan's slots.
pub trait Engine {
    /// Advances the fields by one Runge-Kutta stage, index `stage` of [`crate::time::STAGES`], at
    /// the stage's own `time`, s. Afterwards the traces that neighbors read in the next stage are
    /// complete: ranks exchange them between two calls.
    fn stage(&mut self, time: f64, stage: usize) -> Result<(), DgtdError>;
    /// Appends the monitored values at `time` to the time series.
    fn record(&mut self, time: f64) -> Result<(), DgtdError>;
    /// The time series since the last call, row after row for each time.
    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError>;
    /// Adds the fields of the monitored nodes to their spectra, with a factor for each frequency.
    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError>;
    /// Spectra: [frequency][node][component].
    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError>;
    /// ½ ∫ ε|E|² + μ|H|², in ε₀ V²/m² m³; NaN or infinite if a field is.
    fn energy(&mut self) -> Result<f64, DgtdError>;
    /// E and η₀H: [slot][component][node].
    fn fields(&mut self) -> Result<Vec<f64>, DgtdError>;
    /// The state of the run, bit for bit: fields, ADE unknowns and spectra; independent of the kernel layout.
    fn state(&mut self) -> Result<Vec<u8>, DgtdError>;
    /// Restores that state.
    fn restore(&mut self, state: &[u8]) -> Result<(), DgtdError>;
}
