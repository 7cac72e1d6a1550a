//! Channel statistics: clipped and invalid samples, and dead microphones.

use crate::input::Input;
use num_complex::Complex64;

/// A microphone below this fraction of the median level is dead: −60 dB.
const DEAD_LEVEL: f64 = 1e-3;
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
    let mut faults = Faults::default();
    match input {
        Input::Samples(samples) => {
            // Without a known full scale nothing counts as clipped.
            let limit = samples.full_scale.unwrap_or(f32::INFINITY);
            for value in &mut samples.values {
                if !value.is_finite() {
                    faults.not_finite += 1;
                    *value = 0.0;
                } else if value.abs() >= limit {
                    faults.clipped += 1;
                }
            }
            let mut statistics = ChannelStatistics::new(samples.microphones);
            // The first part suffices for a level.
            statistics.add_samples(&samples.values[..samples.values.len().min(FRAMES * samples.microphones)]);
            faults.dead = statistics.dead();
        }
        Input::Bits(bits) => {
            let mut statistics = ChannelStatistics::new(bits.microphones);
            statistics.add_words(&bits.words[..bits.words.len().min(FRAMES * bits.microphones)]);
            faults.dead = statistics.dead();
        }
        // Known only while it is received.
        Input::Stream(_) => {}
        Input::Spectra(spectra) => {
            let mut levels = vec![0.0; spectra.first().map_or(0, |s| s.pressure.len())];
            for value in spectra.iter_mut().flat_map(|s| &mut s.pressure) {
                if !value.is_finite() {
                    faults.not_finite += 1;
                    *value = Complex64::ZERO;
                }
            }
            for spectrum in spectra.iter() {
                levels.iter_mut().zip(&spectrum.pressure).for_each(|(level, p)| *level += p.norm());
            }
            faults.dead = dead_channels(&levels);
        }
    }
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
    use crate::input::Samples;

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

    #[test]
    fn a_constant_input_is_an_array_of_dead_microphones() {
        assert_eq!(find_faults(&mut samples(vec![0.25; 30])).dead, [0, 1, 2]);
    }
}
