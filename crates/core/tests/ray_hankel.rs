//! Hankel functions of a complex wavenumber against 30-digit values and against Amos' algorithm 644.

use num_complex::Complex64;
use phasefront_core::special::bessel::{hankel2_0, hankel2_1};
use phasefront_core::special::ray_hankel::RayHankel;

/// What `RayHankel` promises: |error| / |H|.
const TOLERANCE: f64 = 1e-14;

/// Loss angles from none to a good conductor, and on to evanescent waves.
const LOSSES: [f64; 7] = [0.0, 1e-3, 0.1, 0.5, std::f64::consts::FRAC_PI_4, 1.3, std::f64::consts::FRAC_PI_2];

fn error(got: Complex64, exact: Complex64) -> f64 {
    (got - exact).norm() / exact.norm()
}

#[test]
fn rays_agree_with_thirty_digits() {
    // `reference/ray_hankel.py` makes the table.
    let table = include_str!("reference/ray_hankel.csv");
    let rows =
        table.lines().skip(2).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect::<Vec<f64>>());
    let mut count = 0;
    for row in rows {
        let [k_re, k_im, r, re0, im0, re1, im1] = row[..] else { panic!("short row") };
        let (h0, h1) = RayHankel::new(Complex64::new(k_re, k_im)).eval(r);
        let errors = [error(h0, Complex64::new(re0, im0)), error(h1, Complex64::new(re1, im1))];
        assert!(errors.iter().all(|&e| e < TOLERANCE), "k = {k_re} {k_im}j, r = {r}: {errors:?}");
        count += 1;
    }
    assert_eq!(count, 236);
}

#[test]
fn rays_agree_with_amos() {
    for loss in LOSSES {
        // Factors of 24 bits, whose products are exact, so that both sides see the same argument.
        let short = |v: f64| f64::from(v as f32);
        let k = Complex64::new(short(3.7 * loss.cos()), short(-3.7 * loss.sin()));
        let ray = RayHankel::new(k);
        let mut size = 1.037e-8;
        while size < 1e4 {
            let r = short(size / 3.7);
            // The scaled function is H e^{jz}.
            let decay = -k.im * r;
            let exact = [0.0, 1.0].map(|n| complex_bessel::hankel2_scaled(n, k * r).unwrap());
            let (h0, h1) = ray.eval(r);
            for (h, scaled) in [h0, h1].into_iter().zip(exact) {
                let exact = scaled * Complex64::from_polar((-decay).exp(), -k.re * r);
                if decay < 690.0 {
                    assert!(error(h, exact) < TOLERANCE, "loss {loss}, |z| = {size}: {h} and {exact}");
                } else {
                    assert!((h - exact).norm() < 1e-300, "loss {loss}, |z| = {size}: {h}");
                }
            }
            size *= 1.0173;
        }
    }
}

#[test]
fn a_far_lossy_wave_is_zero() {
    for loss in LOSSES.into_iter().skip(1) {
        let ray = RayHankel::new(Complex64::from_polar(20.0, -loss));
        assert_eq!(ray.eval(1e6), (Complex64::ZERO, Complex64::ZERO), "loss {loss}");
    }
}

#[test]
fn without_loss_a_ray_is_the_real_axis() {
    let ray = RayHankel::new(Complex64::new(0.5, 0.0));
    for i in 1..2000 {
        let r = 0.037 * f64::from(i);
        let (h0, h1) = ray.eval(r);
        assert!(error(h0, hankel2_0(0.5 * r)) < TOLERANCE, "H0 at {r}");
        assert!(error(h1, hankel2_1(0.5 * r)) < TOLERANCE, "H1 at {r}");
    }
}

#[test]
#[should_panic(expected = "no wavenumber of a passive medium: 1+1i")]
fn a_growing_wave_is_refused() {
    RayHankel::new(Complex64::new(1.0, 1.0));
}
