//! The tree: nodes of eight boxes, leaves of a few triangles.

/// Children of a node: one vector of eight lanes tests all their boxes.
pub const WIDTH: usize = phasefront_core::simd::f32x8::WIDTH;
/// Triangles of a leaf, at most.
pub const LEAF: usize = 4;
/// In `Node::children`: set for leaves.
pub const LEAF_BIT: u32 = 1 << 31;
/// An absent child, and an unused slot of a leaf.
pub const NOTHING: u32 = u32::MAX;

/// Eight bounding boxes in structure-of-arrays layout, and the child of each.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct Node {
    /// Lower x, y, z, then upper x, y, z of the boxes; those of [`NOTHING`] are empty.
    pub bounds: [[f32; WIDTH]; 6],
    /// Number of a node; of a leaf, with [`LEAF_BIT`]; or [`NOTHING`].
    pub children: [u32; WIDTH],
}

/// A few triangles in structure-of-arrays layout.
#[derive(Debug, Clone)]
// Aligned to cache lines: a vector load of eight floats never crosses one.
#[repr(C, align(64))]
pub struct Leaf {
    /// `corners[corner][axis][triangle]`; those of [`NOTHING`] are points at the origin.
    pub corners: [[[f32; WIDTH]; 3]; 3],
    /// Numbers of the triangles in the order they were given, or [`NOTHING`].
    pub triangles: [u32; WIDTH],
    /// How many there are.
    pub count: u32,
}

impl Node {
    /// One bit per child.
    pub(super) fn filled(&self) -> u32 {
        self.children.iter().enumerate().fold(0, |bits, (i, &child)| bits | u32::from(child != NOTHING) << i)
    }
}

impl Leaf {
    /// One bit per triangle.
    pub(super) fn filled(&self) -> u32 {
        (1 << self.count) - 1
    }
}

/// The tree; node 0 is its root.
///
/// ```
/// use phasefront_mesh::bvh::Bvh;
///
/// let tree = Bvh::new(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], 0.0);
/// let hit = tree.closest([0.2, 0.2, 3.0], [0.0, 0.0, -1.0], |_| Some(3.0));
/// assert_eq!(hit, Some((0, 3.0)));
/// assert_eq!(tree.closest([2.2, 0.2, 3.0], [0.0, 0.0, -1.0], |_| Some(3.0)), None);
/// ```
#[derive(Debug, Clone)]
pub struct Bvh {
    /// Nodes; a child comes after its parent.
    pub nodes: Vec<Node>,
    /// Leaves.
    pub leaves: Vec<Leaf>,
    /// Largest absolute coordinate of all boxes.
    pub(super) extent: f32,
    /// Nodes from the root down to a leaf, at most.
    pub(super) levels: usize,
}
