//! What the edges of a triangulated surface stand for: chords of a curved surface, or edges of the body.

use super::disjoint_sets::DisjointSets;
use super::edges::{Edge, Edges, ends, turn};
use super::mesh::TriangleMesh;
use super::vec3::{norm, sub};
use std::collections::HashMap;

/// Angle below which two triangles are parts of one flat face, in radians: 0.2 degrees. Facets of this angle leave a surface of a
/// thousand wavelengths radius by less than a five-hundredth of a wavelength.
const FLAT: f64 = 3.5e-3;
/// How much wider a face is than its neighbor where a straight part of a surface ends at a rounding.
const JOINT_WIDTHS: f64 = 3.0;
/// How much rounder the surface is behind such a joint.
const JOINT_CURVATURES: f64 = 3.0;
/// Least turn of a neighboring fold, relative to that of a fold of a curved surface in the same sense: curvature changes steadily.
const SAME_SENSE: f64 = 1.0 / 3.0;
/// The same in the opposite sense, behind an inflection.
const OPPOSITE_SENSE: f64 = -1.0;

/// What an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bend {
    /// Between triangles of one flat face.
    Flat,
    /// A chord of a surface that curves over it.
    Curved,
    /// Where a straight part of the surface meets a rounding tangentially, with the half-edge of the straight part.
    Joint(u32),
    /// An edge of the body: a crease, a rim, or an edge of more than two triangles.
    Sharp,
}

/// What each edge is, in the order of `edges`; the surface turns over edges of the body by `angle` or more.
pub(super) fn bends(mesh: &TriangleMesh, edges: &Edges, angle: f64) -> Vec<Bend> {
    let turns: Vec<Option<f64>> = edges.iter().map(|edge| smooth_turn(mesh, edge, angle)).collect();
    let mut planes = DisjointSets::new(mesh.triangles.len());
    for (edge, turn) in edges.iter().zip(&turns) {
        if turn.is_some_and(|turn| turn.abs() < FLAT) {
            planes.join(edge.halves[0] as usize / 3, edge.halves[1] as usize / 3);
        }
    }
    let planes = planes.numbers();
    let folds = Folds::new(mesh, edges, &turns, &planes);
    let kinds = folds.kinds();
    let bend = |(edge, turn): (Edge, &Option<f64>)| match turn {
        None => Bend::Sharp,
        Some(turn) if turn.abs() < FLAT => Bend::Flat,
        Some(_) => match kinds[folds.number(&planes, edge)] {
            Kind::Curved => Bend::Curved,
            Kind::Sharp => Bend::Sharp,
            Kind::Joint(straight) => {
                Bend::Joint(edge.halves[usize::from(planes[edge.halves[0] as usize / 3] != straight)])
            }
        },
    };
    edges.iter().zip(&turns).map(bend).collect()
}

/// The turn over an edge of two triangles in the same winding, if it is less than that of an edge of the body.
fn smooth_turn(mesh: &TriangleMesh, edge: Edge, least: f64) -> Option<f64> {
    let &[first, second] = edge.halves else { return None };
    let angle = turn(mesh, [first, second]);
    (ends(mesh, first)[0] == ends(mesh, second)[1] && angle.abs() < least).then_some(angle)
}

/// All edges between the same two flat faces.
struct Fold {
    /// The faces, the lower number first.
    faces: [u32; 2],
    /// Mean signed angle, positive where convex.
    turn: f64,
    /// Width of each face: its area over the length of the fold.
    widths: [f64; 2],
}

impl Fold {
    /// Turn per length: 2θ/(w₁ + w₂).
    fn curvature(&self) -> f64 {
        2.0 * self.turn / (self.widths[0] + self.widths[1])
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Curved,
    /// With the straight face.
    Joint(u32),
    Sharp,
}

struct Folds {
    list: Vec<Fold>,
    numbers: HashMap<[u32; 2], usize>,
    /// Folds of each face.
    of_face: Vec<Vec<usize>>,
}

impl Folds {
    /// The folds of a mesh, given the turn over each smooth edge and the face of each triangle.
    fn new(mesh: &TriangleMesh, edges: &Edges, turns: &[Option<f64>], planes: &[u32]) -> Self {
        let count = planes.iter().max().map_or(0, |&last| last as usize + 1);
        let mut areas = vec![0.0; count];
        for (t, &plane) in planes.iter().enumerate() {
            areas[plane as usize] += norm(mesh.area_vector(t));
        }
        let mut all = Self { list: Vec::new(), numbers: HashMap::new(), of_face: vec![Vec::new(); count] };
        let mut lengths = Vec::new();
        for (edge, turn) in edges.iter().zip(turns) {
            let Some(turn) = turn.filter(|turn| turn.abs() >= FLAT) else { continue };
            let faces = faces_of(planes, edge);
            let number = *all.numbers.entry(faces).or_insert_with(|| {
                all.list.push(Fold { faces, turn: 0.0, widths: [0.0; 2] });
                lengths.push(0.0);
                for face in faces {
                    all.of_face[face as usize].push(lengths.len() - 1);
                }
                lengths.len() - 1
            });
            let [a, b] = edge.vertices.map(|v| mesh.vertices[v as usize]);
            let length = norm(sub(b, a));
            all.list[number].turn += length * turn;
            lengths[number] += length;
        }
        for (fold, length) in all.list.iter_mut().zip(lengths) {
            fold.turn /= length;
            fold.widths = fold.faces.map(|face| areas[face as usize] / length);
        }
        all
    }

    /// The fold that an edge is part of.
    fn number(&self, planes: &[u32], edge: Edge) -> usize {
        self.numbers[&faces_of(planes, edge)]
    }

    /// A joint, a curved surface, or a crease between flat faces: a lone turn that nothing beside it continues.
    fn kinds(&self) -> Vec<Kind> {
        let joints = self.joints();
        let is_continued = |i: usize| {
            self.beside(i).any(|j| {
                let ratio = self.list[j].turn / self.list[i].turn;
                joints[j].is_none() && (ratio >= SAME_SENSE || ratio <= OPPOSITE_SENSE)
            })
        };
        let kind = |i: usize| match joints[i] {
            Some(straight) => Kind::Joint(straight),
            None if is_continued(i) => Kind::Curved,
            None => Kind::Sharp,
        };
        (0..self.list.len()).map(kind).collect()
    }

    /// The other folds of both faces of a fold.
    fn beside(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self.list[i].faces.into_iter().flat_map(|face| &self.of_face[face as usize]);
        all.copied().filter(move |&j| j != i)
    }

    /// The straight face of each fold that is a joint. Slivers of a round surface look like joints too, but there the faces on both
    /// sides are connected around them.
    fn joints(&self) -> Vec<Option<u32>> {
        let candidates: Vec<Option<u32>> = (0..self.list.len()).map(|i| self.joint(i)).collect();
        let mut parts = DisjointSets::new(self.of_face.len());
        for (fold, candidate) in self.list.iter().zip(&candidates) {
            if candidate.is_none() {
                parts.join(fold.faces[0] as usize, fold.faces[1] as usize);
            }
        }
        let parts = parts.numbers();
        let is_between_parts = |fold: &Fold| parts[fold.faces[0] as usize] != parts[fold.faces[1] as usize];
        let joints = self.list.iter().zip(candidates);
        joints.map(|(fold, candidate)| candidate.filter(|_| is_between_parts(fold))).collect()
    }

    /// The wide face of a fold, if behind the narrow one the surface is much rounder.
    fn joint(&self, i: usize) -> Option<u32> {
        let fold = &self.list[i];
        let wide = usize::from(fold.widths[1] > fold.widths[0]);
        if fold.widths[wide] <= JOINT_WIDTHS * fold.widths[1 - wide] {
            return None;
        }
        let behind = self.of_face[fold.faces[1 - wide] as usize].iter().filter(|&&j| j != i);
        let rounder = |&j: &usize| self.list[j].curvature().abs() > JOINT_CURVATURES * fold.curvature().abs();
        behind.into_iter().any(rounder).then_some(fold.faces[wide])
    }
}

fn faces_of(planes: &[u32], edge: Edge) -> [u32; 2] {
    let [a, b] = [0, 1].map(|k| planes[edge.halves[k] as usize / 3]);
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{cuboid, cylinder, sphere};
    use crate::triangle::SMOOTH_ANGLE;
    use std::f64::consts::FRAC_PI_2;

    fn counts(mesh: &TriangleMesh) -> [usize; 4] {
        let mut counts = [0; 4];
        for bend in bends(mesh, &Edges::of(mesh), SMOOTH_ANGLE) {
            counts[match bend {
                Bend::Flat => 0,
                Bend::Curved => 1,
                Bend::Joint(_) => 2,
                Bend::Sharp => 3,
            }] += 1;
        }
        counts
    }

    #[test]
    fn a_closed_cylinder_curves_around_and_has_two_edges() {
        let mesh = cylinder(0.25, 1.0, [3, 24], true).unwrap();
        // Flat: a diagonal in each of 3 · 24 cells, the rings between cells, the spokes of the ends.
        assert_eq!(counts(&mesh), [3 * 24 + 2 * 24 + 2 * 24, 3 * 24, 0, 2 * 24]);
    }

    #[test]
    fn flat_bodies_have_no_curves() {
        assert_eq!(counts(&cuboid([1.0; 3], [2, 2, 2]).unwrap())[1..3], [0, 0]);
        // Two plates that meet at 20 degrees.
        assert_eq!(counts(&strip(&[[0.0, 0.0], [1.0, 0.0], [1.94, 0.342]])), [2, 0, 0, 1 + 6]);
    }

    /// A profile in the x-z plane drawn along y, in one row of cells.
    fn strip(profile: &[[f64; 2]]) -> TriangleMesh {
        let vertices = profile.iter().flat_map(|&[x, z]| [[x, 0.0, z], [x, 1.0, z]]).collect();
        let cells = 0..profile.len() as u32 - 1;
        let triangles =
            cells.flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 3], [2 * i, 2 * i + 3, 2 * i + 1]]).collect();
        TriangleMesh::with_one_group(vertices, triangles, "strip").unwrap()
    }

    /// Two planes with a quarter of a circle of `steps` between them.
    fn fillet(steps: usize) -> TriangleMesh {
        let arc = (0..=steps).map(|i| {
            let (sin, cos) = (FRAC_PI_2 * i as f64 / steps as f64).sin_cos();
            [1.0 + 0.2 * sin, 0.2 * cos]
        });
        let mut profile = vec![[0.0, 0.2]];
        profile.extend(arc);
        profile.push([1.2, -1.0]);
        strip(&profile)
    }

    #[test]
    fn a_fillet_is_curved_between_joints() {
        for steps in [5, 8, 12] {
            let mesh = fillet(steps);
            let edges = Edges::of(&mesh);
            let all = bends(&mesh, &edges, SMOOTH_ANGLE);
            let count = |kind: fn(&Bend) -> bool| all.iter().filter(|&bend| kind(bend)).count();
            assert_eq!(count(|bend| matches!(bend, Bend::Joint(_))), 2);
            assert_eq!(count(|&bend| bend == Bend::Curved), steps - 1);
            // The straight parts are the first and the last cell.
            let last = mesh.triangles.len() as u32 - 1;
            assert!(all.iter().all(|bend| match bend {
                Bend::Joint(half) => half / 3 < 2 || half / 3 >= last - 1,
                _ => true,
            }));
        }
    }

    #[test]
    fn uneven_facets_of_a_sphere_are_all_of_one_surface() {
        // Shaken along the surface: wide and narrow facets side by side.
        let mesh = sphere(1.0, 6).unwrap().mapped(|p| {
            let [x, y, z] = [0, 1, 2].map(|k| p[k] + 0.05 * (37.0 * p[(k + 1) % 3]).sin());
            let length = (x * x + y * y + z * z).sqrt();
            [x, y, z].map(|x| x / length)
        });
        // Two triangles may happen to lie in one plane.
        let [flat, curved, joints, sharp] = counts(&mesh);
        assert!(flat < 5 && curved + flat == 30 * 36);
        assert_eq!((joints, sharp), (0, 0));
    }
}
