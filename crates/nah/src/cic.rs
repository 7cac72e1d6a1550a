//! From one bit at 1.5 MHz to samples at a thirty-second of that: a filter of three integrators and three combs (Hogenauer, *IEEE Trans.
//! Acoust. Speech Signal Process.* 29 (1981) 155), by counting bits.
//!
//! The response of the filter to one bit is three times a box of 32 bits, convolved: a parabola in each of three words. A sample is
//! therefore a weighted sum of the bits of the newest word, of the one before and of the one before that. Weights of a bit are whole numbers:
//! bit by bit of the weight they are counts of masked bits.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Bits that make a sample.
pub const DECIMATION: usize = 32;
/// What a stream of ones gives: 32³.
pub const GAIN: i32 = 32 * 32 * 32;
/// Bits of a weight, whose largest is 768.
const WEIGHT_BITS: usize = 10;

/// Weights of bit i, 0 the oldest, in the newest word, the one before, and the oldest.
fn weight(word: usize, i: i32) -> i32 {
    match word {
        0 => 528 + (i * i - 65 * i) / 2,
        1 => -i * i + 33 * i + 496,
        _ => (i * i - i) / 2,
    }
}

/// For each word and each bit of a weight, the bits whose weight has it.
static MASKS: LazyLock<[[u32; WEIGHT_BITS]; 3]> = LazyLock::new(|| {
    std::array::from_fn(|word| {
        std::array::from_fn(|power| {
            (0..32).filter(|&i| weight(word, i) >> power & 1 == 1).fold(0, |mask, i| mask | 1 << i)
        })
    })
});

/// A sample from the newest word, the one before and the oldest, each with its oldest bit lowest; ones count +1 and zeros −1.
pub fn sample(words: [u32; 3]) -> i32 {
    let ones: u32 = words
        .iter()
        .zip(MASKS.iter())
        .flat_map(|(word, masks)| {
            masks.iter().enumerate().map(move |(i, mask)| (word & mask).count_ones() << i)
        })
        .sum();
    2 * ones as i32 - GAIN
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
