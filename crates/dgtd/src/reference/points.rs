//! Quadrature points where geometry varies: inside an element and on its faces.

use super::{Element, Matrix, cubature, face_point, symmetric};
use std::sync::Arc;

/// The reference element with its quadrature points, shared by all who need it.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The element.
    pub element: Arc<Element>,
    /// Its quadrature points.
    pub points: Arc<Points>,
}

impl Reference {
    /// The element of an order from 1 to 6.
    pub fn new(order: usize) -> Self {
        let element = Element::new(order);
        Self { points: Arc::new(Points::new(&element)), element: Arc::new(element) }
    }
}

/// Quadrature points of an element, with interpolation to them and projection from them.
#[derive(Debug, Clone)]
pub struct Points {
    /// Coordinates on the unit tetrahedron; exact to degree 2N + 1.
    pub coordinates: Vec<[f64; 3]>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// V: from nodes to points.
    pub values: Matrix,
    /// ∂/∂ξ, ∂/∂η, ∂/∂ζ from nodes to points.
    pub gradients: [Matrix; 3],
    /// P = M⁻¹VᵀW: from points to nodes.
    pub project: Matrix,
    /// Those of a face.
    pub face: FaceRule,
}

/// Quadrature points of a face, the same on every face.
#[derive(Debug, Clone)]
pub struct FaceRule {
    /// Coordinates (u, v) on the unit triangle whose corners are those of the face; exact to degree 2N + 2.
    pub coordinates: Vec<[f64; 2]>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// From the face's nodes to its points.
    pub values: Matrix,
    /// M⁻¹VᵀW of the face: from its points to its nodes.
    pub project: Matrix,
    /// Face permutations of the points, for each orientation.
    pub permutations: [Vec<u16>; 3],
}

impl Points {
    /// The quadrature points of an element.
    pub fn new(element: &Element) -> Self {
        // J∇ξ_j has degree 2, ∂_j F degree N − 1 and the test function degree N: 2N + 1.
        let (coordinates, weights): (Vec<_>, Vec<_>) =
            cubature::tetrahedron(2 * element.order + 1).into_iter().unzip();
        let gradients: Vec<[Vec<f64>; 3]> = coordinates.iter().map(|p| element.gradient(*p)).collect();
        let lifted: Vec<Vec<f64>> = coordinates.iter().map(|p| element.point_source(*p)).collect();
        let nodes = element.len();
        Self {
            values: rows(nodes, coordinates.iter().map(|p| element.interpolation(*p))),
            gradients: std::array::from_fn(|axis| rows(nodes, gradients.iter().map(|g| g[axis].clone()))),
            project: rows(
                coordinates.len(),
                (0..nodes).map(|i| lifted.iter().zip(&weights).map(|(l, w)| w * l[i]).collect()),
            ),
            face: FaceRule::new(element),
            coordinates,
            weights,
        }
    }
}

impl FaceRule {
    fn new(element: &Element) -> Self {
        // The normal has degree 2, d and the test function have the order N of the element: 2N + 2.
        let rule = symmetric::triangle(element.order);
        let coordinates: Vec<[f64; 2]> = rule.iter().map(|([_, u, v], _)| [*u, *v]).collect();
        let weights: Vec<f64> = rule.iter().map(|(_, weight)| *weight).collect();
        let nodes = element.face_len();
        let values = rows(nodes, coordinates.iter().map(|p| element.face_interpolation(*p)));
        let weighted = Matrix::from_fn(nodes, coordinates.len(), |i, p| weights[p] * values.row(p)[i]);
        let permutations = std::array::from_fn(|orientation| {
            let theirs = |mine: &[f64; 3]| {
                let mut permuted = [0.0; 3];
                for (i, λ) in mine.iter().enumerate() {
                    permuted[(orientation + 3 - i) % 3] = *λ;
                }
                // Barycentric coordinates agree up to rounding: the nearest point is the same
                // point.
                let off = |other: &[f64; 3]| (0..3).map(|i| (other[i] - permuted[i]).abs()).sum::<f64>();
                let nearest = (0..rule.len()).min_by(|a, b| off(&rule[*a].0).total_cmp(&off(&rule[*b].0)));
                nearest.unwrap_or_default() as u16
            };
            rule.iter().map(|(local, _)| theirs(local)).collect()
        });
        Self { project: element.face_mass.solve(&weighted), coordinates, weights, values, permutations }
    }

    /// Number of points of a face.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// The points of a face on the unit tetrahedron.
    pub fn on(&self, face: usize) -> impl Iterator<Item = [f64; 3]> {
        self.coordinates.iter().map(move |local| face_point(face, *local))
    }
}

fn rows(cols: usize, rows: impl Iterator<Item = Vec<f64>>) -> Matrix {
    Matrix { cols, values: rows.flatten().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(matrix: &Matrix, x: &[f64]) -> Vec<f64> {
        (0..matrix.rows()).map(|i| matrix.row(i).iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    }

    /// Interpolation followed by projection is the identity for polynomials of the order, inside and on faces.
    #[test]
    fn there_and_back() {
        for order in 1..=6 {
            let element = Element::new(order);
            let points = Points::new(&element);
            let f: Vec<f64> = element.nodes.iter().map(|p| (p[0] - 2.0 * p[1] * p[2]).cos()).collect();
            for (a, b) in f.iter().zip(apply(&points.project, &apply(&points.values, &f))) {
                assert!((a - b).abs() < 1e-12);
            }
            let on_face = &f[..element.face_len()];
            for (a, b) in
                on_face.iter().zip(apply(&points.face.project, &apply(&points.face.values, on_face)))
            {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }

    /// A neighbor's point coincides with its permuted one, for every orientation.
    #[test]
    fn turned_faces_have_the_same_points() {
        let coordinates = |[u, v]: [f64; 2]| [1.0 - u - v, u, v];
        for order in 1..=6 {
            let rule = FaceRule::new(&Element::new(order));
            for orientation in 0..3 {
                for (mine, theirs) in rule.permutations[orientation].iter().enumerate() {
                    let (a, b) = (rule.coordinates[mine], rule.coordinates[usize::from(*theirs)]);
                    let (a, b) = (coordinates(a), coordinates(b));
                    assert!((0..3).all(|i| (a[i] - b[(orientation + 3 - i) % 3]).abs() < 1e-15));
                }
            }
        }
    }
}
