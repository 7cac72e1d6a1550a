//! Points on the device: first taps, sorted by bins.

use super::kernels::{BIN, DIGIT_BITS, GROUP, Kernels, LANES_GROUP, TILE};
use crate::check;
use crate::error::{NufftError, Result};
use crate::grid::{GridShape, too_large};
use crate::options::{GpuMethod, Options};
use bytemuck::Pod;
use phasefront_core::Real;
use phasefront_device::{Arg, Buffer, Gpu, Grid};

/// Values of a digit of the radix sort.
const DIGITS: usize = 1 << DIGIT_BITS;
/// Maximum points of a subproblem: longer lists of a bin are split.
const MAX_SUBPROBLEM: usize = 1024;
/// Groups that run concurrently on a large GPU.
const CONCURRENT_GROUPS: usize = 512;
/// Points of a tile below which the load balance does not matter.
const MIN_TILE_LOAD: usize = 4096;
/// Minimum points and maximum width for which subproblems are faster than tiles. Measured on an H200 in two dimensions:
/// 291 against 317 µs (10⁶ points, 256² modes), 373 against 500 (10⁶, 1000²) and 2105 against 2792 (10⁷, 1000²) with 7 taps;
/// with 13 taps tiles win, 483 against 605.
const SUBPROBLEM_MIN_POINTS: usize = 200_000;
const SUBPROBLEM_MAX_WIDTH: usize = 9;

/// The points of a plan.
pub(super) struct Points<T> {
    pub count: usize,
    /// First tap of each point, axis by axis.
    pub first: Buffer<i32>,
    /// z of each point along each axis.
    pub z: Buffer<T>,
    /// Index of each point in the arrays of the caller.
    pub order: Buffer<i32>,
    /// The spreading method.
    pub spreading: Spreading,
}

/// A spreading method with its data.
pub(super) enum Spreading {
    /// Output-driven, by tiles: the number of points before each bin.
    Tiles { starts: Buffer<i32> },
    /// Lists of at most `MAX_SUBPROBLEM` points of one bin: bin, first point, end.
    Subproblems { lists: Buffer<i32> },
    /// One work item per point.
    Points,
    /// One work item per point and tap.
    Taps,
}

/// Tiles of the output-driven kernel along each axis.
pub(super) fn tiles(shape: &GridShape) -> [usize; 3] {
    let tile = TILE[shape.dimensions - 1];
    std::array::from_fn(|axis| shape.fine[axis].div_ceil(tile[axis]))
}

fn bins(shape: &GridShape, side: usize) -> [usize; 3] {
    std::array::from_fn(|axis| shape.fine[axis].div_ceil(if axis < shape.dimensions { side } else { 1 }))
}

/// The sort of the points.
pub(super) struct Sorter<'a> {
    pub gpu: &'a dyn Gpu,
    pub kernels: &'a Kernels,
    pub shape: &'a GridShape,
}

impl Sorter<'_> {
    /// Locates the points `x` on the grid and sorts them as the method requires.
    pub fn sort<T: Real + Pod>(&self, x: &[&Buffer<T>], options: &Options) -> Result<Points<T>> {
        let method = options.gpu_method;
        match method {
            GpuMethod::PointDriven | GpuMethod::TapDriven => {
                let (located, _) = self.locate(x, 1)?;
                let spreading =
                    if method == GpuMethod::TapDriven { Spreading::Taps } else { Spreading::Points };
                Ok(Points { spreading, ..located })
            }
            GpuMethod::Sorted => Ok(self.sort_by_bins(x, BIN)?.0),
            GpuMethod::OutputDriven => self.for_tiles(x),
            GpuMethod::Subproblem => self.for_subproblems(x),
            GpuMethod::Auto if options.deterministic => self.for_tiles(x),
            GpuMethod::Auto if x[0].len() >= SUBPROBLEM_MIN_POINTS && self.prefers_subproblems() => {
                self.for_subproblems(x)
            }
            // The load balance is known only after the sort:
            // clustered points are sorted again, by other bins.
            GpuMethod::Auto => {
                let points = self.for_tiles(x)?;
                if self.is_balanced(&points)? { Ok(points) } else { self.for_subproblems(x) }
            }
        }
    }

    fn prefers_subproblems(&self) -> bool {
        self.kernels.side.is_some() && self.shape.taps[0] <= SUBPROBLEM_MAX_WIDTH
    }

    fn for_tiles<T: Real + Pod>(&self, x: &[&Buffer<T>]) -> Result<Points<T>> {
        let (points, starts) = self.sort_by_bins(x, BIN)?;
        Ok(Points { spreading: Spreading::Tiles { starts }, ..points })
    }

    /// Lists of the points of each bin. If a subgrid does not fit into local memory, points are spread one by one.
    fn for_subproblems<T: Real + Pod>(&self, x: &[&Buffer<T>]) -> Result<Points<T>> {
        let Some(side) = self.kernels.side else {
            return Ok(self.sort_by_bins(x, BIN)?.0);
        };
        let (points, starts) = self.sort_by_bins(x, side)?;
        // Lists are few compared to points: made on the host.
        let starts = self.gpu.download(&starts)?;
        let mut lists = Vec::new();
        // `windows(2)`: first point of the bin, and of the next.
        for (bin, ends) in starts.windows(2).enumerate() {
            for from in (ends[0]..ends[1]).step_by(MAX_SUBPROBLEM) {
                lists.extend([bin as i32, from, ends[1].min(from + MAX_SUBPROBLEM as i32)]);
            }
        }
        Ok(Points { spreading: Spreading::Subproblems { lists: self.gpu.upload(&lists)? }, ..points })
    }

    /// Whether no tile has a much larger load than the others.
    fn is_balanced<T>(&self, points: &Points<T>) -> Result<bool> {
        let Spreading::Tiles { starts } = &points.spreading else { return Ok(true) };
        let tiles: usize = tiles(self.shape).iter().product();
        let loads: Buffer<i32> = self.gpu.alloc(tiles)?;
        let args = [&[starts.into(), (&loads).into()], &self.sizes()[..]].concat();
        let grid = Grid::cover(tiles * LANES_GROUP as usize, LANES_GROUP);
        self.gpu.launch(&*self.kernels.spread, "tile_loads", grid, &args)?;
        let loads = self.gpu.download(&loads)?;
        let total: usize = loads.iter().map(|&load| load as usize).sum();
        let largest = loads.iter().max().map_or(0, |&load| load as usize);
        // No tile may take longer than four times the average share of a group.
        Ok(largest <= MIN_TILE_LOAD.max(4 * total / CONCURRENT_GROUPS))
    }

    fn sizes(&self) -> [Arg<'static>; 3] {
        self.shape.fine.map(|n| Arg::I32(n as i32))
    }

    fn launch(&self, kernel: &str, items: usize, args: &[Arg<'_>]) -> Result<()> {
        Ok(self.gpu.launch(&*self.kernels.sort, kernel, Grid::cover(items, GROUP), args)?)
    }

    /// First taps, z and the keys of bins with `side` first taps per axis, in the order given.
    fn locate<T: Real + Pod>(&self, x: &[&Buffer<T>], side: usize) -> Result<(Points<T>, Buffer<i32>)> {
        let count = x[0].len();
        let m =
            i32::try_from(count).map_err(|_| NufftError::TooLarge { what: "points", count: count as f64 })?;
        let gpu = self.gpu;
        let (first, z) = (gpu.alloc(count * x.len())?, gpu.alloc(count * x.len())?);
        let (key, order): (Buffer<i32>, Buffer<i32>) = (gpu.alloc(count)?, gpu.alloc(count)?);
        let non_finite: Buffer<i32> = gpu.alloc(1)?;
        let bins = bins(self.shape, side);
        // Keys are [bin z][bin y][bin x], accumulated axis by axis.
        let mut stride = 1;
        for (axis, x) in x.iter().enumerate() {
            let buffers = [(*x).into(), (&first).into(), (&z).into(), (&key).into(), (&non_finite).into()];
            let numbers = [axis, self.shape.fine[axis], side, stride].map(|n| Arg::I32(n as i32));
            let args = [&buffers[..], &[Arg::I64(m.into())], &numbers].concat();
            self.launch("locate", count, &args)?;
            stride *= bins[axis];
        }
        if gpu.download(&non_finite)? != [0] {
            // The device only counts them: find the first one on the host for the message.
            let x = x.iter().map(|x| gpu.download(x)).collect::<std::result::Result<Vec<_>, _>>()?;
            check::finite(&x.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        }
        // The identity before the sort; for point-driven methods it remains.
        self.launch("number", count, &[(&order).into(), Arg::I64(m.into())])?;
        Ok((Points { count, first, z, order, spreading: Spreading::Points }, key))
    }

    /// The points sorted by bins, and the number of points before each bin.
    fn sort_by_bins<T: Real + Pod>(&self, x: &[&Buffer<T>], side: usize) -> Result<(Points<T>, Buffer<i32>)> {
        let bins: usize = bins(self.shape, side).iter().product();
        if i32::try_from(bins).is_err() {
            return Err(too_large(bins as f64));
        }
        let (located, key) = self.locate(x, side)?;
        let (count, m) = (located.count, Arg::I64(located.count as i64));
        let (key, order) = self.sort_keys(key, located.order, bins)?;
        let gpu = self.gpu;
        let starts = gpu.alloc(bins + 1)?;
        let args = [(&key).into(), (&starts).into(), m, Arg::I64(bins as i64)];
        self.launch("find_starts", bins + 1, &args)?;
        // First taps and z are copied into sorted order:
        // neighboring items then read neighboring values.
        let (first, z) = (gpu.alloc(count * x.len())?, gpu.alloc(count * x.len())?);
        let from = [(&order).into(), (&located.first).into(), (&located.z).into()];
        let args = [&from[..], &[(&first).into(), (&z).into(), m]].concat();
        self.launch("reorder", count, &args)?;
        Ok((Points { count, first, z, order, spreading: Spreading::Points }, starts))
    }

    /// Stable radix sort of the keys, which are below `bins`, and of `order`.
    fn sort_keys(
        &self,
        mut key: Buffer<i32>,
        mut order: Buffer<i32>,
        bins: usize,
    ) -> Result<(Buffer<i32>, Buffer<i32>)> {
        let count = key.len();
        let m = Arg::I64(count as i64);
        let counts: Buffer<i32> = self.gpu.alloc(DIGITS * count.div_ceil(GROUP as usize))?;
        let (mut new_key, mut new_order) = (self.gpu.alloc(count)?, self.gpu.alloc(count)?);
        // Only the bits that keys below `bins` can have.
        let bits = usize::BITS - (bins - 1).leading_zeros();
        // Least significant digit first: every pass is
        // stable, so that the last one completes the order.
        for shift in (0..bits as i32).step_by(DIGIT_BITS as usize) {
            let shift = Arg::I32(shift);
            self.launch("count_digits", count, &[(&key).into(), (&counts).into(), m, shift])?;
            self.exclusive_scan(&counts)?;
            let from = [(&key).into(), (&order).into(), (&counts).into()];
            let args = [&from[..], &[(&new_key).into(), (&new_order).into(), m, shift]].concat();
            self.launch("scatter_by_digit", count, &args)?;
            std::mem::swap(&mut key, &mut new_key);
            std::mem::swap(&mut order, &mut new_order);
        }
        Ok((key, order))
    }

    /// Exclusive prefix sum: in tiles, then recursively over the totals of the tiles.
    fn exclusive_scan(&self, values: &Buffer<i32>) -> Result<()> {
        let tiles = values.len().div_ceil(GROUP as usize);
        let totals: Buffer<i32> = self.gpu.alloc(tiles)?;
        let args = [values.into(), (&totals).into(), Arg::I64(values.len() as i64)];
        self.launch("sum_tiles", values.len(), &args)?;
        if tiles > 1 {
            self.exclusive_scan(&totals)?;
            self.launch("add_totals", values.len(), &args)?;
        }
        Ok(())
    }
}
