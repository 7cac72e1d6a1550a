//! One ray through the tree.

use super::{Bvh, LEAF, LEAF_BIT, Leaf, NOTHING, Node, WIDTH};
use pulp::Arch;

/// Smallest component of a direction: beyond it the inverse would be infinite, and 0 · ∞ no number.
const FLATTEST: f32 = 1e-18;
/// Open nodes at any time: seven per level, and trees of a million triangles have about ten levels.
const STACK: usize = 256;

impl Bvh {
    /// The triangle that a ray meets first and how far off it is, in lengths of the direction. `accepts` may refuse a triangle that
    /// would be the closest yet.
    pub fn closest(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        accepts: impl FnMut(u32) -> bool,
    ) -> Option<(u32, f32)> {
        Arch::new().dispatch(
            #[inline(always)]
            || Walk::new(origin, direction).closest(self, accepts),
        )
    }

    /// Whether anything that `accepts` takes is in the ray's way.
    pub fn is_met(&self, origin: [f32; 3], direction: [f32; 3], accepts: impl FnMut(u32) -> bool) -> bool {
        self.closest(origin, direction, accepts).is_some()
    }
}

/// A ray, as the boxes need it.
pub(super) struct Walk {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    pub inverse: [f32; 3],
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
}

impl Stack {
    #[inline(always)]
    pub fn new() -> Self {
        let mut stack = Self { waiting: [Waiting { child: 0, at: 0.0 }; STACK], count: 0 };
        stack.count = 1;
        stack
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<Waiting> {
        self.count = self.count.checked_sub(1)?;
        Some(self.waiting[self.count])
    }

    /// Pushes the children that the ray enters before `limit`, sorted.
    #[inline(always)]
    pub fn push(&mut self, node: &Node, near: &[f32; WIDTH], far: &[f32; WIDTH], limit: f32) {
        let mut mask = 0_u32;
        for i in 0..WIDTH {
            mask |= u32::from(near[i] <= far[i] && near[i] <= limit) << i;
        }
        let base = self.count;
        while mask != 0 {
            let i = mask.trailing_zeros() as usize & (WIDTH - 1);
            mask &= mask - 1;
            let new = Waiting { child: node.children[i], at: near[i] };
            // A tree too deep for the stack loses what is farthest; none is, up to four thousand million triangles.
            let mut place = self.count.min(STACK - 1);
            self.count = place + 1;
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

    /// Where the ray enters and leaves each box, made wider on all sides by `wider`.
    #[inline(always)]
    pub fn boxes(&self, node: &Node, wider: [f32; 3]) -> ([f32; WIDTH], [f32; WIDTH]) {
        let (mut near, mut far) = ([0.0_f32; WIDTH], [f32::INFINITY; WIDTH]);
        for axis in 0..3 {
            let (o, inverse) = (self.origin[axis], self.inverse[axis]);
            let (enter, leave) = (&node.bounds[self.near[axis]], &node.bounds[self.far[axis]]);
            let margin = wider[axis] * inverse.abs();
            for i in 0..WIDTH {
                let (a, b) = ((enter[i] - o) * inverse - margin, (leave[i] - o) * inverse + margin);
                near[i] = if a > near[i] { a } else { near[i] };
                far[i] = if b < far[i] { b } else { far[i] };
            }
        }
        (near, far)
    }

    #[inline(always)]
    fn closest(&self, tree: &Bvh, mut accepts: impl FnMut(u32) -> bool) -> Option<(u32, f32)> {
        let mut best = (NOTHING, f32::INFINITY);
        let mut stack = Stack::new();
        while let Some(Waiting { child, at }) = stack.pop() {
            if at > best.1 {
                continue;
            }
            if child & LEAF_BIT == 0 {
                let node = &tree.nodes[child as usize];
                let (near, far) = self.boxes(node, [0.0; 3]);
                stack.push(node, &near, &far, best.1);
            } else {
                let leaf = &tree.leaves[(child & !LEAF_BIT) as usize];
                let distances = self.distances(leaf);
                for i in 0..LEAF {
                    if distances[i] < best.1 && accepts(leaf.triangles[i]) {
                        best = (leaf.triangles[i], distances[i]);
                    }
                }
            }
        }
        (best.0 != NOTHING).then_some(best)
    }

    /// To each triangle of a leaf, or infinity. The ray passes each edge on a side that both triangles at the edge agree on to the
    /// last bit, as d·(a × b) changes its sign with the order of a and b: no ray slips between them.
    #[inline(always)]
    fn distances(&self, leaf: &Leaf) -> [f32; LEAF] {
        let mut corners = leaf.corners;
        for corner in &mut corners {
            for axis in 0..3 {
                for x in &mut corner[axis] {
                    *x -= self.origin[axis];
                }
            }
        }
        let [a, b, c] = corners;
        let d = self.direction;
        let side = |p: &[[f32; LEAF]; 3], q: &[[f32; LEAF]; 3], i: usize| {
            d[0] * (p[1][i] * q[2][i] - p[2][i] * q[1][i])
                + d[1] * (p[2][i] * q[0][i] - p[0][i] * q[2][i])
                + d[2] * (p[0][i] * q[1][i] - p[1][i] * q[0][i])
        };
        let mut t = [f32::INFINITY; LEAF];
        for i in 0..LEAF {
            let sides = [side(&b, &a, i), side(&c, &b, i), side(&a, &c, i)];
            let low = sides[0].min(sides[1]).min(sides[2]);
            let high = sides[0].max(sides[1]).max(sides[2]);
            let (e, f) = ([0, 1, 2].map(|x| b[x][i] - a[x][i]), [0, 1, 2].map(|x| c[x][i] - a[x][i]));
            let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let height = n[0] * a[0][i] + n[1] * a[1][i] + n[2] * a[2][i];
            let distance = height / (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]);
            // A ray in the plane gives no number, and no hit.
            t[i] = if (low >= 0.0 || high <= 0.0) && distance >= 0.0 { distance } else { f32::INFINITY };
        }
        t
    }
}
