//! Channel statistics: clipped and invalid samples, and dead microphones.

use crate::input::{Input, Samples, Spectrum};
use num_complex::Complex64;
use rayon::prelude::*;

/// A microphone below this fraction of the median level is dead: −60 dB.
const DEAD_LEVEL: f64 = 1e-3;
/// A microphone with more than one in so many samples that are not finite is dead.
const MAX_NOT_FINITE: usize = 1000;
/// Frames of a part of a recording. Two of them one after the other tell whether a microphone has lost its signal: a click that half of an array hears
/// at the end of one, and the other half in the next, is no loss.
const PART: usize = 8192;

/// Faults of the input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults {
    /// Samples at full scale.
    pub clipped: u64,
    /// Samples that are NaN or infinite; they are replaced by zero.
    pub not_finite: u64,
    /// Dead microphones.
    pub dead: Vec<usize>,
    /// Those of them that had a signal and lost it, with the frame where it is missing first.
    pub lost: Vec<(usize, usize)>,
}

/// Finds the faults of an input, and replaces samples that are not finite by zero.
pub fn find_faults(input: &mut Input) -> Faults {
    match input {
        Input::Samples(samples) => {
            let (faults, parts) = faults_and_parts(samples);
            with_lost(faults, &parts)
        }
        Input::Bits(bits) => {
            let parts = parts(&bits.words, bits.microphones, ChannelStatistics::add_words);
            let dead = total(&parts, bits.microphones).dead();
            with_lost(Faults { dead, ..Faults::default() }, &parts)
        }
        // Known only while it is received.
        Input::Stream(_) => Faults::default(),
        Input::Spectra(spectra) => faults_of_spectra(spectra),
    }
}

/// Finds the faults of samples of any sensors, and replaces those that are not finite by zero.
pub fn faults_of_samples(samples: &mut Samples) -> Faults {
    faults_and_parts(samples).0
}

fn faults_and_parts(samples: &mut Samples) -> (Faults, Vec<ChannelStatistics>) {
    let microphones = samples.microphones.max(1);
    let mut not_finite = vec![0_usize; microphones];
    for (i, value) in samples.values.iter_mut().enumerate().filter(|(_, value)| !value.is_finite()) {
        not_finite[i % microphones] += 1;
        *value = 0.0;
    }
    let parts = parts(&samples.values, samples.microphones, ChannelStatistics::add_samples);
    let mut dead = total(&parts, samples.microphones).dead();
    dead.extend(interrupted(&not_finite, samples.frames()));
    dead.sort_unstable();
    dead.dedup();
    let clipped = match samples.full_scale {
        Some(limit) => samples.values.iter().filter(|value| value.abs() >= limit).count(),
        None => flat_tops(&samples.values, microphones, &dead),
    };
    let not_finite = not_finite.iter().sum::<usize>() as u64;
    (Faults { clipped: clipped as u64, not_finite, dead, lost: Vec::new() }, parts)
}

/// The statistics of each part of a recording; the last may be shorter.
fn parts<T: Sync>(
    values: &[T],
    microphones: usize,
    add: fn(&mut ChannelStatistics, &[T]),
) -> Vec<ChannelStatistics> {
    let of_part = |part: &[T]| {
        let mut statistics = ChannelStatistics::new(microphones);
        add(&mut statistics, part);
        statistics
    };
    values.par_chunks(PART * microphones.max(1)).map(of_part).collect()
}

/// The statistics of all parts.
fn total(parts: &[ChannelStatistics], microphones: usize) -> ChannelStatistics {
    let mut total = ChannelStatistics::new(microphones);
    for part in parts {
        total.frames += part.frames;
        total.first.clone_from(&part.first);
        for (sum, other) in total.sums.iter_mut().zip(&part.sums) {
            *sum = [sum[0] + other[0], sum[1] + other[1]];
        }
    }
    total
}

/// Adds the microphones that lose their signal for two parts one after the other while others have one: what they measured before is no field with what
/// the others measure then.
fn with_lost(mut faults: Faults, parts: &[ChannelStatistics]) -> Faults {
    let Some(microphones) = parts.first().map(|part| part.microphones) else { return faults };
    let alive: Vec<usize> = (0..microphones).filter(|m| !faults.dead.contains(m)).collect();
    let of_alive = |levels: Vec<f64>| -> Vec<f64> { alive.iter().map(|m| levels[*m]).collect() };
    let quiet = DEAD_LEVEL * median(&of_alive(total(parts, microphones).levels()));
    let mut before = Vec::new();
    for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.frames as usize == PART) {
        let levels = of_alive(part.levels());
        // Where the whole array is silent, nobody has lost anything.
        let is_silent = median(&levels) <= quiet;
        let silent = if is_silent { Vec::new() } else { dead_channels(&levels) };
        for lost in silent.iter().filter(|m| before.contains(*m)).map(|m| alive[*m]) {
            if faults.lost.iter().all(|(known, _)| *known != lost) {
                faults.lost.push((lost, (i - 1) * PART));
            }
        }
        before = silent;
    }
    faults.dead.extend(faults.lost.iter().map(|(m, _)| *m));
    faults.dead.sort_unstable();
    faults
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

    /// Dead microphones.
    pub fn dead(&self) -> Vec<usize> {
        dead_channels(&self.levels())
    }

    /// The standard deviation of samples, or how many bits change in a frame.
    fn levels(&self) -> Vec<f64> {
        let level = |[sum, squares]: &[f64; 2]| {
            let mean = sum / self.frames;
            if self.first.is_empty() {
                // The variance without the mean: an offset is no
                // signal. Rounding may make it slightly negative.
                (squares / self.frames - mean * mean).max(0.0).sqrt()
            } else {
                // Changed bits: zero for a stuck stream.
                *squares / self.frames
            }
        };
        self.sums.iter().map(level).collect()
    }
}

/// Channels far below the median level.
fn dead_channels(levels: &[f64]) -> Vec<usize> {
    // Of the channels with any signal, since most may be dead. All silent: the threshold is infinite, and every channel is dead.
    let heard: Vec<f64> = levels.iter().copied().filter(|level| *level > 0.0).collect();
    let median = if heard.is_empty() { f64::INFINITY } else { median(&heard) };
    (0..levels.len()).filter(|m| levels[*m] < DEAD_LEVEL * median).collect()
}

/// The upper median; zero of nothing.
fn median(levels: &[f64]) -> f64 {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
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

    /// Longer than what one part of the recording shows: a microphone that dies in the third of four parts, one that is silent for two of them, one that
    /// is for less than two, and a pause of all.
    #[test]
    fn microphones_that_lose_their_signal_are_dead() {
        let wave = |n: usize, m: usize| (0.3 * n as f32 + m as f32).sin();
        let silent = |n: usize, m: usize| match m {
            0 => n >= 2 * PART + 100,
            1 => (PART..3 * PART).contains(&n),
            2 => (PART + 1..3 * PART).contains(&n),
            _ => false,
        };
        let frame = |n: usize| (0..7).map(move |m| if silent(n, m) { 1e-4 } else { 1.0 } * wave(n, m));
        let recording = |frames: usize, pause: std::ops::Range<usize>| {
            let values = (0..frames).flat_map(frame).collect::<Vec<f32>>();
            let mut samples = Samples { rate: 48e3, microphones: 7, values, full_scale: None };
            samples.values[7 * pause.start..7 * pause.end].fill(0.0);
            find_faults(&mut Input::Samples(samples))
        };
        let faults = recording(5 * PART + 50, 0..0);
        assert_eq!((faults.dead, faults.lost), (vec![0, 1], vec![(1, PART), (0, 3 * PART)]));
        // Nothing is told by a pause, nor by one part of silence.
        let faults = recording(4 * PART, PART..3 * PART);
        assert_eq!((faults.dead, faults.lost), (vec![], vec![]));
        // A stream of bits that sticks.
        let mut random = 1_u32;
        let mut word = |n: usize, m: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if m == 2 && n > PART { 7 } else { random }
        };
        let words =
            (0..4 * PART).flat_map(|n| (0..32).map(move |m| (n, m))).map(|(n, m)| word(n, m)).collect();
        let bits = crate::input::Bits { rate: 1.5e6, microphones: 32, words, full_scale: 1.0 };
        let faults = find_faults(&mut Input::Bits(bits));
        assert_eq!((faults.dead, faults.lost), (vec![2], vec![(2, 2 * PART)]));
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
