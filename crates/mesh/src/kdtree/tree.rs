//! The tree: interior nodes, leaves with ropes, and its flat form for devices.

/// Ends a rope where there is no neighbor.
pub(super) const NIL: u32 = u32::MAX;
/// The axis that marks a leaf in a tag.
pub(super) const LEAF: u32 = 3;

/// A kd-tree of triangles for ray tracing.
///
/// The triangles themselves stay with the caller, who tests them.
///
/// ```
/// use phasefront_mesh::{KdTree, Steps};
///
/// let tree = KdTree::new(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
/// let (mut leaf, mut steps) = (None, Steps::default());
/// // A ray down the z axis; the only triangle is two meters away.
/// let hit = tree.closest([0.1, 0.1, 2.0], [0.0, 0.0, -1.0], &mut leaf, &mut steps, |_triangle| 2.0);
/// assert_eq!(hit, Some((0, 2.0)));
/// assert_eq!(steps.triangles, 1);
/// ```
#[derive(Debug, Clone)]
pub struct KdTree {
    /// The root first; a pair of children lies side by side.
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    /// Triangles of the leaves, one leaf after the other.
    pub(super) ids: Vec<u32>,
    pub(super) bounds: Cell,
    /// Number of triangles it was built from.
    pub(super) count: usize,
}

/// An interior node, or the number of a leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Where the plane cuts its axis.
    pub(super) split: f32,
    /// The axis in the last two bits and the left child above them; or [`LEAF`] and the number of the leaf.
    pub(super) tag: u32,
}

impl Node {
    // Axis and child share one word: a node is 8 bytes, and eight nodes fill a cache line.
    pub(super) fn interior(axis: usize, split: f32, left: u32) -> Self {
        Self { split, tag: left << 2 | axis as u32 }
    }

    pub(super) fn leaf(number: u32) -> Self {
        Self { split: 0.0, tag: number << 2 | LEAF }
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.tag & 3 == LEAF
    }

    #[inline]
    pub(super) fn axis(self) -> usize {
        (self.tag & 3) as usize
    }

    /// The left child, or the number of the leaf.
    #[inline]
    pub(super) fn target(self) -> u32 {
        self.tag >> 2
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) cell: Cell,
    /// Nodes beyond the low and the high face across each axis, or [`NIL`].
    pub(super) ropes: [[u32; 2]; 3],
    /// Its triangles: a range of `ids`.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// A box along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) low: [f32; 3],
    pub(super) high: [f32; 3],
}

impl Cell {
    /// Half the area of its surface.
    pub(super) fn half_area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        x * y + y * z + z * x
    }

    /// The parts on either side of a plane.
    pub(super) fn cut(&self, axis: usize, split: f32) -> [Self; 2] {
        let (mut left, mut right) = (*self, *self);
        left.high[axis] = split;
        right.low[axis] = split;
        [left, right]
    }
}

/// Traversal counts, accumulated over rays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    /// Interior nodes traversed.
    pub interior: u64,
    /// Triangles tested.
    pub triangles: u64,
    /// Leaves visited.
    pub leaves: u64,
}

/// Size of a tree, as in table I of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KdSize {
    /// Number of leaves.
    pub leaves: usize,
    /// Nodes, and the lists of triangles of the leaves.
    pub basic_bytes: usize,
    /// Ropes and boxes of the leaves.
    pub rope_bytes: usize,
    /// The corners of the triangles in single precision.
    pub triangle_bytes: usize,
}

/// A tree as arrays of numbers, for devices.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatKdTree {
    /// Per node: the axis (3 marks a leaf) + 4 × the left child, which the right one follows, or the number of the leaf.
    pub tags: Vec<i32>,
    /// Per node: where its plane cuts the axis.
    pub splits: Vec<f32>,
    /// Per leaf: low and high x, y and z.
    pub boxes: Vec<f32>,
    /// Per leaf: nodes beyond the low and the high face across x, y and z, −1 for none.
    pub ropes: Vec<i32>,
    /// Per leaf: where its triangles begin in `ids`; and the end of the last.
    pub spans: Vec<i32>,
    /// Triangles of the leaves.
    pub ids: Vec<i32>,
    /// Low and high corner of everything.
    pub bounds: [[f32; 3]; 2],
}

impl KdTree {
    /// How large it is.
    pub fn size(&self) -> KdSize {
        let leaves = self.leaves.len();
        // The box belongs to the ropes: only rope traversal needs the faces of a leaf.
        let rope_bytes = leaves * (size_of::<Cell>() + size_of::<[[u32; 2]; 3]>());
        let lists = leaves * size_of::<Leaf>() - rope_bytes + self.ids.len() * size_of::<u32>();
        KdSize {
            leaves,
            basic_bytes: self.nodes.len() * size_of::<Node>() + lists,
            rope_bytes,
            triangle_bytes: self.count * size_of::<[[f32; 3]; 3]>(),
        }
    }

    /// As arrays of numbers.
    pub fn flat(&self) -> FlatKdTree {
        // Spans need one entry more than leaves: the end of the last.
        let ends = self.leaves.last().map(|leaf| leaf.end as i32);
        FlatKdTree {
            tags: self.nodes.iter().map(|node| node.tag as i32).collect(),
            splits: self.nodes.iter().map(|node| node.split).collect(),
            boxes: self.leaves.iter().flat_map(|leaf| [leaf.cell.low, leaf.cell.high].concat()).collect(),
            // NIL becomes −1.
            ropes: self
                .leaves
                .iter()
                .flat_map(|leaf| leaf.ropes.into_iter().flatten())
                .map(|r| r as i32)
                .collect(),
            spans: self.leaves.iter().map(|leaf| leaf.first as i32).chain(ends).collect(),
            ids: self.ids.iter().map(|&id| id as i32).collect(),
            bounds: [self.bounds.low, self.bounds.high],
        }
    }

    #[inline]
    pub(super) fn triangles_of(&self, leaf: &Leaf) -> &[u32] {
        &self.ids[leaf.first as usize..leaf.end as usize]
    }
}
