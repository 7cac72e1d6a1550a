//! From the pressure on the array to the field on another plane.

use crate::extrapolate::Extrapolation;
use crate::filter::Filter;
use crate::grid::Grid;
use crate::scalar::Scalar;
use crate::window::fade_out;
use num_complex::Complex64;
use rustfft::Fft;
use std::f64::consts::TAU;
use std::sync::Arc;

/// What sound travels in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medium {
    /// Speed of sound, m/s.
    pub speed: f64,
    /// Density, kg/m³.
    pub density: f64,
}

impl Medium {
    /// Air of 20 °C at sea level.
    pub const AIR: Self = Self { speed: 343.2, density: 1.204 };

    /// k of a frequency, rad/m.
    pub fn wave_number(&self, frequency: f64) -> f64 {
        TAU * frequency / self.speed
    }

    /// Velocity along z over pressure of a wave, u = k_z p/(ρ c k) (Euler's equation).
    pub fn admittance(&self, k: f64, kr: f64) -> Complex64 {
        kz(k, kr) / (self.density * self.speed * k)
    }
}

/// The pressure on an array at one frequency, carried on beyond its rim, in k-space.
pub struct KSpace {
    grid: Grid,
    k: f64,
    spectrum: Vec<Complex64>,
    /// k_r of each wave.
    kr: Vec<f64>,
    back: Transform,
}

impl KSpace {
    /// Of the pressure at the microphones, row by row; k is that of the medium.
    pub fn new(grid: Grid, pressure: &[Complex64], beyond: Extrapolation, k: f64) -> Self {
        let mut field = beyond.widen(&grid, pressure);
        fade_out(&grid, &mut field);
        Self::of_whole(grid, field, k)
    }

    /// Of a field that is known on the whole of the widened grid.
    pub fn of_whole(grid: Grid, field: Vec<Complex64>, k: f64) -> Self {
        let (wide, mut spectrum) = (grid.widened(), field);
        Transform::new(&wide, f64::forward).run(&mut spectrum);
        let back = Transform::new(&wide, f64::back);
        let kr = (0..wide.len()).map(|i| {
            let kx = wave(i % wide.columns, wide.columns, grid.pitch[0]);
            kx.hypot(wave(i / wide.columns, wide.rows, grid.pitch[1]))
        });
        Self { grid, k, spectrum, kr: kr.collect(), back }
    }

    /// The array.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// k of the medium, rad/m.
    pub fn wave_number(&self) -> f64 {
        self.k
    }

    /// k_r of all waves, rad/m.
    pub fn radii(&self) -> &[f64] {
        &self.kr
    }

    /// All waves, row by row of k_y, each from zero up and then from the most negative up to zero.
    pub fn spectrum(&self) -> &[Complex64] {
        &self.spectrum
    }

    /// The pressure on the plane that is nearer to the source by `distance`, or farther where that is negative, above the array.
    pub fn pressure(&self, distance: f64, filter: Filter) -> Vec<Complex64> {
        self.on_array(|kr| self.gain(kr, distance, filter))
    }

    /// What a wave is multiplied by on its way to that plane.
    pub fn gain(&self, kr: f64, distance: f64, filter: Filter) -> Complex64 {
        gain(self.k, kr, distance, filter)
    }

    /// The velocity across that plane, away from the source: u = k_z p/(ρ c k) (Euler's equation).
    pub fn velocity(&self, distance: f64, filter: Filter, medium: Medium) -> Vec<Complex64> {
        self.on_array(|kr| self.gain(kr, distance, filter) * medium.admittance(self.k, kr))
    }

    /// The field on the array, of waves multiplied by a number for each k_r.
    pub(crate) fn on_array(&self, factor: impl Fn(f64) -> Complex64) -> Vec<Complex64> {
        self.grid.crop(&self.everywhere(factor))
    }

    /// The same on the whole of the widened grid.
    fn everywhere(&self, factor: impl Fn(f64) -> Complex64) -> Vec<Complex64> {
        let scale = 1.0 / self.spectrum.len() as f64;
        let mut field: Vec<Complex64> =
            self.spectrum.iter().zip(&self.kr).map(|(p, kr)| scale * factor(*kr) * p).collect();
        self.back.run(&mut field);
        field
    }
}

/// k_z: what dies out on its way is below the axis.
pub(crate) fn kz(k: f64, kr: f64) -> Complex64 {
    let square = k * k - kr * kr;
    if square >= 0.0 { Complex64::new(square.sqrt(), 0.0) } else { Complex64::new(0.0, -(-square).sqrt()) }
}

/// What a wave is multiplied by on its way to the plane that is nearer to the source by `distance`: F e^{+j k_z z}.
pub fn gain(k: f64, kr: f64, distance: f64, filter: Filter) -> Complex64 {
    filter.at(kr, k, distance) * (Complex64::I * kz(k, kr) * distance).exp()
}

/// k of the i-th of so many waves.
pub(crate) fn wave(i: usize, count: usize, pitch: f64) -> f64 {
    let turns = if 2 * i < count { i as f64 } else { i as f64 - count as f64 };
    TAU * turns / (count as f64 * pitch)
}

/// A transform in two dimensions.
pub(crate) struct Transform {
    across: Arc<dyn Fft<f64>>,
    down: Arc<dyn Fft<f64>>,
}

impl Transform {
    pub(crate) fn new(grid: &Grid, plan: fn(usize) -> Arc<dyn Fft<f64>>) -> Self {
        Self { across: plan(grid.columns), down: plan(grid.rows) }
    }

    pub(crate) fn run(&self, field: &mut [Complex64]) {
        let columns = self.across.len();
        self.across.process(field);
        for x in 0..columns {
            let mut column: Vec<Complex64> = field.iter().skip(x).step_by(columns).copied().collect();
            self.down.process(&mut column);
            for (value, new) in field.iter_mut().skip(x).step_by(columns).zip(column) {
                *value = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave that fits into the widened grid, without extrapolation and window: `spectrum` of it alone.
    fn single(grid: Grid, k: f64, at: [usize; 2]) -> (KSpace, [f64; 2]) {
        let wide = grid.widened();
        let mut space = KSpace::new(grid, &vec![Complex64::ZERO; grid.len()], Extrapolation::Zero, k);
        space.spectrum[at[1] * wide.columns + at[0]] = Complex64::new(wide.len() as f64, 0.0);
        let waves = [wave(at[0], wide.columns, grid.pitch[0]), wave(at[1], wide.rows, grid.pitch[1])];
        (space, waves)
    }

    const GRID: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };

    /// What dies out grows by e^{√(k_r² − k²) z}; what travels keeps its size and turns by +k_z z.
    #[test]
    fn single_waves_come_back_with_the_right_size_and_phase() {
        let (k, distance) = (40.0_f64, 0.05);
        for at in [[5, 3], [1, 94], [2, 90], [20, 80]] {
            let (space, [kx, ky]) = single(GRID, k, at);
            let kr = kx.hypot(ky);
            let gain = if kr > k {
                Complex64::new(((kr * kr - k * k).sqrt() * distance).exp(), 0.0)
            } else {
                Complex64::from_polar(1.0, (k * k - kr * kr).sqrt() * distance)
            };
            let (before, after) = (space.pressure(0.0, Filter::None), space.pressure(distance, Filter::None));
            for (p, q) in before.iter().zip(after) {
                assert!((p.norm() - 1.0).abs() < 1e-12);
                assert!((q - gain * p).norm() < 1e-12 * gain.norm(), "{at:?}: {} {gain}", q / p);
            }
        }
    }

    /// A traveling wave straight on carries p²/(2ρc).
    #[test]
    fn the_velocity_of_a_wave_straight_on_is_its_pressure_over_rho_c() {
        let (space, _) = single(GRID, 40.0, [0, 0]);
        let medium = Medium::AIR;
        let (p, u) = (space.pressure(0.05, Filter::None), space.velocity(0.05, Filter::None, medium));
        for (p, u) in p.iter().zip(u) {
            assert!((u * medium.density * medium.speed - p).norm() < 1e-12);
        }
    }

    /// The other half of the waves of a real field in time would turn the other way: phasors are those of e^{+jωt}, as the transform
    /// Σ x_n e^{−jωn} gives them. A wave that goes away from the source is earlier on the plane nearer to it.
    #[test]
    fn waves_are_earlier_nearer_to_the_source() {
        let (k, distance, samples) = (40.0_f64, 0.05, 64);
        // cos(ωt − kz) at the array, z = 0, and on the plane at z = −distance.
        let phasor = |z: f64| -> Complex64 {
            let at = |n: usize| (TAU * 4.0 * n as f64 / samples as f64 - k * z).cos();
            let term = |n: usize| at(n) * Complex64::from_polar(1.0, -TAU * 4.0 * n as f64 / samples as f64);
            2.0 / samples as f64 * (0..samples).map(term).sum::<Complex64>()
        };
        let (space, _) = single(GRID, k, [0, 0]);
        let turned = space.pressure(distance, Filter::None)[0] / space.pressure(0.0, Filter::None)[0];
        assert!((turned - phasor(-distance) / phasor(0.0)).norm() < 1e-12, "{turned}");
    }

    /// Away from the source and back again is where the field was.
    #[test]
    fn forward_and_backward_cancel() {
        let noise = |i: usize| {
            let state = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let part = |bits: u64| (bits & 0xFFFF) as f64 / 65_536.0 - 0.5;
            Complex64::new(part(state >> 40), part(state >> 20))
        };
        let field: Vec<Complex64> = (0..9 * GRID.len()).map(noise).collect();
        let there = KSpace::of_whole(GRID, field.clone(), 40.0);
        let away = there.everywhere(|kr| there.gain(kr, -0.05, Filter::None));
        let here = KSpace::of_whole(GRID, away, 40.0);
        let back = here.everywhere(|kr| here.gain(kr, 0.05, Filter::None));
        for (a, b) in back.iter().zip(&field) {
            assert!((a - b).norm() < 1e-10, "{a} {b}");
        }
    }
}
