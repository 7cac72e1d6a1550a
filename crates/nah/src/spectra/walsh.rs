//! Spectra of the last N bits by way of Walsh functions.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use super::history::History;
use crate::scalar::Scalar;
use crate::walsh::{coefficient, coefficients, pattern, weight};
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{Arch, vectorize};

/// Which Walsh functions a frequency takes, and where they come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Which ones.
    pub which: Which,
    /// Where they come from.
    pub functions: Functions,
}

/// Which Walsh functions a frequency takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Which {
    /// So many with the largest weights.
    Strongest(usize),
    /// Those with weights of at least this, and always the strongest. Amplitudes are sums of coefficients (1/N) Σ W(n) x_n with weights of up to 4/π.
    Above(f64),
}

/// Where Walsh functions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Functions {
    /// Written out once, word by word.
    Precomputed,
    /// Made from Rademacher's functions each time.
    Rademacher,
}

/// The last words of every microphone, and what is made of them.
pub struct Walsh {
    /// Whether all functions are taken.
    all: bool,
    /// As many words as a window has samples.
    history: History<u32>,
    /// Of each bin, numbers of functions with their weights; scaled so that tones come out with their amplitude.
    bins: Vec<Vec<(usize, Complex64)>>,
    /// Of each bin and function, its words.
    written: Option<Vec<Vec<Vec<u32>>>>,
    arch: Arch,
}

impl Walsh {
    /// All functions if no terms are given. `samples` is a power of two.
    pub fn new(microphones: usize, samples: usize, bins: &[usize], terms: Option<Terms>) -> Self {
        let bits = 32 * samples;
        let of_bin = |k: &usize| terms_of_bin(*k, bits, terms.map(|terms| terms.which));
        let bins: Vec<Vec<(usize, Complex64)>> = bins.iter().map(of_bin).collect();
        let write = |terms: &Vec<(usize, Complex64)>| {
            terms.iter().map(|(h, _)| (0..samples).map(|i| pattern(*h, i)).collect()).collect()
        };
        let precomputed = terms.is_some_and(|terms| terms.functions == Functions::Precomputed);
        let written = precomputed.then(|| bins.iter().map(write).collect());
        let (all, history) = (terms.is_none(), History::new(microphones, samples));
        Self { all, history, bins, written, arch: Arch::new() }
    }

    pub fn push(&mut self, words: &[u32]) {
        self.history.push(words);
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra<T: Scalar>(&self, phasors: &mut [Complex<T>]) {
        self.history.spectra(phasors, |words, _: &mut Vec<()>| self.of_one(words));
    }

    fn of_one(&self, line: &[u32]) -> Vec<Complex64> {
        if self.all {
            let coefficients = coefficients(line);
            let term = |(h, weight): &(usize, Complex64)| f64::from(coefficients[*h]) * weight;
            return self.bins.iter().map(|terms| terms.iter().map(term).sum()).collect();
        }
        let of_bin = |(b, terms): (usize, &Vec<(usize, Complex64)>)| -> Complex64 {
            let value = |i: usize, h: usize| match &self.written {
                Some(written) => {
                    let differ = vectorize(
                        self.arch,
                        #[inline(always)]
                        || differing(line, &written[b][i]),
                    );
                    2 * differ as i32 - 32 * self.history.samples as i32
                }
                None => vectorize(
                    self.arch,
                    #[inline(always)]
                    || coefficient(line, h),
                ),
            };
            terms.iter().enumerate().map(|(i, (h, weight))| f64::from(value(i, *h)) * weight).sum()
        };
        self.bins.iter().enumerate().map(of_bin).collect()
    }
}

/// Bits that differ.
#[inline(always)]
fn differing(words: &[u32], others: &[u32]) -> u32 {
    words.iter().zip(others).map(|(word, other)| (word ^ other).count_ones()).sum()
}

/// Functions of a bin with weights that are not zero, the strongest first; scaled by 2/N.
pub fn terms_of_bin(k: usize, bits: usize, which: Option<Which>) -> Vec<(usize, Complex64)> {
    let m = bits.trailing_zeros();
    // For k = odd · 2^v the term of bit m − 1 − v is 1 ∓ 1, and those of the bits above are 1 ± 1: one half of each is zero.
    let v = k.trailing_zeros();
    let functions = bits >> (v + 1)..bits >> v;
    let mut terms: Vec<(usize, Complex64)> =
        functions.map(|h| (h, 2.0 / bits as f64 * weight(h, k, m))).collect();
    terms.sort_by(|a, b| b.1.norm_sqr().total_cmp(&a.1.norm_sqr()));
    match which {
        None => {}
        Some(Which::Strongest(count)) => terms.truncate(count),
        Some(Which::Above(part)) => {
            let above = terms.partition_point(|(_, weight)| weight.norm() * bits as f64 >= part);
            terms.truncate(above.max(1));
        }
    }
    terms
}
