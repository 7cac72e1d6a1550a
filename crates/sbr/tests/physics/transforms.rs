//! Range profiles and ISAR images of point scatterers, whose positions and levels are known.

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::{C0, wavenumber};
use phasefront_device::Backend;
use phasefront_mesh::{TriangleMesh, targets};
use phasefront_sbr::{
    Aspect, Bounces, Direction, IsarImage, Problem, RangeProfile, Window, isar, prepare, range_profile,
};
use std::f64::consts::{FRAC_PI_2, PI};

const WINDOWS: [Window; 4] = [Window::None, Window::Hann, Window::Hamming, Window::Taylor];

fn band(center: f64, width: f64, count: usize) -> Vec<f64> {
    let step = width / count as f64;
    (0..count).map(|n| center - 0.5 * width + (n as f64 + 0.5) * step).collect()
}

/// Points along the line of sight, (range, amplitude): S = Σ A e^{−j2kR}.
fn echo_along(points: &[(f64, Complex64)], frequency: f64) -> Complex64 {
    points.iter().map(|(range, a)| a * Complex64::cis(-2.0 * wavenumber(frequency) * range)).sum()
}

fn profile(frequencies: &[f64], points: &[(f64, Complex64)], window: Window, padding: usize) -> RangeProfile {
    let amplitudes: Vec<_> = frequencies.iter().map(|f| echo_along(points, *f)).collect();
    range_profile(frequencies, &amplitudes, window, padding).unwrap()
}

/// Points in the plane, (down range, cross range, amplitude), over angles about zero: S = Σ A e^{j2k(−d cos φ + c sin φ)}.
fn picture(
    frequencies: &[f64],
    angles: &[f64],
    points: &[(f64, f64, f64)],
    window: Window,
    padding: usize,
) -> IsarImage {
    let middle = 0.5 * (angles[0] + angles[angles.len() - 1]);
    let echo = |phi: f64, f: f64| -> Complex64 {
        let phase =
            |d: f64, c: f64| 2.0 * wavenumber(f) * (c * (phi - middle).sin() - d * (phi - middle).cos());
        points.iter().map(|(d, c, a)| a * Complex64::cis(phase(*d, *c))).sum()
    };
    let rows: Vec<Vec<_>> =
        angles.iter().map(|phi| frequencies.iter().map(|f| echo(*phi, *f)).collect()).collect();
    isar(frequencies, angles, &rows, window, padding).unwrap()
}

fn db(ratio: f64) -> f64 {
    20.0 * ratio.log10()
}

/// Index of the largest value within a distance of a position.
fn peak(values: &[Complex64], is_near: impl Fn(usize) -> bool) -> usize {
    let near = (0..values.len()).filter(|i| is_near(*i));
    near.max_by(|a, b| values[*a].norm().total_cmp(&values[*b].norm())).unwrap()
}

/// Highest level outside of the peak: beyond the first minimum on each side of it, against the peak.
fn highest_sidelobe(levels: &[f64]) -> f64 {
    let top = (0..levels.len()).max_by(|a, b| levels[*a].total_cmp(&levels[*b])).unwrap();
    let right = (top..levels.len() - 1).find(|i| levels[i + 1] > levels[*i]).unwrap();
    let left = (1..=top).rev().find(|i| levels[i - 1] > levels[*i]).unwrap();
    let side = levels[..left].iter().chain(&levels[right..]).copied().fold(0.0, f64::max);
    db(side / levels[top])
}

#[test]
fn a_point_is_at_its_range_with_its_amplitude_and_phase() {
    let frequencies = band(10e9, 1e9, 128);
    let cell = C0 / (2.0 * 1e9);
    let a = Complex64::from_polar(3.0, 0.7);
    for window in WINDOWS {
        for range in [0.0, 2.34, -5.678] {
            let profile = profile(&frequencies, &[(range, a)], window, 32);
            let at = peak(&profile.amplitude, |_| true);
            assert!((profile.range[at] - range).abs() < 0.1 * cell, "{window:?} {range}");
            assert!(db(profile.amplitude[at].norm() / 3.0).abs() < 0.1, "{window:?} {range}");
            // Interpolated to its exact range by the phase of the center frequency, the amplitude is that of the scatterer.
            let turn = Complex64::cis(2.0 * wavenumber(10e9) * (range - profile.range[at]));
            assert!((profile.amplitude[at] * turn - a).norm() < 0.03, "{window:?} {range}");
        }
    }
}

#[test]
fn ranges_are_unambiguous_over_c_by_twice_the_step() {
    let frequencies = band(10e9, 1e9, 100);
    let unambiguous = C0 / (2.0 * 1e7);
    let profile = profile(&frequencies, &[(unambiguous + 1.5, Complex64::ONE)], Window::Hann, 4);
    let n = profile.range.len();
    assert_eq!(n, 400);
    assert!((profile.range[n - 1] - profile.range[0] - unambiguous * 399.0 / 400.0).abs() < 1e-9);
    assert_eq!(profile.range[200], 0.0);
    let at = peak(&profile.amplitude, |_| true);
    assert!((profile.range[at] - 1.5).abs() < 0.02, "what is farther comes back at the other end");
}

/// Harris (1978), Table 1: −13, −32 and −43 dB; Taylor's by its design. The digits beyond are those of the continuous windows.
#[test]
fn sidelobes_are_those_of_the_windows() {
    let frequencies = band(10e9, 1e9, 512);
    for (window, level) in
        [(Window::None, -13.26), (Window::Hann, -31.47), (Window::Hamming, -42.67), (Window::Taylor, -35.0)]
    {
        let profile = profile(&frequencies, &[(0.0, Complex64::ONE)], window, 32);
        let levels: Vec<f64> = profile.amplitude.iter().map(|a| a.norm()).collect();
        let found = highest_sidelobe(&levels);
        assert!((found - level).abs() < 0.25, "{window:?}: {found:.2} dB for {level}");
    }
}

/// Two points a cell of c/2B apart, in quadrature: with sinc for the shape of each, the midpoint is at √2 sinc(1/2) = 2√2/π of
/// the peaks (Rayleigh's criterion).
#[test]
fn two_points_are_resolved_a_cell_apart() {
    let (center, width) = (10e9, 1e9);
    let cell = C0 / (2.0 * width);
    // Removes the phase 2k·cell of the carrier between the two.
    let turn = Complex64::cis(2.0 * wavenumber(center) * cell);
    let points = [(-0.5 * cell, Complex64::ONE), (0.5 * cell, Complex64::I * turn)];
    let profile = profile(&band(center, width, 256), &points, Window::None, 64);
    let at = |range: f64| {
        let i = (0..profile.range.len())
            .min_by(|a, b| (profile.range[*a] - range).abs().total_cmp(&(profile.range[*b] - range).abs()));
        profile.amplitude[i.unwrap()].norm()
    };
    assert!((at(-0.5 * cell) - 1.0).abs() < 0.01 && (at(0.5 * cell) - 1.0).abs() < 0.01);
    assert!((at(0.0) - 2.0 * 2.0_f64.sqrt() / PI).abs() < 0.01, "{}", at(0.0));
}

#[test]
fn points_of_an_image_are_at_their_places_with_their_levels() {
    let (frequencies, span) = (band(10e9, 1e9, 64), 4_f64.to_radians());
    let angles: Vec<f64> = band(30_f64.to_radians(), span, 64);
    let points = [(0.0, 0.0, 1.0), (2.0, -3.0, 2.0), (-3.5, 1.25, 0.5)];
    let cells = [C0 / (2.0 * 1e9), C0 / 10e9 / (2.0 * span)];
    for window in [Window::Hann, Window::Hamming, Window::Taylor] {
        let image = picture(&frequencies, &angles, &points, window, 16);
        let columns = image.cross_range.len();
        for (down, cross, a) in points {
            let is_near = |i: usize| {
                (image.down_range[i / columns] - down).abs() < 2.0 * cells[0]
                    && (image.cross_range[i % columns] - cross).abs() < 2.0 * cells[1]
            };
            let at = peak(&image.amplitude, is_near);
            let (row, column) = (at / columns, at % columns);
            assert!((image.down_range[row] - down).abs() < 0.1 * cells[0], "{window:?} {down}");
            assert!((image.cross_range[column] - cross).abs() < 0.1 * cells[1], "{window:?} {cross}");
            assert!(db(image.amplitude[at].norm() / a).abs() < 0.1, "{window:?} {a}");
        }
    }
}

/// Without a window the cross-range response is a sinc: its first null is one cell of λ/2Δφ away.
#[test]
fn cross_range_is_resolved_to_half_a_wavelength_over_the_span() {
    let (frequencies, span) = (band(10e9, 0.1e9, 16), 3_f64.to_radians());
    let image = picture(&frequencies, &band(0.0, span, 101), &[(0.0, 0.0, 1.0)], Window::None, 32);
    let columns = image.cross_range.len();
    let row = image.down_range.iter().position(|d| *d == 0.0).unwrap();
    let cut: Vec<f64> = image.amplitude[row * columns..][..columns].iter().map(|a| a.norm()).collect();
    let middle = image.cross_range.iter().position(|c| *c == 0.0).unwrap();
    let null = (middle..columns - 1).find(|i| cut[i + 1] > cut[*i]).unwrap();
    let cell = C0 / 10e9 / (2.0 * span);
    assert!((image.cross_range[null] / cell - 1.0).abs() < 0.03, "{}", image.cross_range[null] / cell);
    assert!((highest_sidelobe(&cut) + 13.26).abs() < 0.3, "{}", highest_sidelobe(&cut));
}

/// Over 40 degrees a scatterer 4 m from the origin migrates through ten range cells. A rectangular approximation of the polar grid
/// would defocus it; here it has the level and the shape of the one at the center.
#[test]
fn points_off_the_middle_of_a_wide_image_stay_points() {
    let frequencies = band(10e9, 1e9, 64);
    let angles = band(0.0, 40_f64.to_radians(), 800);
    let image = |points: &[(f64, f64, f64)]| picture(&frequencies, &angles, points, Window::Taylor, 4);
    let (alone, away) = (image(&[(0.0, 0.0, 1.0)]), image(&[(2.4, -3.2, 1.0)]));
    let columns = alone.cross_range.len();
    let around = |image: &IsarImage, down: f64, cross: f64| -> (f64, f64, f64) {
        let at = peak(&image.amplitude, |_| true);
        // Fraction of the energy more than 20 cm from the scatterer.
        let far = |i: &usize| {
            (image.down_range[i / columns] - down).hypot(image.cross_range[i % columns] - cross) > 0.2
        };
        let power = |i: usize| image.amplitude[i].norm_sqr();
        let total: f64 = (0..image.amplitude.len()).map(power).sum();
        let spilt: f64 = (0..image.amplitude.len()).filter(far).map(power).sum();
        let miss = (image.down_range[at / columns] - down).hypot(image.cross_range[at % columns] - cross);
        (image.amplitude[at].norm(), miss, spilt / total)
    };
    let (level, _, spilt) = around(&alone, 0.0, 0.0);
    let (level_away, miss, spilt_away) = around(&away, 2.4, -3.2);
    // Pixels are up to 2 cm long, so that the peak is up to one from the point.
    assert!(db(level).abs() < 1e-6 && db(level_away).abs() < 0.5 && miss < 0.02, "{level_away} {miss}");
    assert!(spilt_away < 1.1 * spilt + 1e-6 && spilt < 0.01, "{spilt} {spilt_away}");
}

#[test]
fn an_image_is_cut_about_the_origin() {
    let image = IsarImage {
        down_range: vec![-2.0, -1.0, 0.0, 1.0],
        cross_range: vec![-1.0, 0.0, 1.0],
        amplitude: (0..12).map(|i| Complex64::from(f64::from(i))).collect(),
    };
    let part = image.within(1.0);
    assert_eq!((part.down_range, part.cross_range), (vec![-1.0, 0.0, 1.0], vec![-1.0, 0.0, 1.0]));
    assert_eq!(part.amplitude, image.amplitude[3..]);
    assert_eq!(image.within(0.5).amplitude, [Complex64::from(7.0)]);
}

/// Spheres at several positions, as one mesh.
fn spheres(radius: f64, centers: &[[f64; 3]]) -> TriangleMesh {
    let one = targets::sphere(radius, 24).unwrap();
    let mut all = TriangleMesh { group_names: one.group_names.clone(), ..TriangleMesh::default() };
    for center in centers {
        let first = all.vertices.len() as u32;
        all.vertices.extend(one.vertices.iter().map(|v| [0, 1, 2].map(|i| v[i] + center[i])));
        all.triangles.extend(one.triangles.iter().map(|t| t.map(|corner| first + corner)));
        all.groups.extend(&one.groups);
    }
    all
}

fn solved(mesh: TriangleMesh, frequencies: &[f64], aspects: Vec<Aspect>) -> Vec<Vec<Complex64>> {
    let problem = Problem {
        mesh,
        frequencies: frequencies.to_vec(),
        aspects,
        bounces: Bounces::AtMost(1),
        ..Problem::default()
    };
    let solution = prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap();
    let aspects = 0..solution.frequencies[0].scattering.len();
    aspects.map(|i| solution.frequencies.iter().map(|f| f.scattering[i].vv).collect()).collect()
}

/// The specular point of a sphere has the amplitude a/2 at a distance a in front of its center (geometrical optics); incidence from +x.
#[test]
fn a_sphere_is_seen_at_its_nearest_point() {
    let (frequencies, radius) = (band(10e9, 2e9, 32), 0.3);
    let aspect = Aspect::monostatic(Direction::degrees(90.0, 0.0));
    let rows = solved(spheres(radius, &[[-0.2, 0.0, 0.0]]), &frequencies, vec![aspect]);
    let profile = range_profile(&frequencies, &rows[0], Window::Hamming, 16).unwrap();
    let at = peak(&profile.amplitude, |_| true);
    assert!((profile.range[at] - (0.2 - radius)).abs() < 0.01, "{}", profile.range[at]);
    assert!(
        db(profile.amplitude[at].norm() / (0.5 * radius)).abs() < 0.3,
        "{}",
        profile.amplitude[at].norm()
    );
}

/// Two spheres, one farther in down range and one at positive cross range, appear at their positions.
#[test]
fn spheres_are_imaged_where_they_are() {
    let (frequencies, radius) = (band(10e9, 2e9, 16), 0.1);
    let angles = band(0.0, 12_f64.to_radians(), 24);
    let aspects =
        angles.iter().map(|phi| Aspect::monostatic(Direction { theta: 0.5 * PI, phi: *phi })).collect();
    let centers = [[-0.3, 0.0, 0.0], [0.0, 0.35, 0.0]];
    let rows = solved(spheres(radius, &centers), &frequencies, aspects);
    let image = isar(&frequencies, &angles, &rows, Window::Taylor, 8).unwrap();
    let columns = image.cross_range.len();
    for [x, y, _] in centers {
        let (down, cross) = (-x - radius, y);
        let is_near = |i: usize| {
            (image.down_range[i / columns] - down).hypot(image.cross_range[i % columns] - cross) < 0.15
        };
        let at = peak(&image.amplitude, is_near);
        let found = [image.down_range[at / columns], image.cross_range[at % columns]];
        assert!((found[0] - down).hypot(found[1] - cross) < 0.02, "{found:?} for {down} {cross}");
        assert!(
            db(image.amplitude[at].norm() / (0.5 * radius)).abs() < 0.7,
            "{}",
            image.amplitude[at].norm()
        );
    }
}

fn message(
    frequencies: &[f64],
    angles: &[f64],
    amplitudes: &[Vec<Complex64>],
    padding: usize,
) -> [String; 2] {
    let error = isar(frequencies, angles, amplitudes, Window::Hann, padding).unwrap_err();
    [error.to_string(), error.advice]
}

#[test]
fn invalid_images_are_refused() {
    let rows = |angles: usize, frequencies: usize| vec![vec![Complex64::ONE; frequencies]; angles];
    let give = |what: &str| format!("give {what} as {{ from, to, points }} with `from` below `to`");
    let (f, phi) = ([1e9, 2e9, 3e9], [0.0, 0.1]);
    let cases: [(&[f64], &[f64], &str, String); 6] = [
        (&[1e9], &phi, "output.isar: needs at least 2 frequencies, 1 given", give("frequencies")),
        (
            &[1e9, 2e9, 2.5e9],
            &phi,
            "output.isar: needs frequencies in uniform, increasing steps",
            give("frequencies"),
        ),
        (
            &[1e9, f64::NAN, 3e9],
            &phi,
            "output.isar: needs frequencies in uniform, increasing steps",
            give("frequencies"),
        ),
        (&f, &[0.3, 0.2], "output.isar: needs angles in uniform, increasing steps", give("angles")),
        (&f, &[0.2, 0.2], "output.isar: needs angles in uniform, increasing steps", give("angles")),
        (
            &f,
            &[0.0, FRAC_PI_2, PI],
            "output.isar: the angles span 180.0 deg",
            "use at most 90 deg per image; split the rotation into several cases".into(),
        ),
    ];
    for (frequencies, angles, text, advice) in cases {
        assert_eq!(message(frequencies, angles, &rows(angles.len(), 3), 1), [text.to_owned(), advice]);
    }
    let [text, _] = message(&f, &phi, &rows(2, 2), 1);
    assert_eq!(text, "output.isar: 2 amplitudes given for 3 frequencies");
    let [text, _] = message(&f, &phi, &rows(1, 3), 1);
    assert_eq!(text, "output.isar: amplitudes of 1 angles given for 2 angles");
    let [text, advice] = message(&f, &phi, &rows(2, 3), 0);
    assert_eq!([text, advice], ["output.isar: a padding of 0 is outside 1 to 64", "4 gives a smooth curve"]);
}

#[test]
fn invalid_profiles_are_refused() {
    let profile = |f: &[f64], count: usize, padding: usize| {
        range_profile(f, &vec![Complex64::ONE; count], Window::None, padding).unwrap_err().to_string()
    };
    assert_eq!(profile(&[], 0, 1), "output.range_profile: needs at least 2 frequencies, 0 given");
    assert_eq!(
        profile(&[2e9, 1e9], 2, 1),
        "output.range_profile: needs frequencies in uniform, increasing steps"
    );
    assert_eq!(profile(&[1e9, 2e9], 3, 1), "output.range_profile: 3 amplitudes given for 2 frequencies");
    assert_eq!(profile(&[1e9, 2e9], 2, 65), "output.range_profile: a padding of 65 is outside 1 to 64");
}
