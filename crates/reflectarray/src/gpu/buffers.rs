//! Buffers on the device for one arrangement of the elements, and the copies to and from them.

use super::kernels::{
    ALL_FACTORS, ALL_SUMS, BLOCK_SAMPLES, DESIGN_AXES, DESIGN_PHASE, FACTOR_DX, FACTOR_DY, FACTOR_VALUE,
    GROUP, SIDE, SUM_UW, SUM_VW, SUM_W, sizes,
};
use super::layout::ElementLayout;
use crate::error::ReflectarrayError;
use crate::evaluation::Evaluation;
use crate::illumination::Illumination;
use crate::problem::Design;
use bytemuck::cast_slice;
use num_complex::Complex64;
use phasefront_device::{Arg, Buffer, DeviceError, Gpu, Grid, Program, Staging};
use std::sync::Arc;

/// Groups among which a sum over many elements is divided: two for each multiprocessor of an H200, so that one computes
/// while the other loads.
const PARTIAL_SUMS: usize = 264;
/// Minimum elements of a partial sum: what a group loads into local memory at a time.
const MIN_PARTIAL_SUM: usize = 16;

/// Everything that does not depend on the design: device, kernels, feed and window.
#[derive(Clone)]
pub(crate) struct Setup {
    pub gpu: Arc<dyn Gpu>,
    pub program: Arc<dyn Program>,
    pub beta: f64,
    pub illumination: Illumination,
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    /// Element field pattern g at the samples.
    pub g: Vec<Complex64>,
}

/// Buffers for one arrangement of the elements. Samples have u fastest.
pub(super) struct Buffers {
    pub gpu: Arc<dyn Gpu>,
    pub program: Arc<dyn Program>,
    pub beta: f64,
    pub illumination: Illumination,
    pub nu: usize,
    pub nv: usize,
    pub elements: usize,
    pub cells: usize,
    /// Columns and rows of a grid.
    pub grid: Option<[usize; 2]>,
    /// Elements of each partial sum of the field.
    pub partial: usize,
    pub u: Buffer<f64>,
    pub v: Buffer<f64>,
    pub g: Buffer<Complex64>,
    /// ψ, x, y; x of the columns, y of the rows (`DESIGN_PHASE` and so on); the factors of a sampled feed.
    pub design: Buffer<f64>,
    /// Where the factors of a sampled feed begin in the design buffer, in the order of the FACTOR constants.
    pub factors: Option<usize>,
    pub design_upload: Staging<f64>,
    /// Element of each cell, −1 for none.
    pub element: Buffer<i32>,
    /// e^{jβ u x} and e^{jβ v y}.
    pub ex: Buffer<Complex64>,
    pub ey: Buffer<Complex64>,
    /// Excitations a of the cells.
    pub a: Buffer<Complex64>,
    /// Σ over the rows of a grid, of a e^{jβvy} or of W e^{jβvy}.
    pub row_sums: Buffer<Complex64>,
    /// Partial sums of the array factor.
    pub sums: Buffer<Complex64>,
    pub field: Buffer<Complex64>,
    pub bounds: Buffer<f64>,
    pub weights: Buffer<f64>,
    pub weights_upload: Staging<f64>,
    /// W, uW, vW.
    pub w: Buffer<Complex64>,
    /// S[W], S[uW], S[vW], in partial sums over u.
    pub adjoint_sums: Buffer<Complex64>,
    /// a S[W].
    pub back_projection: Buffer<Complex64>,
    /// |E|².
    pub intensity: Buffer<f64>,
    /// Φ by groups, then the gradients.
    pub cost: Buffer<f64>,
    /// Either of the last two on the host.
    pub download: Staging<f64>,
}

impl Buffers {
    pub fn new(setup: &Setup, layout: &ElementLayout) -> Result<Self, ReflectarrayError> {
        let gpu = &setup.gpu;
        let (nu, nv, elements) = (setup.u.len(), setup.v.len(), layout.elements);
        let (samples, cells) = (nu * nv, layout.element.len());
        let grid = layout.grid();
        let [nx, ny] = grid.unwrap_or([elements; 2]);
        let blocks = nu.div_ceil(BLOCK_SAMPLES) * nv.div_ceil(BLOCK_SAMPLES);
        // Groups for all multiprocessors, but no sum shorter than one load: with many blocks of
        // samples, one partial sum suffices.
        let partial = elements.div_ceil(PARTIAL_SUMS.div_ceil(blocks)).max(MIN_PARTIAL_SUM);
        let (field_sums, row_sums, adjoint_sums) = match grid {
            // On a grid the row sums of the field (nv by nx) and of the adjoint (nu by ny, for each
            // sum) share a buffer.
            Some(_) => (1, (nv * nx).max(ALL_SUMS * nu * ny), 1),
            // Scattered elements: partial sums are added by the next kernel, in a fixed order.
            None => (elements.div_ceil(partial), 0, nu.div_ceil(BLOCK_SAMPLES)),
        };
        let positions = DESIGN_AXES * elements + layout.x.len() + layout.y.len();
        let factors = setup.illumination.sampled().map(|_| positions);
        let numbers = positions + factors.map_or(0, |_| ALL_FACTORS * elements);
        // Φ by groups first, then the gradients: one copy downloads both.
        let cost = samples.div_ceil(GROUP) + ALL_SUMS * elements;
        Ok(Self {
            program: setup.program.clone(),
            beta: setup.beta,
            illumination: setup.illumination.clone(),
            nu,
            nv,
            elements,
            cells,
            grid,
            partial,
            u: gpu.upload(&setup.u)?,
            v: gpu.upload(&setup.v)?,
            g: gpu.upload(&setup.g)?,
            design: gpu.alloc(numbers)?,
            factors,
            design_upload: gpu.staging(numbers)?,
            element: gpu.upload(&layout.element)?,
            ex: gpu.alloc(nu * nx)?,
            ey: gpu.alloc(nv * ny)?,
            a: gpu.alloc(cells)?,
            row_sums: gpu.alloc(row_sums)?,
            sums: gpu.alloc(samples * field_sums)?,
            field: gpu.alloc(samples)?,
            bounds: gpu.alloc(2 * samples)?,
            weights: gpu.alloc(samples)?,
            weights_upload: gpu.staging(samples)?,
            w: gpu.alloc(ALL_SUMS * samples)?,
            adjoint_sums: gpu.alloc(ALL_SUMS * cells * adjoint_sums)?,
            back_projection: gpu.alloc(elements)?,
            intensity: gpu.alloc(samples)?,
            cost: gpu.alloc(cost)?,
            // Pinned memory for the larger of the two downloads.
            download: gpu.staging(cost.max(samples))?,
            gpu: gpu.clone(),
        })
    }

    /// Stages the phases of a design whose positions are on the device.
    pub fn set_phases(&self, phase: &[f64]) -> Result<(), ReflectarrayError> {
        Ok(self.design_upload.write(DESIGN_PHASE * self.elements, phase)?)
    }

    /// Stages a design with its positions.
    pub fn set_design(&self, design: &Design, layout: &ElementLayout) -> Result<(), ReflectarrayError> {
        // The order of the DESIGN constants; the axes are empty unless the elements form a grid.
        let mut all = [&design.phase[..], &design.x, &design.y, &layout.x, &layout.y].concat();
        let factors = self.illumination.factors(design);
        let (first, n) = (all.len(), factors.len());
        all.resize(first + ALL_FACTORS * n, 0.0);
        for (e, factor) in factors.iter().enumerate() {
            for (section, value) in
                [(FACTOR_VALUE, factor.value), (FACTOR_DX, factor.dx), (FACTOR_DY, factor.dy)]
            {
                all[first + section * n + e] = value.re;
                all[first + (section + 1) * n + e] = value.im;
            }
        }
        Ok(self.design_upload.write(0, &all)?)
    }

    /// Uploads the mask in |E|².
    pub fn set_bounds(&self, bounds: &[f64]) -> Result<(), ReflectarrayError> {
        Ok(self.gpu.upload_bytes(cast_slice(bounds), self.bounds.memory())?)
    }

    /// Stages the weights ∂C/∂|E|².
    pub fn set_weights(&self, weights: &[f64]) -> Result<(), ReflectarrayError> {
        Ok(self.weights_upload.write(0, weights)?)
    }

    /// Φ and the first `sums` gradients, after a sequence that downloaded them.
    pub fn downloaded_cost(&self, sums: usize) -> Result<Evaluation, ReflectarrayError> {
        let gradient = |which: usize| {
            let first = self.cost_groups() + which * self.elements;
            // Gradients that were not computed are empty, not stale.
            self.download.read(first..if which < sums { first + self.elements } else { first })
        };
        // Summed on the host in the order of the groups: reproducible.
        let value = self.download.read(0..self.cost_groups())?.iter().sum();
        Ok(Evaluation { value, phase: gradient(SUM_W)?, x: gradient(SUM_UW)?, y: gradient(SUM_VW)? })
    }

    /// |E|² after a sequence that downloaded it.
    pub fn downloaded_intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        Ok(self.download.read(0..self.samples())?)
    }

    /// |E|², by a copy of its own.
    pub fn intensity(&self) -> Result<Vec<f64>, ReflectarrayError> {
        Ok(self.gpu.download(&self.intensity)?)
    }

    /// E.
    pub fn field(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        Ok(self.gpu.download(&self.field)?)
    }

    /// a S[W].
    pub fn back_projection(&self) -> Result<Vec<Complex64>, ReflectarrayError> {
        Ok(self.gpu.download(&self.back_projection)?)
    }

    pub fn samples(&self) -> usize {
        self.nu * self.nv
    }

    /// Groups of the kernel that sums Φ.
    pub fn cost_groups(&self) -> usize {
        self.samples().div_ceil(GROUP)
    }

    pub fn launch(&self, kernel: &str, grid: Grid, args: &[Arg<'_>]) -> Result<(), DeviceError> {
        self.gpu.launch(&*self.program, kernel, grid, args)
    }

    /// β and the feed, in the order of the kernels' parameters.
    pub fn feed_args(&self) -> impl Iterator<Item = Arg<'_>> {
        let factors = self.factors.map_or(-1, |first| first as i64);
        self.illumination.parameters().map(Arg::F64).into_iter().chain([Arg::I64(factors)])
    }

    /// C = A B for `count` pairs of matrices, `shape` = [rows, columns, inner].
    pub fn product(
        &self,
        a: Matrix<'_>,
        b: Matrix<'_>,
        c: &Buffer<Complex64>,
        shape: [usize; 3],
        count: usize,
    ) -> Result<(), DeviceError> {
        let mut args = vec![Arg::from(a.0)];
        args.extend(sizes(a.1));
        args.push(b.0.into());
        args.extend(sizes(b.1));
        args.push(c.into());
        args.extend(sizes(shape));
        let mut grid = Grid::cover_2d([shape[0], shape[1]], [SIDE as u32; 2]);
        grid.groups[2] = count as u32;
        self.launch("product", grid, &args)
    }
}

/// A matrix of a product, and its strides along the row or column of the product, the inner sum, and the pairs.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a>(pub &'a Buffer<Complex64>, pub [usize; 3]);
