//! Orthonormal polynomials on the unit tetrahedron, with their gradients.
//!
//! Products of Jacobi polynomials in collapsed coordinates (Dubiner 1991; Hesthaven and Warburton 2008, section 10.1), each factor made
//! homogeneous so that nothing is divided by: t^n P_n(x/t) has a three-term recurrence.

use std::ops::{Add, Mul};

/// Barycentric coordinates of (ξ, η, ζ): 1 − ξ − η − ζ, ξ, η, ζ.
pub fn barycentric([x, y, z]: [f64; 3]) -> [f64; 4] {
    [1.0 - x - y - z, x, y, z]
}

/// A value and its gradient.
#[derive(Debug, Clone, Copy)]
struct Dual {
    value: f64,
    slope: [f64; 3],
}

impl Dual {
    fn constant(value: f64) -> Self {
        Self { value, slope: [0.0; 3] }
    }

    fn times(self, s: f64) -> Self {
        Self { value: s * self.value, slope: self.slope.map(|d| s * d) }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let slope = std::array::from_fn(|i| self.slope[i] + other.slope[i]);
        Self { value: self.value + other.value, slope }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        // (f g)' = f' g + f g'.
        let slope = std::array::from_fn(|i| self.slope[i].mul_add(other.value, self.value * other.slope[i]));
        Self { value: self.value * other.value, slope }
    }
}

/// t^n P_n^{(α,0)}(x/t) for n = 0..=degree (DLMF 18.9.2 with β = 0).
fn scaled_jacobi(degree: usize, alpha: f64, x: Dual, t: Dual) -> Vec<Dual> {
    let mut values = vec![Dual::constant(1.0)];
    if degree > 0 {
        values.push(x.times(0.5 * (alpha + 2.0)) + t.times(0.5 * alpha));
    }
    for n in 1..degree {
        let n_f = n as f64;
        let c = 2.0 * n_f + alpha;
        let scale = 1.0 / (2.0 * (n_f + 1.0) * (n_f + alpha + 1.0) * c);
        let linear = x.times(c * (c + 1.0) * (c + 2.0)) + t.times((c + 1.0) * alpha * alpha);
        let back = t * t.times(-2.0 * (n_f + alpha) * n_f * (c + 2.0));
        values.push((linear * values[n] + back * values[n - 1]).times(scale));
    }
    values
}

/// P_n^{(α,0)}(u) and its derivative.
pub fn jacobi(n: usize, alpha: f64, u: f64) -> (f64, f64) {
    let all = scaled_jacobi(n, alpha, Dual { value: u, slope: [1.0, 0.0, 0.0] }, Dual::constant(1.0));
    (all[n].value, all[n].slope[0])
}

/// Values and gradients of all polynomials up to `order` at a point of the unit tetrahedron: orthonormal there.
pub fn orthonormal(order: usize, local: [f64; 3]) -> Vec<(f64, [f64; 3])> {
    let λ = barycentric(local);
    let gradients = [[-1.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let λ: [Dual; 4] = std::array::from_fn(|i| Dual { value: λ[i], slope: gradients[i] });
    let one = Dual::constant(1.0);
    let pair = λ[0] + λ[1];
    let triple = pair + λ[2];
    // Collapsed coordinates (λ₁ − λ₀)/(λ₀ + λ₁) and so on, with their denominators as `t`.
    let first = scaled_jacobi(order, 0.0, λ[1] + λ[0].times(-1.0), pair);
    let mut basis = Vec::new();
    for (i, &p) in first.iter().enumerate() {
        let alpha = 2.0 * i as f64 + 1.0;
        let second = scaled_jacobi(order - i, alpha, λ[2] + pair.times(-1.0), triple);
        for (j, &q) in second.iter().enumerate() {
            let alpha = 2.0 * (i + j) as f64 + 2.0;
            let third = scaled_jacobi(order - i - j, alpha, λ[3] + triple.times(-1.0), one);
            for (k, &r) in third.iter().enumerate() {
                // ∫ over the unit tetrahedron of the square is 1/((2i+1)(2i+2j+2)(2i+2j+2k+3)).
                let [i, j, k] = [i, j, k].map(|n| n as f64);
                let norm = (2.0 * i + 1.0) * (2.0 * (i + j) + 2.0) * (2.0 * (i + j + k) + 3.0);
                let f = (p * q * r).times(norm.sqrt());
                basis.push((f.value, f.slope));
            }
        }
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::cubature;

    #[test]
    fn the_polynomials_are_orthonormal() {
        let rule = cubature::tetrahedron(12);
        let values: Vec<Vec<f64>> =
            rule.iter().map(|(p, _)| orthonormal(6, *p).iter().map(|f| f.0).collect()).collect();
        for i in 0..84 {
            for j in 0..84 {
                let product: f64 = rule.iter().zip(&values).map(|((_, w), v)| w * v[i] * v[j]).sum();
                let exact = f64::from(u8::from(i == j));
                assert!((product - exact).abs() < 1e-12, "{i} {j} {product}");
            }
        }
    }

    #[test]
    fn gradients_are_those_of_the_values() {
        let (p, h) = ([0.2, 0.31, 0.17], 1e-6);
        let here = orthonormal(5, p);
        for axis in 0..3 {
            let moved = |s: f64| {
                let mut q = p;
                q[axis] += s;
                orthonormal(5, q)
            };
            let (ahead, behind) = (moved(h), moved(-h));
            for i in 0..here.len() {
                let slope = (ahead[i].0 - behind[i].0) / (2.0 * h);
                assert!((slope - here[i].1[axis]).abs() < 1e-6 * (1.0 + slope.abs()), "{i} {axis}");
            }
        }
    }
}
