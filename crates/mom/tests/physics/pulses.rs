//! Pulses: the thesis's own method, with its accuracy.

use super::*;

fn pulses(shapes: Vec<Shape>, cells: usize) -> Problem {
    Problem {
        method: Method::Pulse,
        cells: CellCount::Total(cells),
        ..problem(shapes.into_iter().map(Body::conductor).collect())
    }
}

/// Largest error of |J| on the unit circle, relative to its largest value.
fn modulus_error(cells: usize) -> f64 {
    let (study, solution) = solve_all(Problem { currents: true, ..pulses(vec![circle(1.0)], cells) });
    let exact = Cylinders::conductor(K, Tm, 1.0);
    let errors = (0..cells).map(|i| {
        let phi = study.mesh.y[i].atan2(study.mesh.x[i]);
        (ETA0 * solution.frequencies[0].currents[0][i].norm() - exact.current(0, phi).norm()).abs()
    });
    errors.fold(0.0, f64::max) / exact.current(0, PI).norm()
}

#[test]
fn a_circle_of_one_wavelength_radius_with_the_thesis_1008_pulses() {
    assert!(modulus_error(1008) < 3.5e-3);
    let solution = solve(pulses(vec![circle(1.0)], 1008));
    let exact = Cylinders::conductor(K, Tm, 1.0);
    agree(&solution.echo_width[0], &[0.0, FRAC_PI_2, PI].map(|phi| exact.echo_width(phi)), 1e-3);
    assert!(solution.residual < 1e-11);
}

#[test]
fn pulses_converge_with_order_one() {
    let errors: Vec<f64> = [126, 252, 504, 1008].iter().map(|&n| modulus_error(n)).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() < 0.1, "order {order}, errors {errors:?}");
    }
}

#[test]
fn pulses_on_a_strip_converge_to_the_known_values() {
    // Not before the thousandth: nothing follows the singular current at the edges.
    for (width, exact) in [(0.5, 1.679730473), (1.0, 6.486276870)] {
        let errors = [100, 200, 400].map(|n| (echo(pulses(vec![strip(width)], n))[2] / exact - 1.0).abs());
        assert!(errors[2] < 5e-3, "width {width}: {errors:?}");
        assert!(errors[0] > 1.8 * errors[1] && errors[1] > 1.8 * errors[2], "width {width}: {errors:?}");
    }
}

#[test]
fn pulses_near_a_resonance_are_told_and_elsewhere_are_not() {
    // Zeros of J₀ and J₁ (Abramowitz and Stegun, table 9.5). Pulses shift the resonance a little: it is searched within
    // two per cent.
    let interior = |ka: f64| {
        let (study, solution) = solve_all(pulses(vec![circle(ka / K)], 100));
        (solution.frequencies[0].interior_field, warnings(&study, &solution))
    };
    for ka in [1.5, 3.0, 4.5, 6.0] {
        let (field, warnings) = interior(ka);
        assert!(field < 0.1 && warnings.is_empty(), "ka = {ka}: {field} {warnings:?}");
    }
    for zero in [2.404825557695773, 3.8317059702075125] {
        let worst = (0..=400)
            .map(|i| interior(zero * (1.0 + 1e-4 * f64::from(i - 200))))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let (field, warnings) = worst.unwrap();
        assert!(field > 1.0, "ka = {zero}: {field}");
        assert!(warnings[0].contains("near an interior resonance"), "{warnings:?}");
    }
}
