//! Transforms of types 1 and 2 on the host.

mod fft;
mod float;
mod interpolate;
mod scatter;
mod sort;
mod spread;
mod storage;
mod taps;
mod type3;

pub use float::Float;
pub(crate) use type3::CpuType3;

use crate::error::Result;
use crate::grid::GridShape;
use crate::kernel::Kernel;
use crate::options::{ModeOrder, Sign};
use crate::table::TapTable;
use fft::ModeTransform;
use float::real;
use interpolate::Interpolation;
use num_complex::Complex;
use phasefront_core::simd::Simd;
use sort::{SortedPoints, Tiling, sort_points};
use spread::Spreading;
use std::f64::consts::TAU;
use storage::FineGrid;
use taps::{MOST_TAPS, Taps, spill};

/// Grid points and taps below which threads cost more than they bring (about 0.1 ms of work).
const PARALLEL_WORK: usize = 200_000;

/// Picks the instantiation whose vectors hold a row of `width` complex taps (`V`) and of as many real ones (`U`).
macro_rules! by_vectors {
    ($width:expr, $t:ty, $s:ty, $v:ident, $u:ident => $call:expr) => {
        match (2 * $width).div_ceil(<$t>::simd_lanes::<$s>()) {
            1 => {
                const $v: usize = 1;
                const $u: usize = 1;
                $call
            }
            2 => {
                const $v: usize = 2;
                const $u: usize = 1;
                $call
            }
            3 => {
                const $v: usize = 3;
                const $u: usize = 2;
                $call
            }
            4 => {
                const $v: usize = 4;
                const $u: usize = 2;
                $call
            }
            5 => {
                const $v: usize = 5;
                const $u: usize = 3;
                $call
            }
            6 => {
                const $v: usize = 6;
                const $u: usize = 3;
                $call
            }
            7 => {
                const $v: usize = 7;
                const $u: usize = 4;
                $call
            }
            8 => {
                const $v: usize = 8;
                const $u: usize = 4;
                $call
            }
            9 | 10 => {
                const $v: usize = 10;
                const $u: usize = 5;
                $call
            }
            _ => {
                const $v: usize = 20;
                const $u: usize = 10;
                $call
            }
        }
    };
}
pub(crate) use by_vectors;

/// (1, 0, 1, 0, …) and (0, 1, 0, 1, …).
#[inline(always)]
fn parts<T: Float, S: Simd>(simd: S) -> (T::Vector<S>, T::Vector<S>) {
    let mut pattern = [T::zero(); MOST_TAPS + 1];
    pattern.iter_mut().step_by(2).for_each(|one| *one = T::one());
    let _ = simd;
    (T::as_simd::<S>(&pattern)[0], T::as_simd::<S>(&pattern[1..])[0])
}

/// Taps of point `p` along the second or third axis; a single 1 where the axis is not there.
#[inline(always)]
fn axis_taps<T: Float, S: Simd, const U: usize>(
    simd: S,
    taps: &Taps<T>,
    points: &SortedPoints<T>,
    shape: &GridShape,
    axis: usize,
    p: usize,
) -> [T; MOST_TAPS] {
    if axis < shape.dimensions {
        return spill::<T, S, U>(&taps.single::<S, U>(simd, points.z[axis][p]));
    }
    let mut one = [T::zero(); MOST_TAPS];
    one[0] = T::one();
    one
}

/// Everything a transform of one shape needs on the host.
pub(crate) struct CpuPlan<T: Float> {
    shape: GridShape,
    tiling: Tiling,
    taps: Taps<T>,
    slopes: Taps<T>,
    transform: ModeTransform<T>,
    points: SortedPoints<T>,
    grid: FineGrid<T>,
}

impl<T: Float> CpuPlan<T> {
    pub fn new(shape: GridShape, kernel: &Kernel, table: &TapTable, order: ModeOrder) -> Self {
        let parallel = shape.fine.iter().product::<usize>() > PARALLEL_WORK / 8;
        Self {
            tiling: Tiling::new(&shape),
            taps: Taps::new(table),
            slopes: Taps::new(&table.derivative()),
            transform: ModeTransform::new(&shape, kernel, order, parallel && threads() > 1),
            points: SortedPoints::default(),
            grid: FineGrid::new(&shape),
            shape,
        }
    }

    pub fn set_points(&mut self, points: &[&[T]]) -> Result<()> {
        self.points = sort_points(points, &self.shape, &self.tiling)?;
        Ok(())
    }

    /// Whether the points are worth more than one thread.
    fn parallel(&self) -> bool {
        let taps: usize = self.shape.taps.iter().product();
        threads() > 1 && self.points.order.len() * taps > PARALLEL_WORK
    }

    /// Whether it was made for this grid.
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
        self.interpolation(Some(&self.slopes)).run(&mut outputs);
        for (axis, slope) in gradient.iter_mut().enumerate() {
            let scale: T = real(self.shape.fine[axis] as f64 / TAU);
            slope.iter_mut().for_each(|s| *s = *s * scale);
        }
    }

    fn interpolation<'a>(&'a self, slopes: Option<&'a Taps<T>>) -> Interpolation<'a, T> {
        let Self { shape, taps, points, grid, .. } = self;
        Interpolation { shape, taps, slopes, points, grid, parallel: self.parallel() }
    }
}

fn threads() -> usize {
    rayon::current_num_threads()
}
