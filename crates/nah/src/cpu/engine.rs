//! The engine on the CPU.

use super::reconstructor::CpuReconstructor;
use super::spectra::CpuSpectrumEstimator;
use crate::engine::{Engine, Reconstructor, SpectrumEstimator};
use crate::error::NahError;
use crate::scalar::Scalar;
use crate::specification::ReconstructorSpec;
use crate::spectral::{Analysis, Format};

/// All threads of the host.
pub(crate) struct CpuEngine;

impl<T: Scalar> Engine<T> for CpuEngine {
    fn spectrum_estimator(
        &self,
        format: Format,
        analysis: &Analysis,
        bins: Vec<usize>,
    ) -> Result<Box<dyn SpectrumEstimator<T>>, NahError> {
        Ok(Box::new(CpuSpectrumEstimator::new(format, analysis, bins)))
    }

    fn reconstructor(
        &self,
        spec: ReconstructorSpec<T>,
        _microphones: usize,
    ) -> Result<Box<dyn Reconstructor<T>>, NahError> {
        Ok(Box::new(CpuReconstructor::new(spec)))
    }
}
