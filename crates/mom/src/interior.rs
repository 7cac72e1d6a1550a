//! The field inside closed conductors, which must vanish: a check that needs no reference.
//!
//! At the resonances of a closed body's interior the electric field integral equation has no unique solution: the
//! residual stays at rounding while current and echo width are wrong. The interior field then does not vanish.

use crate::cpu::scattered_field;
use crate::mesh::Mesh;
use crate::problem::Body;
use crate::shape::Point;
use num_complex::Complex64;
use rayon::prelude::*;

/// Test points per body, at most, and in all.
const POINTS_PER_BODY: usize = 8;
const MOST_POINTS: usize = 64;
/// How deep a test point lies: the share of the way to the opposite side. Not the middle, where the resonances of
/// odd order of a symmetric body have their zero.
const DEPTH: f64 = 0.3;

/// Largest |E| at test points inside the closed bodies for a unit incident field; zero if there is none.
pub(crate) fn largest_field(
    mesh: &Mesh,
    bodies: &[Body],
    k: f64,
    directions: &[f64],
    currents: &[Vec<Complex64>],
) -> f64 {
    let field = |point: Point| {
        let total = |(a, current): (&f64, &Vec<Complex64>)| {
            let incident = Complex64::cis(-k * (point[0] * a.cos() + point[1] * a.sin()));
            (incident + scattered_field(mesh, k, current, point)).norm()
        };
        directions.iter().zip(currents).map(total).fold(0.0, f64::max)
    };
    test_points(mesh, bodies).into_par_iter().map(field).reduce(|| 0.0, f64::max)
}

/// The cell that is longest beside the thickness of its body there, if it is longer: its body, thickness and length.
/// Pulses cannot tell the two sides of such a body apart.
pub(crate) fn thinnest(mesh: &Mesh, bodies: &[Body]) -> Option<(usize, f64, f64)> {
    let ratio = |probe: &Probe| probe.reach / mesh.w[probe.cell];
    let worst = probes(mesh, bodies).into_iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    (ratio(&worst) < 1.0).then(|| (mesh.body[worst.cell], worst.reach, mesh.w[worst.cell]))
}

/// A cell of a closed body, its normal into the body, and the distance to the opposite side along it.
struct Probe {
    cell: usize,
    normal: Point,
    reach: f64,
}

/// A few cells of each closed body.
fn probes(mesh: &Mesh, bodies: &[Body]) -> Vec<Probe> {
    let closed: Vec<usize> = (0..bodies.len()).filter(|&b| bodies[b].shape.is_closed()).collect();
    let per_body = (MOST_POINTS / closed.len().max(1)).clamp(1, POINTS_PER_BODY);
    let mut probes = Vec::new();
    for body in closed.into_iter().take(MOST_POINTS) {
        let cells: Vec<usize> = (0..mesh.len()).filter(|&i| mesh.body[i] == body).collect();
        let left_is_inside = signed_area(mesh, &cells) > 0.0;
        for start in (0..cells.len()).step_by(cells.len().div_ceil(per_body)) {
            probes.extend(probe(mesh, &cells, cells[start], left_is_inside));
        }
    }
    probes
}

/// Points inside the closed bodies, a few on each.
fn test_points(mesh: &Mesh, bodies: &[Body]) -> Vec<Point> {
    let depth =
        |p: &Probe| [0, 1].map(|i| [mesh.x[p.cell], mesh.y[p.cell]][i] + DEPTH * p.reach * p.normal[i]);
    probes(mesh, bodies).iter().map(depth).collect()
}

/// Twice the area that the chain of cells encloses, positive if it runs counter-clockwise.
fn signed_area(mesh: &Mesh, cells: &[usize]) -> f64 {
    cells.iter().map(|&i| mesh.ends[i]).map(|[a, b]| a[0] * b[1] - a[1] * b[0]).sum()
}

/// Looks from the middle of `cell` into the body, up to the next of its cells.
fn probe(mesh: &Mesh, cells: &[usize], cell: usize, left_is_inside: bool) -> Option<Probe> {
    let sign = if left_is_inside { 1.0 } else { -1.0 };
    let (middle, normal) = ([mesh.x[cell], mesh.y[cell]], [-sign * mesh.ty[cell], sign * mesh.tx[cell]]);
    let others = cells.iter().filter(|&&j| j != cell);
    let reach =
        others.filter_map(|&j| distance_along(middle, normal, mesh.ends[j])).fold(f64::INFINITY, f64::min);
    reach.is_finite().then_some(Probe { cell, normal, reach })
}

/// Distance from `p` along `n` to the segment `ab`, if the ray meets it.
fn distance_along(p: Point, n: Point, [a, b]: [Point; 2]) -> Option<f64> {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [a[0] - p[0], a[1] - p[1]]);
    let determinant = n[0] * d[1] - n[1] * d[0];
    let (t, s) = ((e[0] * d[1] - e[1] * d[0]) / determinant, (e[0] * n[1] - e[1] * n[0]) / determinant);
    (t > 0.0 && (0.0..=1.0).contains(&s)).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Shape;

    #[test]
    fn test_points_lie_inside_whichever_way_the_outline_runs() {
        let corners = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let reversed = corners.iter().rev().copied().collect();
        for points in [corners, reversed] {
            let body = Body { shape: Shape::Polygon { points }, cells: None };
            let mut mesh = Mesh::default();
            mesh.push_body(0, &body.shape.cells(60));
            let found = test_points(&mesh, &[body]);
            assert!(found.len() >= 7, "{found:?}");
            for [x, y] in found {
                let inside =
                    (x > 0.0 && x < 3.0 && y > 0.0 && y < 1.0) || (x > 0.0 && x < 1.0 && y > 0.0 && y < 2.0);
                assert!(inside, "({x}, {y})");
            }
        }
    }

    #[test]
    fn open_bodies_have_no_inside() {
        let body = Body { shape: Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] }, cells: None };
        let mut mesh = Mesh::default();
        mesh.push_body(0, &body.shape.cells(10));
        assert!(test_points(&mesh, &[body]).is_empty());
    }
}
