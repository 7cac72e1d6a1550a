//! Cubic Bezier curves as segments whose speed vanishes nowhere.

use crate::cubic::{NO_LENGTH, bezier_point, cusp, edges, roots, split_at_cusp, straight};
use crate::point::{Point, distance, dot, norm};
use crate::segment::Segment;

impl Segment {
    /// The same curve as a cubic Bezier, cut and re-written so that the speed vanishes nowhere: a straight one
    /// becomes lines, one with a cusp two curves, one whose control points all coincide nothing.
    ///
    /// ```
    /// use phasefront_mesh::Segment;
    /// let straight = Segment::from_cubic([[0.0, 0.0], [0.0, 0.0], [3.0, 0.0], [3.0, 0.0]]);
    /// assert_eq!(straight, [Segment::Line { from: [0.0, 0.0], to: [3.0, 0.0] }]);
    /// ```
    pub fn from_cubic(points: [Point; 4]) -> Vec<Self> {
        regular(points)
    }
}

/// The same curve in pieces whose speed vanishes nowhere.
fn regular(mut points: [Point; 4]) -> Vec<Segment> {
    let size: f64 = edges(&points).map(norm).iter().sum();
    if size == 0.0 {
        return Vec::new();
    }
    // Snap short handles onto their ends, so that the exact comparisons below and in `cubic`
    // recognize them.
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
        // A blunt end and a cusp are two zeros of the derivative: a straight curve, which is
        // handled above.
        Some(u) if !blunt => split_at_cusp(&points, u).map(|points| Segment::Cubic { points }).into(),
        _ => vec![Segment::Cubic { points }],
    }
}

/// A straight curve as lines between the points where it turns back.
fn lines(points: &[Point; 4], axis: Point) -> Vec<Segment> {
    let along = edges(points).map(|edge| dot(edge, axis));
    let mut stops = vec![points[0]];
    let mut turns: Vec<f64> = roots(along).into_iter().filter(|&u| u > 0.0 && u < 1.0).collect();
    turns.sort_by(f64::total_cmp);
    // At a double root the speed vanishes without a change of direction.
    if turns.len() == 2 && turns[1] - turns[0] < NO_LENGTH {
        turns.clear();
    }
    stops.extend(turns.iter().map(|&u| bezier_point(points, u)));
    stops.push(points[3]);
    stops.dedup();
    stops.windows(2).map(|pair| Segment::Line { from: pair[0], to: pair[1] }).collect()
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
