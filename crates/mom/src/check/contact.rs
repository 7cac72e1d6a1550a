//! Contact of curved bodies, even in a single point: by their chords, bisected where these are inconclusive.

use super::crossing::{first_pair, intersect};
use crate::mesh::Mesh;
use crate::piece::{Piece, segment_distance};

/// Gap between two bodies, in chord lengths, that counts as contact: rounding may separate circles that were meant to touch.
const CONTACT_GAP: f64 = 1e-6;
/// Sum of the sagittas of two pieces, relative to the gap, below which their chords decide.
const FLATNESS: f64 = 0.1;

/// Bound on the distance of a piece from its chord, plus the gap that counts as contact.
fn margin(piece: &Piece) -> f64 {
    piece.sagitta + CONTACT_GAP * piece.length()
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
    first_pair(&mesh.chords, |i| margin(&pieces[i]), meet)
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

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_mesh::Segment;

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
