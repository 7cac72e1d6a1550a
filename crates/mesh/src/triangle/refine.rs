//! Division of facets until they follow the curved surface that they stand for.

use super::curves::CurvedSurface;
use super::mesh::TriangleMesh;
use super::vec3::{Vec3, dot, norm, sub, times};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Times that a side may be halved: a triangle then has been cut into a million.
const MAX_LEVEL: u32 = 10;

/// Relative difference up to which lengths are the same, but for rounding.
const SAME_LENGTH: f64 = 1e-9;

/// A mesh whose facets follow the curved surface that those of another one stand for.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// The mesh. Its first vertices are those of the other one.
    pub mesh: TriangleMesh,
    /// Triangles that were divided.
    pub divided: usize,
    /// Their share of the area.
    pub divided_share: f64,
    /// For each triangle that was given, how far the surface over it may be from where it was drawn, m: what its neighbors leave open.
    pub uncertainty: Vec<f64>,
}

impl TriangleMesh {
    /// Divides triangles on curved surfaces until no side is farther than `sagitta` from the surface; `None` if more than `most` are
    /// needed. Flat faces and edges of the body stay: surfaces go on over bends of less than `angle` that other bends continue. The mesh
    /// must be welded.
    ///
    /// ```
    /// let coarse = phasefront_mesh::targets::sphere(1.0, 4).unwrap();
    /// let fine = coarse.refined(1e-3, phasefront_mesh::SMOOTH_ANGLE, 1_000_000).unwrap();
    /// let off = |p: &[f64; 3]| (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt() - 1.0;
    /// assert!(fine.mesh.vertices.iter().all(|p| off(p).abs() < 2e-4));
    /// assert_eq!(fine.divided, 320);
    /// ```
    pub fn refined(&self, sagitta: f64, angle: f64, most: usize) -> Option<Refined> {
        let surface = CurvedSurface::new(self, angle);
        let mut fine = Self { vertices: self.vertices.clone(), ..Self::default() };
        fine.group_names.clone_from(&self.group_names);
        let mut division = Division { surface: &surface, sagitta, fine, middles: HashMap::new() };
        let (mut divided, mut divided_area) = (0, 0.0);
        for (t, &vertices) in self.triangles.iter().enumerate() {
            let before = division.fine.triangles.len();
            let corners = [0, 1, 2].map(|k| {
                let mut shares = [0.0; 3];
                shares[k] = 1.0;
                Corner { vertex: vertices[k], shares }
            });
            division.divide(t, corners, 0);
            if division.fine.triangles.len() > most {
                return None;
            }
            if division.fine.triangles.len() > before + 1 {
                divided += 1;
                divided_area += norm(self.area_vector(t));
            }
        }
        Some(Refined {
            mesh: division.fine,
            divided,
            divided_share: divided_area / self.area().max(f64::MIN_POSITIVE),
            uncertainty: (0..self.triangles.len()).map(|t| surface.uncertainty(t)).collect(),
        })
    }
}

/// A corner of a part of a triangle.
#[derive(Clone, Copy)]
struct Corner {
    vertex: u32,
    /// Its barycentric coordinates in the triangle.
    shares: [f64; 3],
}

struct Division<'a> {
    surface: &'a CurvedSurface<'a>,
    sagitta: f64,
    fine: TriangleMesh,
    /// The vertex in the middle of a side, if it is divided. Both triangles of a side find the same.
    middles: HashMap<[u32; 2], Option<u32>>,
}

impl Division<'_> {
    /// Adds a part of triangle `t`, divided at the middles of those of its sides that leave the surface.
    fn divide(&mut self, t: usize, corners: [Corner; 3], level: u32) {
        let middles = [0, 1, 2].map(|k| self.middle(t, [corners[k], corners[(k + 1) % 3]], level));
        let count = middles.iter().flatten().count();
        // Turned so that the divided sides are the first, or the whole one is the last.
        let turn = (0..3).find(|&k| middles[k].is_some() && (count != 2 || middles[(k + 1) % 3].is_some()));
        let turn = turn.unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|k| corners[(turn + k) % 3]);
        let parts = match [0, 1, 2].map(|k| middles[(turn + k) % 3]) {
            [Some(ab), Some(bc), Some(ca)] => vec![[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]],
            [Some(ab), Some(bc), None] => {
                let cut = match self.compared([a, bc], [ab, c]) {
                    Ordering::Less => vec![[a, ab, bc], [a, bc, c]],
                    Ordering::Greater => vec![[a, ab, c], [ab, bc, c]],
                    // About the middle, so that a body with a plane of symmetry stays symmetric.
                    Ordering::Equal => {
                        let m = self.add(
                            t,
                            [0, 1, 2].map(|k| 0.25 * [a, ab, bc, c].map(|p| p.shares[k]).iter().sum::<f64>()),
                        );
                        vec![[a, ab, m], [ab, bc, m], [bc, c, m], [c, a, m]]
                    }
                };
                [vec![[ab, b, bc]], cut].concat()
            }
            [Some(ab), ..] => vec![[a, ab, c], [ab, b, c]],
            _ => {
                self.fine.triangles.push([a, b, c].map(|corner| corner.vertex));
                self.fine.groups.push(self.surface.group(t));
                return;
            }
        };
        for part in parts {
            self.divide(t, part, level + 1);
        }
    }

    /// Compares the lengths of two lines between corners, up to rounding.
    fn compared(&self, first: [Corner; 2], second: [Corner; 2]) -> Ordering {
        let [one, other] = [first, second].map(|[from, to]| norm(sub(self.at(to), self.at(from))));
        if (one - other).abs() <= SAME_LENGTH * other { Ordering::Equal } else { one.total_cmp(&other) }
    }

    /// A new vertex on the surface.
    fn add(&mut self, t: usize, shares: [f64; 3]) -> Corner {
        self.fine.vertices.push(self.surface.point(t, shares));
        Corner { vertex: self.fine.vertices.len() as u32 - 1, shares }
    }

    fn at(&self, corner: Corner) -> Vec3 {
        self.fine.vertices[corner.vertex as usize]
    }

    /// The middle of a side, if the side leaves the surface at a quarter, at the middle or at three quarters.
    fn middle(&mut self, t: usize, [a, b]: [Corner; 2], level: u32) -> Option<Corner> {
        let shares = |s: f64| [0, 1, 2].map(|k| (1.0 - s) * a.shares[k] + s * b.shares[k]);
        let key = [a.vertex.min(b.vertex), a.vertex.max(b.vertex)];
        let known = self.middles.get(&key).copied();
        let vertex = known.unwrap_or_else(|| {
            let [from, along] = [self.at(a), sub(self.at(b), self.at(a))];
            let leaves = |s: f64| {
                let off = sub(self.surface.point(t, shares(s)), from);
                let height =
                    sub(off, times(dot(off, along) / dot(along, along).max(f64::MIN_POSITIVE), along));
                norm(height) > self.sagitta
            };
            let is_divided = level < MAX_LEVEL && [0.25, 0.5, 0.75].into_iter().any(leaves);
            let vertex = is_divided.then(|| self.add(t, shares(0.5)).vertex);
            self.middles.insert(key, vertex);
            vertex
        })?;
        Some(Corner { vertex, shares: shares(0.5) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{cuboid, cylinder, ogive, plate, sphere, trihedral};
    use crate::triangle::vec3::add;
    use crate::triangle::{SMOOTH_ANGLE, WELD_TOLERANCE, repair};

    fn refined(mesh: &TriangleMesh, sagitta: f64) -> Refined {
        let fine = mesh.refined(sagitta, SMOOTH_ANGLE, 1_000_000).unwrap();
        // Without gaps: as many holes, none of them new.
        let [before, after] =
            [mesh, &fine.mesh].map(|mesh| repair(mesh.clone(), WELD_TOLERANCE).unwrap().report);
        assert_eq!((before.closed_shells, before.holes.len()), (after.closed_shells, after.holes.len()));
        assert_eq!(after.repairs, crate::triangle::Repairs::default());
        fine
    }

    /// Largest distance of vertices from a surface.
    fn off(fine: &Refined, distance: impl Fn(Vec3) -> f64) -> f64 {
        fine.mesh.vertices.iter().map(|&p| distance(p).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn spheres_are_round() {
        // 80 facets leave a sphere by a sixteenth of the radius, 2000 by a 400th.
        for (cells, tolerance) in [(2, 5e-3), (4, 3e-4), (10, 1e-5)] {
            let fine = refined(&sphere(1.0, cells).unwrap(), 1e-4);
            let worst = off(&fine, |p| norm(p) - 1.0);
            assert!(worst < tolerance, "{cells}: {worst}");
            assert_eq!((fine.divided, fine.divided_share), (20 * cells * cells, 1.0));
        }
    }

    #[test]
    fn cylinders_are_round_and_their_ends_flat() {
        for cells in [[1, 24], [5, 24], [40, 16]] {
            let fine = refined(&cylinder(1.0, 6.0, cells, true).unwrap(), 1e-3);
            let around = |p: Vec3| p[0].hypot(p[1]);
            let on_end = |p: Vec3| (p[2].abs() - 3.0).abs() < 1e-9;
            assert!(off(&fine, |p| if on_end(p) { 0.0 } else { around(p) - 1.0 }) < 2e-3);
            let rim = fine.mesh.vertices.iter().filter(|&&p| on_end(p) && around(p) > 0.9);
            // The rim is a circle, too.
            assert!(rim.clone().all(|&p| (around(p) - 1.0).abs() < 1e-4) && rim.count() > cells[1]);
        }
    }

    #[test]
    fn an_ogive_is_round_up_to_its_tips() {
        let (length, radius) = (10.0_f64, 1.0_f64);
        // An arc of radius R about (0, −(R − a)) through the tips.
        let arc = (length * length / 4.0 + radius * radius) / (2.0 * radius);
        let on_arc = |p: Vec3| (p[0].powi(2) + (p[1].hypot(p[2]) + arc - radius).powi(2)).sqrt() - arc;
        let mesh = ogive(length, radius, [12, 18]).unwrap();
        let axis = mesh.vertices.iter().map(|p| p[0]).fold(0.0, f64::max);
        assert!((axis - 5.0).abs() < 1e-12, "along x");
        let worst = off(&refined(&mesh, 1e-3), on_arc);
        // The chords leave it by 0.02.
        assert!(worst < 2e-3, "{worst}");
    }

    #[test]
    fn flat_bodies_stay() {
        let bodies = [plate([1.0, 2.0], [3, 2]), cuboid([1.0, 2.0, 3.0], [2, 2, 2]), trihedral(1.0, 4)]
            .map(Result::unwrap);
        for mesh in bodies {
            let fine = refined(&mesh, 1e-9);
            assert_eq!((&fine.mesh, fine.divided), (&mesh, 0));
            assert!(fine.uncertainty.iter().all(|&h| h < 1e-12));
        }
    }

    /// Mirrored triangles must be cut into mirror images: what is left would turn the polarization of an echo.
    #[test]
    fn symmetric_bodies_stay_symmetric() {
        for cells in [2, 3, 5] {
            let mesh = sphere(1.0, cells).unwrap().mapped(|[x, y, z]| [1.3 * x, y, 0.7 * z]);
            let fine = refined(&mesh, 1e-4);
            // In pairs of mirror images. Odd across the plane y = 0, and uneven along it.
            let odd = |t: usize| {
                let [x, y, z] = times(1.0 / 3.0, fine.mesh.corners(t).into_iter().fold([0.0; 3], add));
                norm(fine.mesh.area_vector(t)).powi(2) * y * (1.0 + (37.0 * x).sin() + (41.0 * z).sin())
            };
            let all: Vec<f64> = (0..fine.mesh.triangles.len()).map(odd).collect();
            let [sum, whole] = [all.iter().sum::<f64>(), all.iter().map(|x| x.abs()).sum()];
            assert!(sum.abs() < 1e-9 * whole, "{cells}: {sum:e} of {whole:e}");
        }
    }

    #[test]
    fn too_many_are_refused() {
        assert_eq!(sphere(1.0, 4).unwrap().refined(1e-6, SMOOTH_ANGLE, 10_000), None);
    }

    #[test]
    fn patches_meet_at_their_sides() {
        // A shaken sphere, where neighbors have different normals.
        let mesh = sphere(1.0, 5).unwrap().mapped(|[x, y, z]| {
            let shift = times(0.03, [(7.0 * y).sin(), (9.0 * z).sin(), (8.0 * x).sin()]);
            add([x, y, z], shift)
        });
        refined(&mesh, 1e-3);
    }
}
