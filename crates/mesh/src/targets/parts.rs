//! Parts of vehicles: closed shells that intersect each other, as in CAD models. Only their union
//! is visible from outside; no ray reaches surfaces inside another shell.

use super::flat::cuboid;
use super::loft::solid;
use super::patches::body;
use super::round::cylinder;
use crate::error::MeshError;
use crate::triangle::vec3::{Vec3, add};
use crate::triangle::{TriangleMesh, split_longest};
use std::f64::consts::{PI, TAU};

/// A cross-section at one x: height of its middle, half width, half height, and the exponent p of its super-ellipse
/// |y/a|^p + |z/b|^p = 1. A section without width is a tip.
#[derive(Clone, Copy)]
pub(super) struct Section {
    pub x: f64,
    pub z: f64,
    pub half: [f64; 2],
    pub power: f64,
}

/// `[x, z, half width, half height, p]`, as tables have it.
impl From<[f64; 5]> for Section {
    fn from([x, z, a, b, power]: [f64; 5]) -> Self {
        Self { x, z, half: [a, b], power }
    }
}

impl Section {
    fn ring(self, around: usize) -> Vec<Vec3> {
        if self.half[0] <= 0.0 {
            return vec![[self.x, 0.0, self.z]];
        }
        // Super-ellipse: (a cos^{2/p} θ, b sin^{2/p} θ) with signs.
        let bent = |x: f64| x.signum() * x.abs().powf(2.0 / self.power);
        let point = |i: usize| {
            // Half a step off the axes, so that the corners of boxy sections are chamfered
            // symmetrically.
            let (sin, cos) = (TAU * (i as f64 + 0.5) / around as f64).sin_cos();
            [self.x, self.half[0] * bent(cos), self.z + self.half[1] * bent(sin)]
        };
        (0..around).map(point).collect()
    }
}

/// A hull through sections, smooth between them (Catmull and Rom 1974), with `steps` rings from each to the next.
pub(super) fn smooth_rings(table: &[[f64; 5]], steps: usize, around: usize) -> Vec<Vec<Vec3>> {
    let last = table.len() - 1;
    let value = |segment: usize, t: f64| -> [f64; 5] {
        std::array::from_fn(|k| {
            let at = |i: usize| table[i][k];
            let slope = |i: usize| match i {
                0 => at(1) - at(0),
                i if i == last => at(last) - at(last - 1),
                i => 0.5 * (at(i + 1) - at(i - 1)),
            };
            // Hermite's cubic between the two.
            let (a, b) = (at(segment), at(segment + 1));
            let (da, db) = (slope(segment), slope(segment + 1));
            let c = 3.0 * (b - a) - 2.0 * da - db;
            let d = 2.0 * (a - b) + da + db;
            a + t * (da + t * (c + t * d))
        })
    };
    let inner =
        (0..last).flat_map(|segment| (0..steps).map(move |i| value(segment, i as f64 / steps as f64)));
    inner.chain([table[last]]).map(|row| Section::from(row).ring(around)).collect()
}

/// Rings through sections as they are.
pub(super) fn plain_rings(table: &[[f64; 5]], around: usize) -> Vec<Vec<Vec3>> {
    table.iter().map(|&row| Section::from(row).ring(around)).collect()
}

/// A body through a table of sections, moved sideways.
pub(super) fn pod(table: &[[f64; 5]], y: f64, around: usize) -> TriangleMesh {
    solid(plain_rings(table, around)).mapped(|p| add(p, [0.0, y, 0.0]))
}

/// A symmetric wing: stations `[x of the nose, y, z, chord, thickness over chord]` from the middle to the tip, and mirrored
/// to the other side. `points` are those on one side of the profile.
pub(super) fn wings(stations: &[[f64; 5]], points: usize) -> TriangleMesh {
    let mirrored = stations[1..].iter().rev().map(|&[x, y, z, chord, t]| [x, -y, z, chord, t]);
    let all: Vec<[f64; 5]> = mirrored.chain(stations.iter().copied()).collect();
    panel(&all, points)
}

/// A wing through stations, in the order of their y.
pub(super) fn panel(stations: &[[f64; 5]], points: usize) -> TriangleMesh {
    solid(stations.iter().map(|&station| profile(station, points)).collect())
}

/// A fin: as [`panel`], with its stations one above the other: `[x of the nose, z, y, chord, thickness over chord]`.
pub(super) fn fin(stations: &[[f64; 5]], points: usize) -> TriangleMesh {
    panel(stations, points).mapped(|[x, y, z]| [x, -z, y])
}

/// The four-digit NACA thickness with a closed trailing edge (Abbott and von Doenhoff, section 6.4, with -0.1036):
/// half of it is 5 t (0.2969 √s - 0.1260 s - 0.3516 s² + 0.2843 s³ - 0.1036 s⁴).
fn profile([nose, y, z, chord, thickness]: [f64; 5], points: usize) -> Vec<Vec3> {
    let point = |i: usize| {
        // Cosine spacing concentrates points at the nose and the trailing edge.
        let s = 0.5 * (1.0 + (PI * i as f64 / points as f64).cos());
        let polynomial = s * (-0.1260 + s * (-0.3516 + s * (0.2843 - s * 0.1036)));
        // Exactly zero at nose and trailing edge, where both sides share their point.
        let half = match i % points {
            0 => 0.0,
            _ => 5.0 * thickness * chord * (0.2969 * s.sqrt() + polynomial),
        };
        [nose - chord * s, y, if i < points { z + half } else { z - half }]
    };
    (0..2 * points).map(point).collect()
}

/// A box around a point.
pub(super) fn block(middle: Vec3, size: Vec3) -> Result<TriangleMesh, MeshError> {
    Ok(cuboid(size, [2; 3])?.mapped(|p| add(p, middle)))
}

/// An upright cylinder around a point.
pub(super) fn post(middle: Vec3, radius: f64, height: f64) -> Result<TriangleMesh, MeshError> {
    Ok(cylinder(radius, height, [2, 16], true)?.mapped(|p| add(p, middle)))
}

/// The parts together, in a box of exactly this size around the origin, with exactly `count` triangles.
pub(super) fn assembled(
    parts: impl IntoIterator<Item = TriangleMesh>,
    size: [f64; 3],
    count: usize,
) -> TriangleMesh {
    let mut all = body(Vec::new(), Vec::new());
    for part in parts {
        all.append(&part);
    }
    let [low, high] = all.bounds();
    let mut fitted = all.mapped(|p| {
        // −1 and 1 at the ends, exactly: the published size holds to the last bit.
        let ratio = |k: usize| ((p[k] - low[k]) - (high[k] - p[k])) / (high[k] - low[k]);
        [0, 1, 2].map(|k| 0.5 * size[k] * ratio(k))
    });
    // The published number of triangles, by refinement of the longest edges.
    split_longest(&mut fitted, count);
    fitted
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::closed;
    use super::*;

    /// Checks that a vehicle has its size, its number of triangles and of shells.
    #[track_caller]
    pub(in super::super) fn vehicle(mesh: &TriangleMesh, size: [f64; 3], count: usize, shells: usize) {
        let report = closed(mesh);
        assert_eq!((report.triangles, report.shells), (count, shells));
        assert_eq!(report.bounds, [size.map(|x| -0.5 * x), size.map(|x| 0.5 * x)]);
    }

    /// Where a ray along x first meets the mesh.
    fn first_hit(mesh: &TriangleMesh, y: f64, z: f64, toward: f64) -> Option<f64> {
        let hits = (0..mesh.triangles.len()).filter_map(|t| {
            let [a, b, c] = mesh.corners(t);
            // Twice the areas of the parts that (y, z) makes of the triangle, seen along x.
            let area = |p: Vec3, q: Vec3| (p[1] - y) * (q[2] - z) - (p[2] - z) * (q[1] - y);
            let parts = [area(b, c), area(c, a), area(a, b)];
            let inside = parts.iter().all(|&part| part > 0.0) || parts.iter().all(|&part| part < 0.0);
            let total: f64 = parts.iter().sum();
            inside.then(|| (parts[0] * a[0] + parts[1] * b[0] + parts[2] * c[0]) / total)
        });
        hits.reduce(|a, b| if (b - a) * toward < 0.0 { b } else { a })
    }

    /// Checks that some ray along x, at this y, goes right to the end of a duct.
    #[track_caller]
    pub(in super::super) fn open_duct(mesh: &TriangleMesh, y: f64, toward: f64, end: f64) {
        let heights = (-100..100).map(|i| 0.5 * mesh.bounds()[1][2] * (f64::from(i) + 0.123) / 100.0);
        let hits: Vec<f64> = heights.filter_map(|z| first_hit(mesh, y, z, toward)).collect();
        assert!(hits.iter().any(|hit| (hit - end).abs() < 1e-9), "{hits:?}");
    }

    #[test]
    fn a_smooth_hull_goes_through_its_sections() {
        let table = [[2.0, 0.0, 0.0, 0.0, 2.0], [1.0, 0.1, 0.5, 0.6, 2.0], [-1.0, 0.2, 0.7, 0.8, 2.0]];
        let rings = smooth_rings(&table, 4, 64);
        assert_eq!(rings.len(), 9);
        assert_eq!(rings[0], [[2.0, 0.0, 0.0]]);
        for (ring, [x, z, a, b, _]) in [(&rings[4], table[1]), (&rings[8], table[2])] {
            for &[px, py, pz] in ring {
                assert_eq!(px, x);
                assert!(((py / a).powi(2) + ((pz - z) / b).powi(2) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_profile_is_as_thick_as_it_says() {
        let ring = profile([1.0, 0.0, 0.0, 2.0, 0.12], 400);
        let thickest = ring.iter().map(|p| p[2]).fold(0.0, f64::max);
        assert!((2.0 * thickest - 0.24).abs() < 1e-4, "{thickest}");
    }
}
