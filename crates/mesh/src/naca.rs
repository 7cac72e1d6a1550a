//! The sides of NACA four-digit airfoils.
//!
//! Jacobs, Ward and Pinkerton, NACA Report 460 (1933): with x along the chord, thickness t and camber m at p,
//!
//! y_t = 5t (0.2969 √x - 0.1260 x - 0.3516 x² + 0.2843 x³ - 0.1036 x⁴),
//! y_c = m/p² (2px - x²) before p, m/(1-p)² (1 - 2p + 2px - x²) behind it,
//! upper and lower side (x ∓ y_t sin θ, y_c ± y_t cos θ), tan θ = dy_c/dx.
//!
//! The report has -0.1015 for the last coefficient, which leaves the trailing edge 1 % of the thickness open on
//! either side; -0.1036, in common use, closes it. In s = √x all of this is analytic up to the nose.

use crate::point::{Point, add, times, turned};

/// A part of one side of a NACA four-digit airfoil, between two values of s = √(x/chord).
///
/// ```
/// use phasefront_mesh::{NacaSide, Segment};
/// let upper = NacaSide {
///     thickness: 0.12,
///     camber: 0.0,
///     camber_position: 0.0,
///     upper: true,
///     span: [0.0, 1.0],
///     nose: [0.0, 0.0],
///     rotation: 0.0,
///     chord: 1.0,
/// };
/// assert_eq!(Segment::Naca(upper).end(), [1.0, 0.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NacaSide {
    /// Maximum thickness, in chords.
    pub thickness: f64,
    /// Maximum camber, in chords.
    pub camber: f64,
    /// Chordwise position of the maximum camber, from the leading edge; ignored without camber.
    pub camber_position: f64,
    /// Upper side or lower side.
    pub upper: bool,
    /// √(x/chord) at t = 0 and at t = 1, both on the same side of the maximum camber.
    pub span: [f64; 2],
    /// Position of the leading edge.
    pub nose: Point,
    /// Angle from +x to the chord, in radians.
    pub rotation: f64,
    /// Length of the chord.
    pub chord: f64,
}

impl NacaSide {
    pub(crate) fn point(&self, t: f64) -> Point {
        let (local, _) = self.local(t);
        add(self.nose, times(self.chord, turned(local, self.rotation)))
    }

    pub(crate) fn derivative(&self, t: f64) -> Point {
        let (_, slope) = self.local(t);
        times(self.chord * (self.span[1] - self.span[0]), turned(slope, self.rotation))
    }

    pub(crate) fn reversed(&self) -> Self {
        Self { span: [self.span[1], self.span[0]], ..*self }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let numbers = [self.thickness, self.camber, self.camber_position, self.rotation, self.chord];
        numbers.iter().chain(&self.nose).chain(&self.span).all(|v| v.is_finite())
    }

    /// The point at t and its derivative by s, for the chord from (0, 0) to (1, 0).
    fn local(&self, t: f64) -> (Point, Point) {
        let [from, to] = self.span;
        // Linear in s = √x, in which the blunt nose is analytic; written so that both ends are
        // exact.
        let s = (1.0 - t) * from + t * to;
        let x = s * s;
        let sign = if self.upper { 1.0 } else { -1.0 };
        let (y, dy) = self.half_thickness(s);
        let (y, dy) = (sign * y, sign * dy);
        let [height, slope, bend] = self.camber_line(x);
        // tan θ = slope; dθ/ds = bend/(1 + slope²) dx/ds.
        let cos = 1.0 / slope.hypot(1.0);
        let sin = slope * cos;
        let dx = 2.0 * s;
        let turn = bend * cos * cos * dx;
        let point = [x - y * sin, height + y * cos];
        // d/ds of (x − y sin θ, y_c + y cos θ), with y signed by the side.
        let derivative = [dx - dy * sin - y * cos * turn, slope * dx + dy * cos - y * sin * turn];
        (point, derivative)
    }

    /// y_t and dy_t/ds. The coefficients sum to zero, so that s⁸ can be subtracted from each power:
    /// the same polynomial, and exactly zero at the trailing edge.
    fn half_thickness(&self, s: f64) -> (f64, f64) {
        let terms = [(1, 0.2969), (2, -0.1260), (4, -0.3516), (6, 0.2843)];
        let value: f64 = terms.iter().map(|&(n, c)| c * (s.powi(n) - s.powi(8))).sum();
        let slope: f64 =
            terms.iter().map(|&(n, c)| c * (f64::from(n) * s.powi(n - 1) - 8.0 * s.powi(7))).sum();
        (5.0 * self.thickness * value, 5.0 * self.thickness * slope)
    }

    /// y_c and its first two derivatives by x.
    fn camber_line(&self, x: f64) -> [f64; 3] {
        let (m, p) = (self.camber, self.camber_position);
        if m == 0.0 {
            return [0.0; 3];
        }
        // The span lies on one side of p; its middle selects the branch without a tie at p itself.
        let middle = 0.5 * (self.span[0] + self.span[1]);
        let (factor, height) = if middle * middle < p {
            (m / (p * p), x * (2.0 * p - x))
        } else {
            (m / ((1.0 - p) * (1.0 - p)), (1.0 - x) * (1.0 + x - 2.0 * p))
        };
        [factor * height, factor * 2.0 * (p - x), -2.0 * factor]
    }
}
