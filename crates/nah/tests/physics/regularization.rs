//! The regularization that is chosen against the best in hindsight, at the distances and signal-to-noise ratios of real arrays.

use num_complex::Complex64;
use phasefront_nah::simulate::{Noise, SimulatedSource, add_noise, field};
use phasefront_nah::*;

/// Three monopoles at random places behind the source plane.
fn sources(grid: &Grid, seed: u64) -> Vec<SimulatedSource> {
    let mut random = Noise::new(seed, 5);
    let monopole = |_| {
        let mut uniform = || random.complex(1.0).arg() / std::f64::consts::TAU;
        let [x, y] = [grid.columns, grid.rows].map(|count| 0.8 * uniform() * count as f64 * grid.pitch[0]);
        let depth = grid.pitch[0] * (1.0 + uniform());
        SimulatedSource::Monopole { position: [x, y, -depth], strength: random.complex(1.0) }
    };
    (0..3).map(monopole).collect()
}

fn relative_error(found: &[Complex64], exact: &[Complex64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = Complex64>| values.map(|v| v.norm_sqr()).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(exact).map(|(a, b)| a - b)) / norm(&mut exact.iter().copied())
}

/// Errors of the pressure: chosen and best in hindsight.
struct Errors {
    chosen: f64,
    best: f64,
}

fn in_k_space(grid: Grid, measured: &[Complex64], exact: &[Complex64], (k, standoff): (f64, f64)) -> Errors {
    let space = KSpace::new(grid, measured, Extrapolation::Lpbp, k);
    let fit = SpectrumFit::new(grid, measured, k, standoff + Esm::default_depth(&grid));
    let error = |filter| relative_error(&space.pressure(standoff, filter), exact);
    let limit = grid.nyquist_wavenumber();
    let cutoffs = (0..25).map(|i| (1.1 * k).max(0.16 * limit) + 0.04 * f64::from(i) * limit);
    let all =
        cutoffs.flat_map(|cutoff| [0.05, 0.1, 0.3, 0.5].map(|slope| Filter::CosModified { cutoff, slope }));
    let best = all.map(error).fold(f64::INFINITY, f64::min);
    Errors { chosen: error(auto_filter(&space, &fit, Quantity::Pressure)), best }
}

fn by_sources(grid: Grid, measured: &[Complex64], exact: &[Complex64], (k, standoff): (f64, f64)) -> Errors {
    let distances = [standoff, Esm::default_depth(&grid)];
    let esm = Esm::new(&grid.positions(), &[], grid, distances, k, Medium::AIR);
    let error = |weight| {
        let strengths = esm.strengths(weight, measured).unwrap();
        relative_error(&esm.field(&strengths, &grid, standoff)[0], exact)
    };
    let best = (-20..=4).map(|step| error(esm.scale() * 10_f64.powf(0.5 * f64::from(step))));
    Errors { chosen: error(esm.auto_weight(measured)), best: best.fold(f64::INFINITY, f64::min) }
}

/// 8 x 8 microphones 7 cm apart, two pitches from the source plane, 30 dB of signal to noise, where a rule that does not know the distance is off by the field
/// itself: both methods are near their best, and equivalent sources are the better one.
#[test]
fn small_arrays_far_from_the_source_are_near_their_best() {
    let grid = Grid { columns: 8, rows: 8, pitch: [0.07; 2] };
    let standoff = 0.14;
    let mut worst = 0.0_f64;
    for (seed, frequency) in (0..4).flat_map(|seed| [(seed, 200.0), (seed, 800.0), (seed, 1600.0)]) {
        let k = Medium::AIR.wavenumber(frequency);
        let at = |z: f64| field(&sources(&grid, seed), &grid.positions(), z, k, &Medium::AIR);
        let (mut measured, exact) = (at(standoff), at(0.0));
        add_noise(&mut measured, 30.0, seed, 0);
        let fft = in_k_space(grid, &measured, &exact, (k, standoff));
        let esm = by_sources(grid, &measured, &exact, (k, standoff));
        println!(
            "seed {seed}, {frequency} Hz: fft {:.3} of {:.3}, esm {:.3} of {:.3}",
            fft.chosen, fft.best, esm.chosen, esm.best
        );
        assert!(fft.chosen < 2.0 * fft.best, "seed {seed}, {frequency} Hz");
        assert!(esm.chosen < 1.5 * esm.best && esm.chosen < fft.chosen, "seed {seed}, {frequency} Hz");
        worst = worst.max(esm.chosen);
    }
    assert!(worst < 0.45, "{worst}");
}

/// More signal, no larger error: 24 x 24 microphones 10 cm apart, 1 to 3 pitches away.
#[test]
fn more_signal_is_never_worse() {
    let grid = Grid { columns: 24, rows: 24, pitch: [0.1; 2] };
    for (seed, standoff) in [(0, 0.1), (1, 0.2), (2, 0.3)] {
        let k = Medium::AIR.wavenumber(400.0);
        let at = |z: f64| field(&sources(&grid, seed), &grid.positions(), z, k, &Medium::AIR);
        let exact = at(0.0);
        let errors = [20.0, 30.0, 40.0, 50.0, 60.0].map(|snr_db| {
            let mut measured = at(standoff);
            add_noise(&mut measured, snr_db, seed, 0);
            let Errors { chosen, best } = in_k_space(grid, &measured, &exact, (k, standoff));
            assert!(chosen < 1.6 * best, "{standoff} m, {snr_db} dB: {chosen} {best}");
            chosen
        });
        println!("{standoff} m: {errors:.3?}");
        // One draw of the noise moves the error by some percent.
        assert!(errors.windows(2).all(|pair| pair[1] < 1.1 * pair[0]), "{standoff} m: {errors:?}");
        assert!(errors[4] < 0.9 * errors[0], "{standoff} m: {errors:?}");
    }
}

/// The expected error is the actual one: sources as the method takes them for, over 30 dB of signal to noise.
#[test]
fn expected_errors_are_those_of_random_sources() {
    let grid = Grid { columns: 9, rows: 8, pitch: [0.05, 0.06] };
    let (k, standoff, depth) = (12.0, 0.1, Esm::default_depth(&grid));
    let esm = Esm::new(&grid.positions(), &[], grid, [standoff, depth], k, Medium::AIR);
    let wide = Grid { columns: grid.columns + 8, rows: grid.rows + 8, ..grid };
    for snr_db in [20.0, 35.0, 50.0] {
        let mut sums = [[0.0; 2]; 2];
        for seed in 0..12 {
            let mut random = Noise::new(seed, 9);
            let strengths: Vec<Complex64> = (0..wide.len()).map(|_| random.complex(1.0)).collect();
            let [mut measured, _] = esm.field(&strengths, &grid, 0.0);
            let exact = esm.field(&strengths, &grid, standoff);
            add_noise(&mut measured, snr_db, seed, 0);
            let weight = esm.likely_weight(&measured);
            let found = esm.field(&esm.strengths(weight, &measured).unwrap(), &grid, standoff);
            let expected = esm.expected_errors(weight, &measured, &[standoff]).unwrap();
            for i in 0..2 {
                let off = found[i].iter().zip(&exact[i]).map(|(a, b)| (a - b).norm_sqr()).sum::<f64>();
                sums[i][0] += off;
                let of_field = &expected[i * grid.len()..][..grid.len()];
                sums[i][1] += of_field.iter().map(|error| error * error).sum::<f64>();
            }
        }
        let ratios = sums.map(|[actual, expected]| (expected / actual).sqrt());
        println!("{snr_db} dB: expected over actual {ratios:.3?}");
        assert!(ratios.iter().all(|ratio| (0.85..1.15).contains(ratio)), "{snr_db} dB: {ratios:?}");
    }
}

/// `auto` takes equivalent sources for small arrays, off the grid and where their keys are given, and the FFT for large arrays and given filters.
#[test]
fn the_method_is_chosen_by_the_array() {
    let problem = |side: usize| {
        let spectrum = Spectrum { frequency: 1000.0, pressure: vec![Complex64::ONE; side * side] };
        let grid = Grid { columns: side, rows: side, pitch: [0.02; 2] };
        let analysis = Analysis { method: SpectralMethod::Auto, samples: 1024, hop: 1024 };
        let problem = Problem::new(grid, 0.05, Input::Spectra(vec![spectrum]));
        Problem { frequencies: vec![1000.0], analysis, ..problem }
    };
    let chosen = |problem: Problem| prepare(problem).unwrap().problem.method;
    assert_eq!(chosen(problem(16)), Method::Esm);
    // Zero padding has no aperture edge where there is no transform.
    assert_eq!(chosen(Problem { extrapolation: Extrapolation::Zero, ..problem(16) }), Method::Esm);
    assert_eq!(chosen(problem(17)), Method::Fft);
    let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
    let filter = FilterChoice::Given(Filters { pressure: filter, velocity: filter });
    assert_eq!(chosen(Problem { filter, ..problem(16) }), Method::Fft);
    let sources = EquivalentSources { depth: Some(0.03), weight: None };
    assert_eq!(chosen(Problem { sources, ..problem(17) }), Method::Esm);
    assert_eq!(chosen(Problem { positions: Some(problem(17).grid.positions()), ..problem(17) }), Method::Esm);
}
