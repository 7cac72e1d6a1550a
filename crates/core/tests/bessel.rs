//! Bessel and Hankel functions against 40-digit values (`reference/hankel.py` makes them).

use num_complex::Complex64;
use phasefront_core::simd::{Arch, instruction_sets};
use phasefront_core::special::bessel::{hankel2_0, hankel2_1, hankel2_orders};
use phasefront_core::special::hankel_batch::{
    hankel2_0_batch, hankel2_0_batch_on, hankel2_01_batch, hankel2_01_batch_on,
};

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
    assert_eq!(rows.len(), 413);
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

/// H0 alone, then H0 and H1 together, as re, im, re0, im0, re1, im1.
fn batches(set: Arch, x: &[f64]) -> [Vec<f64>; 6] {
    let mut h = [(); 6].map(|()| vec![f64::NAN; x.len()]);
    let [re, im, re0, im0, re1, im1] = h.each_mut();
    hankel2_0_batch_on(set, x, re, im);
    hankel2_01_batch_on(set, x, re0, im0, re1, im1);
    h
}

#[test]
fn batches_are_accurate_on_every_instruction_set() {
    let rows = rows();
    // Sorted, most vectors lie on one side of the split at 5; with a stride, many straddle it.
    for stride in [1, 29] {
        let shuffled: Vec<_> = (0..rows.len()).map(|i| &rows[i * stride % rows.len()]).collect();
        let x: Vec<f64> = shuffled.iter().map(|row| row[0]).collect();
        for (name, set) in instruction_sets() {
            let h = batches(set, &x);
            assert_eq!(h[..2], h[2..4], "H0 is the same with and without H1, {name}");
            for (i, row) in shuffled.iter().enumerate() {
                let [x, j0, y0, j1, y1, ..] = row[..] else { panic!("short row") };
                let error0 = error(Complex64::new(h[2][i], h[3][i]), j0, y0);
                let error1 = error(Complex64::new(h[4][i], h[5][i]), j1, y1);
                assert!(error0 < TOLERANCE, "H0({x}) misses by {error0:e} on {name}");
                assert!(error1 < TOLERANCE, "H1({x}) misses by {error1:e} on {name}");
            }
        }
    }
}

#[test]
fn a_batch_of_any_length_gives_the_values_of_its_arguments() {
    let x: Vec<f64> = (0..40).map(|i| 0.3 + 0.31 * f64::from(i)).collect();
    for (name, set) in instruction_sets() {
        for start in 0..3 {
            for end in start..x.len() {
                let h = batches(set, &x[start..end]);
                for (i, &x) in x[start..end].iter().enumerate() {
                    let (h0, h1) = (hankel2_0(x), hankel2_1(x));
                    assert!(
                        error(Complex64::new(h[0][i], h[1][i]), h0.re, -h0.im) < 2.0 * TOLERANCE,
                        "{name} {x}"
                    );
                    assert!(
                        error(Complex64::new(h[4][i], h[5][i]), h1.re, -h1.im) < 2.0 * TOLERANCE,
                        "{name} {x}"
                    );
                }
            }
        }
    }
}

#[test]
fn arguments_out_of_range_are_those_of_the_scalar_functions() {
    let strange =
        [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 1e-310, 1e6 + 1.0, 1e9, 1e300];
    for (name, set) in instruction_sets() {
        for index in [0, 3, 8, 17] {
            for x in strange {
                let mut all = [1.5; 18];
                all[index] = x;
                let h = batches(set, &all).map(|part| part[index]);
                let (h0, h1) = (hankel2_0(x), hankel2_1(x));
                let bits = |v: [f64; 6]| v.map(|v| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() });
                assert_eq!(bits(h), bits([h0.re, h0.im, h0.re, h0.im, h1.re, h1.im]), "{name} {x}");
            }
        }
    }
}

#[test]
fn the_default_is_the_best_instruction_set() {
    let x: Vec<f64> = (1..100).map(|i| 0.2 * f64::from(i)).collect();
    let mut h = [(); 6].map(|()| vec![f64::NAN; x.len()]);
    let [re, im, re0, im0, re1, im1] = h.each_mut();
    hankel2_0_batch(&x, re, im);
    hankel2_01_batch(&x, re0, im0, re1, im1);
    assert_eq!(h, batches(instruction_sets().pop().unwrap().1, &x));
}
