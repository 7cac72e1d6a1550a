//! DFT bins from Walsh functions, which take the values ±1 only: on a bitstream their coefficients are population counts.
//!
//! Rademacher functions are r_i(n) = 1 − 2 bit_{m−i}(n) of N = 2^m samples; Walsh functions are products of them. In natural (Hadamard) order,
//! W_h(n) = (−1)^{popcount(h & n)}. A DFT bin is a sum of Walsh coefficients; the weights are the Walsh-Hadamard transform of its complex
//! exponential over N, in closed form a product over the bits b of h: (1/N) Π_b (1 + (−1)^{h_b} e^{−jω 2^b}), ω = 2πk/N.

use num_complex::Complex64;
use std::f64::consts::TAU;

/// The index in natural order of the Walsh function with a given sequency (number of sign changes), of 2^m functions.
pub fn natural(sequency: usize, m: u32) -> usize {
    // The natural index is the bit-reversed Gray code of the sequency.
    let gray = sequency ^ (sequency >> 1);
    if m == 0 { 0 } else { gray.reverse_bits() >> (usize::BITS - m) }
}

/// The weight of Walsh coefficient h in DFT bin k of 2^m samples.
pub fn weight(h: usize, k: usize, m: u32) -> Complex64 {
    let omega = TAU * k as f64 / (1_u64 << m) as f64;
    let term = |b: u32| {
        let wave = Complex64::from_polar(1.0, -omega * (1_u64 << b) as f64);
        if h >> b & 1 == 1 { 1.0 - wave } else { 1.0 + wave }
    };
    (0..m).map(term).product::<Complex64>() / (1_u64 << m) as f64
}

/// The Walsh coefficient Σ_n W_h(n) x_n of bits, ones as +1 and zeros as −1, for one h in natural order; words hold 32 samples each.
// Inlined into the SIMD dispatch.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn coefficient(words: &[u32], h: usize) -> i32 {
    let low = pattern(h & 31, 0);
    let term = |(i, word): (usize, &u32)| {
        // Where the function is −1, the bits are inverted.
        let flipped = if (h >> 5 & i).count_ones() % 2 == 1 { !low } else { low };
        2 * (word ^ flipped).count_ones() as i32 - 32
    };
    words.iter().enumerate().map(term).sum()
}

/// All Walsh coefficients in natural order, by the fast Walsh-Hadamard transform.
pub fn coefficients(words: &[u32]) -> Vec<i32> {
    let sign = |n: usize| 2 * (words[n / 32] >> (n % 32) & 1) as i32 - 1;
    let mut values: Vec<i32> = (0..32 * words.len()).map(sign).collect();
    let mut half = 1;
    while half < values.len() {
        // Sums and differences of ±1, in place: exact in integers.
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

/// Word i of Walsh function h; bits are one where the function is −1.
pub fn pattern(h: usize, i: usize) -> u32 {
    let negative = |n: &usize| (h & (32 * i + n)).count_ones() % 2 == 1;
    (0..32_usize).filter(negative).fold(0, |bits, n| bits | 1 << n)
}

/// The number of Walsh coefficients with a weight of at least `threshold` in the amplitude of bin k of 2^m samples.
pub fn count_above(k: usize, m: u32, threshold: f64) -> usize {
    let omega = TAU * k as f64 / (1_u64 << m) as f64;
    // Magnitudes only, bit by bit of h: |1 ± e^{−jω2^b}|/2.
    let mut magnitudes = vec![2.0];
    for b in 0..m {
        let half = 0.5 * omega * (1_u64 << b) as f64;
        let (even, odd) = (half.cos().abs(), half.sin().abs());
        // A weight can only fall with each factor: branches below the threshold are cut, and the
        // list stays short.
        let longer = magnitudes.iter().flat_map(|magnitude| [magnitude * even, magnitude * odd]);
        magnitudes = longer.filter(|magnitude| *magnitude >= threshold).collect();
    }
    magnitudes.len()
}

/// Which Walsh functions a frequency takes, and how they are evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalshTerms {
    /// Which functions.
    pub which: WalshSelection,
    /// How they are evaluated.
    pub functions: WalshFunctions,
}

/// Which Walsh functions a frequency takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WalshSelection {
    /// This many, with the largest weights.
    Strongest(usize),
    /// Those with at least this weight, and always the strongest. Amplitudes are sums of coefficients (1/N) Σ W(n) x_n with weights of up to 4/π.
    Above(f64),
}

/// How Walsh functions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalshFunctions {
    /// Stored word by word.
    Precomputed,
    /// As products of Rademacher functions, each time.
    Rademacher,
}

/// The Walsh functions of a DFT bin with nonzero weights, the strongest first; scaled by 2/N, so that tones have their amplitude.
pub fn terms_of_bin(k: usize, bits: usize, which: Option<WalshSelection>) -> Vec<(usize, Complex64)> {
    let m = bits.trailing_zeros();
    // For k = odd · 2^v the factor of bit m − 1 − v is 1 ∓ 1, and those of the bits above are 1 ± 1: half of each are zero.
    let v = k.trailing_zeros();
    let functions = bits >> (v + 1)..bits >> v;
    let mut terms: Vec<(usize, Complex64)> =
        functions.map(|h| (h, 2.0 / bits as f64 * weight(h, k, m))).collect();
    terms.sort_by(|a, b| b.1.norm_sqr().total_cmp(&a.1.norm_sqr()));
    match which {
        None => {}
        Some(WalshSelection::Strongest(count)) => terms.truncate(count),
        Some(WalshSelection::Above(threshold)) => {
            // In units of the mean (1/N) Σ W x.
            let above = terms.partition_point(|(_, weight)| weight.norm() * bits as f64 >= threshold);
            // At least one function, or the frequency would have no signal.
            terms.truncate(above.max(1));
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published for 32768 samples and a threshold of 0.1: ten for powers of two, such as 91 Hz to 2.93 kHz at 1.5 MHz.
    #[test]
    fn few_coefficients_matter_in_bins_that_are_powers_of_two() {
        for v in 1..=6 {
            assert_eq!(count_above(1 << v, 15, 0.1), 10, "bin {}", 1 << v);
        }
        for k in [1, 3, 22, 100] {
            let direct = (0..1 << 10).filter(|&h| 2.0 * weight(h, k, 10).norm() >= 0.07).count();
            assert_eq!(count_above(k, 10, 0.07), direct, "bin {k}");
        }
    }

    fn value(h: usize, n: usize) -> i32 {
        1 - 2 * ((h & n).count_ones() % 2) as i32
    }

    #[test]
    fn sequencies_are_numbers_of_sign_changes() {
        for m in [3, 5] {
            for s in 0..1 << m {
                let h = natural(s, m);
                let changes = (1..1 << m).filter(|&n| value(h, n) != value(h, n - 1)).count();
                assert_eq!(changes, s, "m {m}");
            }
        }
    }

    /// W_h is a product of Rademacher functions r_i(n) = 1 − 2 bit_{m−i}(n).
    #[test]
    fn walsh_functions_are_products_of_rademacher_functions() {
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

    /// A bin k = odd · 2^v has N/2^{v+1} nonzero weights.
    #[test]
    fn bins_have_the_expected_number_of_nonzero_weights() {
        let m = 10;
        for (k, v) in [(1, 0), (7, 0), (6, 1), (20, 2), (64, 6)] {
            let needed = (0..1 << m).filter(|&h| weight(h, k, m).norm() > 1e-12).count();
            assert_eq!(needed, 1 << (m - v - 1), "bin {k}");
        }
    }

    /// All coefficients together give the DFT of the bits.
    #[test]
    fn all_coefficients_give_the_dft_of_the_bits() {
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
