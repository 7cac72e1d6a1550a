//! Intersections of straight segments: self-intersecting contours, and points inside of a polygon.

use crate::piece::orientation;
use crate::shape::Point;
use std::collections::HashMap;

/// The first pair of segments (i, j) of one chain, i < j, that share a point other than the joint of consecutive ones.
pub(super) fn first_crossing(segments: &[[Point; 2]]) -> Option<(usize, usize)> {
    first_pair(segments, |_| 0.0, |i, j| intersect(segments[i], segments[j]))
}

/// The first pair (i, j), i < j, of segments that `meet` and are no farther apart than their margins.
///
/// A spatial hash with squares of the length of the longest segment: each segment is compared with its
/// neighborhood only, and the search takes time proportional to their number.
pub(super) fn first_pair(
    segments: &[[Point; 2]],
    margin: impl Fn(usize) -> f64,
    meet: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let longest =
        segments.iter().map(|[a, b]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs())).fold(0.0, f64::max);
    let square = |x: f64| (x / longest).floor() as i64;
    let mut occupants: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    for (j, [a, b]) in segments.iter().enumerate() {
        let squares = |axis: usize| {
            let (low, high) = (a[axis].min(b[axis]) - margin(j), a[axis].max(b[axis]) + margin(j));
            square(low)..=square(high)
        };
        for x in squares(0) {
            for y in squares(1) {
                let here = occupants.entry([x, y]).or_default();
                if let Some(&i) = here.iter().find(|&&i| meet(i, j)) {
                    return Some((i, j));
                }
                // Compared with earlier segments only, so that i < j.
                here.push(j);
            }
        }
    }
    None
}

/// Whether a closed chain of segments encloses `p`: a ray from there intersects it an odd number of times.
pub(super) fn encloses<'a>(segments: impl Iterator<Item = &'a [Point; 2]>, p: Point) -> bool {
    let meets = |[a, b]: &&[Point; 2]| {
        // Half-open in y: a ray through a joint meets one of its two segments.
        let spans = (a[1] > p[1]) != (b[1] > p[1]);
        spans && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    segments.filter(meets).count() % 2 == 1
}

/// Whether two segments of a chain share a point that is not simply their joint (`end` of one equal to `start` of the other).
pub(super) fn intersect(p: [Point; 2], q: [Point; 2]) -> bool {
    if p[1] == q[0] || q[1] == p[0] {
        return folds_back(p, q);
    }
    let (d1, d2) = (orientation(q[0], q[1], p[0]), orientation(q[0], q[1], p[1]));
    let (d3, d4) = (orientation(p[0], p[1], q[0]), orientation(p[0], p[1], q[1]));
    // Proper intersection: the ends of each lie on opposite sides of the other.
    if d1 * d2 < 0.0 && d3 * d4 < 0.0 {
        return true;
    }
    (d1 == 0.0 && within(q, p[0]))
        || (d2 == 0.0 && within(q, p[1]))
        || (d3 == 0.0 && within(p, q[0]))
        || (d4 == 0.0 && within(p, q[1]))
}

/// Whether two segments of a chain overlap beyond their joint: the contour reverses onto itself.
fn folds_back(p: [Point; 2], q: [Point; 2]) -> bool {
    let (joint, a, b) = if p[1] == q[0] { (p[1], p[0], q[1]) } else { (p[0], p[1], q[0]) };
    let ahead = (a[0] - joint[0]) * (b[0] - joint[0]) + (a[1] - joint[1]) * (b[1] - joint[1]) > 0.0;
    orientation(a, joint, b) == 0.0 && ahead
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

    #[test]
    fn finds_a_bow_tie_and_passes_a_square() {
        let bow = chain(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(first_crossing(&bow), Some((0, 2)));
        let square = chain(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(first_crossing(&square), None);
    }

    #[test]
    fn finds_contact_and_reversal() {
        let mut touching = chain(&[[0.0, 0.0], [2.0, 0.0]]);
        touching.extend(chain(&[[1.0, 0.0], [1.0, 1.0]]));
        assert_eq!(first_crossing(&touching), Some((0, 1)));
        assert_eq!(first_crossing(&chain(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]])), Some((0, 1)));
        assert_eq!(first_crossing(&chain(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])), None);
    }

    #[test]
    fn a_hundred_thousand_segments_take_linear_time() {
        let points: Vec<Point> = (0..=100_000)
            .map(|i| {
                let t = f64::from(i) * 1e-3;
                [t * t.cos(), t * t.sin()]
            })
            .collect();
        assert_eq!(first_crossing(&chain(&points)), None);
    }
}
