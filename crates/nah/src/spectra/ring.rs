//! Spectra of the last N samples from block to block: a new block costs its own samples only.
//!
//! The transform of N samples at a bin is a sum over N/h blocks of h samples, Σ x_n e^{−jωn}, with n counted through a whole turn of N samples
//! whatever the block: sums of blocks stay good as they are while the window moves on, and the whole is turned by e^{jωn₀} for a window
//! that begins at n₀. A sum that is kept by adding the newest block and taking away the oldest would drift. Here blocks come in two batches
//! a turn. A window is what there is of the newest batch, the whole of the one before, and the end of the one before that, whose
//! blocks are summed from its last while the next batch comes in, one with each new block: every block costs the same, no
//! number is older than two windows, and none is ever taken away.
//!
//! Hann's window is Σ w_n x_n e^{−jω_k n} = X_k/2 − (X_{k−1} + X_{k+1})/4, and without its mean x has X_0 = 0.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use phasefront_core::simd::{Arch, Simd, WithSimd, vectorize};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::ops::Range;

/// Microphones that are summed side by side: two of the widest vectors.
const LANES: usize = 32;
/// Sums of a bin: real and imaginary part of it and of its neighbors below and above.
const SUMS: usize = 6;
/// Bins from which on a block is summed by all threads.
const WORTH_A_THREAD: usize = 4;

/// Sums of blocks in a ring.
pub struct Ring<T> {
    microphones: usize,
    samples: usize,
    hop: usize,
    bins: Vec<usize>,
    /// e^{−jωn} of bins and their neighbors at every sample of a turn, `SUMS` numbers for each bin.
    waves: Vec<T>,
    groups: Vec<Group<T>>,
    /// Blocks of this turn so far.
    block: usize,
    arch: Arch,
}

/// Sums of `LANES` microphones: those of all bins, `SUMS` rows of lanes each.
struct Group<T> {
    /// Of each block of a turn. In the newest batch, blocks that are not there yet hold what remains of the turn before, summed from the
    /// last of the batch.
    blocks: Vec<T>,
    /// Of the newest batch so far, and of the whole one before.
    newest: Vec<T>,
    before: Vec<T>,
}

impl<T: Scalar> Ring<T> {
    /// `hop` divides `samples`.
    pub fn new(microphones: usize, samples: usize, hop: usize, bins: Vec<usize>) -> Self {
        let wave = |n: usize, k: usize| {
            let wave = Complex64::from_polar(1.0, -TAU * (k * n % samples) as f64 / samples as f64);
            [wave.re, wave.im].map(T::rounded)
        };
        let bins_around = |n: usize| {
            let bins = &bins;
            bins.iter().flat_map(move |k| [k + samples - 1, *k, k + 1].map(move |k| (n, k % samples)))
        };
        let waves = (0..samples).flat_map(bins_around).flat_map(|(n, k)| wave(n, k)).collect();
        let zeros = |blocks: usize| vec![T::zero(); blocks * SUMS * bins.len() * LANES];
        let group = |_| Group { blocks: zeros(samples / hop), newest: zeros(1), before: zeros(1) };
        let groups = (0..microphones.div_ceil(LANES)).map(group).collect();
        Self { microphones, samples, hop, bins, waves, groups, block: 0, arch: Arch::new() }
    }

    /// Takes blocks of `hop` moments.
    pub fn push(&mut self, moments: &[f32]) {
        for block in moments.chunks_exact(self.hop * self.microphones) {
            self.push_block(block);
        }
    }

    fn push_block(&mut self, moments: &[f32]) {
        let turn = self.samples / self.hop;
        let (block, batches) = (self.block % turn, [0..turn / 2, turn / 2..turn]);
        let per_sample = SUMS * self.bins.len();
        let waves = &self.waves[block * self.hop * per_sample..][..self.hop * per_sample];
        let (microphones, arch) = (self.microphones, self.arch);
        let sum = |(i, group): (usize, &mut Group<T>)| {
            group.go_on(block, &batches);
            let sums = &mut group.blocks[block * group.newest.len()..][..group.newest.len()];
            arch.dispatch(SumBlock { moments, microphones, first: i * LANES, waves, sums });
            vectorize(
                arch,
                #[inline(always)]
                || add(&mut group.newest, sums),
            );
        };
        if self.bins.len() < WORTH_A_THREAD {
            self.groups.iter_mut().enumerate().for_each(sum);
        } else {
            self.groups.par_iter_mut().enumerate().for_each(sum);
        }
        self.block = block + 1;
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra(&self, phasors: &mut [Complex<T>]) {
        let turn = self.samples / self.hop;
        let size = SUMS * LANES;
        // Where what remains of the turn before is.
        let rest =
            (self.block != turn / 2 && self.block < turn).then_some(self.block * self.bins.len() * size);
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
        if self.bins.len() < WORTH_A_THREAD {
            phasors.chunks_exact_mut(self.microphones).enumerate().for_each(of_bin);
        } else {
            phasors.par_chunks_exact_mut(self.microphones).enumerate().for_each(of_bin);
        }
    }

    /// What sums at a bin and its neighbors are multiplied by: Hann's window, turned back to where it begins.
    fn factors(&self, k: usize) -> [Complex<T>; 3] {
        let first = self.block * self.hop;
        let scale = 4.0 / self.samples as f64;
        let factor = |bin: usize, weight: f64| {
            let turn = TAU * (bin * first % self.samples) as f64 / self.samples as f64;
            // The mean is left out.
            let weight = if bin == 0 { 0.0 } else { weight };
            T::complex_from_f64(Complex64::from_polar(scale * weight, turn))
        };
        [factor(k - 1, -0.25), factor(k, 0.5), factor((k + 1) % self.samples, -0.25)]
    }
}

impl<T: Scalar> Group<T> {
    /// Makes way for a block.
    fn go_on(&mut self, block: usize, batches: &[Range<usize>; 2]) {
        let size = self.newest.len();
        // One of them may be empty.
        for batch in batches {
            if block == batch.start {
                std::mem::swap(&mut self.newest, &mut self.before);
                self.newest.fill(T::zero());
            }
        }
        let [own, other] = if block < batches[0].end { [0, 1] } else { [1, 0] }.map(|i| &batches[i]);
        // Of the batch before, block i becomes the sum of blocks i to the last: another i for each new block.
        if let Some(i) = other.len().checked_sub(block - own.start + 2) {
            let (to, from) = self.blocks[(other.start + i) * size..][..2 * size].split_at_mut(size);
            add(to, from);
        }
    }
}

/// Sums x_n e^{−jωn} over the moments of a block, of the microphones from `first` on.
struct SumBlock<'a, T> {
    moments: &'a [f32],
    microphones: usize,
    first: usize,
    waves: &'a [T],
    sums: &'a mut [T],
}

impl<T: Scalar> WithSimd for SumBlock<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, s: S) {
        let Self { moments, microphones, first, waves, sums } = self;
        let count = moments.len() / microphones;
        let per_sample = waves.len() / count;
        let width = LANES.min(microphones - first);
        let mut near = vec![[T::zero(); LANES]; count];
        for (near, moment) in near.iter_mut().zip(moments.chunks_exact(microphones)) {
            for (near, value) in near.iter_mut().zip(&moment[first..first + width]) {
                *near = T::rounded(f64::from(*value));
            }
        }
        for (bin, sums) in sums.chunks_exact_mut(LANES * SUMS).enumerate() {
            // Two vectors at a time for each wave that is read.
            for pair in 0..LANES / T::simd_lanes::<S>() / 2 {
                let mut sum = [[T::simd_splat(s, T::zero()); 2]; SUMS];
                for (near, waves) in near.iter().zip(waves.chunks_exact(per_sample)) {
                    let (near, waves) =
                        (&T::as_simd::<S>(near)[2 * pair..][..2], &waves[bin * SUMS..][..SUMS]);
                    for (sum, wave) in sum.iter_mut().zip(waves) {
                        let wave = T::simd_splat(s, *wave);
                        sum[0] = T::simd_fma(s, near[0], wave, sum[0]);
                        sum[1] = T::simd_fma(s, near[1], wave, sum[1]);
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

/// Adds three bins of a few microphones, each with its factor.
#[inline(always)]
fn combine<T: Scalar>(sums: &[T], factors: &[Complex<T>; 3], phasors: &mut [Complex<T>]) {
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
    use super::super::window::Window;
    use super::*;

    /// Samples without pattern around a large constant, of two microphones.
    fn moment(n: usize) -> [f32; 2] {
        [7, 11].map(|salt: u64| {
            let mut state = (n as u64 + 1).wrapping_mul(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            state ^= state >> 29;
            state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
            2.0 + (state >> 40) as f32 / 8_388_608.0
        })
    }

    /// The largest difference from a transform of the whole window, relative to the largest phasor.
    fn apart<T: Scalar>(hops: usize, hop: usize) -> f64 {
        apart_of::<T>(128, hops, hop)
    }

    fn apart_of<T: Scalar>(samples: usize, hops: usize, hop: usize) -> f64 {
        let bins = vec![1, 5, 40];
        let mut ring = Ring::<T>::new(2, samples, hop, bins.clone());
        let mut window = Window::fft(2, samples, bins);
        for i in 0..hops {
            let block: Vec<f32> = (i * hop..(i + 1) * hop).flat_map(moment).collect();
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
    fn rings_are_transforms_of_the_window_wherever_it_is() {
        for hop in [8, 16, 32] {
            for hops in 128 / hop..3 * 128 / hop + 2 {
                assert!(apart::<f64>(hops, hop) < 1e-12, "hop {hop}, {hops}: {:e}", apart::<f64>(hops, hop));
                assert!(apart::<f32>(hops, hop) < 1e-5, "hop {hop}, {hops}: {:e}", apart::<f32>(hops, hop));
            }
        }
    }

    /// Batches need not be alike, nor need there be two.
    #[test]
    fn any_number_of_blocks_makes_a_turn() {
        for blocks in [1, 2, 3, 5, 7] {
            for hops in blocks..4 * blocks + 2 {
                let off = apart_of::<f64>(20 * blocks * 6, hops, 120);
                assert!(off < 1e-12, "{blocks} blocks, {hops}: {off:e}");
            }
        }
    }

    /// A million hops later nothing has drifted.
    #[test]
    fn rings_do_not_drift() {
        let double = apart::<f64>(1_000_003, 8);
        assert!(double < 1e-12, "{double:e}");
        let [early, late] = [19, 1_000_003].map(|hops| apart::<f32>(hops, 8));
        assert!(late < 2.0 * early.max(1e-6), "{late:e} after {early:e}");
    }
}
