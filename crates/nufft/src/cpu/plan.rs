//! Transforms of types 1 and 2 on the CPU: make the plan, set the points, execute.

use super::fft::{BLOCK, ModeTransform};
use super::float::Float;
use super::interpolate_points::Interpolation;
use super::scalar::real;
use super::sort::{SortedPoints, Tiling, sort_points};
use super::spread_points::Spreading;
use super::storage::FineGrid;
use super::taps::{MAX_TAPS, Taps};
use crate::error::Result;
use crate::grid::GridShape;
use crate::kernel::Kernel;
use crate::options::{ModeOrder, Sign};
use crate::table::TapTable;
use num_complex::Complex;
use std::f64::consts::TAU;

/// Grid points and taps below which threading costs more than it gains (about 0.1 ms of work).
const PARALLEL_WORK: usize = 200_000;

/// A plan of types 1 and 2 on the CPU.
pub(crate) struct CpuPlan<T: Float> {
    shape: GridShape,
    tiling: Tiling,
    taps: Taps<T>,
    derivative_taps: Taps<T>,
    transform: ModeTransform<T>,
    points: SortedPoints<T>,
    grid: FineGrid<T>,
}

impl<T: Float> CpuPlan<T> {
    pub fn new(shape: GridShape, kernel: &Kernel, table: &TapTable, order: ModeOrder) -> Result<Self> {
        // An FFT does more work per grid point than spreading per tap: the limit is lower.
        let parallel = shape.fine.iter().product::<usize>() > PARALLEL_WORK / 8;
        Ok(Self {
            tiling: Tiling::new(&shape),
            taps: Taps::new(table),
            derivative_taps: Taps::new(&table.derivative()),
            transform: ModeTransform::new(&shape, kernel, order, parallel && threads() > 1),
            points: SortedPoints::default(),
            grid: FineGrid::new(&shape)?,
            shape,
        })
    }

    /// Bytes of such a plan with its points, while it is executed: the padded grid, the sorted points, twiddle factors of both
    /// directions, and the lines that each thread transforms.
    pub fn bytes(shape: &GridShape, points: usize) -> u64 {
        let value = size_of::<Complex<T>>() as u64;
        let sides = [0, 1, 2].map(|axis| shape.fine[axis] as u64);
        let padded = (sides[0] + 2 * MAX_TAPS as u64)
            * (sides[1] + shape.taps[1] as u64)
            * (sides[2] + shape.taps[2] as u64);
        // A row, or a block of columns, and as much scratch space.
        let lines = 2 * sides[0].max(BLOCK as u64 * sides[1].max(sides[2])) * threads() as u64;
        let point = 8 + shape.dimensions as u64 * (4 + value / 2);
        let grids = (padded + 4 * sides.iter().sum::<u64>() + lines).saturating_mul(value);
        grids.saturating_add(point.saturating_mul(points as u64))
    }

    pub fn set_points(&mut self, points: &[&[T]]) -> Result<()> {
        self.points = sort_points(points, &self.shape, &self.tiling)?;
        Ok(())
    }

    /// Whether the points justify more than one thread.
    fn parallel(&self) -> bool {
        let taps: usize = self.shape.taps.iter().product();
        threads() > 1 && self.points.order.len() * taps > PARALLEL_WORK
    }

    /// Whether the plan is for this grid.
    pub fn fits(&self, shape: &GridShape) -> bool {
        self.shape == *shape
    }

    fn spread(&mut self, strengths: &[Complex<T>]) {
        let parallel = self.parallel();
        let Self { shape, tiling, taps, points, .. } = self;
        Spreading { shape, tiling, taps, points, strengths, parallel }.run(&mut self.grid);
    }

    /// The first stage alone: points to the fine grid, without margins.
    pub fn spread_to(&mut self, strengths: &[Complex<T>], grid: &mut [Complex<T>]) {
        self.spread(strengths);
        // Type 3 passes this grid on as modes, which have no margins.
        for (line, start) in grid.chunks_exact_mut(self.shape.fine[0]).zip(self.grid.line_starts()) {
            line.copy_from_slice(&self.grid.values[start..start + line.len()]);
        }
    }

    /// The last stage alone: the fine grid, without margins, to the points.
    pub fn interpolate_from(&mut self, grid: &[Complex<T>], values: &mut [Complex<T>]) {
        let starts: Vec<usize> = self.grid.line_starts().collect();
        for (line, start) in grid.chunks_exact(self.shape.fine[0]).zip(starts) {
            self.grid.values[start..start + line.len()].copy_from_slice(line);
        }
        self.grid.fill_margins();
        self.interpolation(None).run(&mut [values]);
    }

    pub fn type1(&mut self, strengths: &[Complex<T>], sign: Sign, modes: &mut [Complex<T>]) {
        self.spread(strengths);
        self.transform.to_modes(&mut self.grid, sign, modes);
    }

    pub fn type2(&mut self, modes: &[Complex<T>], sign: Sign, values: &mut [Complex<T>]) {
        self.transform.to_grid(modes, sign, &mut self.grid);
        self.interpolation(None).run(&mut [values]);
    }

    /// Values and their derivatives along each axis of x (in radians).
    pub fn type2_gradient(
        &mut self,
        modes: &[Complex<T>],
        sign: Sign,
        values: &mut [Complex<T>],
        gradient: &mut [&mut [Complex<T>]],
    ) {
        self.transform.to_grid(modes, sign, &mut self.grid);
        let mut outputs = vec![values];
        outputs.extend(gradient.iter_mut().map(|g| &mut **g));
        self.interpolation(Some(&self.derivative_taps)).run(&mut outputs);
        for (axis, derivative) in gradient.iter_mut().enumerate() {
            // The taps differentiate per grid point: n/2π grid points per radian.
            let scale: T = real(self.shape.fine[axis] as f64 / TAU);
            derivative.iter_mut().for_each(|s| *s = *s * scale);
        }
    }

    fn interpolation<'a>(&'a self, derivative_taps: Option<&'a Taps<T>>) -> Interpolation<'a, T> {
        let Self { shape, taps, points, grid, .. } = self;
        Interpolation { shape, taps, derivative_taps, points, grid, parallel: self.parallel() }
    }
}

fn threads() -> usize {
    rayon::current_num_threads()
}
