//! Plates and boxes.

use super::patches::{body, check, joined, product};
use crate::error::MeshError;
use crate::triangle::TriangleMesh;
use crate::triangle::vec3::{Vec3, add, times};

/// A rectangle in the plane z = 0 with its normal along +z, cut into cells of two triangles.
///
/// ```
/// let plate = phasefront_mesh::targets::plate([0.3, 0.2], [3, 2]).unwrap();
/// assert_eq!(plate.triangles.len(), 12);
/// assert!((plate.area() - 0.06).abs() < 1e-15);
/// ```
pub fn plate(size: [f64; 2], cells: [usize; 2]) -> Result<TriangleMesh, MeshError> {
    check(&size, &cells, product(&[2, cells[0], cells[1]]))?;
    let [x, y] = size;
    Ok(parallelogram([-0.5 * x, -0.5 * y, 0.0], [x, 0.0, 0.0], [0.0, y, 0.0], cells))
}

/// A box with its edges along the axes; `cells` are counted along x, y and z.
///
/// ```
/// let cube = phasefront_mesh::targets::cuboid([1.0, 1.0, 1.0], [1, 1, 1]).unwrap();
/// assert_eq!((cube.vertices.len(), cube.triangles.len()), (8, 12));
/// ```
pub fn cuboid(size: [f64; 3], cells: [usize; 3]) -> Result<TriangleMesh, MeshError> {
    let side = |a: usize, b: usize| product(&[4, cells[a], cells[b]]);
    let sides = [side(0, 1), side(1, 2), side(2, 0)];
    let total = sides.into_iter().try_fold(0_usize, |sum, side| sum.checked_add(side?));
    check(&size, &cells, total)?;
    // Opposite faces start at opposite corners with reversed edge vectors, so that all normals
    // point out.
    let low = size.map(|length| -0.5 * length);
    let high = size.map(|length| 0.5 * length);
    let axis = |k: usize, sign: f64| {
        let mut vector = [0.0; 3];
        vector[k] = sign * size[k];
        vector
    };
    Ok(joined((0..3).flat_map(|k| {
        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
        [
            parallelogram(low, axis(b, 1.0), axis(a, 1.0), [cells[b], cells[a]]),
            parallelogram(high, axis(a, -1.0), axis(b, -1.0), [cells[a], cells[b]]),
        ]
    })))
}

/// Between the vectors u and v from a corner, with its normal along u × v.
pub(super) fn parallelogram(corner: Vec3, u: Vec3, v: Vec3, [nu, nv]: [usize; 2]) -> TriangleMesh {
    let at = |i: usize, j: usize| {
        let (s, t) = (i as f64 / nu as f64, j as f64 / nv as f64);
        add(corner, add(times(s, u), times(t, v)))
    };
    let vertices = (0..=nv).flat_map(|j| (0..=nu).map(move |i| at(i, j))).collect();
    // Vertices row by row, i fastest; both triangles of a cell share the diagonal from (i, j).
    let number = |i: usize, j: usize| (j * (nu + 1) + i) as u32;
    let cell = |i: usize, j: usize| {
        let [a, b, c, d] = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles = (0..nv).flat_map(|j| (0..nu).flat_map(move |i| cell(i, j))).collect();
    body(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{closed, flawless};
    use super::*;

    #[test]
    fn plate_is_one_sheet() {
        let mesh = plate([3.0, 2.0], [6, 5]).unwrap();
        let report = flawless(&mesh);
        assert_eq!((report.shells, report.triangles, report.vertices), (1, 60, 42));
        assert_eq!(report.bounds, [[-1.5, -1.0, 0.0], [1.5, 1.0, 0.0]]);
        assert_eq!((report.holes.len(), report.holes[0].edges), (1, 22));
        assert!((report.holes[0].length - 10.0).abs() < 1e-12);
        assert!((0..60).all(|t| (mesh.area_vector(t)[2] - 0.1).abs() < 1e-15));
    }

    #[test]
    fn box_has_its_volume_and_area() {
        let report = closed(&cuboid([3.0, 2.0, 1.0], [4, 3, 2]).unwrap());
        assert_eq!(report.triangles, 4 * (12 + 6 + 8));
        assert_eq!(report.bounds, [[-1.5, -1.0, -0.5], [1.5, 1.0, 0.5]]);
        assert!((report.volume.unwrap() - 6.0).abs() < 1e-12 && (report.area - 22.0).abs() < 1e-12);
    }
}
