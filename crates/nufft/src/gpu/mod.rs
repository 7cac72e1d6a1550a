//! The transforms on a GPU: everything stays in buffers of the device.
//!
//! The stages have the names they have on the CPU: spread, transform, deconvolve for type 1; fill, transform, interpolate
//! for type 2. `kernels/*.cu` says how each is done.

mod host;
mod kernels;
mod points;
#[cfg(test)]
mod tests;
mod type3;

pub(crate) use host::HostPlan;

use crate::check;
use crate::error::{NufftError, Result};
use crate::grid::GridShape;
use crate::kernel::{Demand, Kernel};
use crate::options::{Options, Sign, Upsampling};
use crate::plan::{NO_POINTS, choose_kernel};
use crate::table::TapTable;
use bytemuck::Pod;
use kernels::{GROUP, Kernels, LANES_GROUP};
use num_complex::Complex;
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, DeviceError, Direction, Fft, Gpu, Grid, Program, Recording};
use points::{Points, Sorter, Spreading};
use std::sync::Arc;

/// Most groups along the second axis of a launch, which CUDA limits.
const MOST_ROWS: usize = 65_535;

/// Up to so many points, an item per point leaves a large GPU idle: several work on each. (Measured on an H200: 10,000 points
/// take 23 µs by lanes and 25 by points, a million 168 and 101.)
const FEW_POINTS: usize = 20_000;

/// Groups that interpolate by lanes at once: enough to fill any GPU. Each takes several sets of points.
const MOST_GROUPS: usize = 4096;

type DeviceResult = std::result::Result<(), DeviceError>;

/// A plan whose points, strengths and modes lie on a GPU: types 1 and 2, for work that stays there between transforms. Data on
/// the host is better off with a [`Plan`](crate::Plan), which has all types. The calls return before the work is done, as those
/// of the device layer do.
///
/// Strengths and modes of a batch follow one another, a whole vector at a time; so do the points of each axis.
///
/// ```
/// use num_complex::Complex64;
/// use phasefront_device::{DeviceChoice, open};
/// use phasefront_nufft::{GpuPlan, Options, Sign};
///
/// // Where there is no GPU there is nothing to do.
/// let opened = open(DeviceChoice::Auto, false)?;
/// if let Some(gpu) = opened.backend.gpu() {
///     let mut plan = GpuPlan::new(gpu, &[8], 1e-9, &Options::default())?;
///     plan.set_points(&[&[0.1, 2.0]])?;
///     let (c, f) = (gpu.upload(&[Complex64::ONE; 2])?, gpu.alloc(8)?);
///     plan.type1(&c, Sign::Plus, &f)?;
///     // What is done often is recorded, and costs one launch from then on.
///     let again = plan.record_type2(&f, Sign::Minus, &c)?;
///     again.replay()?;
///     assert_eq!(gpu.download(&c)?.len(), 2);
/// }
/// # Ok::<(), phasefront_nufft::NufftError>(())
/// ```
pub struct GpuPlan<T> {
    gpu: Arc<dyn Gpu>,
    shape: GridShape,
    fft: Fft,
    options: Options,
    taps: usize,
    /// Up to so many points in all vectors of a batch, several work items interpolate each; above, one.
    pub few_points: usize,
    kernels: Kernels,
    /// Place on the grid of every mode, mode at every place or −1, and factor of every mode: an axis after the other.
    places: Buffer<i32>,
    mode_at: Buffer<i32>,
    factors: Buffer<T>,
    grid: Buffer<Complex<T>>,
    points: Option<Points<T>>,
}

impl<T: Real + Pod> GpuPlan<T> {
    /// A plan for `modes` along one, two or three axes, the first running fastest.
    pub fn new(gpu: &Arc<dyn Gpu>, modes: &[usize], tolerance: f64, options: &Options) -> Result<Self> {
        check::request::<T>(modes.len(), tolerance)?;
        // Of both upsamplings, this is the faster one at nearly all sizes here: FFTs are cheap on a GPU, taps are not.
        let upsampling = options.upsampling.unwrap_or(Upsampling::High);
        let kernel = choose_kernel::<T>(Demand::Modes(modes), tolerance, options.kernel, upsampling)?;
        let table = TapTable::new(&kernel, tolerance);
        Self::with_kernel(gpu, &GridShape::new(modes, &kernel)?, &kernel, &table, options)
    }

    /// A plan with a kernel that has been chosen.
    pub(crate) fn with_kernel(
        gpu: &Arc<dyn Gpu>,
        shape: &GridShape,
        kernel: &Kernel,
        table: &TapTable,
        options: &Options,
    ) -> Result<Self> {
        let (order, batch) = (options.mode_order, options.batch);
        let cells = shape.fine.iter().try_fold(batch, |cells, &n| cells.checked_mul(n));
        // Kernels count lines of the grid in 32 bits.
        let lines = cells.map(|cells| cells / shape.fine[0]).filter(|&lines| u32::try_from(lines).is_ok());
        let (Some(cells), Some(_)) = (cells, lines) else { return Err(NufftError::TooLarge) };
        if batch > MOST_ROWS || shape.fine.iter().any(|&n| i32::try_from(2 * n).is_err()) {
            return Err(NufftError::TooLarge);
        }
        let (mut places, mut mode_at, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..3 {
            let own = shape.mode_positions(axis, order);
            let mut at = vec![-1; shape.fine[axis]];
            own.iter().enumerate().for_each(|(mode, &place)| at[place] = mode as i32);
            mode_at.extend(at);
            places.extend(own.iter().map(|&place| place as i32));
            factors.extend(shape.deconvolution(axis, kernel, order).into_iter().map(T::from_f64));
        }
        let [cols, rows, planes] = shape.fine;
        Ok(Self {
            fft: Fft { planes, rows, cols, batch, precision: T::PRECISION },
            options: *options,
            taps: shape.taps.iter().product(),
            few_points: FEW_POINTS,
            kernels: Kernels::new(&**gpu, T::PRECISION, shape.dimensions, table)?,
            places: gpu.upload(&places)?,
            mode_at: gpu.upload(&mode_at)?,
            factors: gpu.upload(&factors)?,
            grid: gpu.alloc(cells)?,
            points: None,
            shape: shape.clone(),
            gpu: gpu.clone(),
        })
    }

    /// The points, in radians, one slice per axis; any real number, taken modulo 2π.
    pub fn set_points(&mut self, points: &[&[T]]) -> Result<()> {
        self.points = None;
        check::finite(points)?;
        let buffers: Vec<Buffer<T>> = points.iter().map(|x| self.gpu.upload(x)).collect::<Result<_, _>>()?;
        self.set_device_points(&buffers.iter().collect::<Vec<_>>())
    }

    /// The points, from buffers of the device. It is checked there that they are finite, and waited for.
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

    /// Type 2 and its derivatives by the points' coordinates, `gradient[axis][batch][point]`, from the same grid.
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

    /// Type 1 on these buffers, done now and ready to be done again: small transforms take as long as their launches do,
    /// and this has one.
    pub fn record_type1<'a>(
        &'a self,
        strengths: &'a Buffer<Complex<T>>,
        sign: Sign,
        modes: &'a Buffer<Complex<T>>,
    ) -> Result<Box<dyn Recording + 'a>> {
        let points = self.checked(strengths, modes)?;
        Ok(self.gpu.record(Box::new(move || self.run_type1(points, strengths, sign, modes)))?)
    }

    /// Type 2 on these buffers, done now and ready to be done again.
    pub fn record_type2<'a>(
        &'a self,
        modes: &'a Buffer<Complex<T>>,
        sign: Sign,
        strengths: &'a Buffer<Complex<T>>,
    ) -> Result<Box<dyn Recording + 'a>> {
        let points = self.checked(strengths, modes)?;
        Ok(self.gpu.record(Box::new(move || self.run_type2(points, modes, sign, strengths)))?)
    }

    /// Type 2 with its gradient on these buffers, done now and ready to be done again.
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

    /// The points, if they are set and the buffers have their lengths.
    fn checked(&self, strengths: &Buffer<Complex<T>>, modes: &Buffer<Complex<T>>) -> Result<&Points<T>> {
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

    /// Strengths over a grid.
    fn spread(
        &self,
        points: &Points<T>,
        strengths: &Buffer<Complex<T>>,
        grid: &Buffer<Complex<T>>,
    ) -> DeviceResult {
        let program = &*self.kernels.spread;
        let (kernel, extra, groups, size) = match &points.spreading {
            Spreading::Tiles { starts } => {
                let tiles = points::tiles(&self.shape).iter().product();
                ("spread_tiles", Some(starts), tiles, LANES_GROUP)
            }
            Spreading::Subproblems { lists } => {
                let size = (self.taps as u32).next_power_of_two().clamp(64, 256);
                ("spread_subproblems", Some(lists), lists.len() / 3, size)
            }
            Spreading::Points => ("spread_points", None, points.count.div_ceil(GROUP as usize), GROUP),
            Spreading::Taps => {
                ("spread_taps", None, (points.count * self.taps).div_ceil(GROUP as usize), GROUP)
            }
        };
        if kernel != "spread_tiles" {
            let args = [grid.into(), Arg::I64(grid.len() as i64)];
            self.gpu.launch(program, "clear", Grid::cover(grid.len(), GROUP), &args)?;
        }
        let mut args = vec![(&points.first).into(), (&points.z).into(), (&points.order).into()];
        args.extend(extra.map(Arg::from));
        args.extend([strengths.into(), grid.into(), Arg::I64(points.count as i64)]);
        args.extend(sizes(self.shape.fine));
        self.launch_batch(program, kernel, groups, size, &args)
    }

    /// The FFT of the grid.
    fn transform(&self, sign: Sign) -> DeviceResult {
        let direction = match sign {
            Sign::Minus => Direction::Forward,
            Sign::Plus => Direction::Inverse,
        };
        self.gpu.fft_bytes(self.fft, direction, self.grid.memory())
    }

    /// Grid to modes.
    fn deconvolve(&self, modes: &Buffer<Complex<T>>) -> DeviceResult {
        self.between("deconvolve", [&self.grid, modes], &self.places, self.shape.modes)
    }

    /// Modes to grid.
    fn fill(&self, modes: &Buffer<Complex<T>>) -> DeviceResult {
        self.between("fill_grid", [modes, &self.grid], &self.mode_at, self.shape.fine)
    }

    /// Launches `kernel` over the lines of `lines`.
    fn between(
        &self,
        kernel: &str,
        [from, to]: [&Buffer<Complex<T>>; 2],
        table: &Buffer<i32>,
        lines: [usize; 3],
    ) -> DeviceResult {
        let mut args = vec![from.into(), to.into(), table.into(), (&self.factors).into()];
        args.extend(sizes(self.shape.modes));
        args.extend(sizes(self.shape.fine));
        args.push(Arg::I32(self.options.batch as i32));
        let rows = (lines[1] * lines[2] * self.options.batch).min(MOST_ROWS);
        let grid = Grid::cover_2d([lines[0], rows], [LANES_GROUP, 1]);
        self.gpu.launch(&*self.kernels.modes, kernel, grid, &args)
    }

    /// A grid to points.
    fn interpolate(
        &self,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        strengths: &Buffer<Complex<T>>,
    ) -> DeviceResult {
        if points.count * self.options.batch <= self.few_points {
            return self.interpolate_by_lanes(points, grid, strengths, None);
        }
        let mut args = vec![(&points.first).into(), (&points.z).into(), (&points.order).into()];
        args.extend([grid.into(), strengths.into(), Arg::I64(points.count as i64)]);
        args.extend(sizes(self.shape.fine));
        let groups = points.count.div_ceil(LANES_GROUP as usize);
        self.launch_batch(&*self.kernels.interpolate, "interpolate_points", groups, LANES_GROUP, &args)
    }

    fn interpolate_by_lanes(
        &self,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        strengths: &Buffer<Complex<T>>,
        gradient: Option<&Buffer<Complex<T>>>,
    ) -> DeviceResult {
        let mut args = vec![(&points.first).into(), (&points.z).into(), (&points.order).into()];
        // A kernel takes a buffer in every place; without a gradient it leaves this one alone.
        let buffers = [grid, strengths, gradient.unwrap_or(strengths)];
        args.extend(buffers.map(Arg::from));
        args.push(Arg::I64(points.count as i64));
        args.extend(sizes(self.shape.fine));
        args.push(Arg::I32(i32::from(gradient.is_some())));
        let lanes = self.shape.taps[0].next_power_of_two().clamp(8, 32);
        let groups = (points.count * lanes).div_ceil(LANES_GROUP as usize).min(MOST_GROUPS);
        self.launch_batch(&*self.kernels.interpolate, "interpolate_lanes", groups, LANES_GROUP, &args)
    }

    /// Launches `groups` for every member of the batch.
    fn launch_batch(
        &self,
        program: &dyn Program,
        kernel: &str,
        groups: usize,
        size: u32,
        args: &[Arg<'_>],
    ) -> DeviceResult {
        // More groups than any device launches become a number that is refused.
        let groups = [u32::try_from(groups).unwrap_or(u32::MAX), self.options.batch as u32, 1];
        self.gpu.launch(program, kernel, Grid { groups, group_size: [size, 1, 1] }, args)
    }
}

fn sizes(sizes: [usize; 3]) -> [Arg<'static>; 3] {
    sizes.map(|n| Arg::I32(n as i32))
}
