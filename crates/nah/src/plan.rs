//! From the pressure on the array to fields on other planes, over and over: everything that does not depend on the pressure is
//! computed once.
//!
//! The two axes are taken one after the other, and each step is done where it is cheapest. With one prediction for all rows and one for
//! all columns the field beyond the rim is E_y P E_xᵀ, and E_y may be applied after the transform along x: 32 rows are
//! transformed in place of 96. On the way back only what lies on the array is transformed along x.

// What runs inside of pulp's dispatch must be inlined into it: only there are the wide instructions allowed.
#![allow(clippy::inline_always)]

use crate::extrapolate::{Extrapolation, order};
use crate::grid::Grid;
use crate::hologram::wave;
use crate::pooled::{Burg, Planes, carry_on};
use crate::scalar::Scalar;
use crate::window::weights;
use num_complex::{Complex, Complex64};
use pulp::Arch;
use rustfft::Fft;
use std::sync::Arc;

/// Fields on an array made into fields on other planes, all in the same way.
pub struct Plan<T: Scalar> {
    grid: Grid,
    beyond: Extrapolation,
    /// Tukey's window along x and along y.
    window: [Vec<T>; 2],
    forward: [Arc<dyn Fft<T>>; 2],
    back: [Arc<dyn Fft<T>>; 2],
    /// What waves are multiplied by for each field that is wanted, k_y by k_y for each k_x; over the number of waves.
    gains: Vec<Vec<Complex<T>>>,
    work: Work<T>,
}

/// What a plan writes on.
struct Work<T: Scalar> {
    arch: Arch,
    /// The field, column by column and row by row.
    columns: Planes<T>,
    rows: Planes<T>,
    burg: [Burg<T>; 2],
    coefficients: [Vec<Complex<T>>; 2],
    /// The field carried on along x, column by column.
    wide: Planes<T>,
    /// Spectra along x of the rows of the array, one row after the other.
    lines: Vec<Complex<T>>,
    /// Spectra along x carried on along y, row by row.
    tall: Planes<T>,
    /// Waves, k_y by k_y for each k_x; and the same with a gain.
    waves: Vec<Complex<T>>,
    gained: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

impl<T: Scalar> Plan<T> {
    /// For fields that are multiplied in k-space by each of these functions of k_r.
    pub fn new(grid: Grid, beyond: Extrapolation, gains: &[&dyn Fn(f64) -> Complex64]) -> Self {
        let wide = grid.widened();
        let lengths = [wide.columns, wide.rows];
        let forward = lengths.map(T::forward);
        let back = lengths.map(T::back);
        let scratch = forward.iter().chain(&back).map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0);
        let gain = |gain: &&dyn Fn(f64) -> Complex64| {
            gains_of_waves(&grid, gain).into_iter().map(T::complex_from_f64).collect()
        };
        let round = |weights: Vec<f64>| weights.into_iter().map(T::rounded).collect();
        let zeros = |count: usize| vec![Complex::new(T::zero(), T::zero()); count];
        let work = Work {
            arch: Arch::new(),
            columns: Planes::new(grid.columns, grid.rows),
            rows: Planes::new(grid.rows, grid.columns),
            burg: [Burg::new(grid.columns, grid.rows), Burg::new(grid.rows, grid.columns)],
            coefficients: [Vec::new(), Vec::new()],
            wide: Planes::new(wide.columns, grid.rows),
            lines: zeros(wide.columns * wide.rows),
            tall: Planes::new(wide.rows, wide.columns),
            waves: zeros(wide.len()),
            gained: zeros(wide.len()),
            scratch: zeros(scratch),
        };
        Self {
            grid,
            beyond,
            window: [round(weights(grid.columns)), round(weights(grid.rows))],
            forward,
            back,
            gains: gains.iter().map(gain).collect(),
            work,
        }
    }

    /// How many fields come out.
    pub fn fields(&self) -> usize {
        self.gains.len()
    }

    /// How many places each has.
    pub fn places(&self) -> usize {
        self.grid.len()
    }

    /// The fields on the array, one after the other, each as long as the pressure.
    pub fn run(&mut self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        match self.beyond {
            Extrapolation::Lpbp => self.lines_one_by_one(pressure),
            Extrapolation::Plpbp | Extrapolation::Zero => self.lines_together(pressure),
        }
        let arch = self.work.arch;
        let size = self.grid.len();
        for (i, field) in fields.chunks_exact_mut(size).enumerate().take(self.gains.len()) {
            let (waves, gained) = (&self.work.waves, &mut self.work.gained);
            let gains = &self.gains[i];
            arch.dispatch(|| multiply(waves, gains, gained));
            self.back(field);
        }
    }

    /// Waves of a field with one prediction for all rows and one for all columns, or none.
    fn lines_together(&mut self, pressure: &[Complex<T>]) {
        let (grid, work) = (self.grid, &mut self.work);
        let (columns, rows) = (grid.columns, grid.rows);
        for (y, row) in pressure.chunks_exact(columns).enumerate() {
            for (x, p) in row.iter().enumerate() {
                let (down, across) = (x * rows + y, y * columns + x);
                (work.columns.re[down], work.columns.im[down]) = (p.re, p.im);
                (work.rows.re[across], work.rows.im[across]) = (p.re, p.im);
            }
        }
        let predicted = self.beyond == Extrapolation::Plpbp;
        let window = &self.window[0];
        work.arch.dispatch(|| {
            let [along_x, along_y] = &mut work.coefficients;
            if predicted {
                work.burg[0].coefficients(&work.columns, order(columns), along_x);
                work.burg[1].coefficients(&work.rows, order(rows), along_y);
            }
            let middle = columns * rows..2 * columns * rows;
            work.wide.re[middle.clone()].copy_from_slice(&work.columns.re);
            work.wide.im[middle].copy_from_slice(&work.columns.im);
            carry_on(&mut work.wide, columns, columns, along_x);
            fade(&mut work.wide, window);
        });
        // Rows, each as one line.
        for y in 0..rows {
            let line = &mut work.lines[y * 3 * columns..][..3 * columns];
            for (x, value) in line.iter_mut().enumerate() {
                *value = Complex::new(work.wide.re[x * rows + y], work.wide.im[x * rows + y]);
            }
        }
        self.forward[0].process_with_scratch(&mut work.lines[..3 * columns * rows], &mut work.scratch);
        let first = 3 * columns * rows;
        for (i, value) in work.lines[..first].iter().enumerate() {
            (work.tall.re[first + i], work.tall.im[first + i]) = (value.re, value.im);
        }
        let window = &self.window[1];
        work.arch.dispatch(|| {
            carry_on(&mut work.tall, rows, rows, &work.coefficients[1]);
            fade(&mut work.tall, window);
        });
        let (wide, tall) = (3 * columns, 3 * rows);
        transpose(
            wide,
            tall,
            |y, x| Complex::new(work.tall.re[y * wide + x], work.tall.im[y * wide + x]),
            &mut work.waves,
        );
        self.forward[1].process_with_scratch(&mut work.waves, &mut work.scratch);
    }

    /// Waves of a field with a prediction for each row and for each column.
    fn lines_one_by_one(&mut self, pressure: &[Complex<T>]) {
        let work = &mut self.work;
        let exact: Vec<Complex64> = pressure.iter().map(|p| T::complex_to_f64(*p)).collect();
        let field = self.beyond.widen(&self.grid, &exact);
        let wide = 3 * self.grid.columns;
        for (y, (line, row)) in work.lines.chunks_exact_mut(wide).zip(field.chunks_exact(wide)).enumerate() {
            for ((value, p), weight) in line.iter_mut().zip(row).zip(&self.window[0]) {
                *value = T::complex_from_f64(*p) * (*weight * self.window[1][y]);
            }
        }
        self.forward[0].process_with_scratch(&mut work.lines, &mut work.scratch);
        transpose(wide, 3 * self.grid.rows, |y, x| work.lines[y * wide + x], &mut work.waves);
        self.forward[1].process_with_scratch(&mut work.waves, &mut work.scratch);
    }

    /// The field of what waves there are.
    fn back(&mut self, field: &mut [Complex<T>]) {
        let (grid, work) = (self.grid, &mut self.work);
        let (wide, tall) = (3 * grid.columns, 3 * grid.rows);
        self.back[1].process_with_scratch(&mut work.gained, &mut work.scratch);
        let lines = &mut work.lines[..wide * grid.rows];
        transpose(grid.rows, wide, |x, y| work.gained[x * tall + grid.rows + y], lines);
        self.back[0].process_with_scratch(lines, &mut work.scratch);
        for (row, line) in field.chunks_exact_mut(grid.columns).zip(lines.chunks_exact(wide)) {
            row.copy_from_slice(&line[grid.columns..2 * grid.columns]);
        }
    }
}

/// What each wave is multiplied by, k_y by k_y for each k_x, over the number of waves.
pub fn gains_of_waves(grid: &Grid, gain: &dyn Fn(f64) -> Complex64) -> Vec<Complex64> {
    let wide = grid.widened();
    let radius = |i: usize| {
        let kx = wave(i / wide.rows, wide.columns, grid.pitch[0]);
        kx.hypot(wave(i % wide.rows, wide.rows, grid.pitch[1]))
    };
    let scale = 1.0 / wide.len() as f64;
    (0..wide.len()).map(|i| scale * gain(radius(i))).collect()
}

/// Rows and columns of squares that fit the nearest memory.
const SQUARE: usize = 16;

/// A matrix of so many rows, each `columns` long, from one that has its columns as rows.
#[inline(always)]
fn transpose<T: Copy>(rows: usize, columns: usize, from: impl Fn(usize, usize) -> T, to: &mut [T]) {
    for top in (0..rows).step_by(SQUARE) {
        for left in (0..columns).step_by(SQUARE) {
            for row in top..(top + SQUARE).min(rows) {
                for column in left..(left + SQUARE).min(columns) {
                    to[row * columns + column] = from(column, row);
                }
            }
        }
    }
}

#[inline(always)]
fn multiply<T: Scalar>(waves: &[Complex<T>], gains: &[Complex<T>], to: &mut [Complex<T>]) {
    for ((to, wave), gain) in to.iter_mut().zip(waves).zip(gains) {
        *to = *wave * *gain;
    }
}

#[inline(always)]
fn fade<T: Scalar>(field: &mut Planes<T>, window: &[T]) {
    let lanes = field.lanes;
    for plane in [&mut field.re, &mut field.im] {
        for (step, weight) in plane.chunks_exact_mut(lanes).zip(window) {
            // On the array nothing is touched, not even by a rounding.
            if *weight != T::one() {
                for value in step {
                    *value = *value * *weight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
    use crate::hologram::{KSpace, Medium};
    use crate::simulate::{Sounder, add_noise, field};

    /// The same as step by step, in both precisions, on grids of any shape.
    #[test]
    fn plans_give_what_the_plain_chain_gives() {
        for grid in [
            Grid { columns: 32, rows: 32, pitch: [0.02; 2] },
            Grid { columns: 10, rows: 6, pitch: [0.075; 2] },
            Grid { columns: 7, rows: 9, pitch: [0.02, 0.03] },
        ] {
            let (k, distance) = (18.3, 0.05);
            let filter = Filter::CosModified { cutoff: 0.5 * grid.nyquist(), slope: 0.1 };
            let sounder = Sounder::Monopole { at: [0.03, -0.02, -0.03], strength: Complex64::new(1.0, 0.0) };
            let places: Vec<[f64; 2]> = (0..grid.len()).map(|i| grid.place(i)).collect();
            let mut pressure = field(&[sounder], &places, distance, k, &Medium::AIR);
            // With noise as it is measured: without any, predictions hang on the last digits.
            add_noise(&mut pressure, 40.0, 1, 0);
            for beyond in [Extrapolation::Lpbp, Extrapolation::Plpbp, Extrapolation::Zero] {
                let space = KSpace::new(grid, &pressure, beyond, k);
                let exact = space.pressure(distance, filter);
                let gain = |kr: f64| space.gain(kr, distance, filter);
                assert!(apart::<f64>(grid, beyond, &gain, &pressure, &exact) < 1e-12);
                let rounded = apart::<f32>(grid, beyond, &gain, &pressure, &exact);
                assert!(rounded < 1e-5, "{grid:?} {beyond:?}: {rounded:e}");
            }
        }
    }

    /// What dies out grows by e^{√(k_r² − k²) z}, to the last digits of either precision; what travels turns by +k_z z.
    #[test]
    fn single_waves_have_their_gain_in_both_precisions() {
        for at in [[5, 3], [1, 94], [20, 80], [0, 1]] {
            assert!(gain_error::<f64>(at) < 1e-12, "{at:?}: {:e}", gain_error::<f64>(at));
            assert!(gain_error::<f32>(at) < 1e-5, "{at:?}: {:e}", gain_error::<f32>(at));
        }
    }

    fn gain_error<T: Scalar>(at: [usize; 2]) -> f64 {
        let grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
        let (k, distance) = (40.0_f64, 0.05);
        let [kx, ky] = at.map(|i| wave(i, 96, 0.02));
        let square = kx * kx + ky * ky - k * k;
        let exact = if square > 0.0 {
            Complex64::new((square.sqrt() * distance).exp(), 0.0)
        } else {
            Complex64::from_polar(1.0, (-square).sqrt() * distance)
        };
        let gain = |kr: f64| crate::hologram::gain(k, kr, distance, Filter::None);
        let mut plan = Plan::<T>::new(grid, Extrapolation::Zero, &[&gain]);
        plan.work.waves[at[0] * 96 + at[1]] = Complex::new(T::rounded(9216.0), T::zero());
        multiply(&plan.work.waves, &plan.gains[0], &mut plan.work.gained);
        let mut field = vec![Complex::new(T::zero(), T::zero()); grid.len()];
        plan.back(&mut field);
        let off = field.iter().enumerate().map(|(i, p)| {
            let steps = at[0] * (32 + i % 32) + at[1] * (32 + i / 32);
            let wave = Complex64::from_polar(1.0, std::f64::consts::TAU * (steps % 96) as f64 / 96.0);
            (T::complex_to_f64(*p) / wave - exact).norm() / exact.norm()
        });
        off.fold(0.0, f64::max)
    }

    fn apart<T: Scalar>(
        grid: Grid,
        beyond: Extrapolation,
        gain: &dyn Fn(f64) -> Complex64,
        pressure: &[Complex64],
        exact: &[Complex64],
    ) -> f64 {
        let mut plan = Plan::<T>::new(grid, beyond, &[gain]);
        let pressure: Vec<Complex<T>> = pressure.iter().map(|p| T::complex_from_f64(*p)).collect();
        let mut field = vec![Complex::new(T::zero(), T::zero()); grid.len()];
        plan.run(&pressure, &mut field);
        let largest = exact.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let off = field.iter().zip(exact).map(|(a, b)| (T::complex_to_f64(*a) - b).norm());
        off.fold(0.0, f64::max) / largest
    }
}
