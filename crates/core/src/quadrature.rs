//! Quadrature rules on [-1, 1].

use std::f64::consts::PI;

/// Nodes and weights of a rule on [-1, 1], nodes ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Abscissae.
    pub nodes: Vec<f64>,
    /// Weights.
    pub weights: Vec<f64>,
}

impl Rule {
    /// ∫ₐᵇ f(x) dx by this rule.
    pub fn integrate(&self, a: f64, b: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
        let (half, mid) = (0.5 * (b - a), 0.5 * (a + b));
        self.nodes.iter().zip(&self.weights).map(|(&u, &w)| half * w * f(mid + half * u)).sum()
    }
}

/// Gauss-Legendre rule of `n` points: exact for polynomials of degree 2n-1.
///
/// Newton's method on P_n from Tricomi's approximate roots; weights 2/((1-u²)P_n'(u)²)
/// (Abramowitz and Stegun 25.4.29).
///
/// ```
/// let rule = phasefront_core::quadrature::gauss_legendre(5);
/// let integral = rule.integrate(0.0, 2.0, |x| x.powi(9));
/// assert!((integral - 102.4).abs() < 1e-12);
/// ```
///
/// # Panics
/// If `n` is zero.
pub fn gauss_legendre(n: usize) -> Rule {
    assert!(n > 0, "a quadrature rule needs at least one point");
    let mut rule = Rule { nodes: vec![0.0; n], weights: vec![0.0; n] };
    // The roots are symmetric about zero: compute the non-negative half, mirror the rest.
    for i in 0..n.div_ceil(2) {
        let mut u = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        // Newton converges quadratically from Tricomi's guess; five steps reach rounding for any n.
        for _ in 0..5 {
            let (p, dp) = legendre(n, u);
            u -= p / dp;
        }
        // The middle root of odd n is zero; Newton leaves a rounding error, which would break the
        // symmetry.
        if 2 * i + 1 == n {
            u = 0.0;
        }
        let (_, dp) = legendre(n, u);
        let w = 2.0 / ((1.0 - u * u) * dp * dp);
        (rule.nodes[i], rule.nodes[n - 1 - i]) = (-u, u);
        (rule.weights[i], rule.weights[n - 1 - i]) = (w, w);
    }
    rule
}

/// P_n(u) and P_n'(u) for |u| < 1 by the three-term recurrence.
fn legendre(n: usize, u: f64) -> (f64, f64) {
    // m P_m = (2m − 1) u P_{m−1} − (m − 1) P_{m−2}.
    let (mut previous, mut current) = (1.0, u);
    for m in 2..=n {
        let m = m as f64;
        (previous, current) = (current, ((2.0 * m - 1.0) * u * current - (m - 1.0) * previous) / m);
    }
    // (u² − 1) P_n' = n (u P_n − P_{n−1}), singular only at the ends, which are no roots.
    (current, n as f64 * (u * current - previous) / (u * u - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrates_every_monomial_it_should() {
        for n in 1..=64 {
            let rule = gauss_legendre(n);
            assert!(rule.nodes.is_sorted());
            for degree in 0..2 * n {
                let exact = if degree % 2 == 0 { 2.0 / (degree as f64 + 1.0) } else { 0.0 };
                let got = rule.integrate(-1.0, 1.0, |x| x.powi(degree as i32));
                assert!((got - exact).abs() < 2e-14, "n={n} degree={degree} {got} {exact}");
            }
        }
    }

    #[test]
    fn matches_the_published_five_point_rule() {
        // Abramowitz and Stegun, table 25.4, n = 5.
        let rule = gauss_legendre(5);
        for (i, (u, w)) in [(0.906179845938664, 0.236926885056189), (0.538469310105683, 0.478628670499366)]
            .iter()
            .enumerate()
        {
            assert!((rule.nodes[4 - i] - u).abs() < 1e-15);
            assert!((rule.weights[4 - i] - w).abs() < 1e-15);
        }
        assert!((rule.weights[2] - 0.568888888888889).abs() < 1e-15);
    }
}
