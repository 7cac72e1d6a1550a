//! Nodes of an element: warp & blend (Warburton 2006; Hesthaven and Warburton 2008, section 10.1).
//!
//! Equidistant nodes are displaced along the edges by the warp that takes equidistant points of a
//! line to the Gauss-Lobatto points; on faces and inside, the displacements of edges and faces are
//! blended. In barycentric coordinates, a displacement along the edge from a to b subtracts from
//! λ_a what it adds to λ_b.

/// Blending parameter of each order 1 to 6 (Warburton 2006, table 2).
const BLEND: [f64; 6] = [0.0, 0.0, 0.0, 0.1002, 1.1332, 1.5608];

/// A node by its index among equidistant ones: four integers that sum to the order, one per corner.
pub type Index = [u8; 4];

/// All nodes of an order: the integers of corners 1, 2 and 3 count up, the first fastest.
pub fn indices(order: usize) -> Vec<Index> {
    let n = order as u8;
    let mut all = Vec::new();
    for l in 0..=n {
        for k in 0..=n - l {
            for j in 0..=n - l - k {
                all.push([n - l - k - j, j, k, l]);
            }
        }
    }
    all
}

/// Gauss-Lobatto points of `order` + 1 nodes on [−1, 1], ascending: the ends, and the roots of P'_order.
fn gauss_lobatto(order: usize) -> Vec<f64> {
    let n = order as f64;
    (0..=order)
        .map(|i| {
            if i == 0 || i == order {
                return if i == 0 { -1.0 } else { 1.0 };
            }
            // Newton's method on P'_n from Chebyshev points, with (1−x²)P'' = 2xP' − n(n+1)P.
            let mut x = -(std::f64::consts::PI * i as f64 / n).cos();
            for _ in 0..8 {
                let (mut before, mut p) = (1.0, x);
                for m in 2..=order {
                    let m = m as f64;
                    (before, p) = (p, ((2.0 * m - 1.0) * x * p - (m - 1.0) * before) / m);
                }
                // (x² − 1) P'_n = n (x P_n − P_{n−1}).
                let slope = n * (x * p - before) / (x * x - 1.0);
                let bend = (2.0 * x * slope - n * (n + 1.0) * p) / (1.0 - x * x);
                x -= slope / bend;
            }
            x
        })
        .collect()
}

/// Displacement of equidistant points of [−1, 1] to the Gauss-Lobatto points, divided by 1 − x²: the interpolating polynomial has that
/// factor.
struct Warp {
    even: Vec<f64>,
    shift: Vec<f64>,
}

impl Warp {
    fn new(order: usize) -> Self {
        let even: Vec<f64> = (0..=order).map(|i| 2.0 * i as f64 / order as f64 - 1.0).collect();
        let shift = gauss_lobatto(order).iter().zip(&even).map(|(lobatto, even)| lobatto - even).collect();
        Self { even, shift }
    }

    fn at(&self, x: f64) -> f64 {
        let inner = 1..self.even.len() - 1;
        inner
            .clone()
            .map(|i| {
                let others = inner.clone().filter(|&j| j != i);
                let lagrange: f64 =
                    others.map(|j| (x - self.even[j]) / (self.even[i] - self.even[j])).product();
                self.shift[i] * lagrange / (1.0 - self.even[i] * self.even[i])
            })
            .sum()
    }
}

/// Coordinates of the nodes on the unit tetrahedron, in the order of [`indices`].
pub fn warp_and_blend(order: usize) -> Vec<[f64; 3]> {
    let warp = Warp::new(order);
    indices(order)
        .iter()
        .map(|index| {
            let λ = index.map(|i| f64::from(i) / order as f64);
            let shift = if corners_near(*index).len() <= 2 {
                edge_shift(&warp, *index, λ)
            } else {
                blended_shift(&warp, BLEND[order - 1], λ)
            };
            std::array::from_fn(|axis| λ[axis + 1] + shift[axis + 1])
        })
        .collect()
}

/// The corners of the lowest-dimensional corner, edge, face or body that a node is on.
fn corners_near(index: Index) -> Vec<usize> {
    (0..4).filter(|&i| index[i] > 0).collect()
}

/// A node on an edge (or a corner).
fn edge_shift(warp: &Warp, index: Index, λ: [f64; 4]) -> [f64; 4] {
    let ends = corners_near(index);
    let mut shift = [0.0; 4];
    if let [a, b] = ends[..] {
        move_along(warp, [a, b], λ, 1.0, &mut shift);
    }
    shift
}

/// A displacement by `weight` along the edge from a to b.
fn move_along(warp: &Warp, [a, b]: [usize; 2], λ: [f64; 4], weight: f64, shift: &mut [f64; 4]) {
    // With x = λ_b − λ_a, 1 − x² = 4 λ_a λ_b on the edge, and λ_b moves by half of x.
    let amount = 0.5 * weight * 4.0 * λ[a] * λ[b] * warp.at(λ[b] - λ[a]);
    shift[a] -= amount;
    shift[b] += amount;
}

/// A node on a face or inside: the displacements of the edges of each face, blended.
fn blended_shift(warp: &Warp, blend: f64, λ: [f64; 4]) -> [f64; 4] {
    let mut shift = [0.0; 4];
    for opposite in 0..4 {
        let face: Vec<usize> = (0..4).filter(|&i| i != opposite).collect();
        // One on this face, zero on the other three. It is 0/0 on edges, which are treated
        // separately.
        let fade: f64 = face.iter().map(|&i| λ[i] / (λ[i] + 0.5 * λ[opposite])).product();
        let fade = fade * (1.0 + (blend * λ[opposite]).powi(2));
        for i in 0..3 {
            let (a, b, c) = (face[i], face[(i + 1) % 3], face[(i + 2) % 3]);
            move_along(warp, [a, b], λ, fade * (1.0 + (blend * λ[c]).powi(2)), &mut shift);
        }
    }
    shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::basis::barycentric;

    #[test]
    fn edges_have_the_gauss_lobatto_points() {
        // Abramowitz and Stegun, table 25.6: n = 5 points ±0.65465367, n = 7 ±0.83022390 and ±0.46884879.
        for (order, inner) in [(4, vec![-0.65465367, 0.0]), (6, vec![-0.83022390, -0.46884879, 0.0])] {
            let nodes = warp_and_blend(order);
            for (i, x) in inner.iter().enumerate() {
                // Nodes 0..=order are the edge along ξ.
                assert!((2.0 * nodes[i + 1][0] - 1.0 - x).abs() < 1e-8);
                assert_eq!(nodes[i + 1][1..], [0.0, 0.0]);
            }
        }
    }

    /// Any permutation of corners maps nodes to nodes: neighbors share their nodes.
    #[test]
    fn nodes_are_symmetric() {
        for order in 1..=6 {
            let (index, nodes) = (indices(order), warp_and_blend(order));
            for swap in [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [3, 0, 1, 2]] {
                for (i, local) in nodes.iter().enumerate() {
                    let swapped = swap.map(|s| index[i][s]);
                    let j = index.iter().position(|x| *x == swapped).unwrap();
                    let (from, to) = (barycentric(*local), barycentric(nodes[j]));
                    for corner in 0..4 {
                        assert!((from[swap[corner]] - to[corner]).abs() < 1e-14);
                    }
                }
            }
        }
    }
}
