//! Probes inside closed conductors: the local thickness of a body, and points where the total field must vanish.

use crate::mesh::Mesh;
use crate::problem::Problem;
use crate::shape::Point;

/// Probes per body, at most, and in all.
const POINTS_PER_BODY: usize = 8;
const MAX_POINTS: usize = 64;
/// Depth of an interior point as a fraction of the local thickness. Not one half, where the odd resonances of
/// a symmetric body have their zero.
const DEPTH: f64 = 0.3;

/// The cell with the largest ratio of length to local thickness of its body: its body, the thickness and the cell length. Pulses longer than the thickness
/// cannot separate the currents on the two sides; higher orders can.
pub(crate) fn thinnest(mesh: &Mesh, problem: &Problem) -> Option<(usize, f64, f64)> {
    let length = |probe: &Probe| mesh.cells[probe.node / mesh.rules.order()].length;
    let ratio = |probe: &Probe| probe.thickness / length(probe);
    let worst = probes(mesh, problem).into_iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    Some((mesh.body[worst.node], worst.thickness, length(&worst)))
}

/// A node of a closed conductor, and the distance to the opposite side along the inward normal.
struct Probe {
    node: usize,
    thickness: f64,
}

/// A few nodes of each closed conductor.
fn probes(mesh: &Mesh, problem: &Problem) -> Vec<Probe> {
    let closed: Vec<usize> = (0..problem.bodies.len()).filter(|&b| problem.is_closed_conductor(b)).collect();
    let per_body = (MAX_POINTS / closed.len().max(1)).clamp(1, POINTS_PER_BODY);
    let mut probes = Vec::new();
    for body in closed.into_iter().take(MAX_POINTS) {
        let nodes: Vec<usize> = (0..mesh.len()).filter(|&i| mesh.body[i] == body).collect();
        let chords: Vec<[Point; 2]> =
            mesh.chords.iter().zip(&mesh.chord_body).filter(|(_, b)| **b == body).map(|(c, _)| *c).collect();
        // Evenly spaced along the contour.
        for start in (0..nodes.len()).step_by(nodes.len().div_ceil(per_body)) {
            probes.extend(probe(mesh, &chords, nodes[start]));
        }
    }
    probes
}

/// Points inside the closed conductors, a few on each.
pub(crate) fn interior_points(mesh: &Mesh, problem: &Problem) -> Vec<Point> {
    let depth = |p: &Probe| {
        [
            mesh.x[p.node] - DEPTH * p.thickness * mesh.nx[p.node],
            mesh.y[p.node] - DEPTH * p.thickness * mesh.ny[p.node],
        ]
    };
    probes(mesh, problem).iter().map(depth).collect()
}

/// Casts a ray from a node along the inward normal to the next chord of its contour. The chord under the node itself, which may lie
/// slightly to either side of it, is excluded.
fn probe(mesh: &Mesh, chords: &[[Point; 2]], node: usize) -> Option<Probe> {
    let (here, inward) = ([mesh.x[node], mesh.y[node]], [-mesh.nx[node], -mesh.ny[node]]);
    let others = chords.iter().filter(|chord| !is_under(here, **chord));
    let thickness =
        others.filter_map(|&chord| distance_along(here, inward, chord)).fold(f64::INFINITY, f64::min);
    thickness.is_finite().then_some(Probe { node, thickness })
}

/// Whether a point lies on a chord or on the arc that it spans.
fn is_under(p: Point, [a, b]: [Point; 2]) -> bool {
    let length = (b[0] - a[0]).hypot(b[1] - a[1]);
    let detour = (p[0] - a[0]).hypot(p[1] - a[1]) + (p[0] - b[0]).hypot(p[1] - b[1]);
    // Bound for an arc with the largest turn of a cell, at its midpoint.
    detour < 1.05 * length
}

/// Distance from `p` along `n` to the segment `ab`, if the ray meets it.
fn distance_along(p: Point, n: Point, [a, b]: [Point; 2]) -> Option<f64> {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [a[0] - p[0], a[1] - p[1]]);
    // Cramer's rule. For a parallel segment s is infinite or NaN and fails the test below.
    let determinant = n[0] * d[1] - n[1] * d[0];
    let (t, s) = ((e[0] * d[1] - e[1] * d[0]) / determinant, (e[0] * n[1] - e[1] * n[0]) / determinant);
    (t > 0.0 && (0.0..=1.0).contains(&s)).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Body, CellCount};
    use crate::shape::Shape;
    use crate::study::{Study, prepare};

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
    fn interior_points_lie_inside_for_either_orientation() {
        let corners = vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let reversed = corners.iter().rev().copied().collect();
        for points in [corners, reversed] {
            let study = study(Shape::Polygon { points });
            let found = interior_points(&study.mesh, &study.problem);
            assert!(found.len() >= 7, "{found:?}");
            for [x, y] in found {
                let inside =
                    (x > 0.0 && x < 3.0 && y > 0.0 && y < 1.0) || (x > 0.0 && x < 1.0 && y > 0.0 && y < 2.0);
                assert!(inside, "({x}, {y})");
            }
        }
    }

    #[test]
    fn open_bodies_have_no_interior() {
        let study = study(Shape::Strip { from: [0.0, 0.0], to: [1.0, 0.0] });
        assert!(interior_points(&study.mesh, &study.problem).is_empty());
    }
}
