//! The curved surface that a triangulation stands for: a cubic patch over each triangle.
//!
//! A. Vlachos, J. Peters, C. Boyd, J. L. Mitchell, "Curved PN triangles", Symp. Interactive 3D Graphics, 2001, with normals after
//! N. Max, "Weights for computing vertex normals from facet normals", J. Graphics Tools 4 (2), 1999, which are exact on spheres.
//! Neighbors share the curves of their edges: the surface has no gaps.

use super::bends::{Bend, bends};
use super::edges::{Edges, ends};
use super::mesh::TriangleMesh;
use super::vec3::{Vec3, add, cross, dot, norm, sub, times};

/// How much farther than the sharpest bend at a facet the normal at its corner may lean before the corner is taken for a tip.
const TIP: f64 = 1.5;
/// Sine of the angle between two surfaces from which their intersection has a direction.
const CROSSING: f64 = 0.1;
/// Cosine of the largest angle between an edge and its chord.
const LEAST_COSINE: f64 = 0.7;
/// Largest distance of a cubic with heights h, −h of its handles from its chord, relative to h: 3t(1−t)(1−2t) at t = (1 − 1/√3)/2.
const ANTISYMMETRIC: f64 = 0.288_675_134_594_812_9;

/// The normal of the surface at a corner of a triangle.
#[derive(Clone, Copy, PartialEq)]
enum Normal {
    /// Of triangles all around.
    Known(Vec3),
    /// At an edge of the body, of the triangles on one side.
    OneSided(Vec3),
    /// There is none.
    Tip,
}

impl Normal {
    fn vector(self) -> Option<Vec3> {
        match self {
            Self::Known(normal) | Self::OneSided(normal) => Some(normal),
            Self::Tip => None,
        }
    }
}

/// The handles of an edge's cubic, relative to their ends, in the order of its vertices.
type Handles = [Vec3; 2];

/// A cubic patch over each triangle.
pub(super) struct CurvedSurface<'a> {
    mesh: &'a TriangleMesh,
    /// By half-edge, in its sense.
    handles: Vec<Handles>,
}

impl<'a> CurvedSurface<'a> {
    /// The surface of a mesh, flat where it is flat, with an edge wherever it turns by `angle` or more.
    pub fn new(mesh: &'a TriangleMesh, angle: f64) -> Self {
        let edges = Edges::of(mesh);
        let bends = bends(mesh, &edges, angle);
        let normals = normals(mesh, &edges, &bends);
        let mut handles = vec![[[0.0; 3]; 2]; 3 * mesh.triangles.len()];
        for (edge, bend) in edges.iter().zip(bends) {
            let curve = curve(mesh, &normals, edge.vertices, edge.halves, bend);
            for &half in edge.halves {
                let [first, last] = curve;
                let along = ends(mesh, half)[0] == edge.vertices[0];
                handles[half as usize] = if along { [first, last] } else { [last, first] };
            }
        }
        Self { mesh, handles }
    }

    /// The group of a triangle.
    pub fn group(&self, triangle: usize) -> u32 {
        self.mesh.groups[triangle]
    }

    /// The point of a triangle with these barycentric coordinates.
    pub fn point(&self, triangle: usize, [u, v, w]: [f64; 3]) -> Vec3 {
        let corners = self.mesh.corners(triangle);
        let shares = [u, v, w];
        let mut sum = [0.0; 3];
        let mut handles = [0.0; 3];
        for k in 0..3 {
            let (a, b) = (shares[k], shares[(k + 1) % 3]);
            let (p, q) = (corners[k], corners[(k + 1) % 3]);
            let [from, to] = self.handles[3 * triangle + k];
            let (from, to) = (add(p, from), add(q, to));
            sum = add(sum, times(a.powi(3), p));
            sum = add(sum, add(times(3.0 * a * a * b, from), times(3.0 * a * b * b, to)));
            handles = add(handles, add(from, to));
        }
        // b₁₁₁ = E + (E − V)/2, with the means E of the handles and V of the corners.
        let mean = corners.iter().fold([0.0; 3], |sum, &p| add(sum, times(1.0 / 3.0, p)));
        let inner = sub(times(1.5 / 6.0, handles), times(0.5, mean));
        add(sum, times(6.0 * u * v * w, inner))
    }

    /// How far the surface may be from where it is drawn over a triangle: what is left of the height of its edges' cubics besides an arc.
    /// An edge that turns steadily has none; one that turns at one end only may as well turn in the middle.
    pub fn uncertainty(&self, triangle: usize) -> f64 {
        let height = |k: usize| {
            let [from, to] = self.handles[3 * triangle + k];
            let [p, q] = ends(self.mesh, (3 * triangle + k) as u32).map(|i| self.mesh.vertices[i as usize]);
            let along = sub(q, p);
            let rise = |handle: Vec3| sub(handle, times(dot(handle, along) / dot(along, along), along));
            0.5 * ANTISYMMETRIC * norm(sub(rise(from), rise(to)))
        };
        (0..3).map(height).fold(0.0, f64::max)
    }
}

/// The normal at each corner 3t + k of the triangles.
fn normals(mesh: &TriangleMesh, edges: &Edges, bends: &[Bend]) -> Vec<Normal> {
    let facets: Vec<Vec3> = (0..mesh.triangles.len()).map(|t| unit(mesh.area_vector(t))).collect();
    let mut across: Vec<Across> = vec![Across::None; 3 * mesh.triangles.len()];
    // The sharpest bend at the sides of each triangle.
    let mut sharpest = vec![0.0_f64; mesh.triangles.len()];
    for (edge, &bend) in edges.iter().zip(bends) {
        let (&[a, b], false) = (edge.halves, bend == Bend::Sharp) else { continue };
        let angle = angle_between(facets[a as usize / 3], facets[b as usize / 3]);
        for (half, other) in [(a, b), (b, a)] {
            across[half as usize] = match bend {
                Bend::Joint(straight) if straight == half => Across::Rounding(other),
                Bend::Joint(_) => Across::Straight(other),
                _ => Across::Same(other),
            };
            sharpest[half as usize / 3] = sharpest[half as usize / 3].max(angle);
        }
    }
    let mut normals = vec![None; across.len()];
    for corner in 0..across.len() {
        if normals[corner].is_none() {
            let fan = Fan::around(corner as u32, &across);
            let normal = fan.normal(mesh, &across, &facets, &sharpest);
            for member in fan.corners {
                normals[member as usize] = Some(normal);
            }
        }
    }
    // Every corner is in the fan around it.
    normals.into_iter().map(|normal| normal.unwrap_or(Normal::Tip)).collect()
}

/// What is behind a half-edge on the same surface: a half-edge of the neighbor.
#[derive(Clone, Copy, PartialEq)]
enum Across {
    Same(u32),
    /// Behind a joint, from the straight part.
    Rounding(u32),
    /// Behind a joint, from the rounding.
    Straight(u32),
    None,
}

impl Across {
    fn is_joint(self) -> bool {
        matches!(self, Self::Rounding(_) | Self::Straight(_))
    }

    fn half(self) -> Option<u32> {
        match self {
            Self::Same(half) | Self::Rounding(half) | Self::Straight(half) => Some(half),
            Self::None => None,
        }
    }
}

/// The half-edge after another one of its triangle; the corner at which it begins has the same number.
fn next_of(half: u32) -> u32 {
    half / 3 * 3 + (half + 1) % 3
}

/// The half-edge before another one of its triangle.
fn last_of(half: u32) -> u32 {
    half / 3 * 3 + (half + 2) % 3
}

/// Triangles around a vertex that are joined without a sharp edge, by their corners there, counterclockwise.
struct Fan {
    corners: Vec<u32>,
    is_closed: bool,
}

impl Fan {
    /// The fan of a corner. A closed one begins behind a joint, if it has one.
    fn around(start: u32, across: &[Across]) -> Self {
        let mut corners = vec![start];
        // Counterclockwise over the side that ends at the vertex; the neighbor's half-edge there begins at it.
        while let Some(corner) = across[last_of(corners[corners.len() - 1]) as usize].half() {
            if corner == start {
                let joint = corners.iter().position(|&c| across[last_of(c) as usize].is_joint());
                corners.rotate_left(joint.map_or(0, |i| i + 1));
                return Self { corners, is_closed: true };
            }
            corners.push(corner);
        }
        let mut before = Vec::new();
        let mut at = start;
        while let Some(half) = across[at as usize].half() {
            at = next_of(half);
            before.push(at);
        }
        before.reverse();
        before.extend(corners);
        Self { corners: before, is_closed: false }
    }

    /// Max's normal: the mean of the facets' with weights sin α/(|e₁||e₂|), of the angle and its sides. Where a straight part of the
    /// surface ends at a rounding, its own.
    fn normal(&self, mesh: &TriangleMesh, across: &[Across], facets: &[Vec3], sharpest: &[f64]) -> Normal {
        let parts = || self.corners.chunk_by(|&corner, _| !across[last_of(corner) as usize].is_joint());
        let is_straight = |part: &[u32]| {
            let sides = [across[part[0] as usize], across[last_of(part[part.len() - 1]) as usize]];
            !sides.iter().any(|side| matches!(side, Across::Straight(_)))
        };
        let all_round = !parts().any(is_straight);
        let counted = parts().filter(|part| all_round || is_straight(part)).flatten();
        let sum = counted.fold([0.0; 3], |sum, &corner| add(sum, weighted_normal(mesh, corner)));
        let normal = unit(sum);
        let is_tip = self
            .corners
            .iter()
            .map(|&corner| corner as usize / 3)
            .any(|t| angle_between(normal, facets[t]) > TIP * sharpest[t] + f64::EPSILON.sqrt());
        match (is_tip, self.is_closed) {
            (true, _) => Normal::Tip,
            (false, true) => Normal::Known(normal),
            (false, false) => Normal::OneSided(normal),
        }
    }
}

/// e₁ × e₂/(|e₁|²|e₂|²) of the sides of a triangle at a corner.
fn weighted_normal(mesh: &TriangleMesh, corner: u32) -> Vec3 {
    let [t, k] = [corner as usize / 3, corner as usize % 3];
    let points = mesh.corners(t);
    let [a, b] = [1, 2].map(|i| sub(points[(k + i) % 3], points[k]));
    let weight = (dot(a, a) * dot(b, b)).recip();
    if weight.is_finite() { times(weight, cross(a, b)) } else { [0.0; 3] }
}

/// The handles of an edge: along the surface at both ends, as long as those of an arc.
fn curve(mesh: &TriangleMesh, normals: &[Normal], vertices: [u32; 2], halves: &[u32], bend: Bend) -> Handles {
    let [a, b] = vertices.map(|v| mesh.vertices[v as usize]);
    let [forth, back] = [sub(b, a), sub(a, b)];
    let length = norm(forth);
    let along = unit(forth);
    let at = |v: u32, chord: Vec3| {
        let sides: Vec<Normal> = halves
            .iter()
            .map(|&half| normals[if ends(mesh, half)[0] == v { half } else { next_of(half) } as usize])
            .collect();
        tangent(&sides, chord, bend)
    };
    let mirrored = |tangent: Vec3| sub(tangent, times(2.0 * dot(tangent, along), along));
    let tangents =
        match [at(vertices[0], forth), at(vertices[1], back)] {
            [Tangent::Known(t), Tangent::OneSided(_) | Tangent::None]
            | [Tangent::OneSided(t), Tangent::None] => [t, mirrored(t)],
            [Tangent::OneSided(_) | Tangent::None, Tangent::Known(t)]
            | [Tangent::None, Tangent::OneSided(t)] => [mirrored(t), t],
            [Tangent::Known(t), Tangent::Known(u)] | [Tangent::OneSided(t), Tangent::OneSided(u)] => [t, u],
            [Tangent::None, Tangent::None] => [along, times(-1.0, along)],
        };
    // An arc that leaves its chord d at the angle φ has handles of 2d/(3(1 + cos φ)).
    tangents.map(|t| times(2.0 * length / (3.0 * (1.0 + dot(t, along).abs())), t))
}

/// The direction of an edge at one of its ends.
enum Tangent {
    Known(Vec3),
    /// Only good to draw one end like the other.
    OneSided(Vec3),
    None,
}

/// Where the surfaces on both sides of an edge of the body cross; elsewhere the chord, laid on the surface.
fn tangent(sides: &[Normal], chord: Vec3, bend: Bend) -> Tangent {
    let direction = match (bend, sides) {
        (Bend::Sharp, [a, b]) => a.vector().zip(b.vector()).map(|(a, b)| {
            let crossing = cross(a, b);
            if norm(crossing) > CROSSING { times(dot(crossing, chord), crossing) } else { laid(chord, a) }
        }),
        (Bend::Sharp, [a]) => a.vector().map(|a| laid(chord, a)),
        (Bend::Sharp, _) => None,
        _ => sides.first().and_then(|side| side.vector()).map(|normal| laid(chord, normal)),
    };
    // A surface that leaves the chord at a right angle is no guide.
    let direction = direction.map(unit).filter(|&t| dot(t, chord) > LEAST_COSINE * norm(chord));
    match (direction, sides.first()) {
        (Some(t), Some(Normal::Known(_))) => Tangent::Known(t),
        (Some(t), _) => Tangent::OneSided(t),
        (None, _) => Tangent::None,
    }
}

/// The part of a vector that is square to a normal.
fn laid(vector: Vec3, normal: Vec3) -> Vec3 {
    sub(vector, times(dot(vector, normal), normal))
}

/// A vector of length one, or zero.
fn unit(a: Vec3) -> Vec3 {
    let length = norm(a);
    if length > 0.0 { times(length.recip(), a) } else { a }
}

fn angle_between(a: Vec3, b: Vec3) -> f64 {
    norm(cross(a, b)).atan2(dot(a, b))
}
