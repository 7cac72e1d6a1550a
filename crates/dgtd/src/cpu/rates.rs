//! ∂E/∂τ and ∂H/∂τ of straight elements, a vector of them at a time, and the traces that neighbours see.
//!
//! ε ∂E/∂τ = curl H − ση₀ E + Σ_faces lift Y⁻ d,  μ ∂H/∂τ = −curl E − Σ_faces lift n × d,  d = A w⁻ + B w⁺ + s − E_t,
//! w⁻ = E_t − Z n × H of the element itself, w⁺ that of the neighbour. Curls are taken of covariant components a_k·E, which needs
//! two derivatives of each instead of three: curl F = (1/J) Σ a_i ε_ijk ∂_j (a_k·F).

use super::lanes::{Float, Ops, Three};
use super::tables::{FACE, INVERSE_J, SHAPE, Tables};
use crate::plan::LANES;
use pulp::Simd;

/// Room for the numbers of one vector of elements.
pub struct Scratch<T> {
    /// Covariant components: [node][E, H × 3].
    covariant: Vec<T>,
    /// What faces lift: [face][node][trace].
    pub jumps: Vec<T>,
    /// Rates: [component][node].
    pub rates: Vec<T>,
}

impl<T: Float> Scratch<T> {
    pub fn new(tables: &Tables<T>) -> Self {
        let values = |n: usize| vec![T::default(); n * LANES];
        let faces = 4 * tables.face_len * tables.traces;
        Self { covariant: values(6 * tables.nodes), jumps: values(faces), rates: values(6 * tables.nodes) }
    }
}

/// One vector of the elements of a block.
pub struct Part<'a, S, T: Float> {
    pub ops: Ops<S, T>,
    pub tables: &'a Tables<T>,
    pub block: usize,
    /// Which vector of the block, and how many it has.
    pub which: usize,
    pub parts: usize,
}

/// The frame of a face.
pub struct Frame<V> {
    pub t1: [V; 3],
    pub t2: [V; 3],
    scale: V,
    /// A and B for E*, and with the central flux for n × H*.
    pub own: V,
    pub other: V,
    pub own_h: V,
    pub other_h: V,
}

impl<'a, S: Simd, T: Float> Part<'a, S, T> {
    #[inline(always)]
    pub fn new(simd: S, tables: &'a Tables<T>, block: usize, part: usize) -> Self {
        Self { ops: Ops::new(simd), tables, block, which: part, parts: LANES / T::lanes::<S>() }
    }

    #[inline(always)]
    pub fn shape(&self, i: usize) -> T::Vector<S> {
        T::vectors::<S>(&self.tables.shapes)[(self.block * SHAPE + i) * self.parts + self.which]
    }

    #[inline(always)]
    fn edge(&self, k: usize) -> Three<S, T> {
        [self.shape(3 * k), self.shape(3 * k + 1), self.shape(3 * k + 2)]
    }

    #[inline(always)]
    pub fn frame(&self, face: usize) -> Frame<T::Vector<S>> {
        let all = T::vectors::<S>(&self.tables.faces);
        let get = |i: usize| all[((self.block * 4 + face) * FACE + i) * self.parts + self.which];
        let (n, t1) = ([get(0), get(1), get(2)], [get(3), get(4), get(5)]);
        Frame {
            t1,
            t2: self.ops.cross(n, t1),
            scale: get(6),
            own: get(7),
            other: get(8),
            own_h: get(9),
            other_h: get(10),
        }
    }

    /// Component `c` of the fields at a node.
    #[inline(always)]
    pub fn field(&self, q: &[T::Vector<S>], c: usize, node: usize) -> T::Vector<S> {
        q[(c * self.tables.nodes + node) * self.parts + self.which]
    }

    #[inline(always)]
    pub fn three(&self, q: &[T::Vector<S>], first: usize, node: usize) -> Three<S, T> {
        [self.field(q, first, node), self.field(q, first + 1, node), self.field(q, first + 2, node)]
    }

    /// a_k·E and a_k·H at all nodes.
    #[inline(always)]
    pub fn covariant(&self, q: &[T], scratch: &mut Scratch<T>) {
        let q = T::vectors::<S>(q);
        let edges = [self.edge(0), self.edge(1), self.edge(2)];
        let out = T::vectors_mut::<S>(&mut scratch.covariant);
        for node in 0..self.tables.nodes {
            for first in [0, 3] {
                let x = self.three(q, first, node);
                for k in 0..3 {
                    out[6 * node + first + k] = self.ops.dot(edges[k], x);
                }
            }
        }
    }

    /// d, times the scale of the face, at the nodes of all faces; sources are added by the caller.
    #[inline(always)]
    pub fn jumps(&self, q: &[T], traces: &[T], scratch: &mut Scratch<T>) {
        let (ops, q) = (self.ops, T::vectors::<S>(q));
        let z = self.shape(INVERSE_J + 4);
        let per_node = self.tables.traces;
        for face in 0..4 {
            let frame = self.frame(face);
            let range = face * self.tables.face_len * per_node * T::lanes::<S>()
                ..(face + 1) * self.tables.face_len * per_node * T::lanes::<S>();
            let out = &mut scratch.jumps[range];
            self.gather(face, traces, out);
            let out = T::vectors_mut::<S>(out);
            for (k, &node) in self.tables.face_nodes[face].iter().enumerate() {
                let (e, h) = (self.three(q, 0, node), self.three(q, 3, node));
                let (e1, e2) = (ops.dot(e, frame.t1), ops.dot(e, frame.t2));
                let (h1, h2) = (ops.dot(h, frame.t1), ops.dot(h, frame.t2));
                let there = &mut out[per_node * k..per_node * (k + 1)];
                // The neighbour's t₂ points the other way.
                if self.tables.central {
                    let (p1, p2) = (ops.neg(h2), h1);
                    let d = |own, other, far, mine| {
                        ops.mul(frame.scale, ops.sub(ops.fma(other, far, ops.mul(own, mine)), mine))
                    };
                    // The neighbour gives its own n × H, with the other normal: (n × H)₁ changes its sign, (n × H)₂ twice.
                    let far = [there[0], ops.neg(there[1]), ops.neg(there[2]), there[3]];
                    there[0] = d(frame.own, frame.other, far[0], e1);
                    there[1] = d(frame.own, frame.other, far[1], e2);
                    there[2] = d(frame.own_h, frame.other_h, far[2], p1);
                    there[3] = d(frame.own_h, frame.other_h, far[3], p2);
                } else {
                    let (w1, w2) = (ops.fma(z, h2, e1), ops.sub(e2, ops.mul(z, h1)));
                    let (far1, far2) = (there[0], ops.neg(there[1]));
                    let d1 = ops.sub(ops.fma(frame.other, far1, ops.mul(frame.own, w1)), e1);
                    let d2 = ops.sub(ops.fma(frame.other, far2, ops.mul(frame.own, w2)), e2);
                    there[0] = ops.mul(frame.scale, d1);
                    there[1] = ops.mul(frame.scale, d2);
                }
            }
        }
    }

    /// The neighbours' traces of a face, lane by lane.
    #[inline(always)]
    fn gather(&self, face: usize, traces: &[T], out: &mut [T]) {
        let (lanes, per_node) = (T::lanes::<S>(), self.tables.traces);
        for lane in 0..lanes {
            let at = (self.block * 4 + face) * LANES + self.which * lanes + lane;
            let start = self.tables.neighbours[at] as usize;
            let across = &self.tables.across[usize::from(self.tables.turns[at])];
            let far = &traces[start..=start + (self.tables.face_len * per_node - 1) * LANES];
            for (k, theirs) in across.iter().enumerate() {
                for s in 0..per_node {
                    out[(per_node * k + s) * lanes + lane] = far[(per_node * theirs + s) * LANES];
                }
            }
        }
    }

    /// ∂E/∂τ and ∂H/∂τ at all nodes, from the covariant components and the jumps.
    #[inline(always)]
    pub fn rates(&self, q: &[T], scratch: &mut Scratch<T>) {
        let nodes = self.tables.nodes;
        let mut row = 0;
        while row + 2 <= nodes {
            self.rows::<2>(row, q, scratch);
            row += 2;
        }
        if row < nodes {
            self.rows::<1>(row, q, scratch);
        }
    }

    /// R rows at once: as many sums as there are registers.
    #[inline(always)]
    fn rows<const R: usize>(&self, first: usize, q: &[T], scratch: &mut Scratch<T>) {
        let (ops, nodes) = (self.ops, self.tables.nodes);
        let zero = ops.splat(T::default());
        let mut curls = [[zero; 6]; R];
        let covariant = &T::vectors::<S>(&scratch.covariant)[..6 * nodes];
        let rows: [&[T]; R] = std::array::from_fn(|r| {
            &self.tables.derivative[3 * nodes * (first + r)..3 * nodes * (first + r + 1)]
        });
        for (j, f) in covariant.chunks_exact(6).enumerate() {
            for r in 0..R {
                let d =
                    [ops.splat(rows[r][3 * j]), ops.splat(rows[r][3 * j + 1]), ops.splat(rows[r][3 * j + 2])];
                let minus = [ops.neg(d[0]), ops.neg(d[1]), ops.neg(d[2])];
                for field in [0, 3] {
                    let c = &mut curls[r];
                    c[field] = ops.fma(minus[2], f[field + 1], ops.fma(d[1], f[field + 2], c[field]));
                    c[field + 1] = ops.fma(minus[0], f[field + 2], ops.fma(d[2], f[field], c[field + 1]));
                    c[field + 2] = ops.fma(minus[1], f[field], ops.fma(d[0], f[field + 1], c[field + 2]));
                }
            }
        }
        let edges = [self.edge(0), self.edge(1), self.edge(2)];
        let (inverse_j, inverse_eps, inverse_mu) =
            (self.shape(INVERSE_J), self.shape(INVERSE_J + 1), self.shape(INVERSE_J + 2));
        let loss = ops.neg(self.shape(INVERSE_J + 3));
        let (for_e, for_h) = (ops.mul(inverse_j, inverse_eps), ops.neg(ops.mul(inverse_j, inverse_mu)));
        let fields = T::vectors::<S>(q);
        let mut sums = [[zero; 6]; R];
        for r in 0..R {
            for axis in 0..3 {
                let along = |c: &[T::Vector<S>]| {
                    ops.dot([c[0], c[1], c[2]], [edges[0][axis], edges[1][axis], edges[2][axis]])
                };
                // curl H drives E, and −curl E drives H.
                let lost = ops.mul(loss, self.field(fields, axis, first + r));
                sums[r][axis] = ops.fma(for_e, along(&curls[r][3..]), lost);
                sums[r][3 + axis] = ops.mul(for_h, along(&curls[r][..3]));
            }
        }
        self.lift::<R>(first, &mut sums, scratch);
        let rates = T::vectors_mut::<S>(&mut scratch.rates);
        for (r, sums) in sums.iter().enumerate() {
            for (c, sum) in sums.iter().enumerate() {
                rates[c * nodes + first + r] = *sum;
            }
        }
    }

    /// Adds what the faces give to R rows.
    #[inline(always)]
    fn lift<const R: usize>(&self, first: usize, sums: &mut [[T::Vector<S>; 6]; R], scratch: &Scratch<T>) {
        let (ops, face_len, per_node) = (self.ops, self.tables.face_len, self.tables.traces);
        let (for_e, for_h) = (self.shape(INVERSE_J + 5), self.shape(INVERSE_J + 2));
        let inverse_eps = self.shape(INVERSE_J + 1);
        let jumps = T::vectors::<S>(&scratch.jumps);
        let zero = ops.splat(T::default());
        for face in 0..4 {
            let frame = self.frame(face);
            let rows: [&[T]; R] = std::array::from_fn(|r| {
                let start = (4 * (first + r) + face) * face_len;
                &self.tables.lift[start..start + face_len]
            });
            let here = &jumps[face * face_len * per_node..(face + 1) * face_len * per_node];
            let mut lifted = [[zero; 4]; R];
            for (k, g) in here.chunks_exact(per_node).enumerate() {
                for r in 0..R {
                    let l = ops.splat(rows[r][k]);
                    for s in 0..per_node {
                        lifted[r][s] = ops.fma(l, g[s], lifted[r][s]);
                    }
                }
            }
            for r in 0..R {
                let [d1, d2, p1, p2] = lifted[r];
                // E gets Y⁻ d (central: n × (H* − H⁻)), H gets −n × d = d₂ t₁ − d₁ t₂.
                let (e1, e2) = if self.tables.central {
                    (ops.mul(inverse_eps, p1), ops.mul(inverse_eps, p2))
                } else {
                    (ops.mul(for_e, d1), ops.mul(for_e, d2))
                };
                let (h1, h2) = (ops.mul(for_h, d2), ops.neg(ops.mul(for_h, d1)));
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
        let (ops, q) = (self.ops, T::vectors::<S>(q));
        let out = T::vectors_mut::<S>(traces);
        let z = self.shape(INVERSE_J + 4);
        let per_node = self.tables.traces;
        for face in 0..4 {
            let frame = self.frame(face);
            for (k, &node) in self.tables.face_nodes[face].iter().enumerate() {
                let (e, h) = (self.three(q, 0, node), self.three(q, 3, node));
                let (e1, e2) = (ops.dot(e, frame.t1), ops.dot(e, frame.t2));
                let (h1, h2) = (ops.dot(h, frame.t1), ops.dot(h, frame.t2));
                let at =
                    |s: usize| ((face * self.tables.face_len + k) * per_node + s) * self.parts + self.which;
                if self.tables.central {
                    for (s, value) in [e1, e2, ops.neg(h2), h1].into_iter().enumerate() {
                        out[at(s)] = value;
                    }
                } else {
                    out[at(0)] = ops.fma(z, h2, e1);
                    out[at(1)] = ops.sub(e2, ops.mul(z, h1));
                }
            }
        }
    }
}
