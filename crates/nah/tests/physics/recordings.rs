//! Recordings of unknown quality: what is wrong with one is said, and a good one passes without a word.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_device::Backend;
use phasefront_nah::simulate::{Noise, SimulatedSource, Tones, field};
use phasefront_nah::*;

const GRID: Grid = Grid { columns: 10, rows: 10, pitch: [0.04; 2] };
const RATE: f64 = 16_384.0;
const FREQUENCY: f64 = 992.0;

/// Two monopoles 5 cm behind the source plane, and noise of −40 dB in every bin; the seed moves the sources.
fn recording(seed: u64) -> Samples {
    let mut random = Noise::new(seed, 1);
    let mut uniform = || random.complex(1.0).arg() / std::f64::consts::TAU;
    let mut monopole = || SimulatedSource::Monopole {
        position: [0.3 * uniform(), 0.3 * uniform(), -0.05],
        strength: Complex64::from_polar(0.3, 6.0 * uniform()),
    };
    let sources = [monopole(), monopole()];
    let k = Medium::AIR.wavenumber(FREQUENCY);
    let pressure = field(&sources, &GRID.positions(), 0.04, k, &Medium::AIR);
    let noise = Some((40.0, 1024));
    Tones { components: vec![(FREQUENCY, pressure)], offset: 0.0, noise, seed }.samples(RATE, 4096)
}

fn problem(samples: Samples, method: Method) -> Problem {
    Problem {
        frequencies: vec![FREQUENCY],
        analysis: Analysis { method: SpectralMethod::Fft { fir: false }, samples: 1024, hop: 1024 },
        method,
        ..Problem::new(GRID, 0.04, Input::Samples(samples))
    }
}

/// Names of the self-checks that do not hold.
fn failing(samples: Samples, method: Method) -> Vec<String> {
    let study = prepare(problem(samples, method)).unwrap();
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    let all = study.self_checks.iter().cloned().chain(solution.self_checks(&study).unwrap());
    all.filter(|check| !check.holds()).map(|check| check.name).collect()
}

/// Changes every sample of a microphone.
fn changed(mut samples: Samples, microphone: usize, change: impl Fn(f32) -> f32) -> Samples {
    samples.values.iter_mut().skip(microphone).step_by(GRID.len()).for_each(|value| *value = change(*value));
    samples
}

#[test]
fn good_recordings_pass_without_a_word() {
    for (seed, method) in (0..6).flat_map(|seed| [(seed, Method::Fft), (seed, Method::Esm)]) {
        assert_eq!(failing(recording(seed), method), Vec::<String>::new(), "seed {seed}, {method:?}");
        // A constant is no sound.
        let mut samples = recording(seed);
        for value in &mut samples.values {
            *value += 5.0;
        }
        assert_eq!(
            failing(samples, method),
            Vec::<String>::new(),
            "seed {seed}, {method:?}, with a constant"
        );
    }
}

#[test]
fn bad_channels_are_named() {
    let (mut inverted, mut found) = (0, 0);
    for (seed, method) in (0..4).flat_map(|seed| [(seed, Method::Fft), (seed, Method::Esm)]) {
        for m in [0, 9, 45, 54, 97] {
            let names = failing(changed(recording(seed), m, |_| 0.5), method);
            assert!(
                names[0] == "dead microphones" && !names.contains(&"clipped samples".to_owned()),
                "{names:?}"
            );
            let interrupted = changed(recording(seed), m, |value| if value > 0.5 { f32::NAN } else { value });
            let names = failing(interrupted, method);
            assert_eq!(names[..2], ["dead microphones", "samples that are not finite"], "seed {seed}");
            let loud = failing(changed(recording(seed), m, |value| 10.0 * value), method);
            assert!(!loud.is_empty(), "seed {seed}, {method:?}, microphone {m} with 20 dB more");
            let names = failing(changed(recording(seed), m, |value| -value), method);
            println!("seed {seed}, {method:?}, microphone {m}: 20 dB more {loud:?}, inverted {names:?}");
            (inverted, found) = (inverted + 1, found + i32::from(!names.is_empty()));
        }
    }
    // The others are near a node, where they measure little of either sign.
    assert!(5 * found >= 4 * inverted, "{found} of {inverted}");
}

#[test]
fn bad_recordings_are_named() {
    for (seed, method) in (0..4).flat_map(|seed| [(seed, Method::Fft), (seed, Method::Esm)]) {
        let has = |samples: Samples, what: &str, name: &str| {
            let names = failing(samples, method);
            println!("seed {seed}, {method:?}, {what}: {names:?}");
            assert!(
                names.iter().any(|found| found.starts_with(name)),
                "seed {seed}, {method:?}, {what}: {names:?}"
            );
        };
        let mut clipped = recording(seed);
        let loudest = clipped.values.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        for value in &mut clipped.values {
            *value = value.clamp(-0.4 * loudest, 0.4 * loudest);
        }
        has(clipped, "clipped", "clipped samples");
        let mut gap = recording(seed);
        gap.values[200 * GRID.len()..300 * GRID.len()].fill(f32::NAN);
        has(gap, "a gap", "samples that are not finite");
        // The channels in another order, and noise alone.
        let mut shuffled = recording(seed);
        for frame in shuffled.values.chunks_exact_mut(GRID.len()) {
            let old = frame.to_vec();
            (0..GRID.len()).for_each(|m| frame[m] = old[(37 * m + 11) % GRID.len()]);
        }
        has(shuffled, "shuffled", "microphones unlike their neighbors");
        let mut noise = Noise::new(seed, 2);
        let values = (0..4096 * GRID.len()).map(|_| noise.complex(1.0).re as f32).collect();
        has(Samples { values, ..recording(seed) }, "noise", "microphones unlike their neighbors");
    }
}
