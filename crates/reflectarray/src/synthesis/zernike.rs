//! Zernike polynomials over the aperture: few smooth modes of the phase.
//!
//! ```text
//! Z_n^m = R_n^|m|(ρ) cos mθ  (m ≥ 0),   R_n^|m|(ρ) sin |m|θ  (m < 0)
//! R_n^m(ρ) = Σ_s (−1)^s (n−s)! / [s! ((n+m)/2 − s)! ((n−m)/2 − s)!] ρ^{n−2s}
//! ```
//!
//! (Born and Wolf, "Principles of Optics", section 9.2.1), ρ = 1 on the circumscribed circle of the aperture.

/// Zernike modes at the elements.
#[derive(Debug, Clone)]
pub(crate) struct Modes {
    /// One vector per mode, one value per element, scaled to a mean square of 1 over the elements.
    pub values: Vec<Vec<f64>>,
    /// Radial order n of each mode.
    pub orders: Vec<usize>,
}

impl Modes {
    /// The modes of radial orders 1 to `order`. Order 0, piston, only changes the phase of the whole field.
    pub fn new(x: &[f64], y: &[f64], order: usize) -> Self {
        let radius = x.iter().zip(y).map(|(x, y)| x.hypot(*y)).fold(f64::MIN_POSITIVE, f64::max);
        let mut modes = Self { values: Vec::new(), orders: Vec::new() };
        for n in 1..=order {
            // m from −n to n in steps of two, the sine and cosine terms of an order.
            for m in (0..=n).map(|i| 2 * i as i64 - n as i64) {
                let value = |(x, y): (&f64, &f64)| zernike(n, m, x.hypot(*y) / radius, y.atan2(*x));
                let mut values: Vec<f64> = x.iter().zip(y).map(value).collect();
                // Over the elements, not over the disk: a unit coefficient is then a phase of 1 rad
                // RMS, which preconditions the search.
                let mean_square = values.iter().map(|z| z * z).sum::<f64>() / values.len() as f64;
                // A mode may vanish at every element of a tiny array: it cannot be normalized.
                let scale = if mean_square > 1e-24 { mean_square.sqrt().recip() } else { 0.0 };
                for z in &mut values {
                    *z *= scale;
                }
                modes.values.push(values);
                modes.orders.push(n);
            }
        }
        modes
    }

    /// Number of modes up to an order.
    pub fn up_to(&self, order: usize) -> usize {
        self.orders.partition_point(|n| *n <= order)
    }
}

fn zernike(n: usize, m: i64, rho: f64, theta: f64) -> f64 {
    let k = m.unsigned_abs() as usize;
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    let radial: f64 = (0..=(n - k) / 2)
        .map(|s| {
            let sign = if s % 2 == 0 { 1.0 } else { -1.0 };
            let below = factorial(s) * factorial(usize::midpoint(n, k) - s) * factorial((n - k) / 2 - s);
            sign * factorial(n - s) / below * rho.powi((n - 2 * s) as i32)
        })
        .sum();
    let angle = k as f64 * theta;
    radial * if m >= 0 { angle.cos() } else { angle.sin() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn known_polynomials_and_orthogonality_over_the_disc() {
        // Born and Wolf, table 9.1: R_4^0 = 6ρ⁴ − 6ρ² + 1, R_3^1 = 3ρ³ − 2ρ, R_6^2 = 15ρ⁶ − 20ρ⁴ + 6ρ².
        let rho: f64 = 0.7;
        assert!((zernike(4, 0, rho, 0.3) - (6.0 * rho.powi(4) - 6.0 * rho.powi(2) + 1.0)).abs() < 1e-14);
        assert!((zernike(3, -1, rho, 0.3) - (3.0 * rho.powi(3) - 2.0 * rho) * 0.3f64.sin()).abs() < 1e-14);
        let r62 = 15.0 * rho.powi(6) - 20.0 * rho.powi(4) + 6.0 * rho.powi(2);
        assert!((zernike(6, 2, rho, 0.3) - r62 * 0.6f64.cos()).abs() < 1e-14);
        // A polar grid with the midpoint rule: products of different modes vanish over the disc.
        let grid = |i: usize, j: usize| ((i as f64 + 0.5) / 400.0, 2.0 * PI * j as f64 / 32.0);
        let product = |(a, b): (usize, i64), (c, d): (usize, i64)| -> f64 {
            let cells = (0..400).flat_map(|i| (0..32).map(move |j| grid(i, j)));
            cells.map(|(r, t)| zernike(a, b, r, t) * zernike(c, d, r, t) * r).sum::<f64>() / (400.0 * 32.0)
        };
        for (a, b) in [((2, 0), (4, 0)), ((3, 1), (5, 1)), ((2, 2), (2, -2)), ((1, 1), (3, 1))] {
            assert!(product(a, b).abs() < 1e-5, "{a:?} {b:?}");
        }
    }

    #[test]
    fn modes_are_counted_by_order() {
        let grid: Vec<(f64, f64)> =
            (0..81).map(|i| (f64::from(i % 9) - 4.0, f64::from(i / 9) - 4.0)).collect();
        let (x, y): (Vec<f64>, Vec<f64>) = grid.into_iter().unzip();
        let modes = Modes::new(&x, &y, 6);
        assert_eq!(modes.values.len(), 27);
        assert_eq!([1, 2, 6].map(|n| modes.up_to(n)), [2, 5, 27]);
        for values in &modes.values {
            assert!((values.iter().map(|z| z * z).sum::<f64>() / 81.0 - 1.0).abs() < 1e-12);
        }
    }
}
