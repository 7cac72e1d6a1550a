//! What follows from a pattern, against closed forms.

use crate::reference::{FREQUENCY, dipole, hertzian, huygens, moved, pattern, sphere};
use num_complex::Complex64;
use phasefront_core::constants::C0;
use phasefront_pattern::{Component, Direction, Ellipse, Pattern, PatternError, Powers, Sense};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

const AXIS: Direction = Direction { theta: 0.0, phi: 0.0 };
const EQUATOR: Direction = Direction { theta: FRAC_PI_2, phi: 0.0 };

fn directivity(pattern: &Pattern, direction: Direction) -> f64 {
    pattern.gain_toward(direction, pattern.radiated_power().unwrap()).unwrap()
}

#[track_caller]
fn close(value: f64, exact: f64, tolerance: f64) {
    assert!((value - exact).abs() <= tolerance * exact.abs().max(1.0), "{value} instead of {exact}");
}

#[test]
fn hertzian_dipole() {
    let dipole = pattern(sphere(180, 36, true), hertzian());
    close(directivity(&dipole, EQUATOR), 1.5, 1e-13);
    let lobes = dipole.lobes().unwrap();
    close(lobes.peak.theta, FRAC_PI_2, 1e-7);
    close(lobes.polar_cut.half_power_width.unwrap(), FRAC_PI_2, 1e-7);
    // The other half of the torus is as high; along the equator nothing changes.
    close(lobes.polar_cut.side_lobe_level.unwrap(), 1.0, 1e-9);
    assert_eq!(lobes.transverse_cut.half_power_width, None);
    assert_eq!(lobes.transverse_cut.side_lobe_level, None);
    close(lobes.front_to_back.unwrap(), 1.0, 1e-9);
}

#[test]
fn half_wave_dipole() {
    // E_θ = cos(π/2 cos θ)/sin θ; D = 4/Cin(2π) = 1.6409 (Balanis gives 1.643 from a rounded Cin), beam width 78.08 deg.
    let field = |t: f64, _| {
        let sine = t.sin();
        let value = if sine < 1e-9 { 0.0 } else { (FRAC_PI_2 * t.cos()).cos() / sine };
        [value.into(), Complex64::ZERO]
    };
    let dipole = pattern(sphere(180, 12, false), field);
    // Cin(2π) = Σ (−1)^{n+1} (2π)^{2n}/(2n (2n)!) = 2.4376534...
    let mut term = 1.0;
    let cin: f64 = (1..40)
        .map(|n| {
            let m = 2.0 * f64::from(n);
            term *= -(2.0 * PI).powi(2) / (m * (m - 1.0));
            -term / m
        })
        .sum();
    close(directivity(&dipole, EQUATOR), 4.0 / cin, 1e-12);
    close(directivity(&dipole, EQUATOR), 1.643, 2e-3);
    close(dipole.lobes().unwrap().polar_cut.half_power_width.unwrap().to_degrees(), 78.08, 1e-4);
}

#[test]
fn huygens_source() {
    let source = pattern(sphere(90, 24, true), huygens);
    close(directivity(&source, AXIS), 3.0, 1e-13);
    let lobes = source.lobes().unwrap();
    assert!(lobes.peak.theta < 1e-6);
    // cos⁴(θ/2) = 1/2.
    let width = 4.0 * 0.5f64.powf(0.25).acos();
    close(lobes.polar_cut.half_power_width.unwrap(), width, 1e-6);
    close(lobes.transverse_cut.half_power_width.unwrap(), width, 1e-6);
    assert!(lobes.front_to_back.unwrap() > 1e12);
    assert_eq!(lobes.polar_cut.side_lobe_level, None);
    // Without cross polarization in any direction, and polarized along x.
    let cross = source.component(Component::Cross(0.0));
    assert!(cross.iter().all(|value| value.norm() < 1e-15));
    // Seen from a reference angle of 30 deg, cos 30 and −sin 30 of it.
    let turned = source.component(Component::Co(PI / 6.0));
    close(turned[0].re, (PI / 6.0).cos(), 1e-14);
    close(source.component(Component::Cross(PI / 6.0))[0].re, -0.5, 1e-14);
}

#[test]
fn front_to_back_ratio_of_a_limacon() {
    // E = 1 + a cos θ along e_co: ((1 + a)/(1 − a))².
    let field =
        |t: f64, p: f64| [p.cos().into(), (-p.sin()).into()].map(|e: Complex64| e * (1.0 + 0.5 * t.cos()));
    close(pattern(sphere(36, 12, false), field).lobes().unwrap().front_to_back.unwrap(), 9.0, 1e-9);
}

#[test]
fn elliptical_beam_in_its_principal_planes() {
    // E = exp(−a u² − b v²) e_co: half power at u = √(ln 2/2a).
    let [a, b] = [6.0, 18.0];
    let field = |t: f64, p: f64| {
        let [u, v] = [t.sin() * p.cos(), t.sin() * p.sin()];
        [p.cos().into(), (-p.sin()).into()].map(|e: Complex64| e * (-a * u * u - b * v * v).exp())
    };
    let theta = (0..=90).map(|i| f64::from(i).to_radians()).collect();
    let beam = pattern((theta, sphere(2, 72, true).1), field);
    let width = |curvature: f64| 2.0 * (2f64.ln() / (2.0 * curvature)).sqrt().asin();
    for (toward, curvature) in [([1.0, 0.0, 0.0], a), ([0.0, -2.0, 0.5], b)] {
        let cut = beam.lobe_cut(AXIS, toward).unwrap();
        close(cut.half_power_width.unwrap(), width(curvature), 1e-6);
        assert_eq!(cut.side_lobe_level, None);
    }
    let lobes = beam.lobes().unwrap();
    assert_eq!(lobes.peak, AXIS);
    close(lobes.polar_cut.half_power_width.unwrap(), width(a), 1e-6);
    close(lobes.transverse_cut.half_power_width.unwrap(), width(b), 1e-6);
    // The backward direction is not in the grid.
    assert_eq!(lobes.front_to_back, None);
    assert_eq!(beam.lobe_cut(AXIS, [0.0, 0.0, 1.0]), None);
    assert_eq!(beam.lobe_cut(AXIS, [f64::NAN; 3]), None);
}

#[test]
fn line_source_has_the_side_lobe_of_a_sinc() {
    // E_θ = sin x/x, x = 5π cos θ. First side lobe: tan x = x at 4.4934, level 1/(1 + x²); half power at x = 1.39156.
    let sinc = |x: f64| if x.abs() < 1e-9 { 1.0 } else { x.sin() / x };
    let line = pattern(sphere(720, 12, false), |t, _| [sinc(5.0 * PI * t.cos()).into(), Complex64::ZERO]);
    let cut = line.lobes().unwrap().polar_cut;
    let width = 2.0 * (1.391_557_378_251_51 / (5.0 * PI)).asin();
    close(cut.half_power_width.unwrap(), width, 1e-6);
    // The other half circle repeats the main lobe, as with every line source.
    close(cut.side_lobe_level.unwrap(), 1.0, 1e-9);
    // On a grid of one half plane only the true side lobes are left.
    let theta: Vec<f64> = (0..=720).map(|i| PI * f64::from(i) / 720.0).collect();
    let half =
        pattern((theta, vec![-0.1, 0.0, 0.1]), |t, _| [sinc(5.0 * PI * t.cos()).into(), Complex64::ZERO]);
    let level = half.lobes().unwrap().polar_cut.side_lobe_level.unwrap();
    close(level * (1.0 + 4.493_409_457_909_06_f64.powi(2)), 1.0, 1e-6);
}

#[test]
fn crossed_dipoles_are_circular_on_the_axis() {
    // x̂ − jŷ with e^{+jωt} turns from x to y: right-handed along +z, left-handed along −z.
    let turnstile = pattern(sphere(36, 16, false), dipole([Complex64::ONE, -Complex64::I, Complex64::ZERO]));
    let up = turnstile.ellipse(AXIS).unwrap();
    close(up.axial_ratio, 1.0, 1e-12);
    assert_eq!(up.sense, Sense::Right);
    assert_eq!(turnstile.ellipse(Direction { theta: PI, phi: 0.3 }).unwrap().sense, Sense::Left);
    // Axial ratio 1/|cos θ|, linear along φ̂ on the equator.
    let slanted = turnstile.ellipse(Direction { theta: PI / 3.0, phi: 0.7 }).unwrap();
    close(slanted.axial_ratio, 2.0, 1e-4);
    close(slanted.tilt.abs(), FRAC_PI_2, 1e-9);
    assert!(turnstile.ellipse(EQUATOR).unwrap().axial_ratio > 1e9);
    // On the axis the right-handed component is √2 at every azimuth: the reference is fixed in space.
    for right in &turnstile.component(Component::RightCircular(0.0))[..16] {
        assert!((right - 2f64.sqrt()).norm() < 1e-14);
    }
    assert!(turnstile.component(Component::LeftCircular(0.0))[..16].iter().all(|left| left.norm() < 1e-14));
    // A turn of the reference by χ shifts the phase by χ.
    let shifted = turnstile.component(Component::RightCircular(0.4))[0];
    assert!((shifted - 2f64.sqrt() * Complex64::cis(-0.4)).norm() < 1e-14);
    close(directivity(&turnstile, AXIS), 1.5, 1e-13);
}

#[test]
fn tilt_and_axial_ratio_of_a_known_ellipse() {
    // Axes 3 and 1, major at 20 deg from θ̂, left-handed.
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let [major, minor] = [Complex64::from(3.0), Complex64::I];
    let ellipse = Ellipse::of([major * cos - minor * sin, major * sin + minor * cos]).unwrap();
    close(ellipse.axial_ratio, 3.0, 1e-14);
    close(ellipse.tilt.to_degrees(), 20.0, 1e-14);
    assert_eq!(ellipse.sense, Sense::Left);
    assert_eq!(Ellipse::of([Complex64::ZERO; 2]), None);
}

#[test]
fn phase_center_is_where_the_source_is() {
    let wavelength = C0 / FREQUENCY;
    let place = [0.8, -0.35, 1.3].map(|x| x * wavelength);
    let dipole = pattern(sphere(180, 180, true), moved(hertzian(), place));
    let center = dipole.phase_center(Component::Theta, EQUATOR, 40f64.to_radians()).unwrap();
    for (found, exact) in center.position.into_iter().zip(place) {
        close(found / wavelength, exact / wavelength, 1e-10);
    }
    assert!(center.residual < 1e-12);
    // Where the beam is at the pole; the last azimuth repeats the first.
    let horn = pattern(sphere(90, 72, true), moved(huygens, place));
    let center = horn.phase_center(Component::Co(0.0), AXIS, 30f64.to_radians()).unwrap();
    for (found, exact) in center.position.into_iter().zip(place) {
        close(found / wavelength, exact / wavelength, 1e-10);
    }
    // An astigmatic phase has no center: the residual tells.
    let astigmatic =
        |t: f64, p: f64| huygens(t, p).map(|e| e * Complex64::cis(2.0 * t.sin().powi(2) * (2.0 * p).cos()));
    let center = pattern(sphere(90, 72, true), astigmatic)
        .phase_center(Component::Co(0.0), AXIS, 30f64.to_radians())
        .unwrap();
    assert!(center.residual > 0.05);
    // One cut does not determine it, nor a component that is not there.
    let cut = pattern((sphere(90, 4, false).0, vec![0.0]), huygens);
    for result in [
        cut.phase_center(Component::Co(0.0), AXIS, 1.0),
        dipole.phase_center(Component::Phi, EQUATOR, 1.0),
        dipole.phase_center(Component::Theta, EQUATOR, 1e-9),
    ] {
        assert!(matches!(result, Err(PatternError::PhaseCenter { .. })), "{result:?}");
    }
}

#[test]
fn interpolation_is_of_fourth_order_everywhere() {
    let place = [0.004, -0.003, 0.006];
    let source = |t, p| {
        let field = dipole([Complex64::new(0.3, 0.4), Complex64::ONE, Complex64::new(0.0, -0.6)]);
        moved(field, place)(t, p)
    };
    let worst = |steps: usize, closed: bool| {
        let samples = pattern(sphere(steps, 2 * steps, closed), source);
        let mut worst: f64 = 0.0;
        for n in 0..500 {
            let [theta, phi] = [PI * (0.5 + f64::from(n)) / 500.0, 20.0 * f64::from(n) - 300.0];
            let found = samples.field(Direction { theta, phi }).unwrap();
            let exact = source(theta, phi);
            worst = worst.max((found[0] - exact[0]).norm()).max((found[1] - exact[1]).norm());
        }
        worst
    };
    for closed in [false, true] {
        let [coarse, fine] = [worst(36, closed), worst(72, closed)];
        assert!(fine < 1e-4 && (coarse / fine).log2() > 3.7, "{coarse} {fine}");
    }
}

#[test]
fn interpolation_ends_with_the_grid() {
    let part = pattern((vec![0.2, 0.4, 0.6], vec![-0.5, 0.0, 0.5]), huygens);
    assert!(part.field(Direction { theta: 0.2, phi: -0.5 }).is_some());
    assert!(part.field(Direction { theta: 0.6, phi: 0.5 - 2.0 * PI }).is_some());
    for (theta, phi) in [(0.1, 0.0), (0.7, 0.0), (0.3, 0.6), (0.3, -0.6), (f64::NAN, 0.0), (0.3, f64::NAN)] {
        assert_eq!(part.field(Direction { theta, phi }), None, "{theta} {phi}");
    }
    let single = pattern((vec![0.3], vec![0.1]), huygens);
    assert!(single.field(Direction { theta: 0.3, phi: 0.1 }).is_some());
    assert!(single.lobes().is_some());
}

#[test]
fn quadrature_takes_any_grid_of_the_sphere() {
    let exact = pattern(sphere(40, 8, true), huygens).radiated_power().unwrap();
    // Azimuths that are not uniform but cover the circle, and polar angles that crowd at the pole: second order.
    let uneven = |count: usize| {
        let theta = (0..=count).map(|i| PI * (i as f64 / count as f64).powi(2)).collect();
        let phi = (0..count).map(|j| 2.0 * PI * (j as f64 + 0.2 * (j % 2) as f64) / count as f64).collect();
        (pattern((theta, phi), huygens).radiated_power().unwrap() / exact - 1.0).abs()
    };
    let [coarse, fine] = [uneven(40), uneven(80)];
    assert!(fine < 1e-3 && (coarse / fine).log2() > 1.9, "{coarse} {fine}");
    let parts = [
        (sphere(40, 8, true).0, vec![0.0, 1.0]),
        (vec![0.0, 1.0, 2.0], sphere(40, 8, true).1),
        (sphere(40, 8, true).0, vec![0.0]),
    ];
    for grid in parts {
        assert!(matches!(pattern(grid, huygens).radiated_power(), Err(PatternError::Partial { .. })));
    }
}

#[test]
fn scaling_keeps_gain() {
    let source = pattern(sphere(18, 12, false), huygens);
    let power = source.radiated_power().unwrap();
    let scaled = source.scaled(4.0 * PI / power).unwrap();
    close(scaled.radiated_power().unwrap(), 4.0 * PI, 1e-13);
    // At 4π W the intensity is the directivity.
    close(scaled.intensity()[0], 3.0, 1e-13);
    close(source.gain(power)[0], 3.0, 1e-13);
    assert!(source.scaled(-1.0).is_err());
}

#[test]
fn wrong_patterns_are_refused() {
    let field = vec![[Complex64::ONE; 2]; 4];
    let two = || vec![0.0, 1.0];
    let new = |f, t, p, e| Pattern::new(f, t, p, e, Powers::default()).unwrap_err();
    let cases = [
        (new(0.0, two(), two(), field.clone()), "a frequency of 0 Hz is not positive"),
        (new(1.0, vec![], two(), field.clone()), "theta has no values"),
        (new(1.0, vec![1.0, 0.0], two(), field.clone()), "theta does not rise"),
        (new(1.0, two(), vec![0.0, 7.0], field.clone()), "phi spans 401"),
        (new(1.0, vec![0.0, 4.0], two(), field.clone()), "theta runs from 0.000000 to 229"),
        (new(1.0, two(), vec![0.0, f64::NAN], field.clone()), "phi has a value that is not finite"),
        (new(1.0, two(), two(), field[..3].to_vec()), "3 samples for 2 values of theta and 2 of phi"),
        (
            new(1.0, two(), two(), vec![[Complex64::new(f64::NAN, 0.0); 2]; 4]),
            "a field is not a finite number",
        ),
    ];
    for (error, begin) in cases {
        assert!(error.to_string().starts_with(begin), "{error}");
        assert!(!error.advice().is_empty());
    }
    let powers = Powers { accepted: Some(-FRAC_1_SQRT_2), ..Powers::default() };
    assert!(Pattern::new(1.0, two(), two(), field, powers).is_err());
}

/// A Huygens source moved off the origin has no cross-polar field (Ludwig 3); four azimuths are enough for the one on the axis.
#[test]
fn ludwig_3_components_between_few_azimuths() {
    let few = pattern(sphere(36, 4, false), huygens);
    let direction = Direction { theta: 0.31, phi: 0.7 };
    let [co, cross] = few.ludwig3(direction).unwrap();
    assert!((co - 0.5 * (1.0 + 0.31_f64.cos())).norm() < 1e-6 && cross.norm() < 1e-14, "{co} {cross}");
    // E_θ and E_φ vary as cos φ and sin φ: the same samples leave an error of several percent.
    let by_angles = few.field(direction).unwrap();
    assert!((by_angles[0] - huygens(0.31, 0.7)[0]).norm() > 0.03);
    let off_axis = pattern(sphere(90, 72, false), moved(huygens, [0.004, -0.002, 0.01]));
    for (theta, phi) in [(0.0, 0.0), (0.02, 4.0), (1.2, -0.4), (2.9, 2.0)] {
        let [co, cross] = off_axis.ludwig3(Direction { theta, phi }).unwrap();
        let expected = ludwig3_of(moved(huygens, [0.004, -0.002, 0.01])(theta, phi), phi);
        assert!((co - expected).norm() < 2e-4 && cross.norm() < 2e-4, "{theta} {phi}: {co} {expected}");
    }
}

/// E_co = cos φ E_θ − sin φ E_φ.
fn ludwig3_of([theta, phi]: [Complex64; 2], azimuth: f64) -> Complex64 {
    theta * azimuth.cos() - phi * azimuth.sin()
}
