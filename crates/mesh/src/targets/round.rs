//! Spheres and cylinders.

use super::loft::revolved;
use super::patches::{body, check, joined, product};
use crate::error::MeshError;
use crate::triangle::TriangleMesh;
use crate::triangle::vec3::{Vec3, add, norm, sub, times};
use std::f64::consts::PI;

/// A sphere of nearly equal triangles: the sides of an icosahedron cut into `cells`² each, with the vertices on the sphere.
///
/// ```
/// let ball = phasefront_mesh::targets::sphere(1.0, 10).unwrap();
/// assert_eq!(ball.triangles.len(), 2000);
/// ```
pub fn sphere(radius: f64, cells: usize) -> Result<TriangleMesh, MeshError> {
    check(&[radius], &[cells], product(&[20, cells, cells]))?;
    let onto = |p: Vec3| times(radius / norm(p), p);
    Ok(joined(icosahedron().map(|[a, b, c]| {
        let at = |i: usize, j: usize| {
            let (s, t) = (i as f64 / cells as f64, j as f64 / cells as f64);
            onto(add(a, add(times(s, sub(b, a)), times(t, sub(c, a)))))
        };
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for (i, j) in (0..cells).flat_map(|j| (0..cells - j).map(move |i| (i, j))) {
            let mut add_triangle = |corners: [Vec3; 3]| {
                let first = vertices.len() as u32;
                vertices.extend(corners);
                triangles.push([first, first + 1, first + 2]);
            };
            // Vertices are repeated per triangle and welded by `joined`, which also joins the 20
            // sides.
            add_triangle([at(i, j), at(i + 1, j), at(i, j + 1)]);
            if i + j + 1 < cells {
                add_triangle([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        body(vertices, triangles)
    })))
}

/// The sides of an icosahedron: its vertices are the poles and two rings of five at z = ±1/√5.
fn icosahedron() -> [[Vec3; 3]; 20] {
    let height = 1.0 / 5.0_f64.sqrt();
    let ring = |i: usize, z: f64, turn: f64| {
        let (sin, cos) = (PI * (2.0 * (i % 5) as f64 + turn) / 5.0).sin_cos();
        [2.0 * height * cos, 2.0 * height * sin, z]
    };
    let upper = |i: usize| ring(i, height, 0.0);
    let lower = |i: usize| ring(i, -height, 1.0);
    std::array::from_fn(|k| {
        let i = k / 4;
        match k % 4 {
            0 => [[0.0, 0.0, 1.0], upper(i), upper(i + 1)],
            1 => [upper(i), lower(i), upper(i + 1)],
            2 => [lower(i), lower(i + 1), upper(i + 1)],
            _ => [[0.0, 0.0, -1.0], lower(i + 1), lower(i)],
        }
    })
}

/// A sphere cut along circles of latitude and longitude about the z axis; `cells` are counted from pole to pole and
/// around.
///
/// ```
/// let ball = phasefront_mesh::targets::lat_long_sphere(1.0, [9, 18]).unwrap();
/// assert_eq!(ball.triangles.len(), 2 * 18 * 8);
/// ```
pub fn lat_long_sphere(radius: f64, [down, around]: [usize; 2]) -> Result<TriangleMesh, MeshError> {
    // The least that enclose a volume.
    let (down, around) = (down.max(2), around.max(3));
    check(&[radius], &[], product(&[2, down, around]))?;
    let point = |i: usize| {
        let (sin, cos) = (PI * i as f64 / down as f64).sin_cos();
        // sin π is not exactly zero: the poles must be, to become tips.
        [-radius * cos, if i == 0 || i == down { 0.0 } else { radius * sin }]
    };
    let profile: Vec<[f64; 2]> = (0..=down).map(point).collect();
    Ok(upright(revolved(&profile, around)))
}

/// A cylinder about the z axis, its side cut into cells along and around it; open at both ends, or closed by fans.
///
/// ```
/// let can = phasefront_mesh::targets::cylinder(0.25, 1.0, [4, 60], true).unwrap();
/// assert_eq!(can.triangles.len(), 2 * 4 * 60 + 2 * 60);
/// assert_eq!(can.bounds()[1][2], 0.5);
/// ```
pub fn cylinder(
    radius: f64,
    length: f64,
    [along, around]: [usize; 2],
    closed: bool,
) -> Result<TriangleMesh, MeshError> {
    let around = around.max(3);
    check(&[radius, length], &[along], product(&[2, along.saturating_add(1), around]))?;
    let half = 0.5 * length;
    let side = (0..=along).map(|i| [half * (2.0 * i as f64 / along as f64 - 1.0), radius]);
    let mut profile: Vec<[f64; 2]> = side.collect();
    if closed {
        profile.insert(0, [-half, 0.0]);
        profile.push([half, 0.0]);
    }
    Ok(upright(revolved(&profile, around)))
}

/// The x axis turned into the z axis.
pub(super) fn upright(mesh: TriangleMesh) -> TriangleMesh {
    mesh.mapped(|[x, y, z]| [y, z, x])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{closed, flawless};
    use super::*;
    use crate::triangle::SMOOTH_ANGLE;

    #[test]
    fn geodesic_sphere_comes_near_the_sphere() {
        let mut last = f64::INFINITY;
        for cells in [1, 2, 4, 8, 16] {
            let mesh = sphere(2.0, cells).unwrap();
            let report = closed(&mesh);
            assert_eq!((report.triangles, report.vertices), (20 * cells * cells, 10 * cells * cells + 2));
            assert!(mesh.vertices.iter().all(|&p| (norm(p) - 2.0).abs() < 1e-14));
            let missing = 1.0 - report.volume.unwrap() / (4.0 / 3.0 * PI * 8.0);
            // A quarter for every halving, as the chord leaves the arc.
            assert!(missing > 0.0 && missing < 0.35 * last, "{missing}");
            last = missing;
        }
        // An icosahedron in the unit sphere has the edge a = 1/sin(2π/5) and the volume 5(3+√5)a³/12.
        let edge = 1.0 / (2.0 * PI / 5.0).sin();
        let volume = 5.0 * (3.0 + 5.0_f64.sqrt()) / 12.0 * edge.powi(3);
        assert!((sphere(1.0, 1).unwrap().volume() - volume).abs() < 1e-12);
    }

    #[test]
    fn lat_long_sphere_is_a_stack_of_frustums() {
        let report = closed(&lat_long_sphere(1.0, [8, 12]).unwrap());
        assert_eq!(report.triangles, 2 * 12 * 7);
        // A frustum of an n-gonal pyramid: h (A + B + √(AB))/3, A = n/2 sin(2π/n) ρ².
        let area = |i: i32| 6.0 * (PI / 6.0).sin() * (PI * f64::from(i) / 8.0).sin().powi(2);
        let height = |i: i32| (PI * f64::from(i) / 8.0).cos();
        let slice = |i: i32| {
            let (a, b) = (area(i), area(i + 1));
            (height(i) - height(i + 1)) * (a + b + (a * b).sqrt()) / 3.0
        };
        let volume: f64 = (0..8).map(slice).sum();
        assert!((report.volume.unwrap() - volume).abs() < 1e-12);
        assert_eq!(report.bounds[1][2], 1.0);
    }

    #[test]
    fn cylinder_is_a_prism() {
        let report = closed(&cylinder(0.25, 1.0, [5, 36], true).unwrap());
        let base = 18.0 * (PI / 18.0).sin() * 0.0625;
        let side = 36.0 * 2.0 * 0.25 * (PI / 36.0).sin();
        assert!((report.volume.unwrap() - base).abs() < 1e-12);
        assert!((report.area - side - 2.0 * base).abs() < 1e-12);
        let open = cylinder(0.25, 1.0, [5, 36], false).unwrap();
        let report = flawless(&open);
        assert!((report.area - side).abs() < 1e-12);
        // Outward, though it is open, and without a sharp edge but its rims.
        assert!((0..open.triangles.len()).all(|t| {
            let ([x, y, _], [p, q, _]) = (open.corners(t)[0], open.area_vector(t));
            x * p + y * q > 0.0
        }));
        assert_eq!(crate::wedges(&open, SMOOTH_ANGLE).len(), 72);
    }
}
