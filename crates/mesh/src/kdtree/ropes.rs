//! Links each leaf to its neighbors.

use super::tree::{Cell, KdTree, NIL};

/// Nodes beyond the low and the high face across each axis.
type Ropes = [[u32; 2]; 3];

pub(super) fn tie(tree: &mut KdTree) {
    let bounds = tree.bounds;
    below(tree, 0, &bounds, [[NIL; 2]; 3]);
}

/// Passes the ropes of a node down to its leaves. The two children of a node are each other's
/// neighbors across its plane.
fn below(tree: &mut KdTree, index: u32, cell: &Cell, mut ropes: Ropes) {
    for (axis, pair) in ropes.iter_mut().enumerate() {
        for (side, rope) in pair.iter_mut().enumerate() {
            *rope = shortened(tree, *rope, cell, axis, side);
        }
    }
    // Ropes point as deep into the neighbor as the face allows, which saves steps at every
    // crossing.
    let node = tree.nodes[index as usize];
    if node.is_leaf() {
        tree.leaves[node.target() as usize].ropes = ropes;
        return;
    }
    let (axis, children) = (node.axis(), [node.target(), node.target() + 1]);
    let cells = cell.cut(axis, node.split);
    for side in 0..2 {
        let mut own = ropes;
        own[axis][1 - side] = children[1 - side];
        below(tree, children[side], &cells[side], own);
    }
}

/// The smallest node that contains the whole face of `cell` across `axis` on one side (Popov et
/// al., section 3.1.1).
fn shortened(tree: &KdTree, mut rope: u32, cell: &Cell, axis: usize, side: usize) -> u32 {
    while rope != NIL {
        let node = tree.nodes[rope as usize];
        let child = if node.is_leaf() {
            break;
        } else if node.axis() == axis {
            // Beyond the low face lies the high half of the neighbor.
            1 - side as u32
        } else if node.split >= cell.high[node.axis()] {
            // The plane does not cut the face, which lies in one child as a whole.
            0
        } else if node.split <= cell.low[node.axis()] {
            1
        } else {
            break;
        };
        rope = node.target() + child;
    }
    rope
}
