//! Legendre polynomials, and their integrals against the singularities of the layer kernels.
//!
//! For a point z of the complex plane and polynomials P_l on [-1, 1], Neumann's formula
//! ∫ P_l(u)/(u − z) du = −2 Q_l(z) (Abramowitz and Stegun 8.8.3) gives the integral with a pole; its derivative in z that with a double pole,
//! and its integral that with a logarithm: ∫ P_l ln|u − z| du = (2/(2l+1)) Re[Q_{l+1} − Q_{l−1}].

use num_complex::Complex64;

/// Largest amplification of rounding errors accepted from the forward recurrence, which multiplies them by |z + √(z²−1)| at each
/// step; beyond, the backward recurrence is used.
const FORWARD_GROWTH: f64 = 30.0;

/// P_0(u) … P_{n-1}(u).
pub(crate) fn polynomials(n: usize, u: f64) -> Vec<f64> {
    let mut p = vec![1.0; n];
    if n > 1 {
        p[1] = u;
    }
    // l P_l = (2l − 1) u P_{l−1} − (l − 1) P_{l−2}.
    for l in 2..n {
        let m = l as f64;
        p[l] = ((2.0 * m - 1.0) * u * p[l - 1] - (m - 1.0) * p[l - 2]) / m;
    }
    p
}

/// Integrals over [-1, 1] of P_0 … P_{n-1} times a singular factor at z. For a real z inside the interval they are Cauchy principal
/// values (pole) and Hadamard finite parts (double pole).
pub(crate) struct Singular {
    /// ∫ P_l ln|u − z| du.
    pub log: Vec<f64>,
    /// ∫ P_l / (u − z) du.
    pub pole: Vec<Complex64>,
    /// ∫ P_l / (u − z)² du.
    pub double_pole: Vec<Complex64>,
}

impl Singular {
    pub(crate) fn new(n: usize, z: Complex64) -> Self {
        let q = second_kind(n + 1, z);
        let log_order = |l: usize| match l {
            // (1+z) ln(1+z) + (1−z) ln(1−z) − 2, continued off the interval.
            0 => (times_log(z + 1.0) - times_log(z - 1.0)).re - 2.0,
            _ => 2.0 / (2 * l + 1) as f64 * (q[l + 1] - q[l - 1]).re,
        };
        // Q_0' = 1/(1−z²), Q_1' = Q_0 + z Q_0', Q_{l+1}' = Q_{l−1}' + (2l+1) Q_l.
        let mut derivative = vec![1.0 / (1.0 - z * z); n.max(2)];
        derivative[1] = q[0] + z * derivative[0];
        for l in 2..n {
            derivative[l] = derivative[l - 2] + (2 * l - 1) as f64 * q[l - 1];
        }
        Self {
            log: (0..n).map(log_order).collect(),
            pole: q[..n].iter().map(|q| -2.0 * q).collect(),
            double_pole: derivative[..n].iter().map(|d| -2.0 * d).collect(),
        }
    }
}

/// z ln z, continued by zero at zero.
fn times_log(z: Complex64) -> Complex64 {
    if z == Complex64::ZERO { z } else { z * z.ln() }
}

/// Legendre functions of the second kind Q_0(z) … Q_n(z); on the interval the mean of both sides.
fn second_kind(n: usize, z: Complex64) -> Vec<Complex64> {
    // On the cut the mean of both sides yields principal values and finite parts.
    let on_interval = z.im == 0.0 && z.re.abs() < 1.0;
    let q0 = if on_interval {
        Complex64::from(0.5 * ((1.0 + z.re) / (1.0 - z.re)).ln())
    } else {
        0.5 * ((z + 1.0) / (z - 1.0)).ln()
    };
    let root = (z * z - 1.0).sqrt();
    let growth = (z + root).norm().max((z - root).norm());
    if growth.powi(n as i32) < FORWARD_GROWTH {
        // (l + 1) Q_{l+1} = (2l + 1) z Q_l − l Q_{l−1}: stable on and near the interval.
        let mut q = vec![q0, z * q0 - 1.0];
        for l in 1..n {
            let m = l as f64;
            q.push(((2.0 * m + 1.0) * z * q[l] - m * q[l - 1]) / (m + 1.0));
        }
        return q;
    }
    // Miller's backward recurrence, from an order so high that the arbitrary start has decayed: ratios Q_l/Q_{l−1} by
    // r_l = l / ((2l+1) z − (l+1) r_{l+1}).
    // growth^{−2 extra} = e^{−40}, below the unit roundoff.
    let extra = (40.0 / (2.0 * growth.ln())).ceil() as usize + 2;
    let mut ratio = Complex64::ZERO;
    let mut ratios = vec![Complex64::ZERO; n + 1];
    for l in (1..=n + extra).rev() {
        let m = l as f64;
        ratio = m / ((2.0 * m + 1.0) * z - (m + 1.0) * ratio);
        if l <= n {
            ratios[l] = ratio;
        }
    }
    let mut q = vec![q0];
    for l in 1..=n {
        q.push(q[l - 1] * ratios[l]);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_core::quadrature::gauss_legendre;

    #[test]
    fn polynomials_meet_their_closed_forms() {
        let p = polynomials(4, 0.3);
        assert!((p[2] - 0.5 * (3.0 * 0.09 - 1.0)).abs() < 1e-16);
        assert!((p[3] - 0.5 * (5.0 * 0.027 - 0.9)).abs() < 1e-16);
    }

    #[test]
    fn second_kind_far_from_the_interval() {
        // Q_15(5) = 1.68...e-16 by the leading term of its series l!/(2l+1)!! z^{-l-1} (1 + ...): hypergeometric sum.
        let (l, z) = (15.0_f64, 5.0_f64);
        let mut term = (1..=15).map(|m| f64::from(m) / f64::from(2 * m + 1)).product::<f64>() / z.powi(16);
        let mut sum = 0.0;
        for s in 0..60 {
            sum += term;
            let s = f64::from(s);
            term *= (l + 1.0 + 2.0 * s) * (l + 2.0 + 2.0 * s)
                / (2.0 * (s + 1.0) * (2.0 * l + 3.0 + 2.0 * s))
                / (z * z);
        }
        let q = second_kind(16, Complex64::from(z));
        assert!((q[15].re / sum - 1.0).abs() < 1e-13, "{} {sum}", q[15].re);
    }

    /// ∫ f(v) dv over v = u − foot in [-1 − foot, 1 − foot], on panels that shrink toward v = 0.
    fn graded(foot: f64, f: &dyn Fn(f64) -> Complex64) -> Complex64 {
        let rule = gauss_legendre(24);
        let mut sum = Complex64::ZERO;
        for reach in [-1.0 - foot, 1.0 - foot] {
            let mut far = reach;
            for level in 0..60 {
                let near = if level == 59 { 0.0 } else { 0.5 * far };
                let re = rule.integrate(near, far, |v| f(v).re);
                let im = rule.integrate(near, far, |v| f(v).im);
                sum += Complex64::new(re, im) * reach.signum();
                far = near;
            }
        }
        sum
    }

    #[test]
    fn integrals_match_quadrature_on_and_off_the_interval() {
        let n = 32;
        let points =
            [(0.37, 0.0), (-0.99, 0.0), (0.2, 1e-4), (0.9, -0.03), (1.05, 0.02), (-1.4, 0.6), (2.5, 1.0)];
        for (x, y) in points {
            let z = Complex64::new(x, y);
            let singular = Singular::new(n, z);
            let foot = x.clamp(-1.0, 1.0);
            // u − z and P_l(u) at u = foot + v, the first without rounding of u.
            let separation = |v: f64| Complex64::new(v + (foot - x), -y);
            for l in [0, 1, 2, 7, 15, 31] {
                let p = |v: f64| polynomials(n, foot + v)[l];
                let log = graded(foot, &|v| Complex64::from(p(v) * separation(v).norm().max(1e-300).ln())).re;
                assert!((singular.log[l] - log).abs() < 2e-14, "log {l} at {z}: {} {log}", singular.log[l]);
                if y != 0.0 {
                    let pole = graded(foot, &|v| p(v) / separation(v));
                    assert!(
                        (singular.pole[l] - pole).norm() < 1e-12 * (1.0 + pole.norm()),
                        "pole {l} at {z}"
                    );
                    let double = graded(foot, &|v| p(v) / (separation(v) * separation(v)));
                    let error = (singular.double_pole[l] - double).norm();
                    assert!(error < 1e-10 * (1.0 + double.norm()), "double pole {l} at {z}: {error}");
                }
            }
        }
    }

    #[test]
    fn finite_parts_on_the_interval() {
        // P_0: ln((1−x)/(1+x)) and −2/(1−x²); P_1 = u: x ln((1−x)/(1+x)) + 2 and ln((1−x)/(1+x)) − 2x/(1−x²).
        let x = 0.3_f64;
        let singular = Singular::new(2, Complex64::from(x));
        let log = ((1.0 - x) / (1.0 + x)).ln();
        assert!((singular.pole[0] - log).norm() < 1e-15);
        assert!((singular.pole[1] - (x * log + 2.0)).norm() < 1e-15);
        assert!((singular.double_pole[0] + 2.0 / (1.0 - x * x)).norm() < 1e-15);
        assert!((singular.double_pole[1] - (log - 2.0 * x / (1.0 - x * x))).norm() < 1e-14);
    }
}
