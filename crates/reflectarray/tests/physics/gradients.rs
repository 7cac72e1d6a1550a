//! Gradients in phases and positions against central differences, and Φ against its definition.

use crate::reference::{C0, array_factor, excitations, power_by_pairs};
use crate::{FREQUENCY, perturbed, small, square};
use phasefront_device::Backend;
use phasefront_reflectarray::{
    Cost, Derivatives, Design, Evaluation, Goals, Objective, Outside, PatternView, Problem,
};
use std::f64::consts::PI;

/// Two regions, an upper bound elsewhere, two frequencies.
fn problem(p: f64) -> Problem {
    let mut problem = small([6, 5], p);
    problem.frequencies = vec![FREQUENCY, 1.1 * FREQUENCY];
    problem.coverage.push(square("other", [-0.1, 0.1], 0.05));
    problem.outside = Some(Outside { upper: 3.0, margin: 0.05 });
    problem
}

type CostOf = fn(&mut Objective, &Design, Derivatives) -> Evaluation;

fn phi(objective: &mut Objective, design: &Design, wanted: Derivatives) -> Evaluation {
    objective.evaluate(design, wanted).unwrap()
}

fn margin(objective: &mut Objective, design: &Design, wanted: Derivatives) -> Evaluation {
    let goals = Goals::new(&problem(1.0), objective.pattern().mask);
    let mut cost = |pattern: &PatternView<'_>| Cost::Minimax { sharpness: 1.5 }.of(&goals, pattern);
    objective.evaluate_with(design, &mut cost, wanted).unwrap()
}

/// The derivative along each unknown by central differences of two steps, extrapolated: (4 d(h) − d(2h))/3.
fn differences(
    objective: &mut Objective,
    design: &Design,
    cost: CostOf,
    step: f64,
    unknown: impl Fn(&mut Design, usize) -> &mut f64,
) -> Vec<f64> {
    (0..design.len())
        .map(|n| {
            let mut at = |shift: f64| {
                let mut moved = design.clone();
                *unknown(&mut moved, n) += shift;
                cost(objective, &moved, Derivatives::None).value
            };
            let mut slope = |h: f64| (at(h) - at(-h)) / (2.0 * h);
            (4.0 * slope(step) - slope(2.0 * step)) / 3.0
        })
        .collect()
}

#[track_caller]
fn agree(got: &[f64], expected: &[f64], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let size = expected.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    assert!(size > 0.0, "{what} vanishes");
    let miss = got.iter().zip(expected).fold(0.0, |m: f64, (g, e)| m.max((g - e).abs())) / size;
    assert!(miss < 1e-6, "{what}: off by {miss:.1e}");
}

#[test]
fn gradients_equal_central_differences() {
    for (p, shift) in [(0.0, 0.0), (1.0, 0.002), (2.5, 0.002)] {
        let problem = problem(p);
        let design = perturbed(&problem, shift);
        for (name, cost) in [("phi", phi as CostOf), ("margin", margin)] {
            let mut objective = Objective::new(&problem, &Backend::Cpu).unwrap();
            let got = cost(&mut objective, &design, Derivatives::PhaseAndPosition);
            let phase = differences(&mut objective, &design, cost, 1e-4, |d, n| &mut d.phase[n]);
            agree(&got.phase, &phase, &format!("{name} p={p} phase"));
            let x = differences(&mut objective, &design, cost, 1e-6, |d, n| &mut d.x[n]);
            agree(&got.x, &x, &format!("{name} p={p} x"));
            let y = differences(&mut objective, &design, cost, 1e-6, |d, n| &mut d.y[n]);
            agree(&got.y, &y, &format!("{name} p={p} y"));
            // Phases alone are the same numbers.
            assert_eq!(
                cost(&mut objective, &design, Derivatives::Phase),
                Evaluation { x: vec![], y: vec![], ..got }
            );
        }
    }
}

#[test]
fn phi_is_the_distance_from_the_mask() {
    let problem = problem(1.0);
    let design = perturbed(&problem, 0.001);
    let mut expected = 0.0;
    for &frequency in &problem.frequencies {
        let beta = 2.0 * PI * frequency / C0;
        let a = excitations(&problem, &design, frequency);
        let kappa = |t: f64| if t == 0.0 { PI } else { 2.0 * PI * libm::j1(t) / t };
        let unit = power_by_pairs(&design, &a, beta, kappa) / (4.0 * PI);
        for k in 0..18 {
            for h in 0..21 {
                let (u, v) = (0.083 + 0.03 * (f64::from(h) - 10.0), -0.023 + 0.03 * (f64::from(k) - 9.0));
                let apart = |u0: f64, v0: f64, half: f64| {
                    let (du, dv) = ((u - u0).abs() - half, (v - v0).abs() - half);
                    if du.max(dv) < 0.0 { -1.0 } else { du.max(0.0).hypot(dv.max(0.0)) }
                };
                let (first, second) = (apart(0.1, -0.05, 0.12), apart(-0.1, 0.1, 0.05));
                let nearest = first.min(second);
                let bounds = match nearest {
                    n if n < 0.0 => [14.0, 17.0],
                    // Half a diagonal of the cells: samples around the boundary.
                    n if n <= 0.03 / 2f64.sqrt() => [14.0, f64::INFINITY],
                    n if n < 0.05 => [f64::NEG_INFINITY, f64::INFINITY],
                    _ => [f64::NEG_INFINITY, 3.0],
                };
                let [low, high] = bounds.map(|db: f64| 10f64.powf(db / 10.0) * unit);
                let e = (1.0 - u * u - v * v).sqrt() * array_factor(&design, &a, beta, u, v).norm_sqr();
                expected += (e - e.max(low).min(high)).powi(2);
            }
        }
    }
    let mut objective = Objective::new(&problem, &Backend::Cpu).unwrap();
    let got = objective.evaluate(&design, Derivatives::None).unwrap().value;
    assert!((got / expected - 1.0).abs() < 1e-7, "{got} {expected}");
}
