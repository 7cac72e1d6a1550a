//! Quadratic (curved) tetrahedra.

use super::mesh::{TET_EDGES, TetMesh, determinant};
use crate::triangle::vec3::{Vec3, add, cross, dot, sub, times};

/// The Jacobian determinant at barycentric coordinates λ; six times the volume if the edges are straight.
///
/// x(λ) = Σₖ λₖ(2λₖ - 1) xₖ + Σ 4 λᵢλⱼ xᵢⱼ over the edges ij. With Dₖ = ∂x/∂λₖ, the derivatives along the edges from corner 0
/// are Dₖ - D₀.
fn jacobian(corners: [Vec3; 4], middles: [Vec3; 6], lambda: [f64; 4]) -> f64 {
    // ∂/∂λₖ of λₖ(2λₖ − 1) is 4λₖ − 1; an edge term 4λᵢλⱼ contributes to both its ends.
    let mut d = [0, 1, 2, 3].map(|k| times(4.0 * lambda[k] - 1.0, corners[k]));
    for ([i, j], middle) in TET_EDGES.into_iter().zip(middles) {
        d[i] = add(d[i], times(4.0 * lambda[j], middle));
        d[j] = add(d[j], times(4.0 * lambda[i], middle));
    }
    let [a, b, c] = [1, 2, 3].map(|k| sub(d[k], d[0]));
    dot(a, cross(b, c))
}

impl TetMesh {
    /// The volume of a tetrahedron, curved if the mesh is of the second order.
    pub fn volume(&self, tet: usize) -> f64 {
        match self.middles.get(tet) {
            Some(middles) => volume(self.corners(tet), middles.map(|i| self.nodes[i as usize])),
            None => determinant(self.corners(tet)) / 6.0,
        }
    }
}

/// The volume: the determinant is a cubic, for which this rule of five points is exact (A. H. Stroud, "Approximate calculation
/// of multiple integrals", 1971, T3: 3-1).
fn volume(corners: [Vec3; 4], middles: [Vec3; 6]) -> f64 {
    let outer: f64 = (0..4)
        .map(|k| {
            let mut lambda = [1.0 / 6.0; 4];
            lambda[k] = 0.5;
            jacobian(corners, middles, lambda)
        })
        .sum();
    (0.45 * outer - 0.8 * jacobian(corners, middles, [0.25; 4])) / 6.0
}

/// The smallest determinant at the corners, on the edges, on the faces and in the middle, and its position.
pub(crate) fn worst_point(corners: [Vec3; 4], middles: [Vec3; 6]) -> (f64, Vec3) {
    // The centroid of every subset of the corners: 4 corners, 6 edges, 4 faces and the interior.
    let points = (1..16_u8).map(|set| {
        let share = 1.0 / f64::from(set.count_ones());
        [0, 1, 2, 3].map(|k| if set >> k & 1 == 1 { share } else { 0.0 })
    });
    let all = points.map(|lambda| (jacobian(corners, middles, lambda), lambda));
    let least = |a: (f64, [f64; 4]), b: (f64, [f64; 4])| if b.0 < a.0 { b } else { a };
    let (least, lambda) = all.fold((f64::INFINITY, [0.25; 4]), least);
    (least, position_at(corners, middles, lambda))
}

fn position_at(corners: [Vec3; 4], middles: [Vec3; 6], lambda: [f64; 4]) -> Vec3 {
    let straight = (0..4).map(|k| times(lambda[k] * (2.0 * lambda[k] - 1.0), corners[k]));
    let bent = TET_EDGES.into_iter().zip(middles).map(|([i, j], x)| times(4.0 * lambda[i] * lambda[j], x));
    straight.chain(bent).fold([0.0; 3], add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle::vec3::middle;

    /// The reference tetrahedron bent by x → x + a y z, y → y + b z², z → z, whose determinant is 1 and which is of the second
    /// order, so that edges of this element follow it.
    fn bent(a: f64, b: f64) -> ([Vec3; 4], [Vec3; 6]) {
        let corners: [Vec3; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let bend = |[x, y, z]: Vec3| [x + a * y * z, y + b * z * z, z];
        (corners.map(bend), TET_EDGES.map(|[i, j]| bend(middle(corners[i], corners[j]))))
    }

    #[test]
    fn shears_of_the_second_order_keep_the_volume() {
        let (corners, middles) = bent(0.7, -0.4);
        for lambda in [[0.25; 4], [1.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]] {
            assert!((jacobian(corners, middles, lambda) - 1.0).abs() < 1e-14);
        }
        assert!((volume(corners, middles) - 1.0 / 6.0).abs() < 1e-15);
        assert!((worst_point(corners, middles).0 - 1.0).abs() < 1e-14);
    }

    #[test]
    fn stretch_of_the_second_order() {
        // x → x + a x²: the determinant is 1 + 2 a x, the volume 1/6 + 2 a/24 (∫ x over the reference tetrahedron is 1/24).
        let corners: [Vec3; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for a in [0.3, -0.45, -0.6] {
            let bend = |[x, y, z]: Vec3| [x + a * x * x, y, z];
            let middles = TET_EDGES.map(|[i, j]| bend(middle(corners[i], corners[j])));
            let corners = corners.map(bend);
            assert!((volume(corners, middles) - 1.0 / 6.0 - a / 12.0).abs() < 1e-15);
            let (least, position) = worst_point(corners, middles);
            assert!((least - (1.0 + 2.0 * a).min(1.0)).abs() < 1e-14);
            assert!(a > 0.0 || (position[0] - 1.0 - a).abs() < 1e-14);
        }
    }
}
