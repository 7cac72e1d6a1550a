//! Quadrature on the unit tetrahedron and the unit triangle: products of Gauss-Jacobi rules in collapsed coordinates
//! (Stroud 1971, section 2.4). All weights are positive.

use super::basis::jacobi;
use std::f64::consts::PI;

/// Gauss rule for ∫₀¹ (1−x)^α f(x) dx, exact to degree 2n−1: x = (1+u)/2 at the roots u of P_n^{(α,0)}, with the weights
/// 1/((1−u²)P'(u)²) (Szegő 1939, eq. 15.3.1 with β = 0).
fn gauss_jacobi(n: usize, alpha: f64) -> Vec<(f64, f64)> {
    let mut roots: Vec<f64> = Vec::with_capacity(n);
    for k in 0..n {
        // Between the previous root and a Chebyshev point. Newton's method on P divided by the roots found (deflation) converges
        // to none of them again.
        let chebyshev = -(PI * (2.0 * k as f64 + 1.0) / (2.0 * n as f64)).cos();
        let mut u = roots.last().map_or(chebyshev, |last| 0.5 * (last + chebyshev));
        for _ in 0..20 {
            let (p, slope) = jacobi(n, alpha, u);
            let found: f64 = roots.iter().map(|root| 1.0 / (u - root)).sum();
            u -= p / (slope - p * found);
        }
        roots.push(u);
    }
    let weight = |u: f64| 1.0 / ((1.0 - u * u) * jacobi(n, alpha, u).1.powi(2));
    roots.into_iter().map(|u| (0.5 * (1.0 + u), weight(u))).collect()
}

/// Points and weights on the unit tetrahedron, exact for polynomials of this degree; the weights sum to 1/6.
pub fn tetrahedron(degree: usize) -> Vec<([f64; 3], f64)> {
    let n = degree / 2 + 1;
    let rules = [gauss_jacobi(n, 0.0), gauss_jacobi(n, 1.0), gauss_jacobi(n, 2.0)];
    let mut points = Vec::with_capacity(n * n * n);
    for &(c, wc) in &rules[2] {
        for &(b, wb) in &rules[1] {
            for &(a, wa) in &rules[0] {
                points.push(([a * (1.0 - b) * (1.0 - c), b * (1.0 - c), c], wa * wb * wc));
            }
        }
    }
    points
}

/// Points and weights on the unit triangle, exact for polynomials of this degree; the weights sum to 1/2.
pub fn triangle(degree: usize) -> Vec<([f64; 2], f64)> {
    // The weight function 1 − b of the second rule is the Jacobian of the collapsed coordinates.
    let n = degree / 2 + 1;
    let [edge, collapsed] = [gauss_jacobi(n, 0.0), gauss_jacobi(n, 1.0)];
    collapsed
        .iter()
        .flat_map(|&(b, wb)| edge.iter().map(move |&(a, wa)| ([a * (1.0 - b), b], wa * wb)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ x^i y^j z^k over the unit tetrahedron is i! j! k!/(i+j+k+3)!, and one less in the plane.
    #[test]
    fn monomials_are_exact() {
        let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
        for degree in 0..=14 {
            let (solid, flat) = (tetrahedron(degree), triangle(degree));
            for i in 0..=degree {
                for j in 0..=degree - i {
                    for k in 0..=degree - i - j {
                        let exact = factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
                        let power =
                            |p: &[f64; 3]| p[0].powi(i as i32) * p[1].powi(j as i32) * p[2].powi(k as i32);
                        let got: f64 = solid.iter().map(|(p, w)| w * power(p)).sum();
                        assert!((got / exact - 1.0).abs() < 1e-11, "{degree}: {i} {j} {k}");
                    }
                    let exact = factorial(i) * factorial(j) / factorial(i + j + 2);
                    let got: f64 =
                        flat.iter().map(|(p, w)| w * p[0].powi(i as i32) * p[1].powi(j as i32)).sum();
                    assert!((got / exact - 1.0).abs() < 1e-11, "{degree}: {i} {j}");
                }
            }
        }
    }
}
