//! Closed forms for circular cylinders, written from the textbook and from nothing in `src`.
//!
//! Series of Harrington, Time-Harmonic Electromagnetic Fields, section 5-9, with `libm`'s Bessel functions.

use num_complex::Complex64;

/// H_n⁽²⁾(x).
fn hankel2(n: i32, x: f64) -> Complex64 {
    Complex64::new(libm::jn(n, x), -libm::yn(n, x))
}

fn orders(ka: f64) -> i32 {
    // J_n(ka)/H_n(ka) is below 1e-20 this far above the turning point.
    (ka + 12.0 * ka.cbrt() + 20.0) as i32
}

/// ηJ_z(φ) on a perfectly conducting circle of radius a, TM, incidence along +x with unit E at the origin:
/// (2/(πka)) Σ j^{-n} e^{jnφ} / H_n⁽²⁾(ka).
pub fn circle_eta_current(ka: f64, phi: f64) -> Complex64 {
    let mut sum = 1.0 / hankel2(0, ka);
    for n in 1..=orders(ka) {
        sum += 2.0 * Complex64::new(0.0, -1.0).powi(n) * (f64::from(n) * phi).cos() / hankel2(n, ka);
    }
    sum * (2.0 / (std::f64::consts::PI * ka))
}

/// σ/λ of the same circle: (4/k)|Σ (J_n/H_n) e^{jnφ}|², over λ = 2π/k.
pub fn circle_echo_width(ka: f64, phi: f64) -> f64 {
    let a = |n: i32| libm::jn(n, ka) / hankel2(n, ka);
    let mut sum = a(0);
    for n in 1..=orders(ka) {
        sum += 2.0 * a(n) * (f64::from(n) * phi).cos();
    }
    2.0 / std::f64::consts::PI * sum.norm_sqr()
}

/// Total field at (r, φ) outside the same circle, k in rad/m:
/// Σ j^{-n} [J_n(kr) − (J_n(ka)/H_n(ka)) H_n(kr)] e^{jnφ}.
pub fn circle_total_field(ka: f64, kr: f64, phi: f64) -> Complex64 {
    let term = |n: i32| libm::jn(n, kr) - libm::jn(n, ka) / hankel2(n, ka) * hankel2(n, kr);
    let mut sum = term(0);
    for n in 1..=orders(kr) {
        let t = term(n);
        if t.norm().is_nan() {
            break; // Y_n(ka) overflows: the terms left are below 1e-300.
        }
        sum += 2.0 * Complex64::new(0.0, -1.0).powi(n) * (f64::from(n) * phi).cos() * t;
    }
    sum
}
