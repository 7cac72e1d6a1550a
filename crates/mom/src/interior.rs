//! The field inside closed conductors, which must vanish: a check that needs no reference.
//!
//! At the resonances of a closed body's interior the electric field integral equation has no unique solution: the
//! residual stays at rounding while current and echo width are wrong. The interior field then does not vanish.

use crate::mesh::Mesh;
use crate::problem::{Problem, Study};
use crate::shape::Point;
use crate::system::System;
use num_complex::Complex64;
use rayon::prelude::*;

/// Test points per body, at most, and in all.
const POINTS_PER_BODY: usize = 8;
const MOST_POINTS: usize = 64;
/// How deep a test point lies: the share of the way to the opposite side. Not the middle, where the resonances of
/// odd order of a symmetric body have their zero.
const DEPTH: f64 = 0.3;

/// Largest total field at test points inside the closed conductors for a unit incident field; zero if there is none.
pub(crate) fn largest_field(
    study: &Study,
    system: &System<'_>,
    directions: &[f64],
    solutions: &[Vec<Complex64>],
) -> f64 {
    let field = |[x, y]: Point| {
        let point = Complex64::new(x, y);
        let weights = system.field_weights(point, &system.place(point));
        let total = |(a, solution): (&f64, &Vec<Complex64>)| {
            let incident = Complex64::cis(-system.k * (x * a.cos() + y * a.sin()));
            let scattered: Complex64 = weights.iter().zip(solution).map(|(w, x)| w * x).sum();
            (incident + scattered).norm()
        };
        directions.iter().zip(solutions).map(total).fold(0.0, f64::max)
    };
    test_points(&study.mesh, &study.problem).into_par_iter().map(field).reduce(|| 0.0, f64::max)
}

/// The cell that is longest beside the thickness of its body there, if it is longer: its body, thickness and length.
/// Pulses cannot tell the currents on its two sides apart; higher orders can.
pub(crate) fn thinnest(mesh: &Mesh, problem: &Problem) -> Option<(usize, f64, f64)> {
    let length = |probe: &Probe| mesh.cells[probe.node / mesh.rules.order()].length;
    let ratio = |probe: &Probe| probe.reach / length(probe);
    let worst = probes(mesh, problem).into_iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    (ratio(&worst) < 1.0).then(|| (mesh.body[worst.node], worst.reach, length(&worst)))
}

/// A node of a closed conductor, and the distance to the opposite side against its normal.
struct Probe {
    node: usize,
    reach: f64,
}

/// A few nodes of each closed conductor.
fn probes(mesh: &Mesh, problem: &Problem) -> Vec<Probe> {
    let closed: Vec<usize> = (0..problem.bodies.len()).filter(|&b| problem.is_closed_conductor(b)).collect();
    let per_body = (MOST_POINTS / closed.len().max(1)).clamp(1, POINTS_PER_BODY);
    let mut probes = Vec::new();
    for body in closed.into_iter().take(MOST_POINTS) {
        let nodes: Vec<usize> = (0..mesh.len()).filter(|&i| mesh.body[i] == body).collect();
        let chords: Vec<[Point; 2]> =
            mesh.chords.iter().zip(&mesh.chord_body).filter(|(_, b)| **b == body).map(|(c, _)| *c).collect();
        for start in (0..nodes.len()).step_by(nodes.len().div_ceil(per_body)) {
            probes.extend(probe(mesh, &chords, nodes[start]));
        }
    }
    probes
}

/// Points inside the closed conductors, a few on each.
fn test_points(mesh: &Mesh, problem: &Problem) -> Vec<Point> {
    let depth = |p: &Probe| {
        [
            mesh.x[p.node] - DEPTH * p.reach * mesh.nx[p.node],
            mesh.y[p.node] - DEPTH * p.reach * mesh.ny[p.node],
        ]
    };
    probes(mesh, problem).iter().map(depth).collect()
}

/// Looks from a node into its body, up to the next of the chords along its outline; the chord under the node itself may lie
/// a little to either side of it and does not count.
fn probe(mesh: &Mesh, chords: &[[Point; 2]], node: usize) -> Option<Probe> {
    let (here, inward) = ([mesh.x[node], mesh.y[node]], [-mesh.nx[node], -mesh.ny[node]]);
    let others = chords.iter().filter(|chord| !is_under(here, **chord));
    let reach = others.filter_map(|&chord| distance_along(here, inward, chord)).fold(f64::INFINITY, f64::min);
    reach.is_finite().then_some(Probe { node, reach })
}

/// Whether a point lies on a chord or on the arc that it spans.
fn is_under(p: Point, [a, b]: [Point; 2]) -> bool {
    let length = (b[0] - a[0]).hypot(b[1] - a[1]);
    let detour = (p[0] - a[0]).hypot(p[1] - a[1]) + (p[0] - b[0]).hypot(p[1] - b[1]);
    // An arc that turns by the most a cell may, seen from its middle.
    detour < 1.05 * length
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
    use crate::problem::{Body, CellCount, prepare};
    use crate::shape::Shape;

    fn study(shape: Shape) -> Study {
        prepare(Problem {
            bodies: vec![Body::conductor(shape)],
            frequencies: vec![3e8],
            propagation: vec![0.0],
            cells: CellCount::Total(60),
            ..Problem::default()
        })
        .unwrap()
    }

    #[test]
    fn test_points_lie_inside_whichever_way_the_outline_runs() {
        let corners = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let reversed = corners.iter().rev().copied().collect();
        for points in [corners, reversed] {
            let study = study(Shape::Polygon { points });
            let found = test_points(&study.mesh, &study.problem);
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
        let study = study(Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] });
        assert!(test_points(&study.mesh, &study.problem).is_empty());
    }
}
