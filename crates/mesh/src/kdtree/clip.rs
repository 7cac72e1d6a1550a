//! The part of a triangle in a box.

use super::tree::Cell;

/// Vertices of a triangle clipped by six planes: each plane adds at most one.
const MAX_CORNERS: usize = 9;

/// The bounding box of a triangle clipped to `cell` enlarged by `margin`; `None` if nothing is
/// left.
pub(super) fn clipped(triangle: &[[f32; 3]; 3], cell: &Cell, margin: f32) -> Option<Cell> {
    let mut polygon = Polygon::new(triangle);
    for axis in 0..3 {
        // Double precision keeps the rounding of repeated clipping far below the margin.
        let (low, high) = (f64::from(cell.low[axis] - margin), f64::from(cell.high[axis] + margin));
        polygon = polygon.beyond(axis, low, 1.0).beyond(axis, high, -1.0);
    }
    polygon.bounds()
}

#[derive(Clone, Copy)]
struct Polygon {
    corners: [[f64; 3]; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    fn new(triangle: &[[f32; 3]; 3]) -> Self {
        let mut corners = [[0.0; 3]; MAX_CORNERS];
        for (corner, given) in corners.iter_mut().zip(triangle) {
            *corner = given.map(f64::from);
        }
        Self { corners, count: 3 }
    }

    /// The part with `side` (x − plane) ≥ 0 (Sutherland and Hodgman 1974).
    fn beyond(&self, axis: usize, plane: f64, side: f64) -> Self {
        let height = |corner: &[f64; 3]| side * (corner[axis] - plane);
        let corners = &self.corners[..self.count];
        // Most triangles of a node lie on one side of most of its planes.
        if corners.iter().all(|corner| height(corner) >= 0.0) {
            return *self;
        }
        let mut kept = Self { corners: [[0.0; 3]; MAX_CORNERS], count: 0 };
        for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            let (above_a, above_b) = (height(a), height(b));
            if above_a >= 0.0 {
                kept.push(*a);
            }
            if (above_a < 0.0) != (above_b < 0.0) {
                let part = above_a / (above_a - above_b);
                let mut point = [0, 1, 2].map(|i| a[i] + part * (b[i] - a[i]));
                // On the plane exactly, whatever the interpolation rounds to.
                point[axis] = plane;
                kept.push(point);
            }
        }
        kept
    }

    /// Rounding may make a polygon cross a plane more than twice; a surplus vertex coincides with
    /// one that is present.
    fn push(&mut self, corner: [f64; 3]) {
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    fn bounds(&self) -> Option<Cell> {
        let corners = self.corners[..self.count].iter().map(|corner| corner.map(|x| x as f32));
        let first = corners.clone().next()?;
        Some(corners.fold(Cell { low: first, high: first }, |cell, p| Cell {
            low: [0, 1, 2].map(|i| cell.low[i].min(p[i])),
            high: [0, 1, 2].map(|i| cell.high[i].max(p[i])),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_of_a_triangle_in_a_box() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 4.0]];
        let cell = Cell { low: [-1.0; 3], high: [1.0, 2.0, 1.0] };
        let part = clipped(&triangle, &cell, 0.0);
        // y = z on it, so that z ≤ 1 holds y there too.
        assert_eq!(part, Some(Cell { low: [0.0; 3], high: [1.0; 3] }));
        // A box beside the long edge x + y = 4, within the triangle's own box.
        let cell = Cell { low: [3.0, 3.0, 0.0], high: [4.0; 3] };
        assert_eq!(clipped(&triangle, &cell, 0.0), None);
        assert!(clipped(&triangle, &cell, 1.5).is_some());
    }
}
