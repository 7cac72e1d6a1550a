//! Straight and curved tetrahedra: the map x(ξ) from the unit tetrahedron.

use crate::offsets::{MAP, MAP_B, MAP_C00, MAP_C01, MAP_C02, MAP_C11, MAP_C12, MAP_C22};
use crate::reference::basis::barycentric;
use crate::reference::face_point;
use glam::{DMat3, DVec3};
use phasefront_mesh::{TET_EDGES, TetMesh};

/// An element is curved if a mid-edge node is farther from the midpoint of its edge than this fraction of the edge's length.
const CURVED: f64 = 1e-6;

/// x(ξ) of one element: the ten nodes of a quadratic tetrahedron; straight elements have theirs at the midpoints of the edges.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Corners.
    pub corners: [DVec3; 4],
    /// Nodes on the edges of [`TET_EDGES`].
    pub middles: [DVec3; 6],
    /// Whether it is curved.
    pub curved: bool,
}

impl Shape {
    /// The shape of a tetrahedron of the mesh.
    pub fn of(mesh: &TetMesh, tet: usize) -> Self {
        let corners = mesh.corners(tet).map(DVec3::from);
        let straight = TET_EDGES.map(|[a, b]| 0.5 * (corners[a] + corners[b]));
        let Some(nodes) = mesh.middles.get(tet) else {
            return Self { corners, middles: straight, curved: false };
        };
        let middles = nodes.map(|i| DVec3::from(mesh.nodes[i as usize]));
        // Edges that are straight up to rounding are made exactly straight, since their faces are treated as flat.
        let middles = std::array::from_fn(|i| {
            let [a, b] = TET_EDGES[i];
            let deformed = middles[i].distance(straight[i]) > CURVED * corners[a].distance(corners[b]);
            if deformed { middles[i] } else { straight[i] }
        });
        Self { corners, middles, curved: middles != straight }
    }

    /// Whether a face is curved, or flat with a curved edge.
    pub fn face_is_curved(&self, face: usize) -> bool {
        let deformed = |[a, b]: [usize; 2], middle: DVec3| {
            a != face && b != face && middle != 0.5 * (self.corners[a] + self.corners[b])
        };
        self.curved && TET_EDGES.iter().zip(self.middles).any(|(edge, middle)| deformed(*edge, middle))
    }

    /// Coefficients of the map: ∂x/∂ξ_k = b_k + Σ_j c_kj ξ_j, in the order of `MAP_*`.
    pub fn map_coefficients(&self) -> [DVec3; MAP / 3] {
        let origin = self.jacobian([0.0; 3]);
        // The Jacobian is linear in ξ: its difference between two corners is the second derivative.
        let second = |k: usize, j: usize| {
            let mut end = [0.0; 3];
            end[j] = 1.0;
            self.jacobian(end).col(k) - origin.col(k)
        };
        let mut map = [DVec3::ZERO; MAP / 3];
        (0..3).for_each(|k| map[MAP_B + k] = origin.col(k));
        let indices = [
            (MAP_C00, [0, 0]),
            (MAP_C11, [1, 1]),
            (MAP_C22, [2, 2]),
            (MAP_C12, [1, 2]),
            (MAP_C02, [0, 2]),
            (MAP_C01, [0, 1]),
        ];
        for (index, [k, j]) in indices {
            map[index] = second(k, j);
        }
        map
    }

    /// x(ξ).
    pub fn at(&self, local: [f64; 3]) -> DVec3 {
        let λ = barycentric(local);
        if !self.curved {
            return (0..4).map(|i| λ[i] * self.corners[i]).sum();
        }
        // Quadratic shape functions: λ_i (2λ_i − 1) of corners, 4 λ_a λ_b of edges.
        let corners: DVec3 = (0..4).map(|i| λ[i] * (2.0 * λ[i] - 1.0) * self.corners[i]).sum();
        let edges = TET_EDGES.iter().zip(self.middles);
        corners + edges.map(|([a, b], middle)| 4.0 * λ[*a] * λ[*b] * middle).sum::<DVec3>()
    }

    /// Jacobian: ∂x/∂ξ, ∂x/∂η, ∂x/∂ζ as columns.
    pub fn jacobian(&self, local: [f64; 3]) -> DMat3 {
        let [p, q, r, s] = self.corners;
        if !self.curved {
            return DMat3::from_cols(q - p, r - p, s - p);
        }
        // ∂x/∂λ_i; λ_0 is the dependent coordinate.
        let λ = barycentric(local);
        let mut slopes: [DVec3; 4] = std::array::from_fn(|i| (4.0 * λ[i] - 1.0) * self.corners[i]);
        for ([a, b], middle) in TET_EDGES.iter().zip(self.middles) {
            slopes[*a] += 4.0 * λ[*b] * middle;
            slopes[*b] += 4.0 * λ[*a] * middle;
        }
        DMat3::from_cols(slopes[1] - slopes[0], slopes[2] - slopes[0], slopes[3] - slopes[0])
    }

    /// Outward normal N = ∂x/∂u × ∂x/∂v of a face at (u, v): not normalized, |N| du dv is the area element.
    pub fn face_normal(&self, face: usize, [u, v]: [f64; 2]) -> DVec3 {
        let jacobian = self.jacobian(face_point(face, [u, v]));
        let origin = DVec3::from(face_point(face, [0.0, 0.0]));
        let [du, dv] =
            [[1.0, 0.0], [0.0, 1.0]].map(|uv| jacobian * (DVec3::from(face_point(face, uv)) - origin));
        du.cross(dv)
    }

    /// Smallest altitude; of a curved element the smallest of its Jacobian at a few points.
    pub fn altitude(&self) -> f64 {
        let at = |local: [f64; 3]| {
            // Columns are ∇ξ_k = ∇λ_k, and ∇λ₀ = −Σ ∇ξ_k; the altitude over a face is 1/|∇λ|.
            let inverse = self.jacobian(local).inverse().transpose();
            let gradients = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
            let steepest =
                gradients.iter().map(|g| g.length()).fold(gradients.iter().sum::<DVec3>().length(), f64::max);
            1.0 / steepest
        };
        if !self.curved {
            return at([0.25; 3]);
        }
        let corners = (0..4).map(|i| at(std::array::from_fn(|axis| f64::from(u8::from(axis + 1 == i)))));
        let middles = TET_EDGES.map(|[a, b]| {
            at(std::array::from_fn(|axis| 0.5 * f64::from(u8::from(axis + 1 == a) + u8::from(axis + 1 == b))))
        });
        corners.chain(middles).chain([at([0.25; 3])]).fold(f64::INFINITY, f64::min)
    }

    /// ξ of a point in space by Newton's method, inside of the element or not; none if it does not converge.
    pub fn locate(&self, target: DVec3) -> Option<[f64; 3]> {
        let mut local = DVec3::splat(0.25);
        // The map of a straight element is affine: one step is exact, the second removes rounding.
        for _ in 0..if self.curved { 20 } else { 2 } {
            let miss = target - self.at(local.into());
            let step = self.jacobian(local.into()).inverse() * miss;
            local += step;
            if !local.is_finite() {
                return None;
            }
            if step.length() < 1e-13 {
                break;
            }
        }
        // A point outside of the range of a curved map leaves a residual.
        let size = self.corners[0].distance(self.corners[1]);
        (self.at(local.into()).distance(target) < 1e-9 * size).then(|| local.into())
    }
}

/// Ends of an edge, in ascending order.
pub type Edge = [u32; 2];

/// The edges 01, 12 and 20 of a triangle.
pub fn edges_of([a, b, c]: [u32; 3]) -> [Edge; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

/// A unit vector perpendicular to n, the same for −n.
pub fn tangent(n: DVec3) -> DVec3 {
    let size = n.abs();
    // The axis least parallel to n leaves the longest projection.
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (axis - n * n.dot(axis)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corner of the unit ball, its three curved edges through the ball's surface.
    fn deformed() -> Shape {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let middles = TET_EDGES.map(|[a, b]| {
            let middle = 0.5 * (corners[a] + corners[b]);
            if a == 0 || b == 0 { middle } else { middle.normalize() }
        });
        Shape { corners, middles, curved: true }
    }

    #[test]
    fn jacobians_are_slopes_of_the_map() {
        let (shape, p, h) = (deformed(), DVec3::new(0.2, 0.3, 0.1), 1e-6);
        let jacobian = shape.jacobian(p.into());
        for axis in 0..3 {
            let step = h * DVec3::AXES[axis];
            let slope = (shape.at((p + step).into()) - shape.at((p - step).into())) / (2.0 * h);
            assert!(slope.distance(jacobian.col(axis)) < 1e-9);
        }
        assert!(DVec3::from(shape.locate(shape.at(p.into())).unwrap()).distance(p) < 1e-12);
    }

    #[test]
    fn bends_tell_the_jacobian() {
        let (shape, p) = (deformed(), [0.2, 0.3, 0.1]);
        let [b0, b1, b2, c00, c11, c22, c12, c02, c01] = shape.map_coefficients();
        let columns = [
            b0 + p[0] * c00 + p[1] * c01 + p[2] * c02,
            b1 + p[0] * c01 + p[1] * c11 + p[2] * c12,
            b2 + p[0] * c02 + p[1] * c12 + p[2] * c22,
        ];
        for (k, column) in columns.into_iter().enumerate() {
            assert!(column.distance(shape.jacobian(p).col(k)) < 1e-14);
        }
        assert_eq!(
            [0, 1, 2, 3].map(|face| shape.face_is_curved(face)),
            [true; 4],
            "each has an edge on the ball"
        );
    }

    /// ∮ n dS = 0 over any closed surface.
    #[test]
    fn normals_of_faces_close() {
        let shape = deformed();
        let mut sum = DVec3::ZERO;
        for (uv, weight) in crate::reference::cubature::triangle(4) {
            sum += (0..4).map(|face| weight * shape.face_normal(face, uv)).sum::<DVec3>();
        }
        assert!(sum.length() < 1e-14);
        assert!(shape.face_normal(0, [0.3, 0.3]).dot(DVec3::ONE) > 0.0);
    }
}
