//! ∂E/∂τ and ∂H/∂τ of straight elements, one SIMD vector of them at a time, and their traces.
//!
//! ```text
//! ε ∂E/∂τ = curl H − ση₀ E + Σ_faces lift Y⁻ d,    μ ∂H/∂τ = −curl E − Σ_faces lift n × d,
//! d = A w⁻ + B w⁺ + s − E_t,    w = E_t − Z n × H
//! ```
//!
//! with w⁻ of the element itself and w⁺ of its neighbor (upwind flux: Hesthaven and Warburton 2008).
//! Curls are taken of the covariant components F_k = a_k·F, which needs two derivatives of each
//! instead of three: curl F = (1/J) Σ a_i ε_ijk ∂_j F_k.

use super::tables::Tables;
use crate::offsets::{
    ADMITTANCE, EDGES, FACE, FACE_SCALE, IMPEDANCE, INVERSE_EPS, INVERSE_J, INVERSE_MU, LOSS, SHAPE,
    TANGENT_1, TANGENT_2, WEIGHT_MINUS, WEIGHT_PLUS, WEIGHT_PLUS_H,
};
use crate::plan::LANES;
use phasefront_core::simd::{Lanes, Lanes3, Simd, SimdReal};

/// Temporaries of one vector of elements.
pub struct Scratch<T> {
    /// Covariant components: [node][E, H × 3].
    covariant: Vec<T>,
    /// Jumps d before the lift: [face][node][trace].
    pub jumps: Vec<T>,
    /// Rates of the whole block, in the layout of its fields.
    pub rates: Vec<T>,
}

impl<T: SimdReal> Scratch<T> {
    pub fn new(tables: &Tables<T>) -> Self {
        let values = |n: usize| vec![T::default(); n * LANES];
        let faces = 4 * tables.face_len * tables.traces;
        Self { covariant: values(6 * tables.nodes), jumps: values(faces), rates: values(6 * tables.nodes) }
    }
}

/// One vector of the elements of a block.
pub struct ElementVector<'a, S, T: SimdReal> {
    pub ops: Lanes<S, T>,
    pub tables: &'a Tables<T>,
    pub block: usize,
    /// Index of the vector in the block, and the number of vectors.
    pub which: usize,
    pub parts: usize,
}

/// Tangents and flux weights of a face.
pub struct Frame<V> {
    pub t1: [V; 3],
    pub t2: [V; 3],
    scale: V,
    /// A and B for E*, and with the central flux for n × H*.
    pub minus: V,
    pub plus: V,
    pub minus_h: V,
    pub plus_h: V,
}

impl<'a, S: Simd, T: SimdReal> ElementVector<'a, S, T> {
    #[inline(always)]
    pub fn new(simd: S, tables: &'a Tables<T>, block: usize, part: usize) -> Self {
        Self { ops: Lanes::new(simd), tables, block, which: part, parts: LANES / T::simd_lanes::<S>() }
    }

    #[inline(always)]
    pub fn shape(&self, i: usize) -> T::Vector<S> {
        T::as_simd::<S>(&self.tables.shapes)[(self.block * SHAPE + i) * self.parts + self.which]
    }

    #[inline(always)]
    fn edge(&self, k: usize) -> Lanes3<S, T> {
        [self.shape(EDGES + 3 * k), self.shape(EDGES + 3 * k + 1), self.shape(EDGES + 3 * k + 2)]
    }

    #[inline(always)]
    pub fn frame(&self, face: usize) -> Frame<T::Vector<S>> {
        let all = T::as_simd::<S>(&self.tables.faces);
        let get = |i: usize| all[((self.block * 4 + face) * FACE + i) * self.parts + self.which];
        Frame {
            t1: [get(TANGENT_1), get(TANGENT_1 + 1), get(TANGENT_1 + 2)],
            t2: [get(TANGENT_2), get(TANGENT_2 + 1), get(TANGENT_2 + 2)],
            scale: get(FACE_SCALE),
            minus: get(WEIGHT_MINUS),
            plus: get(WEIGHT_PLUS),
            // Means of E and of n × H have the weights of the two sides exchanged; walls fix one of them and leave the other free.
            minus_h: self.ops.sub(self.ops.splat(T::from_f64(1.0)), get(WEIGHT_MINUS)),
            plus_h: get(WEIGHT_PLUS_H),
        }
    }

    /// The six components of the fields, each at all nodes.
    #[inline(always)]
    pub fn components<'q>(&self, q: &'q [T]) -> [&'q [T::Vector<S>]; 6] {
        // Slices of one length, so that one bounds check serves all six.
        let (q, len) = (T::as_simd::<S>(q), self.tables.nodes * self.parts);
        [
            &q[..len],
            &q[len..2 * len],
            &q[2 * len..3 * len],
            &q[3 * len..4 * len],
            &q[4 * len..5 * len],
            &q[5 * len..6 * len],
        ]
    }

    /// E and H at a node.
    #[inline(always)]
    pub fn at(&self, q: &[&[T::Vector<S>]; 6], node: usize) -> [Lanes3<S, T>; 2] {
        let i = node * self.parts + self.which;
        [[q[0][i], q[1][i], q[2][i]], [q[3][i], q[4][i], q[5][i]]]
    }

    /// a_k·E and a_k·H at all nodes.
    #[inline(always)]
    pub fn covariant(&self, q: &[T], scratch: &mut Scratch<T>) {
        let q = self.components(q);
        let edges = [self.edge(0), self.edge(1), self.edge(2)];
        let out =
            &mut T::as_simd_mut::<S>(&mut scratch.covariant).as_chunks_mut::<6>().0[..self.tables.nodes];
        for (node, out) in out.iter_mut().enumerate() {
            let [e, h] = self.at(&q, node);
            for k in 0..3 {
                out[k] = self.ops.dot(edges[k], e);
                out[3 + k] = self.ops.dot(edges[k], h);
            }
        }
    }

    /// Gathers the neighbors' traces, lane by lane, into the storage of the jumps.
    #[inline(always)]
    pub fn gather(&self, traces: &[T], scratch: &mut Scratch<T>) {
        if self.tables.central {
            self.gather_all::<4>(traces, scratch);
        } else {
            self.gather_all::<2>(traces, scratch);
        }
    }

    /// With P scalars at a node.
    #[inline(always)]
    fn gather_all<const P: usize>(&self, traces: &[T], scratch: &mut Scratch<T>) {
        let (lanes, face_len) = (T::simd_lanes::<S>(), self.tables.face_len);
        let faces = scratch.jumps.chunks_exact_mut(face_len * P * lanes).take(4).enumerate();
        for (face, out) in faces {
            for lane in 0..lanes {
                let at = (self.block * 4 + face) * LANES + self.which * lanes + lane;
                // Traces are [block][face][node][scalar][lane]: the scalars of a node are LANES
                // apart, and each lane has its own neighbor and orientation.
                let far = &traces[self.tables.neighbors[at] as usize..];
                let permutations = &self.tables.permutations[usize::from(self.tables.orientations[at])];
                for (out, &theirs) in out.chunks_exact_mut(P * lanes).zip(permutations) {
                    // One bounds check for all scalars of the node.
                    let from = &far[theirs..][..=(P - 1) * LANES];
                    for s in 0..P {
                        out[s * lanes + lane] = from[s * LANES];
                    }
                }
            }
        }
    }

    /// d times the scale of the face at the nodes of all faces, in place of the neighbors' traces; the caller adds
    /// sources.
    #[inline(always)]
    pub fn jumps(&self, q: &[T], scratch: &mut Scratch<T>) {
        let (ops, q) = (self.ops, self.components(q));
        let z = self.shape(IMPEDANCE);
        let per_node = self.tables.traces;
        let faces =
            T::as_simd_mut::<S>(&mut scratch.jumps).chunks_exact_mut(self.tables.face_len * per_node).take(4);
        for (face, out) in faces.enumerate() {
            let frame = self.frame(face);
            for (there, &node) in out.chunks_exact_mut(per_node).zip(&self.tables.face_nodes[face]) {
                let [e, h] = self.at(&q, node);
                let (e1, e2) = (ops.dot(e, frame.t1), ops.dot(e, frame.t2));
                let (h1, h2) = (ops.dot(h, frame.t1), ops.dot(h, frame.t2));
                // The neighbor's t₂ points the other way.
                if let [w1, w2] = there {
                    // Upwind: E* = A w⁻ + B w⁺, w = E_t − Z n × H, n × H = −h₂ t₁ + h₁ t₂.
                    let (plus1, plus2) = (*w1, ops.neg(*w2));
                    let (minus1, minus2) = (ops.fma(z, h2, e1), ops.sub(e2, ops.mul(z, h1)));
                    let d1 = ops.sub(ops.fma(frame.plus, plus1, ops.mul(frame.minus, minus1)), e1);
                    let d2 = ops.sub(ops.fma(frame.plus, plus2, ops.mul(frame.minus, minus2)), e2);
                    *w1 = ops.mul(frame.scale, d1);
                    *w2 = ops.mul(frame.scale, d2);
                } else {
                    // Central: E* and n × H* are weighted means of the two sides, p = n × H.
                    let (p1, p2) = (ops.neg(h2), h1);
                    let d = |minus, plus, far, mine| {
                        ops.mul(frame.scale, ops.sub(ops.fma(plus, far, ops.mul(minus, mine)), mine))
                    };
                    // The neighbor stores its own n × H, with the opposite normal: (n × H)₁ changes its sign, (n × H)₂ twice.
                    let far = [there[0], ops.neg(there[1]), ops.neg(there[2]), there[3]];
                    there[0] = d(frame.minus, frame.plus, far[0], e1);
                    there[1] = d(frame.minus, frame.plus, far[1], e2);
                    there[2] = d(frame.minus_h, frame.plus_h, far[2], p1);
                    there[3] = d(frame.minus_h, frame.plus_h, far[3], p2);
                }
            }
        }
    }

    /// ∂E/∂τ and ∂H/∂τ at all nodes, from the covariant components and the jumps.
    #[inline(always)]
    pub fn rates(&self, q: &[T], scratch: &mut Scratch<T>) {
        let nodes = self.tables.nodes;
        let mut row = 0;
        // Two rows share every load of a covariant component; their 12 accumulators fit into the 16
        // registers of AVX2.
        while row + 2 <= nodes {
            self.rows::<2>(row, q, scratch);
            row += 2;
        }
        if row < nodes {
            self.rows::<1>(row, q, scratch);
        }
    }

    /// R rows at once: as many accumulators as there are registers.
    #[inline(always)]
    fn rows<const R: usize>(&self, first: usize, q: &[T], scratch: &mut Scratch<T>) {
        let (ops, nodes, central) = (self.ops, self.tables.nodes, self.tables.central);
        let zero = ops.splat(T::default());
        let mut curls = [[zero; 6]; R];
        let covariant = &T::as_simd::<S>(&scratch.covariant).as_chunks::<6>().0[..nodes];
        let derivative = self.tables.derivative.as_chunks::<3>().0;
        let rows: [&[[T; 3]]; R] = std::array::from_fn(|r| &derivative[nodes * (first + r)..][..nodes]);
        // J (curl F)_i = ε_ijk ∂_j F_k of the covariant components F_k. Columns of the operators
        // are outermost: a node of `covariant` is loaded once for all rows.
        for (j, f) in covariant.iter().enumerate() {
            for r in 0..R {
                let d = [ops.splat(rows[r][j][0]), ops.splat(rows[r][j][1]), ops.splat(rows[r][j][2])];
                let minus = [ops.neg(d[0]), ops.neg(d[1]), ops.neg(d[2])];
                for field in [0, 3] {
                    let c = &mut curls[r];
                    c[field] = ops.fma(minus[2], f[field + 1], ops.fma(d[1], f[field + 2], c[field]));
                    c[field + 1] = ops.fma(minus[0], f[field + 2], ops.fma(d[2], f[field], c[field + 1]));
                    c[field + 2] = ops.fma(minus[1], f[field], ops.fma(d[0], f[field + 1], c[field + 2]));
                }
            }
        }
        // Factors of the sums: E gets 1/ε (curl H + Y⁻ lift d) = Y/ε (Z curl H + lift d), or with the central flux
        // 1/ε (curl H + lift p); H gets 1/μ (−curl E + ...).
        let inverse_j = self.shape(INVERSE_J);
        let (unit, curl_h) = if central {
            (ops.splat(T::from_f64(1.0)), inverse_j)
        } else {
            (self.shape(ADMITTANCE), ops.mul(inverse_j, self.shape(IMPEDANCE)))
        };
        let curl_e = ops.neg(inverse_j);
        let edges = [self.edge(0), self.edge(1), self.edge(2)];
        let mut sums = [[zero; 6]; R];
        for r in 0..R {
            let [e0, e1, e2, h0, h1, h2] = curls[r];
            for axis in 0..3 {
                let edges = [edges[0][axis], edges[1][axis], edges[2][axis]];
                // curl H is the rate of E, −curl E that of H.
                sums[r][axis] = ops.mul(curl_h, ops.dot([h0, h1, h2], edges));
                sums[r][3 + axis] = ops.mul(curl_e, ops.dot([e0, e1, e2], edges));
            }
        }
        if central {
            self.lift::<R, 4>(first, &mut sums, scratch);
        } else {
            self.lift::<R, 2>(first, &mut sums, scratch);
        }
        // Ohmic loss: −(ση₀/ε) E.
        let (q, loss) = (self.components(q), ops.neg(self.shape(LOSS)));
        let over_eps = [0, 1, 2].map(|axis| self.shape(INVERSE_EPS + axis));
        let over_mu = [0, 1, 2].map(|axis| self.shape(INVERSE_MU + axis));
        let rates = T::as_simd_mut::<S>(&mut scratch.rates);
        for (r, sums) in sums.iter().enumerate() {
            let at = (first + r) * self.parts + self.which;
            for axis in 0..3 {
                let lost = ops.mul(loss, q[axis][at]);
                rates[axis * nodes * self.parts + at] =
                    ops.mul(over_eps[axis], ops.fma(unit, sums[axis], lost));
                rates[(3 + axis) * nodes * self.parts + at] = ops.mul(over_mu[axis], sums[3 + axis]);
            }
        }
    }

    /// Adds the surface term to R rows, from P scalars at a node of a face.
    #[inline(always)]
    fn lift<const R: usize, const P: usize>(
        &self,
        first: usize,
        sums: &mut [[T::Vector<S>; 6]; R],
        scratch: &Scratch<T>,
    ) {
        let (ops, face_len) = (self.ops, self.tables.face_len);
        let jumps = T::as_simd::<S>(&scratch.jumps).as_chunks::<P>().0;
        let zero = ops.splat(T::default());
        for face in 0..4 {
            let frame = self.frame(face);
            // Faces are lifted one by one: each has its own tangents.
            let rows: [&[T]; R] =
                std::array::from_fn(|r| &self.tables.lift[(4 * (first + r) + face) * face_len..][..face_len]);
            let mut lifted = [[zero; P]; R];
            for (k, g) in jumps[face * face_len..][..face_len].iter().enumerate() {
                for r in 0..R {
                    let l = ops.splat(rows[r][k]);
                    for s in 0..P {
                        lifted[r][s] = ops.fma(l, g[s], lifted[r][s]);
                    }
                }
            }
            for r in 0..R {
                // E gets d (central: n × (H* − H⁻), stored behind d), H gets −n × d = d₂ t₁ − d₁ t₂.
                let (e1, e2) = (lifted[r][P - 2], lifted[r][P - 1]);
                let (h1, h2) = (lifted[r][1], ops.neg(lifted[r][0]));
                for axis in 0..3 {
                    let (t1, t2) = (frame.t1[axis], frame.t2[axis]);
                    sums[r][axis] = ops.fma(e2, t2, ops.fma(e1, t1, sums[r][axis]));
                    sums[r][3 + axis] = ops.fma(h2, t2, ops.fma(h1, t1, sums[r][3 + axis]));
                }
            }
        }
    }

    /// The traces of the fields: w⁻ along t₁ and t₂, or with the central flux E and n × H.
    #[inline(always)]
    pub fn traces(&self, q: &[T], traces: &mut [T]) {
        let (ops, q) = (self.ops, self.components(q));
        let out = T::as_simd_mut::<S>(traces);
        let z = self.shape(IMPEDANCE);
        let per_node = self.tables.traces;
        for face in 0..4 {
            let frame = self.frame(face);
            for (k, &node) in self.tables.face_nodes[face].iter().enumerate() {
                let [e, h] = self.at(&q, node);
                let (e1, e2) = (ops.dot(e, frame.t1), ops.dot(e, frame.t2));
                let (h1, h2) = (ops.dot(h, frame.t1), ops.dot(h, frame.t2));
                let at =
                    |s: usize| ((face * self.tables.face_len + k) * per_node + s) * self.parts + self.which;
                if self.tables.central {
                    // E and n × H along t₁ and t₂.
                    for (s, value) in [e1, e2, ops.neg(h2), h1].into_iter().enumerate() {
                        out[at(s)] = value;
                    }
                } else {
                    // w⁻ = E_t − Z n × H.
                    out[at(0)] = ops.fma(z, h2, e1);
                    out[at(1)] = ops.sub(e2, ops.mul(z, h1));
                }
            }
        }
    }
}
