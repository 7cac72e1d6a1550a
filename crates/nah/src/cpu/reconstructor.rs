//! Reconstruction on the CPU: one frequency after the other, or in parallel.

use super::hologram::HologramPlan;
use crate::engine::Reconstructor;
use crate::error::NahError;
use crate::esm::EsmOperator;
use crate::preprocessing::Preprocessing;
use crate::scalar::Scalar;
use crate::specification::{ReconstructorSpec, borrowed};
use num_complex::Complex;
use rayon::prelude::*;

/// Reconstructs the fields of one frequency.
enum Reconstruction<T: Scalar> {
    KSpace(Box<HologramPlan<T>>),
    Esm(EsmOperator<T>),
}

impl<T: Scalar> Reconstruction<T> {
    fn run(&mut self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        match self {
            Self::KSpace(plan) => plan.run(pressure, fields),
            Self::Esm(operator) => operator.apply(pressure, fields),
        }
    }
}

/// Reconstructs the fields of all frequencies on the CPU.
pub struct CpuReconstructor<T: Scalar> {
    frequencies: Vec<Reconstruction<T>>,
    fields: usize,
    points: usize,
}

impl<T: Scalar> CpuReconstructor<T> {
    /// From its specification.
    pub fn new(spec: ReconstructorSpec<T>) -> Self {
        let (fields, points) = (spec.fields(), spec.points());
        let frequencies = match spec {
            ReconstructorSpec::KSpace(grid, extrapolation, frequencies) => {
                let plan = |propagators: &Vec<_>| {
                    let plan = HologramPlan::new(grid, extrapolation, &borrowed(propagators));
                    Reconstruction::KSpace(Box::new(plan))
                };
                frequencies.iter().map(plan).collect()
            }
            ReconstructorSpec::Esm(operators) => operators.into_iter().map(Reconstruction::Esm).collect(),
        };
        Self { frequencies, fields, points }
    }
}

impl<T: Scalar> Reconstructor<T> for CpuReconstructor<T> {
    fn frequencies(&self) -> usize {
        self.frequencies.len()
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
        let values = (self.fields * self.points).max(1);
        let microphones = (phasors.len() / self.frequencies.len().max(1)).max(1);
        let one = |frequency: &mut Reconstruction<T>, fields: &mut [_], phasors: &mut [_]| {
            preprocessing.apply(phasors);
            frequency.run(phasors, fields);
        };
        // A single frequency is not worth waking other threads.
        if let [frequency] = &mut self.frequencies[..] {
            one(frequency, fields, phasors);
        } else {
            let data = fields.par_chunks_exact_mut(values).zip(phasors.par_chunks_exact_mut(microphones));
            let all = self.frequencies.par_iter_mut().zip(data);
            all.for_each(|(frequency, (fields, phasors))| one(frequency, fields, phasors));
        }
        Ok(())
    }
}
