//! Traversal from the root with a stack of pending nodes: the baseline for rope traversal.

use super::build::MAX_DEPTH;
use super::traverse::Ray;
use super::tree::{KdTree, Steps};

/// A node, and where the ray enters and leaves it.
type Visit = (u32, f32, f32);

impl KdTree {
    /// The same as [`KdTree::closest`] without ropes: every ray starts at the root.
    pub fn closest_from_root(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        steps: &mut Steps,
        mut test: impl FnMut(u32) -> f32,
    ) -> Option<(u32, f32)> {
        let ray = Ray::new(origin, direction);
        let [enter, leave] = ray.interval(&self.bounds)?;
        let mut best: Option<(u32, f32)> = None;
        let mut stack: [Visit; MAX_DEPTH + 1] = [(0, enter, leave); MAX_DEPTH + 1];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (mut index, enter, mut leave) = stack[waiting];
            while !self.nodes[index as usize].is_leaf() {
                steps.interior += 1;
                let (near, far, plane) = self.children(index, &ray);
                // The ray leaves the node before the plane, or enters it behind: one child only.
                // Otherwise the far child waits on the stack, and the near one is visited first.
                if plane >= leave {
                    index = near;
                } else if plane <= enter {
                    index = far;
                } else {
                    stack[waiting] = (far, plane, leave);
                    waiting += 1;
                    (index, leave) = (near, plane);
                }
            }
            let leaf = &self.leaves[self.nodes[index as usize].target() as usize];
            steps.leaves += 1;
            for &id in self.triangles_of(leaf) {
                steps.triangles += 1;
                let t = test(id);
                if t < best.map_or(f32::INFINITY, |best| best.1) {
                    best = Some((id, t));
                }
            }
            // Leaves are visited in order of distance: a hit inside the current one is the closest.
            if best.is_some_and(|best| best.1 <= leave) {
                break;
            }
        }
        best
    }

    /// The near child, the far child, and the distance to the plane between them, infinite if the
    /// ray does not reach it.
    fn children(&self, index: u32, ray: &Ray) -> (u32, u32, f32) {
        let node = self.nodes[index as usize];
        let (axis, left) = (node.axis(), node.target());
        let (from, inverse) = (ray.origin[axis], ray.inverse[axis]);
        // On the plane itself the direction decides, as in `descend`.
        let starts_left = from < node.split || (from == node.split && inverse < 0.0);
        let (near, far) = if starts_left { (left, left + 1) } else { (left + 1, left) };
        let plane = (node.split - from) * inverse;
        (near, far, if plane > 0.0 { plane } else { f32::INFINITY })
    }
}
