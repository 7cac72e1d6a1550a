//! The front end on the CPU: from words of bitstreams to samples.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::cic::{self, DC_GAIN, Decimator};
use crate::spectral::FrontEnd;
use phasefront_core::simd::{Arch, vectorize};

/// The state of a front end.
pub enum FrontEndFilter {
    /// Samples, or words that are not decimated.
    None,
    /// The mean of each word.
    BlockAverage,
    /// A CIC filter by integrators and combs for every microphone, with an optional FIR filter for its droop.
    Cic { decimators: Vec<Decimator>, fir: Option<CompensationFilter> },
    /// The CIC filter by population counts, from the newest word and the two before it.
    CicPopcount { previous: [Vec<u32>; 2] },
}

impl FrontEndFilter {
    /// With cleared filters.
    pub fn new(front_end: FrontEnd, microphones: usize) -> Self {
        match front_end {
            FrontEnd::Samples | FrontEnd::Words => Self::None,
            FrontEnd::BlockAverage => Self::BlockAverage,
            FrontEnd::Cic { fir } => Self::Cic {
                decimators: vec![Decimator::default(); microphones],
                fir: fir.then(|| CompensationFilter::new(microphones)),
            },
            FrontEnd::CicPopcount => {
                let empty = vec![0; microphones];
                Self::CicPopcount { previous: [empty.clone(), empty] }
            }
        }
    }

    /// Decimates frames of words to frames of samples; a stream of ones has the value one.
    pub fn run(&mut self, words: &[u32], microphones: usize, samples: &mut Vec<f32>) {
        samples.clear();
        // Exact: the gain is a power of two.
        let scale = 1.0 / DC_GAIN as f32;
        for frame in words.chunks_exact(microphones) {
            match self {
                Self::None => {}
                Self::BlockAverage => {
                    samples.extend(frame.iter().map(|w| (w.count_ones() as f32 - 16.0) / 16.0));
                }
                Self::Cic { decimators, fir } => {
                    let decimated = frame
                        .iter()
                        .zip(decimators)
                        .map(|(word, decimator)| scale * decimator.push(*word) as f32);
                    let start = samples.len();
                    samples.extend(decimated);
                    if let Some(fir) = fir {
                        fir.run(&mut samples[start..]);
                    }
                }
                Self::CicPopcount { previous } => {
                    let [last, older] = previous;
                    let start = samples.len();
                    samples.resize(start + microphones, 0.0);
                    // Vectorized over microphones, which are contiguous in a frame.
                    vectorize(
                        Arch::new(),
                        #[inline(always)]
                        || decimated([frame, last, older], &mut samples[start..]),
                    );
                    // The older buffer is overwritten by the newest word: no allocation.
                    std::mem::swap(last, older);
                    last.copy_from_slice(frame);
                }
            }
        }
    }
}

/// Samples from the newest word of every microphone, the one before and the oldest.
#[inline(always)]
fn decimated([words, last, older]: [&[u32]; 3], samples: &mut [f32]) {
    for (((sample, word), last), older) in samples.iter_mut().zip(words).zip(last).zip(older) {
        *sample = cic::decimate([*word, *last, *older]) as f32 / DC_GAIN as f32;
    }
}

/// The FIR filter that compensates the droop of the CIC filter.
pub struct CompensationFilter {
    taps: Vec<f32>,
    microphones: usize,
    /// The last frames, in a ring.
    ring: Vec<f32>,
    next: usize,
}

impl CompensationFilter {
    fn new(microphones: usize) -> Self {
        let taps = cic::compensation_taps();
        Self { ring: vec![0.0; microphones * taps.len()], taps, microphones, next: 0 }
    }

    /// Filters a frame in place.
    fn run(&mut self, frame: &mut [f32]) {
        let (count, microphones) = (self.taps.len(), self.microphones);
        self.ring[self.next * microphones..][..microphones].copy_from_slice(frame);
        frame.fill(0.0);
        for (age, tap) in self.taps.iter().enumerate() {
            // The newest frame has the first tap.
            let at = (self.next + count - age) % count;
            let old = &self.ring[at * microphones..][..microphones];
            frame.iter_mut().zip(old).for_each(|(sum, x)| *sum += tap * x);
        }
        self.next = (self.next + 1) % count;
    }
}
