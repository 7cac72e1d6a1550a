//! A transform to frequencies by way of Walsh functions, which are ±1 throughout: on bits they are counts.
//!
//! Rademacher's functions are r_i(n) = 1 − 2 bit_{m−i}(n) of N = 2^m samples; Walsh functions are products of them. In natural order, W_h(n)
//! = (−1)^{popcount(h & n)}. A bin of the discrete Fourier transform is a sum of Walsh coefficients with weights that are the fast
//! Walsh-Hadamard transform of its sinusoid over N, in closed form a product over the bits b of h:
//! (1/N) Π_b (1 + (−1)^{h_b} e^{−jω 2^b}), ω = 2πk/N.

use num_complex::Complex64;
use std::f64::consts::TAU;

/// The natural number of the Walsh function with so many changes of sign, of 2^m functions.
pub fn natural(sequency: usize, m: u32) -> usize {
    let gray = sequency ^ (sequency >> 1);
    if m == 0 { 0 } else { gray.reverse_bits() >> (usize::BITS - m) }
}

/// What the Walsh coefficient h counts in bin k of 2^m samples.
pub fn weight(h: usize, k: usize, m: u32) -> Complex64 {
    let omega = TAU * k as f64 / (1_u64 << m) as f64;
    let term = |b: u32| {
        let wave = Complex64::from_polar(1.0, -omega * (1_u64 << b) as f64);
        if h >> b & 1 == 1 { 1.0 - wave } else { 1.0 + wave }
    };
    (0..m).map(term).product::<Complex64>() / (1_u64 << m) as f64
}

/// The coefficients Σ_n W_h(n) x_n of bits, ones as +1 and zeros as −1, in natural order, for one h: the words hold 32 samples each.
// Inlined where wide instructions are allowed.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn coefficient(words: &[u32], h: usize) -> i32 {
    let low = pattern(h & 31, 0);
    let term = |(i, word): (usize, &u32)| {
        // Where the function is −1 bits count the other way.
        let flipped = if (h >> 5 & i).count_ones() % 2 == 1 { !low } else { low };
        2 * (word ^ flipped).count_ones() as i32 - 32
    };
    words.iter().enumerate().map(term).sum()
}

/// The coefficients of all h: a sum and a difference for each bit of h.
pub fn coefficients(words: &[u32]) -> Vec<i32> {
    let sign = |n: usize| 2 * (words[n / 32] >> (n % 32) & 1) as i32 - 1;
    let mut values: Vec<i32> = (0..32 * words.len()).map(sign).collect();
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    values
}

/// Word i of the function h: its bits are one where the function is −1.
pub fn pattern(h: usize, i: usize) -> u32 {
    let negative = |n: &usize| (h & (32 * i + n)).count_ones() % 2 == 1;
    (0..32_usize).filter(negative).fold(0, |bits, n| bits | 1 << n)
}

/// How many Walsh coefficients count in bin k of 2^m samples with a weight of at least `part`, as amplitudes take them.
pub fn needed(k: usize, m: u32, part: f64) -> usize {
    let omega = TAU * k as f64 / (1_u64 << m) as f64;
    // Sizes alone, one bit of h after the other: |1 ± e^{−jω2^b}|/2.
    let mut sizes = vec![2.0];
    for b in 0..m {
        let half = 0.5 * omega * (1_u64 << b) as f64;
        let (even, odd) = (half.cos().abs(), half.sin().abs());
        sizes =
            sizes.iter().flat_map(|size| [size * even, size * odd]).filter(|size| *size >= part).collect();
    }
    sizes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published for 32768 samples and a weight of 0.1: ten for powers of two, such as 91 Hz to 2.93 kHz at 1.5 MHz.
    #[test]
    fn few_coefficients_count_in_bins_that_are_powers_of_two() {
        for v in 1..=6 {
            assert_eq!(needed(1 << v, 15, 0.1), 10, "bin {}", 1 << v);
        }
        for k in [1, 3, 22, 100] {
            let direct = (0..1 << 10).filter(|&h| 2.0 * weight(h, k, 10).norm() >= 0.07).count();
            assert_eq!(needed(k, 10, 0.07), direct, "bin {k}");
        }
    }

    fn value(h: usize, n: usize) -> i32 {
        1 - 2 * ((h & n).count_ones() % 2) as i32
    }

    #[test]
    fn sequencies_count_changes_of_sign() {
        for m in [3, 5] {
            for s in 0..1 << m {
                let h = natural(s, m);
                let changes = (1..1 << m).filter(|&n| value(h, n) != value(h, n - 1)).count();
                assert_eq!(changes, s, "m {m}");
            }
        }
    }

    /// W_h is a product of Rademacher's functions r_i(n) = 1 − 2 bit_{m−i}(n).
    #[test]
    fn walsh_functions_are_products_of_rademacher_s() {
        let m = 4;
        let rademacher = |i: usize, n: usize| 1 - 2 * (n >> (m - i) & 1) as i32;
        for h in 0..16_usize {
            for n in 0..16 {
                let product: i32 =
                    (1..=m).filter(|i| h >> (m - i) & 1 == 1).map(|i| rademacher(i, n)).product();
                assert_eq!(product, value(h, n));
            }
        }
    }

    /// The published matrix for eight samples: amplitudes of cosines and sines from coefficients A(s) = (1/N) Σ W_s(n) x_n by sequency.
    #[test]
    fn weights_of_eight_samples_are_the_published_ones() {
        let row = |k: usize, sine: bool| -> Vec<f64> {
            let scale = if k == 4 { 1.0 } else { 2.0 };
            let part = |w: Complex64| if sine { -w.im } else { w.re };
            (0..8).map(|s| scale * part(weight(natural(s, 3), k, 3))).collect()
        };
        for (k, sine, expected) in [
            (0, false, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (1, true, [0.0, 1.2071, -0.5, 0.0, 0.0, -0.5, -0.2071, 0.0]),
            (1, false, [0.0, 0.5, 1.2071, 0.0, 0.0, -0.2071, 0.5, 0.0]),
            (2, true, [0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0]),
            (2, false, [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
            (3, true, [0.0, 0.2071, 0.5, 0.0, 0.0, 0.5, -1.2071, 0.0]),
            (3, false, [0.0, 0.5, -0.2071, 0.0, 0.0, 1.2071, 0.5, 0.0]),
            (4, false, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        ] {
            let found = row(k, sine);
            let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4, "bin {k}, sine {sine}: {found:?}");
        }
    }

    /// A bin k = odd 2^v needs N/2^{v+1} of the N coefficients.
    #[test]
    fn bins_need_as_many_coefficients_as_they_should() {
        let m = 10;
        for (k, v) in [(1, 0), (7, 0), (6, 1), (20, 2), (64, 6)] {
            let needed = (0..1 << m).filter(|&h| weight(h, k, m).norm() > 1e-12).count();
            assert_eq!(needed, 1 << (m - v - 1), "bin {k}");
        }
    }

    /// All coefficients together are the discrete Fourier transform of the bits.
    #[test]
    fn all_coefficients_are_the_fourier_transform_of_the_bits() {
        let words: Vec<u32> = (0..32_u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(i)).collect();
        let x = |n: usize| if words[n / 32] >> (n % 32) & 1 == 1 { 1.0 } else { -1.0 };
        for k in [0, 1, 12, 100, 511] {
            let wave = |n: usize| x(n) * Complex64::from_polar(1.0, -TAU * (k * n % 1024) as f64 / 1024.0);
            let direct: Complex64 = (0..1024).map(wave).sum();
            let term = |h: usize| f64::from(coefficient(&words, h)) * weight(h, k, 10);
            let by_walsh: Complex64 = (0..1024).map(term).sum();
            assert!((0..1024).all(|h| coefficients(&words)[h] == coefficient(&words, h)));
            assert!((direct - by_walsh).norm() < 1e-9, "bin {k}: {direct} {by_walsh}");
        }
    }
}
