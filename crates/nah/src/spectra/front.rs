//! From words of bits to samples.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use super::turned;
use crate::cic::{self, Chain, DECIMATION, GAIN};
use num_complex::Complex64;
use phasefront_core::simd::{Arch, vectorize};

/// How far the middle of a sample's bits is from the first of its newest word, samples: 15.5 bits.
const MIDDLE: f64 = 15.5 / DECIMATION as f64;

/// What stands between words of bits and a transform of samples.
pub enum Front {
    /// Nothing: samples come as they are.
    Samples,
    /// Nothing: bits are taken as they are.
    None,
    /// The mean of a word.
    Average,
    /// Three integrators and three combs at every microphone, and perhaps a filter that straightens their response.
    Filter { chains: Vec<Chain>, fir: Option<Fir> },
    /// The same by counts of bits, from the newest word and the two before it.
    Counts { before: [Vec<u32>; 2] },
}

impl Front {
    pub fn filter(microphones: usize, fir: bool) -> Self {
        Self::Filter { chains: vec![Chain::default(); microphones], fir: fir.then(|| Fir::new(microphones)) }
    }

    pub fn counts(microphones: usize) -> Self {
        let empty = vec![0; microphones];
        Self::Counts { before: [empty.clone(), empty] }
    }

    /// Moments until samples are whole.
    pub fn lag(&self) -> usize {
        match self {
            Self::Samples | Self::None | Self::Average => 0,
            Self::Filter { fir: Some(fir), .. } => 2 + fir.taps.len() - 1,
            Self::Filter { .. } | Self::Counts { .. } => 2,
        }
    }

    /// What a tone of so many cycles a sample must be multiplied by to be as it was at the first bit of the first word of the window.
    pub fn factor(&self, cycles: f64) -> Complex64 {
        match self {
            Self::Samples | Self::None => Complex64::ONE,
            // The mean of a word stands for its middle, 15.5 bits after its first.
            Self::Average => turned(cycles, -MIDDLE) / cic::droop(cycles).cbrt(),
            // Three words with the newest as the last one: 15.5 bits before its first.
            Self::Filter { fir: None, .. } | Self::Counts { .. } => {
                turned(cycles, MIDDLE) / cic::droop(cycles)
            }
            Self::Filter { fir: Some(fir), .. } => turned(cycles, MIDDLE + 0.5 * (fir.taps.len() - 1) as f64),
        }
    }

    /// Samples of words, those of all microphones moment by moment; a stream of ones is one.
    pub fn run(&mut self, words: &[u32], microphones: usize, samples: &mut Vec<f32>) {
        samples.clear();
        let gain = 1.0 / GAIN as f32;
        for frame in words.chunks_exact(microphones) {
            match self {
                Self::Samples | Self::None => {}
                Self::Average => {
                    samples.extend(frame.iter().map(|w| (w.count_ones() as f32 - 16.0) / 16.0));
                }
                Self::Filter { chains, fir } => {
                    let filtered =
                        frame.iter().zip(chains).map(|(word, chain)| gain * chain.push(*word) as f32);
                    let start = samples.len();
                    samples.extend(filtered);
                    if let Some(fir) = fir {
                        fir.run(&mut samples[start..]);
                    }
                }
                Self::Counts { before } => {
                    let [last, older] = before;
                    let start = samples.len();
                    samples.resize(start + microphones, 0.0);
                    vectorize(
                        Arch::new(),
                        #[inline(always)]
                        || counted([frame, last, older], &mut samples[start..]),
                    );
                    std::mem::swap(last, older);
                    last.copy_from_slice(frame);
                }
            }
        }
    }
}

/// Samples from the newest word of every microphone, the one before and the oldest.
#[inline(always)]
fn counted([words, last, older]: [&[u32]; 3], samples: &mut [f32]) {
    for (((sample, word), last), older) in samples.iter_mut().zip(words).zip(last).zip(older) {
        *sample = cic::sample([*word, *last, *older]) as f32 / GAIN as f32;
    }
}

/// A filter of samples whose response is one over that of the filter of bits.
pub struct Fir {
    pub taps: Vec<f32>,
    microphones: usize,
    /// The last samples of all microphones, in a ring of moments.
    ring: Vec<f32>,
    next: usize,
}

impl Fir {
    fn new(microphones: usize) -> Self {
        let taps = cic::compensation();
        Self { ring: vec![0.0; microphones * taps.len()], taps, microphones, next: 0 }
    }

    /// Puts the filter's output in place of samples.
    fn run(&mut self, moment: &mut [f32]) {
        let (count, microphones) = (self.taps.len(), self.microphones);
        self.ring[self.next * microphones..][..microphones].copy_from_slice(moment);
        moment.fill(0.0);
        for (age, tap) in self.taps.iter().enumerate() {
            let at = (self.next + count - age) % count;
            let old = &self.ring[at * microphones..][..microphones];
            moment.iter_mut().zip(old).for_each(|(sum, x)| *sum += tap * x);
        }
        self.next = (self.next + 1) % count;
    }
}
