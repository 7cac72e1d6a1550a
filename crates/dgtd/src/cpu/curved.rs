//! ∂E/∂τ and ∂H/∂τ of curved elements, one SIMD vector of them at a time, and their traces on curved
//! faces.
//!
//! The scheme of [`super::straight`] in integrals. The map is quadratic, so that J and the J∇ξ_j are
//! polynomials and all integrals are exact except for 1/J, which comes last. With V from nodes to
//! quadrature points and P = M⁻¹VᵀW back,
//!
//! ```text
//! ε ∂E/∂τ = P (1/J) V [P Σ_j J∇ξ_j × ∂_j H + Σ_faces lift Y⁻ d |N|] − ση₀ E,
//! μ ∂H/∂τ = −P (1/J) V [P Σ_j J∇ξ_j × ∂_j E + Σ_faces lift N × d],
//! ```
//!
//! the weight-adjusted inverse of the mass matrix (Chan, Hewett and Warburton, SIAM J. Sci. Comput.
//! 39, A2395, 2017). On curved faces n = N/|N| varies and d is evaluated at quadrature points, in
//! Cartesian components.

use super::curved_tables::CurvedTables;
use super::straight::{ElementVector, Scratch};
use super::tables::Tables;
use crate::offsets::{
    IMPEDANCE, INVERSE_EPS, INVERSE_MU, LOSS, MAP, MAP_B, MAP_C00, MAP_C01, MAP_C02, MAP_C11, MAP_C12,
    MAP_C22,
};
use crate::plan::LANES;
use phasefront_core::simd::{Lanes, Lanes3, Simd, SimdReal};

/// Indices of c_k0, c_k1 and c_k2 in the map, for each k.
const SECOND: [[usize; 3]; 3] =
    [[MAP_C00, MAP_C01, MAP_C02], [MAP_C01, MAP_C11, MAP_C12], [MAP_C02, MAP_C12, MAP_C22]];

/// Temporaries of one vector of curved elements.
pub struct CurvedScratch<T> {
    /// The fields: [node][6].
    fields: Vec<T>,
    /// d on curved faces: [face][point][trace].
    pub jumps: Vec<T>,
    /// N on curved faces, zero on others: [face][point][3].
    normals: Vec<T>,
    /// Surface term before the lift: [face][node][6].
    flux: Vec<T>,
    /// Values at points, of the element or of a face: [point][6].
    points: Vec<T>,
    /// Values at nodes: [node][6].
    sums: Vec<T>,
}

impl<T: SimdReal> CurvedScratch<T> {
    pub fn new(tables: &Tables<T>, curved: &CurvedTables<T>) -> Self {
        let values = |n: usize| vec![T::default(); n * LANES];
        let on_faces = 4 * curved.face_points();
        Self {
            fields: values(tables.nodes * 6),
            jumps: values(on_faces * curved.traces),
            normals: values(on_faces * 3),
            flux: values(4 * tables.face_len * 6),
            points: values(curved.coordinates.len().max(curved.face_points()) * 6),
            sums: values(tables.nodes * 6),
        }
    }
}

/// One vector of the curved elements of a block.
pub struct CurvedVector<'a, S, T: SimdReal> {
    part: ElementVector<'a, S, T>,
    ops: Lanes<S, T>,
    curved: &'a CurvedTables<T>,
    /// Index of the block among those of curved elements.
    block: usize,
}

impl<'a, S: Simd, T: SimdReal> CurvedVector<'a, S, T> {
    #[inline(always)]
    pub fn new(part: ElementVector<'a, S, T>, curved: &'a CurvedTables<T>) -> Self {
        Self { ops: part.ops, block: part.block - curved.first, part, curved }
    }

    /// ∂x/∂ξ_k at a point.
    #[inline(always)]
    fn edges(&self, [x, y, z]: [T; 3]) -> [Lanes3<S, T>; 3] {
        let (ops, all) = (self.ops, T::as_simd::<S>(&self.curved.shapes));
        let (x, y, z) = (ops.splat(x), ops.splat(y), ops.splat(z));
        let all = &all[self.block * MAP * self.part.parts..(self.block + 1) * MAP * self.part.parts];
        let mut edges = [[x; 3]; 3];
        for (k, [c0, c1, c2]) in SECOND.into_iter().enumerate() {
            for axis in 0..3 {
                let b = all[(3 * (MAP_B + k) + axis) * self.part.parts + self.part.which];
                let c0 = all[(3 * c0 + axis) * self.part.parts + self.part.which];
                let c1 = all[(3 * c1 + axis) * self.part.parts + self.part.which];
                let c2 = all[(3 * c2 + axis) * self.part.parts + self.part.which];
                edges[k][axis] = ops.fma(z, c2, ops.fma(y, c1, ops.fma(x, c0, b)));
            }
        }
        edges
    }

    /// N of a face at one of its points.
    #[inline(always)]
    fn normal(&self, face: usize, point: usize) -> Lanes3<S, T> {
        let ops = self.ops;
        // N = ∂x/∂u × ∂x/∂v over the corners of the face, outward; |N| du dv is its area element.
        let [a, b, c] = self.edges(self.curved.face_coordinates[face][point]);
        match face {
            0 => ops.cross(ops.sub3(b, a), ops.sub3(c, a)),
            1 => ops.cross(c, b),
            2 => ops.cross(a, c),
            _ => ops.cross(b, a),
        }
    }

    /// Transposes the fields of these elements to [node][6].
    #[inline(always)]
    pub fn load(&self, q: &[T], curved_scratch: &mut CurvedScratch<T>) {
        let q = self.part.components(q);
        let out = T::as_simd_mut::<S>(&mut curved_scratch.fields).as_chunks_mut::<6>().0;
        for (node, out) in out.iter_mut().take(self.part.tables.nodes).enumerate() {
            let [[e0, e1, e2], [h0, h1, h2]] = self.part.at(&q, node);
            *out = [e0, e1, e2, h0, h1, h2];
        }
    }

    /// Tangential E and n × H at a point of a face with this normal.
    #[inline(always)]
    fn tangential(
        &self,
        fields: &[T::Vector<S>],
        face: usize,
        point: usize,
        normal: Lanes3<S, T>,
    ) -> [Lanes3<S, T>; 2] {
        let (ops, nodes) = (self.ops, &self.part.tables.face_nodes[face]);
        let row = &self.curved.face_values[point * nodes.len()..(point + 1) * nodes.len()];
        let mut sums = [ops.splat(T::default()); 6];
        for (weight, &node) in row.iter().zip(nodes) {
            let weight = ops.splat(*weight);
            for (sum, value) in sums.iter_mut().zip(&fields[6 * node..6 * node + 6]) {
                *sum = ops.fma(weight, *value, *sum);
            }
        }
        let [e0, e1, e2, h0, h1, h2] = sums;
        let (e, h) = ([e0, e1, e2], [h0, h1, h2]);
        let length = ops.sqrt(ops.dot(normal, normal));
        let n = [ops.div(normal[0], length), ops.div(normal[1], length), ops.div(normal[2], length)];
        // E_t = E − n (n·E).
        let out = ops.neg(ops.dot(n, e));
        let along = [ops.fma(out, n[0], e[0]), ops.fma(out, n[1], e[1]), ops.fma(out, n[2], e[2])];
        [along, ops.cross(n, h)]
    }

    /// d at the points of all faces; used on curved ones. The caller adds sources.
    #[inline(always)]
    pub fn jumps(&self, traces: &[T], curved_scratch: &mut CurvedScratch<T>) {
        let (ops, fields) = (self.ops, T::as_simd::<S>(&curved_scratch.fields));
        let z = self.part.shape(IMPEDANCE);
        let (points, per_point) = (self.curved.face_points(), self.curved.traces);
        let curved = T::as_simd::<S>(&self.curved.curved);
        for face in 0..4 {
            let lanes = T::simd_lanes::<S>();
            let out = &mut curved_scratch.jumps
                [face * points * per_point * lanes..(face + 1) * points * per_point * lanes];
            // The neighbors' w⁺ are gathered into the storage of d, which then replaces them.
            self.gather(face, traces, out);
            let out = T::as_simd_mut::<S>(out);
            let normals = &mut T::as_simd_mut::<S>(&mut curved_scratch.normals)[3 * face * points..];
            let frame = self.part.frame(face);
            // One on curved faces, zero on straight ones, lane by lane.
            let mask = curved[(self.block * 4 + face) * self.part.parts + self.part.which];
            for (point, there) in out.chunks_exact_mut(per_point).enumerate() {
                let normal = self.normal(face, point);
                let [e, p] = self.tangential(fields, face, point, normal);
                for i in 0..3 {
                    // N = 0 on straight faces removes them from the flux without a branch: lanes
                    // differ in which of their faces are curved.
                    normals[3 * point + i] = ops.mul(mask, normal[i]);
                    if self.part.tables.central {
                        // The neighbor stores n × H with the opposite normal.
                        let far = ops.neg(there[3 + i]);
                        let p_star = ops.fma(frame.plus_h, far, ops.mul(frame.minus_h, p[i]));
                        let e_star = ops.fma(frame.plus, there[i], ops.mul(frame.minus, e[i]));
                        there[i] = ops.sub(e_star, e[i]);
                        there[3 + i] = ops.sub(p_star, p[i]);
                    } else {
                        // Upwind: d = A w⁻ + B w⁺ − E_t, w⁻ = E_t − Z n × H.
                        let w = ops.sub(e[i], ops.mul(z, p[i]));
                        let e_star = ops.fma(frame.plus, there[i], ops.mul(frame.minus, w));
                        there[i] = ops.sub(e_star, e[i]);
                    }
                }
            }
        }
    }

    /// The neighbors' traces of a face, lane by lane.
    #[inline(always)]
    fn gather(&self, face: usize, traces: &[T], out: &mut [T]) {
        let (lanes, per_point) = (T::simd_lanes::<S>(), self.curved.traces);
        // Scattered loads: each lane has its own neighbor and orientation.
        for lane in 0..lanes {
            let at = (self.block * 4 + face) * LANES + self.part.which * lanes + lane;
            let far = &traces[self.curved.neighbors[at] as usize..];
            let permutations = &self.curved.permutations[usize::from(self.curved.orientations[at])];
            for (k, theirs) in permutations.iter().enumerate() {
                for s in 0..per_point {
                    out[(per_point * k + s) * lanes + lane] = far[(per_point * theirs + s) * LANES];
                }
            }
        }
    }

    /// Surface term at the nodes of the faces: Y⁻ d |N| (central: (n × H* − n × H⁻)|N|) for E and
    /// −N × d for H, from the quadrature points of curved faces and from the nodes of straight
    /// ones.
    #[inline(always)]
    fn flux(&self, scratch: &Scratch<T>, curved_scratch: &mut CurvedScratch<T>) {
        let (ops, tables) = (self.ops, self.part.tables);
        let (points, per_point, per_node) = (self.curved.face_points(), self.curved.traces, tables.traces);
        let admittance = ops.div(ops.splat(T::from_f64(1.0)), self.part.shape(IMPEDANCE));
        let at_points = T::as_simd_mut::<S>(&mut curved_scratch.points);
        for face in 0..4 {
            let jumps = &T::as_simd::<S>(&curved_scratch.jumps)[face * points * per_point..];
            let normals = &T::as_simd::<S>(&curved_scratch.normals)[3 * face * points..];
            for point in 0..points {
                let d = &jumps[per_point * point..per_point * (point + 1)];
                let n = [normals[3 * point], normals[3 * point + 1], normals[3 * point + 2]];
                let length = ops.sqrt(ops.dot(n, n));
                // −N × d.
                let h = ops.cross([d[0], d[1], d[2]], n);
                for i in 0..3 {
                    let p = if tables.central { d[3 + i] } else { ops.mul(admittance, d[i]) };
                    at_points[6 * point + i] = ops.mul(length, p);
                    at_points[6 * point + 3 + i] = h[i];
                }
            }
            let frame = self.part.frame(face);
            // Straight faces: d at the nodes times |N|; the scale of curved faces is zero there.
            let straight = &T::as_simd::<S>(&scratch.jumps)[face * tables.face_len * per_node..];
            let out = &mut T::as_simd_mut::<S>(&mut curved_scratch.flux)[6 * face * tables.face_len..];
            for k in 0..tables.face_len {
                let d = &straight[per_node * k..per_node * (k + 1)];
                let (e1, e2) = if tables.central {
                    (d[2], d[3])
                } else {
                    (ops.mul(admittance, d[0]), ops.mul(admittance, d[1]))
                };
                let (h1, h2) = (d[1], ops.neg(d[0]));
                for axis in 0..3 {
                    let (t1, t2) = (frame.t1[axis], frame.t2[axis]);
                    out[6 * k + axis] = ops.fma(e2, t2, ops.mul(e1, t1));
                    out[6 * k + 3 + axis] = ops.fma(h2, t2, ops.mul(h1, t1));
                }
            }
            // Curved faces: from their quadrature points to their nodes.
            add_product(ops, &self.curved.face_project, &at_points[..6 * points], out);
        }
    }

    /// J curl H and −J curl E at the points of the element, J curl F = Σ_j J∇ξ_j × ∂_j F.
    #[inline(always)]
    fn curls(&self, curved_scratch: &mut CurvedScratch<T>) {
        let (ops, nodes) = (self.ops, self.part.tables.nodes);
        let fields = &T::as_simd::<S>(&curved_scratch.fields)[..6 * nodes];
        let out = T::as_simd_mut::<S>(&mut curved_scratch.points);
        for (point, local) in self.curved.coordinates.iter().enumerate() {
            let [a, b, c] = self.edges(*local);
            // J∇ξ_j: polynomials of degree 2, since the edges are linear in ξ.
            let gradients = [ops.cross(b, c), ops.cross(c, a), ops.cross(a, b)];
            let rows = &self.curved.gradients[3 * nodes * point..3 * nodes * (point + 1)];
            // curl E drives H, curl H drives E.
            for (field, target) in [(0, 3), (3, 0)] {
                let mut slopes = [[ops.splat(T::default()); 3]; 3];
                for (f, weights) in fields.chunks_exact(6).zip(rows.chunks_exact(3)) {
                    for j in 0..3 {
                        let weight = ops.splat(weights[j]);
                        for i in 0..3 {
                            slopes[j][i] = ops.fma(weight, f[field + i], slopes[j][i]);
                        }
                    }
                }
                let [first, second, third] = [
                    ops.cross(gradients[0], slopes[0]),
                    ops.cross(gradients[1], slopes[1]),
                    ops.cross(gradients[2], slopes[2]),
                ];
                for i in 0..3 {
                    let curl = ops.add(first[i], ops.add(second[i], third[i]));
                    out[6 * point + target + i] = if target == 0 { curl } else { ops.neg(curl) };
                }
            }
        }
    }

    /// ∂E/∂τ and ∂H/∂τ at all nodes, from the jumps at nodes of straight faces and at points of curved ones.
    #[inline(always)]
    pub fn rates(&self, scratch: &mut Scratch<T>, curved_scratch: &mut CurvedScratch<T>) {
        let (ops, tables, curved) = (self.ops, self.part.tables, self.curved);
        let nodes = tables.nodes;
        // Surface term at the nodes of faces, volume term at the points of the element.
        self.flux(scratch, curved_scratch);
        self.curls(curved_scratch);
        let at_points = &mut T::as_simd_mut::<S>(&mut curved_scratch.points)[..6 * curved.coordinates.len()];
        let at_nodes = &mut T::as_simd_mut::<S>(&mut curved_scratch.sums)[..6 * nodes];
        let flux = &T::as_simd::<S>(&curved_scratch.flux)[..6 * 4 * tables.face_len];
        let zero = ops.splat(T::default());
        at_nodes.fill(zero);
        add_product(ops, &curved.project, at_points, at_nodes);
        add_product(ops, &tables.lift, flux, at_nodes);
        // Weight-adjusted inverse of the mass matrix: P (1/J) V.
        at_points.fill(zero);
        add_product(ops, &curved.values, at_nodes, at_points);
        for (values, local) in at_points.chunks_exact_mut(6).zip(&curved.coordinates) {
            let [a, b, c] = self.edges(*local);
            let inverse = ops.div(ops.splat(T::from_f64(1.0)), ops.dot(a, ops.cross(b, c)));
            for value in values {
                *value = ops.mul(*value, inverse);
            }
        }
        at_nodes.fill(zero);
        add_product(ops, &curved.project, at_points, at_nodes);
        let fields = T::as_simd::<S>(&curved_scratch.fields);
        let rates = T::as_simd_mut::<S>(&mut scratch.rates);
        let over_eps = [0, 1, 2].map(|axis| self.part.shape(INVERSE_EPS + axis));
        let over_mu = [0, 1, 2].map(|axis| self.part.shape(INVERSE_MU + axis));
        let loss = ops.neg(self.part.shape(LOSS));
        for (node, sums) in at_nodes.chunks_exact(6).enumerate() {
            for axis in 0..3 {
                // Ohmic loss: −(ση₀/ε) E.
                let lost = ops.mul(loss, fields[6 * node + axis]);
                let at = |c: usize| (c * nodes + node) * self.part.parts + self.part.which;
                rates[at(axis)] = ops.mul(over_eps[axis], ops.add(sums[axis], lost));
                rates[at(3 + axis)] = ops.mul(over_mu[axis], sums[3 + axis]);
            }
        }
    }

    /// The traces of the fields at the points of all faces: w⁻, or with the central flux tangential E and n × H.
    #[inline(always)]
    pub fn traces(&self, curved_scratch: &CurvedScratch<T>, traces: &mut [T]) {
        let (ops, fields) = (self.ops, T::as_simd::<S>(&curved_scratch.fields));
        let out = T::as_simd_mut::<S>(traces);
        let z = self.part.shape(IMPEDANCE);
        let (points, per_point) = (self.curved.face_points(), self.curved.traces);
        for face in 0..4 {
            for point in 0..points {
                let [e, p] = self.tangential(fields, face, point, self.normal(face, point));
                let at =
                    |s: usize| ((face * points + point) * per_point + s) * self.part.parts + self.part.which;
                for i in 0..3 {
                    if self.part.tables.central {
                        out[at(i)] = e[i];
                        out[at(3 + i)] = p[i];
                    } else {
                        out[at(i)] = ops.sub(e[i], ops.mul(z, p[i]));
                    }
                }
            }
        }
    }
}

/// out_i += Σ_j matrix_ij values_j, six components at once; two rows together, so that each value is loaded once for both.
#[inline(always)]
fn add_product<S: Simd, T: SimdReal>(
    ops: Lanes<S, T>,
    matrix: &[T],
    values: &[T::Vector<S>],
    out: &mut [T::Vector<S>],
) {
    let cols = values.len() / 6;
    let pairs = matrix.chunks_exact(2 * cols);
    let last = pairs.remainder();
    for (both, out) in pairs.zip(out.chunks_exact_mut(12)) {
        let (one, two) = both.split_at(cols);
        // Accumulators of two rows stay in registers over all columns.
        let mut sums = [out[0]; 12];
        for (sum, before) in sums.iter_mut().zip(out.iter()) {
            *sum = *before;
        }
        for ((a, b), f) in one.iter().zip(two).zip(values.chunks_exact(6)) {
            let (a, b) = (ops.splat(*a), ops.splat(*b));
            for c in 0..6 {
                sums[c] = ops.fma(a, f[c], sums[c]);
                sums[6 + c] = ops.fma(b, f[c], sums[6 + c]);
            }
        }
        for (after, sum) in out.iter_mut().zip(sums) {
            *after = sum;
        }
    }
    if !last.is_empty() {
        let out = &mut out[6 * (matrix.len() / cols - 1)..];
        for (a, f) in last.iter().zip(values.chunks_exact(6)) {
            let a = ops.splat(*a);
            for c in 0..6 {
                out[c] = ops.fma(a, f[c], out[c]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cpu::engine::CpuEngine;
    use crate::deformed::{cube, deformed};
    use crate::engine::Engine;
    use crate::kind::Kind;
    use crate::plan::Plan;
    use crate::problem::{Boundary, Flux, Problem, Stop};
    use crate::share::Share;
    use crate::study::{Study, prepare};
    use faer::Mat;
    use faer::linalg::solvers::Solve;
    use phasefront_mesh::TetMesh;
    use std::f64::consts::TAU;

    const SIDES: [&str; 6] = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];

    /// A cube whose opposite sides are deformed alike.
    fn wavy() -> TetMesh {
        let wave = |x: f64| 0.05 * (TAU * x + 1.0).sin();
        deformed(cube(2), |[x, y, z]| [x + wave(y), y + wave(z), z + wave(x)])
    }

    /// A cube that is deformed beyond x = 1/2 only: elements there have straight and curved faces.
    fn partly_bent() -> TetMesh {
        let wave = |x: f64, y: f64| if x > 0.5 { 0.05 * (TAU * y + 1.0).sin() } else { 0.0 };
        deformed(cube(2), |[x, y, z]| [x + wave(x, y), y + wave(x, z), z])
    }

    fn study(order: usize, flux: Flux, walls: bool) -> Study {
        let pair = |axis: usize| (SIDES[2 * axis].into(), SIDES[2 * axis + 1].into());
        let study = prepare(Problem {
            mesh: if walls { partly_bent() } else { wavy() },
            boundaries: if walls { SIDES.map(|s| (s.into(), Boundary::Pec)).into() } else { Vec::new() },
            periodic: if walls { Vec::new() } else { (0..3).map(pair).collect() },
            highest_frequency: 1e8,
            stop: Stop { energy_db: None, time: 1e-9 },
            order,
            flux,
            ..Problem::default()
        })
        .unwrap();
        let curved = study.kinds.count(Kind::Curved);
        assert_eq!(curved, if walls { 24 } else { 48 });
        study
    }

    /// ∂/∂τ of fields.
    fn rates(share: &Share<'_>, fields: &[f64]) -> Vec<f64> {
        let mut cpu = CpuEngine::<f64>::new(share).unwrap();
        cpu.set_fields(fields);
        cpu.add_rates();
        cpu.fields().unwrap().iter().zip(fields).map(|(after, before)| after - before).collect()
    }

    fn used(plan: &Plan) -> impl Iterator<Item = usize> {
        (0..plan.tets.len()).filter(|&slot| plan.tets[slot].is_some())
    }

    /// Uniform fields stay uniform between curved elements.
    #[test]
    fn constant_fields_stay() {
        for order in 1..=6 {
            for flux in [Flux::Upwind, Flux::Central] {
                let study = study(order, flux, false);
                let (share, nodes) = (Share::whole(&study), study.nodes());
                let mut fields = vec![0.0; share.plan.tets.len() * 6 * nodes];
                for slot in used(&share.plan) {
                    for i in 0..6 * nodes {
                        fields[slot * 6 * nodes + i] = [1.0, -2.0, 0.5, 3.0, 1.5, -1.0][i / nodes];
                    }
                }
                let worst = rates(&share, &fields).iter().map(|r| r.abs()).fold(0.0, f64::max);
                assert!(worst < 1e-11, "order {order}, {flux:?}: {worst:e}");
            }
        }
    }

    /// uᵀ M (M_{1/J})⁻¹ M v over all elements and components: the norm in which the scheme conserves energy.
    fn product(plan: &Plan, u: &[f64], v: &[f64]) -> f64 {
        let nodes = plan.element.len();
        let mass = Mat::from_fn(nodes, nodes, |i, j| plan.element.mass.row(i)[j]);
        let of = |slot: usize| {
            let mut weighted = Mat::<f64>::zeros(nodes, nodes);
            for (local, weight) in plan.points.coordinates.iter().zip(&plan.points.weights) {
                let values = plan.element.interpolation(*local);
                let scale = weight / plan.shapes[slot].jacobian(*local).determinant();
                for i in 0..nodes {
                    for j in 0..nodes {
                        weighted[(i, j)] += scale * values[i] * values[j];
                    }
                }
            }
            let of = |f: &[f64]| &mass * Mat::from_fn(nodes, 6, |i, c| f[(slot * 6 + c) * nodes + i]);
            let (left, right) = (of(u), weighted.partial_piv_lu().solve(of(v)));
            (0..6).map(|c| (0..nodes).map(|i| left[(i, c)] * right[(i, c)]).sum::<f64>()).sum::<f64>()
        };
        used(plan).map(of).sum()
    }

    /// For arbitrary fields, the central flux conserves energy and the upwind flux dissipates it, between curved elements and at curved
    /// walls.
    #[test]
    fn energy_is_kept_or_lost() {
        for order in 1..=4 {
            for walls in [false, true] {
                for flux in [Flux::Upwind, Flux::Central] {
                    let study = study(order, flux, walls);
                    let (share, nodes) = (Share::whole(&study), study.nodes());
                    let plan = &share.plan;
                    let mut fields = vec![0.0; plan.tets.len() * 6 * nodes];
                    for slot in used(plan) {
                        let minus = &mut fields[slot * 6 * nodes..(slot + 1) * 6 * nodes];
                        for (i, value) in minus.iter_mut().enumerate() {
                            let i = (slot * 6 * nodes + i) as f64;
                            *value = (0.37 * i * i + i).sin();
                        }
                    }
                    let rates = rates(&share, &fields);
                    let growth = product(plan, &fields, &rates);
                    let size = (product(plan, &fields, &fields) * product(plan, &rates, &rates)).sqrt();
                    let growth = growth / size;
                    match flux {
                        Flux::Central => {
                            assert!(growth.abs() < 1e-13, "order {order}, walls {walls}: {growth:e}");
                        }
                        Flux::Upwind => assert!(growth < -1e-2, "order {order}, walls {walls}: {growth:e}"),
                    }
                }
            }
        }
    }
}
