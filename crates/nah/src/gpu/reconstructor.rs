//! Reconstruction on a GPU: all frequencies in the same launches.

use super::esm::GpuEsm;
use super::hologram::{GpuStream, StreamShape};
use super::lpbp::GpuLpbp;
use crate::engine::Reconstructor;
use crate::error::NahError;
use crate::extrapolation::Extrapolation;
use crate::preprocessing::Preprocessing;
use crate::propagator::{Propagator, sampled_propagator};
use crate::scalar::Scalar;
use crate::specification::{ReconstructorSpec, borrowed};
use num_complex::Complex;
use phasefront_device::Gpu;
use std::sync::Arc;

/// The kernels that suit the specification.
enum Kernels<T: Scalar> {
    Stream(Box<GpuStream<T>>),
    Lpbp(Box<GpuLpbp<T>>),
    Esm(Box<GpuEsm<T>>),
}

/// Reconstructs the fields of all frequencies on a GPU.
pub struct GpuReconstructor<T: Scalar> {
    kernels: Kernels<T>,
    frequencies: usize,
    fields: usize,
    points: usize,
}

impl<T: Scalar> GpuReconstructor<T> {
    /// From its specification.
    pub fn new(gpu: &Arc<dyn Gpu>, spec: ReconstructorSpec<T>, microphones: usize) -> Result<Self, NahError> {
        let (frequencies, fields, points) = (spec.frequencies(), spec.fields(), spec.points());
        let kernels = match spec {
            ReconstructorSpec::Esm(operators) => {
                Kernels::Esm(Box::new(GpuEsm::new(gpu, microphones, &operators)?))
            }
            // Coefficients per line need kernels of their own; pooled and zero padding share those
            // of a stream.
            ReconstructorSpec::KSpace(grid, Extrapolation::Lpbp, propagators) => {
                let sampled = |propagator: &Propagator| sampled_propagator(&grid, &**propagator);
                let propagators: Vec<_> = propagators.iter().flatten().map(sampled).collect();
                Kernels::Lpbp(Box::new(GpuLpbp::new(gpu, grid, fields, &propagators)?))
            }
            ReconstructorSpec::KSpace(grid, extrapolation, propagators) => {
                let propagators: Vec<Propagator> = propagators.into_iter().flatten().collect();
                let shape = StreamShape::of_phasors(grid, extrapolation, frequencies, fields);
                Kernels::Stream(Box::new(GpuStream::new(gpu, shape, &borrowed(&propagators))?))
            }
        };
        Ok(Self { kernels, frequencies, fields, points })
    }
}

impl<T: Scalar> Reconstructor<T> for GpuReconstructor<T> {
    fn frequencies(&self) -> usize {
        self.frequencies
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn points(&self) -> usize {
        self.points
    }

    fn reconstruct(
        &mut self,
        preprocessing: &Preprocessing<T>,
        phasors: &mut [Complex<T>],
        fields: &mut [Complex<T>],
    ) -> Result<(), NahError> {
        let microphones = (phasors.len() / self.frequencies.max(1)).max(1);
        // On the host: a few thousand products, which would not pay for a launch.
        phasors.chunks_exact_mut(microphones).for_each(|frequency| preprocessing.apply(frequency));
        match &mut self.kernels {
            Kernels::Stream(kernels) => kernels.reconstruct(phasors, fields),
            Kernels::Lpbp(kernels) => kernels.reconstruct(phasors, fields),
            Kernels::Esm(kernels) => kernels.reconstruct(phasors, fields),
        }
    }
}
