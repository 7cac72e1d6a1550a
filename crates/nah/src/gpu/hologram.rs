//! Holograms of a stream on a GPU. Samples stay on the device; a hop is four short launches, which the device can record and replay as one. All but the
//! first begin while the one before ends.
//!
//! `blocks` sums the newest samples at every bin, and `windows` forms phasors from the blocks of a window; one kernel does both where there is one
//! new block. `predict` finds the pooled prediction coefficients and extrapolates, `propagate` transforms to k-space and back along y for groups of k_x, and
//! `inverse_rows` transforms back along x.

use crate::error::NahError;
use crate::extrapolation::{Extrapolation, order};
use crate::grid::Grid;
use crate::propagator::sampled_propagator;
use crate::scalar::Scalar;
use crate::tukey::tukey;
use num_complex::{Complex, Complex64};
use phasefront_device::{Arg, Buffer, Gpu, Grid as Groups, KernelSource, Program};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The kernels.
pub const HOLOGRAM_KERNELS: KernelSource =
    KernelSource { name: "hologram.cu", text: include_str!("../../kernels/hologram.cu") };

/// Work items of a group at most, and of a warp.
const MAX_ITEMS: usize = 1024;
const WARP: usize = 32;
/// Segments of a row for its prediction, where there are enough work items.
const SEGMENTS: usize = 8;
/// Work items of a group that transforms: as many as there are sums, between the first two; fewer where there are enough groups to hide latencies.
const MIN_ITEMS: usize = 384;
const SUM_ITEMS: usize = 768;
const BUSY_ITEMS: usize = 192;
/// Groups that occupy a large GPU: from the first number on each takes several lines, which share their sums; from the second on there are many
/// on every multiprocessor.
const ENOUGH_GROUPS: usize = 192;
const MANY_GROUPS: usize = 1024;
/// Lines of a group at most, and their bytes.
const MAX_LINES: usize = 8;
const MAX_BYTES: usize = 32 << 10;
/// Microphones of a group that sums, and parts of each sum.
const LANES: usize = 32;
const PARTS: usize = 8;

/// The shape of a stream and of its holograms.
#[derive(Debug, Clone)]
pub struct StreamShape {
    /// The array.
    pub grid: Grid,
    /// Extrapolation: pooled LPBP or zero padding.
    pub extrapolation: Extrapolation,
    /// Window length in samples.
    pub samples: usize,
    /// Hop size in samples; divides `samples`.
    pub hop: usize,
    /// DFT bins.
    pub bins: Vec<usize>,
    /// Fields of each hologram.
    pub fields: usize,
    /// Frames of the ring buffer on the device, a multiple of `hop`.
    pub frames: usize,
    /// Windows for each launch.
    pub batch: usize,
}

impl StreamShape {
    /// For given phasors, without samples.
    pub(crate) fn of_phasors(
        grid: Grid,
        extrapolation: Extrapolation,
        holograms: usize,
        fields: usize,
    ) -> Self {
        Self {
            grid,
            extrapolation,
            samples: 1,
            hop: 1,
            bins: vec![0; holograms],
            fields,
            frames: 1,
            batch: 1,
        }
    }

    fn holograms(&self) -> usize {
        self.batch * self.bins.len()
    }

    /// Segments of a row, and work items for all segments of all rows, or columns.
    fn predicting(&self) -> [usize; 2] {
        let longer = self.grid.columns.max(self.grid.rows);
        // Long rows have fewer segments, so that all of them fit into the largest group.
        let segments =
            (SEGMENTS * longer).min(MAX_ITEMS).checked_div(longer).unwrap_or(1).next_power_of_two();
        [segments, (segments * longer).max(2 * self.grid.rows).next_multiple_of(WARP)]
    }

    /// Lines that one group transforms, of `lines` lines of `bytes` each, beside `others` such sets.
    fn lines_of_a_group(lines: usize, bytes: usize, others: usize) -> usize {
        // Lines must divide evenly, leave enough groups for
        // all multiprocessors, and fit into local memory.
        let fit = |count: &usize| {
            lines.is_multiple_of(*count)
                && lines / count * others >= ENOUGH_GROUPS
                && count * bytes <= MAX_BYTES
        };
        // As many lines as possible: they share their inner sums.
        (2..=MAX_LINES).rev().find(fit).unwrap_or(1)
    }

    /// k_x of a group, and rows of a group of the inverse transform along x.
    fn lines_of_groups<T: Scalar>(&self) -> [usize; 2] {
        let (padded, pair) = (self.grid.padded(), size_of::<Complex<T>>());
        let columns = Self::lines_of_a_group(padded.columns, 4 * padded.rows * pair, self.holograms());
        let rows =
            Self::lines_of_a_group(self.grid.rows, 2 * padded.columns * pair, self.holograms() * self.fields);
        [columns, rows]
    }

    /// Work items of a group that transforms `columns` k_x, and of one that transforms `rows` rows.
    fn transforming(&self, [columns, rows]: [usize; 2]) -> [usize; 2] {
        let (padded, holograms) = (self.grid.padded(), self.holograms());
        let items = |sums: usize, groups: usize, fewest: usize| {
            // With many groups per multiprocessor small ones hide latencies; with few, large groups
            // use it fully.
            let [fewest, most] = if groups < MANY_GROUPS { [fewest, SUM_ITEMS] } else { [WARP, BUSY_ITEMS] };
            sums.next_multiple_of(WARP).clamp(fewest, most)
        };
        [
            items(columns * padded.rows, padded.columns / columns * holograms, MIN_ITEMS),
            items(rows * padded.columns, self.grid.rows / rows * holograms * self.fields, WARP),
        ]
    }

    /// Windows that share partial sums.
    fn run(&self) -> usize {
        PARTS.min(self.samples / self.hop)
    }

    /// The macros that the kernels are compiled with.
    pub fn defines<T: Scalar>(&self) -> Vec<(&'static str, String)> {
        // At least one coefficient, zero without prediction: arrays of length zero are not allowed.
        let [order_x, order_y] = [self.grid.columns, self.grid.rows].map(|points| order(points).max(1));
        let real = T::PRECISION.c_name();
        let (padded, [kxs, lines], [segments, items]) =
            (self.grid.padded(), self.lines_of_groups::<T>(), self.predicting());
        let [propagate_items, row_items] = self.transforming([kxs, lines]);
        let numbers = [
            ("COLUMNS", self.grid.columns),
            ("ROWS", self.grid.rows),
            ("PREDICTED", usize::from(self.extrapolation == Extrapolation::Plpbp)),
            ("ORDER_X", order_x),
            ("ORDER_Y", order_y),
            ("ORDER", order_x.max(order_y)),
            ("BINS", self.bins.len()),
            ("FIELDS", self.fields),
            ("SAMPLES", self.samples),
            ("HOP", self.hop),
            ("SLOTS", self.slots()),
            ("FRAMES", self.frames),
            ("BATCH", self.batch),
            ("RUN", self.run()),
            ("KXS", kxs),
            ("LINES", lines),
            ("PADDED_COLUMNS_B", larger_factor(padded.columns)),
            ("PADDED_ROWS_B", larger_factor(padded.rows)),
            ("SEGMENTS", segments),
            ("ITEMS", items),
            ("PROPAGATE_ITEMS", propagate_items),
            ("ROW_ITEMS", row_items),
            ("LANES", LANES),
            ("PARTS", PARTS),
        ];
        let texts = [("REAL", real.into()), ("PAIR", format!("{real}2"))];
        texts.into_iter().chain(numbers.map(|(name, number)| (name, number.to_string()))).collect()
    }

    /// Blocks whose sums are stored: those of a window, and the new ones of a batch.
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
    exponentials: Buffer<Complex<T>>,
    weights: Buffer<T>,
    ring: Buffer<Complex<T>>,
    phasors: Buffer<Complex<T>>,
    window: [Buffer<T>; 2],
    padded: Buffer<Complex<T>>,
    responses: Buffer<Complex<T>>,
    roots: [Buffer<Complex<T>>; 2],
    propagators: Buffer<Complex<T>>,
    rows: Buffer<Complex<T>>,
    fields: Buffer<Complex<T>>,
    count: Buffer<i64>,
}

impl<T: Scalar> GpuStream<T> {
    /// `propagators`, functions of k_r, are those of the fields of each bin, bin by bin.
    pub fn new(
        gpu: &Arc<dyn Gpu>,
        shape: StreamShape,
        propagators: &[&dyn Fn(f64) -> Complex64],
    ) -> Result<Self, NahError> {
        let (grid, padded) = (shape.grid, shape.grid.padded());
        let defines = shape.defines::<T>();
        let defines: Vec<(&str, &str)> =
            defines.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let rounded = |values: Vec<Complex64>| -> Vec<Complex<T>> {
            values.into_iter().map(T::complex_from_f64).collect()
        };
        let real = |values: Vec<f64>| -> Vec<T> { values.into_iter().map(T::rounded).collect() };
        let roots = |count: usize| rounded((0..count).map(|n| root(n, count)).collect());
        let propagators: Vec<Complex64> =
            // [bin][field][k_x][k_y].
            propagators.iter().flat_map(|propagator| sampled_propagator(&grid, propagator)).collect();
        let holograms = shape.holograms();
        Ok(Self {
            program: gpu.compile(&HOLOGRAM_KERNELS, &defines)?,
            samples: gpu.alloc(shape.frames * grid.len())?,
            exponentials: gpu.upload(&rounded(exponentials(&shape)))?,
            weights: gpu.upload(&real(hann_weights(&shape)))?,
            ring: gpu.alloc(shape.slots() * shape.bins.len() * 3 * grid.len())?,
            phasors: gpu.alloc(holograms * grid.len())?,
            window: [gpu.upload(&real(tukey(grid.columns)))?, gpu.upload(&real(tukey(grid.rows)))?],
            padded: gpu.alloc(holograms * padded.columns * grid.rows)?,
            responses: gpu.alloc(holograms * 2 * grid.rows * order(grid.rows).max(1))?,
            roots: [gpu.upload(&roots(padded.columns))?, gpu.upload(&roots(padded.rows))?],
            propagators: gpu.upload(&rounded(propagators))?,
            rows: gpu.alloc(holograms * shape.fields * padded.columns * grid.rows)?,
            fields: gpu.alloc(holograms * shape.fields * grid.len())?,
            // Zeroed: no windows yet.
            count: gpu.alloc(1)?,
            gpu: gpu.clone(),
            shape,
        })
    }

    /// Uploads all frames of the ring buffer, and restarts.
    pub fn upload(&mut self, samples: &[f32]) -> Result<(), NahError> {
        self.gpu.upload_bytes(bytemuck::cast_slice(samples), self.samples.memory())?;
        self.gpu.upload_bytes(bytemuck::cast_slice(&[0_i64]), self.count.memory())?;
        Ok(())
    }

    /// Processes the next windows.
    pub fn run(&self) -> phasefront_device::Result<()> {
        self.estimate()?;
        self.propagate(self.shape.batch)
    }

    fn groups(groups: [u32; 3], items: usize) -> Groups {
        Groups { groups, group_size: [items as u32, 1, 1] }
    }

    /// Phasors of the next windows.
    fn estimate(&self) -> phasefront_device::Result<()> {
        let shape = &self.shape;
        // Three dimensions of groups: microphones, bins, windows.
        let launch = |name: &str, groups: [u32; 3], items: usize, args: &[Arg<'_>]| {
            self.gpu.launch(&*self.program, name, Self::groups(groups, items), args)
        };
        let Self { samples, exponentials, weights, ring, phasors, count, .. } = self;
        let (lanes, bins) = (shape.grid.len().div_ceil(LANES) as u32, shape.bins.len() as u32);
        let sums = [lanes, bins, shape.batch as u32];
        // A single new block: both sums in one launch, as latency counts.
        if shape.batch == 1 {
            let args = [
                samples.into(),
                exponentials.into(),
                weights.into(),
                ring.into(),
                phasors.into(),
                count.into(),
            ];
            return launch("block_and_window", sums, 2 * LANES * PARTS, &args);
        }
        let args = [samples.into(), exponentials.into(), ring.into(), count.into()];
        launch("blocks", sums, LANES * PARTS, &args)?;
        let runs = [lanes, bins, shape.batch.div_ceil(shape.run()) as u32];
        let args = [ring.into(), exponentials.into(), weights.into(), phasors.into(), count.into()];
        launch("windows", runs, LANES * PARTS, &args)
    }

    /// Fields of the phasors on the device; `done` is added to the count of windows.
    fn propagate(&self, done: usize) -> phasefront_device::Result<()> {
        let shape = &self.shape;
        // Dependent launches: a kernel begins while the one
        // before ends, and waits inside for its results.
        let launch_dependent = |name: &str, groups: [u32; 3], items: usize, args: &[Arg<'_>]| {
            self.gpu.launch_dependent(&*self.program, name, Self::groups(groups, items), args)
        };
        let Self { phasors, padded, responses, propagators, rows, fields, count, .. } = self;
        let ([window_x, window_y], [roots_x, roots_y]) = (&self.window, &self.roots);
        let ([kxs, lines], [_, items]) = (shape.lines_of_groups::<T>(), shape.predicting());
        let [propagate_items, row_items] = shape.transforming([kxs, lines]);
        let (padded_columns, all_rows) = (3 * shape.grid.columns, shape.grid.rows);
        let holograms = shape.holograms() as u32;
        let args = [phasors.into(), window_x.into(), window_y.into(), padded.into(), responses.into()];
        // Second dimension: along x and along y at once, as both predict from the measured field.
        launch_dependent("predict", [holograms, 2, 1], items, &args)?;
        let args = [
            padded.into(),
            responses.into(),
            roots_x.into(),
            roots_y.into(),
            propagators.into(),
            rows.into(),
        ];
        launch_dependent("propagate", [(padded_columns / kxs) as u32, holograms, 1], propagate_items, &args)?;
        let args = [rows.into(), roots_x.into(), fields.into(), count.into(), Arg::I32(done as i32)];
        let all_fields = holograms * shape.fields as u32;
        launch_dependent("inverse_rows", [(all_rows / lines) as u32, all_fields, 1], row_items, &args)
    }

    /// The phasors of the last windows: `[window][bin][microphone]`.
    pub fn phasors(&self) -> Result<Vec<Complex<T>>, NahError> {
        Ok(self.gpu.download(&self.phasors)?)
    }

    /// The fields of the last windows: `[window][bin][field][point]`.
    pub fn fields(&self) -> Result<Vec<Complex<T>>, NahError> {
        Ok(self.gpu.download(&self.fields)?)
    }

    /// The fields of given phasors.
    pub fn reconstruct(&mut self, phasors: &[Complex<T>], fields: &mut [Complex<T>]) -> Result<(), NahError> {
        self.gpu.upload_bytes(bytemuck::cast_slice(phasors), self.phasors.memory())?;
        // The count of windows is not touched: no samples were processed.
        self.propagate(0)?;
        self.gpu.download_bytes(self.fields.memory(), bytemuck::cast_slice_mut(fields))?;
        Ok(())
    }
}

/// The larger of the two factors of a length that are closest to each other: the sums of a two-step DFT.
fn larger_factor(count: usize) -> usize {
    let smaller = (1..=count.isqrt()).rev().find(|factor| count.is_multiple_of(*factor));
    count / smaller.unwrap_or(1)
}

/// The root of unity e^{−j2πn/N}.
fn root(n: usize, count: usize) -> Complex64 {
    Complex64::from_polar(1.0, -TAU * (n % count) as f64 / count as f64)
}

/// e^{−jωn} at every sample of a window, of the bins and their neighbors: [sample][bin][3].
fn exponentials(shape: &StreamShape) -> Vec<Complex64> {
    let count = shape.samples;
    // Modulo N, so that the bin below zero is the last one.
    let around = |k: usize| [k + count - 1, k, k + 1];
    let at = |n: usize| shape.bins.iter().flat_map(move |k| around(*k).map(|k| root(k % count * n, count)));
    (0..count).flat_map(at).collect()
}

/// The Hann window as weights of a bin and its neighbors, scaled so that a tone has its amplitude; without the mean.
fn hann_weights(shape: &StreamShape) -> Vec<f64> {
    let count = shape.samples;
    let weight =
        // Bin 0 of the sum is the mean: weight zero removes it.
        |k: usize, weight: f64| if k.is_multiple_of(count) { 0.0 } else { 4.0 / count as f64 * weight };
    let of_bin = |k: &usize| [weight(k + count - 1, -0.25), weight(*k, 0.5), weight(k + 1, -0.25)];
    shape.bins.iter().flat_map(of_bin).collect()
}
