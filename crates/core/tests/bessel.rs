//! Bessel and Hankel functions against 40-digit values (`reference/hankel.py` makes them).

use num_complex::Complex64;
use phasefront_core::special::bessel::{hankel2_0, hankel2_1, hankel2_orders};

/// The accuracy the solvers rely on: |error| / |H|.
const TOLERANCE: f64 = 2e-15;

fn rows() -> Vec<Vec<f64>> {
    let table = include_str!("reference/hankel.csv");
    table.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

fn error(got: Complex64, j: f64, y: f64) -> f64 {
    let exact = Complex64::new(j, -y);
    (got - exact).norm() / exact.norm()
}

#[test]
fn orders_0_and_1_are_accurate_from_1e_8_to_1e6() {
    let rows = rows();
    assert_eq!(rows.len(), 188);
    for row in rows {
        let [x, j0, y0, j1, y1, ..] = row[..] else { panic!("short row") };
        assert!(error(hankel2_0(x), j0, y0) < TOLERANCE, "H0({x})");
        assert!(error(hankel2_1(x), j1, y1) < TOLERANCE, "H1({x})");
    }
}

#[test]
fn recurrence_keeps_its_digits_at_order_7() {
    for row in rows() {
        let [x, .., j7, y7] = row[..] else { panic!("short row") };
        let h = hankel2_orders(9, x)[7];
        assert!(error(h, j7, y7) < 20.0 * TOLERANCE, "H7({x}) {h} {j7} {y7}");
        // J alone, where it is small beside Y, keeps its relative accuracy by the backward recurrence.
        if x < 5.0 && j7 > 1e-300 {
            assert!((h.re / j7 - 1.0).abs() < 1e-13, "J7({x}) {} {j7}", h.re);
        }
    }
}
