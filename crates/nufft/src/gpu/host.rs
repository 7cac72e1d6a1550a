//! Transforms on a GPU of data on the host: upload, execute, download.

use super::plan::GpuPlan;
use super::type3::GpuType3;
use crate::check;
use crate::cpu::Float;
use crate::error::{NO_GRADIENT, NufftError, Result};
use crate::options::{Options, Sign};
use crate::type3::Scaled;
use num_complex::Complex;
use phasefront_device::{Buffer, Gpu};
use std::sync::Arc;

/// A plan with the buffers of its data.
pub(crate) struct HostPlan<T: Float> {
    gpu: Arc<dyn Gpu>,
    transform: Transform<T>,
    /// At the points, all vectors of the batch; `values` likewise at modes or frequencies.
    strengths: Buffer<Complex<T>>,
    values: Buffer<Complex<T>>,
    /// Allocated on first use.
    gradient: Option<Buffer<Complex<T>>>,
}

enum Transform<T> {
    Modes(Box<GpuPlan<T>>),
    Frequencies(Box<GpuType3<T>>),
}

impl<T: Float> HostPlan<T> {
    /// Types 1 and 2, without points yet.
    pub fn modes(gpu: &Arc<dyn Gpu>, modes: &[usize], tolerance: f64, options: &Options) -> Result<Self> {
        let plan = Box::new(GpuPlan::new(gpu, modes, tolerance, options)?);
        let all = modes.iter().product::<usize>() * options.batch;
        Self::new(gpu, Transform::Modes(plan), [0, all])
    }

    /// Type 3.
    pub fn frequencies(gpu: &Arc<dyn Gpu>, scaled: &Scaled<T>, options: &Options) -> Result<Self> {
        let plan = Box::new(GpuType3::new(gpu, scaled, options)?);
        let lengths = [&scaled.prephase, &scaled.deconvolution].map(|factors| factors.len() * options.batch);
        Self::new(gpu, Transform::Frequencies(plan), lengths)
    }

    fn new(gpu: &Arc<dyn Gpu>, transform: Transform<T>, [points, values]: [usize; 2]) -> Result<Self> {
        let (strengths, values) = (gpu.alloc(points)?, gpu.alloc(values)?);
        Ok(Self { gpu: gpu.clone(), transform, strengths, values, gradient: None })
    }

    /// Sets the points of types 1 and 2.
    pub fn set_points(&mut self, points: &[&[T]], batch: usize) -> Result<()> {
        let Transform::Modes(plan) = &mut self.transform else {
            return Err(NufftError::WrongType("a transform of type 3 needs points and frequencies"));
        };
        plan.set_points(points)?;
        let all = points[0].len() * batch;
        // The gradient has a multiple of this length and is allocated again on demand.
        if self.strengths.len() != all {
            (self.strengths, self.gradient) = (self.gpu.alloc(all)?, None);
        }
        Ok(())
    }

    /// From the points to modes or frequencies. Type 3 has the sign of its plan.
    pub fn points_to_values(
        &mut self,
        strengths: &[Complex<T>],
        sign: Sign,
        values: &mut [Complex<T>],
    ) -> Result<()> {
        self.gpu.upload_bytes(bytemuck::cast_slice(strengths), self.strengths.memory())?;
        match &self.transform {
            Transform::Modes(plan) => plan.type1(&self.strengths, sign, &self.values)?,
            Transform::Frequencies(plan) => plan.execute(&self.strengths, &self.values)?,
        }
        self.download(&self.values, values)
    }

    /// From modes or frequencies to the points.
    pub fn values_to_points(
        &mut self,
        values: &[Complex<T>],
        sign: Sign,
        strengths: &mut [Complex<T>],
    ) -> Result<()> {
        self.gpu.upload_bytes(bytemuck::cast_slice(values), self.values.memory())?;
        match &self.transform {
            Transform::Modes(plan) => plan.type2(&self.values, sign, &self.strengths)?,
            Transform::Frequencies(plan) => plan.execute_adjoint(&self.values, &self.strengths)?,
        }
        self.download(&self.strengths, strengths)
    }

    /// Type 2 with its derivatives, one slice per axis.
    pub fn values_to_points_with_gradient(
        &mut self,
        values: &[Complex<T>],
        sign: Sign,
        strengths: &mut [Complex<T>],
        gradient: &mut [&mut [Complex<T>]],
    ) -> Result<()> {
        let Transform::Modes(plan) = &self.transform else {
            return Err(NufftError::WrongType(NO_GRADIENT));
        };
        // Taken out of the plan for the duration of the call, which borrows the rest.
        let buffer = match self.gradient.take() {
            Some(buffer) => buffer,
            None => self.gpu.alloc(gradient.len() * self.strengths.len())?,
        };
        self.gpu.upload_bytes(bytemuck::cast_slice(values), self.values.memory())?;
        plan.type2_gradient(&self.values, sign, &self.strengths, &buffer)?;
        self.download(&self.strengths, strengths)?;
        // Contiguous by axis on the device, one slice per axis here.
        let derivatives = self.gpu.download(&buffer)?;
        for (axis, derivative) in
            gradient.iter_mut().zip(derivatives.chunks_exact(self.strengths.len().max(1)))
        {
            axis.copy_from_slice(derivative);
        }
        self.gradient = Some(buffer);
        Ok(())
    }

    fn download(&self, buffer: &Buffer<Complex<T>>, values: &mut [Complex<T>]) -> Result<()> {
        check::length("the output", values.len(), buffer.len())?;
        Ok(self.gpu.download_bytes(buffer.memory(), bytemuck::cast_slice_mut(values))?)
    }
}
