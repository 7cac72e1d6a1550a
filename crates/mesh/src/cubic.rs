//! Cubic Bezier curves: points, derivatives, cusps.
//!
//! B(u) = (1-u)³P₀ + 3u(1-u)²P₁ + 3u²(1-u)P₂ + u³P₃, B'(u) = 3[(1-u)²a + 2u(1-u)b + u²c] with a = P₁-P₀, b = P₂-P₁,
//! c = P₃-P₂. Drawings are full of curves with a = 0 or c = 0 (a handle drawn back onto its point), where B' vanishes
//! at an end.

use crate::point::{Point, add, cross, mix, norm, sub, times};

/// Relative to the control polygon, handles shorter than this have zero length, and a speed below
/// it inside the curve is a cusp: files carry up to about nine digits.
pub(crate) const NO_LENGTH: f64 = 1e-9;
/// A curve nearer to its chord than this, relative to its control polygon, is straight: the
/// rounding of a few products.
const STRAIGHT: f64 = 1e-12;

/// B(u).
pub(crate) fn bezier_point(points: &[Point; 4], u: f64) -> Point {
    let v = 1.0 - u;
    let weights = [v * v * v, 3.0 * u * v * v, 3.0 * u * u * v, u * u * u];
    [0, 1].map(|i| (0..4).map(|k| weights[k] * points[k][i]).sum())
}

/// B'(u).
pub(crate) fn bezier_derivative(points: &[Point; 4], u: f64) -> Point {
    let [a, b, c] = edges(points);
    let v = 1.0 - u;
    times(3.0, add(times(v * v, a), add(times(2.0 * u * v, b), times(u * u, c))))
}

/// The parameter u of the Bezier curve at t: t itself, or such that B leaves a blunt end like t.
fn parameter([a, b, c, d]: &[Point; 4], t: f64) -> f64 {
    // Both ends blunt make a straight curve, which `from_cubic` has replaced by lines: one branch
    // is enough.
    if a == b {
        t.sqrt()
    } else if c == d {
        1.0 - (1.0 - t).sqrt()
    } else {
        t
    }
}

/// The point at t.
pub(crate) fn point(points: &[Point; 4], t: f64) -> Point {
    bezier_point(points, parameter(points, t))
}

/// B'(u) du/dt, with the root that is common to both divided out.
pub(crate) fn derivative(points: &[Point; 4], t: f64) -> Point {
    let u = parameter(points, t);
    let v = 1.0 - u;
    let [a, b, c] = edges(points);
    if points[0] == points[1] {
        // u = √t, du/dt = 1/(2u).
        times(1.5, add(times(2.0 * v, b), times(u, c)))
    } else if points[2] == points[3] {
        // 1-u = √(1-t), du/dt = 1/(2(1-u)).
        times(1.5, add(times(v, a), times(2.0 * u, b)))
    } else {
        bezier_derivative(points, u)
    }
}

pub(crate) fn edges(points: &[Point; 4]) -> [Point; 3] {
    [0, 1, 2].map(|i| sub(points[i + 1], points[i]))
}

/// The direction of the line on which all four points lie, if they do.
pub(crate) fn straight(points: &[Point; 4], size: f64) -> Option<Point> {
    // Arms from P₀ to the other points: the longest defines the axis with the least rounding.
    let arms = [1, 2, 3].map(|i| sub(points[i], points[0]));
    let longest = arms.into_iter().max_by(|a, b| norm(*a).total_cmp(&norm(*b)))?;
    let axis = times(1.0 / norm(longest), longest);
    arms.iter().all(|arm| cross(axis, *arm).abs() <= STRAIGHT * size).then_some(axis)
}

/// The interior parameter where the speed vanishes. Both components of B' vanish there, so that the
/// roots of either component are the candidates.
pub(crate) fn cusp(points: &[Point; 4], size: f64) -> Option<f64> {
    let [a, b, c] = edges(points);
    [0, 1]
        .into_iter()
        .flat_map(|i| roots([a[i], b[i], c[i]]))
        .find(|&u| u > 0.0 && u < 1.0 && norm(bezier_derivative(points, u)) <= NO_LENGTH * size)
}

/// Real roots of (1-u)²a + 2u(1-u)b + u²c; of a pair that is complex by rounding, the real part.
pub(crate) fn roots([a, b, c]: [f64; 3]) -> Vec<f64> {
    // q₂u² + 2q₁u + q₀, scaled against overflow.
    let scale = a.abs().max(b.abs()).max(c.abs());
    if scale == 0.0 || !scale.is_finite() {
        return Vec::new();
    }
    let [a, b, c] = [a / scale, b / scale, c / scale];
    let (q2, q1, q0) = (a - 2.0 * b + c, b - a, a);
    let discriminant = q1 * q1 - q2 * q0;
    if discriminant < -STRAIGHT * (q1 * q1 + (q2 * q0).abs()) {
        return Vec::new();
    }
    // The stable form: no difference of nearly equal numbers (Numerical Recipes, section 5.6).
    let sum = -(q1 + discriminant.max(0.0).sqrt().copysign(q1));
    [sum / q2, q0 / sum].into_iter().filter(|u| u.is_finite()).collect()
}

/// De Casteljau's halves at a cusp, where both have a handle of zero length.
pub(crate) fn split_at_cusp(&[p0, p1, p2, p3]: &[Point; 4], u: f64) -> [[Point; 4]; 2] {
    let (a, c) = (mix(p0, p1, u), mix(p2, p3, u));
    let cusp = bezier_point(&[p0, p1, p2, p3], u);
    [[p0, a, cusp, cusp], [cusp, cusp, c, p3]]
}
