//! Shapes of bodies.

use phasefront_mesh::{Outline, Segment};
use std::f64::consts::TAU;

/// A point of the plane.
pub type Point = [f64; 2];

/// The contour of a body, in meters.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A circle.
    Circle {
        /// Center.
        center: Point,
        /// Radius.
        radius: f64,
    },
    /// An ellipse.
    Ellipse {
        /// Center.
        center: Point,
        /// Half lengths of its two axes.
        semi_axes: [f64; 2],
        /// Angle from +x to the first axis, radians.
        rotation: f64,
    },
    /// A closed polygon.
    Polygon {
        /// Its corners in order; the last is joined to the first.
        points: Vec<Point>,
    },
    /// A thin flat strip: open; its current is the sum over both sides.
    Strip {
        /// One edge.
        from: Point,
        /// The other edge.
        to: Point,
    },
    /// Anything else: splines, airfoils, outlines from files.
    Outline(Outline),
}

impl Shape {
    /// Whether the contour closes on itself.
    pub fn is_closed(&self) -> bool {
        match self {
            Self::Strip { .. } => false,
            Self::Outline(outline) => outline.closed,
            _ => true,
        }
    }

    /// The contour; closed ones run counterclockwise, circle and ellipse from their first axis.
    pub fn outline(&self) -> Outline {
        let ellipse = |center: &Point, semi_axes: [f64; 2], rotation: f64| {
            let arc = Segment::Arc { center: *center, semi_axes, rotation, start: 0.0, sweep: TAU };
            Outline { segments: vec![arc], closed: true, corners: vec![false] }
        };
        match self {
            Self::Circle { center, radius } => ellipse(center, [*radius; 2], 0.0),
            Self::Ellipse { center, semi_axes, rotation } => ellipse(center, *semi_axes, *rotation),
            Self::Polygon { points } => {
                let segments: Vec<Segment> =
                    edges(points).map(|(from, to)| Segment::Line { from, to }).collect();
                // Every joint is a corner; the refinement depends on its angle.
                let corners = vec![true; segments.len()];
                Outline { segments, closed: true, corners }.counter_clockwise()
            }
            Self::Strip { from, to } => {
                let segments = vec![Segment::Line { from: *from, to: *to }];
                // Currents are singular at open ends as at corners.
                Outline { segments, closed: false, corners: vec![true] }
            }
            Self::Outline(outline) if outline.closed => outline.clone().counter_clockwise(),
            Self::Outline(outline) => outline.clone(),
        }
    }
}

/// Edges of a closed polygon.
fn edges(points: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    points.iter().copied().zip(points.iter().copied().cycle().skip(1))
}

/// Apportions `count` among `lengths`, at least one each, by largest remainders: the total is exact whenever there is at least one
/// for each.
pub(crate) fn apportion(count: usize, lengths: &[f64]) -> Vec<usize> {
    let total: f64 = lengths.iter().sum();
    let exact = |i: usize| count as f64 * lengths[i] / total;
    // Rounded down, at least one each; what is missing goes to the largest remainders.
    let mut shares: Vec<usize> = (0..lengths.len()).map(|i| (exact(i) as usize).max(1)).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|&a, &b| (exact(b) - shares[b] as f64).total_cmp(&(exact(a) - shares[a] as f64)));
    let missing = count.saturating_sub(shares.iter().sum());
    for &i in order.iter().take(missing) {
        shares[i] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contour::uniform_spans;

    #[test]
    fn a_polygon_gets_the_requested_cells() {
        let triangle = Shape::Polygon { points: vec![[0.5, -0.3], [0.9, -0.3], [0.7, 0.4]] };
        for count in 3..100 {
            assert_eq!(uniform_spans(&triangle.outline(), count).len(), count);
        }
        assert_eq!(apportion(2, &[1.0, 1.0, 1.0]), [1, 1, 1]);
        assert_eq!(apportion(10, &[1.0, 1e-9]), [9, 1]);
    }

    #[test]
    fn polygons_run_counter_clockwise_for_either_orientation() {
        let points = vec![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
        let outline = Shape::Polygon { points }.outline();
        assert!(outline.signed_area() > 0.0);
        assert_eq!(outline.corners, [true; 3]);
    }

    #[test]
    fn a_rotated_ellipse_is_the_ellipse_rotated() {
        let rotated = Shape::Ellipse {
            center: [1.0, 2.0],
            semi_axes: [2.0, 1.0],
            rotation: std::f64::consts::FRAC_PI_2,
        };
        let [x, y] = rotated.outline().segments[0].point(0.0);
        assert!((x - 1.0).abs() < 1e-14 && (y - 4.0).abs() < 1e-14);
    }
}
