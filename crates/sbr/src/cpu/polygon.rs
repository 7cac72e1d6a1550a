//! Convex polygons in the aperture plane, clipped by straight lines (I. E. Sutherland, G. W. Hodgman, Comm. ACM 17, 32, 1974).

use crate::layout::{MAX_CORNERS, SAMPLE_U, SAMPLE_V};
use glam::DVec2;

/// A convex polygon, corners counterclockwise.
#[derive(Clone, Copy)]
pub(super) struct Polygon {
    corners: [DVec2; MAX_CORNERS],
    count: usize,
}

/// An affine function over the aperture plane. Its zero line bounds a half-plane, within a tolerance.
#[derive(Clone, Copy, Default)]
pub(super) struct Affine {
    pub slope: DVec2,
    pub offset: f64,
    pub tolerance: f64,
}

impl Affine {
    /// Signed distance to the left of the line from a to b, times |b − a|, which saves a square root.
    pub fn left_of(a: DVec2, b: DVec2, tolerance: f64) -> Self {
        let slope = (b - a).perp();
        // The value is a distance times |b − a|, and so is its tolerance. |x| + |y| bounds the
        // length within a factor √2.
        Self { slope, offset: -slope.dot(a), tolerance: tolerance * (slope.x.abs() + slope.y.abs()) }
    }

    pub fn at(&self, position: DVec2) -> f64 {
        self.slope.dot(position) + self.offset
    }

    pub fn minus(&self, other: &Self) -> Self {
        // The tolerance of the first: depths all have that of a distance.
        Self { slope: self.slope - other.slope, offset: self.offset - other.offset, ..*self }
    }
}

impl Polygon {
    /// A triangle with corners in either order.
    pub fn triangle([a, b, c]: [DVec2; 3]) -> Self {
        let mut polygon = Self { corners: [DVec2::ZERO; MAX_CORNERS], count: 3 };
        // Mirror images reverse the orientation.
        let corners = if (b - a).perp_dot(c - a) < 0.0 { [a, c, b] } else { [a, b, c] };
        polygon.corners[..3].copy_from_slice(&corners);
        polygon
    }

    pub fn corners(&self) -> &[DVec2] {
        &self.corners[..self.count]
    }

    /// Affine functions that are positive inside each side.
    pub fn sides(&self, tolerance: f64) -> impl Iterator<Item = Affine> {
        let next = |i: usize| if i + 1 == self.count { 0 } else { i + 1 };
        (0..self.count).map(move |i| Affine::left_of(self.corners[i], self.corners[next(i)], tolerance))
    }

    pub fn area(&self) -> f64 {
        // Relative to the first corner: the products cancel less than with absolute coordinates.
        let first = self.corners[0];
        let fan = self.corners[1..self.count].windows(2);
        0.5 * fan.map(|pair| (pair[0] - first).perp_dot(pair[1] - first)).sum::<f64>()
    }

    /// Mean of the corners.
    pub fn center(&self) -> DVec2 {
        self.corners().iter().sum::<DVec2>() / self.count as f64
    }

    /// Position of the i-th of `count` samples that fill it evenly; the center for a single one.
    pub fn sample(&self, i: usize, count: usize) -> DVec2 {
        if count == 1 {
            return self.center();
        }
        let [u, v] = [SAMPLE_U, SAMPLE_V].map(|step| (step * (i + 1) as f64).fract());
        // The triangle of the fan in which the share u of the area is reached, then a position within it.
        let fan = |m: usize| [self.corners[0], self.corners[m], self.corners[m + 1]];
        let area = |[a, b, c]: [DVec2; 3]| 0.5 * (b - a).perp_dot(c - a);
        let mut left = u * self.area();
        let mut m = 1;
        while m + 2 < self.count && left.abs() > area(fan(m)).abs() {
            left -= area(fan(m));
            m += 1;
        }
        let [a, b, c] = fan(m);
        // Areas grow as the square of the distance from the first corner.
        let part = (left / area([a, b, c])).clamp(0.0, 1.0).sqrt();
        a + part * (b - a + v * (c - b))
    }

    /// The bounding box.
    pub fn bounds(&self) -> [DVec2; 2] {
        let corners = || self.corners().iter().copied();
        [corners().fold(DVec2::INFINITY, DVec2::min), corners().fold(DVec2::NEG_INFINITY, DVec2::max)]
    }

    /// The smallest and the largest value over the polygon.
    pub fn range(&self, value: &Affine) -> [f64; 2] {
        // An affine function has its extrema over a convex polygon at corners.
        let values = self.corners().iter().map(|&corner| value.at(corner));
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    }

    /// The parts where a value is positive and negative; either may have no area. Corners where it is zero within its tolerance
    /// belong to both parts. The polygon must have room for one more corner.
    pub fn split(&self, value: &Affine) -> [Self; 2] {
        let tolerance = value.tolerance;
        let mut parts = [Self { count: 0, ..*self }; 2];
        let mut add = |part: usize, position: DVec2| {
            let part = &mut parts[part];
            // Rounding can make a polygon slightly concave, with more crossings; they are within the tolerance and dropped.
            if let Some(corner) = part.corners.get_mut(part.count) {
                *corner = position;
                part.count += 1;
            }
        };
        let mut from = self.corners[self.count - 1];
        let mut before = value.at(from);
        for &to in self.corners() {
            let after = value.at(to);
            // Both ends must be outside the tolerance, on opposite sides: slivers thinner than
            // rounding are not made.
            if before.min(after) < -tolerance && before.max(after) > tolerance {
                let crossing = from + (to - from) * (before / (before - after));
                add(0, crossing);
                add(1, crossing);
            }
            if after >= -tolerance {
                add(0, to);
            }
            if after <= tolerance {
                add(1, to);
            }
            (from, before) = (to, after);
        }
        parts
    }

    /// Whether it has at least three corners.
    pub fn has_area(&self) -> bool {
        self.count > 2
    }

    /// Both sides of a diagonal if one more clip might exceed `MAX_CORNERS`.
    pub fn halves_if_full(&self) -> Option<[Self; 2]> {
        if self.count < MAX_CORNERS {
            return None;
        }
        // A half of n corners has n/2 + 1, the diagonal included: room for three clips again.
        let half = self.count / 2;
        let mut parts = [*self; 2];
        parts[0].count = half + 1;
        parts[1].corners.copy_within(half.., 0);
        parts[1].corners[half] = self.corners[0];
        parts[1].count = half + 1;
        Some(parts)
    }

    /// The same, or the whole.
    pub fn split_if_full(self) -> impl Iterator<Item = Self> {
        let halves = self.halves_if_full();
        let whole = halves.is_none().then_some(self);
        whole.into_iter().chain(halves.into_iter().flatten())
    }

    /// Bisects across the longer side of the bounding box.
    pub fn halves(self) -> impl Iterator<Item = Self> {
        let [low, high] = self.bounds();
        let size = high - low;
        let slope = if size.x > size.y { DVec2::X } else { DVec2::Y };
        let middle = Affine { slope, offset: -0.5 * slope.dot(low + high), tolerance: 0.0 };
        self.split_if_full().flat_map(move |part| part.split(&middle)).filter(Self::has_area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Polygon {
        let mut square = Polygon::triangle([DVec2::ZERO, DVec2::X, DVec2::ONE]);
        square.corners[3] = DVec2::Y;
        square.count = 4;
        square
    }

    #[test]
    fn the_parts_of_a_split_have_the_area_of_the_whole() {
        let mut parts = vec![square()];
        // Tangents of a circle leave ever more corners.
        for i in 0..24 {
            let (sin, cos) = (0.26 * f64::from(i)).sin_cos();
            let (slope, offset) = (DVec2::new(cos, sin), 0.45 - 0.5 * (cos + sin));
            let value = Affine { slope, offset, tolerance: 1e-12 };
            parts = parts
                .into_iter()
                .flat_map(Polygon::split_if_full)
                .flat_map(|part| part.split(&value))
                .collect();
            parts.retain(Polygon::has_area);
        }
        let inner = parts.iter().filter(|part| (part.center() - DVec2::splat(0.5)).length() < 0.44);
        let circle = std::f64::consts::PI * 0.45 * 0.45;
        assert!((inner.map(Polygon::area).sum::<f64>() / circle - 1.0).abs() < 0.01);
        assert!((parts.iter().map(Polygon::area).sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(
            (parts.into_iter().flat_map(Polygon::halves).map(|half| half.area()).sum::<f64>() - 1.0).abs()
                < 1e-14
        );
    }
}
