//! Subdivision of elements into linear cells, for visualization files.
//!
//! A field of order N is given by its nodal values: an element becomes N³ tetrahedra between its nodes, a face N² triangles. Nothing is
//! interpolated or smoothed, so that jumps between elements remain visible; curved elements have their nodes at their true positions.
//! VTK's higher-order cells need equidistant nodes, and not every program that reads VTU supports them.

use crate::reference::{face_index, nodes};

/// Tetrahedra (`N` = 4) or triangles (`N` = 3) with corners at nodes of elements. Points are not shared between elements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Subdivision<const N: usize> {
    /// Positions of the nodes, m.
    pub points: Vec<[f64; 3]>,
    /// Indices into `points`.
    pub cells: Vec<[u32; N]>,
}

impl<const N: usize> Subdivision<N> {
    /// Adds an element or a face with nodes at `positions`, subdivided into `cells`.
    pub(crate) fn add(&mut self, positions: impl Iterator<Item = [f64; 3]>, cells: &[[u8; N]]) {
        let first = self.points.len() as u32;
        self.points.extend(positions);
        self.cells.extend(cells.iter().map(|cell| cell.map(|node| first + u32::from(node))));
    }
}

/// The paths from a corner of a cube to the opposite one along three edges, and whether each is an even permutation.
const KUHN_PATHS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([2, 1, 0], false),
    ([1, 0, 2], false),
];

/// Corners of the N³ tetrahedra of an element, as nodes, with positive volumes.
///
/// The indices (·, j, k, l) of a node become x = j + k + l, y = k + l and z = l, so that the element is N ≥ x ≥ y ≥ z ≥ 0. Unit cubes, each
/// divided into six tetrahedra along its diagonal (Kuhn, IBM J. Res. Dev. 4, 518, 1960), fill exactly that.
pub fn tetrahedra(order: usize) -> Vec<[u8; 4]> {
    let index = nodes::indices(order);
    let node = |[x, y, z]: [usize; 3]| {
        let inside = order >= x && x >= y && y >= z;
        let numbers = inside.then(|| [order - x, x - y, y - z, z].map(|number| number as u8))?;
        index.iter().position(|other| *other == numbers).map(|node| node as u8)
    };
    let mut all = Vec::new();
    for cube in 0..order.pow(3) {
        let base = [cube % order, cube / order % order, cube / order / order];
        for (path, even) in KUHN_PATHS {
            let mut position = base;
            let mut corners = [node(base); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(path) {
                position[axis] += 1;
                *corner = node(position);
            }
            // Tetrahedra that leave the element have a corner that is no node.
            if let [Some(a), Some(b), Some(c), Some(d)] = corners {
                // Odd paths have negative volumes: two corners are exchanged.
                all.push(if even { [a, b, c, d] } else { [a, b, d, c] });
            }
        }
    }
    all
}

/// Corners of the N² triangles of a face, as indices into the list of its nodes, in the orientation of the face.
pub fn triangles(order: usize) -> Vec<[u8; 3]> {
    let index = face_index(order);
    let node = |j: usize, k: usize| {
        let numbers = [order.checked_sub(j + k)?, j, k].map(|number| number as u8);
        index.iter().position(|other| *other == numbers).map(|node| node as u8)
    };
    let mut all = Vec::new();
    for (j, k) in (0..order).flat_map(|k| (0..order).map(move |j| (j, k))) {
        let [a, b, c, d] = [node(j, k), node(j + 1, k), node(j, k + 1), node(j + 1, k + 1)];
        // Two triangles per square of the grid; the second is missing along the third side.
        all.extend(a.zip(b).zip(c).map(|((a, b), c)| [a, b, c]));
        all.extend(b.zip(d).zip(c).map(|((b, d), c)| [b, d, c]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{Element, basis::barycentric};
    use glam::{DMat3, DVec3};

    #[test]
    fn tetrahedra_fill_the_element() {
        for order in 1..=6 {
            let nodes = Element::new(order).nodes;
            let cells = tetrahedra(order);
            assert_eq!(cells.len(), order.pow(3));
            let volumes = cells.iter().map(|cell| {
                let [a, b, c, d] = cell.map(|node| DVec3::from(nodes[usize::from(node)]));
                DMat3::from_cols(b - a, c - a, d - a).determinant() / 6.0
            });
            assert!(volumes.clone().all(|volume| volume > 0.0), "order {order}");
            assert!((volumes.sum::<f64>() - 1.0 / 6.0).abs() < 1e-14, "order {order}");
        }
    }

    #[test]
    fn triangles_fill_the_face() {
        for order in 1..=6 {
            let element = Element::new(order);
            // Face 3 is ζ = 0, its corners clockwise as seen from +ζ.
            let position = |k: u8| {
                let λ = barycentric(element.nodes[usize::from(element.face_nodes[3][usize::from(k)])]);
                DVec3::new(λ[1], λ[2], λ[3])
            };
            let cells = triangles(order);
            assert_eq!(cells.len(), order.pow(2));
            let areas = cells.iter().map(|cell| {
                let [a, b, c] = cell.map(position);
                -0.5 * (b - a).cross(c - a).z
            });
            assert!(areas.clone().all(|area| area > 0.0), "order {order}");
            assert!((areas.sum::<f64>() - 0.5).abs() < 1e-14, "order {order}");
        }
    }
}
