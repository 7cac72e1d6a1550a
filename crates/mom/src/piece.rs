//! Pieces of curves with their chords, and distances between them.

use crate::shape::Point;
use phasefront_mesh::Segment;

/// Fractions of a piece at which its distance from the chord is sampled, and the safety factor for what is missed: the sagitta of
/// a cubic is less than twice the largest sample.
const SAMPLES: [f64; 3] = [0.25, 0.5, 0.75];
const SAGITTA_BOUND: f64 = 2.0;
/// Sagittas, relative to a distance, below which chords give that distance.
const FLATNESS: f64 = 0.05;

/// A piece of a segment, and its chord.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    segment: Segment,
    from: f64,
    to: f64,
    pub ends: [Point; 2],
    /// Bound on the distance of the piece from its chord.
    pub sagitta: f64,
}

impl Piece {
    pub(crate) fn new(segment: Segment, from: f64, to: f64) -> Self {
        let at = |share: f64| segment.point(from + share * (to - from));
        let ends = [at(0.0), segment.point(to)];
        // A bound, not an estimate: no contact may be missed.
        let sagitta = SAGITTA_BOUND
            * SAMPLES.map(|share| point_distance(ends, at(share))).into_iter().fold(0.0, f64::max);
        Self { segment, from, to, ends, sagitta }
    }

    /// Length of the chord.
    pub(crate) fn length(&self) -> f64 {
        distance(self.ends[0], self.ends[1])
    }

    pub(crate) fn middle(&self) -> Point {
        self.segment.point(0.5 * (self.from + self.to))
    }

    pub(crate) fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.from + self.to);
        [Self::new(self.segment, self.from, middle), Self::new(self.segment, middle, self.to)]
    }

    /// Distance of the piece from another to a tenth of itself, or `best` if that is less. Distances below `floor` count as `floor`.
    pub(crate) fn distance(&self, other: &Self, best: f64, floor: f64) -> f64 {
        let (chords, sagitta) = (segment_distance(self.ends, other.ends), self.sagitta + other.sagitta);
        if chords - sagitta >= best {
            return best;
        }
        // Branch and bound: a sagitta falls to a quarter with each bisection.
        if sagitta <= FLATNESS * chords.max(floor) || self.length().max(other.length()) <= floor {
            return best.min(chords.max(floor));
        }
        let (coarse, fine) = if self.sagitta > other.sagitta { (self, other) } else { (other, self) };
        coarse.halves().iter().fold(best, |best, half| half.distance(fine, best, floor))
    }

    /// The same from a point.
    pub(crate) fn distance_from(&self, point: Point, best: f64, floor: f64) -> f64 {
        let chord = point_distance(self.ends, point);
        if chord - self.sagitta >= best {
            return best;
        }
        if self.sagitta <= FLATNESS * chord.max(floor) || self.length() <= floor {
            return best.min(chord.max(floor));
        }
        self.halves().iter().fold(best, |best, half| half.distance_from(point, best, floor))
    }
}

pub(crate) fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Orientation of the triangle abc: twice its signed area.
pub(crate) fn orientation(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Distance between two straight segments.
pub(crate) fn segment_distance(p: [Point; 2], q: [Point; 2]) -> f64 {
    let opposite =
        |p: [Point; 2], q: [Point; 2]| orientation(p[0], p[1], q[0]) * orientation(p[0], p[1], q[1]) < 0.0;
    // On one line, orientations are rounding errors of any sign: segments apart on it must not seem to intersect.
    let overlap = |axis: usize| {
        let range = |s: [Point; 2]| (s[0][axis].min(s[1][axis]), s[0][axis].max(s[1][axis]));
        let (a, b) = (range(p), range(q));
        a.0 <= b.1 && b.0 <= a.1
    };
    if overlap(0) && overlap(1) && opposite(p, q) && opposite(q, p) {
        return 0.0;
    }
    let ends = p.map(|end| point_distance(q, end)).into_iter().chain(q.map(|end| point_distance(p, end)));
    ends.fold(f64::INFINITY, f64::min)
}

/// Distance of a point from a straight segment.
fn point_distance([a, b]: [Point; 2], p: Point) -> f64 {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = d[0] * d[0] + d[1] * d[1];
    // A segment of zero length is a point.
    let along = if square > 0.0 { ((d[0] * e[0] + d[1] * e[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
    (e[0] - along * d[0]).hypot(e[1] - along * d[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_apart_on_one_line_do_not_intersect() {
        let at = |t: f64| [0.376_139_123_052_748_9 * t, 0.160_775_311_629_058_1 * t];
        for i in 0..1000 {
            let t = 1e-6 * 1.013_f64.powi(i);
            let gap = segment_distance([at(t), at(1.1 * t)], [at(1.3 * t), at(1.7 * t)]);
            assert!((gap / distance(at(1.1 * t), at(1.3 * t)) - 1.0).abs() < 1e-9, "{t}: {gap}");
        }
        assert_eq!(segment_distance([[0.0, 0.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]), 0.0);
    }

    #[test]
    fn distances_between_circles() {
        let arc = |x: f64| Segment::Arc {
            center: [x, 0.3],
            semi_axes: [1.0; 2],
            rotation: 0.0,
            start: 0.0,
            sweep: 6.0,
        };
        for gap in [1e-5, 0.01, 0.4] {
            let (a, b) = (Piece::new(arc(0.0), 0.9, 1.0), Piece::new(arc(-2.0 - gap), 0.0, 0.1));
            assert!(b.distance(&a, f64::INFINITY, 1e-12) > gap);
            let (a, b) = (Piece::new(arc(0.0), 0.4, 0.6), Piece::new(arc(-2.0 - gap), 0.0, 0.1));
            assert!((b.distance(&a, f64::INFINITY, 1e-12) / gap - 1.0).abs() < 0.11, "{gap}");
            assert!((b.distance_from([-1.0, 0.3], f64::INFINITY, 1e-12) / gap - 1.0).abs() < 0.06, "{gap}");
        }
    }
}
