//! Converts drawing commands in the coordinates of an element to outlines in those of the page.

use super::affine::Affine;
use crate::error::MeshError;
use crate::outline::{JOINT_GAP, Outline};
use crate::point::{Point, distance, mix, turned};
use crate::segment::Segment;
use std::f64::consts::TAU;

/// A pen over a page.
pub(super) struct Pen {
    map: Affine,
    /// Where the current outline began, and where the pen is, in the coordinates of the element.
    start: Point,
    at: Point,
    segments: Vec<Segment>,
    outlines: Vec<Outline>,
}

impl Pen {
    pub fn new(map: Affine) -> Self {
        Self { map, start: [0.0, 0.0], at: [0.0, 0.0], segments: Vec::new(), outlines: Vec::new() }
    }

    /// Where the pen is.
    pub fn at(&self) -> Point {
        self.at
    }

    /// Lifts the pen and puts it down elsewhere.
    pub fn move_to(&mut self, to: Point) -> Result<(), MeshError> {
        self.finish(false)?;
        (self.start, self.at) = (to, to);
        Ok(())
    }

    pub fn line_to(&mut self, to: Point) {
        self.segments.push(Segment::Line { from: self.map.point(self.at), to: self.map.point(to) });
        self.at = to;
    }

    pub fn cubic_to(&mut self, first: Point, second: Point, to: Point) {
        let points = [self.at, first, second, to].map(|p| self.map.point(p));
        self.segments.extend(Segment::from_cubic(points));
        self.at = to;
    }

    /// A parabola, raised to a cubic.
    pub fn quadratic_to(&mut self, control: Point, to: Point) {
        self.cubic_to(mix(self.at, control, 2.0 / 3.0), mix(to, control, 2.0 / 3.0), to);
    }

    /// An elliptical arc given by its end points (SVG 1.1, appendix F.6.5 and F.6.6): computes the
    /// center, enlarges radii that are too small, and draws a line if a radius is zero. `rotation`
    /// in radians.
    pub fn arc_to(&mut self, radii: [f64; 2], rotation: f64, large: bool, positive: bool, to: Point) {
        let [mut rx, mut ry] = radii.map(f64::abs);
        if rx == 0.0 || ry == 0.0 || self.at == to {
            return self.line_to(to);
        }
        // Half the chord in the axes of the ellipse; then scaled so that the ellipse is the unit
        // circle.
        let half = turned([0.5 * (self.at[0] - to[0]), 0.5 * (self.at[1] - to[1])], -rotation);
        let reach = (half[0] / rx).hypot(half[1] / ry);
        if reach > 1.0 {
            (rx, ry) = (rx * reach, ry * reach);
        }
        let unit = [half[0] / rx, half[1] / ry];
        // Distance of the center from the chord on the unit circle, √(1 − d²); its sign selects one
        // of the two circles through the ends. Rounding may make 1 − d² slightly negative.
        let square = unit[0] * unit[0] + unit[1] * unit[1];
        let size =
            ((1.0 - square) / square).max(0.0).sqrt().copysign(if large == positive { -1.0 } else { 1.0 });
        let center = [size * unit[1], -size * unit[0]];
        let start = (unit[1] - center[1]).atan2(unit[0] - center[0]);
        let end = (-unit[1] - center[1]).atan2(-unit[0] - center[0]);
        let mut sweep = end - start;
        // atan2 leaves the sweep ambiguous by a full turn; the flag decides its sign.
        if positive && sweep < 0.0 {
            sweep += TAU;
        } else if !positive && sweep > 0.0 {
            sweep -= TAU;
        }
        let offset = turned([rx * center[0], ry * center[1]], rotation);
        let center = [0, 1].map(|i| 0.5 * (self.at[i] + to[i]) + offset[i]);
        self.segments.push(self.map.arc(center, [rx, ry], rotation, start, sweep));
        self.at = to;
    }

    /// A whole ellipse, an outline of its own.
    pub fn ellipse(&mut self, center: Point, radii: [f64; 2]) -> Result<(), MeshError> {
        self.segments.push(self.map.arc(center, radii, 0.0, 0.0, TAU));
        self.finish(true)
    }

    /// Back to the start of this outline.
    pub fn close(&mut self) -> Result<(), MeshError> {
        self.line_to(self.start);
        self.finish(true)
    }

    /// What was drawn.
    pub fn outlines(mut self) -> Result<Vec<Outline>, MeshError> {
        self.finish(false)?;
        Ok(self.outlines)
    }

    /// Ends the outline. One that was not closed is so if it ends where it began.
    fn finish(&mut self, closed: bool) -> Result<(), MeshError> {
        let mut segments = std::mem::take(&mut self.segments);
        let length: f64 = segments.iter().map(Segment::length).sum();
        // Drop steps of zero length, which drawings often have. Steps that are not finite are kept:
        // `Outline` rejects them with a message.
        segments.retain(|segment| {
            let own = segment.length();
            own > JOINT_GAP * length || !own.is_finite()
        });
        if let (Some(first), Some(last)) = (segments.first(), segments.last()) {
            let ends_meet = distance(first.start(), last.end()) <= JOINT_GAP * length;
            self.outlines.push(Outline::new(segments, closed || ends_meet)?);
        }
        Ok(())
    }
}
