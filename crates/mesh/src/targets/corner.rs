//! Corner reflectors, open toward the positive axes.

use super::flat::parallelogram;
use super::patches::{body, check, joined, product};
use crate::error::MeshError;
use crate::triangle::TriangleMesh;

/// Two plates in the planes x = 0 and y = 0 that meet along z: `width` away from the seam, `length` along it, cut into
/// cells along each. Broadside is θ = 90°, φ = 45°.
///
/// ```
/// let mesh = phasefront_mesh::targets::dihedral(1.0, 2.0, [4, 8]).unwrap();
/// assert!((mesh.area() - 4.0).abs() < 1e-12);
/// assert_eq!(mesh.bounds(), [[0.0, 0.0, -1.0], [1.0, 1.0, 1.0]]);
/// ```
pub fn dihedral(width: f64, length: f64, cells: [usize; 2]) -> Result<TriangleMesh, MeshError> {
    check(&[width, length], &cells, product(&[4, cells[0], cells[1]]))?;
    let [across, along] = cells;
    let seam = [0.0, 0.0, -0.5 * length];
    let (x, y, z) = ([width, 0.0, 0.0], [0.0, width, 0.0], [0.0, 0.0, length]);
    // y × z = x and z × x = y: both normals point into the corner.
    Ok(joined([parallelogram(seam, y, z, [across, along]), parallelogram(seam, z, x, [along, across])]))
}

/// Three right-angled triangles with legs of this length along the axes, each cut into `cells`² triangles.
///
/// ```
/// let mesh = phasefront_mesh::targets::trihedral(1.0, 1).unwrap();
/// assert_eq!((mesh.triangles.len(), mesh.area()), (3, 1.5));
/// ```
pub fn trihedral(leg: f64, cells: usize) -> Result<TriangleMesh, MeshError> {
    check(&[leg], &[cells], product(&[3, cells, cells]))?;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells - j {
            let here = vertices.len() as u32;
            vertices.push([i, j].map(|k| leg * k as f64 / cells as f64));
            // Rows shorten by one: row j has cells − j + 1 points, so that the point above is that
            // far ahead.
            let above = here + (cells - j + 1) as u32;
            if i + j < cells {
                triangles.push([here, here + 1, above]);
            }
            if i + j + 1 < cells {
                triangles.push([here + 1, above + 1, above]);
            }
        }
    }
    let side = |embed: fn([f64; 2]) -> [f64; 3]| {
        body(vertices.iter().map(|&point| embed(point)).collect(), triangles.clone())
    };
    Ok(joined([side(|[u, v]| [u, v, 0.0]), side(|[u, v]| [0.0, u, v]), side(|[u, v]| [v, 0.0, u])]))
}

/// Three squares with sides of this length along the axes, each cut into `cells`² squares.
///
/// ```
/// let mesh = phasefront_mesh::targets::square_trihedral(1.0, 2).unwrap();
/// assert_eq!((mesh.triangles.len(), mesh.area()), (24, 3.0));
/// ```
pub fn square_trihedral(side: f64, cells: usize) -> Result<TriangleMesh, MeshError> {
    check(&[side], &[cells], product(&[6, cells, cells]))?;
    let (x, y, z) = ([side, 0.0, 0.0], [0.0, side, 0.0], [0.0, 0.0, side]);
    let patch = |u, v| parallelogram([0.0; 3], u, v, [cells; 2]);
    Ok(joined([patch(x, y), patch(y, z), patch(z, x)]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::flawless;
    use super::*;

    /// One sheet whose normals all look along positive axes.
    #[track_caller]
    fn check_corner(mesh: &TriangleMesh, area: f64, faces: usize) {
        let report = flawless(mesh);
        assert_eq!((report.shells, report.holes.len(), report.triangles), (1, 1, faces));
        assert!((report.area - area).abs() < 1e-12);
        for t in 0..faces {
            let normal = mesh.area_vector(t);
            assert_eq!(normal.iter().filter(|&&x| x > 1e-9).count(), 1, "{normal:?}");
            assert!(normal.iter().all(|&x| x > -1e-12));
        }
    }

    #[test]
    fn corners_look_into_the_first_octant() {
        check_corner(&dihedral(2.0, 3.0, [4, 5]).unwrap(), 12.0, 80);
        check_corner(&trihedral(2.0, 1).unwrap(), 6.0, 3);
        check_corner(&trihedral(2.0, 7).unwrap(), 6.0, 147);
        check_corner(&square_trihedral(2.0, 3).unwrap(), 12.0, 54);
    }
}
