//! Cubic Bezier curves whose speed vanishes nowhere.
//!
//! B(u) = (1-u)³P₀ + 3u(1-u)²P₁ + 3u²(1-u)P₂ + u³P₃, B'(u) = 3[(1-u)²a + 2u(1-u)b + u²c] with a = P₁-P₀, b = P₂-P₁,
//! c = P₃-P₂. Drawings are full of curves with a = 0 or c = 0 (a handle drawn back onto its point), where B' vanishes
//! at an end.

use crate::point::{Point, add, cross, distance, dot, mix, norm, sub, times};
use crate::segment::Segment;

/// A handle shorter than this part of the control polygon is one of no length, and a speed below this part of it
/// inside is a cusp: files carry up to nine or so digits.
const NO_LENGTH: f64 = 1e-9;
/// A curve nearer to its chord than this part of its control polygon is straight: rounding of a few products.
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

/// The same curve in pieces whose speed vanishes nowhere.
pub(crate) fn regular(mut points: [Point; 4]) -> Vec<Segment> {
    let size: f64 = edges(&points).map(norm).iter().sum();
    if size == 0.0 {
        return Vec::new();
    }
    for (end, handle) in [(0, 1), (3, 2)] {
        if distance(points[end], points[handle]) <= NO_LENGTH * size {
            points[handle] = points[end];
        }
    }
    if let Some(axis) = straight(&points, size) {
        return lines(&points, axis);
    }
    let blunt = points[0] == points[1] || points[2] == points[3];
    match cusp(&points, size) {
        // With a blunt end and a cusp the derivative has two zeros: a straight curve, which was told above.
        Some(u) if !blunt => split_at_cusp(&points, u).map(|points| Segment::Cubic { points }).into(),
        _ => vec![Segment::Cubic { points }],
    }
}

fn edges(points: &[Point; 4]) -> [Point; 3] {
    [0, 1, 2].map(|i| sub(points[i + 1], points[i]))
}

/// The direction of the line on which all four points lie, if they do.
fn straight(points: &[Point; 4], size: f64) -> Option<Point> {
    let arms = [1, 2, 3].map(|i| sub(points[i], points[0]));
    let longest = arms.into_iter().max_by(|a, b| norm(*a).total_cmp(&norm(*b)))?;
    let axis = times(1.0 / norm(longest), longest);
    arms.iter().all(|arm| cross(axis, *arm).abs() <= STRAIGHT * size).then_some(axis)
}

/// A straight curve as lines between the points where it turns back.
fn lines(points: &[Point; 4], axis: Point) -> Vec<Segment> {
    let along = edges(points).map(|edge| dot(edge, axis));
    let mut stops = vec![points[0]];
    let mut turns: Vec<f64> = roots(along).into_iter().filter(|&u| u > 0.0 && u < 1.0).collect();
    turns.sort_by(f64::total_cmp);
    // A double root is no turn.
    if turns.len() == 2 && turns[1] - turns[0] < NO_LENGTH {
        turns.clear();
    }
    stops.extend(turns.iter().map(|&u| bezier_point(points, u)));
    stops.push(points[3]);
    stops.dedup();
    stops.windows(2).map(|pair| Segment::Line { from: pair[0], to: pair[1] }).collect()
}

/// Where inside the speed vanishes: there both components of B' do, so one component's roots tell.
fn cusp(points: &[Point; 4], size: f64) -> Option<f64> {
    let [a, b, c] = edges(points);
    [0, 1]
        .into_iter()
        .flat_map(|i| roots([a[i], b[i], c[i]]))
        .find(|&u| u > 0.0 && u < 1.0 && norm(bezier_derivative(points, u)) <= NO_LENGTH * size)
}

/// Real roots of (1-u)²a + 2u(1-u)b + u²c; of a pair that is complex by rounding, the real part.
fn roots([a, b, c]: [f64; 3]) -> Vec<f64> {
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

/// De Casteljau's halves at a cusp, which is an end with a handle of no length for both.
fn split_at_cusp(&[p0, p1, p2, p3]: &[Point; 4], u: f64) -> [[Point; 4]; 2] {
    let (a, c) = (mix(p0, p1, u), mix(p2, p3, u));
    let cusp = bezier_point(&[p0, p1, p2, p3], u);
    [[p0, a, cusp, cusp], [cusp, cusp, c, p3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance from `p` to the nearest of many points of the curve.
    fn off_curve(points: &[Point; 4], p: Point) -> f64 {
        (0..=20000)
            .map(|i| distance(bezier_point(points, f64::from(i) / 20000.0), p))
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_cusp_is_cut_and_the_pieces_trace_the_curve() {
        // x' = 3 (1-2u)², y' = 3 (1 - 2u): both vanish at u = 1/2.
        let points = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
        let pieces = regular(points);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0].end(), pieces[1].start());
        assert!(distance(pieces[0].end(), [0.5, 0.75]) < 1e-15);
        for piece in &pieces {
            for i in 0..=40 {
                let t = f64::from(i) / 40.0;
                assert!(off_curve(&points, piece.point(t)) < 1e-4);
                assert!(norm(piece.derivative(t)) > 0.3);
            }
        }
    }

    #[test]
    fn straight_curves_become_lines() {
        let line = |from, to| Segment::Line { from, to };
        let (p, q) = ([1.0, 1.0], [4.0, 3.0]);
        assert_eq!(regular([p, p, q, q]), [line(p, q)]);
        assert_eq!(regular([p, p, p, q]), [line(p, q)]);
        assert_eq!(regular([p, [2.5, 2.0], [2.5, 2.0], q]), [line(p, q)]);
        assert_eq!(regular([p, p, p, p]), []);
        // Control points evenly spaced to rounding: no turn, though u² comes with a tiny factor of either sign.
        for tiny in [1e-13, -1e-13] {
            assert_eq!(regular([p, [2.0 + tiny, p[1]], [3.0, p[1]], [4.0, p[1]]]), [line(p, [4.0, p[1]])]);
        }
        // x = 3u(1-u) goes out and back, and turns at u = 1/2 where x = 3/4.
        let out = regular([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]);
        assert_eq!(out, [line([0.0, 0.0], [0.75, 0.0]), line([0.75, 0.0], [0.0, 0.0])]);
        // B'/3 = 3(1-u)² - 10u(1-u) + 3u²: turns twice.
        assert_eq!(regular([[0.0, 0.0], [3.0, 0.0], [-2.0, 0.0], [1.0, 0.0]]).len(), 3);
    }

    #[test]
    fn handles_of_no_length_leave_the_curve_as_it_is() {
        let [p, q, r] = [[0.0, 0.0], [2.0, 1.0], [3.0, -1.0]];
        for points in [[p, p, q, r], [p, q, r, r], [p, [1e-12, 0.0], q, r]] {
            let [piece] = regular(points).try_into().unwrap();
            for i in 0..=40 {
                let t = f64::from(i) / 40.0;
                assert!(off_curve(&points, piece.point(t)) < 1e-3);
                assert!(norm(piece.derivative(t)) > 1.0);
            }
        }
        // Ordinary curves are left alone, those that close on themselves included.
        for points in [[p, q, r, [5.0, 5.0]], [p, q, r, p]] {
            assert_eq!(regular(points), [Segment::Cubic { points }]);
        }
    }
}
