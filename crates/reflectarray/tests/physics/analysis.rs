//! Analysis of a design: cross-polarization, coverage figures, efficiencies, spacing, sensitivity.

use crate::reference::{C0, array_factor, excitations, power_by_pairs};
use crate::{FREQUENCY, perturbed, small, square};
use phasefront_device::Backend;
use phasefront_reflectarray::{Design, Feed, FeedPattern, Problem, Sensitivity, Solution, UvGrid, prepare};
use std::f64::consts::PI;

fn analyze(problem: &Problem, design: Design) -> Solution {
    prepare(problem.clone()).unwrap().analyze(design, &Backend::Cpu).unwrap()
}

#[test]
fn the_pattern_is_the_direct_sum() {
    let mut problem = small([8, 6], 1.0);
    problem.frequencies.push(1.07 * FREQUENCY);
    let design = perturbed(&problem, 0.001);
    let solution = analyze(&problem, design.clone());
    let (us, vs) = (problem.uv_grid.u(), problem.uv_grid.v());
    for (pattern, &frequency) in solution.patterns.iter().zip(&problem.frequencies) {
        let beta = 2.0 * PI * frequency / C0;
        let a = excitations(&problem, &design, frequency);
        let kappa = |t: f64| if t == 0.0 { PI } else { 2.0 * PI * libm::j1(t) / t };
        let scale = 4.0 * PI / power_by_pairs(&design, &a, beta, kappa);
        for i in [0, 5, 100, 377] {
            let (u, v) = (us[i % us.len()], vs[i / us.len()]);
            let e = array_factor(&design, &a, beta, u, v) * (1.0 - u * u - v * v).powf(0.25) * scale.sqrt();
            assert!((pattern.e_co[i] - e).norm() < 1e-7 * e.norm(), "{i}: {} {e}", pattern.e_co[i]);
            assert!((pattern.d_co[i] - 10.0 * e.norm_sqr().log10()).abs() < 1e-6);
        }
    }
    let amplitude: Vec<f64> = excitations(&problem, &design, FREQUENCY).iter().map(|a| a.norm()).collect();
    let worst =
        solution.amplitude.iter().zip(&amplitude).fold(0.0, |m: f64, (a, b)| m.max((a / b - 1.0).abs()));
    assert!(worst < 1e-13, "{worst}");
}

#[test]
fn cross_polarization_is_that_of_ludwig() {
    let mut problem = small([8, 6], 1.0);
    problem.outputs.cross_polar = true;
    problem.coverage.clear();
    problem.synthesis.method = phasefront_reflectarray::Method::Analysis;
    problem.feed.polarization = 0.4;
    // Directions at 45 degrees from the polarization, where cross/co = (1 − cos θ)/(1 + cos θ) = tan²(θ/2), and along it.
    for (phi, expected) in [(0.4 + PI / 4.0, 1.0), (0.4 - PI / 4.0, -1.0), (0.4, 0.0), (0.4 + PI / 2.0, 0.0)]
    {
        let theta: f64 = 0.6;
        let center = [theta.sin() * phi.cos(), theta.sin() * phi.sin()];
        problem.uv_grid = UvGrid { center, points: [1, 1], spacing: 0.01 };
        let pattern = &analyze(&problem, problem.initial_design()).patterns[0];
        let ratio = pattern.e_cross.as_ref().unwrap()[0] / pattern.e_co[0];
        let expected = expected * (0.5 * theta).tan().powi(2);
        assert!((ratio - expected).norm() < 1e-12, "{phi}: {ratio} {expected}");
        let level = pattern.d_cross.as_ref().unwrap()[0] - pattern.d_co[0];
        assert!(expected == 0.0 || (level - 20.0 * expected.abs().log10()).abs() < 1e-9);
    }
}

#[test]
fn figures_are_those_of_the_samples_inside_and_around() {
    let mut problem = small([8, 6], 1.0);
    problem.coverage = vec![square("left", [-0.05, 0.0], 0.05), square("right", [0.2, -0.1], 0.07)];
    problem.coverage[0].upper = Some(8.0);
    problem.coverage[0].lower = None;
    problem.coverage[1].lower = Some(10.0);
    problem.coverage[1].upper = None;
    let pattern = &analyze(&problem, problem.initial_design()).patterns[0];
    let (us, vs) = (problem.uv_grid.u(), problem.uv_grid.v());
    // D of the samples inside, and of those at most half a cell diagonal outside.
    let samples = |[u0, v0]: [f64; 2], half: f64| -> [Vec<f64>; 2] {
        let beyond = |i: usize| {
            let (du, dv) = ((us[i % us.len()] - u0).abs() - half, (vs[i / us.len()] - v0).abs() - half);
            if du.max(dv) < 0.0 { -1.0 } else { du.max(0.0).hypot(dv.max(0.0)) }
        };
        let rim = 0.0..=problem.uv_grid.spacing / 2f64.sqrt();
        let of = |wanted: &dyn Fn(f64) -> bool| {
            (0..pattern.d_co.len()).filter(|&i| wanted(beyond(i))).map(|i| pattern.d_co[i]).collect()
        };
        [of(&|d| d < 0.0), of(&|d| rim.contains(&d))]
    };
    let ([left, left_rim], [right, right_rim]) = (samples([-0.05, 0.0], 0.05), samples([0.2, -0.1], 0.07));
    // The upper bound holds inside only, the lower one all around.
    let bright = |d: &[f64]| d.iter().filter(|d| **d >= 10.0).count();
    let within =
        [left.iter().filter(|d| **d <= 8.0).count() + left_rim.len(), bright(&right) + bright(&right_rim)];
    let (left, right) = ([left, left_rim].concat(), [right, right_rim].concat());
    assert!(within[0] < left.len() && within[0] + within[1] > 0);
    let all = [left.clone(), right.clone()].concat();
    let counts = [within[0], within[1], within[0] + within[1]];
    for ((figures, (name, d)), count) in
        pattern.coverage.iter().zip([("left", left), ("right", right), ("all", all)]).zip(counts)
    {
        assert_eq!((&*figures.region, figures.samples), (name, d.len()));
        assert!((figures.d_mean - d.iter().sum::<f64>() / d.len() as f64).abs() < 1e-12);
        assert_eq!(figures.d_min, d.iter().copied().fold(f64::INFINITY, f64::min));
        assert!((figures.share_within_mask - count as f64 / d.len() as f64).abs() < 1e-15);
    }
    assert_eq!(pattern.coverage.len(), 3);
}

#[test]
fn spillover_of_an_even_feed_is_the_solid_angle_it_misses() {
    let mut problem = small([10, 16], 1.0);
    let height = 0.09;
    problem.feed =
        Feed { offset: 0.0, height, pattern: FeedPattern::Cosine { power_exponent: 0.0 }, polarization: 0.0 };
    // Ω = 4 arctan(ab/(z √(a² + b² + z²))) of a rectangle 2a by 2b at the distance z.
    let (a, b) = (5.0 * 0.011, 8.0 * 0.0105);
    let solid_angle = 4.0 * (a * b / (height * (a * a + b * b + height * height).sqrt())).atan();
    let solution = analyze(&problem, problem.initial_design());
    assert!(
        (solution.spillover.unwrap() - (1.0 - solid_angle / (2.0 * PI))).abs() < 1e-12,
        "{:?}",
        solution.spillover
    );
    // A narrow feed beam on a wide array: no spillover.
    problem.feed.pattern = FeedPattern::Cosine { power_exponent: 120.0 };
    assert!(analyze(&problem, problem.initial_design()).spillover.unwrap().abs() < 1e-5);
}

#[test]
fn taper_efficiency_of_three_elements() {
    let mut problem = small([3, 1], 1.0);
    problem.feed = Feed {
        offset: 0.0,
        height: 0.03,
        pattern: FeedPattern::Cosine { power_exponent: 4.0 },
        polarization: 0.0,
    };
    problem.uv_grid.spacing = 0.05;
    let solution = analyze(&problem, problem.initial_design());
    // cos² θ/r = z²/r³ with r² = z² + d² at the outer ones.
    let outer = 0.03f64.powi(3) / 0.03f64.hypot(0.011).powi(3);
    let expected = (1.0 + 2.0 * outer).powi(2) / (3.0 * (1.0 + 2.0 * outer * outer));
    assert!((solution.taper_efficiency - expected).abs() < 1e-13, "{}", solution.taper_efficiency);
}

#[test]
fn spacing_is_that_of_neighbors() {
    let problem = small([3, 2], 1.0);
    let solution = analyze(&problem, problem.initial_design());
    let [min, max] = solution.spacing;
    assert!((min - 0.0105 / 0.02).abs() < 1e-12 && (max - 0.011 / 0.02).abs() < 1e-12);
    let mut design = problem.initial_design();
    // The corner goes away from both its neighbors: √((11 + 2)² + 3²) and √((10.5 + 3)² + 2²) mm.
    (design.x[0], design.y[0]) = (design.x[0] - 0.002, design.y[0] - 0.003);
    let [min, max] = design.spacing();
    assert!((min - 0.0105).abs() < 1e-15 && (max - 0.0135f64.hypot(0.002)).abs() < 1e-15, "{min} {max}");
}

#[test]
fn phases_come_in_steps() {
    let mut design = small([2, 2], 1.0).lattice.design();
    design.phase = vec![0.1, 0.9, -2.3, 100.0];
    design.quantize(2);
    let quarter = PI / 2.0;
    let expected = [0.0, quarter, -quarter, 64.0 * quarter];
    let worst = design.phase.iter().zip(expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(worst < 1e-12, "{:?}", design.phase);
}

/// Of N elements in phase, M remain: |F|² = M², and as any two elements both remain with the probability M(M − 1)/(N(N − 1)),
/// the mean power is P' = Mκ(0) + (P − Nκ(0)) M(M − 1)/(N(N − 1)), κ(0) = π for p = 1.
#[test]
fn failures_cost_what_they_take_away() {
    let mut problem = small([21, 21], 1.0);
    problem.feed = Feed {
        offset: 0.0,
        height: 1e3,
        pattern: FeedPattern::Cosine { power_exponent: 0.0 },
        polarization: 0.0,
    };
    problem.lattice.spacing = [0.01, 0.01];
    problem.focus = Some([0.0, 0.0]);
    // One sample, at the beam peak.
    problem.uv_grid = UvGrid { center: [0.0, 0.0], points: [1, 1], spacing: 0.02 };
    problem.coverage = vec![square("spot", [0.0, 0.0], 0.005)];
    let wanted = Sensitivity { failed_fraction: 0.1, pointing_error: 0.03, trials: 12 };
    problem.outputs.sensitivity = Some(wanted);
    let solution = analyze(&problem, problem.initial_design());
    let figures = solution.sensitivity.as_ref().unwrap();
    let whole = solution.patterns[0].d_co[0];
    let [mean, worst] = figures.failed_d_min;
    let (n, m) = (441.0, 441.0 - 44.0);
    let power = 4.0 * PI * n * n / 10f64.powf(whole / 10.0);
    let left = m * PI + (power - n * PI) * m * (m - 1.0) / (n * (n - 1.0));
    let expected = 10.0 * (4.0 * PI * m * m / left).log10();
    assert!((mean - expected).abs() < 0.01, "{mean} {expected}");
    assert!(worst <= mean && worst > expected - 0.1, "{worst} {mean}");
    // The beam of n elements in phase at half-wavelength spacing: sin(nπu/2)/(n sin(πu/2)), and √cos θ of the element; where it
    // has a pointing error along an axis it is one such factor, along a diagonal two.
    let cut = |u: f64| (21.0 * PI * u / 2.0).sin() / (21.0 * (PI * u / 2.0).sin());
    let element = 5.0 * (1.0f64 - 0.03 * 0.03).log10();
    let axis = whole + element + 20.0 * cut(0.03).log10();
    let diagonal = whole + element + 40.0 * cut(0.03 / 2f64.sqrt()).log10();
    assert!((figures.pointing_d_min - axis.min(diagonal)).abs() < 1e-3, "{figures:?} {axis} {diagonal}");
    // The same seed draws the same failures, another one others.
    assert_eq!(analyze(&problem, problem.initial_design()).sensitivity.as_ref(), Some(figures));
    problem.synthesis.seed = 2;
    assert_ne!(analyze(&problem, problem.initial_design()).sensitivity.as_ref(), Some(figures));
}
