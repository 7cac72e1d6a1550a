//! Traversal by a bundle of parallel rays: all triangles that it may hit.

use super::ray::{Stack, StackEntry, next_bit};
use super::tree::{Bvh, LEAF_BIT, Leaf, Node, WIDTH};
use glam::DVec3;
use phasefront_core::simd::f32x8::{F32x8, WithF32x8, dispatch};

/// Rounding error of the projection of a point on a unit vector in single precision, relative to the extent of the tree.
const ROUNDING: f64 = 16.0 * f32::EPSILON as f64;

/// Rays along the last of three axes, between two bounds along each of them.
#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    /// Unit vectors, at right angles.
    pub axes: [DVec3; 3],
    /// Lower bounds along the axes.
    pub low: [f64; 3],
    /// Upper bounds along the axes.
    pub high: [f64; 3],
}

impl Bvh {
    /// Visits every triangle that a bundle may hit, and perhaps a few others, roughly front to back. The visitor returns the depth
    /// beyond which the traversal may stop.
    pub fn bundle(&self, bundle: &Bundle, visitor: impl FnMut(u32) -> f64) {
        dispatch(Visit { tree: self, bundle, visitor });
    }
}

struct Visit<'a, V> {
    tree: &'a Bvh,
    bundle: &'a Bundle,
    visitor: V,
}

impl<V: FnMut(u32) -> f64> WithF32x8 for Visit<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: F32x8>(self, lanes: L) {
        let Self { tree, bundle, mut visitor } = self;
        let slack = ROUNDING * f64::from(tree.extent);
        let mut slabs = Slabs::new(bundle, slack);
        let mut stack = Stack::new();
        // The root has depth −∞ and passes the first test.
        while let Some(StackEntry { child, at }) = stack.pop() {
            // The limit may have decreased since the child was pushed.
            if at > slabs.high[2] {
                continue;
            }
            if child & LEAF_BIT == 0 {
                let node = &tree.nodes[child as usize];
                stack.push(node, slabs.boxes(lanes, node));
                continue;
            }
            let leaf = &tree.leaves[(child & !LEAF_BIT) as usize];
            let mut mask = slabs.triangles(lanes, leaf);
            while let Some(i) = next_bit(&mut mask) {
                // The visitor narrows the depth range, which culls everything behind a closed
                // cover.
                slabs.high[2] = (visitor(leaf.triangles[i]) + slack) as f32;
            }
        }
    }
}

/// A bundle in single precision, with room for rounding.
struct Slabs {
    axes: [[f32; 3]; 3],
    low: [f32; 3],
    high: [f32; 3],
    /// Rows of `Node::bounds` with the first and the last planes along each axis.
    first: [[usize; 3]; 3],
    last: [[usize; 3]; 3],
}

impl Slabs {
    #[inline(always)]
    fn new(bundle: &Bundle, slack: f64) -> Self {
        let axes = bundle.axes.map(|axis| axis.as_vec3().to_array());
        let plane =
            |axis: usize, x: usize, other: bool| if (axes[axis][x] < 0.0) == other { x } else { x + 3 };
        Self {
            low: bundle.low.map(|low| (low - slack) as f32),
            high: bundle.high.map(|high| (high + slack) as f32),
            first: [0, 1, 2].map(|axis| [0, 1, 2].map(|x| plane(axis, x, false))),
            last: [0, 1, 2].map(|axis| [0, 1, 2].map(|x| plane(axis, x, true))),
            axes,
        }
    }

    /// Which boxes overlap the bounds, and the depth at which they begin.
    #[inline(always)]
    fn boxes<L: F32x8>(&self, lanes: L, node: &Node) -> (u32, [f32; WIDTH]) {
        // Separating axes of the bundle only: a box that overlaps along all three may still miss
        // it, which costs a visit but no hit. The planes of least and greatest projection are known
        // from the signs.
        let mut begin = lanes.splat(0.0);
        let mut bits = u32::MAX;
        for axis in 0..3 {
            let along = self.axes[axis].map(|x| lanes.splat(x));
            let sum = |planes: [usize; 3]| {
                let mut sum = lanes.mul(along[0], lanes.load(&node.bounds[planes[0]]));
                for x in 1..3 {
                    sum = lanes.add(sum, lanes.mul(along[x], lanes.load(&node.bounds[planes[x]])));
                }
                sum
            };
            begin = sum(self.first[axis]);
            bits &= self.between(lanes, axis, begin, sum(self.last[axis]));
        }
        // Absent children have infinite bounds, whose projections may be NaN.
        (bits & node.filled(), lanes.store(begin))
    }

    #[inline(always)]
    fn between<L: F32x8>(&self, lanes: L, axis: usize, begin: L::F, end: L::F) -> u32 {
        let before = lanes.le(begin, lanes.splat(self.high[axis]));
        let after = lanes.le(lanes.splat(self.low[axis]), end);
        lanes.bits(lanes.and(before, after))
    }

    /// The same for the triangles of a leaf.
    #[inline(always)]
    fn triangles<L: F32x8>(&self, lanes: L, leaf: &Leaf) -> u32 {
        let mut bits = leaf.filled();
        for axis in 0..3 {
            let along = self.axes[axis].map(|x| lanes.splat(x));
            let projection = |corner: usize| {
                let mut sum = lanes.mul(along[0], lanes.load(&leaf.corners[corner][0]));
                for x in 1..3 {
                    sum = lanes.add(sum, lanes.mul(along[x], lanes.load(&leaf.corners[corner][x])));
                }
                sum
            };
            let (a, b, c) = (projection(0), projection(1), projection(2));
            let begin = lanes.min(a, lanes.min(b, c));
            let end = lanes.max(a, lanes.max(b, c));
            bits &= self.between(lanes, axis, begin, end);
        }
        bits
    }
}
