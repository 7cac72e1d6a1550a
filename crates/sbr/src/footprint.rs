//! The integral of a plane wave over a flat polygon.

use glam::DVec3;
use num_complex::Complex64;

/// Below this |q_t|² A the phase over the polygon is nearly constant, and the sum over edges loses digits to cancellation. What
/// is left out is at most |q_t|² A/24 for squares, 4e-6.
const FLAT_PHASE: f64 = 1e-4;

/// Area of a flat polygon, positive where its corners run counter-clockwise about `n`.
pub(crate) fn area(corners: &[DVec3], n: DVec3) -> f64 {
    let doubled: DVec3 = edges(corners).map(|(a, b)| a.cross(b)).sum();
    0.5 * doubled.dot(n)
}

fn edges(corners: &[DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

/// ∫ e^{jq·r} dS over the polygon with these corners, in a plane through the origin with normal `n`, whichever way they run
/// (W. B. Gordon, IEEE Trans. Antennas Propag. 23, 590, 1975):
///
/// ```text
/// I = (1/(j|q_t|²)) Σ_m [q_t·(a_m × n)] e^{jq·c_m} sinc(q·a_m/2)
/// ```
///
/// with q_t the part of q in the plane, a_m the edges counter-clockwise about n and c_m their middles.
pub(crate) fn integral(corners: &[DVec3], n: DVec3, q: DVec3) -> Complex64 {
    let q_t = q - q.dot(n) * n;
    let signed_area = area(corners, n);
    let steepness = q_t.length_squared();
    if steepness * signed_area.abs() < FLAT_PHASE {
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        return Complex64::from_polar(signed_area.abs(), q_t.dot(middle));
    }
    let outwards = q_t.cross(n) * -signed_area.signum();
    let mut sum = Complex64::ZERO;
    for (a, b) in edges(corners) {
        let edge = b - a;
        // q_t·(a_m × n) = −a_m·(q_t × n)
        let weight = outwards.dot(edge) * sinc(0.5 * q_t.dot(edge));
        sum += Complex64::from_polar(weight, 0.5 * q_t.dot(a + b));
    }
    sum * Complex64::new(0.0, -1.0 / steepness)
}

fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rectangle: a b sinc(q_x a/2) sinc(q_y b/2) times the phase of its middle, from far to near the flat limit.
    #[test]
    fn rectangle_is_a_product_of_sincs_either_way_round() {
        let (a, b) = (0.7, 0.4);
        let mut corners =
            [[0.0, 0.0], [a, 0.0], [a, b], [0.0, b]].map(|[x, y]| DVec3::new(x + 0.1, y - 0.2, 0.0));
        for _ in 0..2 {
            for scale in [30.0, 3.0, 0.1, 1e-2, 1e-3] {
                let q = DVec3::new(0.8, -0.5, 2.0) * scale;
                let sinc = |x: f64| x.sin() / x;
                let size = a * b * sinc(0.5 * q.x * a) * sinc(0.5 * q.y * b);
                let exact = Complex64::from_polar(1.0, q.x * (0.1 + 0.5 * a) + q.y * (0.5 * b - 0.2)) * size;
                assert!((integral(&corners, DVec3::Z, q) - exact).norm() < 5e-6 * a * b, "{scale}");
            }
            corners.reverse();
        }
    }
}
