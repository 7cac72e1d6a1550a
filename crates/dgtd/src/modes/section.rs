//! The cross section of a guide: triangles of a port in its plane, and continuous finite elements on them.

use crate::geometry::{Edge, edges_of};
use crate::reference::cubature::triangle;
use crate::reference::{Element, face_index, face_point};
use faer::Mat;
use std::collections::{BTreeMap, BTreeSet};

/// What an edge of the section lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wall {
    /// A conductor.
    Electric,
    /// A magnetic wall: a symmetry plane.
    Magnetic,
}

/// Steps of Newton's method: straight triangles need one, and others are bent little.
const NEWTON_STEPS: usize = 20;
/// Step relative to a triangle at which it ends.
const CLOSE: f64 = 1e-13;

/// A point of the quadrature of a triangle: weight, basis functions and their derivatives along u and v.
#[derive(Debug)]
struct Sample {
    point: [f64; 2],
    weight: f64,
    values: Vec<f64>,
    slopes: [Vec<f64>; 2],
}

/// A cross section.
#[derive(Debug)]
pub struct Section {
    /// Corners of the triangles.
    corners: Vec<[u32; 3]>,
    /// Positions of the corners and of the nodes on the edges 01, 12 and 20 of each triangle.
    shapes: Vec<[[f64; 2]; 6]>,
    /// Edges on walls: outer ones, and those of conductors inside.
    walls: BTreeMap<Edge, Wall>,
    /// The medium of each triangle, an index into `eps`.
    pub media: Vec<usize>,
    /// Relative permittivities of the media.
    pub eps: Vec<f64>,
    element: Element,
    samples: Vec<Sample>,
}

/// Numbers of the nodes of the triangles: those on shared edges have one.
pub struct Unknowns {
    /// Of each triangle, in the order of `face_index`.
    pub of: Vec<Vec<usize>>,
    /// How many there are.
    pub count: usize,
}

impl Section {
    /// Of triangles whose edges 01, 12 and 20 are parabolas through the nodes on them, each in one of these media.
    pub fn new(
        corners: Vec<[u32; 3]>,
        shapes: Vec<[[f64; 2]; 6]>,
        walls: BTreeMap<Edge, Wall>,
        (media, eps): (Vec<usize>, Vec<f64>),
        order: usize,
    ) -> Self {
        let element = Element::new(order);
        // Products of two gradients on curved triangles are not polynomials: two orders more than straight ones need.
        let samples =
            triangle(2 * order + 2).into_iter().map(|(point, weight)| sample(&element, point, weight));
        let samples = samples.collect();
        Self { corners, shapes, walls, media, eps, element, samples }
    }

    /// Whether all of it is of one medium.
    pub fn is_homogeneous(&self) -> bool {
        self.eps.iter().all(|eps| *eps == self.eps[0])
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// The position of a point of a triangle.
    pub fn position(&self, triangle: usize, point: [f64; 2]) -> [f64; 2] {
        let weights = quadratic(point).0;
        std::array::from_fn(|axis| weights.iter().zip(&self.shapes[triangle]).map(|(w, p)| w * p[axis]).sum())
    }

    /// The point of a triangle that is at a position in or near it, by Newton's method.
    pub fn point(&self, triangle: usize, position: [f64; 2]) -> [f64; 2] {
        let mut point = [1.0 / 3.0; 2];
        for _ in 0..NEWTON_STEPS {
            let here = self.position(triangle, point);
            let [x, y] = [position[0] - here[0], position[1] - here[1]];
            let [[xu, xv], [yu, yv]] = self.jacobian(triangle, point);
            let det = xu * yv - xv * yu;
            let step = [(yv * x - xv * y) / det, (xu * y - yu * x) / det];
            point = [point[0] + step[0], point[1] + step[1]];
            if step[0].abs() + step[1].abs() < CLOSE {
                break;
            }
        }
        point
    }

    /// ∫ f dA, f given at a triangle and a point of it.
    pub fn integral(&self, f: impl Fn(usize, [f64; 2]) -> f64) -> f64 {
        self.quadrature().map(|(triangle, point, weight)| weight * f(triangle, point)).sum()
    }

    /// Quadrature points of all triangles: triangle, point, and weight with the area element.
    pub fn quadrature(&self) -> impl Iterator<Item = (usize, [f64; 2], f64)> {
        let of = move |triangle: usize| {
            self.samples.iter().map(move |sample| {
                let [[xu, xv], [yu, yv]] = self.jacobian(triangle, sample.point);
                (triangle, sample.point, sample.weight * (xu * yv - xv * yu).abs())
            })
        };
        (0..self.len()).flat_map(of)
    }

    /// ∂(x, y)/∂(u, v) at a point: rows x and y.
    fn jacobian(&self, triangle: usize, point: [f64; 2]) -> [[f64; 2]; 2] {
        let slopes = quadratic(point).1;
        std::array::from_fn(|axis| {
            slopes.map(|slope| slope.iter().zip(&self.shapes[triangle]).map(|(w, p)| w * p[axis]).sum())
        })
    }

    /// ∇ψ at a point of a triangle from the values at its nodes.
    pub fn gradient(&self, triangle: usize, point: [f64; 2], values: &[f64]) -> [f64; 2] {
        let slopes = slopes(&self.element, point);
        let [u, v] = slopes.map(|slope| slope.iter().zip(values).map(|(s, value)| s * value).sum::<f64>());
        let [[xu, xv], [yu, yv]] = self.jacobian(triangle, point);
        let det = xu * yv - xv * yu;
        [(yv * u - yu * v) / det, (xu * v - xv * u) / det]
    }

    /// Numbers the nodes: each is known by its corners with their integer barycentric coordinates.
    pub fn unknowns(&self) -> Unknowns {
        let index = face_index(self.element.order);
        let mut numbers: BTreeMap<Vec<(u32, u8)>, usize> = BTreeMap::new();
        let mut of = Vec::with_capacity(self.len());
        for triangle in &self.corners {
            let number = |node: &[u8; 3]| {
                let mut key: Vec<(u32, u8)> =
                    triangle.iter().copied().zip(*node).filter(|(_, weight)| *weight > 0).collect();
                key.sort_unstable();
                // Nodes inside have three corners, which are those of one triangle.
                let next = numbers.len();
                *numbers.entry(key).or_insert(next)
            };
            of.push(index.iter().map(number).collect());
        }
        Unknowns { of, count: numbers.len() }
    }

    /// Edges on conductors.
    pub fn conductor_edges(&self) -> BTreeSet<Edge> {
        self.walls.iter().filter(|(_, wall)| **wall == Wall::Electric).map(|(edge, _)| *edge).collect()
    }

    /// The corners of each triangle, and their positions among its nodes.
    pub fn corner_nodes(&self) -> impl Iterator<Item = (&[u32; 3], [usize; 3])> {
        let (index, order) = (face_index(self.element.order), self.element.order);
        let nodes = [0, 1, 2].map(|corner| {
            index.iter().position(|node| usize::from(node[corner]) == order).unwrap_or_default()
        });
        self.corners.iter().map(move |corners| (corners, nodes))
    }

    /// ∫ w ∇φ_i·∇φ_j dA and ∫ φ_i φ_j dA, with a weight w for each medium.
    pub fn matrices(&self, unknowns: &Unknowns, weights: &[f64]) -> [Mat<f64>; 2] {
        let mut matrices = [(); 2].map(|()| Mat::zeros(unknowns.count, unknowns.count));
        for (triangle, numbers) in unknowns.of.iter().enumerate() {
            let medium = weights[self.media[triangle]];
            for sample in &self.samples {
                let [[xu, xv], [yu, yv]] = self.jacobian(triangle, sample.point);
                let det = xu * yv - xv * yu;
                let weight = sample.weight * det.abs();
                let gradient = |i: usize| {
                    let [u, v] = [sample.slopes[0][i], sample.slopes[1][i]];
                    [(yv * u - yu * v) / det, (xu * v - xv * u) / det]
                };
                let gradients: Vec<[f64; 2]> = (0..numbers.len()).map(gradient).collect();
                for (i, &row) in numbers.iter().enumerate() {
                    for (j, &column) in numbers.iter().enumerate() {
                        let slope = gradients[i][0] * gradients[j][0] + gradients[i][1] * gradients[j][1];
                        matrices[0][(row, column)] += weight * medium * slope;
                        matrices[1][(row, column)] += weight * sample.values[i] * sample.values[j];
                    }
                }
            }
        }
        matrices
    }

    /// The nodes on walls of a kind.
    pub fn on_walls(&self, unknowns: &Unknowns, kind: Wall) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for (_, nodes) in self.wall_edges(unknowns, kind) {
            found.extend(nodes);
        }
        found
    }

    /// The length of the edges of each conductor and its nodes, the longest first: edges that share a node are one conductor.
    pub fn conductors(&self, unknowns: &Unknowns) -> Vec<(f64, BTreeSet<usize>)> {
        let mut left = self.wall_edges(unknowns, Wall::Electric);
        let mut found: Vec<(f64, BTreeSet<usize>)> = Vec::new();
        while let Some((mut length, first)) = left.pop() {
            let mut members: BTreeSet<usize> = first.into_iter().collect();
            loop {
                let before = left.len();
                left.retain(|(other, nodes)| {
                    let touches = nodes.iter().any(|node| members.contains(node));
                    if touches {
                        members.extend(nodes);
                        length += other;
                    }
                    !touches
                });
                if left.len() == before {
                    break;
                }
            }
            found.push((length, members));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found
    }

    /// Edges on walls of a kind: their lengths, and the numbers of their nodes.
    fn wall_edges(&self, unknowns: &Unknowns, kind: Wall) -> Vec<(f64, Vec<usize>)> {
        let index = face_index(self.element.order);
        let mut found = Vec::new();
        for ((triangle, numbers), shape) in self.corners.iter().zip(&unknowns.of).zip(&self.shapes) {
            for (side, edge) in edges_of(*triangle).into_iter().enumerate() {
                if self.walls.get(&edge) == Some(&kind) {
                    // Nodes of the edge opposite to a corner have none of it.
                    let opposite = (side + 2) % 3;
                    let on = index.iter().zip(numbers).filter(|(node, _)| node[opposite] == 0);
                    let [[x, y], [to_x, to_y]] = [shape[side], shape[(side + 1) % 3]];
                    found.push(((to_x - x).hypot(to_y - y), on.map(|(_, number)| *number).collect()));
                }
            }
        }
        found
    }
}

/// Quadratic shape functions of the corners and of the nodes on the edges 01, 12 and 20, and their derivatives along u and v.
fn quadratic([u, v]: [f64; 2]) -> ([f64; 6], [[f64; 6]; 2]) {
    let w = 1.0 - u - v;
    let values = [
        w * (2.0 * w - 1.0),
        u * (2.0 * u - 1.0),
        v * (2.0 * v - 1.0),
        4.0 * w * u,
        4.0 * u * v,
        4.0 * v * w,
    ];
    let along_u = [1.0 - 4.0 * w, 4.0 * u - 1.0, 0.0, 4.0 * (w - u), 4.0 * v, -4.0 * v];
    let along_v = [1.0 - 4.0 * w, 0.0, 4.0 * v - 1.0, -4.0 * u, 4.0 * u, 4.0 * (w - v)];
    (values, [along_u, along_v])
}

fn sample(element: &Element, point: [f64; 2], weight: f64) -> Sample {
    Sample { point, weight, values: element.face_interpolation(point), slopes: slopes(element, point) }
}

/// Derivatives of the face's basis functions along u and v: those of the tetrahedron along its face 0, on which
/// (ξ, η, ζ) = (1 − u − v, u, v).
fn slopes(element: &Element, point: [f64; 2]) -> [Vec<f64>; 2] {
    let gradient = element.gradient(face_point(0, point));
    let along = |axis: usize| {
        let nodes = element.face_nodes[0].iter().map(|node| usize::from(*node));
        nodes.map(|node| gradient[axis][node] - gradient[0][node]).collect()
    };
    [along(1), along(2)]
}
