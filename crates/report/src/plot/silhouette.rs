//! The outline of a projected body, for maps.

use super::contour::contour;
use super::raster::{NOTHING, Raster};
use super::scale;

/// Cells of the raster along the longer side, and samples along the side of a cell: finer than a
/// map shows.
const CELLS: f64 = 240.0;
const SAMPLES: usize = 4;

/// The boundary of the union of triangles in the plane, holes included; `points` are their corners.
///
/// ```
/// use phasefront_report::plot::silhouette;
/// let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
/// let lines = silhouette(&square, &[[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(lines.len(), 1);
/// assert!(lines[0].iter().all(|[x, y]| ((x - 1.0).abs().max((y - 1.0).abs()) - 1.0).abs() < 0.02));
/// ```
pub fn silhouette(points: &[[f64; 2]], triangles: &[[u32; 3]]) -> Vec<Vec<[f64; 2]>> {
    let extents = [0, 1].map(|axis| scale::extent(points.iter().map(|p| p[axis]), false));
    let [Some([left, right]), Some([low, high])] = extents else { return Vec::new() };
    let cell = (right - left).max(high - low) / CELLS;
    if !(cell.is_normal() && points.iter().flatten().all(|x| x.is_finite())) {
        return Vec::new();
    }
    // One empty cell on each side, so that every line is closed.
    let counts = [right - left, high - low].map(|side| (side / cell).ceil() as usize + 2);
    let coordinate = |axis: usize, i: usize| [left, low][axis] + cell * (i as f64 - 0.5);
    let mut raster = Raster::new(counts[0] * SAMPLES, counts[1] * SAMPLES);
    for triangle in triangles {
        let corner =
            |p: [f64; 2]| [0, 1].map(|axis| ((p[axis] - [left, low][axis]) / cell + 1.0) * SAMPLES as f64);
        let corners = triangle.map(|i| points.get(i as usize).map(|p| corner(*p)));
        if let [Some(a), Some(b), Some(c)] = corners {
            raster.triangle([a, b, c].map(|[x, y]| [x, y, 0.0]), 0);
        }
    }
    // Coverage per cell, and its contour at one half: a smooth outline from a binary raster.
    let mut cover = vec![0.0; counts[0] * counts[1]];
    for (i, seen) in raster.seen.iter().enumerate() {
        if *seen != NOTHING {
            cover[i / raster.width / SAMPLES * counts[0] + i % raster.width / SAMPLES] += 1.0;
        }
    }
    let [x, y] = [0, 1].map(|axis| (0..counts[axis]).map(|i| coordinate(axis, i)).collect::<Vec<_>>());
    contour(&x, &y, &cover, 0.5 * (SAMPLES * SAMPLES) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring: the line outside and the line of the hole.
    #[test]
    fn holes_have_lines_too() {
        let at = |i: u32, r: f64| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 60.0).sin_cos();
            [3.0 + r * cos, r * sin - 5.0]
        };
        let points: Vec<[f64; 2]> = (0..60).flat_map(|i| [at(i, 1.0), at(i, 0.5)]).collect();
        let corner = |i: u32| i % 120;
        let triangles: Vec<[u32; 3]> = (0..120).map(|i| [i, i + 1, i + 2].map(corner)).collect();
        let lines = silhouette(&points, &triangles);
        assert_eq!(lines.len(), 2);
        let radius = |line: &Vec<[f64; 2]>| (line[0][0] - 3.0).hypot(line[0][1] + 5.0);
        let mut radii: Vec<f64> = lines.iter().map(radius).collect();
        radii.sort_by(f64::total_cmp);
        assert!((radii[0] - 0.5).abs() < 0.01 && (radii[1] - 1.0).abs() < 0.01, "{radii:?}");
        assert!(lines.iter().all(|line| line.first() == line.last()), "they are closed");
    }

    #[test]
    fn nothing_has_no_outline() {
        assert!(silhouette(&[], &[]).is_empty());
        assert!(silhouette(&[[1.0, 1.0]; 3], &[[0, 1, 2]]).is_empty());
        assert!(silhouette(&[[f64::NAN, 0.0], [1.0, 0.0], [0.0, 1.0]], &[[0, 1, 2]]).is_empty());
        assert!(silhouette(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], &[[0, 1, 7]]).is_empty());
    }
}
