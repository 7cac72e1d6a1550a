//! One ray through the tree.

use super::{Bvh, LEAF_BIT, Leaf, NOTHING, Node, WIDTH};
use phasefront_core::simd::f32x8::{F32x8, WithF32x8, dispatch};

/// Smallest component of a direction: beyond it the inverse would be infinite, and 0 · ∞ no number.
const FLATTEST: f32 = 1e-18;
/// Bounds the relative error of a dozen operations in single precision; of d·(a × b), whose factors are at most four times the reach
/// of the tree, in squares of that.
const ROUNDING: f32 = 100.0 * f32::EPSILON;
/// Children that wait at any time without more memory: seven per level, and trees of a million triangles have about ten levels.
const STACK: usize = 128;

impl Bvh {
    /// The triangle that a ray meets first, and how far off it is. `distance` decides: it is asked about triangles that are in the
    /// ray's way as far as single precision can tell, and says how far off they are, or that they are not.
    pub fn closest(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        distance: impl FnMut(u32) -> Option<f64>,
    ) -> Option<(u32, f64)> {
        dispatch(Closest { tree: self, walk: Walk::new(origin, direction), distance })
    }
}

struct Closest<'a, D> {
    tree: &'a Bvh,
    walk: Walk,
    distance: D,
}

impl<D: FnMut(u32) -> Option<f64>> WithF32x8 for Closest<'_, D> {
    type Output = Option<(u32, f64)>;

    #[inline(always)]
    fn run<L: F32x8>(self, lanes: L) -> Self::Output {
        let Self { tree, walk, mut distance } = self;
        let mut best = (NOTHING, f64::INFINITY);
        let mut limit = f32::INFINITY;
        let slack = tree.reach * tree.reach * ROUNDING;
        let mut stack = Stack::new();
        while let Some(Waiting { child, at }) = stack.pop() {
            if at > limit {
                continue;
            }
            if child & LEAF_BIT == 0 {
                let node = &tree.nodes[child as usize];
                stack.push(node, walk.boxes(lanes, node, [0.0; 3], limit));
                continue;
            }
            let leaf = &tree.leaves[(child & !LEAF_BIT) as usize];
            let mut mask = walk.candidates(lanes, leaf, slack);
            while let Some(i) = next_bit(&mut mask) {
                if let Some(t) = distance(leaf.triangles[i])
                    && t < best.1
                {
                    best = (leaf.triangles[i], t);
                    limit = t as f32 * (1.0 + ROUNDING);
                }
            }
        }
        (best.0 != NOTHING).then_some(best)
    }
}

/// Takes the lowest bit off.
#[inline(always)]
pub(super) fn next_bit(mask: &mut u32) -> Option<usize> {
    if *mask == 0 {
        return None;
    }
    let i = mask.trailing_zeros() as usize & (WIDTH - 1);
    *mask &= *mask - 1;
    Some(i)
}

/// A ray, as the boxes need it.
pub(super) struct Walk {
    origin: [f32; 3],
    direction: [f32; 3],
    inverse: [f32; 3],
    /// Where in `Node::bounds` the near and the far planes are.
    near: [usize; 3],
    far: [usize; 3],
}

/// A child that waits, and where the ray enters it.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub child: u32,
    pub at: f32,
}

/// Children that wait, the nearest last.
pub(super) struct Stack {
    waiting: [Waiting; STACK],
    count: usize,
    /// Those that there is no room for, of trees more than eighteen levels deep.
    more: Vec<Waiting>,
}

impl Stack {
    /// With the root.
    #[inline(always)]
    pub fn new() -> Self {
        Self { waiting: [Waiting { child: 0, at: f32::NEG_INFINITY }; STACK], count: 1, more: Vec::new() }
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<Waiting> {
        if !self.more.is_empty() {
            return self.more.pop();
        }
        self.count = self.count.checked_sub(1)?;
        Some(self.waiting[self.count])
    }

    /// Pushes the children that the ray enters, sorted.
    #[inline(always)]
    pub fn push(&mut self, node: &Node, (mut mask, at): (u32, [f32; WIDTH])) {
        let base = self.count;
        while let Some(i) = next_bit(&mut mask) {
            let new = Waiting { child: node.children[i], at: at[i] };
            let mut place = self.count;
            if place == STACK {
                self.more.push(new);
                continue;
            }
            self.count += 1;
            while place > base && self.waiting[place - 1].at < new.at {
                self.waiting[place] = self.waiting[place - 1];
                place -= 1;
            }
            self.waiting[place] = new;
        }
    }
}

impl Walk {
    #[inline(always)]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        let inverse = direction.map(|d| 1.0 / if d.abs() < FLATTEST { FLATTEST.copysign(d) } else { d });
        let near = [0, 1, 2].map(|axis| if inverse[axis] < 0.0 { axis + 3 } else { axis });
        let far = [0, 1, 2].map(|axis| if inverse[axis] < 0.0 { axis } else { axis + 3 });
        Self { origin, direction, inverse, near, far }
    }

    /// Which boxes, made wider on all sides by `wider`, the ray enters before `limit`, and where.
    #[inline(always)]
    pub fn boxes<L: F32x8>(&self, lanes: L, node: &Node, wider: [f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
        let (mut near, mut far) = (lanes.splat(0.0), lanes.splat(limit));
        for axis in 0..3 {
            let origin = lanes.splat(self.origin[axis]);
            let inverse = lanes.splat(self.inverse[axis]);
            let margin = lanes.splat(wider[axis] * self.inverse[axis].abs());
            let enter = lanes.sub(lanes.load(&node.bounds[self.near[axis]]), origin);
            let leave = lanes.sub(lanes.load(&node.bounds[self.far[axis]]), origin);
            near = lanes.max(lanes.sub(lanes.mul(enter, inverse), margin), near);
            far = lanes.min(lanes.add(lanes.mul(leave, inverse), margin), far);
        }
        (lanes.bits(lanes.le(near, far)), lanes.store(near))
    }

    /// Which triangles of a leaf may be in the ray's way: it passes each edge on the side of d·(a × b), and by less than `slack` on
    /// the other side rounding might decide.
    #[inline(always)]
    fn candidates<L: F32x8>(&self, lanes: L, leaf: &Leaf, slack: f32) -> u32 {
        let zero = lanes.splat(0.0);
        let (mut a, mut b, mut c, mut d) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
        for x in 0..3 {
            let origin = lanes.splat(self.origin[x]);
            a[x] = lanes.sub(lanes.load(&leaf.corners[0][x]), origin);
            b[x] = lanes.sub(lanes.load(&leaf.corners[1][x]), origin);
            c[x] = lanes.sub(lanes.load(&leaf.corners[2][x]), origin);
            d[x] = lanes.splat(self.direction[x]);
        }
        let side_0 = dot(lanes, d, cross(lanes, b, a));
        let side_1 = dot(lanes, d, cross(lanes, c, b));
        let side_2 = dot(lanes, d, cross(lanes, a, c));
        let low = lanes.min(side_0, lanes.min(side_1, side_2));
        let high = lanes.max(side_0, lanes.max(side_1, side_2));
        let inside = lanes.or(lanes.le(lanes.splat(-slack), low), lanes.le(high, lanes.splat(slack)));
        // Places without a triangle are points at the origin of the mesh, which some rays pass.
        lanes.bits(inside) & leaf.filled()
    }
}

#[inline(always)]
fn minor<L: F32x8>(lanes: L, p: L::F, q: L::F, r: L::F, s: L::F) -> L::F {
    lanes.sub(lanes.mul(p, q), lanes.mul(r, s))
}

#[inline(always)]
fn cross<L: F32x8>(lanes: L, p: [L::F; 3], q: [L::F; 3]) -> [L::F; 3] {
    [
        minor(lanes, p[1], q[2], p[2], q[1]),
        minor(lanes, p[2], q[0], p[0], q[2]),
        minor(lanes, p[0], q[1], p[1], q[0]),
    ]
}

#[inline(always)]
fn dot<L: F32x8>(lanes: L, p: [L::F; 3], q: [L::F; 3]) -> L::F {
    lanes.add(lanes.add(lanes.mul(p[0], q[0]), lanes.mul(p[1], q[1])), lanes.mul(p[2], q[2]))
}
