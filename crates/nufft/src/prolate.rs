//! The prolate spheroidal wave function of order zero, ψ(x) on [−1, 1]: of all functions with this support, the one
//! whose Fourier transform is most concentrated in [−c, c] (Slepian and Pollak 1961).

use phasefront_core::quadrature::gauss_legendre;

/// ψ for one bandwidth c, scaled to ψ(0) = 1.
#[derive(Debug, Clone)]
pub(crate) struct Prolate {
    bandwidth: f64,
    /// Coefficients of the Legendre polynomials P₀, P₂, P₄, ….
    even: Vec<f64>,
    /// ∫ψ(x) dx.
    integral: f64,
    /// Gauss nodes and weight times ψ on (0, 1), for the transform: enough of them for the third alias.
    quadrature: Vec<[f64; 2]>,
}

impl Prolate {
    /// Solves −((1−x²)ψ')' + c²x²ψ = χψ for its smallest χ.
    pub fn new(bandwidth: f64) -> Self {
        let c2 = bandwidth * bandwidth;
        // Legendre coefficients fall faster than exponentially beyond degree c.
        let terms = 24 + (bandwidth * 0.6) as usize;
        let degree = |i: usize| 2.0 * i as f64;
        // In normalized Legendre polynomials the operator is symmetric and couples k with k ± 2 only.
        let diagonal = |i| {
            let k = degree(i);
            k * (k + 1.0) + c2 * (2.0 * k * (k + 1.0) - 1.0) / ((2.0 * k + 3.0) * (2.0 * k - 1.0))
        };
        let off_diagonal = |i| {
            let k = degree(i);
            c2 * (k + 2.0) * (k + 1.0) / ((2.0 * k + 3.0) * ((2.0 * k + 1.0) * (2.0 * k + 5.0)).sqrt())
        };
        let diagonal: Vec<f64> = (0..terms).map(diagonal).collect();
        let off_diagonal: Vec<f64> = (0..terms - 1).map(off_diagonal).collect();
        let mut vector = smallest_eigenvector(&diagonal, &off_diagonal);
        // From normalized to plain Legendre polynomials.
        for (i, value) in vector.iter_mut().enumerate() {
            *value *= (degree(i) + 0.5).sqrt();
        }
        // ψ of order zero has no zeros in the interval: the division fixes sign and scale.
        let at_zero = legendre_sum(&vector, 0.0);
        for v in &mut vector {
            *v /= at_zero;
        }
        // P₀ alone has a nonzero integral over [−1, 1].
        let integral = 2.0 * vector[0];
        // Half the interval suffices as ψ is even: mapped
        // to (0, 1) the Jacobian ½ cancels the factor 2.
        let rule = gauss_legendre(48 + 4 * bandwidth as usize);
        let half = |(&u, &w): (&f64, &f64)| {
            let x = f64::midpoint(u, 1.0);
            [x, w * legendre_sum(&vector, x)]
        };
        let quadrature = rule.nodes.iter().zip(&rule.weights).map(half).collect();
        Self { bandwidth, even: vector, integral, quadrature }
    }

    /// ψ(x), |x| ≤ 1.
    pub fn value(&self, x: f64) -> f64 {
        legendre_sum(&self.even, x)
    }

    /// ∫ψ(x) cos(ωx) dx. Within the band ψ is its own transform: this is ∫ψ · ψ(ω/c).
    pub fn transform(&self, omega: f64) -> f64 {
        // ψ is an eigenfunction of the finite Fourier transform (Slepian and Pollak 1961). Beyond
        // the band ψ(ω/c) is outside of its interval: quadrature.
        if omega.abs() <= self.bandwidth {
            return self.integral * self.value(omega / self.bandwidth);
        }
        self.quadrature.iter().map(|[x, w]| w * (omega * x).cos()).sum()
    }
}

/// Σ_i a_i P_{2i}(x).
fn legendre_sum(even: &[f64], x: f64) -> f64 {
    let (mut previous, mut current) = (0.0, 1.0); // P_{-1}, P_0
    let mut sum = 0.0;
    for (i, a) in even.iter().enumerate() {
        // Two steps of the three-term recurrence per even degree.
        sum += a * current;
        for k in [2 * i, 2 * i + 1] {
            let k = k as f64;
            let next = ((2.0 * k + 1.0) * x * current - k * previous) / (k + 1.0);
            (previous, current) = (current, next);
        }
    }
    sum
}

/// Eigenvector of the smallest eigenvalue of a positive definite symmetric tridiagonal matrix, by inverse iteration. The next
/// eigenvalue is at least five times as large, so sixty steps are more than double precision needs.
fn smallest_eigenvector(diagonal: &[f64], off_diagonal: &[f64]) -> Vec<f64> {
    let n = diagonal.len();
    let mut vector = vec![0.0; n];
    vector[0] = 1.0;
    // LDLᵀ factorization once; the matrix is positive definite, so that pivots need no exchange.
    let mut pivots = diagonal.to_vec();
    for i in 1..n {
        pivots[i] -= off_diagonal[i - 1].powi(2) / pivots[i - 1];
    }
    for _ in 0..60 {
        // Inverse iteration with shift zero: forward substitution, scaling, backward substitution.
        for i in 1..n {
            vector[i] -= off_diagonal[i - 1] / pivots[i - 1] * vector[i - 1];
        }
        vector[n - 1] /= pivots[n - 1];
        for i in (0..n - 1).rev() {
            vector[i] = (vector[i] - off_diagonal[i] * vector[i + 1]) / pivots[i];
        }
        let norm = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        for v in &mut vector {
            *v /= norm;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    /// λ₀ = (c/2π)(∫ψ)² with ψ(0) = 1: the fraction of the energy within the band. Values of Slepian and Pollak (1961), table I.
    #[test]
    fn concentration_is_slepians() {
        for (c, lambda) in [(0.5, 0.30969), (1.0, 0.57258), (2.0, 0.88056), (4.0, 0.99589)] {
            let psi = Prolate::new(c);
            let found = c / std::f64::consts::TAU * psi.integral.powi(2);
            assert!((found - lambda).abs() < 1e-5, "c = {c}: {found}");
        }
    }

    #[test]
    fn it_is_its_own_transform() {
        for c in [1.0, 10.0, 40.0] {
            let psi = Prolate::new(c);
            for omega in [0.0, 0.3 * c, 0.9 * c] {
                let direct: f64 = psi.quadrature.iter().map(|[x, w]| w * (omega * x).cos()).sum();
                assert!((psi.transform(omega) - direct).abs() < 1e-14 * psi.integral, "{c} {omega}");
            }
        }
    }
}
