//! Volume meshes of tetrahedra.

mod box_mesh;
mod check;
mod containment;
mod curved;
mod extrude;
mod faces;
mod grid;
mod mesh;
mod overlap;
mod periodic;
mod reorder;
mod shown;
mod statistics;

pub use box_mesh::{BoxMesh, BoxRegion, BoxSheet};
pub(crate) use check::is_flat;
pub(crate) use curved::worst_point;
pub use extrude::{ExtrudedLayer, SideNames};
pub use faces::{FaceTable, Neighbor};
pub use mesh::{DEFAULT_VOLUME, TET_EDGES, TET_FACES, TetMesh};
pub(crate) use mesh::{determinant, group_number, position_text};
pub use shown::ShownFace;
pub use statistics::{GroupStatistics, MeshStatistics};
