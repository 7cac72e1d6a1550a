//! The FFT between the fine grid and the modes, axis by axis, skipping lines that are zero or not needed.

use super::scalar::{Scalar, real};
use super::scatter::Scatter;
use super::storage::FineGrid;
use crate::grid::GridShape;
use crate::kernel::Kernel;
use crate::options::{ModeOrder, Sign};
use num_complex::Complex;
use phasefront_device::Direction;
use rayon::prelude::*;
use rustfft::Fft;
use std::sync::Arc;

/// Lines across the rows that are gathered together, as they share cache lines.
pub(super) const BLOCK: usize = 8;

/// FFTs of each axis in both directions, and the deconvolution factors of the modes.
pub(crate) struct ModeTransform<T: Scalar> {
    dimensions: usize,
    fine: [usize; 3],
    forward: Vec<Arc<dyn Fft<T>>>,
    inverse: Vec<Arc<dyn Fft<T>>>,
    /// Grid index of each mode, per axis.
    indices: [Vec<usize>; 3],
    /// 1/Φ of each mode, per axis.
    factors: [Vec<T>; 3],
    /// Whether to use more than one thread.
    pub parallel: bool,
}

/// Buffers of one task.
struct Lines<T> {
    data: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

impl<T: Scalar> ModeTransform<T> {
    pub fn new(shape: &GridShape, kernel: &Kernel, order: ModeOrder, parallel: bool) -> Self {
        // Only used axes: an axis of one point needs no transform.
        let plans = |direction| {
            let axes = &shape.fine[..shape.dimensions];
            axes.iter().map(|&n| T::plan_fft(n, direction)).collect::<Vec<_>>()
        };
        let factors =
            |axis| shape.deconvolution(axis, kernel, order).into_iter().map(real).collect::<Vec<T>>();
        Self {
            dimensions: shape.dimensions,
            fine: shape.fine,
            forward: plans(Direction::Forward),
            inverse: plans(Direction::Inverse),
            indices: std::array::from_fn(|axis| shape.mode_indices(axis, order)),
            factors: std::array::from_fn(factors),
            parallel,
        }
    }

    fn plan(&self, axis: usize, sign: Sign) -> &dyn Fft<T> {
        match sign {
            Sign::Minus => &*self.forward[axis],
            Sign::Plus => &*self.inverse[axis],
        }
    }

    /// Runs `work` on 0..count, on several threads if the transform is large.
    fn each(
        &self,
        count: usize,
        lines: usize,
        plan: &dyn Fft<T>,
        work: impl Fn(usize, &mut Lines<T>) + Sync,
    ) {
        let buffers = || Lines {
            data: vec![Complex::default(); lines * plan.len()],
            scratch: vec![Complex::default(); plan.get_inplace_scratch_len()],
        };
        if self.parallel {
            (0..count).into_par_iter().for_each_init(buffers, |b, i| work(i, b));
        } else {
            let mut b = buffers();
            (0..count).for_each(|i| work(i, &mut b));
        }
    }

    /// From the fine grid, which is overwritten, to the modes: f_k = Π 1/Φ_k Σ_l b_l e^{±2πi k·l/n}.
    pub fn to_modes(&self, grid: &mut FineGrid<T>, sign: Sign, modes: &mut [Complex<T>]) {
        let strides = grid.strides;
        let [_, ny, nz] = self.fine;
        let last = self.dimensions - 1;
        let output = Scatter::new(modes);
        let store = Scatter::new(&mut grid.values);
        // Rows along the first axis: all of them, since every row may contain spread points.
        let plan = self.plan(0, sign);
        self.each(ny * nz, 1, plan, |i, lines| {
            let start = (i % ny) * strides[1] + (i / ny) * strides[2];
            // SAFETY: each task has a row of its own.
            unsafe { load(&store, start, 1, &mut lines.data) };
            plan.process_with_scratch(&mut lines.data, &mut lines.scratch);
            if last == 0 {
                for ((m, &at), &factor) in (0..).zip(&self.indices[0]).zip(&self.factors[0]) {
                    // SAFETY: there is only one row.
                    unsafe { output.write(m, lines.data[at] * factor) };
                }
            } else {
                // SAFETY: each task has a row of its own.
                unsafe { save(&store, start, 1, &lines.data) };
            }
        });
        if last >= 1 {
            self.columns_to_modes(&store, strides, sign, 1, Some(&output).filter(|_| last == 1));
        }
        if last >= 2 {
            self.columns_to_modes(&store, strides, sign, 2, Some(&output));
        }
    }

    /// Type 1 along the second or third axis, at the modes of the first (and second); to the modes if it is the last.
    fn columns_to_modes(
        &self,
        store: &Scatter<'_, Complex<T>>,
        strides: [usize; 3],
        sign: Sign,
        axis: usize,
        output: Option<&Scatter<'_, Complex<T>>>,
    ) {
        // After the first axis only the columns at modes are needed: 1/σ of them.
        let plan = self.plan(axis, sign);
        let n = plan.len();
        let blocks = self.indices[0].len().div_ceil(BLOCK);
        // The second axis has every plane, the third every mode of the second.
        let others = if axis == 1 { self.fine[2] } else { self.indices[1].len() };
        self.each(blocks * others, BLOCK, plan, |task, lines| {
            let (block, other) = (task % blocks, task / blocks);
            // Offset of the block across the axis: a plane for the second axis, a row of modes for the third.
            let across = if axis == 1 { other * strides[2] } else { self.indices[1][other] * strides[1] };
            let first = block * BLOCK;
            let columns = &self.indices[0][first..self.indices[0].len().min(first + BLOCK)];
            let data = &mut lines.data[..columns.len() * n];
            // SAFETY: columns of different tasks are different.
            unsafe { gather(store, columns, across, strides[axis], n, data) };
            plan.process_with_scratch(data, &mut lines.scratch);
            let Some(output) = output else {
                // SAFETY: as above.
                unsafe { write_back(store, columns, across, strides[axis], n, data, &self.indices[axis]) };
                return;
            };
            // The factor of the remaining axis; an unused third axis has 1.
            let factor = if axis == 1 { self.factors[2][0] } else { self.factors[1][other] };
            let width = self.indices[0].len();
            // Only the modes of the column are read: the rest of the band is discarded.
            for (m, (&at, &along)) in self.indices[axis].iter().zip(&self.factors[axis]).enumerate() {
                let row = if axis == 1 { m } else { m * self.indices[1].len() + other };
                for c in 0..columns.len() {
                    let factor = factor * along * self.factors[0][first + c];
                    // SAFETY: modes of different tasks are different.
                    unsafe { output.write(row * width + first + c, data[c * n + at] * factor) };
                }
            }
        });
    }

    /// From the modes to the fine grid: b_l = Σ_k f_k/Φ_k e^{±2πi k·l/n}. The previous content of the grid is overwritten.
    pub fn to_grid(&self, modes: &[Complex<T>], sign: Sign, grid: &mut FineGrid<T>) {
        let strides = grid.strides;
        let [nx, ny, nz] = self.fine;
        let last = self.dimensions - 1;
        let store = Scatter::new(&mut grid.values);
        // Last axis first, in reverse of type 1: the grid is zero there except at modes, and lines
        // of zeros are never transformed.
        for axis in (1..=last).rev() {
            self.columns_to_grid(&store, strides, sign, axis, Some(modes).filter(|_| axis == last));
        }
        let plan = self.plan(0, sign);
        self.each(ny * nz, 1, plan, |i, lines| {
            let start = (i % ny) * strides[1] + (i / ny) * strides[2];
            // Zero-padding: only the modes are nonzero before the FFT.
            lines.data.fill(Complex::default());
            for (m, &at) in self.indices[0].iter().enumerate() {
                lines.data[at] = if last == 0 {
                    modes[m] * self.factors[0][m]
                } else {
                    // SAFETY: each task has a row of its own.
                    unsafe { store.read(start + at) }
                };
            }
            plan.process_with_scratch(&mut lines.data[..nx], &mut lines.scratch);
            // SAFETY: as above.
            unsafe { save(&store, start, 1, &lines.data) };
        });
        grid.fill_margins();
    }

    /// Type 2 along the second or third axis, at the modes of the first (and second); from the modes if it is the last.
    fn columns_to_grid(
        &self,
        store: &Scatter<'_, Complex<T>>,
        strides: [usize; 3],
        sign: Sign,
        axis: usize,
        modes: Option<&[Complex<T>]>,
    ) {
        let plan = self.plan(axis, sign);
        let n = plan.len();
        let width = self.indices[0].len();
        let blocks = width.div_ceil(BLOCK);
        let others = if axis == 1 { self.fine[2] } else { self.indices[1].len() };
        self.each(blocks * others, BLOCK, plan, |task, lines| {
            let (block, other) = (task % blocks, task / blocks);
            let across = if axis == 1 { other * strides[2] } else { self.indices[1][other] * strides[1] };
            let first = block * BLOCK;
            let columns = &self.indices[0][first..width.min(first + BLOCK)];
            let data = &mut lines.data[..columns.len() * n];
            // Zero-padding between the positive and the negative modes.
            data.fill(Complex::default());
            let factor = if axis == 1 { self.factors[2][0] } else { self.factors[1][other] };
            for (m, (&at, &along)) in self.indices[axis].iter().zip(&self.factors[axis]).enumerate() {
                let row = if axis == 1 { m } else { m * self.indices[1].len() + other };
                for (c, &column) in columns.iter().enumerate() {
                    data[c * n + at] = match modes {
                        Some(modes) => {
                            modes[row * width + first + c] * (factor * along * self.factors[0][first + c])
                        }
                        // SAFETY: columns of different tasks are different.
                        None => unsafe { store.read(column + across + at * strides[axis]) },
                    };
                }
            }
            plan.process_with_scratch(data, &mut lines.scratch);
            // Whole columns are stored: the next axis needs every point along this one.
            for i in 0..n {
                let start = across + i * strides[axis];
                for (c, &column) in columns.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { store.write(start + column, data[c * n + i]) };
                }
            }
        });
    }
}

/// Copies a line out of the store.
///
/// # Safety
/// Nobody writes to the line meanwhile.
unsafe fn load<T: Copy>(store: &Scatter<'_, T>, start: usize, step: usize, line: &mut [T]) {
    for (i, value) in line.iter_mut().enumerate() {
        // SAFETY: guaranteed by the caller.
        *value = unsafe { store.read(start + i * step) };
    }
}

/// Copies a line into the store.
///
/// # Safety
/// Nobody else uses the line meanwhile.
unsafe fn save<T: Copy>(store: &Scatter<'_, T>, start: usize, step: usize, line: &[T]) {
    for (i, value) in line.iter().enumerate() {
        // SAFETY: guaranteed by the caller.
        unsafe { store.write(start + i * step, *value) };
    }
}

/// Copies columns out of the store, one after the other.
///
/// # Safety
/// Nobody writes to the columns meanwhile.
unsafe fn gather<T: Copy>(
    store: &Scatter<'_, T>,
    columns: &[usize],
    across: usize,
    step: usize,
    n: usize,
    data: &mut [T],
) {
    // Position outside, columns inside: the block of columns shares cache lines.
    for i in 0..n {
        let start = across + i * step;
        for (c, &column) in columns.iter().enumerate() {
            // SAFETY: guaranteed by the caller.
            data[c * n + i] = unsafe { store.read(start + column) };
        }
    }
}

/// Copies back the entries of columns that later axes need.
///
/// # Safety
/// Nobody else uses the columns meanwhile.
unsafe fn write_back<T: Copy>(
    store: &Scatter<'_, T>,
    columns: &[usize],
    across: usize,
    step: usize,
    n: usize,
    data: &[T],
    needed: &[usize],
) {
    for &i in needed {
        for (c, &column) in columns.iter().enumerate() {
            // SAFETY: guaranteed by the caller.
            unsafe { store.write(across + i * step + column, data[c * n + i]) };
        }
    }
}
