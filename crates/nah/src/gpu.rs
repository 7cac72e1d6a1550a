//! Holograms of a stream on a GPU: samples stay on the device, and a hop of them is four short launches, which a GPU can remember and
//! replay as one. All but the first begin while the one before ends.
//!
//! `blocks` sums the newest samples at every bin, `windows` makes phasors of the blocks of a window (one kernel does both where there is one
//! new block), `predict` finds how rows and columns go on
//! beyond the rim, `waves` takes one k_x each, forth and back along y, and `rows_back` one row each, back along x.

use crate::carriers::GpuCarrier;
use crate::error::NahError;
use crate::extrapolate::{Extrapolation, order};
use crate::grid::Grid;
use crate::plan::gains_of_waves;
use crate::scalar::Scalar;
use crate::window::weights;
use num_complex::{Complex, Complex64};
use phasefront_device::{Arg, Buffer, Complex as DeviceComplex, Gpu, Grid as Groups, KernelSource, Program};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The kernels.
pub const HOLOGRAM_KERNELS: KernelSource =
    KernelSource { name: "hologram.cu", text: include_str!("../kernels/hologram.cu") };

/// Work items of a group, and of those that run together on any GPU.
const MOST_ITEMS: usize = 1024;
const WARP: usize = 32;
/// Parts that a row is cut into for its prediction, where there are work items enough.
const SEGMENTS: usize = 8;
/// Work items of a group that transforms: as many as there are sums, between the first two; fewer where there are groups enough to hide how
/// long the others wait.
const FEWEST_ITEMS: usize = 384;
const SUM_ITEMS: usize = 768;
const BUSY_ITEMS: usize = 192;
/// Groups that keep a large GPU busy: from the first number on each takes more lines, which share their sums; from the second on there are many
/// of them on every multiprocessor.
const ENOUGH_GROUPS: usize = 192;
const MANY_GROUPS: usize = 1024;
/// Lines of a group at most, and their bytes.
const MOST_LINES: usize = 8;
const MOST_BYTES: usize = 32 << 10;
/// Microphones and parts of a group that sums.
const LANES: usize = 32;
const PARTS: usize = 8;

/// What a stream is cut into.
#[derive(Debug, Clone)]
pub struct StreamShape {
    /// The array.
    pub grid: Grid,
    /// Beyond its rim: one prediction for all rows and one for all columns, or silence.
    pub beyond: Extrapolation,
    /// Samples of a window.
    pub samples: usize,
    /// Samples from window to window; divides `samples`.
    pub hop: usize,
    /// Bins of the window's transform.
    pub bins: Vec<usize>,
    /// Fields of each hologram.
    pub fields: usize,
    /// Moments that the device holds samples of, a multiple of `hop`; after the last comes the first.
    pub moments: usize,
    /// Windows that are taken at once.
    pub batch: usize,
}

impl StreamShape {
    /// Of holograms whose phasors are made elsewhere: no samples.
    pub(crate) fn of_phasors(grid: Grid, beyond: Extrapolation, holograms: usize, fields: usize) -> Self {
        Self { grid, beyond, samples: 1, hop: 1, bins: vec![0; holograms], fields, moments: 1, batch: 1 }
    }

    fn holograms(&self) -> usize {
        self.batch * self.bins.len()
    }

    /// Parts of a row, and work items for all parts of all rows, or columns.
    fn predicting(&self) -> [usize; 2] {
        let longer = self.grid.columns.max(self.grid.rows);
        let segments =
            (SEGMENTS * longer).min(MOST_ITEMS).checked_div(longer).unwrap_or(1).next_power_of_two();
        [segments, (segments * longer).max(2 * self.grid.rows).next_multiple_of(WARP)]
    }

    /// How many of so many lines, each of so many bytes, a group takes.
    fn lines_of_a_group(lines: usize, bytes: usize, others: usize) -> usize {
        let fit = |count: &usize| {
            lines.is_multiple_of(*count)
                && lines / count * others >= ENOUGH_GROUPS
                && count * bytes <= MOST_BYTES
        };
        (2..=MOST_LINES).rev().find(fit).unwrap_or(1)
    }

    /// k_x of a group, and rows of a group on the way back.
    fn at_once<T: Scalar>(&self) -> [usize; 2] {
        let (wide, pair) = (self.grid.widened(), size_of::<Complex<T>>());
        let columns = Self::lines_of_a_group(wide.columns, 4 * wide.rows * pair, self.holograms());
        let rows =
            Self::lines_of_a_group(self.grid.rows, 2 * wide.columns * pair, self.holograms() * self.fields);
        [columns, rows]
    }

    /// Work items of a group that takes so many k_x, and of one that takes so many rows.
    fn transforming(&self, [columns, rows]: [usize; 2]) -> [usize; 2] {
        let (wide, holograms) = (self.grid.widened(), self.holograms());
        let items = |sums: usize, groups: usize, fewest: usize| {
            let [fewest, most] = if groups < MANY_GROUPS { [fewest, SUM_ITEMS] } else { [WARP, BUSY_ITEMS] };
            sums.next_multiple_of(WARP).clamp(fewest, most)
        };
        [
            items(columns * wide.rows, wide.columns / columns * holograms, FEWEST_ITEMS),
            items(rows * wide.columns, self.grid.rows / rows * holograms * self.fields, WARP),
        ]
    }

    /// Windows that share sums.
    fn run(&self) -> usize {
        PARTS.min(self.samples / self.hop)
    }

    /// What the kernels are compiled with.
    pub fn defines<T: Scalar>(&self) -> Vec<(&'static str, String)> {
        let [order_x, order_y] = [self.grid.columns, self.grid.rows].map(|points| order(points).max(1));
        let real = T::PRECISION.c_name();
        let (wide, [kxs, lines], [segments, items]) =
            (self.grid.widened(), self.at_once::<T>(), self.predicting());
        let [wave_items, row_items] = self.transforming([kxs, lines]);
        let numbers = [
            ("COLUMNS", self.grid.columns),
            ("ROWS", self.grid.rows),
            ("PREDICTED", usize::from(self.beyond == Extrapolation::Plpbp)),
            ("ORDER_X", order_x),
            ("ORDER_Y", order_y),
            ("ORDER", order_x.max(order_y)),
            ("BINS", self.bins.len()),
            ("FIELDS", self.fields),
            ("SAMPLES", self.samples),
            ("HOP", self.hop),
            ("SLOTS", self.slots()),
            ("MOMENTS", self.moments),
            ("BATCH", self.batch),
            ("RUN", self.run()),
            ("KXS", kxs),
            ("LINES", lines),
            ("WIDE_B", larger_factor(wide.columns)),
            ("TALL_B", larger_factor(wide.rows)),
            ("SEGMENTS", segments),
            ("ITEMS", items),
            ("WAVE_ITEMS", wave_items),
            ("ROW_ITEMS", row_items),
            ("LANES", LANES),
            ("PARTS", PARTS),
        ];
        let texts = [("REAL", real.into()), ("PAIR", format!("{real}2"))];
        texts.into_iter().chain(numbers.map(|(name, number)| (name, number.to_string()))).collect()
    }

    /// Blocks whose sums are kept: those of a window, and those that come at once.
    fn slots(&self) -> usize {
        self.samples / self.hop + self.batch - 1
    }
}

/// A stream on a GPU.
pub struct GpuStream<T: Scalar> {
    shape: StreamShape,
    gpu: Arc<dyn Gpu>,
    program: Arc<dyn Program>,
    samples: Buffer<f32>,
    waves: Buffer<Complex<T>>,
    weights: Buffer<T>,
    ring: Buffer<Complex<T>>,
    phasors: Buffer<Complex<T>>,
    window: [Buffer<T>; 2],
    wide: Buffer<Complex<T>>,
    tables: Buffer<Complex<T>>,
    roots: [Buffer<Complex<T>>; 2],
    gains: Buffer<Complex<T>>,
    lines: Buffer<Complex<T>>,
    fields: Buffer<Complex<T>>,
    count: Buffer<i64>,
}

impl<T: Scalar> GpuStream<T>
where
    Complex<T>: DeviceComplex,
{
    /// `gains` are those of k_r for the fields of each bin, bin by bin.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        shape: StreamShape,
        gains: &[&dyn Fn(f64) -> Complex64],
    ) -> Result<Self, NahError> {
        let (grid, wide) = (shape.grid, shape.grid.widened());
        let defines = shape.defines::<T>();
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let rounded = |values: Vec<Complex64>| -> Vec<Complex<T>> {
            values.into_iter().map(T::complex_from_f64).collect()
        };
        let real = |values: Vec<f64>| -> Vec<T> { values.into_iter().map(T::rounded).collect() };
        let roots = |count: usize| rounded((0..count).map(|n| root(n, count)).collect());
        let gains: Vec<Complex64> = gains.iter().flat_map(|gain| gains_of_waves(&grid, gain)).collect();
        let holograms = shape.holograms();
        Ok(Self {
            program: gpu.compile(&HOLOGRAM_KERNELS, &defines)?,
            samples: gpu.alloc(shape.moments * grid.len())?,
            waves: gpu.upload(&rounded(waves(&shape)))?,
            weights: gpu.upload(&real(hann_weights(&shape)))?,
            ring: gpu.alloc(shape.slots() * shape.bins.len() * 3 * grid.len())?,
            phasors: gpu.alloc(holograms * grid.len())?,
            window: [gpu.upload(&real(weights(grid.columns)))?, gpu.upload(&real(weights(grid.rows)))?],
            wide: gpu.alloc(holograms * wide.columns * grid.rows)?,
            tables: gpu.alloc(holograms * 2 * grid.rows * order(grid.rows).max(1))?,
            roots: [gpu.upload(&roots(wide.columns))?, gpu.upload(&roots(wide.rows))?],
            gains: gpu.upload(&rounded(gains))?,
            lines: gpu.alloc(holograms * shape.fields * wide.columns * grid.rows)?,
            fields: gpu.alloc(holograms * shape.fields * grid.len())?,
            count: gpu.alloc(1)?,
            gpu: gpu.clone(),
            shape,
        })
    }

    /// Puts samples onto the device: all moments, one after the other, and begins anew.
    pub fn upload(&mut self, samples: &[f32]) -> Result<(), NahError> {
        self.gpu.upload_bytes(bytemuck::cast_slice(samples), self.samples.memory())?;
        self.gpu.upload_bytes(bytemuck::cast_slice(&[0_i64]), self.count.memory())?;
        Ok(())
    }

    /// The next windows.
    pub fn run(&self) -> phasefront_device::Result<()> {
        self.sum()?;
        self.carry(self.shape.batch)
    }

    fn groups(groups: [u32; 3], items: usize) -> Groups {
        Groups { groups, group_size: [items as u32, 1, 1] }
    }

    /// Phasors of the next windows.
    fn sum(&self) -> phasefront_device::Result<()> {
        let shape = &self.shape;
        let launch = |name: &str, groups: [u32; 3], items: usize, args: &[Arg<'_>]| {
            self.gpu.launch(&*self.program, name, Self::groups(groups, items), args)
        };
        let Self { samples, waves, weights, ring, phasors, count, .. } = self;
        let (lanes, bins) = (shape.grid.len().div_ceil(LANES) as u32, shape.bins.len() as u32);
        let sums = [lanes, bins, shape.batch as u32];
        if shape.batch == 1 {
            let args =
                [samples.into(), waves.into(), weights.into(), ring.into(), phasors.into(), count.into()];
            return launch("block_and_window", sums, 2 * LANES * PARTS, &args);
        }
        let args = [samples.into(), waves.into(), ring.into(), count.into()];
        launch("blocks", sums, LANES * PARTS, &args)?;
        let runs = [lanes, bins, shape.batch.div_ceil(shape.run()) as u32];
        let args = [ring.into(), waves.into(), weights.into(), phasors.into(), count.into()];
        launch("windows", runs, LANES * PARTS, &args)
    }

    /// Fields of the phasors that there are; so many windows more are done then.
    fn carry(&self, done: usize) -> phasefront_device::Result<()> {
        let shape = &self.shape;
        let launch_early = |name: &str, groups: [u32; 3], items: usize, args: &[Arg<'_>]| {
            self.gpu.launch_early(&*self.program, name, Self::groups(groups, items), args)
        };
        let Self { phasors, wide, tables, gains, lines, fields, count, .. } = self;
        let ([window_x, window_y], [roots_x, roots_y]) = (&self.window, &self.roots);
        let ([kxs, rows], [_, items]) = (shape.at_once::<T>(), shape.predicting());
        let [wave_items, row_items] = shape.transforming([kxs, rows]);
        let (wide_columns, all_rows) = (3 * shape.grid.columns, shape.grid.rows);
        let holograms = shape.holograms() as u32;
        let args = [phasors.into(), window_x.into(), window_y.into(), wide.into(), tables.into()];
        launch_early("predict", [holograms, 2, 1], items, &args)?;
        let args = [wide.into(), tables.into(), roots_x.into(), roots_y.into(), gains.into(), lines.into()];
        launch_early("waves", [(wide_columns / kxs) as u32, holograms, 1], wave_items, &args)?;
        let args = [lines.into(), roots_x.into(), fields.into(), count.into(), Arg::I32(done as i32)];
        let all_fields = holograms * shape.fields as u32;
        launch_early("rows_back", [(all_rows / rows) as u32, all_fields, 1], row_items, &args)
    }

    /// The phasors of the last windows, microphone by microphone, for all bins of the first and so on.
    pub fn phasors(&self) -> Result<Vec<Complex<T>>, NahError> {
        Ok(self.gpu.download(&self.phasors)?)
    }

    /// The fields of the last windows in the same order, place by place, field by field.
    pub fn fields(&self) -> Result<Vec<Complex<T>>, NahError> {
        Ok(self.gpu.download(&self.fields)?)
    }
}

impl<T: Scalar> GpuCarrier<T> for GpuStream<T>
where
    Complex<T>: DeviceComplex,
{
    fn run(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError> {
        self.gpu.upload_bytes(bytemuck::cast_slice(phasors), self.phasors.memory())?;
        self.carry(0)?;
        self.gpu.download_bytes(self.fields.memory(), bytemuck::cast_slice_mut(fields))?;
        Ok(())
    }
}

/// The larger of the two factors of a number that are nearest to each other.
fn larger_factor(count: usize) -> usize {
    let smaller = (1..=count.isqrt()).rev().find(|factor| count.is_multiple_of(*factor));
    count / smaller.unwrap_or(1)
}

fn root(n: usize, count: usize) -> Complex64 {
    Complex64::from_polar(1.0, -TAU * (n % count) as f64 / count as f64)
}

/// e^{−jωn} at every sample of a window, of bins and their neighbors: [sample][bin][3].
fn waves(shape: &StreamShape) -> Vec<Complex64> {
    let count = shape.samples;
    let around = |k: usize| [k + count - 1, k, k + 1];
    let at = |n: usize| shape.bins.iter().flat_map(move |k| around(*k).map(|k| root(k % count * n, count)));
    (0..count).flat_map(at).collect()
}

/// Hann's window from a bin and its neighbors, such that a tone has its amplitude; the mean is left out.
fn hann_weights(shape: &StreamShape) -> Vec<f64> {
    let count = shape.samples;
    let weight =
        |k: usize, weight: f64| if k.is_multiple_of(count) { 0.0 } else { 4.0 / count as f64 * weight };
    let of_bin = |k: &usize| [weight(k + count - 1, -0.25), weight(*k, 0.5), weight(k + 1, -0.25)];
    shape.bins.iter().flat_map(of_bin).collect()
}
