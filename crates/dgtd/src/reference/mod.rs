//! The reference element: nodes, differentiation, lift and mass matrices.

pub mod basis;
pub mod cubature;
mod matrix;
pub mod nodes;
pub mod points;
mod symmetric;

pub use matrix::Matrix;
use nodes::Index;
use phasefront_mesh::TET_FACES;

/// The reference element of one order, on the unit tetrahedron.
#[derive(Debug, Clone)]
pub struct Element {
    /// Polynomial order.
    pub order: usize,
    /// Nodes.
    pub nodes: Vec<[f64; 3]>,
    /// Their integer barycentric indices.
    pub index: Vec<Index>,
    /// Nodes of each face, in the order of [`face_index`] over its corners.
    pub face_nodes: [Vec<u8>; 4],
    /// ∂/∂ξ, ∂/∂η, ∂/∂ζ from nodes to nodes.
    pub derivative: [Matrix; 3],
    /// LIFT: M⁻¹ times the mass matrices of the four faces, each on the unit triangle; from face nodes to nodes.
    pub lift: Matrix,
    /// Mass matrix on the unit tetrahedron.
    pub mass: Matrix,
    /// Mass matrix on the unit triangle, over the nodes of a face.
    pub face_mass: Matrix,
    /// Inverse Vandermonde matrix: from nodal values to coefficients of the orthonormal polynomials.
    to_modes: Matrix,
}

/// Integer barycentric indices of a face's nodes.
pub fn face_index(order: usize) -> Vec<[u8; 3]> {
    let n = order as u8;
    (0..=n).flat_map(|k| (0..=n - k).map(move |j| [n - k - j, j, k])).collect()
}

impl Element {
    /// The element of an order from 1 to 6.
    pub fn new(order: usize) -> Self {
        let (nodes, index) = (nodes::warp_and_blend(order), nodes::indices(order));
        let count = nodes.len();
        let at_nodes: Vec<_> = nodes.iter().map(|local| basis::orthonormal(order, *local)).collect();
        let vandermonde = Matrix::from_fn(count, count, |i, j| at_nodes[i][j].0);
        // V_ij is polynomial j at node i; its inverse takes nodal values to coefficients.
        let to_modes = vandermonde.solve(&Matrix::identity(count));
        // D = V_ξ V⁻¹.
        let derivative = std::array::from_fn(|axis| {
            Matrix::from_fn(count, count, |i, j| at_nodes[i][j].1[axis]).times(&to_modes)
        });
        // M⁻¹ = V Vᵀ, since the polynomials are orthonormal.
        let inverse_mass = vandermonde.times(&vandermonde.transpose());
        // M = (V Vᵀ)⁻¹ = V⁻ᵀ V⁻¹.
        let mass = to_modes.transpose().times(&to_modes);
        let face_nodes = face_nodes(order);
        let per_face = face_nodes[0].len();
        let face_mass = face_mass(order, &face_nodes[0], &to_modes);
        // Mass matrices of the faces in the rows of their nodes; LIFT = M⁻¹ times these.
        let spread = Matrix::from_fn(count, 4 * per_face, |i, column| {
            let (face, k) = (column / per_face, column % per_face);
            let row = face_nodes[face].iter().position(|node| usize::from(*node) == i);
            row.map_or(0.0, |row| face_mass.row(row)[k])
        });
        Self {
            order,
            nodes,
            index,
            face_nodes,
            derivative,
            lift: inverse_mass.times(&spread),
            mass,
            face_mass,
            to_modes,
        }
    }

    /// Number of nodes of an element.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of nodes of a face.
    pub fn face_len(&self) -> usize {
        self.face_nodes[0].len()
    }

    /// Interpolation weights of the nodes at a point of the unit tetrahedron.
    pub fn interpolation(&self, local: [f64; 3]) -> Vec<f64> {
        let modes = basis::orthonormal(self.order, local);
        (0..self.len())
            .map(|j| modes.iter().enumerate().map(|(m, f)| f.0 * self.to_modes.row(m)[j]).sum())
            .collect()
    }

    /// Weights of the gradient at a point.
    pub fn gradient(&self, local: [f64; 3]) -> [Vec<f64>; 3] {
        let modes = basis::orthonormal(self.order, local);
        std::array::from_fn(|axis| {
            (0..self.len())
                .map(|j| modes.iter().enumerate().map(|(m, f)| f.1[axis] * self.to_modes.row(m)[j]).sum())
                .collect()
        })
    }

    /// M⁻¹ times the basis at a point: the projection of a point source, on the unit tetrahedron.
    pub fn point_source(&self, local: [f64; 3]) -> Vec<f64> {
        let modes = basis::orthonormal(self.order, local);
        let at_nodes = self.nodes.iter().map(|node| basis::orthonormal(self.order, *node));
        at_nodes.map(|f| f.iter().zip(&modes).map(|(a, b)| a.0 * b.0).sum()).collect()
    }

    /// Face permutation: for each face node its index among the neighbor's, if corner i is the neighbor's corner (orientation + 3 − i)
    /// mod 3.
    pub fn face_permutation(&self, orientation: u8) -> Vec<u8> {
        let all = face_index(self.order);
        all.iter()
            .map(|mine| {
                let mut theirs = [0; 3];
                for (i, number) in mine.iter().enumerate() {
                    theirs[(usize::from(orientation) + 3 - i) % 3] = *number;
                }
                // A permutation of an index is an index of the face: there is always one.
                all.iter().position(|other| *other == theirs).unwrap_or_default() as u8
            })
            .collect()
    }

    /// Interpolation weights of face nodes at a point of the unit triangle whose corners are those of the face.
    pub fn face_interpolation(&self, [u, v]: [f64; 2]) -> Vec<f64> {
        let weights = self.interpolation(face_point(0, [u, v]));
        self.face_nodes[0].iter().map(|node| weights[usize::from(*node)]).collect()
    }
}

/// The point of face `face` of the unit tetrahedron with coordinates (u, v): corner 0 + u (corner 1 − corner 0) + v (corner 2 − corner 0).
pub fn face_point(face: usize, [u, v]: [f64; 2]) -> [f64; 3] {
    let mut λ = [0.0; 4];
    for (corner, weight) in TET_FACES[face].into_iter().zip([1.0 - u - v, u, v]) {
        λ[corner] = weight;
    }
    [λ[1], λ[2], λ[3]]
}

/// Nodes of each face, in the order of [`face_index`] over its corners.
pub fn face_nodes(order: usize) -> [Vec<u8>; 4] {
    let index = nodes::indices(order);
    TET_FACES.map(|corners| {
        let local = |numbers: [u8; 3]| {
            let mut full = [0; 4];
            for (corner, number) in corners.into_iter().zip(numbers) {
                full[corner] = number;
            }
            index.iter().position(|i| *i == full).unwrap_or_default() as u8
        };
        face_index(order).into_iter().map(local).collect()
    })
}

/// Mass matrix of a face on the unit triangle, which is the same for every face.
fn face_mass(order: usize, nodes: &[u8], to_modes: &Matrix) -> Matrix {
    let mut mass = Matrix::from_fn(nodes.len(), nodes.len(), |_, _| 0.0);
    // Products of two basis functions have degree 2N.
    for (local, weight) in cubature::triangle(2 * order) {
        let modes = basis::orthonormal(order, face_point(0, local));
        let value = |node: u8| -> f64 {
            modes.iter().enumerate().map(|(m, f)| f.0 * to_modes.row(m)[usize::from(node)]).sum()
        };
        let values: Vec<f64> = nodes.iter().map(|node| value(*node)).collect();
        for i in 0..nodes.len() {
            for j in 0..nodes.len() {
                mass.values[i * nodes.len() + j] += weight * values[i] * values[j];
            }
        }
    }
    mass
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(matrix: &Matrix, x: &[f64]) -> Vec<f64> {
        (0..matrix.rows()).map(|i| matrix.row(i).iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    }

    /// f = x^a y^b z^c of full order: derivatives and integrals are known in closed form.
    #[test]
    fn operators_are_exact_for_polynomials() {
        for order in 1..=6_usize {
            let element = Element::new(order);
            let powers = [order / 3, order / 3, order - 2 * (order / 3)].map(|p| p as i32);
            let f = |p: &[f64; 3]| (0..3).map(|i| p[i].powi(powers[i])).product::<f64>();
            let values: Vec<f64> = element.nodes.iter().map(f).collect();
            for axis in 0..3 {
                let gradients = apply(&element.derivative[axis], &values);
                for (p, slope) in element.nodes.iter().zip(gradients) {
                    let exact: f64 = (0..3)
                        .map(|i| match (i == axis, powers[i]) {
                            (true, 0) => 0.0,
                            (true, n) => f64::from(n) * p[i].powi(n - 1),
                            (false, n) => p[i].powi(n),
                        })
                        .product();
                    assert!((slope - exact).abs() < 1e-12 * 10.0, "{order} {axis}: {slope} {exact}");
                }
            }
            // Gauss: ∫ ∂f/∂ξ dV = ∮ f n_ξ dS, with face 1 at ξ = 0 (area vector −1/2) and face 0 (+1/2 per unit triangle).
            let ones = vec![1.0; element.len()];
            let volume: f64 = apply(&element.mass, &apply(&element.derivative[0], &values))
                .iter()
                .zip(&ones)
                .map(|(a, b)| a * b)
                .sum();
            let on_face = |face: usize| -> f64 {
                let v: Vec<f64> = element.face_nodes[face].iter().map(|i| values[usize::from(*i)]).collect();
                apply(&element.face_mass, &v).iter().sum()
            };
            assert!((volume - (on_face(0) - on_face(1))).abs() < 1e-13, "{order}");
            // The lift of a face is M⁻¹ times its mass matrix.
            let masses = apply(&element.mass, &apply(&element.lift, &vec![1.0; 4 * element.face_len()]));
            assert!((masses.iter().sum::<f64>() - 2.0).abs() < 1e-12, "four triangles of area 1/2");
            let p = [0.1, 0.2, 0.3];
            let at: f64 = element.interpolation(p).iter().zip(&values).map(|(a, b)| a * b).sum();
            assert!((at - f(&p)).abs() < 1e-13);
        }
    }

    #[test]
    fn turned_faces_meet_their_nodes() {
        for order in 1..=6 {
            let element = Element::new(order);
            for orientation in 0..3_u8 {
                for (mine, theirs) in element.face_permutation(orientation).into_iter().enumerate() {
                    // Corner i is the neighbor's corner (orientation + 3 − i) mod 3, and so are barycentric coordinates.
                    let coordinates = |face: usize, k: usize| {
                        let node = element.nodes[usize::from(element.face_nodes[face][k])];
                        let λ = basis::barycentric(node);
                        TET_FACES[face].map(|corner| λ[corner])
                    };
                    let (a, b) = (coordinates(2, mine), coordinates(1, usize::from(theirs)));
                    for i in 0..3 {
                        assert!((a[i] - b[(usize::from(orientation) + 3 - i) % 3]).abs() < 1e-14);
                    }
                }
            }
        }
    }
}
