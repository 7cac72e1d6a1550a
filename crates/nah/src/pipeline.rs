//! The processing pipeline: blocks in, holograms out; the same for recordings and for endless streams.

use crate::engine::{Reconstructor, SpectrumEstimator};
use crate::error::NahError;
use crate::input::Block;
use crate::preprocessing::Preprocessing;
use crate::scalar::Scalar;
use num_complex::Complex;

/// From blocks to phasors to fields.
pub struct Pipeline<T: Scalar> {
    estimator: Box<dyn SpectrumEstimator<T>>,
    preprocessing: Preprocessing<T>,
    reconstructor: Box<dyn Reconstructor<T>>,
    microphones: usize,
    /// Of all frequencies, one after the other.
    phasors: Vec<Complex<T>>,
    fields: Vec<Complex<T>>,
}

impl<T: Scalar> Pipeline<T> {
    /// The reconstructor has the frequencies of the estimator.
    pub fn new(
        estimator: Box<dyn SpectrumEstimator<T>>,
        preprocessing: Preprocessing<T>,
        reconstructor: Box<dyn Reconstructor<T>>,
    ) -> Self {
        let zero = Complex::new(T::zero(), T::zero());
        let (microphones, frequencies) = (estimator.microphones(), reconstructor.frequencies());
        let fields = vec![zero; frequencies * reconstructor.fields() * reconstructor.points()];
        let phasors = vec![zero; frequencies * microphones];
        Self { estimator, preprocessing, reconstructor, microphones, phasors, fields }
    }

    /// Replaces the preprocessing.
    pub fn set_preprocessing(&mut self, preprocessing: Preprocessing<T>) {
        self.preprocessing = preprocessing;
    }

    /// Restarts with an empty window.
    pub fn set_spectrum_estimator(&mut self, estimator: Box<dyn SpectrumEstimator<T>>) {
        self.estimator = estimator;
    }

    /// Replaces the reconstructor by one with the same frequencies and planes.
    pub fn set_reconstructor(&mut self, reconstructor: Box<dyn Reconstructor<T>>) {
        self.reconstructor = reconstructor;
    }

    /// Appends a block; whether there are holograms of the window that ends with it.
    pub fn push(&mut self, block: Block<'_>) -> Result<bool, NahError> {
        // A single frequency is not worth waking another thread. Several enter the thread pool once, not for each stage.
        if self.reconstructor.frequencies() == 1 {
            self.process(block)
        } else {
            rayon::scope(|_| self.process(block))
        }
    }

    fn process(&mut self, block: Block<'_>) -> Result<bool, NahError> {
        self.estimator.push(block)?;
        // Until the window is full, blocks are only collected.
        let full = self.estimator.is_full();
        if full {
            self.estimator.spectra(&mut self.phasors)?;
            self.reconstruct()?;
        }
        Ok(full)
    }

    /// Appends a block whose holograms are known.
    pub(crate) fn push_finished(&mut self, block: Block<'_>) -> Result<(), NahError> {
        self.estimator.push(block)
    }

    /// Reconstructs the holograms of given phasors, those of all microphones at the first frequency, then at the next.
    pub fn push_phasors(&mut self, phasors: &[Complex<T>]) -> Result<(), NahError> {
        self.phasors.copy_from_slice(phasors);
        self.reconstruct()
    }

    fn reconstruct(&mut self) -> Result<(), NahError> {
        self.reconstructor.reconstruct(&self.preprocessing, &mut self.phasors, &mut self.fields)
    }

    /// Phasors at the microphones at a frequency, by its index.
    pub fn measured(&self, frequency: usize) -> &[Complex<T>] {
        &self.phasors[frequency * self.microphones..][..self.microphones]
    }

    /// A field at a frequency: pressure and velocity on the first plane, then on the next.
    pub fn field(&self, frequency: usize, field: usize) -> &[Complex<T>] {
        let points = self.reconstructor.points();
        &self.fields[(frequency * self.reconstructor.fields() + field) * points..][..points]
    }
}
