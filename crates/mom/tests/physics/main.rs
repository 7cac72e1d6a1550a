//! The solver against closed forms, independent methods and published values; a wavelength is one meter throughout, so that
//! echo widths in meters are echo widths in wavelengths.

#[path = "../reference/mod.rs"]
mod reference;

mod circle;
mod cylinders;
mod dielectric;
mod edges;
mod field;
mod gaps;
mod orders;
mod pulses;
mod resonance;
mod self_checks;
mod shapes;
mod strip;
mod sweeps;

use num_complex::Complex64;
use phasefront_core::Progress;
use phasefront_core::constants::{C0, ETA0};
use phasefront_device::Backend;
use phasefront_mom::{
    Body, CellCount, Equation, FrequencySolution, Lcn, Method, Polarization, Problem, Shape, Solution, Study,
    prepare,
};
use reference::Cylinders;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use Polarization::{Te, Tm};

/// Wavenumber at a wavelength of one meter.
const K: f64 = TAU;

/// A wave along +x, echo widths at 0, 90 and 180 degrees.
fn problem(bodies: Vec<Body>) -> Problem {
    Problem {
        bodies,
        frequencies: vec![C0],
        propagation: vec![0.0],
        observation: vec![0.0, FRAC_PI_2, PI],
        ..Problem::default()
    }
}

fn circle(radius: f64) -> Shape {
    Shape::Circle { center: [0.0, 0.0], radius }
}

/// A conducting circle about the origin.
fn conducting_circle(radius: f64, polarization: Polarization) -> Problem {
    Problem { polarization, ..problem(vec![Body::conductor(circle(radius))]) }
}

/// A strip of the given width on the y axis, its normal along +x.
fn strip(width: f64) -> Shape {
    Shape::Strip { from: [0.0, -0.5 * width], to: [0.0, 0.5 * width] }
}

/// The problem with cells of the given order.
fn with_cells(problem: Problem, order: usize, cells: usize) -> Problem {
    let lcn = Lcn { order, ..lcn_of(&problem) };
    Problem { method: Method::Lcn(lcn), cells: CellCount::Total(cells), ..problem }
}

fn lcn_of(problem: &Problem) -> Lcn {
    match problem.method {
        Method::Lcn(lcn) => lcn,
        Method::Pulse => Lcn::default(),
    }
}

fn with_levels(problem: Problem, levels: usize) -> Problem {
    let lcn = Lcn { corner_levels: Some(levels), ..lcn_of(&problem) };
    Problem { method: Method::Lcn(lcn), ..problem }
}

fn degrees(count: i32) -> Vec<f64> {
    (0..count).map(|i| TAU * f64::from(i) / f64::from(count)).collect()
}

fn solve_all(problem: Problem) -> (Study, Solution) {
    let study = prepare(problem).unwrap();
    let solution = study.solve(&Backend::Cpu, &Progress::silent()).unwrap();
    (study, solution)
}

/// The solution at a single frequency.
fn solve(problem: Problem) -> FrequencySolution {
    solve_all(problem).1.frequencies.remove(0)
}

/// Sentences of all self-checks that do not hold.
fn warnings(study: &Study, solution: &Solution) -> Vec<String> {
    let checks = [study.self_checks.clone(), solution.self_checks(study)].concat();
    checks.into_iter().filter(|check| !check.holds()).map(|check| check.sentence).collect()
}

/// Echo widths for the first wave.
fn echo(problem: Problem) -> Vec<f64> {
    solve(problem).echo_width.remove(0)
}

/// σ(a → b) and σ(b+π → a+π), which reciprocity makes equal.
fn reciprocal(problem: Problem) -> [f64; 2] {
    let (a, b) = (0.3, 1.9);
    let solution = solve(Problem { propagation: vec![a, b + PI], observation: vec![b, a + PI], ..problem });
    [solution.echo_width[0][0], solution.echo_width[1][1]]
}

/// n × H as references have it: η₀J_z (TM) or J along the outline (TE).
fn scaled_current(polarization: Polarization, current: Complex64) -> Complex64 {
    if polarization == Tm { ETA0 * current } else { current }
}

/// Largest error of the complex current of a conducting circle about the origin, relative to its largest value.
fn current_error(problem: Problem) -> f64 {
    let polarization = problem.polarization;
    let (study, solution) = solve_all(Problem { currents: true, ..problem });
    let Shape::Circle { radius, .. } = study.problem.bodies[0].shape else { panic!("a circle") };
    let exact = Cylinders::conductor(K, polarization, radius);
    let (mut error, mut largest) = (0.0_f64, 0.0_f64);
    for (i, j) in solution.frequencies[0].currents[0].iter().enumerate() {
        let reference = exact.current(0, study.mesh.y[i].atan2(study.mesh.x[i]));
        error = error.max((scaled_current(polarization, *j) - reference).norm());
        largest = largest.max(reference.norm());
    }
    error / largest
}

/// Every value within `tolerance` of its reference, relative to the reference.
#[track_caller]
fn agree(got: &[f64], exact: &[f64], tolerance: f64) {
    assert_eq!(got.len(), exact.len());
    for (i, (g, e)) in got.iter().zip(exact).enumerate() {
        assert!((g / e - 1.0).abs() < tolerance, "value {i}: {g} for {e}, {:e} off", g / e - 1.0);
    }
}

/// Every value within `tolerance` of its reference, relative to the largest reference: for whole patterns, whose nulls
/// have fewer digits than their lobes.
#[track_caller]
fn agree_on_scale(got: &[f64], exact: &[f64], tolerance: f64) {
    assert_eq!(got.len(), exact.len());
    let largest = exact.iter().copied().fold(0.0, f64::max);
    for (i, (g, e)) in got.iter().zip(exact).enumerate() {
        assert!((g - e).abs() < tolerance * largest, "value {i}: {g} for {e}, {:e} off", (g - e) / largest);
    }
}
