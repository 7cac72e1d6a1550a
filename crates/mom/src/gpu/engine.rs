//! [`GpuEngine`]: the stages in terms of the files beside this one.

use super::context::{Context, DeviceSystem};
use super::factor::Factors;
use super::{far_field, fill, near_field, solve};
use crate::engine::Engine;
use crate::error::MomError;
use crate::near_field::Region;
use crate::study::Study;
use crate::system::System;
use num_complex::{Complex, Complex64};
use phasefront_core::{Progress, Real};
use phasefront_device::{Buffer, Complex as DeviceComplex, Gpu};
use std::sync::Arc;

/// State of the GPU engine: the nodes, the matrix or its factors, and the solutions.
pub(crate) struct GpuEngine<T> {
    context: Context,
    /// Rows and columns at the present frequency.
    system: Option<DeviceSystem>,
    matrix: Buffer<Complex<T>>,
    factors: Option<Factors>,
    /// One column per direction.
    solutions: Option<Buffer<Complex<T>>>,
}

impl<T: Real> GpuEngine<T>
where
    Complex<T>: DeviceComplex,
{
    pub(crate) fn new(gpu: Arc<dyn Gpu>, study: &Study) -> Result<Self, MomError> {
        let n = study.unknowns();
        let context = Context::new(gpu, T::PRECISION, &study.mesh, n)?;
        // Allocated once for all frequencies of a sweep.
        let matrix = context.gpu.alloc(n * n)?;
        Ok(Self { context, system: None, matrix, factors: None, solutions: None })
    }

    fn system(&self) -> &DeviceSystem {
        self.system.as_ref().expect("prepare comes first")
    }

    fn factors(&self) -> &Factors {
        self.factors.as_ref().expect("prepare comes first")
    }

    fn solved(&self) -> &Buffer<Complex<T>> {
        self.solutions.as_ref().expect("solve comes before what needs its solutions")
    }
}

impl<T: Real> Engine for GpuEngine<T>
where
    Complex<T>: DeviceComplex,
{
    fn prepare(&mut self, system: &System<'_>, progress: &Progress) -> Result<(), MomError> {
        // The fill overwrites the factors of the previous frequency.
        self.factors = None;
        self.system = Some(fill::fill(&self.context, system, &self.matrix, progress)?);
        progress.check()?;
        self.factors = Some(Factors::new(&self.context, &self.matrix, progress)?);
        Ok(())
    }

    fn solve(&mut self, system: &System<'_>, directions: &[f64]) -> Result<(), MomError> {
        let rhs = solve::right_hand_sides(&self.context, self.system(), directions, system.k)?;
        self.factors().solve(&self.context, &self.matrix, &rhs)?;
        // Errors and time of the solution belong to this stage.
        self.context.gpu.synchronize()?;
        self.solutions = Some(rhs);
        Ok(())
    }

    fn solutions(&self, which: &[usize]) -> Result<Vec<Vec<Complex64>>, MomError> {
        solve::select(&self.context, self.solved(), which)
    }

    fn condition(&self) -> Result<Option<f64>, MomError> {
        self.factors().condition(&self.context, &self.matrix).map(Some)
    }

    fn far_field(&self, system: &System<'_>, observation: &[f64]) -> Result<Vec<Vec<Complex64>>, MomError> {
        far_field::bistatic(&self.context, self.system(), observation, self.solved(), system.k)
    }

    fn far_field_paired(&self, system: &System<'_>, angles: &[f64]) -> Result<Vec<Complex64>, MomError> {
        far_field::paired(&self.context, self.system(), angles, self.solved(), system.k)
    }

    fn near_field(
        &self,
        system: &System<'_>,
        points: &[Complex64],
        regions: &[Region],
        progress: &Progress,
    ) -> Result<Vec<Complex64>, MomError> {
        let device = (&self.context, self.system());
        near_field::field(device, system, self.solved(), (points, regions), progress)
    }
}
