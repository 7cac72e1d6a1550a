//! Traversal by a single ray.

use super::tree::{Bvh, LEAF_BIT, Leaf, NOTHING, Node, WIDTH};
use phasefront_core::simd::f32x8::{F32x8, WithF32x8, dispatch};

/// Smallest magnitude of a direction component: below it the inverse would overflow, and 0 · ∞ is NaN.
const MIN_COMPONENT: f32 = 1e-18;
/// Bound of the relative rounding error of a dozen operations in single precision; for d·(a × b),
/// whose factors are at most four times the extent of the tree, relative to its square.
const ROUNDING: f32 = 100.0 * f32::EPSILON;
/// Stack entries without allocation: seven per level; trees of a million triangles have about ten levels.
const STACK: usize = 128;

impl Bvh {
    /// The closest hit: triangle and distance. `distance` is the exact intersection test; it is called for the triangles that the ray
    /// hits within the accuracy of single precision, and returns the distance, or `None` for a miss.
    pub fn closest(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        distance: impl FnMut(u32) -> Option<f64>,
    ) -> Option<(u32, f64)> {
        dispatch(Closest { tree: self, walk: Traversal::new(origin, direction), distance })
    }
}

struct Closest<'a, D> {
    tree: &'a Bvh,
    walk: Traversal,
    distance: D,
}

impl<D: FnMut(u32) -> Option<f64>> WithF32x8 for Closest<'_, D> {
    type Output = Option<(u32, f64)>;

    #[inline(always)]
    fn run<L: F32x8>(self, lanes: L) -> Self::Output {
        let Self { tree, walk, mut distance } = self;
        let mut best = (NOTHING, f64::INFINITY);
        let mut limit = f32::INFINITY;
        let slack = tree.extent * tree.extent * ROUNDING;
        let mut stack = Stack::new();
        while let Some(StackEntry { child, at }) = stack.pop() {
            // A closer hit may have been found since the child was pushed.
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
                    // Rounded up, so that single precision never culls a triangle at the same
                    // distance.
                    limit = t as f32 * (1.0 + ROUNDING);
                }
            }
        }
        (best.0 != NOTHING).then_some(best)
    }
}

/// Index of the lowest set bit, which is cleared.
#[inline(always)]
pub(super) fn next_bit(mask: &mut u32) -> Option<usize> {
    if *mask == 0 {
        return None;
    }
    // The mask tells the compiler that the index is below WIDTH: no bounds check.
    let i = mask.trailing_zeros() as usize & (WIDTH - 1);
    *mask &= *mask - 1;
    Some(i)
}

/// A ray, prepared for slab tests.
pub(super) struct Traversal {
    origin: [f32; 3],
    direction: [f32; 3],
    inverse: [f32; 3],
    /// Rows of `Node::bounds` with the near and the far planes.
    near: [usize; 3],
    far: [usize; 3],
}

/// A child on the stack, and the distance at which the ray enters it.
#[derive(Clone, Copy)]
pub(super) struct StackEntry {
    pub child: u32,
    pub at: f32,
}

/// The traversal stack, nearest child on top.
pub(super) struct Stack {
    waiting: [StackEntry; STACK],
    count: usize,
    /// Overflow, for trees more than eighteen levels deep.
    more: Vec<StackEntry>,
}

impl Stack {
    /// With the root.
    #[inline(always)]
    pub fn new() -> Self {
        Self { waiting: [StackEntry { child: 0, at: f32::NEG_INFINITY }; STACK], count: 1, more: Vec::new() }
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<StackEntry> {
        if !self.more.is_empty() {
            return self.more.pop();
        }
        self.count = self.count.checked_sub(1)?;
        Some(self.waiting[self.count])
    }

    /// Pushes the children that the ray enters, sorted by distance.
    #[inline(always)]
    pub fn push(&mut self, node: &Node, (mut mask, at): (u32, [f32; WIDTH])) {
        let base = self.count;
        while let Some(i) = next_bit(&mut mask) {
            let new = StackEntry { child: node.children[i], at: at[i] };
            let mut slot = self.count;
            if slot == STACK {
                self.more.push(new);
                continue;
            }
            self.count += 1;
            // Insertion sort of at most eight entries: the far ones sink, the nearest is popped
            // first.
            while slot > base && self.waiting[slot - 1].at < new.at {
                self.waiting[slot] = self.waiting[slot - 1];
                slot -= 1;
            }
            self.waiting[slot] = new;
        }
    }
}

impl Traversal {
    #[inline(always)]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        let inverse =
            direction.map(|d| 1.0 / if d.abs() < MIN_COMPONENT { MIN_COMPONENT.copysign(d) } else { d });
        let near = [0, 1, 2].map(|axis| if inverse[axis] < 0.0 { axis + 3 } else { axis });
        let far = [0, 1, 2].map(|axis| if inverse[axis] < 0.0 { axis } else { axis + 3 });
        Self { origin, direction, inverse, near, far }
    }

    /// Slab test: which boxes, enlarged on all sides by `wider`, the ray enters before `limit`, and at which distance.
    #[inline(always)]
    pub fn boxes<L: F32x8>(&self, lanes: L, node: &Node, wider: [f32; 3], limit: f32) -> (u32, [f32; WIDTH]) {
        // t = (plane − origin)/direction. Rows of near and far planes are chosen by the sign of the
        // direction once per ray, which saves a minimum and a maximum per axis.
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

    /// Triangles of a leaf that the ray may hit: the edge functions d·(a × b) have one sign, or miss it by less than the rounding
    /// error `slack`.
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
        // Volumes spanned by the ray and the edges: all of one sign if the ray passes inside. Both
        // signs count, since rays hit front and back faces.
        let side_0 = dot(lanes, d, cross(lanes, b, a));
        let side_1 = dot(lanes, d, cross(lanes, c, b));
        let side_2 = dot(lanes, d, cross(lanes, a, c));
        let low = lanes.min(side_0, lanes.min(side_1, side_2));
        let high = lanes.max(side_0, lanes.max(side_1, side_2));
        let inside = lanes.or(lanes.le(lanes.splat(-slack), low), lanes.le(high, lanes.splat(slack)));
        // Unused slots are points at the origin of the mesh, which some rays pass.
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
