//! The solver against closed forms and published values.

mod reference;

use phasefront_core::constants::{C0, ETA0};
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use phasefront_mom::{Body, CellCount, NearGrid, Problem, Shape, Solution, prepare};
use reference::{circle_echo_width, circle_eta_current, circle_total_field};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A problem at a wavelength of one metre, incidence along +x.
fn problem(bodies: Vec<Shape>, cells: usize) -> Problem {
    Problem {
        bodies: bodies.into_iter().map(|shape| Body { shape, cells: None }).collect(),
        frequencies: vec![C0],
        propagation: vec![0.0],
        cells: CellCount::Total(cells),
        precision: Precision::Double,
        observation: vec![0.0, FRAC_PI_2, PI],
        current: true,
        near_field: None,
    }
}

fn circle(center: [f64; 2], radius: f64) -> Shape {
    Shape::Circle { center, radius }
}

fn solve(problem: Problem) -> Solution {
    prepare(problem).unwrap().solve(&Backend::Cpu, &Progress::silent()).unwrap()
}

/// Largest error of η|J| on the unit circle, as a share of its largest value.
fn current_error(cells: usize) -> f64 {
    let study = prepare(problem(vec![circle([0.0, 0.0], 1.0)], cells)).unwrap();
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    let errors = (0..cells).map(|i| {
        let phi = study.mesh.y[i].atan2(study.mesh.x[i]);
        (ETA0 * solution.frequencies[0].currents[0][i].norm() - circle_eta_current(TAU, phi).norm()).abs()
    });
    errors.fold(0.0, f64::max) / circle_eta_current(TAU, PI).norm()
}

#[test]
fn the_series_gives_the_published_values() {
    // Guards the reference itself: ka = 2π, at 180, 90 and 0 degrees.
    for (phi, current) in [(PI, 2.0255702768), (FRAC_PI_2, 0.5494068339), (0.0, 0.0181443452)] {
        assert!((circle_eta_current(TAU, phi).norm() - current).abs() < 1e-10);
    }
    for (phi, sigma) in [(0.0, 34.584560348), (FRAC_PI_2, 2.5084979260), (PI, 3.1827472848)] {
        assert!((circle_echo_width(TAU, phi) - sigma).abs() < 1e-9);
    }
}

#[test]
fn circle_of_one_wavelength_radius_with_the_papers_1008_pulses() {
    assert!(current_error(1008) < 3.5e-3);
    let solution = solve(problem(vec![circle([0.0, 0.0], 1.0)], 1008));
    for (got, phi) in solution.frequencies[0].echo_width[0].iter().zip([0.0, FRAC_PI_2, PI]) {
        let exact = circle_echo_width(TAU, phi);
        assert!((got / exact - 1.0).abs() < 1e-3, "phi={phi} got={got} exact={exact}");
    }
    assert!(solution.frequencies[0].residual < 1e-11);
}

#[test]
fn pulses_converge_with_order_one() {
    let cells = [126, 252, 504, 1008];
    let errors: Vec<f64> = cells.iter().map(|&n| current_error(n)).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() < 0.1, "order {order}, errors {errors:?}");
    }
}

#[test]
fn a_circle_elsewhere_and_at_another_size_scatters_alike() {
    // Moving the body changes no echo width; ka = 1.5 checks another part of the Bessel functions.
    let mut moved = problem(vec![circle([3.0, -2.0], 1.5 / TAU)], 600);
    moved.propagation = vec![0.7];
    moved.observation = vec![0.7, 0.7 + FRAC_PI_2, 0.7 + PI];
    for (got, phi) in solve(moved).frequencies[0].echo_width[0].iter().zip([0.0, FRAC_PI_2, PI]) {
        assert!((got / circle_echo_width(1.5, phi) - 1.0).abs() < 1e-2);
    }
}

#[test]
fn strip_broadside_backscatter_converges_to_the_known_values() {
    // σ/λ at broadside for widths of 0.5 and 1 wavelength (locally corrected Nyström, 1e-6).
    for (width, exact) in [(0.5, 1.679730473), (1.0, 6.486276870)] {
        let strip = Shape::Strip { from: [0.0, -0.5 * width], to: [0.0, 0.5 * width] };
        let errors: Vec<f64> = [100, 200, 400]
            .iter()
            .map(|&n| {
                (solve(problem(vec![strip.clone()], n)).frequencies[0].echo_width[0][2] / exact - 1.0).abs()
            })
            .collect();
        assert!(errors[2] < 5e-3, "width {width}: {errors:?}");
        assert!(errors[0] > 1.8 * errors[1] && errors[1] > 1.8 * errors[2], "width {width}: {errors:?}");
    }
}

#[test]
fn two_circles_match_the_multiple_scattering_series() {
    // Circles of half a wavelength radius with centres (0, ±1) and (±1, 0) wavelengths; σ/λ at 0, 90, 180 degrees.
    let pairs = [
        ([[0.0, 1.0], [0.0, -1.0]], [35.148597157, 1.968527857, 9.793589495]),
        ([[1.0, 0.0], [-1.0, 0.0]], [18.479660, 1.968528, 1.579465]),
    ];
    for (centers, exact) in pairs {
        let bodies = centers.iter().map(|&c| circle(c, 0.5)).collect();
        let got = &solve(problem(bodies, 1600)).frequencies[0].echo_width[0];
        for (g, e) in got.iter().zip(exact) {
            assert!((g / e - 1.0).abs() < 1e-2, "{centers:?}: {got:?}");
        }
    }
}

#[test]
fn reciprocity_holds_for_a_polygon_and_an_ellipse() {
    // σ(a → b) = σ(b+π → a+π): pulses keep it to the discretisation error, the cells being of unequal length.
    let bodies = vec![
        Shape::Polygon { points: vec![[0.0, 0.0], [1.0, 0.1], [0.3, 0.8]] },
        Shape::Ellipse { center: [-1.5, 0.5], semi_axes: [0.7, 0.2], rotation: 0.4 },
    ];
    let (a, b) = (0.3, 1.9);
    let mut there = problem(bodies, 600);
    there.propagation = vec![a, b + PI];
    there.observation = vec![b, a + PI];
    let echo = solve(there).frequencies[0].echo_width.clone();
    assert!((echo[0][0] / echo[1][1] - 1.0).abs() < 1e-3, "{echo:?}");
}

#[test]
fn near_field_matches_the_series_and_vanishes_inside() {
    let mut near = problem(vec![circle([0.0, 0.0], 1.0)], 1008);
    let x: Vec<f64> = (0..41).map(|i| -2.0 + 0.1 * f64::from(i)).collect();
    near.near_field = Some(NearGrid { x: x.clone(), y: x.clone() });
    let solution = solve(near);
    let total = &solution.frequencies[0].near_field.as_ref().unwrap().total;
    for (i, &y) in x.iter().enumerate() {
        for (j, &x) in x.iter().enumerate() {
            let (r, phi) = (x.hypot(y), y.atan2(x));
            let exact = if r > 1.0 { circle_total_field(TAU, TAU * r, phi) } else { 0.0.into() };
            let error = (total[i * 41 + j] - exact).norm();
            assert!(error < 2e-2, "({x}, {y}): {error}");
        }
    }
}

#[test]
fn frequency_and_angle_sweeps_come_in_order() {
    let mut sweep = problem(vec![circle([0.0, 0.0], 1.0)], 400);
    sweep.frequencies = vec![0.5 * C0, C0];
    sweep.propagation = vec![0.0, FRAC_PI_2];
    sweep.observation = vec![FRAC_PI_2];
    let solution = solve(sweep);
    for (f, ka) in [(0, PI), (1, TAU)] {
        let s = &solution.frequencies[f];
        // One wavelength is 2π/k: σ/λ at 90 degrees from the first wave and forward of the second.
        let wavelength = C0 / s.frequency;
        for (direction, phi) in [(0, FRAC_PI_2), (1, 0.0)] {
            let exact = circle_echo_width(ka, phi);
            assert!((s.echo_width[direction][0] / wavelength / exact - 1.0).abs() < 2e-2);
        }
    }
}

#[test]
fn single_precision_costs_at_most_a_part_in_ten_thousand() {
    let double = solve(problem(vec![circle([0.0, 0.0], 1.0)], 504));
    let mut single = problem(vec![circle([0.0, 0.0], 1.0)], 504);
    single.precision = Precision::Single;
    let single = solve(single);
    for (s, d) in single.frequencies[0].echo_width[0].iter().zip(&double.frequencies[0].echo_width[0]) {
        assert!((s / d - 1.0).abs() < 1e-4, "{s} {d}");
    }
}

#[test]
fn an_interior_resonance_is_told_and_an_ordinary_frequency_is_not() {
    // ka = 2.404825557695773 and 5.520078110286311 are zeros of J₀, 3.8317059702075125 of J₁ (Abramowitz and Stegun,
    // table 9.5): there the interior of the circle resonates and the equation has no unique solution.
    let interior = |ka: f64| {
        let solution = solve(problem(vec![circle([0.0, 0.0], ka / TAU)], 200));
        (solution.frequencies[0].interior_field, solution.warnings())
    };
    for ka in [1.5, 3.0, 4.5, 6.0] {
        let (field, warnings) = interior(ka);
        assert!(field < 0.1 && warnings.is_empty(), "ka = {ka}: {field}");
    }
    // Discretisation shifts the resonance a little: it is looked for within two per cent.
    for zero in [2.404825557695773, 3.8317059702075125, 5.520078110286311] {
        let worst = (0..=400)
            .map(|i| interior(zero * (1.0 + 1e-4 * f64::from(i - 200))))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let (field, warnings) = worst.unwrap();
        assert!(field > 1.0, "ka = {zero}: {field}");
        assert!(warnings[0].contains("near a resonance of the interior"), "{warnings:?}");
    }
}
