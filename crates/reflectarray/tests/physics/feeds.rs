//! Sampled feeds against closed forms.

use crate::{FREQUENCY, perturbed, small};
use num_complex::Complex64;
use phasefront_device::Backend;
use phasefront_pattern::{
    Pattern as FarField, Powers, read_cut, read_ffd, read_ffe, read_grd, write_cut, write_ffd, write_ffe,
    write_grd,
};
use phasefront_reflectarray::{
    Derivatives, Feed, FeedPattern, Method, Objective, Problem, SampledFeed, Solution, prepare,
};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Samples of a co- and a cross-polar field (Ludwig 3) for the polarization χ from x, every 2 degrees of θ and 5 of φ.
fn samples(polarization: f64, field: impl Fn(f64, f64) -> [Complex64; 2]) -> FarField {
    let theta: Vec<f64> = (0..=90).map(|i| PI / 90.0 * f64::from(i)).collect();
    let phi: Vec<f64> = (0..72).map(|j| TAU / 72.0 * f64::from(j)).collect();
    let at = |theta: f64, phi: f64| {
        let ([co, cross], (s, c)) = (field(theta, phi), (phi - polarization).sin_cos());
        // e_co = cos φ' θ̂ − sin φ' φ̂ and e_cross = sin φ' θ̂ + cos φ' φ̂.
        [co * c + cross * s, cross * c - co * s]
    };
    let fields = theta.iter().flat_map(|&t| phi.iter().map(move |&p| at(t, p))).collect();
    FarField::new(FREQUENCY, theta.clone(), phi.clone(), fields, Powers::default()).unwrap()
}

/// cos^m θ, zero behind.
fn cosine(m: f64, theta: f64) -> f64 {
    if theta < FRAC_PI_2 { theta.cos().powf(m) } else { 0.0 }
}

fn sampled(far_fields: Vec<FarField>) -> FeedPattern {
    FeedPattern::Sampled(SampledFeed { far_fields: far_fields.into(), rotation: 0.0, phase_center: [0.0; 3] })
}

fn analyze(problem: &Problem) -> Solution {
    prepare(problem.clone()).unwrap().analyze(problem.initial_design(), &Backend::Cpu).unwrap()
}

/// Largest difference, relative to the largest value.
fn miss(got: &[f64], expected: &[f64]) -> f64 {
    let largest = expected.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    got.iter().zip(expected).fold(0.0, |m: f64, (g, e)| m.max((g - e).abs())) / largest
}

/// Elements, directivity, spillover and position gradients of cos^5.3 from a file of each format are those of its closed form.
#[test]
fn a_sampled_cosine_is_the_closed_form_in_every_format() {
    let problem = small([9, 8], 1.0);
    let expected = analyze(&problem);
    let far_field =
        samples(problem.feed.polarization, |theta, _| [cosine(5.3, theta).into(), Complex64::ZERO]);
    let all = [far_field];
    let files = [
        read_ffe(write_ffe(&all).unwrap().as_bytes()),
        read_ffd(write_ffd(&all).unwrap().as_bytes(), None),
        read_cut(write_cut(&all).unwrap().as_bytes(), &[FREQUENCY]),
        read_grd(write_grd(&all).unwrap().as_bytes(), &[]),
    ];
    for file in files {
        let mut problem = problem.clone();
        problem.feed.pattern = sampled(file.unwrap());
        let found = analyze(&problem);
        assert!(miss(&found.amplitude, &expected.amplitude) < 1e-5);
        assert!(miss(&found.design.phase, &expected.design.phase) < 1e-9);
        let (d, d0) = (&found.patterns[0], &expected.patterns[0]);
        assert!((d.coverage[0].d_min - d0.coverage[0].d_min).abs() < 1e-4);
        assert!((found.spillover.unwrap() - expected.spillover.unwrap()).abs() < 1e-4);
    }
    let mut sampled_problem = problem.clone();
    sampled_problem.feed.pattern = sampled(all.to_vec());
    let design = perturbed(&problem, 0.001);
    let [found, expected] = [&sampled_problem, &problem].map(|problem| {
        let mut objective = Objective::new(problem, &Backend::Cpu).unwrap();
        objective.evaluate(&design, Derivatives::PhaseAndPosition).unwrap()
    });
    assert!(miss(&found.phase, &expected.phase) < 1e-4);
    assert!(miss(&found.x, &expected.x) < 1e-4 && miss(&found.y, &expected.y) < 1e-4);
}

/// cos^5 θ (1 + 0.3 cos 2φ) turned about the tilted boresight, and the angles of the elements written out.
#[test]
fn a_rotated_antenna_has_a_rotated_illumination() {
    let mut problem = small([9, 8], 1.0);
    let shape = |theta: f64, phi: f64| cosine(5.0, theta) * (1.0 + 0.3 * (2.0 * phi).cos());
    let rotation = 0.7;
    let far_field = samples(0.0, |theta, phi| [shape(theta, phi).into(), Complex64::ZERO]);
    problem.feed.polarization = rotation;
    problem.feed.pattern = FeedPattern::Sampled(SampledFeed {
        far_fields: vec![far_field].into(),
        rotation,
        phase_center: [0.0; 3],
    });
    let (solution, Feed { offset, height, .. }) = (analyze(&problem), problem.feed);
    let distance = offset.hypot(height);
    let (sin, cos) = (offset / distance, height / distance);
    let expected: Vec<f64> = (0..solution.design.len())
        .map(|n| {
            let (x, y) = (solution.design.x[n], solution.design.y[n] + offset);
            let (across, along) = (cos * y - sin * height, sin * y + cos * height);
            let theta = x.hypot(across).atan2(along);
            // Of the peak, 1.3 on the axis at φ = 0.
            shape(theta, across.atan2(x) - rotation) / 1.3 / (x * x + y * y + height * height).sqrt()
        })
        .collect();
    assert!(miss(&solution.amplitude, &expected) < 1e-4);
}

/// An antenna displaced by d in its file has the phase βd·r̂. With its phase center at the origin it is the undisplaced one; without, it is
/// a feed moved by d to second order, β d² sin² θ/2r = 2e-4 rad here.
#[test]
fn a_displaced_phase_center_moves_the_feed() {
    let mut problem = small([9, 8], 1.0);
    problem.feed = Feed { offset: 0.0, height: 0.08, ..problem.feed };
    problem.focus = Some([0.3, 0.1]);
    let wavelength = problem.wavelength();
    let displaced = |d: [f64; 3]| {
        samples(problem.feed.polarization, |theta, phi| {
            let along = theta.sin() * (d[0] * phi.cos() + d[1] * phi.sin()) + d[2] * theta.cos();
            [Complex64::from_polar(cosine(5.3, theta), TAU / wavelength * along), Complex64::ZERO]
        })
    };
    let phases = |pattern: FeedPattern, height: f64| {
        let mut problem = problem.clone();
        (problem.feed.pattern, problem.feed.height) = (pattern, height);
        let phase = problem.focus_phases(&problem.lattice.design(), [0.3, 0.1]);
        phase.iter().map(|p| (p - phase[0] + PI).rem_euclid(TAU) - PI).collect::<Vec<f64>>()
    };
    let off = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max(((a - b + PI).rem_euclid(TAU) - PI).abs()))
    };
    let closed = problem.feed.pattern.clone();
    let d = [0.004, -0.003, 0.006];
    let with_center = FeedPattern::Sampled(SampledFeed {
        far_fields: vec![displaced(d)].into(),
        rotation: 0.0,
        phase_center: d,
    });
    let at_origin = phases(closed.clone(), 0.08);
    assert!(off(&phases(with_center, 0.08), &at_origin) < 1e-4);
    let found = phases(sampled(vec![displaced([0.0, 0.0, 0.001])]), 0.08);
    let moved = phases(closed, 0.079);
    assert!(off(&found, &moved) < 1e-3, "{}", off(&found, &moved));
    assert!(off(&at_origin, &moved) > 0.03);
}

/// A circularly polarized feed sends half its power across: the co-polar directivity is half, a self-check says so, and the cross-polar
/// level at the normal is that of the co-polar one.
#[test]
fn cross_polar_power_of_the_feed_is_counted() {
    let mut problem = small([9, 8], 1.0);
    problem.focus = Some([0.0, 0.0]);
    problem.uv_grid.center = [0.0, 0.0];
    problem.coverage.clear();
    problem.synthesis.method = Method::Analysis;
    problem.outputs.cross_polar = true;
    let linear = analyze(&problem);
    let far_field = samples(problem.feed.polarization, |theta, _| {
        let amplitude = cosine(5.3, theta);
        [amplitude.into(), Complex64::new(0.0, -0.99 * amplitude)]
    });
    problem.feed.pattern = sampled(vec![far_field]);
    let checks = prepare(problem.clone()).unwrap().self_checks;
    let check = checks.iter().find(|check| check.name == "co-polar share of the feed's power").unwrap();
    let share = 1.0 / (1.0 + 0.99_f64.powi(2));
    assert!((check.value - share).abs() < 1e-5 && !check.holds(), "{}", check.value);
    let circular = analyze(&problem);
    let [columns, rows] = problem.uv_grid.points;
    let middle = columns / 2 + columns * (rows / 2);
    let lost = circular.patterns[0].d_co[middle] - linear.patterns[0].d_co[middle];
    assert!((lost - 10.0 * share.log10()).abs() < 1e-3, "{lost}");
    let level = circular.patterns[0].d_cross.as_ref().unwrap()[middle] - circular.patterns[0].d_co[middle];
    assert!((level - 20.0 * 0.99_f64.log10()).abs() < 1e-3, "{level}");
}
