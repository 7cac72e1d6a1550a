//! Closed-form sources, written from textbooks (Balanis, Antenna Theory), and grids for them.

use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_pattern::{Pattern, Powers};
use std::f64::consts::PI;

pub const FREQUENCY: f64 = 10e9;

/// θ from 0 to π and φ over the circle, closed or not, in these numbers of steps.
pub fn sphere(thetas: usize, phis: usize, closed: bool) -> (Vec<f64>, Vec<f64>) {
    let theta = (0..=thetas).map(|i| PI * i as f64 / thetas as f64).collect();
    let phi = (0..phis + usize::from(closed)).map(|j| 2.0 * PI * j as f64 / phis as f64).collect();
    (theta, phi)
}

/// A pattern of [E_θ, E_φ] given as a function of θ and φ.
pub fn pattern((theta, phi): (Vec<f64>, Vec<f64>), field: impl Fn(f64, f64) -> [Complex64; 2]) -> Pattern {
    let fields =
        theta.iter().flat_map(|&t| phi.iter().map(move |&p| (t, p))).map(|(t, p)| field(t, p)).collect();
    Pattern::new(FREQUENCY, theta, phi, fields, Powers::default()).unwrap()
}

/// Hertzian dipole of a complex moment: E = −r̂ × (r̂ × p), up to a constant.
pub fn dipole(moment: [Complex64; 3]) -> impl Fn(f64, f64) -> [Complex64; 2] {
    move |t, p| {
        let [x, y, z] = moment;
        [(x * p.cos() + y * p.sin()) * t.cos() - z * t.sin(), y * p.cos() - x * p.sin()]
    }
}

/// Dipole along z, E_θ = sin θ.
pub fn hertzian() -> impl Fn(f64, f64) -> [Complex64; 2] {
    dipole([Complex64::ZERO, Complex64::ZERO, -Complex64::ONE])
}

/// Huygens source, polarized along x: E = (1 + cos θ)/2 e_co.
pub fn huygens(t: f64, p: f64) -> [Complex64; 2] {
    let a = 0.5 * (1.0 + t.cos());
    [(a * p.cos()).into(), (-a * p.sin()).into()]
}

/// A source moved to a point: phase e^{+jk r̂·c}.
pub fn moved(
    field: impl Fn(f64, f64) -> [Complex64; 2],
    [x, y, z]: [f64; 3],
) -> impl Fn(f64, f64) -> [Complex64; 2] {
    move |t, p| {
        let path = t.sin() * (x * p.cos() + y * p.sin()) + z * t.cos();
        let phase = Complex64::cis(wavenumber(FREQUENCY) * path);
        field(t, p).map(|component| component * phase)
    }
}
