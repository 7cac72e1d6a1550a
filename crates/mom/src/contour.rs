//! Discretization of an outline: spans of equal arc length, refined by curvature, and dyadic corner refinement toward corners
//! and open ends, where currents are singular.

use crate::shape::apportion;
use phasefront_core::quadrature::{Rule, gauss_legendre};
use phasefront_mesh::{CORNER_ANGLE, Outline, Segment};

/// Part of a segment of an outline, by its parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    /// Index of the segment.
    pub segment: usize,
    /// Where it starts.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Level of dyadic refinement toward a corner or an open end.
    pub refinement_level: usize,
}

/// Largest turn of the tangent within one cell, radians: polynomials of the order of the cell approximate such an arc well, and
/// quadratic ones to a percent. An eighth of a circle is not refined.
const MAX_TURN: f64 = 0.9;

/// Exterior angle from which on a corner gets all levels of refinement. At distance d from a corner of exterior angle δ the current
/// grows like d^{−δ/(π+δ)}: the blunter the corner, the weaker the singularity.
const FULL_CORNER: f64 = std::f64::consts::FRAC_PI_4;

/// Chords on which the turn of a span is measured.
const TURN_STEPS: usize = 8;

/// `count` spans of equal arc length, or more where every segment needs at least one.
pub(crate) fn uniform_spans(outline: &Outline, count: usize) -> Vec<Span> {
    let arcs: Vec<ArcLength> = outline.segments.iter().map(ArcLength::new).collect();
    let lengths: Vec<f64> = arcs.iter().map(ArcLength::length).collect();
    let counts = apportion(count, &lengths);
    let cut = |segment: usize| {
        let pieces = counts[segment];
        let arc = &arcs[segment];
        // Exactly 1 at the end of a segment, which marks a joint for the corner refinement.
        let at = move |i: usize| if i == pieces { 1.0 } else { arc.parameter(i as f64 / pieces as f64) };
        (0..pieces).map(move |i| Span { segment, from: at(i), to: at(i + 1), refinement_level: 0 })
    };
    (0..arcs.len()).flat_map(cut).collect()
}

/// Bisects spans until none turns by more than [`MAX_TURN`].
pub(crate) fn refine_curvature(outline: &Outline, spans: Vec<Span>) -> Vec<Span> {
    let mut done = Vec::with_capacity(spans.len());
    // A stack in reverse order keeps the spans in sequence.
    let mut open: Vec<Span> = spans.into_iter().rev().collect();
    while let Some(span) = open.pop() {
        // At a cusp the turn does not shrink with the span: the second condition ends the
        // bisection.
        if turn(&outline.segments[span.segment], span) > MAX_TURN && span.to - span.from > 1e-9 {
            let mid = 0.5 * (span.from + span.to);
            open.extend([Span { from: mid, ..span }, Span { to: mid, ..span }]);
        } else {
            done.push(span);
        }
    }
    done
}

/// Corner refinement: bisects the spans at corners and open ends `levels` times toward them, fewer times at blunt corners.
pub(crate) fn refine_corners(outline: &Outline, spans: &[Span], levels: usize) -> Vec<Span> {
    let count = outline.segments.len();
    let mut graded = Vec::new();
    for &span in spans {
        let start = if span.from == 0.0 { levels_at(outline, span.segment, levels) } else { 0 };
        let end = if span.to == 1.0 { levels_at(outline, (span.segment + 1) % count, levels) } else { 0 };
        // A span between two corners is split, and each half is refined toward its own corner.
        let mid = if start > 0 && end > 0 { 0.5 * (span.from + span.to) } else { span.to };
        match (start, end) {
            (0, 0) => graded.push(span),
            (0, _) => graded.extend(bisected_toward_end(span, end)),
            (_, _) => {
                graded.extend(bisected_toward_start(Span { to: mid, ..span }, start));
                if end > 0 {
                    graded.extend(bisected_toward_end(Span { from: mid, ..span }, end));
                }
            }
        }
    }
    graded
}

/// Levels of refinement toward the joint before a segment, or an open end.
fn levels_at(outline: &Outline, segment: usize, levels: usize) -> usize {
    if !outline.closed && segment == 0 {
        return levels;
    }
    if !outline.corners[segment] {
        return 0;
    }
    let count = outline.segments.len();
    let before = outline.segments[(segment + count - 1) % count].derivative(1.0);
    let turn = angle(before, outline.segments[segment].derivative(0.0));
    // A corner without a turn has infinite curvature, or was marked by the user.
    let fraction = if turn < CORNER_ANGLE { 1.0 } else { (turn / FULL_CORNER).min(1.0) };
    (levels as f64 * fraction).ceil() as usize
}

/// Angle between two directions.
fn angle(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1]).abs()
}

fn bisected_toward_start(span: Span, levels: usize) -> Vec<Span> {
    let width = span.to - span.from;
    // Dyadic: the singularity of the current at a corner has no length scale, so that each cell has
    // the same relative error.
    let cut = |level: usize| span.from + width * 0.5_f64.powi(level as i32);
    let mut spans = vec![Span { to: cut(levels), refinement_level: levels, ..span }];
    spans.extend((0..levels).rev().map(|level| Span {
        from: cut(level + 1),
        to: cut(level),
        refinement_level: level + 1,
        ..span
    }));
    spans
}

/// The end of a segment is at parameter 1, where bisection reaches the rounding error after fifty levels.
fn bisected_toward_end(span: Span, levels: usize) -> Vec<Span> {
    let width = span.to - span.from;
    let cut = |level: usize| span.to - width * 0.5_f64.powi(level as i32);
    let mut spans: Vec<Span> = (0..levels)
        .map(|level| Span { from: cut(level), to: cut(level + 1), refinement_level: level + 1, ..span })
        .collect();
    spans.push(Span { from: cut(levels), refinement_level: levels, ..span });
    spans
}

/// Sum of the turns of the tangent along a span.
fn turn(segment: &Segment, span: Span) -> f64 {
    let tangent =
        |i: usize| segment.derivative(span.from + (span.to - span.from) * i as f64 / TURN_STEPS as f64);
    (0..TURN_STEPS).map(|i| angle(tangent(i), tangent(i + 1))).sum()
}

/// Panels of the arc-length table, uniform in the parameter, and Gauss points in each: relative error 1e-12 for ellipses of axis
/// ratio up to a hundred.
const PANELS: usize = 256;
const PANEL_POINTS: usize = 10;

/// Arc length of a segment, and its inverse.
pub(crate) struct ArcLength<'a> {
    segment: &'a Segment,
    rule: Rule,
    /// Length from the start to the start of each panel, and to the end.
    table: Vec<f64>,
}

impl<'a> ArcLength<'a> {
    pub(crate) fn new(segment: &'a Segment) -> Self {
        let mut arc = Self { segment, rule: gauss_legendre(PANEL_POINTS), table: vec![0.0] };
        let mut total = 0.0;
        for i in 0..PANELS {
            total += arc.between(panel_start(i), panel_start(i + 1));
            arc.table.push(total);
        }
        arc
    }

    pub(crate) fn length(&self) -> f64 {
        self.table[PANELS]
    }

    fn jacobian(&self, t: f64) -> f64 {
        let [x, y] = self.segment.derivative(t);
        x.hypot(y)
    }

    fn between(&self, a: f64, b: f64) -> f64 {
        self.rule.integrate(a, b, |t| self.jacobian(t))
    }

    /// The parameter at a fraction of the length: Newton's method inside its panel.
    fn parameter(&self, fraction: f64) -> f64 {
        let s = fraction * self.length();
        // The panel that contains s, and a linear guess inside of it.
        let panel = self.table.partition_point(|&x| x <= s).clamp(1, PANELS) - 1;
        let (start, end) = (panel_start(panel), panel_start(panel + 1));
        let inside = (s - self.table[panel]) / (self.table[panel + 1] - self.table[panel]);
        let mut t = start + inside * (end - start);
        for _ in 0..4 {
            t += (s - self.table[panel] - self.between(start, t)) / self.jacobian(t);
            // The panel brackets the root.
            t = t.clamp(start, end);
        }
        t
    }
}

fn panel_start(i: usize) -> f64 {
    i as f64 / PANELS as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use std::f64::consts::TAU;

    fn ellipse(a: f64, b: f64) -> Outline {
        Shape::Ellipse { center: [0.0, 0.0], semi_axes: [a, b], rotation: 0.0 }.outline()
    }

    fn length(outline: &Outline) -> f64 {
        outline.segments.iter().map(|s| ArcLength::new(s).length()).sum()
    }

    #[test]
    fn ellipse_circumference_matches_published_values() {
        // 4 a E(m), m = 1 - (b/a)²; E(0.75) = 1.2110560275684594 (Abramowitz and Stegun, table 17.1).
        assert!((length(&ellipse(2.0, 1.0)) - 8.0 * 1.211_056_027_568_459_4).abs() < 1e-12);
        assert!((length(&ellipse(1.0, 1.0)) - TAU).abs() < 1e-13);
    }

    #[test]
    fn uniform_spans_have_equal_arc_length() {
        let outline = ellipse(3.0, 0.5);
        let spans = uniform_spans(&outline, 5000);
        let chords: Vec<f64> = spans
            .iter()
            .map(|s| {
                let (a, b) = (outline.segments[0].point(s.from), outline.segments[0].point(s.to));
                (a[0] - b[0]).hypot(a[1] - b[1])
            })
            .collect();
        let mean = chords.iter().sum::<f64>() / chords.len() as f64;
        assert!(chords.iter().all(|c| (c / mean - 1.0).abs() < 1e-4));
        assert!(spans.windows(2).all(|w| w[0].to == w[1].from));
    }

    #[test]
    fn sharp_tips_get_shorter_cells_and_circles_do_not() {
        let circle = ellipse(1.0, 1.0);
        assert_eq!(refine_curvature(&circle, uniform_spans(&circle, 8)).len(), 8);
        let thin = ellipse(1.0, 0.01);
        let spans = refine_curvature(&thin, uniform_spans(&thin, 16));
        assert!(spans.len() > 20 && spans.len() < 60, "{}", spans.len());
        assert!(spans.iter().all(|&s| turn(&thin.segments[0], s) <= MAX_TURN));
    }

    #[test]
    fn cells_are_refined_toward_corners_and_open_ends() {
        let strip = Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] }.outline();
        let spans = refine_corners(&strip, &uniform_spans(&strip, 4), 3);
        let widths: Vec<f64> = spans.iter().map(|s| s.to - s.from).collect();
        let expected = [32.0, 32.0, 16.0, 8.0, 4.0, 4.0, 8.0, 16.0, 32.0, 32.0].map(|d| 1.0 / d);
        assert!(widths.iter().zip(expected).all(|(w, e)| (w - e).abs() < 1e-14), "{widths:?}");
        assert!(spans.windows(2).all(|w| w[0].to == w[1].from));
        let circle = ellipse(1.0, 1.0);
        assert_eq!(refine_corners(&circle, &uniform_spans(&circle, 9), 5).len(), 9);
    }

    #[test]
    fn a_single_span_between_two_corners_is_bisected_toward_both() {
        let strip = Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] }.outline();
        let spans =
            refine_corners(&strip, &[Span { segment: 0, from: 0.0, to: 1.0, refinement_level: 0 }], 1);
        let widths: Vec<f64> = spans.iter().map(|s| s.to - s.from).collect();
        assert_eq!(widths, [0.25; 4]);
        assert!(spans.iter().all(|s| s.refinement_level == 1));
    }
}
