//! Cubic splines through points.
//!
//! Chord-length parametrization: with it, and with no other simple one, a cubic spline through
//! points of a smooth curve has an error of O(h⁴) for any spacing of the points (Floater, IMA J.
//! Numer. Anal. 26, 2006, 25-41).
//! A closed spline without corners is periodic; one that begins and ends in corners has the first two and the last two
//! pieces each one polynomial ("not a knot"), which keeps the fourth order where a natural end would drop to the second.

use crate::error::MeshError;
use crate::outline::{JOINT_GAP, Outline, check_size};
use crate::point::{Point, add, cross, distance, dot, mix, norm, sub, times};
use crate::segment::Segment;

/// Relative distance from a line below which points are on it: the rounding of sixteen digits.
const STRAIGHT: f64 = 1e-12;

/// A smooth curve through points, with corners where they are tagged. Between two neighboring corners, and where all
/// points between two corners are in line, it is a straight line.
///
/// ```
/// use phasefront_mesh::spline;
///
/// // A square whose right side bulges.
/// let points = [[0.0, 0.0], [1.0, 0.0], [1.2, 0.5], [1.0, 1.0], [0.0, 1.0]];
/// let outline = spline(&points, &[true, true, false, true, true], true).unwrap();
/// assert_eq!(outline.segments.len(), 5);
/// assert_eq!(outline.corners, [true, true, false, true, true]);
/// assert_eq!(outline.segments[1].end(), [1.2, 0.5]);
/// ```
pub fn spline(points: &[Point], corner: &[bool], closed: bool) -> Result<Outline, MeshError> {
    if corner.len() != points.len() {
        return Err(MeshError::geometry(
            format!("there are {} points and {} corner tags", points.len(), corner.len()),
            "give one tag for each point",
        ));
    }
    check(points, closed)?;
    let pieces = through(points, corner, closed);
    let segments: Vec<Segment> = pieces.iter().map(|piece| piece.segment).collect();
    let mut outline = Outline::new(segments, closed)?;
    for (found, piece) in outline.corners.iter_mut().zip(&pieces) {
        // A tagged corner is one even where the spline happens to be smooth there.
        *found |= piece.point.is_some_and(|i| corner[i]);
    }
    Ok(outline)
}

/// A segment, and the point where it begins; none where a cubic was cut.
pub(crate) struct Piece {
    pub segment: Segment,
    pub point: Option<usize>,
}

/// Checks that a curve can pass through the points.
pub(crate) fn check(points: &[Point], closed: bool) -> Result<(), MeshError> {
    let (least, kind) = if closed { (3, "closed") } else { (2, "open") };
    if points.len() < least {
        return Err(MeshError::geometry(
            format!("{} points make no {kind} outline", points.len()),
            format!("give at least {least} points"),
        ));
    }
    if let Some(i) = points.iter().position(|p| !(p[0].is_finite() && p[1].is_finite())) {
        return Err(MeshError::geometry(
            format!("point {} has coordinates that are no finite numbers", i + 1),
            "give coordinates that are numbers",
        ));
    }
    let chords = chords(points, closed);
    let size: f64 = chords.iter().sum();
    if !size.is_finite() {
        return Err(MeshError::geometry(
            "the points are too far apart",
            "give coordinates that are not so large",
        ));
    }
    check_size(size)?;
    if let Some(i) = chords.iter().position(|&chord| chord <= JOINT_GAP * size) {
        let ([x, y], next) = (points[i], (i + 1) % points.len());
        return Err(MeshError::geometry(
            format!("points {} and {} are the same, ({x}, {y})", i + 1, next + 1),
            "remove one of them",
        ));
    }
    Ok(())
}

/// Distances from each point to the next.
fn chords(points: &[Point], closed: bool) -> Vec<f64> {
    let n = points.len();
    let count = if closed { n } else { n - 1 };
    (0..count).map(|i| distance(points[i], points[(i + 1) % n])).collect()
}

/// The pieces of the curve through checked points, cut where `cut` says.
pub(crate) fn through(points: &[Point], cut: &[bool], closed: bool) -> Vec<Piece> {
    let n = points.len();
    let mut stops: Vec<usize> = (0..n).filter(|&i| cut[i] || (!closed && (i == 0 || i == n - 1))).collect();
    if stops.is_empty() {
        let slopes = periodic_slopes(points);
        return (0..n).flat_map(|i| piece(points, &slopes, i)).collect();
    }
    if closed {
        stops.push(stops[0] + n);
    }
    let mut pieces: Vec<Piece> = stops.windows(2).flat_map(|pair| run(points, pair[0], pair[1])).collect();
    // Rotate the list so that the first piece begins at the first point, as for a curve without
    // corners.
    let first = pieces.iter().position(|piece| piece.point == Some(0)).unwrap_or(0);
    pieces.rotate_left(first);
    pieces
}

/// The pieces from one stop to the next; indices beyond the last point of a closed outline wrap
/// around.
fn run(points: &[Point], from: usize, to: usize) -> Vec<Piece> {
    let n = points.len();
    let own: Vec<Point> = (from..=to).map(|i| points[i % n]).collect();
    let pieces = if in_line(&own) {
        vec![Piece { segment: Segment::Line { from: own[0], to: own[own.len() - 1] }, point: Some(0) }]
    } else {
        let slopes = free_slopes(&own);
        (0..own.len() - 1).flat_map(|i| piece(&own, &slopes, i)).collect()
    };
    pieces.into_iter().map(|p| Piece { point: p.point.map(|i| (from + i) % n), ..p }).collect()
}

/// Whether the points are collinear and in order along the chord.
fn in_line(points: &[Point]) -> bool {
    let chord = sub(points[points.len() - 1], points[0]);
    let length = norm(chord);
    points.iter().all(|p| cross(chord, sub(*p, points[0])).abs() <= STRAIGHT * length * length)
        && points.windows(2).all(|pair| dot(chord, sub(pair[1], pair[0])) > 0.0)
}

/// The cubic from point `i` to the next, from Hermite to Bezier form.
fn piece(points: &[Point], slopes: &[Point], i: usize) -> Vec<Piece> {
    let next = (i + 1) % points.len();
    let (a, b) = (points[i], points[next]);
    // Hermite to Bezier: P₁ = a + (h/3) m_a, P₂ = b − (h/3) m_b.
    let third = distance(a, b) / 3.0;
    let cubic = [a, add(a, times(third, slopes[i])), sub(b, times(third, slopes[next])), b];
    let parts = Segment::from_cubic(cubic);
    parts
        .into_iter()
        .enumerate()
        .map(|(k, segment)| Piece { segment, point: (k == 0).then_some(i) })
        .collect()
}

/// Slopes m of the C² spline: hᵢ mᵢ₋₁ + 2(hᵢ₋₁ + hᵢ) mᵢ + hᵢ₋₁ mᵢ₊₁ = 3(hᵢ δᵢ₋₁ + hᵢ₋₁ δᵢ), with chords h and divided
/// differences δ (de Boor, A Practical Guide to Splines, 1978, chapter IV), periodic.
fn periodic_slopes(points: &[Point]) -> Vec<Point> {
    let n = points.len();
    let h = chords(points, true);
    let delta = |i: usize| times(1.0 / h[i], sub(points[(i + 1) % n], points[i]));
    let mut system = Tridiagonal::default();
    for i in 0..n {
        let (left, right) = (h[(i + n - 1) % n], h[i]);
        let rhs = add(times(3.0 * right, delta((i + n - 1) % n)), times(3.0 * left, delta(i)));
        system.push([right, 2.0 * (left + right), left], rhs);
    }
    system.solve_periodic()
}

/// The same between two ends, where the third derivative does not jump at the points next to the ends (de Boor, ibid.).
fn free_slopes(points: &[Point]) -> Vec<Point> {
    let n = points.len();
    let h = chords(points, false);
    let delta: Vec<Point> = (0..n - 1).map(|i| times(1.0 / h[i], sub(points[i + 1], points[i]))).collect();
    // Two points never come here: they are collinear, for their distance has a square (`check_size`).
    if n == 3 {
        // One parabola through three points.
        let middle = mix(delta[0], delta[1], h[0] / (h[0] + h[1]));
        return vec![sub(times(2.0, delta[0]), middle), middle, sub(times(2.0, delta[1]), middle)];
    }
    // At an end, with the chords and differences counted from it.
    // h₁ m₀ + (h₀ + h₁) m₁ = ((h₀ + 2(h₀ + h₁)) h₁ δ₀ + h₀² δ₁)/(h₀ + h₁).
    let end = |h: [f64; 2], delta: [Point; 2]| {
        let both = h[0] + h[1];
        times(1.0 / both, add(times((h[0] + 2.0 * both) * h[1], delta[0]), times(h[0] * h[0], delta[1])))
    };
    let mut system = Tridiagonal::default();
    system.push([0.0, h[1], h[0] + h[1]], end([h[0], h[1]], [delta[0], delta[1]]));
    for i in 1..n - 1 {
        let (left, right) = (h[i - 1], h[i]);
        let rhs = add(times(3.0 * right, delta[i - 1]), times(3.0 * left, delta[i]));
        system.push([right, 2.0 * (left + right), left], rhs);
    }
    let (last, before) = (n - 2, n - 3);
    system
        .push([h[last] + h[before], h[before], 0.0], end([h[last], h[before]], [delta[last], delta[before]]));
    system.solve()
}

/// Rows [left, diagonal, right] of a system with vectors on the right-hand side.
#[derive(Default)]
struct Tridiagonal {
    rows: Vec<[f64; 3]>,
    rhs: Vec<Point>,
}

impl Tridiagonal {
    fn push(&mut self, row: [f64; 3], rhs: Point) {
        self.rows.push(row);
        self.rhs.push(rhs);
    }

    /// Gauss elimination; spline systems need no pivoting (de Boor, ibid.).
    fn solve(&self) -> Vec<Point> {
        let n = self.rows.len();
        let (mut diagonal, mut x) = (vec![0.0; n], self.rhs.clone());
        diagonal[0] = self.rows[0][1];
        for i in 1..n {
            let factor = self.rows[i][0] / diagonal[i - 1];
            diagonal[i] = self.rows[i][1] - factor * self.rows[i - 1][2];
            x[i] = sub(x[i], times(factor, x[i - 1]));
        }
        for i in (0..n).rev() {
            let known = if i + 1 < n { times(self.rows[i][2], x[i + 1]) } else { [0.0, 0.0] };
            x[i] = times(1.0 / diagonal[i], sub(x[i], known));
        }
        x
    }

    /// With the left entry of the first row in the last column and the right entry of the last row in the first:
    /// A = T + u vᵀ (Sherman and Morrison), T tridiagonal, u = (γ, 0, ..., a), v = (1, 0, ..., c/γ), a and c the corner
    /// entries below and above.
    fn solve_periodic(mut self) -> Vec<Point> {
        let n = self.rows.len();
        let (above, below) = (self.rows[0][0], self.rows[n - 1][2]);
        // This γ doubles the first diagonal entry; a positive one would cancel it.
        let gamma = -self.rows[0][1];
        self.rows[0][1] -= gamma;
        self.rows[n - 1][1] -= above * below / gamma;
        let y = self.solve();
        self.rhs = vec![[0.0, 0.0]; n];
        (self.rhs[0][0], self.rhs[n - 1][0]) = (gamma, below);
        let q: Vec<f64> = self.solve().iter().map(|value| value[0]).collect();
        let share = above / gamma;
        // x = y − q (v·y)/(1 + v·q) with T y = r and T q = u.
        let factor = times(1.0 / (1.0 + q[0] + share * q[n - 1]), add(y[0], times(share, y[n - 1])));
        y.iter().zip(&q).map(|(y, q)| sub(*y, times(*q, factor))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Largest distance from the unit circle, points of it unevenly spaced by a smooth law.
    fn circle_error(count: usize, corners: &[usize], closed: bool) -> f64 {
        let part = if closed { 1.0 } else { 0.6 };
        let points: Vec<Point> = (0..count)
            .map(|i| {
                let a = part * TAU * i as f64 / count as f64;
                let (sin, cos) = (a + 0.3 * a.sin()).sin_cos();
                [cos, sin]
            })
            .collect();
        let tags: Vec<bool> = (0..count).map(|i| corners.contains(&i)).collect();
        let outline = spline(&points, &tags, closed).unwrap();
        assert_eq!(outline.segments.len(), if closed { count } else { count - 1 });
        let samples =
            outline.segments.iter().flat_map(|segment| (0..=20).map(|k| segment.point(f64::from(k) / 20.0)));
        samples.map(|p| (norm(p) - 1.0).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn fourth_order_closed_open_and_with_corners() {
        for (corners, closed) in [(&[][..], true), (&[3, 17][..], true), (&[5][..], true), (&[][..], false)] {
            let errors = [50, 100, 200, 400].map(|count| circle_error(count, corners, closed));
            for pair in errors.windows(2) {
                let order = (pair[0] / pair[1]).log2();
                assert!(order > 3.8, "{corners:?} {closed} {errors:?}");
            }
            assert!(errors[2] < 2e-7, "{errors:?}");
        }
    }

    #[test]
    fn a_closed_spline_has_continuous_curvature() {
        let points = [[0.0, 0.0], [2.0, -0.3], [3.0, 1.0], [1.5, 2.5], [-0.5, 1.2]];
        let outline = spline(&points, &[false; 5], true).unwrap();
        // dr/dh and d²r/dh² by the chord parameter: h = chord t.
        let at = |i: usize, t: f64| {
            let Segment::Cubic { points: [a, b, c, d] } = outline.segments[i] else { unreachable!() };
            let h = distance(a, d);
            let second = |p: Point, q: Point, r: Point| times(6.0 / (h * h), add(sub(p, times(2.0, q)), r));
            let bend = if t == 0.0 { second(a, b, c) } else { second(b, c, d) };
            (times(1.0 / h, outline.segments[i].derivative(t)), bend)
        };
        for i in 0..5 {
            let (before, after) = (at((i + 4) % 5, 1.0), at(i, 0.0));
            assert!(distance(before.0, after.0) < 1e-14);
            assert!(distance(before.1, after.1) < 1e-13);
        }
        assert_eq!(outline.corners, [false; 5]);
    }

    #[test]
    fn not_a_knot_is_exact_where_the_data_are_one_parabola_of_the_parameter() {
        // Points on a line, unevenly spaced, with a corner in the middle of nothing: still one straight line.
        let points = [[0.0, 0.0], [1.0, 2.0], [1.5, 3.0], [4.0, 8.0]];
        let outline = spline(&points, &[false; 4], false).unwrap();
        assert_eq!(outline.segments, [Segment::Line { from: [0.0, 0.0], to: [4.0, 8.0] }]);
        // Four points make one cubic: its third derivative is the same in all three pieces.
        let outline = spline(&[[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [2.0, 2.5]], &[false; 4], false).unwrap();
        let thirds: Vec<Point> = outline
            .segments
            .iter()
            .map(|segment| {
                let Segment::Cubic { points: [a, b, c, d] } = *segment else { unreachable!() };
                let h = distance(a, d);
                times(6.0 / (h * h * h), add(sub(d, a), times(3.0, sub(b, c))))
            })
            .collect();
        assert!(distance(thirds[0], thirds[1]) < 1e-13 && distance(thirds[1], thirds[2]) < 1e-13);
    }

    #[test]
    fn corners_are_where_they_are_tagged_and_the_first_point_comes_first() {
        let points = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        let tags = [false, true, false, true];
        let outline = spline(&points, &tags, true).unwrap();
        assert_eq!(outline.corners, tags);
        assert_eq!(outline.vertex(0), [1.0, 0.0]);
        // A tag on a joint that does not turn is a corner all the same.
        let points = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]];
        let outline = spline(&points, &[true; 4], true).unwrap();
        assert_eq!(outline.corners, [true; 4]);
        assert_eq!(outline.segments.len(), 4);
    }
}
