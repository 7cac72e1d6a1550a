//! Sheets that reach into bodies: of a port there, only a part is left.

use super::model::Drawing;
use super::sheet::SheetShape;
use super::solid::in_polygon;
use crate::triangle::vec3::{Vec3, add, cross, dot, norm, sub, times};

/// Points across a sheet at which it is looked at.
const ACROSS: usize = 40;
/// Parts of the side of a triangle of a CAD file, likewise.
const PARTS: usize = 6;
/// Depth in a body, relative to the size of the model, up to which a point is on its surface.
const ON_SURFACE: f64 = 1e-6;

/// A part of a sheet inside a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Covered {
    /// The body, by its position among the solids of the drawing.
    pub body: usize,
    /// How much of the sheet bodies cover, from 0 to 1.
    pub fraction: f64,
    /// The middle of what they cover, in meters.
    pub position: [f64; 3],
}

impl Drawing {
    /// What bodies cover of a sheet. A sheet on the face of a body is not covered by it.
    pub fn covered(&self, sheet: usize) -> Option<Covered> {
        let depth = ON_SURFACE * self.diagonal();
        let points = points(&self.sheets[sheet].shape);
        let body_at = |point: Vec3| {
            let last = self.solids.iter().rposition(|solid| solid.shape.contains(point))?;
            self.solids[last].is_body.then_some(last)
        };
        let mut covered: Vec<(Vec3, usize)> = Vec::new();
        for (point, normal) in &points {
            // Both sides of it, so that a rounded coordinate does not decide on a sheet that lies on a face.
            let [above, below] = [depth, -depth].map(|way| body_at(add(*point, times(way, *normal))));
            if let (Some(body), Some(_)) = (above, below) {
                covered.push((*point, body));
            }
        }
        let (_, body) = covered.first()?;
        let sum = covered.iter().fold([0.0; 3], |sum, (point, _)| add(sum, *point));
        let count = covered.len() as f64;
        let position = times(1.0 / count, sum);
        Some(Covered { body: *body, fraction: count / points.len() as f64, position })
    }
}

/// Points inside of a sheet, with its unit normal there.
fn points(shape: &SheetShape) -> Vec<(Vec3, Vec3)> {
    match shape {
        SheetShape::Cad(sheet) => {
            let triangles = (0..sheet.surface.triangles.len()).map(|t| sheet.surface.corners(t));
            triangles.flat_map(points_of_triangle).collect()
        }
        SheetShape::Polygon { .. } | SheetShape::Disk { .. } => {
            shape.edges().iter().flat_map(|edge| points_of_polygon(edge)).collect()
        }
    }
}

/// The middles of equal parts of a triangle.
fn points_of_triangle([a, b, c]: [Vec3; 3]) -> Vec<(Vec3, Vec3)> {
    let (u, v) = (sub(b, a), sub(c, a));
    let normal = cross(u, v);
    let normal = times(1.0 / norm(normal).max(f64::MIN_POSITIVE), normal);
    let at = |i: usize, j: usize, off: f64| {
        let [s, t] = [i, j].map(|k| (k as f64 + off) / PARTS as f64);
        (add(a, add(times(s, u), times(t, v))), normal)
    };
    let upright = (0..PARTS).flat_map(|i| (0..PARTS - i).map(move |j| (i, j, 1.0 / 3.0)));
    let inverted = (0..PARTS - 1).flat_map(|i| (0..PARTS - 1 - i).map(move |j| (i, j, 2.0 / 3.0)));
    upright.chain(inverted).map(|(i, j, off)| at(i, j, off)).collect()
}

/// A grid of points inside a flat closed line.
fn points_of_polygon(edge: &[Vec3]) -> Vec<(Vec3, Vec3)> {
    let origin = edge[0];
    let parts = edge.windows(2).map(|ends| cross(sub(ends[0], origin), sub(ends[1], origin)));
    let normal = parts.fold([0.0; 3], add);
    let normal = times(1.0 / norm(normal).max(f64::MIN_POSITIVE), normal);
    // Along the first side, so that a rectangle is covered evenly.
    let u = sub(edge[1], edge[0]);
    let u = times(1.0 / norm(u).max(f64::MIN_POSITIVE), u);
    let v = cross(normal, u);
    let flat: Vec<[f64; 2]> =
        edge.iter().map(|point| sub(*point, origin)).map(|way| [dot(way, u), dot(way, v)]).collect();
    let ends = |k: usize| {
        let along = flat.iter().map(|point| point[k]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    let [across, up] = [ends(0), ends(1)];
    let at = |[low, high]: [f64; 2], i: usize| low + (high - low) * (i as f64 + 0.5) / ACROSS as f64;
    let grid = (0..ACROSS * ACROSS).map(|i| [at(across, i % ACROSS), at(up, i / ACROSS)]);
    grid.filter(|point| in_polygon(&flat, *point))
        .map(|[x, y]| (add(origin, add(times(x, u), times(y, v))), normal))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{DrawnSheet, DrawnSolid, Planes, SolidShape, Space};
    use std::f64::consts::TAU;

    /// A rigid motion by a seed.
    fn moved(p: Vec3, seed: u32) -> Vec3 {
        let number = |k: u32| f64::from((seed * 7919 + k * 104_729) % 1000) / 1000.0;
        let mut p = p;
        for axis in 0..3 {
            let (sin, cos) = (TAU * number(axis as u32)).sin_cos();
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            (p[i], p[j]) = (cos * p[i] - sin * p[j], sin * p[i] + cos * p[j]);
        }
        std::array::from_fn(|k| p[k] + 5.0 * number(3 + k as u32))
    }

    /// A body of two cylinders of the radius 1 along z, from −5 to 0 and from 2 to 7, or of a cube in their place, and a sheet.
    fn drawing(corners: [Vec3; 4], seed: u32, as_cube: bool) -> Drawing {
        let body = |z: [f64; 2]| {
            let shape = if as_cube {
                SolidShape::Box { from: [-1.0, -1.0, z[0]], to: [1.0, 1.0, z[1]] }
            } else {
                SolidShape::Cone { ends: z.map(|z| moved([0.0, 0.0, z], seed)), radii: [1.0; 2] }
            };
            DrawnSolid { name: "body".into(), shape, is_body: true, cell_size: 1.0, edge_size: 1.0 }
        };
        let place = |p: Vec3| if as_cube { p } else { moved(p, seed) };
        let sheet = DrawnSheet {
            name: "port".into(),
            shape: SheetShape::Polygon { corners: corners.map(place).to_vec() },
            is_conductor: false,
            edge_size: f64::INFINITY,
        };
        Drawing {
            files: Vec::new(),
            solids: vec![body([-5.0, 0.0]), body([2.0, 7.0])],
            sheets: vec![sheet],
            space: Some(Space { air: 10.0, pml: 5.0 }),
            planes: Planes::default(),
            cell_size: 1.0,
            across_gaps: 2.0,
            wires: Vec::new(),
            wire_size: 1.0,
            refinements: Vec::new(),
            views: Vec::new(),
        }
    }

    /// A rectangle in the plane y, from x, z to x, z.
    fn upright(y: f64, from: [f64; 2], to: [f64; 2]) -> [Vec3; 4] {
        [[from[0], y, from[1]], [to[0], y, from[1]], [to[0], y, to[1]], [from[0], y, to[1]]]
    }

    #[test]
    fn a_port_that_reaches_into_a_body_is_found() {
        for seed in 0..8 {
            for as_cube in [false, true] {
                // From gap to half a unit deep: a fifth of it.
                let found = drawing(upright(0.0, [-0.5, 0.0], [0.5, 2.5]), seed, as_cube).covered(0).unwrap();
                assert!((found.fraction - 0.2).abs() < 0.03 && found.body == 1, "{found:?}");
                let expected = if as_cube { [0.0, 0.0, 2.25] } else { moved([0.0, 0.0, 2.25], seed) };
                assert!(norm(sub(found.position, expected)) < 0.05, "{found:?}");
                // Within a face of the body, halfway inside of it.
                assert!(drawing(upright(0.0, [-2.0, -4.0], [2.0, -1.0]), seed, as_cube).covered(0).is_some());
            }
        }
    }

    #[test]
    fn a_port_that_touches_a_body_is_not() {
        let lying =
            |z: f64, half: f64| [[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]];
        for seed in 0..8 {
            for (name, corners) in [
                ("between", upright(0.0, [-0.5, 0.0], [0.5, 2.0])),
                ("wider", upright(0.0, [-3.0, 0.0], [3.0, 2.0])),
                ("window", lying(0.0, 0.4)),
                ("on the face and beyond", lying(2.0, 1.5)),
                ("beside", upright(1.0, [-1.0, -3.0], [1.0, -1.0])),
            ] {
                for as_cube in [false, true] {
                    assert_eq!(drawing(corners, seed, as_cube).covered(0), None, "{name} {seed} {as_cube}");
                }
            }
        }
    }

    #[test]
    fn a_hole_of_a_body_covers_nothing() {
        let mut drawing = drawing(upright(0.0, [-0.5, 0.0], [0.5, 2.5]), 0, true);
        let shape = SolidShape::Box { from: [-0.7, -0.7, 1.0], to: [0.7, 0.7, 3.0] };
        let hole = DrawnSolid { name: "air".into(), shape, is_body: false, cell_size: 1.0, edge_size: 1.0 };
        drawing.solids.push(hole);
        assert_eq!(drawing.covered(0), None);
    }
}
