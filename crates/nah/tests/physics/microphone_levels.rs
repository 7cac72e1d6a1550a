//! Levels at the microphones, of signals whose levels are known.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_nah::post::{
    FrequencyWeighting, LevelSettings, MicrophoneLevels, TimeWeighting, microphone_levels, rms_level,
    third_octave_center, third_octave_edges,
};
use phasefront_nah::simulate::{Noise, Tones};
use phasefront_nah::*;
use rustfft::FftPlanner;
use std::f64::consts::TAU;

const GRID: Grid = Grid { columns: 3, rows: 3, pitch: [0.1; 2] };
const MICROPHONES: usize = 9;
const RATE: f64 = 48_000.0;
/// RMS value of a tone of 94 dB re 20 µPa.
const RMS_94: f64 = 1.002_374_467;

fn problem(input: Input) -> Problem {
    Problem { frequencies: vec![1000.0], method: Method::Fft, ..Problem::new(GRID, 0.05, input) }
}

/// A recording of the pressure at sample n of microphone m.
fn recording(frames: usize, pressure: impl Fn(usize, usize) -> f64) -> Input {
    let values = (0..frames).flat_map(|n| (0..MICROPHONES).map(move |m| (n, m)));
    let values = values.map(|(n, m)| pressure(n, m) as f32).collect();
    Input::Samples(Samples { rate: RATE, microphones: MICROPHONES, values, full_scale: None })
}

fn measured(
    problem: Problem,
    weightings: (FrequencyWeighting, TimeWeighting),
    interval: f64,
) -> MicrophoneLevels {
    let study = prepare(problem).unwrap();
    let (frequency_weighting, time_weighting) = weightings;
    let settings = LevelSettings { frequency_weighting, time_weighting, interval };
    microphone_levels(&study, &settings, &Progress::silent()).unwrap()
}

fn tone(frequency: f64, n: usize) -> f64 {
    2_f64.sqrt() * RMS_94 * (TAU * frequency * n as f64 / RATE + 0.3).cos()
}

/// Table 3 of IEC 61672-1:2013 from 20 Hz to 20 kHz, dB.
const A: [f64; 31] = [
    -50.5, -44.7, -39.4, -34.6, -30.2, -26.2, -22.5, -19.1, -16.1, -13.4, -10.9, -8.6, -6.6, -4.8, -3.2,
    -1.9, -0.8, 0.0, 0.6, 1.0, 1.2, 1.3, 1.2, 1.0, 0.5, -0.1, -1.1, -2.5, -4.3, -6.6, -9.3,
];
const C: [f64; 31] = [
    -6.2, -4.4, -3.0, -2.0, -1.3, -0.8, -0.5, -0.3, -0.2, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    -0.1, -0.2, -0.3, -0.5, -0.8, -1.3, -2.0, -3.0, -4.4, -6.2, -8.5, -11.2,
];

/// Each microphone hears a tone of 94 dB in the middle of another third octave.
#[test]
fn tones_have_their_level_in_their_band_and_by_the_table_of_weightings() {
    let mut worst = [0.0_f64; 5];
    for first in (0..31).step_by(MICROPHONES) {
        let band = |m: usize| (first + m).min(30) as i32 - 17;
        let input = recording(480_000, |n, m| tone(third_octave_center(band(m)), n));
        let levels = measured(problem(input), (FrequencyWeighting::A, TimeWeighting::Slow), 0.1);
        assert_eq!((levels.bands.first(), levels.bands.last()), (Some(&-17), Some(&13)));
        for (m, found) in levels.microphones.iter().enumerate() {
            let at = (band(m) + 17) as usize;
            let [a, c, z] = found.equivalent.map(rms_level);
            let in_band = rms_level(found.bands[at]);
            // The tenths of the table, and what A makes of the slowest tone within its period.
            let weighted = rms_level(found.weighted_bands[at]);
            let errors =
                [a - 94.0 - A[at], c - 94.0 - C[at], z - 94.0, in_band - 94.0, weighted - 94.0 - A[at]];
            for (worst, error) in worst.iter_mut().zip(errors) {
                *worst = worst.max(error.abs());
            }
            assert!(
                errors.iter().all(|e| e.abs() < 0.1),
                "{:.1} Hz: {errors:?}",
                third_octave_center(band(m))
            );
            // Settled to e^{−10}, with 0.01 dB of ripple at 20 Hz.
            let maximum = rms_level(found.maximum);
            assert!((maximum - 94.0 - A[at]).abs() < 0.1, "{maximum}");
        }
    }
    println!("largest errors of A, C, Z, band, A-weighted band: {worst:.3?} dB");
}

/// White noise of mean square one has a density of 1/(rate/2): in a band that times its width.
#[test]
fn white_noise_has_its_density_times_the_bandwidth() {
    let frames = 960_000;
    let mut noise: Vec<Noise> = (0..MICROPHONES).map(|m| Noise::new(7, m as u64)).collect();
    let values = (0..frames * MICROPHONES).map(|i| noise[i % MICROPHONES].complex(2.0).re as f32).collect();
    let samples = Samples { rate: RATE, microphones: MICROPHONES, values, full_scale: None };
    let levels =
        measured(problem(Input::Samples(samples)), (FrequencyWeighting::Z, TimeWeighting::Fast), 0.1);
    let mean = |i: usize| levels.microphones.iter().map(|m| m.bands[i]).sum::<f64>() / MICROPHONES as f64;
    for (i, band) in levels.bands.iter().enumerate() {
        let [low, high] = third_octave_edges(*band);
        let error = rms_level(mean(i)) - rms_level((high - low) / (0.5 * RATE));
        // The standard deviation of a level is 4.34 dB over the root of bandwidth times duration.
        let deviation = 4.343 / ((high - low) * frames as f64 / RATE * MICROPHONES as f64).sqrt();
        println!(
            "{:.0} Hz: {error:+.3} dB, standard deviation {deviation:.3} dB",
            third_octave_center(*band)
        );
        // The filter of the highest band passes 0.4 % of its power beyond half of the sample rate.
        assert!(error.abs() < 4.0 * deviation + 0.02, "{:.0} Hz: {error}", third_octave_center(*band));
    }
    let total = levels.microphones.iter().map(|m| m.equivalent[2]).sum::<f64>() / MICROPHONES as f64;
    assert!((rms_level(total) - rms_level(1.0)).abs() < 0.02);
}

/// Noise of density c/f has c ln(f₂/f₁) = c ln(10)/10 in every third octave. Lines of random phase, c/f times their distance each.
#[test]
fn pink_noise_has_the_same_level_in_every_band() {
    let frames = 1 << 19;
    let resolution = RATE / frames as f64;
    let mut noise = Noise::new(3, 0);
    let mut lines = vec![Complex64::ZERO; frames];
    for (k, line) in lines.iter_mut().enumerate().take(frames / 2).skip(1) {
        // Re(a e^{jωn}) has the mean square |a|²/2.
        let density = 1e-3 / (k as f64 * resolution);
        *line = Complex64::from_polar((2.0 * density * resolution).sqrt(), noise.complex(1.0).arg());
    }
    FftPlanner::new().plan_fft_inverse(frames).process(&mut lines);
    // Every microphone begins elsewhere in the period.
    let input = recording(frames, |n, m| lines[(n + m * frames / MICROPHONES) % frames].re);
    let levels = measured(problem(input), (FrequencyWeighting::C, TimeWeighting::Fast), 0.1);
    let expected = rms_level(1e-3 * 10_f64.ln() / 10.0);
    for (i, band) in levels.bands.iter().enumerate() {
        let mean = levels.microphones.iter().map(|m| m.bands[i]).sum::<f64>() / MICROPHONES as f64;
        let error = rms_level(mean) - expected;
        println!("{:.0} Hz: {error:+.3} dB", third_octave_center(*band));
        assert!(error.abs() < 0.1, "{:.0} Hz: {error:.3} dB", third_octave_center(*band));
    }
}

/// A tone of 94 dB from 1 s to 3 s: 94 dB + 10 lg(1 − e^{−t/τ}) after its start, and −4.34 dB in each τ after its end.
#[test]
fn fast_and_slow_follow_steps() {
    let on = |n: usize| (48_000..144_000).contains(&n);
    for (weighting, constant) in [(TimeWeighting::Fast, 0.125), (TimeWeighting::Slow, 1.0)] {
        let input = recording(240_000, |n, _| if on(n) { tone(4000.0, n) } else { 0.0 });
        let levels = measured(problem(input), (FrequencyWeighting::Z, weighting), 0.05);
        let end = -(-2.0_f64 / constant).exp_m1();
        let mut compared = 0;
        for row in &levels.history {
            // The level stays what it is in the last 25 ms.
            let time = row.time.min(4.975);
            let expected = if time <= 1.0 {
                continue;
            } else if time <= 3.0 {
                -(-(time - 1.0) / constant).exp_m1()
            } else {
                end * (-(time - 3.0) / constant).exp()
            };
            // Of a signal in single precision, down to 80 dB below the tone.
            if expected > 1e-8 {
                let error = rms_level(row.level) - 94.0 - 10.0 * expected.log10();
                assert!(error.abs() < 0.05, "{weighting:?}, {} s: {error:.3} dB", row.time);
                compared += 1;
            }
        }
        assert!(compared >= 75, "{compared}");
        // Two of five seconds.
        let equivalent = rms_level(levels.microphones[0].equivalent[2]);
        // The ends, faded over 25 ms, are 0.027 dB of the time.
        assert!((equivalent - 94.0 - 10.0 * 0.4_f64.log10()).abs() < 0.04, "{equivalent}");
        let mean = levels.history.iter().map(|row| row.equivalent).sum::<f64>() / levels.history.len() as f64;
        assert!((rms_level(mean) - equivalent).abs() < 0.04);
    }
}

/// Weighted in time after the filter: a tone of 100 Hz in A, at each microphone 1 dB above the one before.
#[test]
fn the_loudest_microphone_is_named() {
    let input = recording(96_000, |n, m| tone(100.0, n) * 10_f64.powf(0.05 * (m as f64 - 8.0)));
    let levels = measured(problem(input), (FrequencyWeighting::A, TimeWeighting::Fast), 0.5);
    let last = levels.history.last().unwrap();
    assert_eq!((last.loudest, levels.history.len()), (8, 4));
    assert!((rms_level(last.maximum) - 94.0 + 19.1).abs() < 0.1, "{}", rms_level(last.maximum));
    let mean = 10.0 * ((0..9).map(|m| 10_f64.powf(-0.1 * f64::from(m))).sum::<f64>() / 9.0).log10();
    assert!((rms_level(last.equivalent) - 94.0 + 19.1 - mean).abs() < 0.1);
}

/// A bitstream: the droop of the decimation filter, 4.7 dB at 16 kHz, does not count. Half of the tone's amplitude is full scale.
#[test]
fn bitstreams_have_levels() {
    let amplitude = Complex64::new(2_f64.sqrt() * RMS_94, 0.0);
    for (frequency, a) in [(1000.0, 0.0), (12_589.25, -4.3)] {
        let components = vec![(frequency, vec![amplitude; MICROPHONES])];
        let tones = Tones { components, offset: 0.1, noise: None, seed: 1 };
        let bits = tones.bits(48_000.0 * 32.0, 24_000, 4.0);
        let levels = measured(problem(Input::Bits(bits)), (FrequencyWeighting::A, TimeWeighting::Slow), 0.25);
        let band = levels.bands.iter().position(|b| (third_octave_center(*b) / frequency - 1.0).abs() < 0.01);
        let level = rms_level(levels.microphones[4].bands[band.unwrap()]);
        assert!((level - 94.0).abs() < 0.1, "{frequency} Hz: {level}");
        let equivalent = rms_level(levels.history[1].equivalent);
        assert!((equivalent - 94.0 - a).abs() < 0.1, "{frequency} Hz: {equivalent}");
    }
}

/// A microphone of twice the gain, one that is dead, and one with a constant pressure.
#[test]
fn microphones_are_calibrated_and_dead_ones_left_out() {
    let input = recording(48_000, |n, m| match m {
        2 => 2.0 * tone(500.0, n),
        5 => 0.0,
        7 => tone(500.0, n) + 3.0,
        _ => tone(500.0, n),
    });
    let mut problem = problem(input);
    problem.calibration =
        Some((0..MICROPHONES).map(|m| Complex64::new(0.0, if m == 2 { 0.5 } else { 1.0 })).collect());
    let levels = measured(problem, (FrequencyWeighting::Z, TimeWeighting::Fast), 0.1);
    let numbers: Vec<usize> = levels.microphones.iter().map(|m| m.microphone).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 6, 7, 8]);
    for microphone in &levels.microphones {
        assert!((rms_level(microphone.equivalent[2]) - 94.0).abs() < 0.001);
    }
}

/// The bands that a second can tell: at least 10 Hz wide, from 50 Hz on; at 8 kHz up to 3.15 kHz.
#[test]
fn bands_need_time_and_a_sample_rate() {
    let mut input = recording(8000, |n, _| tone(500.0, n));
    let Input::Samples(samples) = &mut input else { panic!("samples") };
    samples.rate = 8000.0;
    let levels = measured(problem(input), (FrequencyWeighting::Z, TimeWeighting::Fast), 0.1);
    assert_eq!((levels.bands.first(), levels.bands.last()), (Some(&-13), Some(&5)));
}

#[test]
fn phasors_and_wrong_intervals_are_refused() {
    let refused = |problem: Problem, interval: f64| {
        let study = prepare(problem).unwrap();
        let settings = LevelSettings {
            frequency_weighting: FrequencyWeighting::A,
            time_weighting: TimeWeighting::Fast,
            interval,
        };
        settings.check(&study).unwrap_err().path
    };
    let phasors = vec![Spectrum { frequency: 1000.0, pressure: vec![Complex64::ONE; MICROPHONES] }];
    assert_eq!(refused(problem(Input::Spectra(phasors)), 0.1), "output.levels");
    for interval in [0.0, 0.000_9, 1.1, f64::NAN] {
        let input = recording(48_000, |n, _| tone(500.0, n));
        assert_eq!(refused(problem(input), interval), "output.levels.interval");
    }
}

/// What the A filter rings after in the faded ends is no level: each interval has that of the tone, or none.
#[test]
fn short_intervals_have_the_level_of_the_tone_or_none() {
    let input = recording(96_000, |n, _| tone(100.0, n));
    let levels = measured(problem(input), (FrequencyWeighting::A, TimeWeighting::Fast), 0.01);
    let found: Vec<f64> = levels.history.iter().map(|row| rms_level(row.equivalent)).collect();
    let known = found.iter().filter(|level| level.is_finite());
    assert!(known.clone().count() > 190 && !found[found.len() - 1].is_finite(), "{found:?}");
    assert!(known.clone().all(|level| (level - 94.0 + 19.1).abs() < 1.5), "{found:?}");
}

#[test]
fn recordings_that_are_too_short_or_begin_abruptly_are_told() {
    let warnings = |input: Input, time_weighting| {
        let study = prepare(problem(input)).unwrap();
        let frequency_weighting = FrequencyWeighting::A;
        LevelSettings { frequency_weighting, time_weighting, interval: 0.05 }.warnings(&study)
    };
    let long = |n: usize, _| tone(1000.0, n);
    assert_eq!(warnings(recording(240_000, long), TimeWeighting::Slow), [""; 0]);
    let short = warnings(recording(24_000, long), TimeWeighting::Slow);
    assert!(short[0].starts_with("third-octave bands below 100 Hz are left out"), "{short:?}");
    // 1 − e^{−1/2}.
    assert!(short[1].contains("a steady sound stays 4.1 dB too low"), "{short:?}");
    let burst = |n: usize, _| if n < 960 { tone(1000.0, n) } else { 0.0 };
    let abrupt = warnings(recording(240_000, burst), TimeWeighting::Fast);
    assert!(abrupt.len() == 1 && abrupt[0].contains("first or the last 25 ms"), "{abrupt:?}");
}
