//! Sound levels at the microphones, as a sound level meter has them: equivalent levels in third octaves and with frequency weightings, and
//! time-weighted levels.
//!
//! Weightings and filters are applied in the frequency domain, to blocks of seconds, so that they are those of the standards up to half of the
//! sample rate. Powers are averages over time: blocks overlap by half, with the sine window, whose squares add up to one. So every sample
//! counts once (Parseval), and the noise bandwidth of the window cancels.

use crate::cic::{DC_GAIN, Decimator, droop};
use crate::error::NahError;
use crate::input::Input;
use crate::metrics::REFERENCE_PRESSURE;
use crate::study::Study;
use crate::third_octaves::{third_octave_edges, third_octave_filter};
use crate::time_weighting::{TimeAverage, TimeWeighting};
use crate::weighting::FrequencyWeighting;
use num_complex::Complex64;
use phasefront_core::decibels::power_db;
use phasefront_core::{FieldError, Progress};
use rayon::prelude::*;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::PI;
use std::sync::Arc;

/// Which sound levels are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelSettings {
    /// Frequency weighting of the levels over time and of the weighted bands.
    pub frequency_weighting: FrequencyWeighting,
    /// Time weighting of the levels over time.
    pub time_weighting: TimeWeighting,
    /// Time from one level to the next, s.
    pub interval: f64,
}

/// Sound levels of all microphones that have a signal.
#[derive(Debug, Clone, PartialEq)]
pub struct MicrophoneLevels {
    /// By microphone.
    pub microphones: Vec<MicrophoneLevel>,
    /// Numbers of the third-octave bands; see [`third_octave_center`](crate::post::third_octave_center).
    pub bands: Vec<i32>,
    /// Levels over time.
    pub history: Vec<LevelAt>,
}

/// Mean squares of the pressure at a microphone, Pa².
#[derive(Debug, Clone, PartialEq)]
pub struct MicrophoneLevel {
    /// Its number.
    pub microphone: usize,
    /// Average over the recording with the weightings A, C and Z.
    pub equivalent: [f64; 3],
    /// The largest value with the chosen weightings.
    pub maximum: f64,
    /// Averages over the recording in third-octave bands.
    pub bands: Vec<f64>,
    /// The same with the chosen frequency weighting.
    pub weighted_bands: Vec<f64>,
}

/// Mean squares of the weighted pressure in an interval, Pa².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelAt {
    /// End of the interval, s.
    pub time: f64,
    /// Average over the interval and over the microphones.
    pub equivalent: f64,
    /// Time-weighted, at the end of the interval, average over the microphones.
    pub level: f64,
    /// The largest time-weighted value of a microphone in the interval.
    pub maximum: f64,
    /// The microphone that has it.
    pub loudest: usize,
}

/// Sound pressure level of a mean square, dB re 20 µPa.
///
/// ```
/// // 1 Pa RMS.
/// assert!((phasefront_nah::post::rms_level(1.0) - 93.98).abs() < 0.001);
/// ```
pub fn rms_level(mean_square: f64) -> f64 {
    power_db(mean_square / (REFERENCE_PRESSURE * REFERENCE_PRESSURE))
}

/// Numbers of the third-octave bands from 20 Hz to 20 kHz.
const BANDS: std::ops::RangeInclusive<i32> = -17..=13;
/// Product of bandwidth and duration below which a band is omitted: the standard deviation of the level of noise would be above
/// 4.34 dB/√10 = 1.4 dB, and a tone that is cut to the recording would lose 0.1 dB to other bands.
const MIN_PRODUCT: f64 = 10.0;
/// Attenuation of a filter that is taken as infinite: −100 dB.
const NEGLIGIBLE: f64 = 1e-10;
/// The shortest interval, s, which bounds the memory of the history.
const MIN_INTERVAL: f64 = 1e-3;
/// Length of the blocks, s: lines of at most a quarter of a hertz, in bands of at least 4.6 Hz.
const BLOCK: f64 = 4.0;
/// The response of the A filter to an impulse has decayed by 140 dB after an eighth of that, s.
const SHORTEST_FILTER_BLOCK: f64 = 1.0;
/// The ends of a recording are no sound: it fades in and out over this time, s, or a tenth of its duration if that is shorter. The step of a
/// tone of 20 Hz would be louder than the tone itself in A.
pub(crate) const FADE: f64 = 0.025;
/// The largest block, samples.
const MAX_BLOCK: usize = 1 << 22;

impl LevelSettings {
    /// Refuses settings and inputs without levels.
    pub fn check(&self, study: &Study) -> Result<(), FieldError> {
        let problem = &study.problem;
        let (Some(rate), false) = (problem.sample_rate(), study.is_stream()) else {
            let message = "levels at the microphones need a recording, and the source is a stream or phasors";
            return Err(FieldError::new("output.levels", message, "remove `levels`, or give a recording"));
        };
        let duration = problem.frames() as f64 / rate;
        if !(self.interval >= MIN_INTERVAL && self.interval <= duration) {
            let message = format!(
                "the interval of the levels is {} s, and must be from {MIN_INTERVAL} s to the duration of the recording, {duration} s",
                self.interval
            );
            let advice = "write for example `interval = \"10 ms\"`";
            return Err(FieldError::new("output.levels.interval", message, advice));
        }
        Ok(())
    }
}

/// Sound levels at the microphones of a recording.
pub fn microphone_levels(
    study: &Study,
    settings: &LevelSettings,
    progress: &Progress,
) -> Result<MicrophoneLevels, NahError> {
    settings.check(study)?;
    let count = study.problem.format().microphones;
    let live: Vec<usize> = (0..count).filter(|m| !study.faults.dead.contains(m)).collect();
    let meter = Meter::new(study, settings);
    let stage = progress.stage("levels", Some(live.len() as u64), "microphones");
    let mut readings = Vec::with_capacity(live.len());
    // Channels are copied one for each thread, not all at once.
    for some in live.chunks(rayon::current_num_threads().max(1)) {
        progress.check()?;
        readings.par_extend(some.par_iter().map(|m| meter.read(study, *m)));
        stage.advance(some.len() as u64);
    }
    let history = meter.history(&readings);
    let microphones = readings.into_iter().map(|reading| reading.level).collect();
    Ok(MicrophoneLevels { microphones, bands: meter.bands, history })
}

/// What is measured at one microphone.
struct Reading {
    level: MicrophoneLevel,
    /// For each interval the average, the time-weighted value at its end, and its maximum.
    history: Vec<[f64; 3]>,
}

/// Numbers of the bands that a recording is long enough for, and its sample rate high enough.
pub(crate) fn measured_bands(rate: f64, duration: f64) -> Vec<i32> {
    let is_measured = |band: &i32| {
        let [low, high] = third_octave_edges(*band);
        high <= 0.5 * rate && (high - low) * duration >= MIN_PRODUCT
    };
    BANDS.filter(is_measured).collect()
}

/// Everything that is the same for all microphones.
struct Meter {
    settings: LevelSettings,
    rate: f64,
    /// Samples of an interval.
    interval: usize,
    /// Factor of each sample at the beginning and, reversed, at the end.
    fade: Vec<f64>,
    bands: Vec<i32>,
    /// Blocks of the power spectrum.
    fft: Arc<dyn Fft<f64>>,
    window: Vec<f64>,
    /// Squared magnitudes of A, C and Z at the lines from zero to half of the sample rate, over that of the decimation filter.
    weights: [Vec<f64>; 3],
    /// The first line of each band, and the squared magnitude of its filter from there on.
    filters: Vec<(usize, Vec<f64>)>,
    /// Blocks of the weighting filter.
    filter_fft: [Arc<dyn Fft<f64>>; 2],
    /// The complex response, over the number of lines.
    response: Vec<Complex64>,
}

impl Meter {
    fn new(study: &Study, settings: &LevelSettings) -> Self {
        let problem = &study.problem;
        let (rate, frames) = (problem.sample_rate().unwrap_or(f64::NAN), problem.frames());
        let is_bits = matches!(problem.input, Input::Bits(_));
        let duration = frames as f64 / rate;
        let size = |seconds: f64| ((seconds * rate).ceil() as usize).next_power_of_two().clamp(16, MAX_BLOCK);
        let block = size(BLOCK.min(duration));
        let resolution = rate / block as f64;
        // Powers of a bitstream have passed the decimation filter.
        let gain = |cycles: f64| if is_bits { 1.0 / droop(cycles) } else { 1.0 };
        let at = |line: usize| line as f64 * resolution;
        let power = |line: usize| gain(line as f64 / block as f64).powi(2);
        let weights =
            [FrequencyWeighting::A, FrequencyWeighting::C, FrequencyWeighting::Z].map(|weighting| {
                (0..=block / 2).map(|line| weighting.response(at(line)).norm_sqr() * power(line)).collect()
            });
        let bands = measured_bands(rate, duration);
        let filter = |band: &i32| {
            let passes = |line: &usize| third_octave_filter(*band, at(*line)) > NEGLIGIBLE;
            let first = (1..=block / 2).find(passes).unwrap_or(1);
            let lines = (first..=block / 2).take_while(passes);
            (first, lines.map(|line| third_octave_filter(*band, at(line))).collect())
        };
        let filters = bands.iter().map(filter).collect();
        let filter_block = size(BLOCK.min(duration + SHORTEST_FILTER_BLOCK));
        let response = |line: usize| {
            let line = if line <= filter_block / 2 { line as f64 } else { line as f64 - filter_block as f64 };
            let cycles = line / filter_block as f64;
            let weight = settings.frequency_weighting.response(cycles * rate) * gain(cycles.abs());
            // A real filter has a real response at half of the sample rate.
            if cycles == 0.5 { Complex64::from(weight.norm()) } else { weight }.unscale(filter_block as f64)
        };
        let mut planner = FftPlanner::new();
        Self {
            settings: *settings,
            rate,
            interval: ((settings.interval * rate).round() as usize).max(1),
            fade: {
                let length = (FADE.min(0.1 * duration) * rate).round().max(1.0);
                (0..length as usize).map(|n| (0.5 * PI * (n as f64 + 0.5) / length).sin().powi(2)).collect()
            },
            fft: planner.plan_fft_forward(block),
            window: (0..block).map(|n| (PI * (n as f64 + 0.5) / block as f64).sin()).collect(),
            weights,
            filters,
            bands,
            filter_fft: [planner.plan_fft_forward(filter_block), planner.plan_fft_inverse(filter_block)],
            response: (0..filter_block).map(response).collect(),
        }
    }

    /// The factor of a sample by the fading of the ends.
    fn faded(&self, n: usize, frames: usize) -> f64 {
        self.fade.get(n.min(frames - 1 - n)).copied().unwrap_or(1.0)
    }

    /// Levels of a microphone.
    fn read(&self, study: &Study, microphone: usize) -> Reading {
        let mut signal = channel(study, microphone);
        let frames = signal.len();
        for (n, value) in signal.iter_mut().enumerate() {
            *value *= self.faded(n, frames) as f32;
        }
        let spectrum = self.power_spectrum(&signal);
        let weighted = |weights: &[f64]| -> Vec<f64> {
            weights.iter().zip(&spectrum).map(|(weight, power)| weight * power).collect()
        };
        let spectra = self.weights.each_ref().map(|weights| weighted(weights));
        let in_bands = |spectrum: &[f64]| -> Vec<f64> {
            let of_band = |(first, filter): &(usize, Vec<f64>)| {
                filter.iter().zip(&spectrum[*first..]).map(|(filter, power)| filter * power).sum()
            };
            self.filters.iter().map(of_band).collect()
        };
        let chosen = match self.settings.frequency_weighting {
            FrequencyWeighting::A => 0,
            FrequencyWeighting::C => 1,
            FrequencyWeighting::Z => 2,
        };
        let (bands, weighted_bands) = (in_bands(&spectra[2]), in_bands(&spectra[chosen]));
        let equivalent = spectra.each_ref().map(|spectrum| spectrum.iter().sum());
        let (history, maximum) = self.time_levels(&signal);
        Reading { level: MicrophoneLevel { microphone, equivalent, maximum, bands, weighted_bands }, history }
    }

    /// The mean square in each line from zero to half of the sample rate: blocks with the sine window, half overlapping, from half a block
    /// before the signal to half a block after.
    fn power_spectrum(&self, signal: &[f32]) -> Vec<f64> {
        let block = self.window.len();
        let mut powers = vec![0.0; block / 2 + 1];
        let mut lines = vec![Complex64::ZERO; block];
        let mut scratch = vec![Complex64::ZERO; self.fft.get_inplace_scratch_len()];
        let windowed = |start: usize, n: usize| {
            (start + n)
                .checked_sub(block / 2)
                .and_then(|i| signal.get(i))
                .map_or(0.0, |x| f64::from(*x) * self.window[n])
        };
        // Two blocks in one transform, as real and imaginary part: the sum of |Z_k|² and |Z_{−k}|² is twice that of their powers.
        for start in (0..signal.len() + block / 2).step_by(block) {
            for (n, value) in lines.iter_mut().enumerate() {
                *value = Complex64::new(windowed(start, n), windowed(start + block / 2, n));
            }
            self.fft.process_with_scratch(&mut lines, &mut scratch);
            for (line, value) in lines.iter().enumerate() {
                powers[line.min(block - line)] += value.norm_sqr();
            }
        }
        // The mean over what is left of the time.
        let time: f64 = (0..signal.len()).map(|n| self.faded(n, signal.len()).powi(2)).sum();
        let scale = 1.0 / (block as f64 * time);
        powers.into_iter().map(|power| power * scale).collect()
    }

    /// Weighted in frequency and time: for each interval the average, the last value and the largest; and the largest of all.
    fn time_levels(&self, signal: &[f32]) -> (Vec<[f64; 3]>, f64) {
        let block = self.response.len();
        // An eighth on either side is spoiled by the wrap-around of the transform (overlap-save).
        let (guard, step) = (block / 8, block - block / 4);
        let mut lines = vec![Complex64::ZERO; block];
        let scratch = self.filter_fft.each_ref().map(|fft| fft.get_inplace_scratch_len());
        let mut scratch = vec![Complex64::ZERO; scratch[0].max(scratch[1])];
        let value =
            |at: usize| at.checked_sub(guard).and_then(|i| signal.get(i)).map_or(0.0, |x| f64::from(*x));
        let mut average = TimeAverage::new(self.settings.time_weighting, self.rate);
        let (mut history, mut maximum, mut frames) = (Vec::new(), 0.0_f64, 0_usize);
        let (mut sum, mut time, mut largest, mut weighted) = (0.0, 0.0, 0.0_f64, 0.0);
        let enough = 0.5 * self.interval as f64;
        for start in (0..signal.len()).step_by(2 * step) {
            for (n, line) in lines.iter_mut().enumerate() {
                // A real filter leaves two blocks apart, as real and imaginary part.
                *line = Complex64::new(value(start + n), value(start + step + n));
            }
            self.filter_fft[0].process_with_scratch(&mut lines, &mut scratch);
            lines.iter_mut().zip(&self.response).for_each(|(line, response)| *line *= response);
            self.filter_fft[1].process_with_scratch(&mut lines, &mut scratch);
            let filtered = &lines[guard..][..step];
            let both = filtered.iter().map(|value| value.re).chain(filtered.iter().map(|value| value.im));
            for pressure in both.take(signal.len() - start) {
                let square = pressure * pressure;
                // The end is no sound: the level stays where it is.
                if frames + self.fade.len() < signal.len() {
                    weighted = average.push(square);
                }
                (sum, largest) = (sum + square, largest.max(weighted));
                time += self.faded(frames, signal.len()).powi(2);
                frames += 1;
                if frames.is_multiple_of(self.interval) {
                    // What the filter rings after, over next to no time that is left of the fade, is no average.
                    let equivalent = if time >= enough { sum / time } else { f64::NAN };
                    history.push([equivalent, weighted, largest]);
                    (sum, time) = (0.0, 0.0);
                    maximum = maximum.max(std::mem::take(&mut largest));
                }
            }
        }
        (history, maximum.max(largest))
    }

    /// Levels over time of all microphones.
    fn history(&self, readings: &[Reading]) -> Vec<LevelAt> {
        let count = readings.len().max(1) as f64;
        let intervals = readings.first().map_or(0, |reading| reading.history.len());
        let row = |i: usize| {
            let all = || readings.iter().map(|reading| (reading.level.microphone, reading.history[i]));
            let mean = |column: usize| all().map(|(_, row)| row[column]).sum::<f64>() / count;
            let (loudest, maximum) = all()
                .map(|(m, row)| (m, row[2]))
                .fold((0, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a });
            let time = ((i + 1) * self.interval) as f64 / self.rate;
            LevelAt { time, equivalent: mean(0), level: mean(1), maximum, loudest }
        };
        (0..intervals).map(row).collect()
    }
}

/// The signal of a microphone in Pa, calibrated and without its mean, which is no sound.
fn channel(study: &Study, microphone: usize) -> Vec<f32> {
    let problem = &study.problem;
    let mut signal: Vec<f32> = match &problem.input {
        Input::Samples(samples) => {
            samples.values.iter().skip(microphone).step_by(samples.microphones.max(1)).copied().collect()
        }
        Input::Bits(bits) => {
            let mut decimator = Decimator::default();
            let words = bits.words.iter().skip(microphone).step_by(bits.microphones.max(1));
            let scale = bits.full_scale / f64::from(DC_GAIN);
            words.map(|word| (f64::from(decimator.push(*word)) * scale) as f32).collect()
        }
        // Without samples there is no level; refused by `check`.
        Input::Spectra(_) | Input::Stream(_) => Vec::new(),
    };
    // The decimation filter of a bitstream has settled after two words.
    let settling = if matches!(problem.input, Input::Bits(_)) { 2.min(signal.len()) } else { 0 };
    let (unsettled, settled) = signal.split_at_mut(settling);
    unsettled.fill(0.0);
    let mean = settled.iter().map(|x| f64::from(*x)).sum::<f64>() / settled.len().max(1) as f64;
    let factor = problem.calibration.as_ref().map_or(1.0, |all| all[microphone].norm());
    for x in settled {
        *x = (factor * (f64::from(*x) - mean)) as f32;
    }
    signal
}
