//! The interface between a share of a study and the device that runs it.

use crate::error::DgtdError;
use num_complex::Complex64;
use phasefront_core::ExactSum;

/// Elements of a rank that are advanced together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elements {
    /// Those whose traces other ranks read; they begin a stage.
    Border,
    /// All others; they end it.
    Interior,
}

/// Fields on a device. All values at this interface are in double precision, in the order of the plan's slots.
///
/// A stage is [`Self::advance`] of the border, then of the interior. In between, [`Self::pack`] has the new traces that other ranks
/// read; theirs are given to [`Self::unpack`] after both. It is a Runge-Kutta stage, or with local steps the shortest of them, in
/// which the elements of other levels rest or begin a step of their own.
pub trait Engine {
    /// Advances elements by stage `stage` of [`crate::Study::stages`], at the stage's own `time`, s. A device may launch the interior
    /// together with the border, beside which it runs.
    fn advance(&mut self, elements: Elements, time: f64, stage: usize) -> Result<(), DgtdError>;
    /// The traces that the rank of a halo reads.
    fn pack(&mut self, halo: usize, bytes: &mut [u8]) -> Result<(), DgtdError>;
    /// The traces that the rank of a halo has sent.
    fn unpack(&mut self, halo: usize, bytes: &[u8]) -> Result<(), DgtdError>;
    /// Samples the monitors at the end of a step: appends the terms of the time series, and adds the fields of the monitored nodes to
    /// their spectra, with a factor for each frequency; none where the running Fourier transform skips the step.
    fn sample(&mut self, factors: &[Complex64]) -> Result<(), DgtdError>;
    /// The samples of the time series since the last call: all terms of one step after those of the step before.
    fn take_samples(&mut self) -> Result<Vec<f64>, DgtdError>;
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
