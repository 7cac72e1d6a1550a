//! Cylinder functions of all orders up to a highest one.

use super::J;
use super::scaled::Scaled;
use num_complex::Complex64;

/// J_0 to J_n of a complex argument with Im z ≤ 0, by Miller's backward recurrence J_{m-1} = (2m/z) J_m − J_{m+1},
/// normalized by e^{jz} = J_0 + 2 Σ j^m J_m, whose terms do not cancel for Im z ≤ 0
/// (Abramowitz and Stegun 9.1.41 and section 9.12).
pub fn bessel_j(n: usize, z: Complex64) -> Vec<Scaled> {
    let mut values = vec![Scaled::from(Complex64::ZERO); n + 1];
    if z == Complex64::ZERO {
        values[0] = Complex64::ONE.into();
        return values;
    }
    let start = n.max(z.norm() as usize) + 60;
    let (mut above, mut here) = (Scaled::from(Complex64::ZERO), Scaled::from(Complex64::ONE));
    let mut sum = above;
    for m in (0..=start).rev() {
        if m <= n {
            values[m] = here;
        }
        sum = sum + if m == 0 { here } else { here * (2.0 * J.powi(m as i32)) };
        let below = here * (2.0 * m as f64 / z) - above;
        (above, here) = (here, below);
    }
    let scale = Scaled::from((J * z).exp()) / sum;
    values.into_iter().map(|v| v * scale).collect()
}

/// H_0⁽²⁾ to H_n⁽²⁾ of a real argument; Y_m by forward recurrence, which is stable.
pub fn hankel2(n: usize, x: f64) -> Vec<Scaled> {
    let real = |y: f64| Scaled::from(Complex64::from(y));
    let (mut below, mut here) = (real(libm::y0(x)), real(libm::y1(x)));
    let y = (0..=n).map(|m| {
        let value = below;
        (below, here) = (here, here * Complex64::from(2.0 * (m + 1) as f64 / x) - below);
        value
    });
    bessel_j(n, x.into()).into_iter().zip(y).map(|(j, y)| j - y * J).collect()
}

/// Derivatives of orders 0 to n − 1 of J or H, from the functions of orders 0 to n: C_m' = (m/z) C_m − C_{m+1}.
pub fn derivatives(values: &[Scaled], z: Complex64) -> Vec<Scaled> {
    values.windows(2).enumerate().map(|(m, c)| c[0] * (m as f64 / z) - c[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_values_are_met() {
        // Abramowitz and Stegun, tables 9.1, 9.2 and 9.4: ten digits at least.
        let j = bessel_j(20, Complex64::from(10.0));
        for (m, value) in
            [(0, -0.245_935_764_451_348_3), (5, -0.234_061_528_186_793_6), (20, 1.151_336_925e-5)]
        {
            assert!((j[m].value() - value).norm() < 1e-9 * value.abs(), "J_{m}");
        }
        let h = hankel2(20, 10.0);
        for (m, value) in [(0, 0.055_671_167_283_599_4), (1, 0.249_015_424_206_953_9), (20, -1.597_483_848e3)]
        {
            assert!((h[m].value().im + value).abs() < 1e-9 * value.abs(), "Y_{m}");
        }
        // J_0(1 − j) = Σ (−z²/4)^m/m!² with z² = −2j (9.1.12).
        let j = bessel_j(3, Complex64::new(1.0, -1.0));
        let (mut term, mut sum) = (Complex64::ONE, Complex64::ONE);
        for m in 1..20 {
            term *= Complex64::new(0.0, 0.5) / f64::from(m * m);
            sum += term;
        }
        assert!((j[0].value() - sum).norm() < 1e-15);
    }

    #[test]
    fn wronskian_holds_at_all_orders() {
        // J_m H_m' − J_m' H_m = −2j/(πx), Abramowitz and Stegun 9.1.17.
        // To orders whose functions lie far beyond the range of double precision.
        for x in [0.3, 3.0, 31.0] {
            let (j, h) = (bessel_j(701, x.into()), hankel2(701, x));
            let (dj, dh) = (derivatives(&j, x.into()), derivatives(&h, x.into()));
            for m in 0..=700 {
                let wronskian = (j[m] * dh[m] - dj[m] * h[m]).value();
                let exact = -2.0 * J / (std::f64::consts::PI * x);
                assert!((wronskian / exact - 1.0).norm() < 1e-11, "x = {x}, order {m}: {wronskian}");
            }
        }
    }
}
