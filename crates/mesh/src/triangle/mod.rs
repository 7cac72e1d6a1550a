//! Surface meshes of triangles.

mod bends;
mod crossings;
mod curves;
mod disjoint_sets;
mod edges;
mod mesh;
mod point_tree;
mod refine;
mod repair;
mod report;
mod slivers;
mod stitch;
mod subdivide;
mod units;
pub(crate) mod vec3;
mod wedges;
pub(crate) mod weld;
mod winding;

pub(crate) use disjoint_sets::DisjointSets;
pub use edges::{Edge, Edges};
pub use mesh::TriangleMesh;
pub use refine::Refined;
pub use repair::{Repaired, repair};
pub use report::{Hole, MeshReport, Repairs};
pub(crate) use subdivide::split_longest;
pub use units::Units;
pub use wedges::{SMOOTH_ANGLE, Wedge, wedges};
pub use weld::WELD_TOLERANCE;
pub use winding::outer_sides;
