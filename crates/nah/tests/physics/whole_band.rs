//! One recording over the whole band: holograms below the spatial limit of the array, beamforming above it, and microphones that fail in it.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_nah::simulate::{Noise, SimulatedSource};
use phasefront_nah::*;
use std::f64::consts::{PI, TAU};

/// Half a wavelength at 2288 Hz.
const GRID: Grid = Grid { columns: 8, rows: 8, pitch: [0.075; 2] };
const STANDOFF: f64 = 0.15;
const RATE: f64 = 16_384.0;
const WINDOW: usize = 512;
const FREQUENCIES: [f64; 3] = [992.0, 3200.0, 6400.0];
const FRAMES: usize = 4 * 16_384;
/// Of the hologram, from the array.
const PLANE: f64 = 0.075;
/// Next to the source plane, where beamforming takes them to be.
const SOURCES: [([f64; 3], f64); 2] = [([-0.11, 0.06, -0.005], 1.0), ([0.13, -0.04, -0.005], 0.5)];

fn samples(positions: Vec<[f64; 2]>, on: [bool; 2], snr_db: Option<f64>) -> Samples {
    let monopole = |i: usize| {
        let (position, strength) = SOURCES[i];
        let strength = Complex64::from(if on[i] { strength } else { 0.0 });
        SimulatedSource::Monopole { position, strength }
    };
    let sources = vec![monopole(0), monopole(1)];
    let frequencies = FREQUENCIES.to_vec();
    IncoherentSources {
        sources,
        positions,
        distance: STANDOFF,
        medium: Medium::AIR,
        frequencies,
        window: WINDOW,
        offset: 0.0,
        snr_db,
        seed: 5,
    }
    .samples(RATE, FRAMES)
}

/// A² of a source at a frequency as it sounded in that time, from a microphone that hears it alone: the mean over windows of Hann's with half overlap.
fn strength(source: usize, frequency: f64) -> f64 {
    let alone = samples(vec![[0.0; 2]], [source == 0, source == 1], None).values;
    let amplitude = |window: &[f32]| -> Complex64 {
        let term = |(n, x): (usize, &f32)| {
            let hann = 0.5 - 0.5 * (TAU * n as f64 / WINDOW as f64).cos();
            let value = 4.0 / WINDOW as f64 * hann * f64::from(*x);
            Complex64::from_polar(value, -TAU * frequency / RATE * n as f64)
        };
        window.iter().enumerate().map(term).sum()
    };
    let windows: Vec<&[f32]> = alone.windows(WINDOW).step_by(WINDOW / 2).collect();
    let [x, y, z] = SOURCES[source].0;
    let square = x * x + y * y + (STANDOFF - z).powi(2);
    windows.iter().map(|window| amplitude(window).norm_sqr()).sum::<f64>() / windows.len() as f64 * square
}

fn problem(samples: Samples) -> Problem {
    Problem {
        frequencies: FREQUENCIES.to_vec(),
        analysis: Analysis { method: SpectralMethod::Fft { fir: false }, samples: WINDOW, hop: WINDOW / 2 },
        averaging: Averaging::CrossSpectra,
        beamforming: Some(BeamformingSettings {
            method: Beamforming::CleanSc(Diagonal::Removed),
            above: None,
            size: None,
            spacing: None,
        }),
        planes: vec![PLANE],
        ..Problem::new(GRID, STANDOFF, Input::Samples(samples))
    }
}

/// The solution, and the names of the self-checks that do not hold.
fn solve(problem: Problem) -> (Study, Solution, Vec<String>) {
    let study = prepare(problem).unwrap();
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    let mut checks = study.self_checks.clone();
    checks.extend(solution.self_checks(&study).unwrap());
    let failing = checks.into_iter().filter(|check| !check.holds()).map(|check| check.name).collect();
    (study, solution, failing)
}

fn half(x: [f64; 2]) -> Region {
    Region { name: String::new(), x, y: [-1.0, 1.0] }
}

/// The power of a monopole through a rectangle of the plane of the hologram: 2πA²/(ρc) times the solid angle over 4π, a sum of arctangents of its four corners.
fn power_through(source: usize, square: f64, x: [f64; 2]) -> f64 {
    let [u, v, z] = SOURCES[source].0;
    let w = STANDOFF - PLANE - z;
    let side = 0.5 * GRID.rows as f64 * GRID.pitch[1];
    let corner = |a: f64, b: f64| (a * b / (w * (a * a + b * b + w * w).sqrt())).atan();
    let at = |a: f64| corner(a - u, side - v) + corner(a - u, side + v);
    TAU * square / (Medium::AIR.density * Medium::AIR.speed) * (at(x[1]) - at(x[0])) / (4.0 * PI)
}

fn decibels(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

/// Two monopoles: a hologram at the lowest frequency, its power through each half of the plane by the solid angle; sources at the others, at their places and with
/// their power, which the goal has within 1 dB.
#[test]
fn holograms_below_the_limit_and_beamforming_above() {
    let (study, solution, failing) = solve(problem(samples(GRID.positions(), [true; 2], Some(30.0))));
    assert_eq!(failing, Vec::<String>::new());
    assert_eq!(
        (&study.frequencies[..], &study.beamforming_frequencies[..]),
        (&[992.0][..], &[3200.0, 6400.0][..])
    );
    let edge = 0.5 * GRID.columns as f64 * GRID.pitch[0];
    let strengths = [0, 1].map(|source| strength(source, FREQUENCIES[0]));
    for x in [[-edge, 0.0], [0.0, edge]] {
        let exact: f64 = (0..2).map(|source| power_through(source, strengths[source], x)).sum();
        let found = half(x).power(&study.problem, &solution.holograms[0].planes[0]);
        let error = decibels(found.power / exact);
        println!(
            "hologram, {x:?}: {:.3e} W, off by {error:+.2} dB, F3 - F2 {:.2} dB",
            found.power,
            found.f3 - found.f2
        );
        assert!(error.abs() < 1.0, "{x:?}: {error} dB");
        assert!(found.f3 - found.f2 < 1.0 && found.power_error < found.power, "{found:?}");
    }
    for found in &solution.beamformed {
        for (i, (place, _)) in SOURCES.iter().enumerate() {
            let exact = strength(i, found.frequency);
            let FoundSource { position: [x, y], power } = found.sources[i];
            let error = decibels(power / exact);
            println!(
                "{} Hz: source at {x:.3}, {y:.3} m, off by {error:+.2} dB, told apart from {:.3} m",
                found.frequency, found.resolution
            );
            assert!((x - place[0]).hypot(y - place[1]) < 0.01, "{x} {y} of {place:?}");
            assert!(error.abs() < 1.0, "{error} dB");
            let x = if i == 0 { [-edge, 0.0] } else { [0.0, edge] };
            assert!(decibels(half(x).strength(found) / exact).abs() < 1.0);
        }
        // πA²/(ρc) of both.
        let all: f64 = (0..2).map(|i| strength(i, found.frequency)).sum();
        let exact = PI * all / (Medium::AIR.density * Medium::AIR.speed);
        assert!(decibels(found.power.unwrap() / exact).abs() < 1.0);
    }
}

/// Beamforming of noise, and where a regular array sees sources at several places, is told.
#[test]
fn noise_and_grating_lobes_are_told() {
    let mut random = Noise::new(11, 0);
    let mut noise = samples(GRID.positions(), [true; 2], Some(30.0));
    noise.values.iter_mut().for_each(|value| *value = random.complex(1.0).re as f32);
    let (_, _, failing) = solve(Problem { frequencies: vec![6400.0], ..problem(noise) });
    assert!(failing.contains(&"power in the sources of beamforming".to_owned()), "{failing:?}");
    // Far away the spherical waves are nearly plane, and the pitch of the array is more than a wavelength.
    let far = BeamformingSettings {
        method: Beamforming::DelayAndSum(Diagonal::Removed),
        above: None,
        size: Some([6.0; 2]),
        spacing: Some(0.05),
    };
    let recorded = samples(GRID.positions(), [true; 2], Some(30.0));
    let problem = Problem {
        standoff: 3.0,
        planes: vec![3.0],
        frequencies: vec![6400.0],
        beamforming: Some(far),
        ..problem(recorded)
    };
    let (_, _, failing) = solve(problem);
    assert!(failing.contains(&"side lobes of the array".to_owned()), "{failing:?}");
}

/// A microphone that dies after 3 s of 4 is left out, and a sound next to one microphone that no other hears is told: its own power is 20 dB above the field.
#[test]
fn microphones_that_fail_or_hear_alone_are_told() {
    let only_low =
        |samples: Samples| Problem { frequencies: vec![992.0], beamforming: None, ..problem(samples) };
    let recorded = samples(GRID.positions(), [true; 2], Some(30.0));
    let mut dying = recorded.clone();
    let frame = 3 * 16_384;
    dying.values[frame * GRID.len()..].iter_mut().skip(9).step_by(GRID.len()).for_each(|value| *value = 0.0);
    let (study, _, failing) = solve(only_low(dying));
    assert_eq!((&study.faults.dead[..], &failing[..]), (&[9][..], &["dead microphones".to_owned()][..]));
    assert_eq!(study.faults.lost, [(9, frame)]);
    let sentence = &study.self_checks[0].sentence;
    assert!(
        sentence.ends_with("1 of them had a signal and lost it, microphone 9 at 3.0 s first"),
        "{sentence}"
    );
    let mut alone = recorded;
    let mut random = Noise::new(2, 0);
    let level =
        (alone.values.iter().map(|p| f64::from(p * p)).sum::<f64>() / alone.values.len() as f64).sqrt();
    for value in alone.values.iter_mut().skip(20).step_by(GRID.len()) {
        *value += (10.0 * level * random.complex(1.0).re) as f32;
    }
    let (_, solution, failing) = solve(only_low(alone));
    assert!(failing.contains(&"sound that one microphone alone hears".to_owned()), "{failing:?}");
    let rest = &solution.holograms[0].averages.as_ref().unwrap().rest;
    let most = (0..rest.len()).max_by(|a, b| rest[*a].total_cmp(&rest[*b]));
    assert_eq!(most, Some(20));
}
