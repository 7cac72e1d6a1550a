//! Surfaces through rings of points.

use super::patches::body;
use crate::triangle::TriangleMesh;
use crate::triangle::vec3::{Vec3, add, times};
use std::f64::consts::TAU;

/// The surface through rings, which have the same number of points or, at a tip, one. If the rings
/// run counterclockwise about the direction from the first to the last, the normals point
/// outward.
pub(super) fn loft(rings: &[Vec<Vec3>]) -> TriangleMesh {
    let vertices = rings.concat();
    let mut triangles = Vec::new();
    let mut first = 0;
    for pair in rings.windows(2) {
        let (m, n) = (pair[0].len() as u32, pair[1].len() as u32);
        for i in 0..m.max(n) {
            // Modulo closes the ring, and maps every index to the only point of a tip; the triangle
            // with its side at the tip would be degenerate and is left out.
            let this = |i: u32| first + i % m;
            let next = |i: u32| first + m + i % n;
            if m > 1 {
                triangles.push([this(i), this(i + 1), next(i + 1)]);
            }
            if n > 1 {
                triangles.push([this(i), next(i + 1), next(i)]);
            }
        }
        first += m;
    }
    body(vertices, triangles)
}

/// A closed body through rings: open ends are closed by flat fans, and normals point outward for
/// either direction of the rings.
pub(super) fn solid(mut rings: Vec<Vec<Vec3>>) -> TriangleMesh {
    if let Some(ring) = rings.first().filter(|ring| ring.len() > 1) {
        rings.insert(0, vec![middle(ring)]);
    }
    if let Some(ring) = rings.last().filter(|ring| ring.len() > 1) {
        rings.push(vec![middle(ring)]);
    }
    let mesh = loft(&rings);
    if mesh.volume() < 0.0 { mesh.reversed() } else { mesh }
}

fn middle(ring: &[Vec3]) -> Vec3 {
    times(1.0 / ring.len() as f64, ring.iter().copied().fold([0.0; 3], add))
}

/// The surface that a profile of points (x, ρ) sweeps about the x axis; a point with ρ = 0 is a tip.
pub(super) fn revolved(profile: &[[f64; 2]], around: usize) -> TriangleMesh {
    let rings: Vec<Vec<Vec3>> = profile.iter().map(|&[x, radius]| ellipse(x, [radius; 2], around)).collect();
    loft(&rings)
}

/// An ellipse in the plane of one x with semi-axes along y and z, or its tip.
pub(super) fn ellipse(x: f64, [a, b]: [f64; 2], around: usize) -> Vec<Vec3> {
    if a == 0.0 {
        return vec![[x, 0.0, 0.0]];
    }
    let point = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / around as f64).sin_cos();
        [x, a * cos, b * sin]
    };
    (0..around).map(point).collect()
}
