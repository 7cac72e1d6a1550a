//! Shaded rendering of triangles with a depth buffer, and dark lines along outlines and creases.

use super::canvas::Area;
use super::colorbar;
use super::raster::{NOTHING, Raster};
use crate::ReportError;
use glam::DVec3;

/// Pixels of the image per unit of the page, as in the PNG, and samples along each side of a pixel.
const PICTURE_SCALE: f64 = 2.0;
const SAMPLES: usize = 2;
/// Thresholds of edges: the step in depth relative to the size of the scene, and the cosine of the
/// angle between normals.
const STEP: f64 = 0.02;
const CREASE: f64 = 0.8;
/// Fraction of light on edges: outlines, and creases.
const OUTLINE_LIGHT: f32 = 0.25;
const CREASE_LIGHT: f32 = 0.75;

/// Triangles on a raster.
#[derive(Debug)]
pub struct Scene {
    raster: Raster,
    /// Unit normals on the side of the camera.
    normals: Vec<DVec3>,
    /// Camera coordinates of the upper left corner, and samples per unit along both axes.
    corner: DVec3,
    samples: [f64; 2],
    /// The smallest step in depth that is an edge.
    step: f32,
    /// Whether the sides of all triangles are drawn.
    lines: bool,
}

impl Scene {
    /// Triangles with corners in camera coordinates, drawn over `area` with `scale` page units per
    /// unit; `corner` is at the upper left.
    pub fn new(area: Area, scale: f64, corner: DVec3, corners: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let sides = [area.width(), area.height()];
        let counts = sides.map(|side| (side * PICTURE_SCALE).ceil() as usize * SAMPLES);
        let samples = [0, 1].map(|i| counts[i] as f64 / sides[i] * scale);
        let mut scene = Self {
            raster: Raster::new(counts[0], counts[1]),
            normals: triangles.iter().map(|t| normal(t.map(|c| corners[c as usize]))).collect(),
            corner,
            samples,
            step: (STEP * sides[0].hypot(sides[1]) / scale) as f32,
            lines: false,
        };
        for (number, triangle) in triangles.iter().enumerate() {
            let projected = triangle.map(|c| scene.project(corners[c as usize]));
            scene.raster.triangle(projected, number as u32);
        }
        scene
    }

    /// The same, with the sides of all triangles.
    #[must_use]
    pub fn with_lines(self) -> Self {
        Self { lines: true, ..self }
    }

    /// Samples to the right and down, and nearness.
    fn project(&self, seen: DVec3) -> [f64; 3] {
        let from_corner = seen - self.corner;
        [from_corner.x * self.samples[0], -from_corner.y * self.samples[1], from_corner.z]
    }

    /// Whether a triangle is in front of a point.
    pub fn hides(&self, seen: DVec3) -> bool {
        let [x, y, near] = self.project(seen);
        let is_inside = x >= 0.0 && y >= 0.0 && x < self.raster.width as f64 && y < self.raster.height as f64;
        is_inside && f64::from(self.raster.nearness[y as usize * self.raster.width + x as usize]) > near
    }

    /// The image as PNG; `color` gives the color of a triangle from its index and normal.
    pub fn picture(
        &self,
        plot: &str,
        color: impl Fn(usize, DVec3) -> [f32; 3],
    ) -> Result<Vec<u8>, ReportError> {
        let colors: Vec<[f32; 3]> = self.normals.iter().enumerate().map(|(i, n)| color(i, *n)).collect();
        let (width, height) = (self.raster.width / SAMPLES, self.raster.height / SAMPLES);
        let mut pixels = Vec::with_capacity(4 * width * height);
        for pixel in 0..width * height {
            let (row, column) = (SAMPLES * (pixel / width), SAMPLES * (pixel % width));
            // Averages covered samples only; their number is the alpha value, so that outlines
            // blend with any background.
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for (row, column) in (0..SAMPLES * SAMPLES).map(|i| (row + i / SAMPLES, column + i % SAMPLES)) {
                let seen = self.raster.seen[row * self.raster.width + column];
                if seen != NOTHING {
                    let light = self.edge((row, column));
                    sum.iter_mut().zip(colors[seen as usize]).for_each(|(sum, color)| *sum += light * color);
                    count += 1.0_f32;
                }
            }
            let alpha = 255.0 * count / (SAMPLES * SAMPLES) as f32;
            pixels.extend(sum.map(|sum| (sum / count.max(1.0)).round() as u8));
            pixels.push(alpha.round() as u8);
        }
        colorbar::encode(plot, (width, height), None, &pixels)
    }

    /// Fraction of light at a sample: reduced if an edge separates it from a neighbor.
    fn edge(&self, (row, column): (usize, usize)) -> f32 {
        let raster = &self.raster;
        let here = row * raster.width + column;
        let mut light = 1.0_f32;
        // Indices before the first row or column wrap to huge values and are outside as well.
        let beside = [
            (row, column + 1),
            (row + 1, column),
            (row, column.wrapping_sub(1)),
            (row.wrapping_sub(1), column),
        ];
        for (row, column) in beside {
            let is_inside = row < raster.height && column < raster.width;
            let next = row.wrapping_mul(raster.width).wrapping_add(column);
            if !is_inside || raster.seen[next] == NOTHING {
                return OUTLINE_LIGHT;
            }
            if (raster.nearness[here] - raster.nearness[next]).abs() > self.step {
                return OUTLINE_LIGHT;
            }
            let [a, b] = [here, next].map(|i| self.normals[raster.seen[i] as usize]);
            if a.dot(b) < CREASE || self.lines && raster.seen[here] != raster.seen[next] {
                light = CREASE_LIGHT;
            }
        }
        light
    }
}

/// Unit normal on the side of the camera.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    if normal.z < 0.0 { -normal } else { normal }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle over half of a square, at nearness 0.
    #[test]
    fn what_is_behind_a_triangle_is_hidden() {
        let area = Area { left: 100.0, top: 50.0, right: 140.0, bottom: 90.0 };
        let corners = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(-1.0, 1.0, 0.0)];
        let scene = Scene::new(area, 20.0, DVec3::new(-1.0, 1.0, 0.0), &corners, &[[0, 1, 2]]);
        assert!(scene.hides(DVec3::new(-0.5, -0.5, -0.1)));
        assert!(!scene.hides(DVec3::new(-0.5, -0.5, 0.1)), "it is in front");
        assert!(!scene.hides(DVec3::new(0.5, 0.5, -0.1)), "there is no triangle");
        assert!(!scene.hides(DVec3::new(3.0, 0.0, -0.1)), "it is not in the picture");
    }
}
