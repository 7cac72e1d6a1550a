//! The engine on a GPU.

use super::reconstructor::GpuReconstructor;
use super::spectra::GpuSpectrumEstimator;
use crate::engine::{Engine, Reconstructor, SpectrumEstimator};
use crate::error::NahError;
use crate::scalar::Scalar;
use crate::specification::ReconstructorSpec;
use crate::spectral::{Analysis, Format};
use phasefront_device::Gpu;
use std::sync::Arc;

/// One GPU.
pub(crate) struct GpuEngine(pub Arc<dyn Gpu>);

impl<T: Scalar> Engine<T> for GpuEngine {
    fn spectrum_estimator(
        &self,
        format: Format,
        analysis: &Analysis,
        bins: Vec<usize>,
    ) -> Result<Box<dyn SpectrumEstimator<T>>, NahError> {
        Ok(Box::new(GpuSpectrumEstimator::new(&self.0, format, analysis, &bins)?))
    }

    fn reconstructor(
        &self,
        spec: ReconstructorSpec<T>,
        microphones: usize,
    ) -> Result<Box<dyn Reconstructor<T>>, NahError> {
        Ok(Box::new(GpuReconstructor::new(&self.0, spec, microphones)?))
    }
}
