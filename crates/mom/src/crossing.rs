//! Finds cells that cross or touch where they must not: self-intersecting contours, bodies in contact.

use crate::shape::Point;
use std::collections::HashMap;

/// The first pair of segments (i, j) with i < j that share a point, other than where consecutive segments of one
/// body meet (`end` of one equal to `start` of the other). `body` tells which body a segment belongs to.
///
/// Segments are sorted into squares as large as the longest of them, so each is compared with its
/// neighbourhood only and the search takes time proportional to their number.
pub(crate) fn first_crossing(
    segments: &[[Point; 2]],
    body: impl Fn(usize) -> usize,
) -> Option<(usize, usize)> {
    let longest =
        segments.iter().map(|[a, b]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs())).fold(0.0, f64::max);
    let square = |p: Point| [(p[0] / longest).floor() as i64, (p[1] / longest).floor() as i64];
    let mut occupants: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    for (j, &[a, b]) in segments.iter().enumerate() {
        let ([ax, ay], [bx, by]) = (square(a), square(b));
        for x in ax.min(bx)..=ax.max(bx) {
            for y in ay.min(by)..=ay.max(by) {
                let here = occupants.entry([x, y]).or_default();
                if let Some(&i) =
                    here.iter().find(|&&i| share_a_point(segments[i], segments[j], body(i) == body(j)))
                {
                    return Some((i, j));
                }
                here.push(j);
            }
        }
    }
    None
}

/// Whether a closed chain of segments goes around `p`: a ray from there meets it an odd number of times.
pub(crate) fn encloses<'a>(segments: impl Iterator<Item = &'a [Point; 2]>, p: Point) -> bool {
    let meets = |[a, b]: &&[Point; 2]| {
        let spans = (a[1] > p[1]) != (b[1] > p[1]);
        spans && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    segments.filter(meets).count() % 2 == 1
}

/// Whether two segments share a point that is not simply the joint of their body's chain.
fn share_a_point(p: [Point; 2], q: [Point; 2], same_body: bool) -> bool {
    if same_body && (p[1] == q[0] || q[1] == p[0]) {
        return folds_back(p, q);
    }
    if !same_body && (p.iter().any(|&end| is_near(q, end)) || q.iter().any(|&end| is_near(p, end))) {
        return true;
    }
    let (d1, d2) = (turn(q[0], q[1], p[0]), turn(q[0], q[1], p[1]));
    let (d3, d4) = (turn(p[0], p[1], q[0]), turn(p[0], p[1], q[1]));
    if d1 * d2 < 0.0 && d3 * d4 < 0.0 {
        return true;
    }
    (d1 == 0.0 && within(q, p[0]))
        || (d2 == 0.0 && within(q, p[1]))
        || (d3 == 0.0 && within(p, q[0]))
        || (d4 == 0.0 && within(p, q[1]))
}

/// Gap between two bodies, in lengths of a segment, that is none: rounding may part circles that were drawn to touch.
const NO_GAP: f64 = 1e-6;

/// Whether a point is on a segment of another body, or as good as on it.
fn is_near([a, b]: [Point; 2], p: Point) -> bool {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = d[0] * d[0] + d[1] * d[1];
    let along = ((d[0] * e[0] + d[1] * e[1]) / square).clamp(0.0, 1.0);
    (e[0] - along * d[0]).hypot(e[1] - along * d[1]) <= NO_GAP * square.sqrt()
}

/// Two segments of a chain overlap beyond their joint: the contour runs back on itself.
fn folds_back(p: [Point; 2], q: [Point; 2]) -> bool {
    let (joint, a, b) = if p[1] == q[0] { (p[1], p[0], q[1]) } else { (p[0], p[1], q[0]) };
    let ahead = (a[0] - joint[0]) * (b[0] - joint[0]) + (a[1] - joint[1]) * (b[1] - joint[1]) > 0.0;
    turn(a, joint, b) == 0.0 && ahead
}

/// Twice the signed area of the triangle abc.
fn turn(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether a point on the line of a segment lies between its ends.
fn within([a, b]: [Point; 2], p: Point) -> bool {
    (0..2).all(|i| p[i] >= a[i].min(b[i]) && p[i] <= a[i].max(b[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(points: &[Point]) -> Vec<[Point; 2]> {
        points.windows(2).map(|w| [w[0], w[1]]).collect()
    }

    #[test]
    fn points_inside_and_outside_of_a_chain() {
        let square = chain(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]]);
        assert!(encloses(square.iter(), [1.0, 0.3]));
        assert!(!encloses(square.iter(), [3.0, 0.3]) && !encloses(square.iter(), [-1.0, 1.0]));
    }

    fn one_body(segments: &[[Point; 2]]) -> Option<(usize, usize)> {
        first_crossing(segments, |_| 0)
    }

    #[test]
    fn bodies_that_meet_end_to_start_touch() {
        let strips = [[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [2.0, 0.0]]];
        assert_eq!(one_body(&strips), None);
        assert_eq!(first_crossing(&strips, |i| i), Some((0, 1)));
    }

    #[test]
    fn finds_a_bow_tie_and_passes_a_square() {
        let bow = chain(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(one_body(&bow), Some((0, 2)));
        let square = chain(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(one_body(&square), None);
    }

    #[test]
    fn finds_contact_and_folding_back() {
        let mut touching = chain(&[[0.0, 0.0], [2.0, 0.0]]);
        touching.extend(chain(&[[1.0, 0.0], [1.0, 1.0]]));
        assert_eq!(one_body(&touching), Some((0, 1)));
        assert_eq!(one_body(&chain(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]])), Some((0, 1)));
        assert_eq!(one_body(&chain(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])), None);
    }

    #[test]
    fn a_hundred_thousand_segments_take_no_time() {
        let points: Vec<Point> = (0..=100_000)
            .map(|i| {
                let t = f64::from(i) * 1e-3;
                [t * t.cos(), t * t.sin()]
            })
            .collect();
        assert_eq!(one_body(&chain(&points)), None);
    }
}
