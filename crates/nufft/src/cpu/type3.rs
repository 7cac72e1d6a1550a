//! Transforms of type 3 on the CPU.

use super::float::Float;
use super::plan::CpuPlan;
use crate::error::Result;
use crate::options::{ModeOrder, Sign};
use crate::type3::{Scaled, slices};
use num_complex::Complex;
use phasefront_device::zeros;

/// A transform of type 3 with its points and frequencies.
pub(crate) struct CpuType3<T: Float> {
    /// Spreading to the grid of the points.
    outer: CpuPlan<T>,
    /// From that grid to the frequencies.
    inner: CpuPlan<T>,
    sign: Sign,
    prephase: Vec<Complex<T>>,
    deconvolution: Vec<Complex<T>>,
    /// The outer grid without margins, in FFT order.
    grid: Vec<Complex<T>>,
    strengths: Vec<Complex<T>>,
}

impl<T: Float> CpuType3<T> {
    pub fn new(scaled: Scaled<T>, sign: Sign) -> Result<Self> {
        let Scaled { kernel, table, outer, inner, points, frequencies, prephase, deconvolution } = scaled;
        let size = outer.fine.iter().product();
        // FFT order: the grid of the points is passed on without a shift of its indices.
        let mut outer = CpuPlan::new(outer, &kernel, &table, ModeOrder::Fft)?;
        let mut inner = CpuPlan::new(inner, &kernel, &table, ModeOrder::Fft)?;
        outer.set_points(&slices(&points))?;
        inner.set_points(&slices(&frequencies))?;
        let grid = zeros(size)?;
        Ok(Self { outer, inner, sign, prephase, deconvolution, grid, strengths: Vec::new() })
    }

    /// Bytes of such a transform.
    pub fn bytes(scaled: &Scaled<T>) -> u64 {
        let Scaled { outer, inner, points, frequencies, .. } = scaled;
        let [points, frequencies] = [points, frequencies].map(|axes| axes[0].len());
        // The grid without margins, in addition to those of the two plans.
        let grid = outer.fine.iter().product::<usize>() as u64 * size_of::<Complex<T>>() as u64;
        [CpuPlan::<T>::bytes(outer, points), CpuPlan::<T>::bytes(inner, frequencies)]
            .into_iter()
            .fold(grid, u64::saturating_add)
    }

    pub fn execute(&mut self, strengths: &[Complex<T>], output: &mut [Complex<T>]) {
        self.strengths.clear();
        // Into a buffer of the plan: the input of the
        // caller is not modified, and no call allocates.
        self.strengths.extend(strengths.iter().zip(&self.prephase).map(|(c, b)| *c * *b));
        self.outer.spread_to(&self.strengths, &mut self.grid);
        self.inner.type2(&self.grid, self.sign, output);
        output.iter_mut().zip(&self.deconvolution).for_each(|(f, a)| *f = *f * *a);
    }

    /// The same steps, each transposed and conjugated, from last to first.
    pub fn execute_adjoint(&mut self, values: &[Complex<T>], output: &mut [Complex<T>]) {
        self.strengths.clear();
        self.strengths.extend(values.iter().zip(&self.deconvolution).map(|(f, a)| *f * a.conj()));
        self.inner.type1(&self.strengths, self.sign.flipped(), &mut self.grid);
        self.outer.interpolate_from(&self.grid, output);
        output.iter_mut().zip(&self.prephase).for_each(|(c, b)| *c = *c * b.conj());
    }
}
