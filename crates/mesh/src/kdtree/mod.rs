//! A kd-tree with ropes: the tracer of Tao, Lin and Bao, "GPU-based shooting and bouncing ray method for fast RCS
//! prediction", IEEE Trans. Antennas Propag. 58 (2010).
//!
//! Axis-aligned planes divide space into boxes, the leaves (`build.rs`). Six ropes link a leaf to
//! its neighbors
//! (`ropes.rs`; Popov, Günther, Seidel and Slusallek, "Stackless kd-tree traversal for high performance GPU ray tracing",
//! Comput. Graph. Forum 26 (2007)), so that a ray is traced from leaf to leaf without a stack, and a reflected ray starts in the leaf
//! of its reflection point (`traverse.rs`). `standard.rs` is the traversal from the root with a stack, for comparison.

mod build;
mod clip;
mod ropes;
mod standard;
mod traverse;
mod tree;

pub use tree::{FlatKdTree, KdSize, KdTree, Steps};

impl KdTree {
    /// Builds the tree. Triangles with a coordinate that is not finite are left out.
    ///
    /// Coordinates are best measured from the middle of the target: rounding is relative to the largest.
    pub fn new(triangles: &[[[f32; 3]; 3]]) -> Self {
        let mut tree = build::build(triangles);
        ropes::tie(&mut tree);
        tree
    }
}
