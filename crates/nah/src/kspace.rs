//! The pressure at the array in k-space, and its propagation to other planes.

use crate::extrapolation::Extrapolation;
use crate::filter::Filter;
use crate::grid::Grid;
use crate::medium::{Medium, wavenumber_of_bin};
use crate::propagator::propagator;
use crate::scalar::Scalar;
use crate::tukey::taper;
use num_complex::Complex64;
use rustfft::Fft;
use std::sync::Arc;

/// The angular spectrum of the pressure at one frequency: the 2-D DFT of the field on the padded grid.
pub struct KSpace {
    grid: Grid,
    k: f64,
    spectrum: Vec<Complex64>,
    /// k_r of each point of k-space.
    kr: Vec<f64>,
    inverse: Fft2,
}

impl KSpace {
    /// The spectrum of the pressure at the microphones, row by row, extrapolated and tapered; k is the wavenumber of the medium.
    pub fn new(grid: Grid, pressure: &[Complex64], extrapolation: Extrapolation, k: f64) -> Self {
        // The taper applies to the extrapolated part: the measured field is unchanged.
        let mut field = extrapolation.pad(&grid, pressure);
        taper(&grid, &mut field);
        Self::from_padded(grid, field, k)
    }

    /// The spectrum of a field that is known on the whole padded grid.
    pub fn from_padded(grid: Grid, field: Vec<Complex64>, k: f64) -> Self {
        let (padded, mut spectrum) = (grid.padded(), field);
        Fft2::new(&padded, f64::forward).run(&mut spectrum);
        let inverse = Fft2::new(&padded, f64::inverse);
        // Filters and propagators depend on the radius alone: computed once.
        let kr = (0..padded.len()).map(|i| {
            let kx = wavenumber_of_bin(i % padded.columns, padded.columns, grid.pitch[0]);
            kx.hypot(wavenumber_of_bin(i / padded.columns, padded.rows, grid.pitch[1]))
        });
        Self { grid, k, spectrum, kr: kr.collect(), inverse }
    }

    /// The array.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// k of the medium, rad/m.
    pub fn wavenumber(&self) -> f64 {
        self.k
    }

    /// k_r of all points of k-space, rad/m.
    pub fn radial_wavenumbers(&self) -> &[f64] {
        &self.kr
    }

    /// The angular spectrum, row by row of k_y, in DFT order: zero and positive wavenumbers first, then the negative ones.
    pub fn spectrum(&self) -> &[Complex64] {
        &self.spectrum
    }

    /// The pressure over the aperture on the plane that is nearer to the source by `distance`; farther if that is negative.
    pub fn pressure(&self, distance: f64, filter: Filter) -> Vec<Complex64> {
        self.on_array(|kr| self.propagator(kr, distance, filter))
    }

    /// The filtered inverse propagator to that plane.
    pub fn propagator(&self, kr: f64, distance: f64, filter: Filter) -> Complex64 {
        propagator(self.k, kr, distance, filter)
    }

    /// The normal velocity on that plane, positive away from the source: u = k_z p/(ρ c k) (Euler's equation).
    pub fn velocity(&self, distance: f64, filter: Filter, medium: Medium) -> Vec<Complex64> {
        self.on_array(|kr| self.propagator(kr, distance, filter) * medium.admittance(self.k, kr))
    }

    /// The field over the aperture, of the spectrum times a function of k_r.
    pub(crate) fn on_array(&self, factor: impl Fn(f64) -> Complex64) -> Vec<Complex64> {
        self.grid.crop(&self.on_padded_grid(factor))
    }

    /// The same on the whole padded grid.
    fn on_padded_grid(&self, factor: impl Fn(f64) -> Complex64) -> Vec<Complex64> {
        // rustfft does not normalize: 1/N once, here.
        let scale = 1.0 / self.spectrum.len() as f64;
        let mut field: Vec<Complex64> =
            self.spectrum.iter().zip(&self.kr).map(|(p, kr)| scale * factor(*kr) * p).collect();
        self.inverse.run(&mut field);
        field
    }

    /// The field over the aperture on the refined grid, of the spectrum times a function of k_r. Zero padding in k-space interpolates
    /// the band-limited field exactly.
    pub fn refined(&self, factor: usize, of_kr: impl Fn(f64) -> Complex64) -> Vec<Complex64> {
        let (grid, padded) = (self.grid, self.grid.padded());
        // The same pitch in k-space: more bins at higher wavenumbers, all zero.
        let large = Grid { columns: factor * padded.columns, rows: factor * padded.rows, ..padded };
        let mut field = vec![Complex64::ZERO; large.len()];
        let scale = 1.0 / padded.len() as f64;
        for (i, (p, kr)) in self.spectrum.iter().zip(&self.kr).enumerate() {
            let value = scale * of_kr(*kr) * p;
            // One or two bins along each axis: the Nyquist bin belongs to both signs, and splitting
            // it keeps real fields real.
            for (x, of_x) in refined_bins(i % padded.columns, padded.columns, factor) {
                for (y, of_y) in refined_bins(i / padded.columns, padded.rows, factor) {
                    field[y * large.columns + x] += of_x * of_y * value;
                }
            }
        }
        Fft2::new(&large, f64::inverse).run(&mut field);
        let fine = grid.refined(factor);
        // The middle third, from the first microphone to the last.
        let row = |y: usize| {
            let start = (factor * grid.rows + y) * large.columns + factor * grid.columns;
            field[start..start + fine.columns].iter().copied()
        };
        (0..fine.rows).flat_map(row).collect()
    }
}

/// The bins of DFT bin i of `count` among `factor` times as many, with their weights. The Nyquist bin is split between both signs.
fn refined_bins(i: usize, count: usize, factor: usize) -> Vec<(usize, f64)> {
    // Negative frequencies move to the end of the longer spectrum.
    let (positive, negative) = (i, i + (factor - 1) * count);
    match (2 * i).cmp(&count) {
        std::cmp::Ordering::Less => vec![(positive, 1.0)],
        std::cmp::Ordering::Equal => vec![(positive, 0.5), (negative, 0.5)],
        std::cmp::Ordering::Greater => vec![(negative, 1.0)],
    }
}

/// A 2-D DFT.
pub(crate) struct Fft2 {
    along_x: Arc<dyn Fft<f64>>,
    along_y: Arc<dyn Fft<f64>>,
}

impl Fft2 {
    pub fn new(grid: &Grid, plan: fn(usize) -> Arc<dyn Fft<f64>>) -> Self {
        Self { along_x: plan(grid.columns), along_y: plan(grid.rows) }
    }

    pub fn run(&self, field: &mut [Complex64]) {
        let columns = self.along_x.len();
        // rustfft transforms consecutive rows of its length in one call; columns are gathered.
        self.along_x.process(field);
        for x in 0..columns {
            let mut column: Vec<Complex64> = field.iter().skip(x).step_by(columns).copied().collect();
            self.along_y.process(&mut column);
            for (value, new) in field.iter_mut().skip(x).step_by(columns).zip(column) {
                *value = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A single plane wave: one point of k-space, without extrapolation and taper.
    fn plane_wave(grid: Grid, k: f64, at: [usize; 2]) -> (KSpace, [f64; 2]) {
        let padded = grid.padded();
        let mut space = KSpace::new(grid, &vec![Complex64::ZERO; grid.len()], Extrapolation::Zero, k);
        space.spectrum[at[1] * padded.columns + at[0]] = Complex64::new(padded.len() as f64, 0.0);
        let wavenumbers = [
            wavenumber_of_bin(at[0], padded.columns, grid.pitch[0]),
            wavenumber_of_bin(at[1], padded.rows, grid.pitch[1]),
        ];
        (space, wavenumbers)
    }

    const GRID: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };

    /// Evanescent waves are amplified by e^{√(k_r² − k²) z}; propagating waves keep their magnitude and advance in phase by k_z z.
    #[test]
    fn plane_waves_are_propagated_with_the_right_magnitude_and_phase() {
        let (k, distance) = (40.0_f64, 0.05);
        for at in [[5, 3], [1, 94], [2, 90], [20, 80]] {
            let (space, [kx, ky]) = plane_wave(GRID, k, at);
            let kr = kx.hypot(ky);
            let exact = if kr > k {
                Complex64::new(((kr * kr - k * k).sqrt() * distance).exp(), 0.0)
            } else {
                Complex64::from_polar(1.0, (k * k - kr * kr).sqrt() * distance)
            };
            let (before, after) = (space.pressure(0.0, Filter::None), space.pressure(distance, Filter::None));
            for (p, q) in before.iter().zip(after) {
                assert!((p.norm() - 1.0).abs() < 1e-12);
                assert!((q - exact * p).norm() < 1e-12 * exact.norm(), "{at:?}: {} {exact}", q / p);
            }
        }
    }

    /// A plane wave at normal incidence carries the intensity p²/(2ρc).
    #[test]
    fn the_velocity_at_normal_incidence_is_the_pressure_over_rho_c() {
        let (space, _) = plane_wave(GRID, 40.0, [0, 0]);
        let medium = Medium::AIR;
        let (p, u) = (space.pressure(0.05, Filter::None), space.velocity(0.05, Filter::None, medium));
        for (p, u) in p.iter().zip(u) {
            assert!((u * medium.density * medium.speed - p).norm() < 1e-12);
        }
    }

    /// The sign convention: phasors are those of e^{+jωt}, as the DFT Σ x_n e^{−jωn} gives them, so that a wave propagating away from the
    /// source is earlier on the plane nearer to it.
    #[test]
    fn inverse_propagation_advances_the_phase() {
        let (k, distance, samples) = (40.0_f64, 0.05, 64);
        // cos(ωt − kz) at the array, z = 0, and on the plane at z = −distance.
        let phasor = |z: f64| -> Complex64 {
            let at = |n: usize| (TAU * 4.0 * n as f64 / samples as f64 - k * z).cos();
            let term = |n: usize| at(n) * Complex64::from_polar(1.0, -TAU * 4.0 * n as f64 / samples as f64);
            2.0 / samples as f64 * (0..samples).map(term).sum::<Complex64>()
        };
        let (space, _) = plane_wave(GRID, k, [0, 0]);
        let ratio = space.pressure(distance, Filter::None)[0] / space.pressure(0.0, Filter::None)[0];
        assert!((ratio - phasor(-distance) / phasor(0.0)).norm() < 1e-12, "{ratio}");
    }

    /// Forward and inverse propagation cancel.
    #[test]
    fn forward_and_backward_cancel() {
        let noise = |i: usize| {
            let state = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let part = |bits: u64| (bits & 0xFFFF) as f64 / 65_536.0 - 0.5;
            Complex64::new(part(state >> 40), part(state >> 20))
        };
        let field: Vec<Complex64> = (0..9 * GRID.len()).map(noise).collect();
        let source = KSpace::from_padded(GRID, field.clone(), 40.0);
        let propagated = source.on_padded_grid(|kr| source.propagator(kr, -0.05, Filter::None));
        let array = KSpace::from_padded(GRID, propagated, 40.0);
        let back = array.on_padded_grid(|kr| array.propagator(kr, 0.05, Filter::None));
        for (a, b) in back.iter().zip(&field) {
            assert!((a - b).norm() < 1e-10, "{a} {b}");
        }
    }

    /// Plane waves of the DFT, and one at the Nyquist wavenumber where the number of columns is even, at any position.
    fn field(padded: &Grid, [x, y]: [f64; 2]) -> Complex64 {
        let wave = |n: f64, at: f64, count: usize| Complex64::from_polar(1.0, TAU * n * at / count as f64);
        let (columns, rows) = (padded.columns, padded.rows);
        let mut sum = wave(2.0, x, columns) * wave(-3.0, y, rows) + 0.5 * wave(-1.0, x, columns);
        sum += 0.3 * wave(4.0, y, rows);
        // The Nyquist wave is cos(π n), half of either sign.
        if columns.is_multiple_of(2) {
            sum += 0.2 * (TAU * 0.5 * x).cos() * wave(1.0, y, rows);
        }
        sum
    }

    #[test]
    fn interpolation_is_exact_between_the_points_and_unchanged_at_them() {
        for (columns, rows, factor) in [(8, 6, 4), (7, 5, 3), (10, 7, 2), (6, 10, 1)] {
            let grid = Grid { columns, rows, pitch: [0.02, 0.03] };
            let padded = grid.padded();
            let whole: Vec<Complex64> = (0..padded.len())
                .map(|i| field(&padded, [(i % padded.columns) as f64, (i / padded.columns) as f64]))
                .collect();
            let space = KSpace::from_padded(grid, whole.clone(), 20.0);
            let found = space.refined(factor, |_| Complex64::ONE);
            let fine = grid.refined(factor);
            assert_eq!(found.len(), fine.len());
            let step = 1.0 / factor as f64;
            for (i, value) in found.iter().enumerate() {
                let at = [i % fine.columns, i / fine.columns].map(|n| n as f64 * step);
                let exact = field(&padded, [columns as f64 + at[0], rows as f64 + at[1]]);
                assert!((value - exact).norm() < 1e-10, "{columns} x {rows}: {value} {exact}");
            }
            let coarse = grid.crop(&whole);
            for (i, value) in coarse.iter().enumerate() {
                let (x, y) = (factor * (i % columns), factor * (i / columns));
                assert!((found[y * fine.columns + x] - value).norm() < 1e-10);
            }
            // The first point is the same.
            let (a, b) = (grid.position(0), fine.position(0));
            assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-12);
        }
    }
}
