//! Transforms of type 3 on a GPU: the stages of two plans, with the factors before, between and after them.

use super::kernels::{GROUP, compile_multiply};
use super::plan::{DeviceResult, GpuPlan};
use crate::cpu::Float;
use crate::error::Result;
use crate::options::{ModeOrder, Options, Sign};
use crate::type3::{Scaled, slices};
use num_complex::Complex;
use phasefront_device::{Arg, Buffer, Gpu, Grid, Program};
use std::sync::Arc;

/// A transform of type 3 with its points and frequencies.
pub(crate) struct GpuType3<T> {
    gpu: Arc<dyn Gpu>,
    /// Spreading to the grid of the points.
    outer: GpuPlan<T>,
    /// From that grid to the frequencies.
    inner: GpuPlan<T>,
    sign: Sign,
    prephase: Buffer<Complex<T>>,
    deconvolution: Buffer<Complex<T>>,
    multiply: Arc<dyn Program>,
}

impl<T: Float> GpuType3<T> {
    pub fn new(gpu: &Arc<dyn Gpu>, scaled: &Scaled<T>, options: &Options) -> Result<Self> {
        // FFT order: grid indices are passed on as modes without a shift.
        let options = Options { mode_order: ModeOrder::Fft, ..*options };
        let plan = |shape| GpuPlan::with_kernel(gpu, shape, &scaled.kernel, &scaled.table, &options);
        let (mut outer, mut inner) = (plan(&scaled.outer)?, plan(&scaled.inner)?);
        outer.set_points(&slices(&scaled.points))?;
        inner.set_points(&slices(&scaled.frequencies))?;
        Ok(Self {
            outer,
            inner,
            sign: options.sign,
            prephase: gpu.upload(&scaled.prephase)?,
            deconvolution: gpu.upload(&scaled.deconvolution)?,
            multiply: compile_multiply(&**gpu, T::PRECISION)?,
            gpu: gpu.clone(),
        })
    }

    /// From `strengths`, which are overwritten, to `values` at the frequencies.
    pub fn execute(&self, strengths: &Buffer<Complex<T>>, values: &Buffer<Complex<T>>) -> Result<()> {
        // The grid of the outer plan serves as the modes of the inner one: no copy.
        let grid = &self.outer.grid;
        let points = self.outer.checked(strengths, grid)?;
        self.times(strengths, &self.prephase, false)?;
        self.outer.spread(points, strengths, grid)?;
        self.inner.type2(grid, self.sign, values)?;
        Ok(self.times(values, &self.deconvolution, false)?)
    }

    /// The same steps, each transposed and conjugated, from last to first; `values` are overwritten.
    pub fn execute_adjoint(&self, values: &Buffer<Complex<T>>, strengths: &Buffer<Complex<T>>) -> Result<()> {
        let grid = &self.outer.grid;
        let points = self.outer.checked(strengths, grid)?;
        self.times(values, &self.deconvolution, true)?;
        self.inner.type1(values, self.sign.flipped(), grid)?;
        self.outer.interpolate(points, grid, strengths)?;
        Ok(self.times(strengths, &self.prephase, true)?)
    }

    fn times(
        &self,
        values: &Buffer<Complex<T>>,
        factors: &Buffer<Complex<T>>,
        conjugate: bool,
    ) -> DeviceResult {
        let lengths = [factors.len(), values.len()].map(|n| Arg::I64(n as i64));
        let args =
            [&[values.into(), factors.into()], &lengths[..], &[Arg::I32(i32::from(conjugate))]].concat();
        self.gpu.launch(&*self.multiply, "multiply", Grid::cover(values.len(), GROUP), &args)
    }
}
