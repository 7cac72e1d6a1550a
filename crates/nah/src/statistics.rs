//! Channel statistics: clipped and invalid samples, and dead microphones.

use crate::input::{Input, Samples, Spectrum};
use num_complex::Complex64;

/// A microphone below this fraction of the median level is dead: −60 dB.
const DEAD_LEVEL: f64 = 1e-3;
/// A microphone with more than one in so many samples that are not finite is dead.
const MAX_NOT_FINITE: usize = 1000;
/// Frames that the level is estimated from: more than a second at common rates.
const FRAMES: usize = 65_536;

/// Faults of the input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults {
    /// Samples at full scale.
    pub clipped: u64,
    /// Samples that are NaN or infinite; they are replaced by zero.
    pub not_finite: u64,
    /// Dead microphones.
    pub dead: Vec<usize>,
}

/// Finds the faults of an input, and replaces samples that are not finite by zero.
pub fn find_faults(input: &mut Input) -> Faults {
    match input {
        Input::Samples(samples) => faults_of_samples(samples),
        Input::Bits(bits) => {
            let mut statistics = ChannelStatistics::new(bits.microphones);
            statistics.add_words(&bits.words[..bits.words.len().min(FRAMES * bits.microphones)]);
            Faults { dead: statistics.dead(), ..Faults::default() }
        }
        // Known only while it is received.
        Input::Stream(_) => Faults::default(),
        Input::Spectra(spectra) => faults_of_spectra(spectra),
    }
}

/// Finds the faults of samples, and replaces those that are not finite by zero.
pub fn faults_of_samples(samples: &mut Samples) -> Faults {
    let microphones = samples.microphones.max(1);
    let mut not_finite = vec![0_usize; microphones];
    for (i, value) in samples.values.iter_mut().enumerate().filter(|(_, value)| !value.is_finite()) {
        not_finite[i % microphones] += 1;
        *value = 0.0;
    }
    let mut statistics = ChannelStatistics::new(samples.microphones);
    // The first part suffices for a level.
    statistics.add_samples(&samples.values[..samples.values.len().min(FRAMES * microphones)]);
    let mut dead = statistics.dead();
    dead.extend(interrupted(&not_finite, samples.frames()));
    dead.sort_unstable();
    dead.dedup();
    let clipped = match samples.full_scale {
        Some(limit) => samples.values.iter().filter(|value| value.abs() >= limit).count(),
        None => flat_tops(&samples.values, microphones, &dead),
    };
    Faults { clipped: clipped as u64, not_finite: not_finite.iter().sum::<usize>() as u64, dead }
}

/// Channels of which so much is not finite that zeros in its place spoil their spectra, unless most channels are like that: then the recording has a gap.
fn interrupted(not_finite: &[usize], frames: usize) -> impl Iterator<Item = usize> {
    let mut sorted = not_finite.to_vec();
    sorted.sort_unstable();
    let limit = (2 * sorted[sorted.len() / 2]).max(1 + frames / MAX_NOT_FINITE);
    not_finite.iter().enumerate().filter(move |(_, count)| **count > limit).map(|(m, _)| m)
}

/// Samples of flat tops, where full scale is not known: at least four consecutive ones at the largest magnitude of their microphone, if it is not dead.
fn flat_tops(values: &[f32], microphones: usize, dead: &[usize]) -> usize {
    const RUN: usize = 4;
    let mut largest = vec![0.0_f32; microphones];
    for frame in values.chunks_exact(microphones) {
        largest.iter_mut().zip(frame).for_each(|(largest, value)| *largest = largest.max(value.abs()));
    }
    for m in dead {
        largest[*m] = f32::INFINITY;
    }
    // Signed, so that a tone does not continue a run from its largest to its least value.
    let mut runs = vec![(0.0_f32, 0_usize); microphones];
    let mut clipped = 0;
    for frame in values.chunks_exact(microphones) {
        for (((top, run), value), largest) in runs.iter_mut().zip(frame).zip(&largest) {
            let is_top = *largest > 0.0 && value.abs() >= *largest;
            *run = if !is_top {
                0
            } else if *top == *value {
                *run + 1
            } else {
                1
            };
            *top = *value;
            clipped += match *run {
                0..RUN => 0,
                RUN => RUN,
                _ => 1,
            };
        }
    }
    clipped
}

fn faults_of_spectra(spectra: &mut [Spectrum]) -> Faults {
    let mut faults = Faults::default();
    let mut levels = vec![0.0; spectra.first().map_or(0, |s| s.pressure.len())];
    let mut missing = vec![false; levels.len()];
    for spectrum in spectra {
        for ((value, level), missing) in spectrum.pressure.iter_mut().zip(&mut levels).zip(&mut missing) {
            if !value.is_finite() {
                faults.not_finite += 1;
                *value = Complex64::ZERO;
            }
            *level += value.norm();
            // Zero to the last bit is no measurement: the value was not finite, or the file has no row for it.
            *missing |= *value == Complex64::ZERO;
        }
    }
    let low = dead_channels(&levels);
    faults.dead = (0..levels.len()).filter(|m| missing[*m] || low.contains(m)).collect();
    faults
}

/// The level of every channel.
pub struct ChannelStatistics {
    microphones: usize,
    /// Sums of samples and of their squares; for bits, in the second sum, how many differ from the first word of their microphone.
    sums: Vec<[f64; 2]>,
    frames: f64,
    first: Vec<u32>,
}

impl ChannelStatistics {
    /// Without any samples.
    pub fn new(microphones: usize) -> Self {
        Self { microphones, sums: vec![[0.0; 2]; microphones], frames: 0.0, first: Vec::new() }
    }

    /// Adds frames of samples.
    pub fn add_samples(&mut self, samples: &[f32]) {
        for frame in samples.chunks_exact(self.microphones.max(1)) {
            self.frames += 1.0;
            for (sum, value) in self.sums.iter_mut().zip(frame) {
                sum[0] += f64::from(*value);
                sum[1] += f64::from(*value).powi(2);
            }
        }
    }

    /// Adds frames of words. A bitstream whose words never change is stuck; an idle sigma-delta modulator alternates, but does not repeat its
    /// words forever.
    pub fn add_words(&mut self, words: &[u32]) {
        if self.first.is_empty() {
            self.first = words[..self.microphones.min(words.len())].to_vec();
        }
        for frame in words.chunks_exact(self.microphones.max(1)) {
            self.frames += 1.0;
            for (sum, (word, first)) in self.sums.iter_mut().zip(frame.iter().zip(&self.first)) {
                sum[1] += f64::from((word ^ first).count_ones());
            }
        }
    }

    /// Number of frames added.
    pub fn frames(&self) -> f64 {
        self.frames
    }

    /// Dead microphones: by the standard deviation of samples, or by the changes of bits.
    pub fn dead(&self) -> Vec<usize> {
        let level = |[sum, squares]: &[f64; 2]| {
            let mean = sum / self.frames;
            if self.first.is_empty() {
                // The variance without the mean: an offset is no
                // signal. Rounding may make it slightly negative.
                (squares / self.frames - mean * mean).max(0.0).sqrt()
            } else {
                // Changed bits: zero for a stuck stream.
                *squares
            }
        };
        dead_channels(&self.sums.iter().map(level).collect::<Vec<f64>>())
    }
}

/// Channels far below the median level.
fn dead_channels(levels: &[f64]) -> Vec<usize> {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The median of the channels with any signal, since most may be dead.
    let alive = &sorted[sorted.partition_point(|level| *level <= 0.0)..];
    // All silent: the threshold is infinite, and every channel is dead.
    let median = alive.get(alive.len() / 2).copied().unwrap_or(f64::INFINITY);
    (0..levels.len()).filter(|m| levels[*m] < DEAD_LEVEL * median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: Vec<f32>) -> Input {
        Input::Samples(Samples { rate: 48e3, microphones: 3, values, full_scale: Some(1.0) })
    }

    #[test]
    fn faults_are_counted_and_dead_microphones_found() {
        let wave = |n: usize| (0.3 * n as f32).sin();
        let mut values: Vec<f32> = (0..300).flat_map(|n| [0.5 * wave(n), 0.7, 0.4 * wave(n)]).collect();
        (values[0], values[5], values[6]) = (f32::NAN, 1.0, -1.0);
        let mut input = samples(values);
        let faults = find_faults(&mut input);
        assert_eq!((faults.clipped, faults.not_finite), (2, 1));
        // The second one has an offset only.
        assert_eq!(faults.dead, [1]);
        let Input::Samples(samples) = input else { panic!("samples") };
        assert_eq!(samples.values[0], 0.0);
    }

    /// A channel with NaN now and then is left out; a gap in all channels is not their fault.
    #[test]
    fn interrupted_channels_are_dead() {
        let wave = |i: usize| (0.3 * (i / 3) as f32 + (i % 3) as f32).sin();
        let mut values: Vec<f32> = (0..900).map(wave).collect();
        values.iter_mut().skip(1).step_by(3).take(10).for_each(|value| *value = f32::NAN);
        assert_eq!(find_faults(&mut samples(values)).dead, [1]);
        let mut values: Vec<f32> = (0..900).map(wave).collect();
        values[60..90].fill(f32::NAN);
        let faults = find_faults(&mut samples(values));
        assert_eq!((faults.dead, faults.not_finite), (vec![], 30));
    }

    /// Without a known full scale clipping shows by its flat tops. A tone that has its largest values exactly, once a period, has none.
    #[test]
    fn flat_tops_are_clipped_samples() {
        let tone = |n: usize| (std::f32::consts::TAU * n as f32 / 40.0).sin();
        let values: Vec<f32> =
            (0..400).flat_map(|n| [tone(n).clamp(-0.7, 0.7), tone(n), 0.1 * tone(n + 1)]).collect();
        let mut input = samples(values);
        let Input::Samples(of_input) = &mut input else { panic!("samples") };
        of_input.full_scale = None;
        // |sin| > 0.7 from sample 5 to sample 15 of a half period of 20.
        assert_eq!(find_faults(&mut input).clipped, 20 * 11);
    }

    /// A microphone without a row at one frequency is dead, though it has a level at another.
    #[test]
    fn missing_phasors_are_dead_microphones() {
        let at = |pressure: [f64; 3]| Spectrum {
            frequency: 500.0,
            pressure: pressure.map(Complex64::from).to_vec(),
        };
        let mut input = Input::Spectra(vec![at([1.0, 2.0, 1.5]), at([1.0, 0.0, f64::NAN])]);
        let faults = find_faults(&mut input);
        assert_eq!((faults.dead, faults.not_finite), (vec![1, 2], 1));
    }

    #[test]
    fn a_constant_input_is_an_array_of_dead_microphones() {
        assert_eq!(find_faults(&mut samples(vec![0.25; 30])).dead, [0, 1, 2]);
    }
}
