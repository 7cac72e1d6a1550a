//! Reconstruction in k-space, fast: everything that does not depend on the pressure is computed once.
//!
//! The field on the padded grid is transformed to k-space, multiplied by the propagator of each field and transformed back, one axis after the
//! other. With pooled prediction coefficients the extrapolated field is E_y P E_xᵀ, and E_y may be applied after the FFT along x: only the
//! rows of the array are transformed along x. Inverse FFTs compute only what lies on the array. Each group of SIMD lanes goes through all stages of an
//! axis before the next, so that it stays in the L1 cache. [`crate::kspace`] is the reference.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use super::burg::{Burg, extrapolate};
use super::fft::AxisFft;
use super::lpbp;
use crate::extrapolation::{Extrapolation, order};
use crate::grid::Grid;
use crate::propagator::sampled_propagator;
use crate::scalar::Scalar;
use crate::tukey::tukey;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{Arch, ComplexLanes, ComplexPack, PACK, Simd, WithSimd, transpose};
use std::array::from_fn;

/// A plan to reconstruct the fields of one frequency, executed for every window.
pub struct HologramPlan<T: Scalar> {
    grid: Grid,
    extrapolation: Extrapolation,
    /// x and y.
    axes: [Axis<T>; 2],
    /// The sampled propagator of each field: k_y by k_y for each group of k_x.
    propagators: Vec<Vec<ComplexPack<T>>>,
    arch: Arch,
    work: Work<T>,
}

struct Axis<T> {
    points: usize,
    /// The Tukey window.
    window: Vec<T>,
    fft: AxisFft<T>,
}

/// The buffers of a plan. SIMD lanes are rows or columns.
struct Work<T> {
    /// The pressure, columns as lanes.
    columns: Vec<ComplexPack<T>>,
    /// The field extrapolated along x, and its spectrum along x; rows as lanes.
    padded: Vec<ComplexPack<T>>,
    /// Spectra along x extrapolated along y, and the k-space spectrum; k_x as lanes.
    spectrum: Vec<ComplexPack<T>>,
    /// The spectrum along x of each field, rows as lanes.
    rows: Vec<Vec<ComplexPack<T>>>,
    burg: Burg<T>,
    coefficients: [Vec<Complex<T>>; 2],
    propagated: Vec<ComplexPack<T>>,
    buffer: Vec<ComplexPack<T>>,
}

impl<T: Scalar> HologramPlan<T> {
    /// For one field for each of these propagators, functions of k_r.
    pub fn new(grid: Grid, extrapolation: Extrapolation, propagators: &[&dyn Fn(f64) -> Complex64]) -> Self {
        let padded = grid.padded();
        let longest = padded.columns.max(padded.rows);
        let groups = |lanes: usize| lanes.div_ceil(PACK);
        let axis = |points: usize| Axis {
            points,
            window: tukey(points).into_iter().map(T::rounded).collect(),
            fft: AxisFft::padded(points),
        };
        let rows = || ComplexPack::zeros(groups(grid.rows) * padded.columns);
        let work = Work {
            columns: ComplexPack::zeros(groups(grid.columns) * grid.rows),
            padded: ComplexPack::zeros(groups(padded.rows) * padded.columns),
            spectrum: ComplexPack::zeros(groups(padded.columns) * padded.rows),
            rows: propagators.iter().map(|_| rows()).collect(),
            burg: Burg::new(),
            coefficients: [Vec::new(), Vec::new()],
            propagated: ComplexPack::zeros(longest),
            buffer: ComplexPack::zeros(longest),
        };
        Self {
            grid,
            extrapolation,
            axes: [grid.columns, grid.rows].map(axis),
            propagators: propagators.iter().map(|propagator| packed(&grid, propagator)).collect(),
            arch: Arch::new(),
            work,
        }
    }

    /// Number of fields.
    pub fn fields(&self) -> usize {
        self.propagators.len()
    }

    /// Points of each field.
    pub fn points(&self) -> usize {
        self.grid.len()
    }

    /// Reconstructs the fields of a pressure at the microphones, one after the other.
    pub fn run(&mut self, pressure: &[Complex<T>], fields: &mut [Complex<T>]) {
        // Rows and columns have coefficients of their own
        // here: extrapolated in full before the transforms.
        if self.extrapolation == Extrapolation::Lpbp {
            let windows = [&self.axes[0].window[..], &self.axes[1].window[..]];
            lpbp::extrapolate(&self.grid, pressure, windows, &mut self.work.padded);
        }
        self.arch.dispatch(Run { plan: self, pressure, fields });
    }

    /// Loads the pressure, and with pooled LPBP finds the prediction coefficients of both axes.
    #[inline(always)]
    fn load<S: Simd>(&mut self, simd: S, pressure: &[Complex<T>]) {
        let Work { columns, padded, burg, coefficients, .. } = &mut self.work;
        // Lanes beyond the last row or column stay zero, as the buffers were allocated.
        let [across, down] = [self.grid.columns, self.grid.rows];
        for (y, row) in pressure.chunks_exact(across).enumerate() {
            for (group, values) in row.chunks(PACK).enumerate() {
                let pack = &mut columns[group * down + y];
                for (i, value) in values.iter().enumerate() {
                    (pack.re[i], pack.im[i]) = (value.re, value.im);
                }
            }
        }
        // Packs are transposed: columns as lanes for y, rows as lanes for x.
        for (group, rows) in padded.chunks_exact_mut(3 * across).enumerate().take(down.div_ceil(PACK)) {
            for (columns, to) in columns.chunks_exact(down).zip(rows[across..2 * across].chunks_mut(PACK)) {
                transpose(&columns[group * PACK..], to);
            }
        }
        if self.extrapolation == Extrapolation::Plpbp {
            // The middle third of each line is the array.
            let rows = padded.chunks_exact(3 * across).map(|row| &row[across..2 * across]);
            let [along_x, along_y] = coefficients;
            burg.coefficients(simd, rows.take(down.div_ceil(PACK)), across, order(across), along_x);
            burg.coefficients(simd, columns.chunks_exact(down), down, order(down), along_y);
        }
    }

    /// Extrapolates all rows along x, and transforms them.
    #[inline(always)]
    fn along_x<S: Simd>(&mut self, simd: S) {
        let Work { padded, spectrum, coefficients, buffer, .. } = &mut self.work;
        let [x, y] = &self.axes;
        let (across, down) = (3 * x.points, 3 * y.points);
        let is_padded = self.extrapolation == Extrapolation::Lpbp;
        // With LPBP the columns are extrapolated already, so that all padded rows are transformed;
        // else only those of the array.
        let (first, rows) = if is_padded { (0, down) } else { (y.points, y.points) };
        for (group, line) in padded.chunks_exact_mut(across).enumerate().take(rows.div_ceil(PACK)) {
            for part in 0..ComplexLanes::<S, T>::per_pack() {
                if !is_padded {
                    extrapolate(simd, part, line, &coefficients[0], &x.window);
                }
                x.fft.run(simd, part, line, &mut buffer[..across]);
            }
            let top = group * PACK..rows.min((group + 1) * PACK);
            // Rows as lanes become k_x as lanes, for the transform along y.
            for (from, column) in line.chunks(PACK).zip(spectrum.chunks_exact_mut(down)) {
                transpose(from, &mut column[first + top.start..first + top.end]);
            }
        }
    }

    /// Extrapolates a group of k_x along y, and transforms it to k-space.
    #[inline(always)]
    fn along_y<S: Simd>(&mut self, simd: S, group: usize) {
        let Work { spectrum, coefficients, buffer, .. } = &mut self.work;
        let Axis { points, window, fft } = &self.axes[1];
        let line = &mut spectrum[group * 3 * points..][..3 * points];
        for part in 0..ComplexLanes::<S, T>::per_pack() {
            if self.extrapolation != Extrapolation::Lpbp {
                extrapolate(simd, part, line, &coefficients[1], window);
            }
            fft.run(simd, part, line, &mut buffer[..3 * points]);
        }
    }

    /// Multiplies a group of k_x by the propagator of each field, and transforms it back along y to the rows of the array.
    #[inline(always)]
    fn back_along_y<S: Simd>(&mut self, simd: S, group: usize) {
        let Work { spectrum, rows, propagated, buffer, .. } = &mut self.work;
        let [x, y] = &self.axes;
        let (across, down) = (3 * x.points, 3 * y.points);
        let all = group * down..(group + 1) * down;
        // One group of k_x stays in cache through all fields.
        for (propagator, rows) in self.propagators.iter().zip(rows) {
            for part in 0..ComplexLanes::<S, T>::per_pack() {
                let values = spectrum[all.clone()].iter().zip(&propagator[all.clone()]);
                for (to, (p, g)) in propagated.iter_mut().zip(values) {
                    let (p, g) = (ComplexLanes::load(simd, p, part), ComplexLanes::load(simd, g, part));
                    // Exchanging real and imaginary parts turns the forward DFT into the inverse one.
                    (p * g).swap_parts().store(to, part);
                }
                y.fft.middle(simd, part, &mut propagated[..down], &mut buffer[..down]);
            }
            // Back to rows as lanes: only the rows of the array.
            for (from, line) in propagated[..y.points].chunks(PACK).zip(rows.chunks_exact_mut(across)) {
                transpose(from, &mut line[group * PACK..across.min((group + 1) * PACK)]);
            }
        }
    }

    /// Transforms the rows of a field back along x.
    #[inline(always)]
    fn back_along_x<S: Simd>(&mut self, simd: S, field: usize, to: &mut [Complex<T>]) {
        let Work { rows, buffer, .. } = &mut self.work;
        let Axis { points, fft, .. } = &self.axes[0];
        let groups = to.chunks_mut(PACK * points);
        for (line, to) in rows[field].chunks_exact_mut(3 * points).zip(groups) {
            for part in 0..ComplexLanes::<S, T>::per_pack() {
                fft.middle(simd, part, line, &mut buffer[..3 * points]);
            }
            for (y, to) in to.chunks_exact_mut(*points).enumerate() {
                for (to, from) in to.iter_mut().zip(&*line) {
                    // Parts exchanged again: the counterpart of
                    // `swap_parts` before the first inverse transform.
                    *to = Complex::new(from.im[y], from.re[y]);
                }
            }
        }
    }
}

/// A sampled propagator with groups of k_x as lanes.
fn packed<T: Scalar>(grid: &Grid, propagator: &dyn Fn(f64) -> Complex64) -> Vec<ComplexPack<T>> {
    let padded = grid.padded();
    let sampled = sampled_propagator(grid, propagator);
    let at = |kx: usize, ky: usize| {
        let value = sampled.get(kx * padded.rows + ky);
        // Lanes beyond the last k_x have propagator zero.
        value.map_or(Complex::new(T::zero(), T::zero()), |value| T::complex_from_f64(*value))
    };
    let pack = |i: usize| {
        let (first, ky) = (i / padded.rows * PACK, i % padded.rows);
        ComplexPack {
            re: from_fn(|lane| at(first + lane, ky).re),
            im: from_fn(|lane| at(first + lane, ky).im),
        }
    };
    (0..padded.columns.div_ceil(PACK) * padded.rows).map(pack).collect()
}

/// A run of a plan, compiled for the instruction set found at run time.
struct Run<'a, T: Scalar> {
    plan: &'a mut HologramPlan<T>,
    pressure: &'a [Complex<T>],
    fields: &'a mut [Complex<T>],
}

impl<T: Scalar> WithSimd for Run<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { plan, pressure, fields } = self;
        if plan.extrapolation != Extrapolation::Lpbp {
            plan.load(simd, pressure);
        }
        plan.along_x(simd);
        // Group by group through y and back: spectra of a group are used while in cache.
        for group in 0..(3 * plan.grid.columns).div_ceil(PACK) {
            plan.along_y(simd, group);
            plan.back_along_y(simd, group);
        }
        for (i, field) in fields.chunks_exact_mut(plan.grid.len()).enumerate().take(plan.propagators.len()) {
            plan.back_along_x(simd, i, field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;
    use crate::kspace::KSpace;
    use crate::medium::{Medium, wavenumber_of_bin};
    use crate::propagator::propagator;
    use crate::simulate::{SimulatedSource, add_noise, field};
    use phasefront_core::simd;

    /// Against the reference in both precisions, on grids of any shape.
    #[test]
    fn plans_equal_the_reference() {
        for grid in [
            Grid { columns: 32, rows: 32, pitch: [0.02; 2] },
            Grid { columns: 10, rows: 6, pitch: [0.075; 2] },
            Grid { columns: 7, rows: 9, pitch: [0.02, 0.03] },
        ] {
            let (k, distance) = (18.3, 0.05);
            let filter = Filter::CosModified { cutoff: 0.5 * grid.nyquist_wavenumber(), slope: 0.1 };
            let source = SimulatedSource::Monopole {
                position: [0.03, -0.02, -0.03],
                strength: Complex64::new(1.0, 0.0),
            };
            let mut pressure = field(&[source], &grid.positions(), distance, k, &Medium::AIR);
            // With noise: without it, prediction coefficients are determined by rounding.
            add_noise(&mut pressure, 40.0, 1, 0);
            for extrapolation in [Extrapolation::Lpbp, Extrapolation::Plpbp, Extrapolation::Zero] {
                let space = KSpace::new(grid, &pressure, extrapolation, k);
                let exact = space.pressure(distance, filter);
                let propagator = |kr: f64| space.propagator(kr, distance, filter);
                assert!(max_error::<f64>(grid, extrapolation, &propagator, &pressure, &exact) < 1e-12);
                let rounded = max_error::<f32>(grid, extrapolation, &propagator, &pressure, &exact);
                assert!(rounded < 1e-5, "{grid:?} {extrapolation:?}: {rounded:e}");
            }
        }
    }

    /// Evanescent waves are amplified by e^{√(k_r² − k²) z}, to the rounding of either precision; propagating waves advance in phase by k_z z.
    #[test]
    fn plane_waves_are_propagated_exactly_in_both_precisions() {
        for at in [[5, 3], [1, 94], [20, 80], [0, 1]] {
            assert!(propagation_error::<f64>(at) < 1e-12, "{at:?}: {:e}", propagation_error::<f64>(at));
            assert!(propagation_error::<f32>(at) < 1e-5, "{at:?}: {:e}", propagation_error::<f32>(at));
        }
    }

    fn propagation_error<T: Scalar>(at: [usize; 2]) -> f64 {
        let grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
        let (k, distance) = (40.0_f64, 0.05);
        let [kx, ky] = at.map(|i| wavenumber_of_bin(i, 96, 0.02));
        let square = kx * kx + ky * ky - k * k;
        let exact = if square > 0.0 {
            Complex64::new((square.sqrt() * distance).exp(), 0.0)
        } else {
            Complex64::from_polar(1.0, (-square).sqrt() * distance)
        };
        let of_kr = |kr: f64| propagator(k, kr, distance, Filter::None);
        let mut plan = HologramPlan::<T>::new(grid, Extrapolation::Zero, &[&of_kr]);
        plan.work.spectrum[at[0] / PACK * 96 + at[1]].re[at[0] % PACK] = T::rounded(9216.0);
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

    fn max_error<T: Scalar>(
        grid: Grid,
        extrapolation: Extrapolation,
        propagator: &dyn Fn(f64) -> Complex64,
        pressure: &[Complex64],
        exact: &[Complex64],
    ) -> f64 {
        let mut plan = HologramPlan::<T>::new(grid, extrapolation, &[propagator]);
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
