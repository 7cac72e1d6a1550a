//! Contact of curved bodies, even in a single point: by their chords, bisected where these are inconclusive.

use super::crossing::{first_pair, intersect, orientation};
use crate::mesh::Mesh;
use crate::shape::Point;
use phasefront_mesh::Segment;

/// Gap between two bodies, in chord lengths, that counts as contact: rounding may separate circles that were meant to touch.
const CONTACT_GAP: f64 = 1e-6;
/// Sum of the sagittas of two pieces, relative to the gap, below which their chords decide.
const FLATNESS: f64 = 0.1;
/// Fractions of a piece at which its distance from the chord is sampled, and the safety factor for what is missed: the sagitta of
/// a cubic is less than twice the largest sample.
const SAMPLES: [f64; 3] = [0.25, 0.5, 0.75];
const SAGITTA_BOUND: f64 = 2.0;

/// A piece of a segment, and its chord.
#[derive(Debug, Clone, Copy)]
struct Piece {
    segment: Segment,
    from: f64,
    to: f64,
    ends: [Point; 2],
    /// Bound on the distance of the piece from its chord.
    sagitta: f64,
}

impl Piece {
    fn new(segment: Segment, from: f64, to: f64) -> Self {
        let at = |share: f64| segment.point(from + share * (to - from));
        let ends = [at(0.0), segment.point(to)];
        // A bound, not an estimate: no contact may be missed.
        let sagitta = SAGITTA_BOUND
            * SAMPLES.map(|share| point_distance(ends, at(share))).into_iter().fold(0.0, f64::max);
        Self { segment, from, to, ends, sagitta }
    }

    /// Bound on the distance of the piece from its chord, plus the gap that counts as contact.
    fn margin(&self) -> f64 {
        self.sagitta + CONTACT_GAP * self.length()
    }

    fn length(&self) -> f64 {
        distance(self.ends[0], self.ends[1])
    }

    fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.from + self.to);
        [Self::new(self.segment, self.from, middle), Self::new(self.segment, middle, self.to)]
    }
}

/// The first pair of chords of a mesh that intersect, or on different bodies those whose curves touch.
pub(super) fn first_contact(mesh: &Mesh) -> Option<(usize, usize)> {
    let pieces: Vec<Piece> =
        mesh.chord_spans.iter().map(|&(segment, [from, to])| Piece::new(segment, from, to)).collect();
    let meet = |i: usize, j: usize| {
        // Chords of one body share joints: only intersections count. Bodies must have a gap.
        if mesh.chord_body[i] == mesh.chord_body[j] {
            intersect(mesh.chords[i], mesh.chords[j])
        } else {
            touch(&pieces[i], &pieces[j])
        }
    };
    first_pair(&mesh.chords, |i| pieces[i].margin(), meet)
}

/// Whether two pieces touch.
fn touch(p: &Piece, q: &Piece) -> bool {
    within(p, q, CONTACT_GAP * p.length().max(q.length()))
}

/// Branch and bound: the distance of the curves is at least that of their chords minus both sagittas, and a sagitta falls to a quarter
/// with each bisection, so that few pieces remain even where two curves are parallel.
fn within(p: &Piece, q: &Piece, gap: f64) -> bool {
    let sagitta = p.sagitta + q.sagitta;
    if segment_distance(p.ends, q.ends) > gap + sagitta {
        return false;
    }
    // The second condition terminates where rounding keeps a sagitta from falling.
    if sagitta <= FLATNESS * gap || p.length().max(q.length()) <= gap {
        return true;
    }
    // Bisect the piece with the larger error bound.
    let (coarse, fine) = if p.sagitta > q.sagitta { (p, q) } else { (q, p) };
    coarse.halves().iter().any(|half| within(half, fine, gap))
}

fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Distance between two straight segments.
fn segment_distance(p: [Point; 2], q: [Point; 2]) -> f64 {
    let opposite =
        |p: [Point; 2], q: [Point; 2]| orientation(p[0], p[1], q[0]) * orientation(p[0], p[1], q[1]) < 0.0;
    if opposite(p, q) && opposite(q, p) {
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

    /// An arc of 0.4 rad of the circle of radius 1 about (0, `y`), near its top (`up`) or its bottom; not symmetric about it.
    fn arc(y: f64, up: f64) -> Piece {
        let start = up * std::f64::consts::FRAC_PI_2 - 0.137;
        let arc = Segment::Arc { center: [0.0, y], semi_axes: [1.0, 1.0], rotation: 0.0, start, sweep: 0.4 };
        Piece::new(arc, 0.0, 1.0)
    }

    #[test]
    fn arcs_that_touch_in_one_point() {
        // Chords of 0.4 m: a gap of 4e-7 m counts as contact.
        for (gap, expected) in
            [(-1e-3, true), (0.0, true), (1e-7, true), (1e-6, false), (1e-3, false), (0.5, false)]
        {
            assert_eq!(touch(&arc(0.0, 1.0), &arc(2.0 + gap, -1.0)), expected, "gap {gap}");
        }
    }

    #[test]
    fn a_line_under_an_arc_and_a_corner_on_it() {
        let line = |y: f64| Piece::new(Segment::Line { from: [-0.3, y], to: [0.31, y] }, 0.0, 1.0);
        let corner = |y: f64| Piece::new(Segment::Line { from: [0.0, y], to: [0.1, y + 0.2] }, 0.0, 1.0);
        assert!(touch(&arc(0.0, 1.0), &line(1.0)) && touch(&arc(0.0, 1.0), &corner(1.0)));
        assert!(!touch(&arc(0.0, 1.0), &line(1.0 + 2e-6)) && !touch(&arc(0.0, 1.0), &corner(1.0 + 2e-6)));
    }

    #[test]
    fn concentric_arcs() {
        let outer = |radius: f64| {
            let arc = Segment::Arc {
                center: [0.0, 0.0],
                semi_axes: [radius, radius],
                rotation: 0.0,
                start: 1.3,
                sweep: 0.5,
            };
            Piece::new(arc, 0.0, 1.0)
        };
        assert!(touch(&arc(0.0, 1.0), &outer(1.0)));
        assert!(!touch(&arc(0.0, 1.0), &outer(1.0 + 2e-6)));
    }
}
