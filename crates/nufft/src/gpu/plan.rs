//! Transforms of types 1 and 2 on a GPU: make the plan, set the points, execute.

use super::kernels::Kernels;
use super::sort::{Points, Sorter};
use crate::check;
use crate::error::{NO_POINTS, NufftError, Result};
use crate::grid::{GridShape, too_large};
use crate::kernel::{Kernel, KernelUse, choose_kernel};
use crate::options::{Options, Sign, Upsampling};
use crate::table::TapTable;
use bytemuck::Pod;
use num_complex::Complex;
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, DeviceError, Fft, Gpu, Grid, Program, Recording};
use std::sync::Arc;

/// Maximum groups along the second axis of a launch, a limit of CUDA.
pub(super) const MAX_ROWS: usize = 65_535;

/// Up to this number of points, one work item per point leaves a large GPU idle: several work on each. (Measured on an H200: 10,000
/// points take 23 µs by lanes and 25 by points, a million 168 and 101.)
const LANE_THRESHOLD: usize = 20_000;

pub(super) type DeviceResult = std::result::Result<(), DeviceError>;

/// A plan of types 1 and 2 for points, strengths and modes in buffers of a GPU. For data on the host, use a [`Plan`](crate::Plan), which
/// has all types. Calls are asynchronous: they return before the work is done.
///
/// The vectors of a batch are contiguous, and so are the points of each axis.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_device::{DeviceChoice, open};
/// use phasefront_nufft::{GpuPlan, Options, Sign};
///
/// // Nothing to do without a GPU.
/// let opened = open(DeviceChoice::Auto, false)?;
/// if let Some(gpu) = opened.backend.gpu() {
///     let mut plan = GpuPlan::new(gpu, &[8], 1e-9, &Options::default())?;
///     plan.set_points(&[&[0.1, 2.0]])?;
///     let (c, f) = (gpu.upload(&[Complex64::ONE; 2])?, gpu.alloc(8)?);
///     plan.type1(&c, Sign::Plus, &f)?;
///     // A recorded transform costs one launch.
///     let again = plan.record_type2(&f, Sign::Minus, &c)?;
///     again.replay()?;
///     assert_eq!(gpu.download(&c)?.len(), 2);
/// }
/// # Ok::<(), phasefront_nufft::NufftError>(())
/// ```
pub struct GpuPlan<T> {
    pub(super) gpu: Arc<dyn Gpu>,
    pub(super) shape: GridShape,
    pub(super) fft: Fft,
    pub(super) options: Options,
    /// Taps of a point over all axes.
    pub(super) taps: usize,
    /// Maximum points in all vectors of a batch that are interpolated by several work items each; above, by one.
    pub lane_threshold: usize,
    pub(super) kernels: Kernels,
    /// Grid index of every mode, mode of every grid index or −1, and deconvolution factor of every mode; axis by axis.
    pub(super) grid_index: Buffer<i32>,
    pub(super) mode_at: Buffer<i32>,
    pub(super) factors: Buffer<T>,
    pub(super) grid: Buffer<Complex<T>>,
    points: Option<Points<T>>,
}

impl<T: Real + Pod> GpuPlan<T> {
    /// A plan for `modes` along one, two or three axes, the first running fastest.
    pub fn new(gpu: &Arc<dyn Gpu>, modes: &[usize], tolerance: f64, options: &Options) -> Result<Self> {
        check::request::<T>(modes.len(), tolerance)?;
        // The faster upsampling factor at nearly all sizes: on a GPU FFTs are cheap, taps are not.
        let upsampling = options.upsampling.unwrap_or(Upsampling::High);
        let kernel = choose_kernel::<T>(KernelUse::Modes(modes), tolerance, options.kernel, upsampling)?;
        let table = TapTable::new(&kernel, tolerance);
        Self::with_kernel(gpu, &GridShape::new(modes, &kernel)?, &kernel, &table, options)
    }

    /// A plan with a given kernel.
    pub(crate) fn with_kernel(
        gpu: &Arc<dyn Gpu>,
        shape: &GridShape,
        kernel: &Kernel,
        table: &TapTable,
        options: &Options,
    ) -> Result<Self> {
        let (order, batch) = (options.mode_order, options.batch);
        let cells = shape.fine.iter().try_fold(batch, |cells, &n| cells.checked_mul(n));
        // Kernels index lines of the grid with 32 bits.
        let lines = cells.map(|cells| cells / shape.fine[0]).filter(|&lines| u32::try_from(lines).is_ok());
        let all = shape.fine.iter().fold(batch as f64, |cells, &n| cells * n as f64);
        let (Some(cells), Some(_)) = (cells, lines) else { return Err(too_large(all)) };
        // Twice the size: indices before wrapping reach up to 2n.
        if batch > MAX_ROWS || shape.fine.iter().any(|&n| i32::try_from(2 * n).is_err()) {
            return Err(too_large(all));
        }
        let (mut grid_index, mut mode_at, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..3 {
            let indices = shape.mode_indices(axis, order);
            // Inverse table: −1 marks grid points without a mode, which stay zero.
            let mut at = vec![-1; shape.fine[axis]];
            indices.iter().enumerate().for_each(|(mode, &index)| at[index] = mode as i32);
            mode_at.extend(at);
            grid_index.extend(indices.iter().map(|&index| index as i32));
            factors.extend(shape.deconvolution(axis, kernel, order).into_iter().map(T::from_f64));
        }
        let [cols, rows, planes] = shape.fine;
        Ok(Self {
            fft: Fft { planes, rows, cols, batch, precision: T::PRECISION },
            options: *options,
            taps: shape.taps.iter().product(),
            lane_threshold: LANE_THRESHOLD,
            kernels: Kernels::new(&**gpu, T::PRECISION, shape.dimensions, table)?,
            grid_index: gpu.upload(&grid_index)?,
            mode_at: gpu.upload(&mode_at)?,
            factors: gpu.upload(&factors)?,
            grid: gpu.alloc(cells)?,
            points: None,
            shape: shape.clone(),
            gpu: gpu.clone(),
        })
    }

    /// Sets the points, in radians, one slice per axis; any real numbers, taken modulo 2π.
    pub fn set_points(&mut self, points: &[&[T]]) -> Result<()> {
        self.points = None;
        check::finite(points)?;
        let buffers: Vec<Buffer<T>> = points.iter().map(|x| self.gpu.upload(x)).collect::<Result<_, _>>()?;
        self.set_device_points(&buffers.iter().collect::<Vec<_>>())
    }

    /// Sets the points from buffers of the device. Checks there that they are finite, and waits for the result.
    pub fn set_device_points(&mut self, points: &[&Buffer<T>]) -> Result<()> {
        self.points = None;
        if points.len() != self.shape.dimensions {
            return Err(NufftError::Dimensions(points.len()));
        }
        let count = points[0].len();
        points.iter().try_for_each(|x| check::length("an axis of the points", x.len(), count))?;
        let sorter = Sorter { gpu: &*self.gpu, kernels: &self.kernels, shape: &self.shape };
        self.points = Some(sorter.sort(points, &self.options)?);
        Ok(())
    }

    /// Type 1: `modes` = Σ strengths e^{±i k·x}.
    pub fn type1(
        &self,
        strengths: &Buffer<Complex<T>>,
        sign: Sign,
        modes: &Buffer<Complex<T>>,
    ) -> Result<()> {
        let points = self.checked(strengths, modes)?;
        Ok(self.run_type1(points, strengths, sign, modes)?)
    }

    /// Type 2: `strengths` = Σ modes e^{±i k·x}.
    pub fn type2(
        &self,
        modes: &Buffer<Complex<T>>,
        sign: Sign,
        strengths: &Buffer<Complex<T>>,
    ) -> Result<()> {
        let points = self.checked(strengths, modes)?;
        Ok(self.run_type2(points, modes, sign, strengths)?)
    }

    /// Type 2 and its derivatives with respect to the coordinates, `gradient[axis][batch][point]`, from the same grid.
    pub fn type2_gradient(
        &self,
        modes: &Buffer<Complex<T>>,
        sign: Sign,
        strengths: &Buffer<Complex<T>>,
        gradient: &Buffer<Complex<T>>,
    ) -> Result<()> {
        let points = self.checked(strengths, modes)?;
        check::length("the gradient", gradient.len(), self.shape.dimensions * strengths.len())?;
        Ok(self.run_type2_gradient(points, modes, sign, [strengths, gradient])?)
    }

    /// Executes type 1 on these buffers and records it for replay: small transforms are limited by their launches, and a replay has one.
    pub fn record_type1<'a>(
        &'a self,
        strengths: &'a Buffer<Complex<T>>,
        sign: Sign,
        modes: &'a Buffer<Complex<T>>,
    ) -> Result<Box<dyn Recording + 'a>> {
        let points = self.checked(strengths, modes)?;
        Ok(self.gpu.record(Box::new(move || self.run_type1(points, strengths, sign, modes)))?)
    }

    /// Executes type 2 on these buffers and records it.
    pub fn record_type2<'a>(
        &'a self,
        modes: &'a Buffer<Complex<T>>,
        sign: Sign,
        strengths: &'a Buffer<Complex<T>>,
    ) -> Result<Box<dyn Recording + 'a>> {
        let points = self.checked(strengths, modes)?;
        Ok(self.gpu.record(Box::new(move || self.run_type2(points, modes, sign, strengths)))?)
    }

    /// Executes type 2 with its gradient on these buffers and records it.
    pub fn record_type2_gradient<'a>(
        &'a self,
        modes: &'a Buffer<Complex<T>>,
        sign: Sign,
        strengths: &'a Buffer<Complex<T>>,
        gradient: &'a Buffer<Complex<T>>,
    ) -> Result<Box<dyn Recording + 'a>> {
        let points = self.checked(strengths, modes)?;
        check::length("the gradient", gradient.len(), self.shape.dimensions * strengths.len())?;
        let work = move || self.run_type2_gradient(points, modes, sign, [strengths, gradient]);
        Ok(self.gpu.record(Box::new(work))?)
    }

    /// The points, if they are set and the buffers have the right lengths.
    pub(super) fn checked(
        &self,
        strengths: &Buffer<Complex<T>>,
        modes: &Buffer<Complex<T>>,
    ) -> Result<&Points<T>> {
        let batch = self.options.batch;
        let points = self.points.as_ref().ok_or(NufftError::WrongType(NO_POINTS))?;
        check::length("the array of strengths", strengths.len(), points.count * batch)?;
        check::length("the array of modes", modes.len(), self.shape.modes.iter().product::<usize>() * batch)?;
        Ok(points)
    }

    fn run_type1(
        &self,
        points: &Points<T>,
        strengths: &Buffer<Complex<T>>,
        sign: Sign,
        modes: &Buffer<Complex<T>>,
    ) -> DeviceResult {
        self.spread(points, strengths, &self.grid)?;
        self.transform(sign)?;
        self.deconvolve(modes)
    }

    fn run_type2(
        &self,
        points: &Points<T>,
        modes: &Buffer<Complex<T>>,
        sign: Sign,
        strengths: &Buffer<Complex<T>>,
    ) -> DeviceResult {
        self.fill(modes)?;
        self.transform(sign)?;
        self.interpolate(points, &self.grid, strengths)
    }

    fn run_type2_gradient(
        &self,
        points: &Points<T>,
        modes: &Buffer<Complex<T>>,
        sign: Sign,
        [strengths, gradient]: [&Buffer<Complex<T>>; 2],
    ) -> DeviceResult {
        self.fill(modes)?;
        self.transform(sign)?;
        self.interpolate_by_lanes(points, &self.grid, strengths, Some(gradient))
    }

    /// Launches `groups` for every member of the batch.
    pub(super) fn launch_batch(
        &self,
        program: &dyn Program,
        kernel: &str,
        groups: usize,
        size: u32,
        args: &[Arg<'_>],
    ) -> DeviceResult {
        // A number of groups beyond 32 bits saturates, and the device refuses it.
        let groups = [u32::try_from(groups).unwrap_or(u32::MAX), self.options.batch as u32, 1];
        self.gpu.launch(program, kernel, Grid { groups, group_size: [size, 1, 1] }, args)
    }
}

/// Sizes as kernels take them.
pub(super) fn sizes(sizes: [usize; 3]) -> [Arg<'static>; 3] {
    sizes.map(|n| Arg::I32(n as i32))
}
