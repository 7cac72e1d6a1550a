//! The acoustic medium, and the dispersion relation of plane waves in it.

use num_complex::Complex64;
use std::f64::consts::TAU;

/// The medium that the sound propagates in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medium {
    /// Speed of sound, m/s.
    pub speed: f64,
    /// Density, kg/m³.
    pub density: f64,
}

impl Medium {
    /// Air at 20 °C and sea level.
    pub const AIR: Self = Self { speed: 343.2, density: 1.204 };

    /// The acoustic wavenumber k = ω/c at a frequency, rad/m.
    pub fn wavenumber(&self, frequency: f64) -> f64 {
        TAU * frequency / self.speed
    }

    /// The normal particle velocity over the pressure of a plane wave, u_z/p = k_z/(ρ c k) (Euler's equation).
    pub fn admittance(&self, k: f64, kr: f64) -> Complex64 {
        kz(k, kr) / (self.density * self.speed * k)
    }
}

/// The normal wavenumber: k_z = √(k² − k_r²) of propagating waves, inside the radiation circle k_r = k, and −j√(k_r² − k²) of
/// evanescent waves outside, which decay as e^{−j k_z z} away from the source.
pub fn kz(k: f64, kr: f64) -> Complex64 {
    let square = k * k - kr * kr;
    // The negative root of evanescent waves: e^{−j k_z z} then decays for growing z.
    if square >= 0.0 { Complex64::new(square.sqrt(), 0.0) } else { Complex64::new(0.0, -(-square).sqrt()) }
}

/// The wavenumber of DFT bin i of `count`, rad/m; the upper half of the bins is negative.
pub fn wavenumber_of_bin(i: usize, count: usize, pitch: f64) -> f64 {
    // The Nyquist bin of an even count is negative by convention.
    let cycles = if 2 * i < count { i as f64 } else { i as f64 - count as f64 };
    TAU * cycles / (count as f64 * pitch)
}
