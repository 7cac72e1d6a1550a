//! Chains of segments.

use crate::error::MeshError;
use crate::point::{Point, angle_between, distance, times};
use crate::segment::Segment;
use std::f64::consts::{PI, TAU};

/// Gaps up to this fraction of the length are closed: files carry up to about nine digits.
pub const JOINT_GAP: f64 = 1e-9;
/// Lengths of outlines that are accepted: products of four lengths, and of a gap with them, are normal numbers.
const SIZES: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

/// A joint that turns by more than this, in radians, is a corner. Handles in drawings have few
/// digits, which kinks smooth joints by up to about this angle; and the field singularity of such a
/// corner, an exponent of 1e-4 instead of 0, is negligible. In doubt a joint is a corner: grading
/// the mesh toward it costs a few unknowns, whereas a corner taken for smooth costs accuracy.
pub const CORNER_ANGLE: f64 = 1e-3;

/// A joint between line elements that turns by more than this, in radians, is a corner: 30 degrees. Elements on a smooth
/// curve turn by less, unless there are fewer than twelve to a circle; the corners of bodies turn by more.
pub const MESH_CORNER_ANGLE: f64 = std::f64::consts::FRAC_PI_6;

/// A chain of segments, closed or open.
///
/// A segment begins where the one before it ends: to the last bit where one of the two is a line or a cubic, to
/// rounding between arcs and airfoil sides. [`Outline::vertex`] is one point for both.
///
/// ```
/// use phasefront_mesh::{Outline, Segment};
///
/// // Half a disc of radius 1 m.
/// let arc = Segment::Arc {
///     center: [0.0, 0.0],
///     semi_axes: [1.0, 1.0],
///     rotation: 0.0,
///     start: 0.0,
///     sweep: std::f64::consts::PI,
/// };
/// let chord = Segment::Line { from: [-1.0, 0.0], to: [1.0, 0.0] };
/// let half = Outline::new(vec![arc, chord], true).unwrap();
/// assert_eq!(half.corners, [true, true]);
/// assert!((half.length() - (std::f64::consts::PI + 2.0)).abs() < 1e-14);
/// assert!((half.signed_area() - std::f64::consts::FRAC_PI_2).abs() < 1e-14);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The pieces in order.
    pub segments: Vec<Segment>,
    /// Whether the last piece ends where the first begins.
    pub closed: bool,
    /// Whether the joint before each piece is a corner. Both ends of an open outline are edges: its first entry is
    /// true.
    pub corners: Vec<bool>,
}

impl Outline {
    /// Checks and joins the pieces, and finds the corners, which turn by more than [`CORNER_ANGLE`].
    ///
    /// ```
    /// use phasefront_mesh::{Outline, Segment};
    /// let apart = vec![
    ///     Segment::Line { from: [0.0, 0.0], to: [1.0, 0.0] },
    ///     Segment::Line { from: [1.0, 0.5], to: [1.0, 1.0] },
    /// ];
    /// let error = Outline::new(apart, false).unwrap_err();
    /// assert_eq!(error.to_string(), "segments 1 and 2 are 0.5 apart, from (1, 0) to (1, 0.5)");
    /// ```
    pub fn new(segments: Vec<Segment>, closed: bool) -> Result<Self, MeshError> {
        Self::with_corner_angle(segments, closed, CORNER_ANGLE)
    }

    /// The same with another angle, in radians, above which a joint is a corner: for segments that come from a mesh,
    /// where a smooth body has slight kinks.
    ///
    /// ```
    /// use phasefront_mesh::{Outline, Segment};
    /// let bent = vec![
    ///     Segment::Line { from: [0.0, 0.0], to: [1.0, 0.0] },
    ///     Segment::Line { from: [1.0, 0.0], to: [2.0, 0.1] },
    /// ];
    /// assert_eq!(Outline::new(bent.clone(), false).unwrap().corners, [true, true]);
    /// assert_eq!(Outline::with_corner_angle(bent, false, 0.2).unwrap().corners, [true, false]);
    /// ```
    pub fn with_corner_angle(
        mut segments: Vec<Segment>,
        closed: bool,
        corner_angle: f64,
    ) -> Result<Self, MeshError> {
        if segments.is_empty() {
            return Err(MeshError::geometry(
                "an outline needs at least one segment",
                "draw a line or a curve",
            ));
        }
        // The tolerances below are relative to the whole outline, hence the first pass over the
        // lengths.
        let mut total = 0.0;
        for (i, segment) in segments.iter_mut().enumerate() {
            total += check(i, segment)?;
        }
        check_size(total)?;
        for (i, segment) in segments.iter().enumerate() {
            if segment.length() <= JOINT_GAP * total {
                let [x, y] = segment.start();
                return Err(MeshError::geometry(
                    format!("segment {} has no length, at ({x}, {y})", i + 1),
                    "remove it: it is shorter than a billionth of its outline",
                ));
            }
        }
        let mut outline = Self { segments, closed, corners: Vec::new() };
        outline.check_joints(JOINT_GAP * total)?;
        outline.snap();
        outline.corners = (0..outline.segments.len()).map(|i| outline.is_corner(i, corner_angle)).collect();
        Ok(outline)
    }

    /// Start of segment `i`; for an open outline, `i` equal to the number of segments is its end.
    ///
    /// ```
    /// let outline = phasefront_mesh::spline(&[[0.0, 0.0], [1.0, 0.0]], &[true, true], false).unwrap();
    /// assert_eq!(outline.vertex(0), [0.0, 0.0]);
    /// assert_eq!(outline.vertex(1), [1.0, 0.0]);
    /// ```
    pub fn vertex(&self, i: usize) -> Point {
        let n = self.segments.len();
        if i == n && !self.closed { self.segments[n - 1].end() } else { self.segments[i % n].start() }
    }

    /// Length along the outline.
    pub fn length(&self) -> f64 {
        self.segments.iter().map(Segment::length).sum()
    }

    /// Area inside, positive if the outline runs counterclockwise. An open one is closed by a straight line.
    pub fn signed_area(&self) -> f64 {
        // Relative to its first point, so that a body far from the origin loses no digits.
        let away = times(-1.0, self.vertex(0));
        // The line that closes an open outline passes through this origin and adds no area.
        self.segments.iter().map(|segment| segment.moved(away, 0.0, 1.0).area()).sum()
    }

    /// A closed outline so that its inside lies on the left; an open one as it is.
    ///
    /// ```
    /// let clockwise = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
    /// let square = phasefront_mesh::spline(&clockwise, &[true; 4], true).unwrap();
    /// assert_eq!(square.signed_area(), -1.0);
    /// assert_eq!(square.counter_clockwise().signed_area(), 1.0);
    /// ```
    #[must_use]
    pub fn counter_clockwise(self) -> Self {
        if !self.closed || self.signed_area() >= 0.0 {
            return self;
        }
        let n = self.segments.len();
        let segments = self.segments.iter().rev().map(Segment::reversed).collect();
        // The joint before the new segment j was the one before the old segment n - j.
        let corners = (0..n).map(|j| self.corners[(n - j) % n]).collect();
        let mut turned = Self { segments, corners, ..self };
        turned.snap();
        turned
    }

    /// Every point p becomes position + scale R(rotation) p, rotation in radians. The scale must not be zero.
    ///
    /// ```
    /// let wing = phasefront_mesh::naca4("0012", 1.0).unwrap();
    /// let wing = wing.moved([3.0, 4.0], std::f64::consts::FRAC_PI_2, 2.0);
    /// let tail = wing.vertex(0);
    /// assert!((tail[0] - 3.0).abs() < 1e-15 && (tail[1] - 6.0).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn moved(self, position: Point, rotation: f64, scale: f64) -> Self {
        let segments = self.segments.iter().map(|segment| segment.moved(position, rotation, scale)).collect();
        let mut moved = Self { segments, ..self };
        moved.snap();
        moved
    }

    /// Segments on both sides of the joint before segment `i`; an open outline has none before the first.
    fn joint(&self, i: usize) -> Option<(usize, usize)> {
        let n = self.segments.len();
        (i > 0 || self.closed).then_some(((i + n - 1) % n, i))
    }

    fn check_joints(&self, allowed: f64) -> Result<(), MeshError> {
        for (before, after) in (0..self.segments.len()).filter_map(|i| self.joint(i)) {
            let (end, start) = (self.segments[before].end(), self.segments[after].start());
            let gap = distance(end, start);
            if gap > allowed {
                let ends = format!("from ({}, {}) to ({}, {})", end[0], end[1], start[0], start[1]);
                return Err(if after == 0 {
                    MeshError::geometry(
                        format!("the outline does not close: its ends are {gap} apart, {ends}"),
                        "add the missing piece, or make it an open outline",
                    )
                } else {
                    MeshError::geometry(
                        format!("segments {} and {} are {gap} apart, {ends}", before + 1, after + 1),
                        "let each segment begin where the one before it ends",
                    )
                });
            }
            // Two lines that fold back by π enclose nothing: a sheet is an open line, drawn once.
            if let (Segment::Line { .. }, Segment::Line { .. }) =
                (&self.segments[before], &self.segments[after])
                && PI - self.turn(before, after) < JOINT_GAP
            {
                return Err(MeshError::geometry(
                    format!("the outline turns back onto itself at ({}, {})", end[0], end[1]),
                    "draw a thin body as an open line, once",
                ));
            }
        }
        Ok(())
    }

    /// Makes both sides of a joint equal, where one of them is given by its ends.
    fn snap(&mut self) {
        for i in 0..self.segments.len() {
            if let Some((before, after)) = self.joint(i) {
                let end = self.segments[before].end();
                // Prefer to move the start of the next segment; arcs and airfoil sides cannot move,
                // then the end of the one before does. Two that cannot move stay equal to rounding.
                if !self.segments[after].set_end(0.0, end) {
                    let start = self.segments[after].start();
                    self.segments[before].set_end(1.0, start);
                }
            }
        }
        // An end that has moved onto a handle: the speed would vanish there.
        for segment in &mut self.segments {
            if let Segment::Cubic { points } = *segment
                && let [regular] = Segment::from_cubic(points)[..]
            {
                *segment = regular;
            }
        }
    }

    fn is_corner(&self, i: usize, corner_angle: f64) -> bool {
        let Some((before, after)) = self.joint(i) else {
            return true;
        };
        self.turn(before, after) > corner_angle
            || self.segments[before].is_blunt(1.0)
            || self.segments[after].is_blunt(0.0)
    }

    /// Angle between the tangents of two consecutive segments, 0 to π.
    fn turn(&self, before: usize, after: usize) -> f64 {
        angle_between(self.segments[before].derivative(1.0), self.segments[after].derivative(0.0))
    }
}

/// Refuses outlines whose lengths have no products in double precision: angles and areas would be lost.
pub(crate) fn check_size(length: f64) -> Result<(), MeshError> {
    // An outline of no length at all has a message of its own, by segment or by point.
    if length == 0.0 || SIZES.contains(&length) {
        return Ok(());
    }
    Err(MeshError::geometry(
        format!("the outline is {length:e} long"),
        format!(
            "give coordinates in a unit in which it is between {:e} and {:e} long",
            SIZES.start(),
            SIZES.end()
        ),
    ))
}

/// The length of a segment, once it is checked that it can be part of an outline. A straight cubic
/// becomes a line.
fn check(i: usize, segment: &mut Segment) -> Result<f64, MeshError> {
    let number = i + 1;
    let length = segment.length();
    if !segment.is_finite() || !length.is_finite() {
        return Err(MeshError::geometry(
            format!("segment {number} has coordinates that are no finite numbers"),
            "give finite coordinates",
        ));
    }
    match *segment {
        Segment::Arc { semi_axes: [a, b], .. } if a == 0.0 || b == 0.0 => Err(MeshError::geometry(
            format!("segment {number} is part of an ellipse with semi-axes {a} and {b}"),
            "give semi-axes other than zero, or draw a line",
        )),
        Segment::Arc { sweep, .. } if sweep.abs() > TAU => Err(MeshError::geometry(
            format!("segment {number} is an arc of {sweep} radians, more than a full turn"),
            "let it sweep one turn at most",
        )),
        Segment::Cubic { points } => match Segment::from_cubic(points)[..] {
            [] => Ok(0.0),
            [regular] => {
                *segment = regular;
                Ok(length)
            }
            _ => Err(MeshError::geometry(
                format!("segment {number} is a cubic curve that stops or turns back inside"),
                "build it with Segment::from_cubic, which cuts it there",
            )),
        },
        _ => Ok(length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn line(from: Point, to: Point) -> Segment {
        Segment::Line { from, to }
    }

    fn arc(start: f64, sweep: f64) -> Segment {
        Segment::Arc { center: [0.0, 0.0], semi_axes: [1.0, 1.0], rotation: 0.0, start, sweep }
    }

    /// An end that is moved onto both handles, within the gap that joints may have, leaves a line.
    #[test]
    fn a_joint_that_meets_the_handles_leaves_no_point_without_speed() {
        let far = 4e9;
        let curve = [[2.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, far]];
        let segments =
            vec![Segment::Line { from: [far, 0.0], to: [0.0, 0.0] }, Segment::Cubic { points: curve }];
        let outline = Outline::new(segments, false).unwrap();
        assert_eq!(outline.segments[1], Segment::Line { from: [0.0, 0.0], to: [0.0, far] });
    }

    #[test]
    fn one_arc_is_a_circle_without_corners() {
        let circle = Outline::new(vec![arc(0.3, TAU)], true).unwrap();
        assert_eq!(circle.corners, [false]);
        assert!((circle.length() - TAU).abs() < 1e-15);
        let far = circle.moved([1e6, -1e6], 1.0, 1e-3);
        assert!((far.signed_area() / (1e-6 * PI) - 1.0).abs() < 1e-6);
        assert!((far.length() - TAU * 1e-3).abs() < 1e-15);
    }

    #[test]
    fn small_gaps_are_closed_to_the_bit() {
        let off = 1e-11;
        let pieces =
            vec![arc(0.0, FRAC_PI_2), line([off, 1.0], [0.0, -off]), line([off, 0.0], [1.0 + off, 0.0])];
        let pie = Outline::new(pieces, true).unwrap();
        for outline in [pie.clone(), pie.clone().moved([0.1, 0.2], 0.3, 0.7)] {
            for i in 0..3 {
                assert_eq!(outline.segments[i].end(), outline.vertex(i + 1));
            }
        }
        assert_eq!(pie.corners, [true, true, true]);
        assert!((pie.signed_area() - PI / 4.0).abs() < 1e-10);
    }

    #[test]
    fn corners_follow_when_the_outline_is_turned_round() {
        // A stadium with one square end, clockwise.
        let pieces = vec![
            Segment::Arc {
                center: [0.0, 0.0],
                semi_axes: [1.0, 1.0],
                rotation: 0.0,
                start: -FRAC_PI_2,
                sweep: -PI,
            },
            line([0.0, 1.0], [2.0, 1.0]),
            line([2.0, 1.0], [2.0, -1.0]),
            line([2.0, -1.0], [0.0, -1.0]),
        ];
        let stadium = Outline::new(pieces, true).unwrap();
        assert_eq!(stadium.corners, [false, false, true, true]);
        let area = stadium.signed_area();
        assert!((area + 4.0 + FRAC_PI_2).abs() < 1e-14);
        let turned = stadium.clone().counter_clockwise();
        assert!((turned.signed_area() + area).abs() < 1e-14);
        let corners = |outline: &Outline| {
            let mut found: Vec<Point> =
                (0..4).filter(|&i| outline.corners[i]).map(|i| outline.vertex(i)).collect();
            found.sort_by(|a, b| a[1].total_cmp(&b[1]));
            found
        };
        assert_eq!(corners(&turned), corners(&stadium));
        assert_eq!(turned.clone().counter_clockwise(), turned);
    }

    #[test]
    fn open_outlines_begin_and_end_in_edges() {
        let strip =
            Outline::new(vec![line([0.0, 0.0], [1.0, 0.0]), line([1.0, 0.0], [2.0, 0.0])], false).unwrap();
        assert_eq!(strip.corners, [true, false]);
        assert_eq!(strip.vertex(2), [2.0, 0.0]);
        let half = Outline::new(vec![arc(0.0, PI)], false).unwrap();
        assert!((half.signed_area() - FRAC_PI_2).abs() < 1e-15);
    }

    #[test]
    fn straight_cubics_are_lines() {
        let points = [[0.0, 0.0], [0.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        let outline = Outline::new(vec![Segment::Cubic { points }], false).unwrap();
        assert_eq!(outline.segments, [line([0.0, 0.0], [3.0, 0.0])]);
    }

    #[test]
    fn blunt_ends_are_corners_though_they_do_not_turn() {
        let curve = Segment::Cubic { points: [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [2.0, 1.0]] };
        let outline = Outline::new(vec![line([-1.0, 0.0], [0.0, 0.0]), curve], false).unwrap();
        assert_eq!(outline.corners, [true, true]);
    }
}
