//! A sliding DFT over blocks: each new block is summed once.
//!
//! The N-point DFT at a bin is a sum over N/h blocks of h samples, Σ x_n e^{−jωn}. With n counted modulo N, the sums of blocks stay valid while the
//! window moves, and the total is rotated by e^{jωn₀} for a window that begins at n₀. Adding the newest block to a running sum and subtracting the oldest
//! would accumulate rounding errors. Here the N/h blocks of a revolution form two batches. A window is the part of the newest batch received so
//! far, the whole batch before it, and the end of the batch before that. The suffix sums of the latter are formed while the next batch arrives, one
//! with each new block. So every block costs the same, no sum is older than two windows, and nothing is subtracted.
//!
//! The Hann window is a convolution of three bins, Σ w_n x_n e^{−jω_k n} = X_k/2 − (X_{k−1} + X_{k+1})/4; removing the mean of x sets X_0 = 0.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{Arch, Simd, WithSimd, vectorize};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::ops::Range;

/// Microphones of a group: two of the widest single-precision vectors.
const LANES: usize = 32;
/// Sums of a bin: real and imaginary parts of the bin below, of itself and of the bin above.
const SUMS: usize = 6;
/// Bins from which on several threads are worth their cost.
const PARALLEL_BINS: usize = 4;

/// Sums of blocks in a ring.
pub struct SlidingDft<T> {
    microphones: usize,
    samples: usize,
    hop: usize,
    bins: Vec<usize>,
    /// e^{−jωn} of the bins and their neighbors at every sample of a revolution, `SUMS` values for each bin.
    exponentials: Vec<T>,
    groups: Vec<Group<T>>,
    /// Blocks of this revolution so far.
    block: usize,
    arch: Arch,
}

/// Sums of `LANES` microphones: for each bin, `SUMS` rows of lanes.
struct Group<T> {
    /// Of each block of a revolution. In the newest batch, blocks that have not arrived hold suffix sums of the revolution before.
    blocks: Vec<T>,
    /// Of the newest batch so far, and of the whole batch before.
    newest: Vec<T>,
    before: Vec<T>,
}

impl<T: Scalar> SlidingDft<T> {
    /// `hop` divides `samples`.
    pub fn new(microphones: usize, samples: usize, hop: usize, bins: Vec<usize>) -> Self {
        let exponential = |n: usize, k: usize| {
            // k n modulo N in integers: the angle has full precision for any n.
            let value = Complex64::from_polar(1.0, -TAU * (k * n % samples) as f64 / samples as f64);
            [value.re, value.im].map(T::rounded)
        };
        let neighborhoods = |n: usize| {
            let bins = &bins;
            // The bin below zero is the last one.
            bins.iter().flat_map(move |k| [k + samples - 1, *k, k + 1].map(move |k| (n, k % samples)))
        };
        let exponentials =
            (0..samples).flat_map(neighborhoods).flat_map(|(n, k)| exponential(n, k)).collect();
        let zeros = |blocks: usize| vec![T::zero(); blocks * SUMS * bins.len() * LANES];
        let group = |_| Group { blocks: zeros(samples / hop), newest: zeros(1), before: zeros(1) };
        let groups = (0..microphones.div_ceil(LANES)).map(group).collect();
        Self { microphones, samples, hop, bins, exponentials, groups, block: 0, arch: Arch::new() }
    }

    /// Appends blocks of `hop` frames.
    pub fn push(&mut self, frames: &[f32]) {
        for block in frames.chunks_exact(self.hop * self.microphones) {
            self.push_block(block);
        }
    }

    fn push_block(&mut self, frames: &[f32]) {
        let blocks = self.samples / self.hop;
        // Two batches: the newest and the one before.
        let (block, batches) = (self.block % blocks, [0..blocks / 2, blocks / 2..blocks]);
        let per_sample = SUMS * self.bins.len();
        let exponentials = &self.exponentials[block * self.hop * per_sample..][..self.hop * per_sample];
        let (microphones, arch) = (self.microphones, self.arch);
        // Groups of microphones are independent.
        let sum = |(i, group): (usize, &mut Group<T>)| {
            group.advance(block, &batches);
            let sums = &mut group.blocks[block * group.newest.len()..][..group.newest.len()];
            arch.dispatch(SumBlock { frames, microphones, first: i * LANES, exponentials, sums });
            vectorize(
                arch,
                #[inline(always)]
                || add(&mut group.newest, sums),
            );
        };
        if self.bins.len() < PARALLEL_BINS {
            self.groups.iter_mut().enumerate().for_each(sum);
        } else {
            self.groups.par_iter_mut().enumerate().for_each(sum);
        }
        self.block = block + 1;
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra(&self, phasors: &mut [Complex<T>]) {
        let blocks = self.samples / self.hop;
        let size = SUMS * LANES;
        // The suffix sum of the revolution before; none where a batch is complete.
        let rest =
            (self.block != blocks / 2 && self.block < blocks).then_some(self.block * self.bins.len() * size);
        let of_bin = |(b, phasors): (usize, &mut [Complex<T>])| {
            let factors = self.factors(self.bins[b]);
            vectorize(
                self.arch,
                #[inline(always)]
                || {
                    for (group, phasors) in self.groups.iter().zip(phasors.chunks_mut(LANES)) {
                        let at = b * size;
                        phasors.fill(Complex::new(T::zero(), T::zero()));
                        combine(&group.newest[at..at + size], &factors, phasors);
                        combine(&group.before[at..at + size], &factors, phasors);
                        if let Some(rest) = rest {
                            combine(&group.blocks[rest + at..][..size], &factors, phasors);
                        }
                    }
                },
            );
        };
        if self.bins.len() < PARALLEL_BINS {
            phasors.chunks_exact_mut(self.microphones).enumerate().for_each(of_bin);
        } else {
            phasors.par_chunks_exact_mut(self.microphones).enumerate().for_each(of_bin);
        }
    }

    /// Weights of a bin and its neighbors: the Hann window, rotated to the first sample of the window.
    fn factors(&self, k: usize) -> [Complex<T>; 3] {
        let first = self.block * self.hop;
        let scale = 4.0 / self.samples as f64;
        let factor = |bin: usize, weight: f64| {
            let angle = TAU * (bin * first % self.samples) as f64 / self.samples as f64;
            // The mean is removed.
            let weight = if bin == 0 { 0.0 } else { weight };
            T::complex_from_f64(Complex64::from_polar(scale * weight, angle))
        };
        [factor(k - 1, -0.25), factor(k, 0.5), factor((k + 1) % self.samples, -0.25)]
    }
}

impl<T: Scalar> Group<T> {
    /// Prepares the sums for a new block.
    fn advance(&mut self, block: usize, batches: &[Range<usize>; 2]) {
        let size = self.newest.len();
        // The first batch is empty where there is one block only.
        for batch in batches {
            if block == batch.start {
                std::mem::swap(&mut self.newest, &mut self.before);
                self.newest.fill(T::zero());
            }
        }
        let [own, other] = if block < batches[0].end { [0, 1] } else { [1, 0] }.map(|i| &batches[i]);
        // One suffix sum of the batch before: block i becomes the sum of blocks i to the last.
        if let Some(i) = other.len().checked_sub(block - own.start + 2) {
            let (to, from) = self.blocks[(other.start + i) * size..][..2 * size].split_at_mut(size);
            add(to, from);
        }
    }
}

/// Sums x_n e^{−jωn} over the frames of a block, for a group of microphones from `first` on.
struct SumBlock<'a, T> {
    frames: &'a [f32],
    microphones: usize,
    first: usize,
    exponentials: &'a [T],
    sums: &'a mut [T],
}

impl<T: Scalar> WithSimd for SumBlock<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) {
        let Self { frames, microphones, first, exponentials, sums } = self;
        let count = frames.len() / microphones;
        let per_sample = exponentials.len() / count;
        let width = LANES.min(microphones - first);
        // Transposed to lanes once per block, and used for all bins.
        let mut samples = vec![[T::zero(); LANES]; count];
        for (samples, frame) in samples.iter_mut().zip(frames.chunks_exact(microphones)) {
            for (samples, value) in samples.iter_mut().zip(&frame[first..first + width]) {
                *samples = T::rounded(f64::from(*value));
            }
        }
        for (bin, sums) in sums.chunks_exact_mut(LANES * SUMS).enumerate() {
            // Two vectors for each exponential that is loaded, to balance loads and multiply-adds.
            for pair in 0..LANES / T::simd_lanes::<S>() / 2 {
                let mut sum = [[T::simd_splat(s, T::zero()); 2]; SUMS];
                for (samples, exponentials) in samples.iter().zip(exponentials.chunks_exact(per_sample)) {
                    // Six sums of two vectors: twelve independent
                    // accumulators, so that multiply-adds overlap.
                    let (samples, exponentials) =
                        (&T::as_simd::<S>(samples)[2 * pair..][..2], &exponentials[bin * SUMS..][..SUMS]);
                    for (sum, value) in sum.iter_mut().zip(exponentials) {
                        let value = T::simd_splat(s, *value);
                        sum[0] = T::simd_fma(s, samples[0], value, sum[0]);
                        sum[1] = T::simd_fma(s, samples[1], value, sum[1]);
                    }
                }
                for (row, sum) in sums.chunks_exact_mut(LANES).zip(&sum) {
                    T::as_simd_mut::<S>(row)[2 * pair..][..2].copy_from_slice(sum);
                }
            }
        }
    }
}

#[inline(always)]
fn add<T: Scalar>(to: &mut [T], what: &[T]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += *what);
}

/// Adds the sums of three bins to phasors, each with its weight.
#[inline(always)]
fn combine<T: Scalar>(sums: &[T], factors: &[Complex<T>; 3], phasors: &mut [Complex<T>]) {
    // Real and imaginary rows of lanes alternate.
    for (pair, factor) in sums.chunks_exact(2 * LANES).zip(factors) {
        let (re, im) = pair.split_at(LANES);
        for ((p, re), im) in phasors.iter_mut().zip(re).zip(im) {
            *p = Complex::new(
                p.re + (factor.re * *re - factor.im * *im),
                p.im + (factor.re * *im + factor.im * *re),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::windowed::WindowedTransform;
    use super::*;

    /// Pseudorandom samples of two microphones, beside a large constant.
    fn frame(n: usize) -> [f32; 2] {
        [7, 11].map(|salt: u64| {
            let mut state = (n as u64 + 1).wrapping_mul(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            state ^= state >> 29;
            state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
            2.0 + (state >> 40) as f32 / 8_388_608.0
        })
    }

    /// The largest difference from the FFT of the whole window, relative to the largest phasor.
    fn max_error<T: Scalar>(hops: usize, hop: usize) -> f64 {
        max_error_of::<T>(128, hops, hop)
    }

    fn max_error_of<T: Scalar>(samples: usize, hops: usize, hop: usize) -> f64 {
        let bins = vec![1, 5, 40];
        let mut ring = SlidingDft::<T>::new(2, samples, hop, bins.clone());
        let mut window = WindowedTransform::fft(2, samples, bins);
        for i in 0..hops {
            let block: Vec<f32> = (i * hop..(i + 1) * hop).flat_map(frame).collect();
            ring.push(&block);
            window.push(&block);
        }
        let (mut found, mut exact) = (vec![Complex::new(T::zero(), T::zero()); 6], vec![Complex64::ZERO; 6]);
        ring.spectra(&mut found);
        window.spectra(&mut exact);
        let largest = exact.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let off = found.iter().zip(&exact).map(|(a, b)| (T::complex_to_f64(*a) - b).norm());
        off.fold(0.0, f64::max) / largest
    }

    #[test]
    fn the_sliding_dft_equals_the_fft_of_the_window() {
        for hop in [8, 16, 32] {
            for hops in 128 / hop..3 * 128 / hop + 2 {
                assert!(
                    max_error::<f64>(hops, hop) < 1e-12,
                    "hop {hop}, {hops}: {:e}",
                    max_error::<f64>(hops, hop)
                );
                assert!(
                    max_error::<f32>(hops, hop) < 1e-5,
                    "hop {hop}, {hops}: {:e}",
                    max_error::<f32>(hops, hop)
                );
            }
        }
    }

    /// Batches of different lengths, and a single one.
    #[test]
    fn a_window_may_have_any_number_of_blocks() {
        for blocks in [1, 2, 3, 5, 7] {
            for hops in blocks..4 * blocks + 2 {
                let off = max_error_of::<f64>(20 * blocks * 6, hops, 120);
                assert!(off < 1e-12, "{blocks} blocks, {hops}: {off:e}");
            }
        }
    }

    /// No drift after a million hops.
    #[test]
    fn the_sliding_dft_does_not_drift() {
        let double = max_error::<f64>(1_000_003, 8);
        assert!(double < 1e-12, "{double:e}");
        let [early, late] = [19, 1_000_003].map(|hops| max_error::<f32>(hops, 8));
        assert!(late < 2.0 * early.max(1e-6), "{late:e} after {early:e}");
    }
}
