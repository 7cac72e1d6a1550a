//! Narrow gaps between bodies: multiple scattering by the addition theorem, with as many orders as the gap needs.

use super::cylinders::{body, conductor, filled};
use super::*;
use crate::reference::Cylinder;

/// Default settings of a case: 20 nodes per wavelength, order 10 in TM and 14 in TE.
fn defaults(cylinders: &[Cylinder], polarization: Polarization) -> Problem {
    let order = if polarization == Tm { 10 } else { 14 };
    Problem {
        polarization,
        propagation: vec![0.7],
        observation: degrees(72),
        method: Method::Lcn(Lcn { order, ..Lcn::default() }),
        cells: CellCount::PerWavelength(2.0),
        ..problem(cylinders.iter().map(body).collect())
    }
}

/// The whole pattern against the series; the study.
#[track_caller]
fn check(cylinders: &[Cylinder], polarization: Polarization, tolerance: f64) -> Study {
    let exact = Cylinders::new(K, polarization, 0.7, cylinders);
    let (study, solution) = solve_all(defaults(cylinders, polarization));
    let pattern: Vec<f64> = study.problem.observation.iter().map(|&phi| exact.echo_width(phi)).collect();
    agree_on_scale(&solution.frequencies[0].echo_width[0], &pattern, tolerance);
    assert!(warnings(&study, &solution).is_empty(), "{:?}", warnings(&study, &solution));
    study
}

const GAPS: [f64; 4] = [0.5, 0.1, 0.01, 0.001];

#[test]
fn conducting_cylinders_at_any_gap_keep_their_digits() {
    for polarization in [Tm, Te] {
        for gap in GAPS {
            check(&[conductor(0.0, 0.0, 0.5), conductor(0.0, 1.0 + 0.5 * gap, 0.5)], polarization, 1e-9);
        }
    }
}

#[test]
fn dielectric_cylinders_at_any_gap_keep_their_digits() {
    for polarization in [Tm, Te] {
        for gap in GAPS {
            let eps = [Complex64::from(4.0), Complex64::new(6.0, -1.0)];
            let pair = [filled(0.0, 0.0, 0.1, eps[0], 1.0), filled(0.0, 0.2 + 0.1 * gap, 0.1, eps[1], 1.0)];
            check(&pair, polarization, 1e-9);
        }
    }
}

#[test]
fn conductors_close_to_dielectrics_of_other_sizes() {
    for polarization in [Tm, Te] {
        for (radius, gap) in [(0.3, 0.02), (0.08, 0.005), (0.15, 0.2)] {
            let eps = Complex64::from(3.0);
            let pair = [conductor(0.0, 0.0, 0.2), filled(0.0, 0.2 + radius * (1.0 + gap), radius, eps, 1.0)];
            check(&pair, polarization, 1e-9);
        }
    }
}

#[test]
fn unknowns_grow_with_the_logarithm_of_the_gap() {
    let cells = |gap: f64| {
        let pair = [conductor(0.0, 0.0, 0.5), conductor(0.0, 1.0 + 0.5 * gap, 0.5)];
        prepare(defaults(&pair, Tm)).unwrap().mesh.proximity_cells
    };
    let counts = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6].map(cells);
    for pair in counts.windows(2) {
        assert!(pair[1] > pair[0] && pair[1] - pair[0] <= 16, "{counts:?}");
    }
    // Bodies far apart are left alone.
    assert_eq!(cells(3.0), 0);
}

#[test]
fn parallel_plates_are_refined_at_their_ends_alone() {
    // A short plate before a long one: the gap is even but for the ends of the short one.
    let plates = |gap: f64| {
        let plate = |a: f64, y: f64| Body::conductor(Shape::Strip { from: [-a, y], to: [a, y] });
        prepare(problem(vec![plate(2.0, 0.0), plate(0.7, gap)])).unwrap().mesh.proximity_cells
    };
    let counts = [1e-1, 1e-2, 1e-3, 1e-4].map(plates);
    assert!(counts.windows(2).all(|pair| pair[1] - pair[0] <= 40), "{counts:?}");
}
