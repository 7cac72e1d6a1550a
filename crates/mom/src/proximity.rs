//! Refinement by proximity: cells that face another body, or another part of their own contour, across a narrow gap.
//!
//! Across a gap the current follows the width d(s) of the gap: charges attract their images, and the density varies over the lengths on
//! which d varies, however smooth the contours are. Between two circles of radius a at a gap g that is d = g + s²/a and the length
//! √(ga), at the point of a wedge before a plane it is g itself, and between parallel plates nothing varies at all. So a cell is
//! bisected until d hardly varies along it. Lengths then grow in proportion to the distance from the narrowest point: the number of
//! cells grows with the logarithm of the gap.

use crate::contour::Span;
use crate::piece::Piece;
use crate::shape::Point;
use phasefront_mesh::Outline;
use std::collections::HashMap;

/// Distance of the other contour, in lengths of the cell, within which the gap matters.
const REACH: f64 = 1.5;
/// Largest variation of the width of the gap along a cell, relative to the width at its middle: the linear part (half of the
/// difference between the ends) and the quadratic part (the mean of the ends minus the middle).
const MAX_SLOPE: f64 = 0.8;
const MAX_BEND: f64 = 0.15;
/// A narrowest point of less than this part of the three samples lies between them.
const HIDDEN: f64 = 0.7;
/// Length along the contour between two of its parts, relative to their distance, from which on they face each other: the sides
/// of a corner of less than 20 degrees do, those of wider ones are neighbors.
const DETOUR: f64 = 3.0;
/// Pieces per cell in the search.
const PIECES_PER_SPAN: usize = 4;
/// Width of a gap, in lengths of the cell before refinement, that counts as contact.
const CONTACT_GAP: f64 = 2e-7;
/// The same relative to the coordinates: below it they have no digits left.
const ROUNDING: f64 = 1e-13;

/// Two parts of the contours without a gap between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact {
    pub bodies: [usize; 2],
    pub point: Point,
}

/// A gap between two bodies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    pub bodies: [usize; 2],
    pub width: f64,
    /// Length of the cell beside it.
    pub cell: f64,
}

/// A piece of the contour of a body and its range of arc length.
struct Part {
    body: usize,
    piece: Piece,
    range: [f64; 2],
}

/// Bisects the spans of all bodies where contours are near each other; the first contact found, if there is one.
pub(crate) fn refine_proximity(
    outlines: &[Outline],
    spans: Vec<Vec<Span>>,
) -> (Vec<Vec<Span>>, Option<Contact>) {
    let surroundings = Surroundings::new(outlines, &spans);
    // Infinite coordinates are refused with the sizes of cells.
    if !surroundings.extent.is_finite() {
        return (spans, None);
    }
    let mut contact = None;
    // Parts were made span by span: chunks of them follow the spans of all bodies.
    let mut ranges = surroundings.parts.chunks(PIECES_PER_SPAN);
    let refined = spans.into_iter().enumerate().map(|(body, spans)| {
        let mut done = Vec::with_capacity(spans.len());
        for span in spans {
            let own = ranges.next().unwrap_or_default();
            let range = [own[0].range[0], own[PIECES_PER_SPAN - 1].range[1]];
            let search = Search {
                surroundings: &surroundings,
                outline: &outlines[body],
                body,
                floor: surroundings.floor(range[1] - range[0]),
            };
            search.refine(span, range, None, &mut done, &mut contact);
        }
        done
    });
    (refined.collect(), contact)
}

/// The gap that is narrowest in lengths of the cells beside it, among those within reach of a cell.
pub(crate) fn narrowest_gap(outlines: &[Outline], spans: &[Vec<Span>]) -> Option<Gap> {
    if outlines.len() < 2 {
        return None;
    }
    let surroundings = Surroundings::new(outlines, spans);
    if !surroundings.extent.is_finite() {
        return None;
    }
    let mut gaps = Vec::new();
    for cell in surroundings.parts.chunks(PIECES_PER_SPAN) {
        let length = cell[PIECES_PER_SPAN - 1].range[1] - cell[0].range[0];
        let floor = surroundings.floor(length);
        // Only parts in the same squares: the search is linear in the cells.
        for (part, other) in cell.iter().flat_map(|part| {
            let around = surroundings.around(&part.piece, REACH * length).into_iter();
            around.map(move |i| (part, i))
        }) {
            let other = &surroundings.parts[other];
            if other.body != part.body {
                let width = part.piece.distance(&other.piece, REACH * length, floor);
                gaps.push(Gap { bodies: [part.body, other.body], width, cell: length });
            }
        }
    }
    let ratio = |gap: &Gap| gap.width / gap.cell;
    gaps.into_iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// All parts, hashed into squares with the side of the longest.
struct Surroundings {
    parts: Vec<Part>,
    /// Length of each contour, and whether it is closed.
    lengths: Vec<(f64, bool)>,
    /// Largest coordinate.
    extent: f64,
    side: f64,
    squares: HashMap<[i64; 2], Vec<usize>>,
}

impl Surroundings {
    fn new(outlines: &[Outline], spans: &[Vec<Span>]) -> Self {
        let (mut parts, mut lengths) = (Vec::new(), Vec::new());
        for (body, (outline, spans)) in outlines.iter().zip(spans).enumerate() {
            let mut along = 0.0;
            for span in spans {
                let share = |i: usize| span.from + (span.to - span.from) * i as f64 / PIECES_PER_SPAN as f64;
                for i in 0..PIECES_PER_SPAN {
                    let piece = Piece::new(outline.segments[span.segment], share(i), share(i + 1));
                    let end = along + piece.length();
                    parts.push(Part { body, piece, range: [along, end] });
                    along = end;
                }
            }
            lengths.push((along, outline.closed));
        }
        // Squares as large as the longest part: a part covers few of them, and few parts lie in one.
        let side = parts.iter().map(|part| part.piece.length()).fold(f64::MIN_POSITIVE, f64::max);
        let mut squares: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
        for (i, part) in parts.iter().enumerate() {
            for square in covered(side, part.piece.ends, part.piece.sagitta) {
                squares.entry(square).or_default().push(i);
            }
        }
        let coordinates = || parts.iter().flat_map(|part| part.piece.ends).flatten().map(f64::abs);
        // The sum carries a NaN, which a maximum ignores.
        let extent = coordinates().fold(0.0, f64::max) + 0.0 * coordinates().sum::<f64>();
        Self { parts, lengths, extent, side, squares }
    }

    /// Width that counts as contact beside a cell of the given length; never below the rounding of coordinates.
    fn floor(&self, length: f64) -> f64 {
        (CONTACT_GAP * length).max(ROUNDING * self.extent)
    }

    /// Parts that may lie within `reach` of a piece.
    fn around(&self, piece: &Piece, reach: f64) -> Vec<usize> {
        let squares = covered(self.side, piece.ends, piece.sagitta + reach);
        let mut found: Vec<usize> =
            squares.filter_map(|square| self.squares.get(&square)).flatten().copied().collect();
        // A part lies in several squares: each once, and in an order that does not depend on the hash.
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Length along the contour of `body` between two ranges of arc length.
    fn detour(&self, body: usize, a: [f64; 2], b: [f64; 2]) -> f64 {
        let (length, closed) = self.lengths[body];
        let direct = (b[0] - a[1]).max(a[0] - b[1]).max(0.0);
        // On a closed contour there are two ways from one to the other.
        let around = length - (a[1].max(b[1]) - a[0].min(b[0]));
        if closed { direct.min(around.max(0.0)) } else { direct }
    }
}

/// The squares that cover a chord with a margin.
fn covered(side: f64, ends: [Point; 2], margin: f64) -> impl Iterator<Item = [i64; 2]> {
    let range = |axis: usize| {
        let (low, high) = (ends[0][axis].min(ends[1][axis]), ends[0][axis].max(ends[1][axis]));
        ((low - margin) / side).floor() as i64..=((high + margin) / side).floor() as i64
    };
    let rows = range(1);
    range(0).flat_map(move |x| rows.clone().map(move |y| [x, y]))
}

/// The search along one span.
struct Search<'a> {
    surroundings: &'a Surroundings,
    outline: &'a Outline,
    body: usize,
    /// Widths below this count as contact.
    floor: f64,
}

impl Search<'_> {
    /// Bisects a span until the width of the gap hardly varies along each part; `near` are the parts around its parent.
    fn refine(
        &self,
        span: Span,
        range: [f64; 2],
        near: Option<&[usize]>,
        done: &mut Vec<Span>,
        contact: &mut Option<Contact>,
    ) {
        let piece = Piece::new(self.outline.segments[span.segment], span.from, span.to);
        let reach = REACH * (range[1] - range[0]);
        // A child searches among the parts that its parent faces: their number shrinks with the span.
        let found;
        let candidates = if let Some(near) = near {
            near
        } else {
            found = self.surroundings.around(&piece, reach);
            &found
        };
        let facing: Vec<usize> =
            candidates.iter().copied().filter(|&i| self.faces(&piece, range, i, reach)).collect();
        if self.is_even(&piece, &facing, contact) {
            done.push(span);
            return;
        }
        let (middle, half) = (0.5 * (span.from + span.to), 0.5 * (range[0] + range[1]));
        self.refine(Span { to: middle, ..span }, [range[0], half], Some(&facing), done, contact);
        self.refine(Span { from: middle, ..span }, [half, range[1]], Some(&facing), done, contact);
    }

    /// Whether a part lies across a gap within reach.
    fn faces(&self, piece: &Piece, range: [f64; 2], part: usize, reach: f64) -> bool {
        let part = &self.surroundings.parts[part];
        let gap = part.piece.distance(piece, reach, self.floor);
        // Adjacent cells of a smooth contour are near each other without a gap between them.
        let neighbors =
            part.body == self.body && self.surroundings.detour(self.body, range, part.range) <= DETOUR * gap;
        gap < reach && !neighbors
    }

    /// Whether the width of the gap to the parts in `facing` hardly varies along a piece.
    fn is_even(&self, piece: &Piece, facing: &[usize], contact: &mut Option<Contact>) -> bool {
        let parts = || facing.iter().map(|&i| &self.surroundings.parts[i]);
        let width_at =
            |p: Point| parts().fold(f64::INFINITY, |best, q| q.piece.distance_from(p, best, self.floor));
        // The best so far bounds the next search: most parts are rejected by their chords.
        let least = parts().fold(f64::INFINITY, |best, q| q.piece.distance(piece, best, self.floor));
        if facing.is_empty() {
            return true;
        }
        if least <= self.floor
            && contact.is_none()
            && let Some(other) =
                parts().find(|q| q.piece.distance(piece, f64::INFINITY, self.floor) <= self.floor)
        {
            *contact = Some(Contact { bodies: [other.body, self.body], point: piece.middle() });
        }
        // Width along the span as a parabola through three samples: its slope and its bend.
        let ([start, end], middle) = (piece.ends.map(width_at), width_at(piece.middle()));
        let (slope, bend) = (0.5 * (end - start).abs(), (0.5 * (start + end) - middle).abs());
        least >= HIDDEN * start.min(middle).min(end)
            && slope <= MAX_SLOPE * middle
            && bend <= MAX_BEND * middle
    }
}
