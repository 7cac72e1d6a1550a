//! Simulated sources, with fields in closed form or as an integral: their field, samples and bitstreams.
//!
//! The source plane is z = 0, and the array is at the standoff z = z_h; the center of both is x = y = 0.

use crate::filter::Filter;
use crate::input::{Bits, Samples};
use crate::medium::Medium;
use crate::propagator::propagator;
use num_complex::Complex64;
use phasefront_core::decibels::power_ratio;
use phasefront_core::quadrature::gauss_legendre;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Points of the Gauss-Legendre rule over half a bending wavelength of a plate, or over the distance to it, whichever is shorter.
const POINTS: usize = 6;

/// A simulated source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SimulatedSource {
    /// A monopole, p = A e^{−jkr}/r.
    Monopole {
        /// Position, m; z is negative behind the source plane.
        position: [f64; 3],
        /// A, Pa m.
        strength: Complex64,
    },
    /// A standing bending wave of an infinite plate in the source plane, p = A cos(k_x x) cos(k_y y) e^{−j k_z z}.
    Mode {
        /// k_x and k_y, rad/m.
        wavenumbers: [f64; 2],
        /// A, Pa.
        pressure: f64,
    },
    /// A plane wave propagating away from the source plane, p = A e^{−j(k_x x + k_y y + k_z z)}.
    PlaneWave {
        /// θ from the z axis and φ around it from the x axis, rad.
        direction: [f64; 2],
        /// A, Pa.
        pressure: f64,
    },
    /// A simply supported plate in a rigid baffle in the source plane: u = U sin(mπx/a) sin(nπy/b), from a corner on.
    Plate {
        /// a and b, m.
        size: [f64; 2],
        /// m and n.
        mode: [u32; 2],
        /// U, m/s.
        velocity: f64,
    },
}

impl SimulatedSource {
    /// The pressure at a position, Pa.
    pub fn pressure(&self, [x, y, z]: [f64; 3], k: f64, medium: &Medium) -> Complex64 {
        match *self {
            Self::Monopole { position, strength } => {
                let r = (x - position[0]).hypot(y - position[1]).hypot(z - position[2]);
                strength * Complex64::from_polar(1.0 / r, -k * r)
            }
            Self::Mode { wavenumbers: [kx, ky], pressure } => {
                let wave = pressure * (kx * x).cos() * (ky * y).cos();
                // Forward propagation from the source plane: a negative distance.
                wave * propagator(k, kx.hypot(ky), -z, Filter::None)
            }
            Self::PlaneWave { direction: [theta, phi], pressure } => {
                let radial = x * phi.cos() + y * phi.sin();
                Complex64::from_polar(pressure, -k * (theta.sin() * radial + theta.cos() * z))
            }
            Self::Plate { size, mode, velocity } => {
                // Separable: the bending wave along each side times its weights.
                let rules = [0, 1].map(|i| plate_rule(size[i], mode[i], z));
                // The Rayleigh integral: p = (jρck/2π) ∫ u e^{−jkR}/R dS.
                let mut sum = Complex64::ZERO;
                for (v, dv) in &rules[1] {
                    for (u, du) in &rules[0] {
                        let r = (x - u).hypot(y - v).hypot(z);
                        sum += Complex64::from_polar(du * dv / r, -k * r);
                    }
                }
                Complex64::I * (medium.density * medium.speed * k * velocity / TAU) * sum
            }
        }
    }
}

/// Quadrature points along one side of a plate, and the bending wave there times the weights.
fn plate_rule(side: f64, half_waves: u32, height: f64) -> Vec<(f64, f64)> {
    // Close to the plate 1/R varies over the distance to it: panels no wider than that, down to a
    // fiftieth of the side.
    let panels = (f64::from(half_waves)).max((side / height.abs().max(0.02 * side)).ceil()) as usize;
    let rule = gauss_legendre(POINTS);
    let width = side / panels as f64;
    let node = |panel: usize, i: usize| {
        let along = width * (panel as f64 + 0.5 + 0.5 * rule.nodes[i]);
        let wave = (PI * f64::from(half_waves) * along / side).sin();
        (along - 0.5 * side, 0.5 * width * rule.weights[i] * wave)
    };
    (0..panels).flat_map(|panel| (0..POINTS).map(move |i| (panel, i))).map(|(p, i)| node(p, i)).collect()
}

/// The pressure of all sources at positions on the plane at height z, Pa.
pub fn field(
    sources: &[SimulatedSource],
    positions: &[[f64; 2]],
    z: f64,
    k: f64,
    medium: &Medium,
) -> Vec<Complex64> {
    let at = |[x, y]: &[f64; 2]| sources.iter().map(|s| s.pressure([*x, *y, z], k, medium)).sum();
    positions.par_iter().map(at).collect()
}

/// Gaussian noise.
pub struct Noise {
    random: ChaCha8Rng,
}

impl Noise {
    /// The same numbers for the same seed and stream.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self { random }
    }

    fn uniform(&mut self) -> f64 {
        // In (0, 1): the logarithm of zero is excluded.
        (f64::from(self.random.next_u32()) + 0.5) / 2_f64.powi(32)
    }

    /// A circular complex normal number with mean |n|² = `power` (Box-Muller).
    pub fn complex(&mut self, power: f64) -> Complex64 {
        // |n|² is exponentially distributed; the phase is uniform.
        let radius = (-power * self.uniform().ln()).sqrt();
        Complex64::from_polar(radius, TAU * self.uniform())
    }
}

/// Adds noise to phasors at a signal-to-noise ratio relative to their mean power, dB.
pub fn add_noise(phasors: &mut [Complex64], snr_db: f64, seed: u64, stream: u64) {
    let power = mean_power(phasors) * power_ratio(-snr_db);
    let mut noise = Noise::new(seed, stream);
    for p in phasors {
        *p += noise.complex(power);
    }
}

fn mean_power(phasors: &[Complex64]) -> f64 {
    phasors.iter().map(Complex64::norm_sqr).sum::<f64>() / phasors.len().max(1) as f64
}

/// The standard deviation σ of the noise of a sample, so far below a power: in a Hann-windowed spectrum of N samples it has the power 6σ²/N at each
/// bin.
pub(crate) fn noise_deviation(power: f64, snr_db: f64, samples: usize) -> f64 {
    (power * power_ratio(-snr_db) * samples as f64 / 6.0).sqrt()
}

/// Tones at every microphone.
#[derive(Debug, Clone)]
pub struct Tones {
    /// The phasors at all microphones, Pa, of each frequency, Hz.
    pub components: Vec<(f64, Vec<Complex64>)>,
    /// Constant pressure, Pa.
    pub offset: f64,
    /// Signal-to-noise ratio of the weakest tone in a Hann-windowed spectrum, dB, and the window length in samples.
    pub noise: Option<(f64, usize)>,
    /// Seed of the noise.
    pub seed: u64,
}

impl Tones {
    fn microphones(&self) -> usize {
        self.components.first().map_or(0, |(_, phasors)| phasors.len())
    }

    /// The standard deviation of the noise of a sample.
    fn deviation(&self) -> f64 {
        let Some((snr_db, samples)) = self.noise else { return 0.0 };
        // The noise is relative to the weakest tone, so that every tone has at least this ratio.
        let weakest = self.components.iter().map(|(_, p)| mean_power(p)).fold(f64::INFINITY, f64::min);
        noise_deviation(weakest, snr_db, samples)
    }

    /// Samples at all microphones.
    pub fn samples(&self, rate: f64, frames: usize) -> Samples {
        let microphones = self.microphones();
        let mut values = vec![0.0_f32; frames * microphones];
        let deviation = self.deviation();
        values.par_chunks_exact_mut(microphones.max(1)).enumerate().for_each(|(n, frame)| {
            // A random stream per frame: the same noise for any number of threads.
            let mut noise = Noise::new(self.seed, n as u64);
            let rotations: Vec<Complex64> =
                self.components.iter().map(|(f, _)| rotation(*f, rate, n)).collect();
            for (m, value) in frame.iter_mut().enumerate() {
                let tones: f64 =
                    self.components.iter().zip(&rotations).map(|((_, p), r)| (p[m] * r).re).sum();
                // The real part of a complex number of twice the power.
                let noise = if deviation > 0.0 { noise.complex(2.0 * deviation * deviation).re } else { 0.0 };
                *value = (self.offset + tones + noise) as f32;
            }
        });
        Samples { rate, microphones, values, full_scale: None }
    }

    /// Bitstreams of a second-order sigma-delta modulator at every microphone.
    pub fn bits(&self, rate: f64, words: usize, full_scale: f64) -> Bits {
        let microphones = self.microphones();
        let deviation = self.deviation();
        let of_one = |m: usize| {
            let mut noise = Noise::new(self.seed, m as u64);
            let mut modulator = Modulator::default();
            let mut waves: Vec<(Complex64, Complex64)> =
                self.components.iter().map(|(f, p)| (p[m], rotation(*f, rate, 1))).collect();
            let mut word = |w: usize| {
                let mut bits = 0_u32;
                // One noise value per word: white at the sample rate after decimation.
                let noise = if deviation > 0.0 { noise.complex(2.0 * deviation * deviation).re } else { 0.0 };
                for i in 0..32 {
                    let tones: f64 = waves.iter().map(|(p, _)| p.re).sum();
                    for (p, step) in &mut waves {
                        *p *= *step;
                    }
                    if modulator.bit((self.offset + tones + noise) / full_scale) {
                        bits |= 1 << i;
                    }
                }
                // Rotated step by step, the phasors are recomputed once a word to avoid drift.
                for ((p, _), (f, start)) in waves.iter_mut().zip(&self.components) {
                    *p = start[m] * rotation(*f, rate, 32 * (w + 1));
                }
                bits
            };
            (0..words).map(&mut word).collect::<Vec<u32>>()
        };
        let streams: Vec<Vec<u32>> = (0..microphones).into_par_iter().map(of_one).collect();
        // From streams to frames: [word][microphone].
        let words = (0..words).flat_map(|w| streams.iter().map(move |stream| stream[w])).collect();
        Bits { rate, microphones, words, full_scale }
    }
}

/// e^{jωn/rate}.
fn rotation(frequency: f64, rate: f64, n: usize) -> Complex64 {
    // Reduced to a fraction of a cycle before the sine.
    Complex64::from_polar(1.0, TAU * (frequency / rate * n as f64).fract())
}

/// A second-order sigma-delta modulator (Candy, *IEEE Trans. Commun.* 33 (1985) 249) in error-feedback form, Y = U − (1 − z⁻¹)² E: the signal passes
/// without delay, and the quantization noise E is shaped to high frequencies.
#[derive(Debug, Clone, Copy, Default)]
pub struct Modulator {
    errors: [f64; 2],
}

impl Modulator {
    /// The next bit for an input between −1 and 1.
    pub fn bit(&mut self, input: f64) -> bool {
        // Quantization errors of the last two bits, subtracted in advance.
        let value = input + 2.0 * self.errors[0] - self.errors[1];
        let bit = value >= 0.0;
        let output = if bit { 1.0 } else { -1.0 };
        self.errors = [value - output, self.errors[0]];
        bit
    }
}
