//! Third-octave sound power of plane waves, whose intensity is p²/(ρc).

use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_nah::post::{BandPower, power_level, third_octave_edges, third_octave_powers};
use phasefront_nah::simulate::{Noise, Tones};
use phasefront_nah::*;

const GRID: Grid = Grid { columns: 8, rows: 8, pitch: [0.1; 2] };
const RATE: f64 = 16_384.0;
/// Bins are 16 Hz wide.
const SAMPLES: usize = 1024;

fn problem(input: Input, frequencies: Vec<f64>) -> Problem {
    let filter = Filter::CosModified { cutoff: 27.0, slope: 0.1 };
    Problem {
        frequencies,
        analysis: Analysis { method: SpectralMethod::Fft { fir: false }, samples: SAMPLES, hop: SAMPLES / 2 },
        method: Method::Fft,
        filter: FilterChoice::Given(Filters { pressure: filter, velocity: filter }),
        ..Problem::new(GRID, 0.05, input)
    }
}

/// Bands of a wave at normal incidence, from the bins between two frequencies: all microphones hear the same samples.
fn bands(samples: &[f32], between: [f64; 2]) -> Vec<BandPower> {
    let values = samples.iter().flat_map(|p| std::iter::repeat_n(*p, GRID.len())).collect();
    let input = Input::Samples(Samples { rate: RATE, microphones: GRID.len(), values, full_scale: None });
    let bins = (between[0] / 16.0) as usize..=(between[1] / 16.0) as usize;
    let study = prepare(problem(input, bins.map(|bin| 16.0 * bin as f64).collect())).unwrap();
    let solution = study.solve(&Backend::Cpu, &phasefront_core::Progress::silent()).unwrap();
    third_octave_powers(&study, &solution)
}

/// The power through the array of a plane wave with this mean square pressure, W.
fn power(mean_square: f64) -> f64 {
    let area = GRID.len() as f64 * GRID.pitch[0] * GRID.pitch[1];
    mean_square * area / (Medium::AIR.density * Medium::AIR.speed)
}

/// White noise of the mean square σ² has (f₂ − f₁)/(rate/2) of it in a band. Every second seed is kept from the choice of the tolerances.
#[test]
fn bands_of_white_noise_have_its_power() {
    const SEEDS: u64 = 16;
    let mut sums = std::collections::BTreeMap::<i64, (f64, f64)>::new();
    for seed in 0..SEEDS {
        let mut noise = Noise::new(seed, 0);
        let samples: Vec<f32> = (0..65_536).map(|_| noise.complex(2.0).re as f32).collect();
        let bands = bands(&samples, [430.0, 1140.0]);
        assert_eq!(bands.len(), 4, "{bands:?}");
        for (number, band) in (-3..).zip(bands) {
            let [low, high] = third_octave_edges(number);
            assert!((band.center / (low * high).sqrt() - 1.0).abs() < 1e-12);
            let error = power_level(band.power) - power_level(power((high - low) / (0.5 * RATE)));
            // 4 s of a band 115 Hz wide have a standard deviation of 4.34 dB/√(115 · 4) = 0.20 dB.
            assert!(error.abs() < 0.8, "seed {seed}, {:.0} Hz: {error:.3} dB", band.center);
            let sum = sums.entry(band.center.round() as i64).or_default();
            *sum = (sum.0 + error, sum.1 + error * error);
        }
    }
    for (center, (sum, squares)) in sums {
        let mean = sum / SEEDS as f64;
        let deviation = (squares / SEEDS as f64 - mean * mean).sqrt();
        println!("{center} Hz: {mean:+.3} dB, standard deviation {deviation:.3} dB");
        assert!(mean.abs() < 0.2, "{center} Hz: {mean:.3} dB");
    }
}

/// A tone of 94 dB SPL in a band, on bins and between them: its neighboring bins have half of its power once more, which must not count.
#[test]
fn a_tone_has_its_power_in_its_band() {
    let amplitude = 2_f64.sqrt() * 1.002_374; // 94 dB re 20 µPa
    for frequency in [500.0, 504.0, 509.3, 633.6, 640.0, 800.1, 968.0, 1000.0, 1003.7] {
        let tones = Tones {
            components: vec![(frequency, vec![Complex64::new(amplitude, 0.0)])],
            offset: 0.0,
            noise: None,
            seed: 1,
        };
        let bands = bands(&tones.samples(RATE, 8192).values, [430.0, 1140.0]);
        let band = |band: &&BandPower| (10.0 * (band.center / frequency).log10()).abs() < 0.5;
        let error =
            power_level(bands.iter().find(band).unwrap().power) - power_level(power(1.002_374 * 1.002_374));
        println!("{frequency} Hz: {error:+.3} dB");
        assert!(error.abs() < 0.2, "{frequency} Hz: {error:.3} dB");
        // Nothing is lost at the edges between bands.
        let total: f64 = bands.iter().map(|band| band.power).sum();
        assert!((power_level(total) - power_level(power(1.002_374 * 1.002_374))).abs() < 0.2);
    }
}

/// A sound that stops halfway has half of its power on the average, whichever spectrum is saved.
#[test]
fn bands_are_averages_over_time() {
    let tone = |n: usize| {
        if n < 16_384 { (0.383 * n as f64).cos() as f32 } else { 1e-3 * (0.4 * n as f64).cos() as f32 }
    };
    let samples: Vec<f32> = (0..32_768).map(tone).collect();
    // 0.383 rad is 998.7 Hz.
    let bands = bands(&samples, [880.0, 1140.0]);
    let error = power_level(bands[0].power) - power_level(power(0.25));
    assert!(bands.len() == 1 && error.abs() < 0.2, "{error:.3} dB");
}

/// Bands without all of their bins, and bands narrower than three bins, have no level.
#[test]
fn incomplete_bands_are_omitted() {
    let samples: Vec<f32> = (0..2048).map(|n| (0.3 * f64::from(n)).cos() as f32).collect();
    assert!(bands(&samples, [920.0, 1140.0]).is_empty());
    // The bands at 100 and 125 Hz are 23 and 29 Hz wide.
    assert!(bands(&samples, [64.0, 144.0]).is_empty());
}

/// Powers of given spectra add with their signs: two tones in a band, one of them toward the source, leave the difference.
#[test]
fn opposite_powers_cancel() {
    let solution = |powers: [f64; 2]| {
        let spectrum = |frequency| Spectrum { frequency, pressure: vec![Complex64::ONE; GRID.len()] };
        let study =
            prepare(problem(Input::Spectra(vec![spectrum(480.0), spectrum(520.0)]), vec![480.0, 520.0]))
                .unwrap();
        let mut solution = study.solve(&Backend::Cpu, &phasefront_core::Progress::silent()).unwrap();
        solution.summary.powers = MeanPowers::default();
        solution.summary.powers.add(powers.into_iter());
        third_octave_powers(&study, &solution)
    };
    let bands = solution([3e-3, -1e-3]);
    assert_eq!((bands.len(), bands[0].frequencies), (1, 2));
    assert!((power_level(bands[0].power) - 93.010_3).abs() < 1e-4, "{bands:?}");
    assert!(power_level(solution([1e-3, -3e-3])[0].power).is_nan());
}
