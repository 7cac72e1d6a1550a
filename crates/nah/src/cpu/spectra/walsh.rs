//! Phasors of the last bits by Walsh functions.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use super::ring_buffer::RingBuffer;
use crate::scalar::Scalar;
use crate::walsh::{WalshFunctions, WalshTerms, coefficient, coefficients, pattern, terms_of_bin};
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{Arch, vectorize};

/// The last words of every microphone, and their Walsh functions.
pub struct WalshTransform {
    /// Whether all functions are used.
    all: bool,
    /// As many words as the window has samples.
    words: RingBuffer<u32>,
    /// Functions of each bin with their weights.
    bins: Vec<Vec<(usize, Complex64)>>,
    /// Words of the functions of each bin.
    precomputed: Option<Vec<Vec<Vec<u32>>>>,
    arch: Arch,
}

impl WalshTransform {
    /// Without terms, all functions. `samples` is a power of two.
    pub fn new(microphones: usize, samples: usize, bins: &[usize], terms: Option<WalshTerms>) -> Self {
        let bits = 32 * samples;
        let of_bin = |k: &usize| terms_of_bin(*k, bits, terms.map(|terms| terms.which));
        let bins: Vec<Vec<(usize, Complex64)>> = bins.iter().map(of_bin).collect();
        let words = |terms: &Vec<(usize, Complex64)>| {
            terms.iter().map(|(h, _)| (0..samples).map(|i| pattern(*h, i)).collect()).collect()
        };
        let is_precomputed = terms.is_some_and(|terms| terms.functions == WalshFunctions::Precomputed);
        let precomputed = is_precomputed.then(|| bins.iter().map(words).collect());
        let words = RingBuffer::new(microphones, samples);
        Self { all: terms.is_none(), words, bins, precomputed, arch: Arch::new() }
    }

    /// Appends frames of words.
    pub fn push(&mut self, words: &[u32]) {
        self.words.push(words);
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra<T: Scalar>(&self, phasors: &mut [Complex<T>]) {
        self.words.spectra(phasors, |words, _: &mut Vec<()>| self.of_one(words));
    }

    fn of_one(&self, words: &[u32]) -> Vec<Complex64> {
        // The fast transform: N log N additions for all functions.
        if self.all {
            let coefficients = coefficients(words);
            let term = |(h, weight): &(usize, Complex64)| f64::from(coefficients[*h]) * weight;
            return self.bins.iter().map(|terms| terms.iter().map(term).sum()).collect();
        }
        let of_bin = |(b, terms): (usize, &Vec<(usize, Complex64)>)| -> Complex64 {
            let value = |i: usize, h: usize| match &self.precomputed {
                Some(precomputed) => {
                    let differ = vectorize(
                        self.arch,
                        #[inline(always)]
                        || differing(words, &precomputed[b][i]),
                    );
                    // Bits that differ from the pattern of −1 count +1.
                    2 * differ as i32 - 32 * self.words.samples as i32
                }
                None => vectorize(
                    self.arch,
                    #[inline(always)]
                    || coefficient(words, h),
                ),
            };
            terms.iter().enumerate().map(|(i, (h, weight))| f64::from(value(i, *h)) * weight).sum()
        };
        self.bins.iter().enumerate().map(of_bin).collect()
    }
}

/// Number of bits that differ.
#[inline(always)]
fn differing(words: &[u32], others: &[u32]) -> u32 {
    words.iter().zip(others).map(|(word, other)| (word ^ other).count_ones()).sum()
}
