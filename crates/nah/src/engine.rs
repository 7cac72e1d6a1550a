//! What a device implements: an engine builds what goes from blocks to phasors, and from phasors to fields.

use crate::error::NahError;
use crate::input::Block;
use crate::preprocessing::Preprocessing;
use crate::scalar::Scalar;
use crate::specification::ReconstructorSpec;
use crate::spectral::{Analysis, Format};
use num_complex::Complex;

/// A device. Streams build their parts again while they run: after a gap, and when the regularization adapts, on another thread.
pub(crate) trait Engine<T: Scalar>: Sync {
    /// A spectrum estimator for bins of the DFT of `analysis.samples` samples, with an empty window.
    fn spectrum_estimator(
        &self,
        format: Format,
        analysis: &Analysis,
        bins: Vec<usize>,
    ) -> Result<Box<dyn SpectrumEstimator<T>>, NahError>;

    /// A reconstructor for phasors of so many microphones.
    fn reconstructor(
        &self,
        spec: ReconstructorSpec<T>,
        microphones: usize,
    ) -> Result<Box<dyn Reconstructor<T>>, NahError>;
}

/// Estimates the spectrum of the last window of a stream: blocks in, phasors out.
pub trait SpectrumEstimator<T: Scalar>: Send {
    /// Number of microphones.
    fn microphones(&self) -> usize;

    /// Appends a block of frames; with a sliding DFT always as many as the hop. Blocks of the other kind, samples for bits or bits for samples,
    /// are ignored.
    fn push(&mut self, block: Block<'_>) -> Result<(), NahError>;

    /// Whether the window is full and the filters have settled.
    fn is_full(&self) -> bool;

    /// Phasors of all microphones at the first bin, then at the next.
    fn spectra(&mut self, phasors: &mut [Complex<T>]) -> Result<(), NahError>;
}

/// Reconstructs the fields on planes from the pressure at the microphones, at all frequencies.
pub trait Reconstructor<T: Scalar>: Send {
    /// Number of frequencies.
    fn frequencies(&self) -> usize;

    /// Fields of each frequency: pressure and velocity on the first plane, then on the next.
    fn fields(&self) -> usize;

    /// Points of each field.
    fn points(&self) -> usize;

    /// Preprocesses the phasors, those of all microphones at the first frequency, then at the next, and reconstructs their fields in the same
    /// order.
    fn reconstruct(
        &mut self,
        preprocessing: &Preprocessing<T>,
        phasors: &mut [Complex<T>],
        fields: &mut [Complex<T>],
    ) -> Result<(), NahError>;
}
