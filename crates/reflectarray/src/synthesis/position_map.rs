//! Element positions as a smooth map of the lattice indices: few unknowns, and neighbors remain neighbors.
//!
//! ```text
//! x(ξ, η) = Σ_{1 ≤ k+l ≤ order} c_kl P_k(ξ) P_l(η),   y likewise,   ξ, η ∈ [−1, 1] the scaled indices
//! ```
//!
//! with Legendre polynomials P; c_00 is left out: it shifts the whole array.

use crate::problem::Design;

/// The products P_k(ξ) P_l(η) at the elements.
#[derive(Debug, Clone)]
pub(crate) struct PositionMap {
    /// One vector per product, one value per element.
    values: Vec<Vec<f64>>,
    /// k + l of each product.
    pub degrees: Vec<usize>,
}

impl PositionMap {
    pub fn new(index: &[[usize; 2]], order: usize) -> Self {
        // At least 1: a single row or column has no extent to scale.
        let last = [0, 1].map(|axis| index.iter().map(|i| i[axis]).max().unwrap_or(0).max(1) as f64);
        let scaled = |i: &[usize; 2], axis: usize| 2.0 * i[axis] as f64 / last[axis] - 1.0;
        // By total degree, low to high, without the constant.
        let pairs = || (1..=order).flat_map(|degree| (0..=degree).map(move |l| [degree - l, l]));
        let product = |[k, l]: [usize; 2]| {
            index.iter().map(|i| legendre(k, scaled(i, 0)) * legendre(l, scaled(i, 1))).collect()
        };
        Self { values: pairs().map(product).collect(), degrees: pairs().map(|[k, l]| k + l).collect() }
    }

    /// Coefficients of one coordinate.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Adds Σ c P_k P_l to a coordinate.
    pub fn add(&self, coefficients: &[f64], coordinate: &mut [f64]) {
        for (c, values) in coefficients.iter().zip(&self.values) {
            coordinate.iter_mut().zip(values).for_each(|(x, v)| *x += c * v);
        }
    }

    /// Chain rule: the gradient in the coefficients from that in the coordinate, the transpose of [`PositionMap::add`].
    pub fn coefficient_gradient<'a>(&'a self, derivative: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.values.iter().map(move |values| values.iter().zip(derivative).map(|(v, d)| v * d).sum())
    }
}

/// Puts the elements on a regular lattice with this spacing, centered.
pub(crate) fn place_uniformly(design: &mut Design, spacing: f64) {
    let center = design.shape().map(|n| 0.5 * (n as f64 - 1.0));
    for (n, i) in design.index.iter().enumerate() {
        design.x[n] = (i[0] as f64 - center[0]) * spacing;
        design.y[n] = (i[1] as f64 - center[1]) * spacing;
    }
}

/// P_k(t) by (k + 1) P_{k+1} = (2k + 1) t P_k − k P_{k−1}.
fn legendre(k: usize, t: f64) -> f64 {
    let (mut previous, mut value) = (0.0, 1.0);
    for i in 0..k {
        let i = i as f64;
        (previous, value) = (value, ((2.0 * i + 1.0) * t * value - i * previous) / (i + 1.0));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_of_degree_three_has_its_ten_terms_less_one() {
        let index: Vec<[usize; 2]> = (0..12).map(|n| [n % 4, n / 4]).collect();
        let map = PositionMap::new(&index, 3);
        assert_eq!(map.len(), 9);
        // P_3(t) = (5t³ − 3t)/2 and P_2(t) = (3t² − 1)/2
        assert!((legendre(3, 0.4) - (5.0 * 0.064 - 1.2) / 2.0).abs() < 1e-15);
        assert!((legendre(2, 0.4) - (3.0 * 0.16 - 1.0) / 2.0).abs() < 1e-15);
        // The gradient is the transpose of the map.
        let (coefficients, derivative): (Vec<f64>, Vec<f64>) =
            ((1..10).map(f64::from).collect(), (0..12).map(|n| f64::from(n).sin()).collect());
        let mut moved = vec![0.0; 12];
        map.add(&coefficients, &mut moved);
        let left: f64 = moved.iter().zip(&derivative).map(|(a, b)| a * b).sum();
        let right: f64 = map.coefficient_gradient(&derivative).zip(&coefficients).map(|(a, b)| a * b).sum();
        assert!((left - right).abs() < 1e-12);
    }
}
