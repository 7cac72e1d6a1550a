//! Quadrature on the unit tetrahedron and the unit triangle: products of Gauss-Jacobi rules in collapsed coordinates
//! (Stroud 1971, section 2.4). All weights are positive.

use faer::{Mat, Side};

/// Gauss rule for ∫₀¹ (1−x)^α f(x) dx, exact to degree 2n−1, from the eigenvalues of its Jacobi matrix (Golub and Welsch 1969).
fn gauss_jacobi(n: usize, alpha: f64) -> Vec<(f64, f64)> {
    // On [−1, 1] with the weight (1−u)^α: diagonal −α²/((2k+α)(2k+α+2)), squares off it 4k²(k+α)²/((2k+α)²((2k+α)²−1)).
    let diagonal = |k: f64| {
        if alpha == 0.0 { 0.0 } else { -alpha * alpha / ((2.0 * k + alpha) * (2.0 * k + alpha + 2.0)) }
    };
    let beside = |k: f64| {
        let c = 2.0 * k + alpha;
        (4.0 * k * k * (k + alpha) * (k + alpha) / (c * c * (c * c - 1.0))).sqrt()
    };
    let jacobi = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => diagonal(i as f64),
        1 => beside(i.max(j) as f64),
        _ => 0.0,
    });
    // A finite symmetric matrix always has its eigenvalues.
    let eigen = jacobi.self_adjoint_eigen(Side::Lower).expect("eigenvalues of a symmetric matrix");
    let (values, vectors) = (eigen.S(), eigen.U());
    (0..n)
        .map(|i| {
            let first = vectors[(0, i)];
            (0.5 * (1.0 + values[i]), first * first / (alpha + 1.0))
        })
        .collect()
}

/// Places and weights on the unit tetrahedron, exact for polynomials of this degree; the weights sum to 1/6.
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

/// Places and weights on the unit triangle, exact for polynomials of this degree; the weights sum to 1/2.
pub fn triangle(degree: usize) -> Vec<([f64; 2], f64)> {
    let n = degree / 2 + 1;
    let [along, across] = [gauss_jacobi(n, 0.0), gauss_jacobi(n, 1.0)];
    across
        .iter()
        .flat_map(|&(b, wb)| along.iter().map(move |&(a, wa)| ([a * (1.0 - b), b], wa * wb)))
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
