//! Spectra of the last N samples from block to block: a new block costs its own samples only.
//!
//! The transform of N samples at a bin is a sum over N/h blocks of h samples, Σ x_n e^{−jωn}, with n counted through a whole turn of N samples
//! whatever the block: sums of blocks stay good as they are while the window moves on, and the whole is turned by e^{jωn₀} for a window
//! that begins at n₀. A sum that is kept by adding the newest block and taking away the oldest would drift. Here the blocks of a turn
//! are summed from its end once it is complete, S_i = Σ_{j ≥ i}, and a window that reaches into the turn before takes what is left of
//! it from there: no number is older than two turns, and none is ever taken away.
//!
//! Hann's window is Σ w_n x_n e^{−jω_k n} = X_k/2 − (X_{k−1} + X_{k+1})/4, and without its mean x has X_0 = 0.

// What runs inside of pulp's dispatch must be inlined into it: only there are the wide instructions allowed.
#![allow(clippy::inline_always)]

use crate::scalar::Scalar;
use num_complex::{Complex, Complex64};
use pulp::Arch;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Microphones that are summed side by side.
const LANES: usize = 16;
/// Sums of a bin: real and imaginary part of it and of its neighbours below and above.
const SUMS: usize = 6;
/// Bins from which on a block is summed by all threads.
const WORTH_A_THREAD: usize = 4;

/// Sums of blocks in a ring.
pub struct Ring<T> {
    microphones: usize,
    samples: usize,
    hop: usize,
    bins: Vec<usize>,
    /// e^{−jωn} of bins and their neighbours at every sample of a turn, `SUMS` numbers for each bin.
    waves: Vec<T>,
    /// Of each block of a turn, sums: for every `LANES` microphones, those of all bins, `SUMS` rows of lanes each. Blocks of this turn up to `block`,
    /// and from there on what remains of the turn before, summed from its end.
    blocks: Vec<T>,
    /// Sums of this turn so far.
    turn: Vec<T>,
    block: usize,
    arch: Arch,
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
        let size = SUMS * bins.len() * LANES * microphones.div_ceil(LANES);
        let blocks = vec![T::zero(); samples / hop * size];
        let turn = vec![T::zero(); size];
        Self { microphones, samples, hop, bins, waves, blocks, turn, block: 0, arch: Arch::new() }
    }

    /// Takes blocks of `hop` moments.
    pub fn push(&mut self, moments: &[f32]) {
        for block in moments.chunks_exact(self.hop * self.microphones) {
            self.push_block(block);
        }
    }

    fn push_block(&mut self, moments: &[f32]) {
        let size = self.turn.len();
        let blocks = self.samples / self.hop;
        if self.block == blocks {
            self.sum_from_the_end();
        }
        let per_sample = SUMS * self.bins.len();
        let waves = &self.waves[self.block * self.hop * per_sample..][..self.hop * per_sample];
        let sums = &mut self.blocks[self.block * size..][..size];
        let (microphones, arch) = (self.microphones, self.arch);
        let sum = |first: usize, sums: &mut [T], turn: &mut [T]| {
            arch.dispatch(|| {
                sum_block(moments, microphones, first, waves, sums);
                add(turn, sums);
            });
        };
        let groups = microphones.div_ceil(LANES);
        if self.bins.len() < WORTH_A_THREAD {
            sum(0, sums, &mut self.turn);
        } else {
            let share = groups.div_ceil(rayon::current_num_threads()).max(1);
            let part = share * LANES * per_sample;
            let parts = sums.par_chunks_mut(part).zip(self.turn.par_chunks_mut(part)).enumerate();
            parts.for_each(|(i, (sums, turn))| sum(i * share * LANES, sums, turn));
        }
        self.block += 1;
    }

    /// The turn is complete: block i becomes the sum of blocks i to the last.
    fn sum_from_the_end(&mut self) {
        let size = self.turn.len();
        let arch = self.arch;
        for i in (1..self.samples / self.hop).rev() {
            let (before, after) = self.blocks.split_at_mut(i * size);
            let (block, rest) = (&mut before[(i - 1) * size..], &after[..size]);
            arch.dispatch(|| add(block, rest));
        }
        self.turn.fill(T::zero());
        self.block = 0;
    }

    /// Phasors of all microphones at the first bin, then at the next.
    pub fn spectra(&self, phasors: &mut [Complex<T>]) {
        let size = self.turn.len();
        // What remains of the turn before.
        let blocks = self.samples / self.hop;
        let rest = (self.block < blocks).then(|| &self.blocks[self.block * size..][..size]);
        let first = self.block * self.hop;
        let scale = 4.0 / self.samples as f64;
        let of_bin = SUMS * LANES;
        let of_group = of_bin * self.bins.len();
        for (b, phasors) in phasors.chunks_exact_mut(self.microphones).enumerate() {
            let k = self.bins[b];
            let factor = |bin: usize, weight: f64| {
                let turn = TAU * (bin * first % self.samples) as f64 / self.samples as f64;
                // The mean is left out.
                let weight = if bin == 0 { 0.0 } else { weight };
                T::complex_from_f64(Complex64::from_polar(scale * weight, turn))
            };
            let factors = [factor(k - 1, -0.25), factor(k, 0.5), factor((k + 1) % self.samples, -0.25)];
            self.arch.dispatch(|| {
                for (group, phasors) in phasors.chunks_mut(LANES).enumerate() {
                    let at = group * of_group + b * of_bin;
                    phasors.fill(Complex::new(T::zero(), T::zero()));
                    combine(&self.turn[at..at + of_bin], &factors, phasors);
                    if let Some(rest) = rest {
                        combine(&rest[at..at + of_bin], &factors, phasors);
                    }
                }
            });
        }
    }
}

/// Sums x_n e^{−jωn} over the moments of a block, of microphones from `first` on, as many as there are sums.
#[inline(always)]
fn sum_block<T: Scalar>(moments: &[f32], microphones: usize, first: usize, waves: &[T], sums: &mut [T]) {
    let count = moments.len() / microphones;
    let per_sample = waves.len() / count;
    let mut near = vec![[T::zero(); LANES]; count];
    for (group, sums) in sums.chunks_exact_mut(LANES * per_sample).enumerate() {
        let first = first + group * LANES;
        let width = LANES.min(microphones - first);
        for (near, moment) in near.iter_mut().zip(moments.chunks_exact(microphones)) {
            for (near, value) in near.iter_mut().zip(&moment[first..first + width]) {
                *near = T::rounded(f64::from(*value));
            }
        }
        for (bin, sums) in sums.chunks_exact_mut(LANES * SUMS).enumerate() {
            let mut sum = [[T::zero(); LANES]; SUMS];
            for (near, waves) in near.iter().zip(waves.chunks_exact(per_sample)) {
                let waves = &waves[bin * SUMS..][..SUMS];
                for (sum, wave) in sum.iter_mut().zip(waves) {
                    for (sum, value) in sum.iter_mut().zip(near) {
                        *sum = *sum + *value * *wave;
                    }
                }
            }
            for (row, sum) in sums.chunks_exact_mut(LANES).zip(&sum) {
                row.copy_from_slice(sum);
            }
        }
    }
}

#[inline(always)]
fn add<T: Scalar>(to: &mut [T], what: &[T]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to = *to + *what);
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
        let (samples, bins) = (128, vec![1, 5, 40]);
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

    /// A million hops later nothing has drifted.
    #[test]
    fn rings_do_not_drift() {
        let double = apart::<f64>(1_000_003, 8);
        assert!(double < 1e-12, "{double:e}");
        let [early, late] = [19, 1_000_003].map(|hops| apart::<f32>(hops, 8));
        assert!(late < 2.0 * early.max(1e-6), "{late:e} after {early:e}");
    }
}
