//! Sources of random sound that are independent of each other: averaged cross-spectra against the sum of the powers of their closed forms.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_nah::post::level;
use phasefront_nah::simulate::SimulatedSource;
use phasefront_nah::*;
use std::f64::consts::{PI, TAU};

const GRID: Grid = Grid { columns: 14, rows: 12, pitch: [0.045; 2] };
const STANDOFF: f64 = 0.05;
const RATE: f64 = 16_384.0;
const WINDOW: usize = 1024;
const FREQUENCY: f64 = 992.0;
const FRAMES: usize = 3 * 16_384;
/// A line of the spectrum, where both sources have an amplitude of 1 Pa m and 0.7 Pa m.
const SOURCES: [([f64; 3], f64); 2] = [([-0.11, 0.04, -0.05], 1.0), ([0.14, -0.06, -0.05], 0.7)];

fn monopole(index: usize, on: bool) -> SimulatedSource {
    let (position, strength) = SOURCES[index];
    SimulatedSource::Monopole { position, strength: Complex64::from(if on { strength } else { 0.0 }) }
}

/// The sound of some of the sources at some positions at the standoff.
fn samples(on: [bool; 2], positions: Vec<[f64; 2]>, snr_db: Option<f64>) -> Samples {
    IncoherentSources {
        sources: vec![monopole(0, on[0]), monopole(1, on[1])],
        positions,
        distance: STANDOFF,
        medium: Medium::AIR,
        frequencies: vec![FREQUENCY],
        window: WINDOW,
        offset: 0.0,
        snr_db,
        seed: 3,
    }
    .samples(RATE, FRAMES)
}

/// The mean square over all windows of the amplitude at the frequency, with half overlap and Hann's window.
fn mean_square(samples: &[f32]) -> f64 {
    let amplitude = |window: &[f32]| -> Complex64 {
        let term = |(n, x): (usize, &f32)| {
            let hann = 0.5 - 0.5 * (TAU * n as f64 / WINDOW as f64).cos();
            Complex64::from_polar(
                4.0 / WINDOW as f64 * hann * f64::from(*x),
                -TAU * FREQUENCY / RATE * n as f64,
            )
        };
        window.iter().enumerate().map(term).sum()
    };
    let windows: Vec<&[f32]> = samples.windows(WINDOW).step_by(WINDOW / 2).collect();
    windows.iter().map(|window| amplitude(window).norm_sqr()).sum::<f64>() / windows.len() as f64
}

/// A² of each source as it sounded in that time, from a microphone that hears it alone.
fn strengths() -> [f64; 2] {
    [0, 1].map(|i| {
        let alone = samples([i == 0, i == 1], vec![[0.0, 0.0]], None);
        let [x, y, z] = SOURCES[i].0;
        mean_square(&alone.values) * (x * x + y * y + (STANDOFF - z).powi(2))
    })
}

/// The mean square of the pressure amplitude of the sources on the source plane.
fn exact(strengths: [f64; 2], [x, y]: [f64; 2]) -> f64 {
    let one = |i: usize| {
        let [u, v, w] = SOURCES[i].0;
        strengths[i] / ((x - u).powi(2) + (y - v).powi(2) + w * w)
    };
    one(0) + one(1)
}

/// Power through the array's rectangle in the source plane: that of a monopole, 2πA²/(ρc), times the solid angle over 4π, which is a sum of arctangents of
/// its four corners.
fn power(strengths: [f64; 2]) -> f64 {
    let half = [0.5 * GRID.columns as f64 * GRID.pitch[0], 0.5 * GRID.rows as f64 * GRID.pitch[1]];
    let one = |i: usize| {
        let [u, v, w] = SOURCES[i].0;
        let corner = |a: f64, b: f64| (a * b / (w.abs() * (a * a + b * b + w * w).sqrt())).atan();
        let angle = corner(half[0] - u, half[1] - v)
            + corner(half[0] + u, half[1] - v)
            + corner(half[0] - u, half[1] + v)
            + corner(half[0] + u, half[1] + v);
        TAU * strengths[i] / (Medium::AIR.density * Medium::AIR.speed) * angle / (4.0 * PI)
    };
    one(0) + one(1)
}

fn problem(samples: Samples, method: Method) -> Problem {
    Problem {
        frequencies: vec![FREQUENCY],
        analysis: Analysis { method: SpectralMethod::Fft { fir: false }, samples: WINDOW, hop: WINDOW / 2 },
        averaging: Averaging::CrossSpectra,
        method,
        ..Problem::new(GRID, STANDOFF, Input::Samples(samples))
    }
}

/// The hologram, and the names of the self-checks that do not hold.
fn solve(problem: Problem) -> (Hologram, Vec<String>) {
    let study = prepare(problem).unwrap();
    let mut solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    let checks = solution.self_checks(&study).unwrap();
    let failing = checks.into_iter().filter(|check| !check.holds()).map(|check| check.name).collect();
    (solution.holograms.remove(0), failing)
}

/// The largest difference of levels where the exact one is at most 6 dB below the largest, and the root mean square of those down to 12 dB below, dB.
fn level_errors(hologram: &Hologram, strengths: [f64; 2]) -> [f64; 2] {
    let points = GRID.positions().into_iter().zip(&hologram.planes[0].pressure);
    let levels: Vec<(f64, f64)> =
        points.map(|(at, p)| (level(exact(strengths, at).sqrt()), level(p.norm()))).collect();
    let largest = levels.iter().map(|(exact, _)| *exact).fold(f64::NEG_INFINITY, f64::max);
    let errors = |depth: f64| -> Vec<f64> {
        let near = levels.iter().filter(|(exact, _)| *exact > largest - depth);
        near.map(|(exact, found)| found - exact).collect()
    };
    let far = errors(12.0);
    let mean = far.iter().map(|error| error * error).sum::<f64>() / far.len() as f64;
    [errors(6.0).into_iter().map(f64::abs).fold(0.0, f64::max), mean.sqrt()]
}

#[test]
fn powers_of_two_monopoles_add() {
    let strengths = strengths();
    for (method, snr_db) in [(Method::Esm, 40.0), (Method::Esm, 20.0), (Method::Fft, 40.0)] {
        let samples = samples([true; 2], GRID.positions(), Some(snr_db));
        let (hologram, failing) = solve(problem(samples.clone(), method));
        assert_eq!(failing, Vec::<String>::new(), "{method:?}, {snr_db} dB");
        let averages = hologram.averages.as_ref().unwrap();
        // Over the width of a line the phases of a source differ a little between microphones: further fields of next to no power.
        let of = |part: &Hologram| part.measured.iter().map(Complex64::norm_sqr).sum::<f64>();
        let two: f64 = averages.parts.iter().take(2).map(of).sum();
        let all: f64 = averages.parts.iter().map(of).sum();
        assert!(averages.significant >= 2 && two > 0.995 * all, "{method:?}, {snr_db} dB: {two} of {all}");
        let [worst, rms] = level_errors(&hologram, strengths);
        let limit = if snr_db < 30.0 { 0.6 } else { 0.5 };
        assert!(worst < limit && rms < limit, "{method:?}, {snr_db} dB: {worst:.2} dB, {rms:.2} dB");
        let power_db = 10.0 * (hologram.planes[0].power / power(strengths)).log10();
        assert!(power_db.abs() < 0.2, "{method:?}, {snr_db} dB: power off by {power_db:.2} dB");
        println!(
            "{method:?}, {snr_db} dB: levels within {worst:.2} dB, {rms:.2} dB RMS, power {power_db:+.3} dB"
        );
        // One window is that of a moment, which is said.
        let single = Problem { averaging: Averaging::None, ..problem(samples, method) };
        let (moment, failing) = solve(single);
        assert!(failing.contains(&"coherence of the windows".to_owned()), "{failing:?}");
        assert!(level_errors(&moment, strengths)[0] > 1.5);
    }
}

/// With the signal of one of both sources as a reference, the hologram is that of this source alone; with both, of both.
#[test]
fn references_tell_sources_apart() {
    let strengths = strengths();
    let channel = |i: usize| samples([i == 0, i == 1], vec![[0.0, 0.0]], None).values;
    let (first, second) = (channel(0), channel(1));
    let references =
        |values: Vec<f32>, microphones| Samples { rate: RATE, microphones, values, full_scale: None };
    let recorded = samples([true; 2], GRID.positions(), Some(20.0));
    for (signal, alone) in [(&first, [strengths[0], 0.0]), (&second, [0.0, strengths[1]])] {
        let with = Problem {
            references: Some(references(signal.clone(), 1)),
            ..problem(recorded.clone(), Method::Esm)
        };
        let (hologram, failing) = solve(with);
        // A part of the sound is of the other source.
        assert_eq!(failing, ["power that references explain"]);
        let [worst, rms] = level_errors(&hologram, alone);
        // The other source is by chance coherent in 89 windows: a tenth of its amplitude.
        assert!(worst < 0.7 && rms < 0.7, "{worst:.2} dB, {rms:.2} dB");
        println!("one reference: within {worst:.2} dB");
    }
    let both = first.iter().zip(&second).flat_map(|(a, b)| [*a, *b]).collect();
    let with = Problem { references: Some(references(both, 2)), ..problem(recorded, Method::Esm) };
    let (hologram, failing) = solve(with);
    assert_eq!(failing, Vec::<String>::new());
    let averages = hologram.averages.as_ref().unwrap();
    assert!(averages.explained > 0.97 && averages.parts.len() == 2, "{}", averages.explained);
    let [worst, rms] = level_errors(&hologram, strengths);
    assert!(worst < 0.6 && rms < 0.6, "{worst:.2} dB, {rms:.2} dB");
    println!("two references: within {worst:.2} dB, {:.4} explained", averages.explained);
}

/// Noise of the microphones alone has no field, and a short recording few averages: both are said.
#[test]
fn noise_and_short_recordings_are_told() {
    let recorded = samples([true; 2], GRID.positions(), Some(20.0));
    let short = Samples { values: recorded.values[..6 * WINDOW * GRID.len()].to_vec(), ..recorded };
    let (_, failing) = solve(problem(short.clone(), Method::Esm));
    assert!(failing.contains(&"independent averages".to_owned()), "{failing:?}");
    let mut random = simulate::Noise::new(9, 0);
    let values = short.values.iter().map(|_| random.complex(1.0).re as f32).collect();
    let (hologram, failing) = solve(problem(Samples { values, ..short }, Method::Esm));
    assert!(failing.contains(&"partial fields".to_owned()), "{failing:?}");
    assert_eq!(hologram.averages.as_ref().unwrap().significant, 0);
}
