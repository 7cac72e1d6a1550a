//! The CIC decimation filter, from a sigma-delta bitstream to samples at 1/32 of its rate: three integrators and three combs (Hogenauer,
//! *IEEE Trans. Acoust. Speech Signal Process.* 29 (1981) 155), also by population counts.
//!
//! The impulse response is the threefold convolution of a boxcar of 32 bits, a parabola in each of three words. A sample is therefore a
//! weighted sum of the bits of the newest word and the two before it. The weights are integers, so that each binary digit of the weights
//! contributes a population count of masked bits.

// Inlined into the SIMD dispatch, so that it is compiled for the instruction set found at run time.
#![allow(clippy::inline_always)]

use crate::dense::{Factor, Matrix};
use num_complex::Complex64;
use std::f64::consts::PI;

/// Decimation factor: bits for each sample.
pub const DECIMATION: usize = 32;
/// The DC gain, 32³: the output for a stream of ones.
pub const DC_GAIN: i32 = 32 * 32 * 32;
/// Binary digits of a weight; the largest is 768.
const WEIGHT_BITS: usize = 10;

/// The impulse response at bit i, 0 the oldest, of the newest word, the one before, and the oldest.
const fn weight(word: usize, i: i32) -> i32 {
    match word {
        0 => 528 + (i * i - 65 * i) / 2,
        1 => -i * i + 33 * i + 496,
        _ => (i * i - i) / 2,
    }
}

/// For each word and each binary digit of the weights, a mask of the bits whose weight has it. Constants let the compiler unroll the sum below
/// and vectorize it over microphones.
const MASKS: [[u32; WEIGHT_BITS]; 3] = {
    let mut masks = [[0; WEIGHT_BITS]; 3];
    let mut at = 0;
    while at < 3 * WEIGHT_BITS * 32 {
        let (word, power, i) = (at / (WEIGHT_BITS * 32), at / 32 % WEIGHT_BITS, at % 32);
        masks[word][power] |= ((weight(word, i as i32) >> power & 1) as u32) << i;
        at += 1;
    }
    masks
};

/// A sample from the newest word, the one before and the oldest, each with its oldest bit least significant; ones are +1 and zeros −1.
///
/// ```
/// # use phasefront_nah::cic::{DC_GAIN, decimate};
/// assert_eq!([decimate([u32::MAX; 3]), decimate([0; 3])], [DC_GAIN, -DC_GAIN]);
/// // A third-order filter has a triple zero at half the bit rate: alternating bits vanish.
/// assert_eq!(decimate([0x5555_5555; 3]), 0);
/// ```
#[inline(always)]
pub fn decimate(words: [u32; 3]) -> i32 {
    let mut ones = 0;
    for (word, masks) in words.iter().zip(MASKS) {
        for (power, mask) in masks.iter().enumerate() {
            // Shifting by the digit weights the count: ten population counts replace 32
            // multiplications per word.
            ones += (word & mask).count_ones() << power;
        }
    }
    // Ones count +1 and zeros −1: twice the weighted ones minus the total weight.
    2 * ones as i32 - DC_GAIN
}

/// Three integrators at the bit rate and three combs at the sample rate, as in hardware.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decimator {
    integrators: [i32; 3],
    combs: [i32; 3],
}

impl Decimator {
    /// The sample at the end of a word, oldest bit least significant. The integrators overflow; modulo 2³² the combs undo it.
    pub fn push(&mut self, word: u32) -> i32 {
        for i in 0..32 {
            let mut value = 2 * (word >> i & 1) as i32 - 1;
            for sum in &mut self.integrators {
                *sum = sum.wrapping_add(value);
                value = *sum;
            }
        }
        let mut value = self.integrators[2];
        // Difference of consecutive samples, three times.
        for last in &mut self.combs {
            (value, *last) = (value.wrapping_sub(*last), value);
        }
        value
    }
}

/// Taps of the FIR filter that compensates the droop, and the upper edge of its passband, cycles per sample.
pub const COMPENSATION_TAPS: usize = 21;
const BAND: f64 = 0.4;
/// Tikhonov weight of the least-squares design.
const RIDGE: f64 = 1e-6;

/// The taps of a linear-phase FIR filter with the response 1/droop up to 0.4 cycles per sample, by least squares.
pub fn compensation_taps() -> Vec<f32> {
    let half = COMPENSATION_TAPS / 2;
    let unknowns = half + 1;
    // H(f) = h_0 + 2 Σ h_n cos 2πnf.
    // Symmetric taps: linear phase, and half the unknowns.
    let basis = |n: usize, f: f64| if n == 0 { 1.0 } else { 2.0 * (2.0 * PI * n as f64 * f).cos() };
    let points = 16 * unknowns;
    let at = |i: usize| BAND * (i as f64 + 0.5) / points as f64;
    // Least squares over a fine grid of the passband; beyond it the response is free.
    let sum = |value: &dyn Fn(f64) -> f64| Complex64::new((0..points).map(|i| value(at(i))).sum(), 0.0);
    let normal =
        (0..unknowns * unknowns).map(|i| sum(&|f| basis(i / unknowns, f) * basis(i % unknowns, f))).collect();
    let mut taps: Vec<Complex64> = (0..unknowns).map(|row| sum(&|f| basis(row, f) / droop(f))).collect();
    // Cosines over part of the band are nearly dependent: a small weight keeps the taps small.
    if let Some(factor) = Factor::new(&Matrix { columns: unknowns, values: normal }, RIDGE) {
        factor.solve(&mut taps);
    }
    (0..COMPENSATION_TAPS).map(|i| taps[i.abs_diff(half)].re as f32).collect()
}

/// The passband droop of the CIC filter at f cycles per sample, relative to DC: (sin πf/(D sin(πf/D)))³.
pub fn droop(cycles: f64) -> f64 {
    // sin x/x at zero.
    if cycles == 0.0 {
        return 1.0;
    }
    let d = DECIMATION as f64;
    ((PI * cycles).sin() / (d * (PI * cycles / d).sin())).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom bits by a linear congruential generator (Knuth's MMIX).
    fn words(count: usize) -> Vec<u32> {
        let mut state = 7_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    /// Integrators and combs by definition.
    fn integrators_and_combs(words: &[u32]) -> Vec<i32> {
        let (mut sums, mut before) = ([0_i32; 3], [0_i32; 3]);
        let mut samples = Vec::new();
        for word in words {
            for i in 0..32 {
                let mut value = if word >> i & 1 == 1 { 1 } else { -1 };
                for sum in &mut sums {
                    *sum = sum.wrapping_add(value);
                    value = *sum;
                }
            }
            let mut value = sums[2];
            for last in &mut before {
                (value, *last) = (value.wrapping_sub(*last), value);
            }
            samples.push(value);
        }
        samples
    }

    #[test]
    fn population_counts_equal_integrators_and_combs() {
        let words = words(200);
        let filtered = integrators_and_combs(&words);
        for n in 2..words.len() {
            assert_eq!(decimate([words[n], words[n - 1], words[n - 2]]), filtered[n], "{n}");
        }
    }

    #[test]
    fn the_decimator_equals_integrators_and_combs() {
        let words = words(50);
        let mut decimator = Decimator::default();
        let samples: Vec<i32> = words.iter().map(|word| decimator.push(*word)).collect();
        assert_eq!(samples, integrators_and_combs(&words));
    }

    /// CIC and FIR filter together are flat to 0.1 % over the passband.
    #[test]
    fn compensation_flattens_the_response() {
        let taps = compensation_taps();
        for i in 0..=40 {
            let f = 0.01 * f64::from(i);
            let response: f64 = taps
                .iter()
                .enumerate()
                .map(|(n, tap)| f64::from(*tap) * (2.0 * PI * f * (n as f64 - 10.0)).cos())
                .sum();
            assert!((response * droop(f) - 1.0).abs() < 1e-3, "{f}: {}", response * droop(f));
        }
    }

    #[test]
    fn a_constant_has_the_dc_gain() {
        assert_eq!([decimate([u32::MAX; 3]), decimate([0; 3])], [DC_GAIN, -DC_GAIN]);
    }

    /// The frequency response is the Fourier transform of the impulse response.
    #[test]
    fn droop_is_the_transform_of_the_impulse_response() {
        for cycles in [0.01, 0.1, 0.3] {
            let (mut re, mut im) = (0.0, 0.0);
            for word in 0..3 {
                for i in 0..32 {
                    let phase = 2.0 * PI * cycles * (f64::from(i) / 32.0 - word as f64);
                    re += f64::from(weight(word, i)) * phase.cos();
                    im += f64::from(weight(word, i)) * phase.sin();
                }
            }
            let magnitude = re.hypot(im) / f64::from(DC_GAIN);
            assert!((magnitude - droop(cycles)).abs() < 1e-12, "{cycles}: {magnitude}");
        }
        assert_eq!(droop(0.0), 1.0);
    }
}
