//! P_rad against quadrature over visible space and against the double sum.

use crate::reference::{C0, excitations, power_by_pairs, power_by_quadrature};
use crate::{FREQUENCY, perturbed, small};
use phasefront_device::Backend;
use phasefront_reflectarray::{Design, Objective, Problem, ReflectionTable};
use std::f64::consts::PI;

const BETA: f64 = 2.0 * PI * FREQUENCY / C0;

fn power(problem: &Problem, design: &Design) -> f64 {
    let mut objective = Objective::new(problem, &Backend::Cpu).unwrap();
    objective.update_power(design).unwrap();
    4.0 * PI / objective.pattern().scale[0]
}

#[test]
fn equals_quadrature_for_any_exponent_on_and_off_the_lattice() {
    for (p, shift) in [(0.0, 0.0), (0.5, 0.002), (1.0, 0.002), (2.5, 0.0), (3.7, 0.002)] {
        let problem = small([9, 7], p);
        let design = perturbed(&problem, shift);
        let a = excitations(&problem, &design, FREQUENCY);
        let expected = power_by_quadrature(&design, &a, BETA, |c| c.powf(p), 120, 120);
        let got = power(&problem, &design);
        assert!((got / expected - 1.0).abs() < 1e-7, "p={p}: {got} {expected}");
    }
}

#[test]
fn equals_quadrature_with_a_table_of_the_cell() {
    let mut problem = small([6, 7], 1.0);
    let (theta, amplitude) = (vec![0.0, 0.4, 0.9, 1.5], vec![1.0, 0.95, 0.7, 0.2]);
    let table = ReflectionTable { theta, amplitude, phase: vec![0.0, 0.3, 0.9, 2.0] };
    problem.element.reflection = Some(table);
    let design = perturbed(&problem, 0.001);
    let a = excitations(&problem, &design, FREQUENCY);
    let amplitude = |theta: f64| match theta {
        t if t < 0.4 => 1.0 - 0.05 * t / 0.4,
        t if t < 0.9 => 0.95 - 0.25 * (t - 0.4) / 0.5,
        t if t < 1.5 => 0.7 - 0.5 * (t - 0.9) / 0.6,
        _ => 0.2,
    };
    // Kinks of the table slow the rule down: more rings.
    let expected = power_by_quadrature(&design, &a, BETA, |c| c * amplitude(c.acos()).powi(2), 4000, 100);
    let got = power(&problem, &design);
    assert!((got / expected - 1.0).abs() < 1e-6, "{got} {expected}");
}

/// κ in closed form: 2π sin t/t (p = 0), 2πJ₁(t)/t (p = 1), and for p = 2 by parts 4π (sin t − t cos t)/t³.
#[test]
fn equals_the_double_sum_of_large_arrays() {
    let p0 = |t: f64| if t == 0.0 { 2.0 * PI } else { 2.0 * PI * t.sin() / t };
    let p1 = |t: f64| if t == 0.0 { PI } else { 2.0 * PI * libm::j1(t) / t };
    let p2 = |t: f64| if t == 0.0 { 2.0 * PI / 3.0 } else { 2.0 * PI * (t.sin() - t * t.cos()) / t.powi(3) };
    let kappas: [&dyn Fn(f64) -> f64; 3] = [&p0, &p1, &p2];
    for (p, kappa) in kappas.into_iter().enumerate() {
        for shift in [0.0, 0.002] {
            let problem = small([40, 23], p as f64);
            let mut design = perturbed(&problem, shift);
            // A focused beam, in which many small errors could add up.
            design.phase = problem.focus_phases(&design, [0.2, 0.3]);
            let a = excitations(&problem, &design, FREQUENCY);
            let expected = power_by_pairs(&design, &a, BETA, kappa);
            let got = power(&problem, &design);
            assert!((got / expected - 1.0).abs() < 1e-7, "p={p} shift={shift}: {got} {expected}");
        }
    }
}

#[test]
fn moved_elements_are_followed() {
    let problem = small([9, 7], 1.0);
    let mut objective = Objective::new(&problem, &Backend::Cpu).unwrap();
    let mut design = problem.initial_design();
    for stretch in [1.0, 0.97, 1.6] {
        design.x.iter_mut().for_each(|x| *x *= stretch);
        objective.update_power(&design).unwrap();
        let got = 4.0 * PI / objective.pattern().scale[0];
        let a = excitations(&problem, &design, FREQUENCY);
        let expected = power_by_quadrature(&design, &a, BETA, |c| c, 160, 160);
        assert!((got / expected - 1.0).abs() < 1e-7, "{stretch}: {got} {expected}");
    }
}
