//! Monopoles and plate modes whose field on the source plane is known.

use num_complex::Complex64;
use phasefront_nah::{Extrapolation, Filter, Grid, KSpace, Medium, Quantity, gcv_filter};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::f64::consts::TAU;

/// 32 × 32 microphones, 20 mm relative_error.
const GRID: Grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
/// Standoff, m.
const DISTANCE: f64 = 0.05;
/// From the source plane to the monopoles behind it, m.
const DEPTH: f64 = 0.03;

/// e^{−jkr}/r of each source, on the plane that is z in front of the source plane.
fn monopoles(k: f64, sources: &[[f64; 2]], z: f64) -> Vec<Complex64> {
    let at = |i: usize| {
        let [x, y] = GRID.position(i);
        let of = |[a, b]: &[f64; 2]| {
            let r = (x - a).hypot(y - b).hypot(z + DEPTH);
            Complex64::from_polar(1.0 / r, -k * r)
        };
        sources.iter().map(of).sum()
    };
    (0..GRID.len()).map(at).collect()
}

/// Adds noise 40 dB below the field.
fn noisy(mut field: Vec<Complex64>, seed: u64) -> Vec<Complex64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || (f64::from(random.next_u32()) + 0.5) / 2_f64.powi(32);
    let power = field.iter().map(Complex64::norm_sqr).sum::<f64>() / field.len() as f64;
    for value in &mut field {
        // Box and Muller: |noise|² is 1e-4 of the power on the average.
        let size = (-1e-4 * power * uniform().ln()).sqrt();
        *value += Complex64::from_polar(size, TAU * uniform());
    }
    field
}

fn relative_error(found: &[Complex64], exact: &[Complex64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = Complex64>| values.map(|v| v.norm_sqr()).sum::<f64>().sqrt();
    norm(&mut found.iter().zip(exact).map(|(a, b)| a - b)) / norm(&mut exact.iter().copied())
}

/// The error on the source plane with a cutoff of 70 rad/m and a slope of 0.1.
fn error(frequency: f64, sources: &[[f64; 2]], extrapolation: Extrapolation) -> f64 {
    let k = Medium::AIR.wavenumber(frequency);
    let space = KSpace::new(GRID, &noisy(monopoles(k, sources, DISTANCE), 1), extrapolation, k);
    let found = space.pressure(DISTANCE, Filter::CosModified { cutoff: 70.0, slope: 0.1 });
    relative_error(&found, &monopoles(k, sources, 0.0))
}

#[test]
fn monopoles_are_reconstructed() {
    use Extrapolation::{Lpbp, Plpbp, Zero};
    let (center, edge, two) = ([[0.0, 0.0]], [[0.25, 0.0]], [[-0.1, 0.0], [0.1, 0.05]]);
    for (frequency, sources, bound) in
        [(1000.0, &center[..], 0.08), (1000.0, &edge, 0.12), (2500.0, &two, 0.15)]
    {
        let error = error(frequency, sources, Lpbp);
        assert!(error < bound, "{frequency} Hz, {sources:?}: {error}");
    }
    // Pooled coefficients are a little worse than one set for each row.
    let pooled = error(1000.0, &center, Plpbp);
    assert!(pooled < 0.1, "{pooled}");
    // Zero padding spoils the reconstruction.
    assert!(error(1000.0, &center, Zero) > 0.5);
    assert!(error(1000.0, &edge, Zero) > 0.8);
}

/// Standing waves on an infinite plate of steel, 2 mm thick, which are evanescent: k_b⁴ = ω²ρh/D, D = Eh³/(12(1 − ν²)).
#[test]
fn a_mode_of_an_infinite_plate_is_reconstructed() {
    let k = Medium::AIR.wavenumber(500.0);
    let stiffness = 210e9 * 0.002_f64.powi(3) / (12.0 * (1.0 - 0.3 * 0.3));
    let bending = ((TAU * 500.0).powi(2) * 7850.0 * 0.002 / stiffness).powf(0.25);
    let decay = (-(bending * bending - k * k).sqrt() * DISTANCE).exp();
    let mode = |scale: f64| -> Vec<Complex64> {
        let at = |i| {
            let [x, y] = GRID.position(i);
            Complex64::new(scale * (0.8 * bending * x).cos() * (0.6 * bending * y).cos(), 0.0)
        };
        (0..GRID.len()).map(at).collect()
    };
    for extrapolation in [Extrapolation::Lpbp, Extrapolation::Plpbp] {
        let space = KSpace::new(GRID, &noisy(mode(decay), 2), extrapolation, k);
        let found = space.pressure(DISTANCE, Filter::CosModified { cutoff: 70.0, slope: 0.1 });
        let error = relative_error(&found, &mode(1.0));
        assert!(error < 0.015, "{extrapolation:?}: {error}");
    }
}

/// GCV is within 25 % of the best filter of its search.
#[test]
fn cross_validation_finds_a_good_filter() {
    let k = Medium::AIR.wavenumber(1000.0);
    let sources = [[0.0, 0.0]];
    let space = KSpace::new(GRID, &noisy(monopoles(k, &sources, DISTANCE), 3), Extrapolation::Lpbp, k);
    let exact = monopoles(k, &sources, 0.0);
    let error = |filter: Filter| relative_error(&space.pressure(DISTANCE, filter), &exact);
    let limit = GRID.nyquist_wavenumber();
    let (low, high) = ((1.1 * k).max(0.16 * limit), 0.92 * limit);
    let all = (0..25).flat_map(|i| {
        let cutoff = low + (high - low) * f64::from(i) / 24.0;
        [0.05, 0.1, 0.2, 0.3, 0.5].map(|slope| Filter::CosModified { cutoff, slope })
    });
    let best = all.map(error).fold(f64::INFINITY, f64::min);
    let chosen = error(gcv_filter(&space, Quantity::Pressure));
    assert!(chosen <= 1.25 * best, "{chosen} {best}");
}

/// The power of white noise is multiplied by the mean of |F G|² over k-space.
#[test]
fn noise_is_amplified_as_the_filter_predicts() {
    let k = Medium::AIR.wavenumber(1000.0);
    let filter = Filter::CosModified { cutoff: 70.0, slope: 0.1 };
    // Noise on the whole padded grid, without extrapolation: noise cannot be predicted.
    let (mut out, mut runs) = (0.0, 0.0);
    let mut gain = 0.0;
    for seed in 0..40 {
        let noise = noisy(vec![Complex64::new(100.0, 0.0); 9 * GRID.len()], seed);
        let noise: Vec<Complex64> = noise.iter().map(|p| p - 100.0).collect();
        let space = KSpace::from_padded(GRID, noise, k);
        out += space.pressure(DISTANCE, filter).iter().map(Complex64::norm_sqr).sum::<f64>();
        runs += GRID.len() as f64;
        let power = |kr: &f64| {
            let exponent = (kr * kr - k * k).max(0.0).sqrt() * DISTANCE;
            (filter.at(*kr, k, DISTANCE) * exponent.exp()).powi(2)
        };
        gain = space.radial_wavenumbers().iter().map(power).sum::<f64>()
            / space.radial_wavenumbers().len() as f64;
    }
    assert!((out / runs / gain - 1.0).abs() < 0.02, "{} {gain}", out / runs);
}
