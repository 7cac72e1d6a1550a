//! From the pressure on the array to fields on other planes, over and over: everything that does not depend on the pressure is
//! computed once.
//!
//! The two axes are taken one after the other, and each step is done where it is cheapest. With one prediction for all rows and one for
//! all columns the field beyond the rim is E_y P E_xᵀ, and E_y may be applied after the transform along x: 32 rows are
//! transformed in place of 96. On the way back only what lies on the array is. Lines are taken side by side, a few at a time, from one end
//! of an axis to the other, so that all that is done to them stays in the nearest memory.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::extrapolate::{Extrapolation, order};
use crate::grid::Grid;
use crate::hologram::wave;
use crate::pooled::{Burg, carry_on};
use crate::scalar::Scalar;
use crate::transform::Transform;
use crate::window::weights;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{Arch, ComplexLanes, ComplexPack, PACK, Simd, WithSimd, transpose};
use std::array::from_fn;

/// Fields on an array made into fields on other planes, all in the same way.
pub struct Plan<T: Scalar> {
    grid: Grid,
    beyond: Extrapolation,
    /// x and y.
    axes: [Axis<T>; 2],
    /// What waves are multiplied by for each field that is wanted, k_y by k_y for every few k_x; over the number of waves.
    gains: Vec<Vec<ComplexPack<T>>>,
    arch: Arch,
    work: Work<T>,
}

struct Axis<T> {
    points: usize,
    /// Tukey's.
    window: Vec<T>,
    transform: Transform<T>,
}

/// What a plan writes on. Lanes are rows or columns, and of each few of them all steps follow one another.
struct Work<T> {
    /// The pressure, columns as lanes.
    columns: Vec<ComplexPack<T>>,
    /// The field carried on along x, rows as lanes.
    wide: Vec<ComplexPack<T>>,
    /// Spectra along x carried on along y, k_x as lanes.
    tall: Vec<ComplexPack<T>>,
    /// Of each field, spectra along x, rows as lanes.
    lines: Vec<Vec<ComplexPack<T>>>,
    burg: Burg<T>,
    coefficients: [Vec<Complex<T>>; 2],
    gained: Vec<ComplexPack<T>>,
    room: Vec<ComplexPack<T>>,
}

impl<T: Scalar> Plan<T> {
    /// For fields that are multiplied in k-space by each of these functions of k_r.
    pub fn new(grid: Grid, beyond: Extrapolation, gains: &[&dyn Fn(f64) -> Complex64]) -> Self {
        let wide = grid.widened();
        let longest = wide.columns.max(wide.rows);
        let groups = |lanes: usize| lanes.div_ceil(PACK);
        let axis = |points: usize| Axis {
            points,
            window: weights(points).into_iter().map(T::rounded).collect(),
            transform: Transform::thrice(points),
        };
        let line = || ComplexPack::zeros(groups(grid.rows) * wide.columns);
        let work = Work {
            columns: ComplexPack::zeros(groups(grid.columns) * grid.rows),
            wide: ComplexPack::zeros(groups(wide.rows) * wide.columns),
            tall: ComplexPack::zeros(groups(wide.columns) * wide.rows),
            lines: gains.iter().map(|_| line()).collect(),
            burg: Burg::new(),
            coefficients: [Vec::new(), Vec::new()],
            gained: ComplexPack::zeros(longest),
            room: ComplexPack::zeros(longest),
        };
        Self {
            grid,
            beyond,
            axes: [grid.columns, grid.rows].map(axis),
            gains: gains.iter().map(|gain| packed_gains(&grid, gain)).collect(),
            arch: Arch::new(),
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
        if self.beyond == Extrapolation::Lpbp {
            self.carry_on_one_by_one(pressure);
        }
        self.arch.dispatch(Run { plan: self, pressure, fields });
    }

    /// The pressure, and with one prediction for all rows and one for all columns, what they are.
    #[inline(always)]
    fn load<S: Simd>(&mut self, simd: S, pressure: &[Complex<T>]) {
        let Work { columns, wide, burg, coefficients, .. } = &mut self.work;
        let [across, down] = [self.grid.columns, self.grid.rows];
        for (y, row) in pressure.chunks_exact(across).enumerate() {
            for (group, values) in row.chunks(PACK).enumerate() {
                let pack = &mut columns[group * down + y];
                for (i, value) in values.iter().enumerate() {
                    (pack.re[i], pack.im[i]) = (value.re, value.im);
                }
            }
        }
        for (group, rows) in wide.chunks_exact_mut(3 * across).enumerate().take(down.div_ceil(PACK)) {
            for (columns, to) in columns.chunks_exact(down).zip(rows[across..2 * across].chunks_mut(PACK)) {
                transpose(&columns[group * PACK..], to);
            }
        }
        if self.beyond == Extrapolation::Plpbp {
            let rows = wide.chunks_exact(3 * across).map(|row| &row[across..2 * across]);
            let [along_x, along_y] = coefficients;
            burg.coefficients(simd, rows.take(down.div_ceil(PACK)), across, order(across), along_x);
            burg.coefficients(simd, columns.chunks_exact(down), down, order(down), along_y);
        }
    }

    /// The pressure carried on with a prediction for each row and for each column.
    fn carry_on_one_by_one(&mut self, pressure: &[Complex<T>]) {
        let exact: Vec<Complex64> = pressure.iter().map(|p| T::complex_to_f64(*p)).collect();
        let field = self.beyond.widen(&self.grid, &exact);
        let across = 3 * self.grid.columns;
        for (y, row) in field.chunks_exact(across).enumerate() {
            let to = &mut self.work.wide[y / PACK * across..][..across];
            for ((value, to), weight) in row.iter().zip(to).zip(&self.axes[0].window) {
                let value = T::complex_from_f64(*value) * (*weight * self.axes[1].window[y]);
                (to.re[y % PACK], to.im[y % PACK]) = (value.re, value.im);
            }
        }
    }

    /// Spectra along x of all rows that there are.
    #[inline(always)]
    fn along_x<S: Simd>(&mut self, simd: S) {
        let Work { wide, tall, coefficients, room, .. } = &mut self.work;
        let [x, y] = &self.axes;
        let (across, down) = (3 * x.points, 3 * y.points);
        let known = self.beyond == Extrapolation::Lpbp;
        let (first, rows) = if known { (0, down) } else { (y.points, y.points) };
        for (group, line) in wide.chunks_exact_mut(across).enumerate().take(rows.div_ceil(PACK)) {
            for part in 0..ComplexLanes::<S, T>::per_pack() {
                if !known {
                    carry_on(simd, part, line, &coefficients[0], &x.window);
                }
                x.transform.run(simd, part, line, &mut room[..across]);
            }
            let top = group * PACK..rows.min((group + 1) * PACK);
            for (from, tall) in line.chunks(PACK).zip(tall.chunks_exact_mut(down)) {
                transpose(from, &mut tall[first + top.start..first + top.end]);
            }
        }
    }

    /// Waves of a few k_x, in place of spectra along x.
    #[inline(always)]
    fn along_y<S: Simd>(&mut self, simd: S, group: usize) {
        let Work { tall, coefficients, room, .. } = &mut self.work;
        let Axis { points, window, transform } = &self.axes[1];
        let line = &mut tall[group * 3 * points..][..3 * points];
        for part in 0..ComplexLanes::<S, T>::per_pack() {
            if self.beyond != Extrapolation::Lpbp {
                carry_on(simd, part, line, &coefficients[1], window);
            }
            transform.run(simd, part, line, &mut room[..3 * points]);
        }
    }

    /// Waves of a few k_x, for each field times their gains, and back along y to the rows of the array.
    #[inline(always)]
    fn back_along_y<S: Simd>(&mut self, simd: S, group: usize) {
        let Work { tall, lines, gained, room, .. } = &mut self.work;
        let [x, y] = &self.axes;
        let (across, down) = (3 * x.points, 3 * y.points);
        let all = group * down..(group + 1) * down;
        for (gains, lines) in self.gains.iter().zip(lines) {
            for part in 0..ComplexLanes::<S, T>::per_pack() {
                for ((to, wave), gain) in gained.iter_mut().zip(&tall[all.clone()]).zip(&gains[all.clone()]) {
                    let (wave, gain) =
                        (ComplexLanes::load(simd, wave, part), ComplexLanes::load(simd, gain, part));
                    (wave * gain).swap_parts().store(to, part);
                }
                y.transform.middle(simd, part, &mut gained[..down], &mut room[..down]);
            }
            for (from, line) in gained[..y.points].chunks(PACK).zip(lines.chunks_exact_mut(across)) {
                transpose(from, &mut line[group * PACK..across.min((group + 1) * PACK)]);
            }
        }
    }

    /// The rows of a field, from their spectra along x.
    #[inline(always)]
    fn back_along_x<S: Simd>(&mut self, simd: S, field: usize, to: &mut [Complex<T>]) {
        let Work { lines, room, .. } = &mut self.work;
        let Axis { points, transform, .. } = &self.axes[0];
        let rows = to.chunks_mut(PACK * points);
        for (line, to) in lines[field].chunks_exact_mut(3 * points).zip(rows) {
            for part in 0..ComplexLanes::<S, T>::per_pack() {
                transform.middle(simd, part, line, &mut room[..3 * points]);
            }
            for (y, to) in to.chunks_exact_mut(*points).enumerate() {
                for (to, from) in to.iter_mut().zip(&*line) {
                    *to = Complex::new(from.im[y], from.re[y]);
                }
            }
        }
    }
}

/// The same, every few k_x side by side.
fn packed_gains<T: Scalar>(grid: &Grid, gain: &dyn Fn(f64) -> Complex64) -> Vec<ComplexPack<T>> {
    let wide = grid.widened();
    let gains = gains_of_waves(grid, gain);
    let at = |kx: usize, ky: usize| {
        gains
            .get(kx * wide.rows + ky)
            .map_or(Complex::new(T::zero(), T::zero()), |gain| T::complex_from_f64(*gain))
    };
    let pack = |i: usize| {
        let (first, ky) = (i / wide.rows * PACK, i % wide.rows);
        ComplexPack {
            re: from_fn(|lane| at(first + lane, ky).re),
            im: from_fn(|lane| at(first + lane, ky).im),
        }
    };
    (0..wide.columns.div_ceil(PACK) * wide.rows).map(pack).collect()
}

/// A plan that is run by the instructions of a machine.
struct Run<'a, T: Scalar> {
    plan: &'a mut Plan<T>,
    pressure: &'a [Complex<T>],
    fields: &'a mut [Complex<T>],
}

impl<T: Scalar> WithSimd for Run<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { plan, pressure, fields } = self;
        if plan.beyond != Extrapolation::Lpbp {
            plan.load(simd, pressure);
        }
        plan.along_x(simd);
        for group in 0..(3 * plan.grid.columns).div_ceil(PACK) {
            plan.along_y(simd, group);
            plan.back_along_y(simd, group);
        }
        for (i, field) in fields.chunks_exact_mut(plan.grid.len()).enumerate().take(plan.gains.len()) {
            plan.back_along_x(simd, i, field);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
    use crate::hologram::{KSpace, Medium};
    use crate::simulate::{Sounder, add_noise, field};
    use phasefront_core::simd;

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
        plan.work.tall[at[0] / PACK * 96 + at[1]].re[at[0] % PACK] = T::rounded(9216.0);
        let mut field = vec![Complex::new(T::zero(), T::zero()); grid.len()];
        (0..96 / PACK).for_each(|group| plan.back_along_y(simd::Scalar, group));
        plan.back_along_x(simd::Scalar, 0, &mut field);
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
        let largest = exact.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let mut worst = 0.0_f64;
        for (_, arch) in simd::instruction_sets() {
            plan.arch = arch;
            plan.run(&pressure, &mut field);
            let off = field.iter().zip(exact).map(|(a, b)| (T::complex_to_f64(*a) - b).norm());
            worst = worst.max(off.fold(0.0, f64::max) / largest);
        }
        worst
    }
}
