//! Contours: from a shape to points evenly spaced along it.

use crate::problem::Shape;
use phasefront_core::quadrature::{Rule, gauss_legendre};
use std::f64::consts::TAU;

/// A point of the plane.
pub type Point = [f64; 2];

pub(crate) fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// One cell: its ends, the point in its middle on the contour, and its length along the contour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Where it begins.
    pub start: Point,
    /// Where the equation is enforced.
    pub middle: Point,
    /// Where it ends.
    pub end: Point,
    /// Arc length.
    pub length: f64,
}

impl Shape {
    /// Whether the contour closes on itself.
    pub fn is_closed(&self) -> bool {
        !matches!(self, Self::Strip { .. })
    }

    /// Length of the contour.
    pub fn length(&self) -> f64 {
        match self {
            Self::Circle { radius, .. } => TAU * radius,
            Self::Ellipse { semi_axes, .. } => EllipseArc::new(*semi_axes).length(),
            Self::Polygon { points } => edges(points).map(|(a, b)| distance(a, b)).sum(),
            Self::Strip { from, to } => distance(*from, *to),
        }
    }

    /// Cuts the contour into `count` cells of equal length, counter-clockwise for circle and ellipse from their
    /// first axis. A polygon keeps its corners: each edge gets a whole number of cells, at least one, so that their
    /// lengths differ a little from edge to edge.
    pub fn cells(&self, count: usize) -> Vec<Cell> {
        match self {
            Self::Circle { center, radius } => {
                let at =
                    |u: f64| [center[0] + radius * (TAU * u).cos(), center[1] + radius * (TAU * u).sin()];
                even_cells(count, self.length(), at)
            }
            Self::Ellipse { center, semi_axes, rotation } => {
                let arc = EllipseArc::new(*semi_axes);
                let (sin, cos) = rotation.sin_cos();
                let at = |u: f64| {
                    let [x, y] = arc.point(u);
                    [center[0] + cos * x - sin * y, center[1] + sin * x + cos * y]
                };
                even_cells(count, arc.length(), at)
            }
            Self::Polygon { points } => {
                let lengths: Vec<f64> = edges(points).map(|(a, b)| distance(a, b)).collect();
                let counts = apportion(count, &lengths);
                edges(points).zip(counts).flat_map(|((a, b), cells)| straight_cells(a, b, cells)).collect()
            }
            Self::Strip { from, to } => straight_cells(*from, *to, count),
        }
    }
}

/// Shares `count` among `lengths` in proportion, at least one each: whole shares first, then one more to those that
/// lost most by it, so that the total is kept wherever there are enough to go round.
pub(crate) fn apportion(count: usize, lengths: &[f64]) -> Vec<usize> {
    let total: f64 = lengths.iter().sum();
    let exact = |i: usize| count as f64 * lengths[i] / total;
    let mut shares: Vec<usize> = (0..lengths.len()).map(|i| (exact(i) as usize).max(1)).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|&a, &b| (exact(b) - shares[b] as f64).total_cmp(&(exact(a) - shares[a] as f64)));
    let missing = count.saturating_sub(shares.iter().sum());
    for &i in order.iter().take(missing) {
        shares[i] += 1;
    }
    shares
}

/// Edges of a closed polygon.
fn edges(points: &[Point]) -> impl Iterator<Item = (Point, Point)> + '_ {
    points.iter().copied().zip(points.iter().copied().cycle().skip(1))
}

fn straight_cells(a: Point, b: Point, count: usize) -> Vec<Cell> {
    // Exact at both ends: neighbouring edges share their corner to the last bit.
    even_cells(count, distance(a, b), |u| [0, 1].map(|i| (1.0 - u) * a[i] + u * b[i]))
}

/// `count` cells of a contour of given length, where `at(u)` is the point at the share `u` of its length.
fn even_cells(count: usize, length: f64, at: impl Fn(f64) -> Point) -> Vec<Cell> {
    let step = 1.0 / count as f64;
    (0..count)
        .map(|i| {
            let u = i as f64;
            let end = if i + 1 == count { 1.0 } else { (u + 1.0) * step };
            Cell { start: at(u * step), middle: at((u + 0.5) * step), end: at(end), length: length * step }
        })
        .collect()
}

/// Panels in the arc-length table of an ellipse, and Gauss points in each: good to 1e-13 of the length for
/// axis ratios up to a thousand, since the panels are even in the angle, which is dense at the sharp ends.
const PANELS: usize = 2048;
const PANEL_POINTS: usize = 8;

/// Arc length of the ellipse (a cos t, b sin t), and its inverse.
struct EllipseArc {
    semi_axes: [f64; 2],
    rule: Rule,
    /// Arc length from t = 0 to the start of each panel, and to the end.
    table: Vec<f64>,
}

impl EllipseArc {
    fn new(semi_axes: [f64; 2]) -> Self {
        let mut arc = Self { semi_axes, rule: gauss_legendre(PANEL_POINTS), table: vec![0.0] };
        let mut total = 0.0;
        for i in 0..PANELS {
            total += arc.length_between(panel_start(i), panel_start(i + 1));
            arc.table.push(total);
        }
        arc
    }

    fn length(&self) -> f64 {
        self.table[PANELS]
    }

    fn speed(&self, t: f64) -> f64 {
        (self.semi_axes[0] * t.sin()).hypot(self.semi_axes[1] * t.cos())
    }

    fn length_between(&self, t0: f64, t1: f64) -> f64 {
        self.rule.integrate(t0, t1, |t| self.speed(t))
    }

    /// The point at the share `u` of the circumference: Newton's method on s(t) = u L inside its panel.
    fn point(&self, u: f64) -> Point {
        let s = u * self.length();
        let panel = self.table.partition_point(|&x| x <= s).clamp(1, PANELS) - 1;
        let (start, end) = (panel_start(panel), panel_start(panel + 1));
        let share = (s - self.table[panel]) / (self.table[panel + 1] - self.table[panel]);
        let mut t = start + share * (end - start);
        for _ in 0..4 {
            t += (s - self.table[panel] - self.length_between(start, t)) / self.speed(t);
            t = t.clamp(start, end);
        }
        [self.semi_axes[0] * t.cos(), self.semi_axes[1] * t.sin()]
    }
}

fn panel_start(i: usize) -> f64 {
    TAU * i as f64 / PANELS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ellipse(a: f64, b: f64) -> Shape {
        Shape::Ellipse { center: [0.0, 0.0], semi_axes: [a, b], rotation: 0.0 }
    }

    #[test]
    fn ellipse_circumference_matches_published_values() {
        // 4 a E(m), m = 1 - (b/a)²; E(0.75) = 1.2110560275684594 (Abramowitz and Stegun, table 17.1).
        assert!((ellipse(2.0, 1.0).length() - 8.0 * 1.211_056_027_568_459_4).abs() < 1e-12);
        assert!((ellipse(1.0, 1.0).length() - TAU).abs() < 1e-13);
    }

    #[test]
    fn ellipse_cells_have_equal_arc_length() {
        let cells = ellipse(3.0, 0.5).cells(5000);
        let chords: Vec<f64> = cells.iter().map(|c| distance(c.start, c.end)).collect();
        let mean = chords.iter().sum::<f64>() / chords.len() as f64;
        assert!(chords.iter().all(|c| (c / mean - 1.0).abs() < 1e-4));
        assert!(cells.windows(2).all(|w| w[0].end == w[1].start));
        let quarter = cells[1249].end;
        assert!(quarter[0].abs() < 1e-12 && (quarter[1] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn polygon_keeps_its_corners() {
        let square = Shape::Polygon { points: vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]] };
        let cells = square.cells(12);
        assert_eq!(cells.len(), 12);
        for corner in [[2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]] {
            assert!(cells.iter().any(|c| c.end == corner), "{corner:?}");
        }
        assert!((square.length() - 6.0).abs() < 1e-15);
    }

    #[test]
    fn a_polygon_gets_the_cells_it_is_given() {
        let triangle = Shape::Polygon { points: vec![[0.5, -0.3], [0.9, -0.3], [0.7, 0.4]] };
        for count in 3..100 {
            assert_eq!(triangle.cells(count).len(), count);
        }
        assert_eq!(apportion(2, &[1.0, 1.0, 1.0]), [1, 1, 1]);
        assert_eq!(apportion(10, &[1.0, 1e-9]), [9, 1]);
    }

    #[test]
    fn a_rotated_ellipse_is_the_ellipse_rotated() {
        let turned = Shape::Ellipse {
            center: [1.0, 2.0],
            semi_axes: [2.0, 1.0],
            rotation: std::f64::consts::FRAC_PI_2,
        };
        let first = turned.cells(8)[0].start;
        assert!(distance(first, [1.0, 4.0]) < 1e-14);
    }
}
