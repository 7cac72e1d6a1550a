//! Rasterization of triangles with a depth buffer.

/// Index of the background.
pub const NOTHING: u32 = u32::MAX;

/// The visible triangle at each sample, and its depth.
#[derive(Debug)]
pub struct Raster {
    pub width: usize,
    pub height: usize,
    /// Number of the triangle, row by row from the top.
    pub seen: Vec<u32>,
    /// Its nearness; the larger is in front.
    pub nearness: Vec<f32>,
}

/// A corner: samples to the right, samples down, nearness.
pub type Corner = [f64; 3];

impl Raster {
    pub fn new(width: usize, height: usize) -> Self {
        let count = width * height;
        Self { width, height, seen: vec![NOTHING; count], nearness: vec![f32::NEG_INFINITY; count] }
    }

    /// Rasterizes a triangle with a depth test. Samples lie at the centers of their cells; samples
    /// on an edge are covered.
    pub fn triangle(&mut self, [a, b, c]: [Corner; 3], number: u32) {
        let twice_area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        // Seen edge-on: covers no sample, and the slopes would be infinite.
        if twice_area == 0.0 {
            return;
        }
        // Nearness is linear over the triangle: its slopes along both axes by Cramer's rule.
        let slope = |p: usize, sign: f64| {
            sign * ((b[2] - a[2]) * (c[p] - a[p]) - (c[2] - a[2]) * (b[p] - a[p])) / twice_area
        };
        let (dx, dy) = (slope(1, 1.0), slope(0, -1.0));
        let (top, bottom) = (a[1].min(b[1]).min(c[1]), a[1].max(b[1]).max(c[1]));
        for row in first(top)..=last(bottom, self.height) {
            let y = row as f64 + 0.5;
            let Some((left, right)) = span([a, b, c], y) else { continue };
            for column in first(left)..=last(right, self.width) {
                let x = column as f64 + 0.5;
                let near = (a[2] + dx * (x - a[0]) + dy * (y - a[1])) as f32;
                let sample = row as usize * self.width + column as usize;
                if near > self.nearness[sample] {
                    (self.nearness[sample], self.seen[sample]) = (near, number);
                }
            }
        }
    }
}

/// The first sample at or after a position, and the last one at or before it; signed, so that the
/// range may be empty.
fn first(coordinate: f64) -> i64 {
    ((coordinate - 0.5).ceil() as i64).max(0)
}

fn last(coordinate: f64, count: usize) -> i64 {
    ((coordinate - 0.5).floor() as i64).min(count as i64 - 1)
}

/// The interval in which a row crosses a triangle.
fn span(corners: [Corner; 3], y: f64) -> Option<(f64, f64)> {
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        // Half-open comparison: a vertex exactly on the row counts once.
        if (a[1] <= y) != (b[1] <= y) {
            let x = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            (left, right) = (left.min(x), right.max(x));
        }
    }
    (left <= right).then_some((left, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_triangle_is_seen() {
        let square = |near: [f64; 4]| {
            let corner = |x: f64, y: f64, i: usize| [x, y, near[i]];
            let corners =
                [corner(0.0, 0.0, 0), corner(8.0, 0.0, 1), corner(8.0, 8.0, 2), corner(0.0, 8.0, 3)];
            [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
        };
        let mut raster = Raster::new(8, 8);
        // One rises to the right from 0 to 8, the other is level at 3: it is in front for x < 3.
        for (number, near) in [(0, [0.0, 8.0, 8.0, 0.0]), (1, [3.0; 4])] {
            for triangle in square(near) {
                raster.triangle(triangle, number);
            }
        }
        for (i, seen) in raster.seen.iter().enumerate() {
            assert_eq!(*seen, u32::from(i % 8 < 3), "{i}");
        }
    }

    #[test]
    fn triangles_may_leave_the_raster_or_have_no_area() {
        let mut raster = Raster::new(4, 4);
        raster.triangle([[-1e6, -1e6, 0.0], [1e6, -1e6, 0.0], [0.0, 1e6, 0.0]], 0);
        assert!(raster.seen.iter().all(|seen| *seen == 0));
        raster.triangle([[1.0, 1.0, 9.0]; 3], 1);
        raster.triangle([[9.0, 9.0, 9.0], [12.0, 9.0, 9.0], [9.0, 12.0, 9.0]], 1);
        assert!(raster.seen.iter().all(|seen| *seen == 0));
    }

    #[test]
    fn neighbors_leave_no_gap() {
        let mut raster = Raster::new(16, 16);
        let corner = |i: u32| [f64::from(i % 5) * 4.0, f64::from(i / 5) * 4.0, 0.0];
        for cell in (0..20).filter(|cell| cell % 5 < 4) {
            raster.triangle([cell, cell + 1, cell + 6].map(corner), cell);
            raster.triangle([cell, cell + 6, cell + 5].map(corner), cell);
        }
        assert!(raster.seen.iter().all(|seen| *seen != NOTHING));
    }
}
