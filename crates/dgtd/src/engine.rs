//! The interface between a share of a study and the device that runs it.

use crate::error::DgtdError;
use num_complex::Complex64;
use phasefront_core::ExactSum;

/// Fields on a device. All values at this interface are in double precision, in the order of the plan's slots.
///
/// A stage is [`Self::border`], then [`Self::interior`]. In between, [`Self::pack`] has the new traces that other ranks read;
/// theirs are given to [`Self::unpack`] after both. It is a Runge-Kutta stage, or with local steps the shortest of them, in which
/// the elements of other levels rest or begin a step of their own.
pub trait Engine {
    /// Begins stage `stage` of [`crate::Study::stages`], at the stage's own `time`, s: advances the elements whose traces other ranks read.
    fn border(&mut self, time: f64, stage: usize) -> Result<(), DgtdError>;
    /// Ends the stage: advances all other elements, unless [`Self::border`] has set them going already.
    fn interior(&mut self, time: f64, stage: usize) -> Result<(), DgtdError>;
    /// The traces that the rank of a halo reads.
    fn pack(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError>;
    /// The traces that the rank of a halo has sent.
    fn unpack(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError>;
    /// Appends the terms of the time series to the records.
    fn record(&mut self) -> Result<(), DgtdError>;
    /// The records since the last call: all terms of one step after those of the step before.
    fn take_records(&mut self) -> Result<Vec<f64>, DgtdError>;
    /// Adds the fields of the monitored nodes to their spectra, with a factor for each frequency.
    fn accumulate(&mut self, factors: &[Complex64]) -> Result<(), DgtdError>;
    /// Spectra: [frequency][node][component].
    fn spectra(&mut self) -> Result<Vec<Complex64>, DgtdError>;
    /// ½ ∫ ε|E|² + μ|H|², in ε₀ V²/m² m³; NaN or infinite if a field is.
    fn energy(&mut self) -> Result<ExactSum, DgtdError>;
    /// E and η₀H: [slot][component][node].
    fn fields(&mut self) -> Result<Vec<f64>, DgtdError>;
    /// Fields and ADE unknowns, bit for bit: [element in the order of the mesh][component or unknown][node].
    fn state(&mut self) -> Result<Vec<u8>, DgtdError>;
    /// Restores that state, and the spectra. Afterwards traces of other ranks must be exchanged.
    fn restore(&mut self, state: &[u8], spectra: &[Complex64]) -> Result<(), DgtdError>;
}
