//! Stackless traversal, from leaf to leaf along a ray.
//!
//! Looped over the bounces, [`KdTree::closest`] is the single pass of the paper's algorithm I.
//!
//! The position on the ray is clamped to the current leaf and moves monotonically along every axis:
//! rounding cannot move it back, so that no leaf is visited twice and every traversal ends. On a
//! plane it belongs to the side the ray goes to.

use super::tree::{Cell, KdTree, Leaf, NIL, Steps};

/// Smaller direction components count as zero: their inverses would not be finite.
const LEAST: f32 = f32::MIN_POSITIVE;

/// A ray, prepared for traversal.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    /// 1/direction, zero where that is.
    pub inverse: [f32; 3],
}

impl Ray {
    #[inline]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        let inverse = direction.map(|d| if d.abs() > LEAST { 1.0 / d } else { 0.0 });
        Self { origin, direction, inverse }
    }

    /// Where it enters and leaves a box, from its origin on; `None` if it misses it.
    #[inline]
    pub fn interval(&self, cell: &Cell) -> Option<[f32; 2]> {
        let (mut enter, mut leave) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (from, inverse) = (self.origin[axis], self.inverse[axis]);
            // Parallel to the slab: inside it always or never, and 0 · ∞ must not arise.
            if inverse == 0.0 {
                if from < cell.low[axis] || from > cell.high[axis] {
                    return None;
                }
                continue;
            }
            let (low, high) = ((cell.low[axis] - from) * inverse, (cell.high[axis] - from) * inverse);
            enter = enter.max(low.min(high));
            leave = leave.min(low.max(high));
        }
        (enter <= leave).then_some([enter, leave])
    }

    /// The face through which it leaves a box that it is in: distance, axis and side. A ray without direction never does.
    #[inline]
    fn exit(&self, cell: &Cell) -> (f32, Option<(usize, usize)>) {
        let mut exit = (f32::INFINITY, None);
        for axis in 0..3 {
            let inverse = self.inverse[axis];
            if inverse == 0.0 {
                continue;
            }
            let side = usize::from(inverse > 0.0);
            let t = ([cell.low, cell.high][side][axis] - self.origin[axis]) * inverse;
            if t < exit.0 {
                exit = (t, Some((axis, side)));
            }
        }
        exit
    }

    /// A point of the box at distance `t`, in no direction behind `before`.
    #[inline]
    fn advanced(&self, before: [f32; 3], t: f32, cell: &Cell) -> [f32; 3] {
        [0, 1, 2].map(|axis| {
            let at = self.origin[axis] + t * self.direction[axis];
            if self.inverse[axis] > 0.0 {
                at.min(cell.high[axis]).max(before[axis])
            } else if self.inverse[axis] < 0.0 {
                at.max(cell.low[axis]).min(before[axis])
            } else {
                before[axis]
            }
        })
    }
}

impl KdTree {
    /// The closest hit, triangle and distance; `test` gives the distance to a triangle in either
    /// precision, or infinity.
    ///
    /// Without a `leaf` the ray comes from anywhere, best from no farther than a few sizes of the target. The leaf of the hit is
    /// left in `leaf`, and a ray that starts at the hit starts in it; after a miss there is none.
    pub fn closest<T: Copy + Into<f64>>(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        leaf: &mut Option<u32>,
        steps: &mut Steps,
        mut test: impl FnMut(u32) -> T,
    ) -> Option<(u32, T)> {
        let ray = Ray::new(origin, direction);
        let (mut here, mut at) = self.start(&ray, leaf.take(), steps)?;
        let mut best: Option<(u32, T)> = None;
        loop {
            let Leaf { cell, ropes, .. } = &self.leaves[here as usize];
            steps.leaves += 1;
            for &id in self.triangles_of(&self.leaves[here as usize]) {
                steps.triangles += 1;
                let t = test(id);
                if t.into() < best.map_or(f64::INFINITY, |best| best.1.into()) {
                    best = Some((id, t));
                }
            }
            let (exit, face) = ray.exit(cell);
            let rope = face.map_or(NIL, |(axis, side)| ropes[axis][side]);
            // A hit beyond this leaf may be behind triangles of the next ones: accept it only once
            // its leaf is reached.
            if rope == NIL || best.is_some_and(|best| best.1.into() <= f64::from(exit)) {
                break;
            }
            if let Some((axis, side)) = face {
                at = ray.advanced(at, exit, cell);
                // Exactly on the exit plane, so that `descend` enters the neighbor by the direction
                // of the ray.
                at[axis] = [cell.low, cell.high][side][axis];
            }
            here = self.descend(rope, at, &ray, steps);
        }
        *leaf = best.map(|_| here);
        best
    }

    /// The first leaf of a ray, and its first point there.
    #[inline]
    fn start(&self, ray: &Ray, leaf: Option<u32>, steps: &mut Steps) -> Option<(u32, [f32; 3])> {
        if let Some(here) = leaf {
            // A reflected ray starts in the leaf of its hit: no descent from the root.
            let cell = &self.leaves.get(here as usize)?.cell;
            return Some((here, clamped(ray.origin, cell)));
        }
        let [enter, _] = ray.interval(&self.bounds)?;
        let at = [0, 1, 2].map(|axis| ray.origin[axis] + enter * ray.direction[axis]);
        let at = clamped(at, &self.bounds);
        Some((self.descend(0, at, ray, steps), at))
    }

    /// The leaf below a node that holds a point of a ray.
    #[inline]
    fn descend(&self, mut index: u32, at: [f32; 3], ray: &Ray, steps: &mut Steps) -> u32 {
        loop {
            let node = self.nodes[index as usize];
            if node.is_leaf() {
                return node.target();
            }
            steps.interior += 1;
            let (x, axis) = (at[node.axis()], node.axis());
            let left = x < node.split || (x == node.split && ray.inverse[axis] < 0.0);
            index = node.target() + u32::from(!left);
        }
    }
}

#[inline]
fn clamped(at: [f32; 3], cell: &Cell) -> [f32; 3] {
    [0, 1, 2].map(|axis| at[axis].max(cell.low[axis]).min(cell.high[axis]))
}
