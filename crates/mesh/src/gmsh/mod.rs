//! Gmsh meshes: MSH 4.1 and 2.2, text or binary.

mod chain;
mod cursor;
mod mesh;
mod read;
mod split;
mod surface;
mod volume;
mod write;

pub use crate::outline::MESH_CORNER_ANGLE;
pub use chain::gmsh_outlines;
pub use mesh::{ElementBlock, ElementKind, GmshMesh, PhysicalGroup};
pub use surface::gmsh_triangles;
pub use volume::{TetImport, gmsh_tets};
pub use write::gmsh_text;
