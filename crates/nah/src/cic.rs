//! From one bit at 1.5 MHz to samples at a thirty-second of that: a filter of three integrators and three combs (Hogenauer, *IEEE Trans.
//! Acoust. Speech Signal Process.* 29 (1981) 155), by counting bits.
//!
//! The response of the filter to one bit is three times a box of 32 bits, convolved: a parabola in each of three words. A sample is
//! therefore a weighted sum of the bits of the newest word, of the one before and of the one before that. Weights of a bit are whole numbers:
//! bit by bit of the weight they are counts of masked bits.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::dense::{Factor, Matrix};
use num_complex::Complex64;
use std::f64::consts::PI;

/// Bits that make a sample.
pub const DECIMATION: usize = 32;
/// What a stream of ones gives: 32³.
pub const GAIN: i32 = 32 * 32 * 32;
/// Bits of a weight, whose largest is 768.
const WEIGHT_BITS: usize = 10;

/// Weights of bit i, 0 the oldest, in the newest word, the one before, and the oldest.
const fn weight(word: usize, i: i32) -> i32 {
    match word {
        0 => 528 + (i * i - 65 * i) / 2,
        1 => -i * i + 33 * i + 496,
        _ => (i * i - i) / 2,
    }
}

/// For each word and each bit of a weight, the bits whose weight has it. Known when this is compiled, so that the sum below is one line of code
/// without a loop, and microphones lie side by side in vectors.
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

/// A sample from the newest word, the one before and the oldest, each with its oldest bit lowest; ones count +1 and zeros −1.
#[inline(always)]
pub fn sample(words: [u32; 3]) -> i32 {
    let mut ones = 0;
    for (word, masks) in words.iter().zip(MASKS) {
        for (power, mask) in masks.iter().enumerate() {
            ones += (word & mask).count_ones() << power;
        }
    }
    2 * ones as i32 - GAIN
}

/// Three integrators at the rate of the bits and three combs at that of the samples, as hardware has them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chain {
    sums: [i32; 3],
    before: [i32; 3],
}

impl Chain {
    /// The sample at the end of a word, oldest bit lowest. Integrators run over; combs undo that, whatever the number of turns.
    pub fn push(&mut self, word: u32) -> i32 {
        for i in 0..32 {
            let mut value = 2 * (word >> i & 1) as i32 - 1;
            for sum in &mut self.sums {
                *sum = sum.wrapping_add(value);
                value = *sum;
            }
        }
        let mut value = self.sums[2];
        for last in &mut self.before {
            (value, *last) = (value.wrapping_sub(*last), value);
        }
        value
    }
}

/// Taps of the filter that straightens the response, and the highest frequency at which it does, cycles a sample.
const TAPS: usize = 21;
const BAND: f64 = 0.4;
/// Weight of the squares of the taps.
const RIDGE: f64 = 1e-6;

/// Taps of a symmetric filter whose response is that of 1/droop up to 0.4 cycles a sample, by least squares.
pub fn compensation() -> Vec<f32> {
    let half = TAPS / 2;
    let unknowns = half + 1;
    // H(f) = h_0 + 2 Σ h_n cos 2πnf.
    let basis = |n: usize, f: f64| if n == 0 { 1.0 } else { 2.0 * (2.0 * PI * n as f64 * f).cos() };
    let points = 16 * unknowns;
    let at = |i: usize| BAND * (i as f64 + 0.5) / points as f64;
    let sum = |value: &dyn Fn(f64) -> f64| Complex64::new((0..points).map(|i| value(at(i))).sum(), 0.0);
    let normal =
        (0..unknowns * unknowns).map(|i| sum(&|f| basis(i / unknowns, f) * basis(i % unknowns, f))).collect();
    let mut taps: Vec<Complex64> = (0..unknowns).map(|row| sum(&|f| basis(row, f) / droop(f))).collect();
    // Waves over less than the whole band are nearly dependent: a little weight keeps the taps small.
    if let Some(factor) = Factor::new(&Matrix { columns: unknowns, values: normal }, RIDGE) {
        factor.solve(&mut taps);
    }
    (0..TAPS).map(|i| taps[i.abs_diff(half)].re as f32).collect()
}

/// How much weaker a tone of so many cycles a sample comes out than a constant: (sin πf/(D sin(πf/D)))³.
pub fn droop(cycles: f64) -> f64 {
    if cycles == 0.0 {
        return 1.0;
    }
    let wide = DECIMATION as f64;
    ((PI * cycles).sin() / (wide * (PI * cycles / wide).sin())).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits without pattern, from a linear congruence (Knuth's MMIX).
    fn words(count: usize) -> Vec<u32> {
        let mut state = 7_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    /// Three integrators at the rate of the bits, and three combs at that of the samples.
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
    fn counting_bits_is_the_filter_bit_for_bit() {
        let words = words(200);
        let filtered = integrators_and_combs(&words);
        for n in 2..words.len() {
            assert_eq!(sample([words[n], words[n - 1], words[n - 2]]), filtered[n], "{n}");
        }
    }

    #[test]
    fn the_chain_is_the_filter_too() {
        let words = words(50);
        let mut chain = Chain::default();
        let chained: Vec<i32> = words.iter().map(|word| chain.push(*word)).collect();
        assert_eq!(chained, integrators_and_combs(&words));
    }

    /// Filter and filter of bits together have a response of one within a tenth of a per cent.
    #[test]
    fn compensation_straightens_the_response() {
        let taps = compensation();
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
    fn a_constant_comes_out_whole() {
        assert_eq!([sample([u32::MAX; 3]), sample([0; 3])], [GAIN, -GAIN]);
    }

    /// The response to a tone is the sum of the weights, each with its phase.
    #[test]
    fn droop_is_what_the_weights_say() {
        for cycles in [0.01, 0.1, 0.3] {
            let (mut re, mut im) = (0.0, 0.0);
            for word in 0..3 {
                for i in 0..32 {
                    let phase = 2.0 * PI * cycles * (f64::from(i) / 32.0 - word as f64);
                    re += f64::from(weight(word, i)) * phase.cos();
                    im += f64::from(weight(word, i)) * phase.sin();
                }
            }
            let size = re.hypot(im) / f64::from(GAIN);
            assert!((size - droop(cycles)).abs() < 1e-12, "{cycles}: {size}");
        }
        assert_eq!(droop(0.0), 1.0);
    }
}
