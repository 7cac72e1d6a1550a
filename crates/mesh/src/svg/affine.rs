//! Affine maps of points and arcs.

use crate::point::Point;
use crate::segment::Segment;
use svgtypes::TransformListToken as Token;

/// (x, y) becomes (a x + c y + e, b x + d y + f): the order of SVG's `matrix(a b c d e f)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Affine {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Affine {
    /// Mirrors y: SVG's axis points down, ours up.
    pub const FLIP: Self = Self { a: 1.0, b: 0.0, c: 0.0, d: -1.0, e: 0.0, f: 0.0 };

    /// One step of a `transform` attribute.
    pub fn from_token(token: Token) -> Self {
        let linear = |a, b, c, d| Self { a, b, c, d, e: 0.0, f: 0.0 };
        match token {
            Token::Matrix { a, b, c, d, e, f } => Self { a, b, c, d, e, f },
            Token::Translate { tx, ty } => Self { e: tx, f: ty, ..linear(1.0, 0.0, 0.0, 1.0) },
            Token::Scale { sx, sy } => linear(sx, 0.0, 0.0, sy),
            Token::Rotate { angle } => {
                let (sin, cos) = angle.to_radians().sin_cos();
                linear(cos, sin, -sin, cos)
            }
            Token::SkewX { angle } => linear(1.0, 0.0, angle.to_radians().tan(), 1.0),
            Token::SkewY { angle } => linear(1.0, angle.to_radians().tan(), 0.0, 1.0),
        }
    }

    /// First `inner`, then this.
    pub fn after(&self, inner: &Self) -> Self {
        let [a, b] = self.direction([inner.a, inner.b]);
        let [c, d] = self.direction([inner.c, inner.d]);
        let [e, f] = self.point([inner.e, inner.f]);
        Self { a, b, c, d, e, f }
    }

    pub fn point(&self, [x, y]: Point) -> Point {
        [self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f]
    }

    fn direction(&self, [x, y]: Point) -> Point {
        [self.a * x + self.c * y, self.b * x + self.d * y]
    }

    /// The image of an arc of an ellipse, which is one too.
    ///
    /// With M the linear part times R(rotation) diag(semi_axes), and its singular values M = R(φ) diag(p, q) R(ψ), the
    /// point M (cos θ, sin θ) is R(φ) (p cos(θ+ψ), q sin(θ+ψ)); q is negative if M mirrors, and then the angle runs
    /// the other way.
    pub fn arc(&self, center: Point, semi_axes: [f64; 2], rotation: f64, start: f64, sweep: f64) -> Segment {
        let (sin, cos) = rotation.sin_cos();
        let [m11, m21] = self.direction([semi_axes[0] * cos, semi_axes[0] * sin]);
        let [m12, m22] = self.direction([-semi_axes[1] * sin, semi_axes[1] * cos]);
        // M is the sum of a scaled rotation and a scaled reflection; p and q are the sum and the
        // difference of their factors.
        let turn = [0.5 * (m11 + m22), 0.5 * (m21 - m12)];
        let mirror = [0.5 * (m11 - m22), 0.5 * (m21 + m12)];
        let p = turn[0].hypot(turn[1]) + mirror[0].hypot(mirror[1]);
        // q = det M/p rather than the difference, which cancels for slender ellipses.
        let q = (m11 * m22 - m12 * m21) / p;
        let (sum, difference) = (turn[1].atan2(turn[0]), mirror[1].atan2(mirror[0]));
        let (phi, psi) = (0.5 * (sum + difference), 0.5 * (sum - difference));
        let sign = if q < 0.0 { -1.0 } else { 1.0 };
        Segment::Arc {
            center: self.point(center),
            semi_axes: [p, q.abs()],
            rotation: phi,
            start: sign * (start + psi),
            sweep: sign * sweep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::distance;

    #[test]
    fn an_arc_is_mapped_as_its_points_are() {
        let arc = |center, semi_axes, rotation, start, sweep| Segment::Arc {
            center,
            semi_axes,
            rotation,
            start,
            sweep,
        };
        let maps = [
            Token::Matrix { a: 1.3, b: 0.4, c: -0.7, d: 0.9, e: 3.0, f: -2.0 },
            Token::Matrix { a: 1.3, b: 0.4, c: 2.7, d: 0.1, e: 3.0, f: -2.0 },
            Token::SkewX { angle: 60.0 },
            Token::Scale { sx: -1.0, sy: 1.0 },
            Token::Scale { sx: 5.0, sy: 1e-3 },
            Token::Rotate { angle: 37.0 },
        ];
        for token in maps {
            let map = Affine::FLIP.after(&Affine::from_token(token));
            for (center, axes, rotation, start, sweep) in
                [([0.0, 0.0], [1.0, 1.0], 0.0, 0.0, 6.0), ([1.0, 2.0], [3.0, 0.2], 0.8, -1.0, -2.0)]
            {
                let (before, after) = (
                    arc(center, axes, rotation, start, sweep),
                    map.arc(center, axes, rotation, start, sweep),
                );
                for i in 0..=10 {
                    let t = f64::from(i) / 10.0;
                    assert!(distance(after.point(t), map.point(before.point(t))) < 2e-14, "{token:?} {t}");
                }
            }
        }
    }

    #[test]
    fn maps_apply_from_the_inside_out() {
        let shift = Affine::from_token(Token::Translate { tx: 1.0, ty: 0.0 });
        let grow = Affine::from_token(Token::Scale { sx: 2.0, sy: 3.0 });
        assert_eq!(shift.after(&grow).point([1.0, 1.0]), [3.0, 3.0]);
        assert_eq!(grow.after(&shift).point([1.0, 1.0]), [4.0, 3.0]);
    }
}
