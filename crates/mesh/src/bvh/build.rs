//! Construction: a binary tree by the surface area heuristic, collapsed to nodes of eight.

use super::tree::{Bvh, LEAF, LEAF_BIT, Leaf, NOTHING, Node, WIDTH};
use glam::Vec3A;
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use std::time::Duration;

/// Above this number of triangles the high-quality builder takes longer than tracing the rays of
/// most studies.
const MANY_TRIANGLES: usize = 200_000;

impl Bvh {
    /// Builds the tree; boxes are enlarged by `margin`, the rounding error of rays.
    pub fn new(triangles: &[[[f32; 3]; 3]], margin: f32) -> Self {
        let bounds = |corners: &[[f32; 3]; 3]| {
            let [a, b, c] = corners.map(Vec3A::from);
            Aabb::new(a.min(b).min(c) - margin, a.max(b).max(c) + margin)
        };
        let boxes: Vec<Aabb> = triangles.iter().map(bounds).collect();
        let quality = if triangles.len() > MANY_TRIANGLES {
            BvhBuildParams::medium_build()
        } else {
            BvhBuildParams::slow_build()
        };
        let params = BvhBuildParams { max_prims_per_leaf: LEAF as u32, ..quality };
        let pairs = build_bvh2(&boxes, params, &mut Duration::default());
        // The largest coordinate scales the rounding errors of all single-precision tests.
        let extent = boxes.iter().fold(Vec3A::ZERO, |r, b| r.max(b.min.abs()).max(b.max.abs())).max_element();
        let mut tree = Self { nodes: vec![Node::empty()], leaves: Vec::new(), extent, levels: 0 };
        if !triangles.is_empty() {
            Folding { pairs: &pairs, triangles, tree: &mut tree }.fold(0, 0, 1);
        }
        tree
    }
}

impl Bvh {
    /// Maximum stack depth of a traversal: all but one child of each level, and the root.
    pub fn waiting(&self) -> usize {
        (WIDTH - 1) * self.levels + 1
    }
}

impl Node {
    fn empty() -> Self {
        // Inverted bounds: the slab test rejects an absent child without a mask.
        let (low, high) = ([f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]);
        Self { bounds: [low, low, low, high, high, high], children: [NOTHING; WIDTH] }
    }
}

struct Folding<'a> {
    pairs: &'a Bvh2,
    triangles: &'a [[[f32; 3]; 3]],
    tree: &'a mut Bvh,
}

impl Folding<'_> {
    /// Fills node `index` with the subtree `root` of the binary tree: the child of largest area is
    /// expanded until there are eight.
    fn fold(&mut self, root: u32, index: usize, level: usize) {
        self.tree.levels = self.tree.levels.max(level);
        let nodes = &self.pairs.nodes;
        let mut members = vec![root];
        while members.len() < WIDTH {
            // The probability that a ray hits a box grows with its area: expand where it saves most
            // visits.
            let area = |&&n: &&u32| nodes[n as usize].aabb().half_area();
            let open = members.iter().filter(|&&n| !nodes[n as usize].is_leaf());
            let Some(&widest) = open.max_by(|a, b| area(a).total_cmp(&area(b))) else { break };
            let first = nodes[widest as usize].first_index;
            members.retain(|&n| n != widest);
            members.extend([first, first + 1]);
        }
        for (i, &member) in members.iter().enumerate() {
            let node = &nodes[member as usize];
            let bounds = node.aabb();
            for axis in 0..3 {
                self.tree.nodes[index].bounds[axis][i] = bounds.min[axis];
                self.tree.nodes[index].bounds[axis + 3][i] = bounds.max[axis];
            }
            let child = if node.is_leaf() {
                LEAF_BIT | self.leaf(node.first_index as usize, node.prim_count as usize)
            } else {
                self.tree.nodes.push(Node::empty());
                self.tree.nodes.len() as u32 - 1
            };
            self.tree.nodes[index].children[i] = child;
        }
        for (i, &member) in members.iter().enumerate() {
            let child = self.tree.nodes[index].children[i];
            if child & LEAF_BIT == 0 {
                self.fold(member, child as usize, level + 1);
            }
        }
    }

    fn leaf(&mut self, first: usize, count: usize) -> u32 {
        // Structure of arrays, so that one vector load reads the same coordinate of all triangles.
        let mut leaf =
            Leaf { corners: [[[0.0; WIDTH]; 3]; 3], triangles: [NOTHING; WIDTH], count: count as u32 };
        for (i, &triangle) in self.pairs.primitive_indices[first..first + count].iter().enumerate() {
            leaf.triangles[i] = triangle;
            for (corner, point) in self.triangles[triangle as usize].iter().enumerate() {
                for axis in 0..3 {
                    leaf.corners[corner][axis][i] = point[axis];
                }
            }
        }
        self.tree.leaves.push(leaf);
        self.tree.leaves.len() as u32 - 1
    }
}
