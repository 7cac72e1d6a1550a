//! One analytic piece of an outline.

use crate::cubic;
use crate::naca::NacaSide;
use crate::point::{Point, add, distance, mix, norm, sub, times, turned};
use phasefront_core::quadrature::{Rule, gauss_legendre};
use std::f64::consts::TAU;

/// One analytic piece of an outline, with a parameter t in [0, 1] and a speed |r'(t)| that vanishes nowhere.
///
/// ```
/// use phasefront_mesh::Segment;
///
/// let quarter = Segment::Arc {
///     center: [0.0, 0.0],
///     semi_axes: [2.0, 2.0],
///     rotation: 0.0,
///     start: 0.0,
///     sweep: std::f64::consts::FRAC_PI_2,
/// };
/// assert_eq!(quarter.point(0.0), [2.0, 0.0]);
/// assert!((quarter.length() - std::f64::consts::PI).abs() < 1e-15);
/// assert!(quarter.derivative(1.0)[0] < 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// A straight line.
    Line {
        /// Where it begins.
        from: Point,
        /// Where it ends.
        to: Point,
    },
    /// Part of an ellipse, or all of it: center + R(rotation) (a cos θ, b sin θ), θ from start to start + sweep.
    Arc {
        /// Center of the ellipse.
        center: Point,
        /// a and b.
        semi_axes: [f64; 2],
        /// Angle from +x to the axis a, in radians.
        rotation: f64,
        /// θ at t = 0, in radians.
        start: f64,
        /// Signed change of θ, in radians; positive is counterclockwise.
        sweep: f64,
    },
    /// A cubic Bezier curve. Curves from elsewhere pass through [`Segment::from_cubic`], which removes points where
    /// the speed vanishes. With the first two or the last two points equal, where B(u) leaves its end like u², the
    /// parameter is u² there instead of u, so that the speed does not vanish; the curvature of such a curve is
    /// infinite at that end, and [`crate::Outline`] counts it as a corner.
    Cubic {
        /// Control points.
        points: [Point; 4],
    },
    /// One side of a NACA four-digit airfoil, or a part of it.
    Naca(NacaSide),
}

/// Gauss points of the adaptive quadrature of lengths and areas, which bisects until halves and
/// whole agree.
const LENGTH_POINTS: usize = 16;
/// Relative error of lengths and areas by quadrature.
const LENGTH_ERROR: f64 = 1e-13;
/// Limit of bisections: 2^-40 of the parameter of a regular segment has no length that matters in
/// sixteen digits.
const MAX_HALVINGS: usize = 40;
/// Limit of intervals, a hundred times what the most slender segments need: where rounding exceeds the tolerance, bisection
/// everywhere would not end.
const MAX_INTERVALS: usize = 20_000;

impl Segment {
    /// The point at `t`.
    pub fn point(&self, t: f64) -> Point {
        match self {
            Self::Line { from, to } => mix(*from, *to, t),
            Self::Arc { center, semi_axes: [a, b], rotation, start, sweep } => {
                let (sin, cos) = arc_angle(*start, *sweep, t).sin_cos();
                add(*center, turned([a * cos, b * sin], *rotation))
            }
            Self::Cubic { points } => cubic::point(points, t),
            Self::Naca(side) => side.point(t),
        }
    }

    /// dr/dt at `t`.
    pub fn derivative(&self, t: f64) -> Point {
        match self {
            Self::Line { from, to } => sub(*to, *from),
            Self::Arc { semi_axes: [a, b], rotation, start, sweep, .. } => {
                let (sin, cos) = arc_angle(*start, *sweep, t).sin_cos();
                times(*sweep, turned([-a * sin, b * cos], *rotation))
            }
            Self::Cubic { points } => cubic::derivative(points, t),
            Self::Naca(side) => side.derivative(t),
        }
    }

    /// The point at t = 0.
    pub fn start(&self) -> Point {
        self.point(0.0)
    }

    /// The point at t = 1.
    pub fn end(&self) -> Point {
        self.point(1.0)
    }

    /// Length along the segment, to about thirteen digits.
    pub fn length(&self) -> f64 {
        match self {
            Self::Line { from, to } => distance(*from, *to),
            Self::Arc { semi_axes: [a, b], sweep, .. } if a == b => (a * sweep).abs(),
            // In the Bezier parameter u the speed is smooth up to the ends, blunt or not.
            Self::Cubic { points } => integrate(|u| norm(cubic::bezier_derivative(points, u))),
            _ => integrate(|t| norm(self.derivative(t))),
        }
    }

    /// The same piece the other way round.
    #[must_use]
    pub fn reversed(&self) -> Self {
        match *self {
            Self::Line { from, to } => Self::Line { from: to, to: from },
            Self::Arc { center, semi_axes, rotation, start, sweep } => {
                Self::Arc { center, semi_axes, rotation, start: start + sweep, sweep: -sweep }
            }
            Self::Cubic { points: [a, b, c, d] } => Self::Cubic { points: [d, c, b, a] },
            Self::Naca(side) => Self::Naca(side.reversed()),
        }
    }

    /// Every point p becomes position + scale R(rotation) p.
    #[must_use]
    pub fn moved(&self, position: Point, rotation: f64, scale: f64) -> Self {
        let map = |p: Point| add(position, times(scale, turned(p, rotation)));
        match *self {
            Self::Line { from, to } => Self::Line { from: map(from), to: map(to) },
            Self::Arc { center, semi_axes, rotation: old, start, sweep } => Self::Arc {
                center: map(center),
                semi_axes: times(scale, semi_axes),
                rotation: old + rotation,
                start,
                sweep,
            },
            Self::Cubic { points } => Self::Cubic { points: points.map(map) },
            Self::Naca(side) => Self::Naca(NacaSide {
                nose: map(side.nose),
                rotation: side.rotation + rotation,
                chord: side.chord * scale,
                ..side
            }),
        }
    }

    /// ½ ∫ (x dy - y dx): the contribution of the segment to the area of an outline, by Green's
    /// theorem.
    pub(crate) fn area(&self) -> f64 {
        let cross = |r: Point, d: Point| 0.5 * (r[0] * d[1] - r[1] * d[0]);
        match self {
            Self::Line { from, to } => cross(*from, *to),
            Self::Arc { center, semi_axes: [a, b], sweep, .. } => {
                // The offset of the center adds ½ c × (r₁ − r₀); the sector of the ellipse itself
                // has ½ ab Δθ, which rotation leaves unchanged.
                cross(*center, sub(self.end(), self.start())) + 0.5 * a * b * sweep
            }
            // Degree 5 in u: exact.
            Self::Cubic { points } => gauss_legendre(3).integrate(0.0, 1.0, |u| {
                cross(cubic::bezier_point(points, u), cubic::bezier_derivative(points, u))
            }),
            Self::Naca(side) => integrate(|t| cross(side.point(t), side.derivative(t))),
        }
    }

    /// Whether the tangent is not smooth in t at the end `t` (0 or 1), where the curvature is infinite.
    pub(crate) fn is_blunt(&self, t: f64) -> bool {
        match self {
            Self::Cubic { points: [a, b, ..] } if t == 0.0 => a == b,
            Self::Cubic { points: [.., c, d] } => c == d,
            _ => false,
        }
    }

    /// Puts the end `t` (0 or 1) on `to`, where the segment is given by its ends; arcs and airfoils are not.
    pub(crate) fn set_end(&mut self, t: f64, to: Point) -> bool {
        match self {
            Self::Line { from, to: end } => *(if t == 0.0 { from } else { end }) = to,
            Self::Cubic { points } => {
                let [end, handle] = if t == 0.0 { [0, 1] } else { [3, 2] };
                // A handle moves with its end point, which preserves the tangent; equal points stay
                // equal.
                let shift = sub(to, points[end]);
                points[handle] = if points[handle] == points[end] { to } else { add(points[handle], shift) };
                points[end] = to;
            }
            Self::Arc { .. } | Self::Naca(_) => return false,
        }
        true
    }

    /// The numbers it is made of.
    pub(crate) fn is_finite(&self) -> bool {
        let all = |values: &[f64]| values.iter().all(|v| v.is_finite());
        match self {
            Self::Line { from, to } => all(from) && all(to),
            Self::Arc { center, semi_axes, rotation, start, sweep } => {
                all(center) && all(semi_axes) && all(&[*rotation, *start, *sweep])
            }
            Self::Cubic { points } => all(points.as_flattened()),
            Self::Naca(side) => side.is_finite(),
        }
    }
}

/// θ at `t`; a full turn ends on the bit where it began.
fn arc_angle(start: f64, sweep: f64, t: f64) -> f64 {
    if t == 1.0 && sweep.abs() == TAU { start } else { start + sweep * t }
}

/// ∫₀¹ f, by halving until halves and whole agree.
fn integrate(f: impl Fn(f64) -> f64) -> f64 {
    let rule = gauss_legendre(LENGTH_POINTS);
    let whole = rule.integrate(0.0, 1.0, &f);
    if !whole.is_finite() {
        return whole;
    }
    // The tolerance is relative to ∫|f|: an area integral may cancel to zero.
    let size = rule.integrate(0.0, 1.0, |t| f(t).abs());
    let mut budget = MAX_INTERVALS;
    refine(&rule, &f, [0.0, 1.0], whole, LENGTH_ERROR * size, MAX_HALVINGS, &mut budget)
}

fn refine(
    rule: &Rule,
    f: &impl Fn(f64) -> f64,
    [a, b]: [f64; 2],
    whole: f64,
    tolerance: f64,
    halvings: usize,
    budget: &mut usize,
) -> f64 {
    let middle = 0.5 * (a + b);
    let halves = [[a, middle], [middle, b]];
    let parts = halves.map(|[a, b]| rule.integrate(a, b, f));
    let sum = parts[0] + parts[1];
    // A sum that is not finite never converges.
    *budget = budget.saturating_sub(1);
    if halvings == 0 || *budget == 0 || (sum - whole).abs() <= tolerance || !sum.is_finite() {
        return sum;
    }
    (0..2).map(|i| refine(rule, f, halves[i], parts[i], tolerance, halvings - 1, budget)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naca4;

    fn every_kind() -> Vec<Segment> {
        let mut all = vec![
            Segment::Line { from: [1.0, 2.0], to: [-3.0, 0.5] },
            Segment::Arc {
                center: [0.3, -0.2],
                semi_axes: [2.0, 0.7],
                rotation: 0.4,
                start: 1.0,
                sweep: -2.5,
            },
            Segment::Cubic { points: [[0.0, 0.0], [1.0, 2.0], [3.0, -1.0], [4.0, 0.5]] },
            Segment::Cubic { points: [[0.0, 0.0], [0.0, 0.0], [3.0, -1.0], [4.0, 0.5]] },
            Segment::Cubic { points: [[0.0, 0.0], [1.0, 2.0], [4.0, 0.5], [4.0, 0.5]] },
        ];
        all.extend(naca4("2412", 1.5).unwrap().segments);
        all.extend(naca4("0006", 1.0).unwrap().moved([3.0, 1.0], 0.7, 2.0).segments);
        all.extend(all.clone().iter().map(Segment::reversed));
        all
    }

    #[test]
    fn derivative_is_the_slope_of_point() {
        for segment in every_kind() {
            for i in 1..20 {
                let (t, h) = (f64::from(i) / 20.0, 1e-3);
                // Sixth-order central difference (Fornberg 1988, table 1).
                let term =
                    |n: f64, c: f64| times(c / h, sub(segment.point(t + n * h), segment.point(t - n * h)));
                let slope = add(add(term(1.0, 0.75), term(2.0, -0.15)), term(3.0, 1.0 / 60.0));
                let error = distance(slope, segment.derivative(t));
                assert!(error < 1e-10 * segment.length(), "{segment:?} t={t} {error}");
            }
        }
    }

    #[test]
    fn speed_vanishes_nowhere_and_ends_are_met() {
        for segment in every_kind() {
            let length = segment.length();
            let slowest =
                (0..=1000).map(|i| norm(segment.derivative(f64::from(i) / 1e3))).fold(f64::MAX, f64::min);
            assert!(slowest > 0.01 * length, "{segment:?} {slowest}");
            let back = segment.reversed();
            assert!(distance(back.start(), segment.end()) < 1e-15 * length.max(10.0));
            for t in [0.0, 0.3, 1.0] {
                assert!(distance(back.point(1.0 - t), segment.point(t)) < 1e-14 * length.max(10.0));
            }
            assert!((back.length() - length).abs() < 1e-13 * length);
        }
    }

    #[test]
    fn lengths_match_closed_forms() {
        let ellipse = |a, b| Segment::Arc {
            center: [5.0, 5.0],
            semi_axes: [a, b],
            rotation: 1.0,
            start: 0.2,
            sweep: TAU,
        };
        // 4 a E(m), m = 1 - (b/a)²; E(0.75) = 1.2110560275684594 (Abramowitz and Stegun, table 17.1).
        assert!((ellipse(2.0, 1.0).length() - 8.0 * 1.211_056_027_568_459_4).abs() < 1e-12);
        // A needle: 4 a (1 + (b/a)²/2 (ln(4a/b) - 1/2)) up to (b/a)⁴ (Abramowitz and Stegun 17.3.33, 17.3.36).
        let b: f64 = 1e-4;
        let needle = 4.0 * (1.0 + b * b / 2.0 * ((4.0 / b).ln() - 0.5));
        assert!((ellipse(1.0, b).length() - needle).abs() < 1e-12);
        assert!(ellipse(1.0, 1.0).start() == ellipse(1.0, 1.0).end());
        // The parabola y = x² from 0 to 1: √5/2 + asinh(2)/4.
        let third = 1.0 / 3.0;
        let parabola =
            Segment::Cubic { points: [[0.0, 0.0], [third, 0.0], [2.0 * third, third], [1.0, 1.0]] };
        assert!((parabola.length() - (5.0_f64.sqrt() / 2.0 + 2.0_f64.asinh() / 4.0)).abs() < 1e-13);
        // The semicubical parabola y² = x³ from 0 to x = 1, which begins in a cusp: (13√13 - 8)/27.
        let cusp = Segment::Cubic { points: [[0.0, 0.0], [0.0, 0.0], [third, 0.0], [1.0, 1.0]] };
        assert!((cusp.length() - (13.0 * 13.0_f64.sqrt() - 8.0) / 27.0).abs() < 1e-13);
    }
}
