//! Outlines and meshes for the Phasefront solvers.
//!
//! 2-D solvers take an [`Outline`]: a chain of analytic [`Segment`]s with its corners marked, in
//! meters once [`Outline::moved`] has scaled it. Outlines come from
//!
//! - [`naca4`]: airfoils by their four digits,
//! - [`spline`] through points, which [`csv_points`] reads from a table,
//! - [`svg_outlines`]: the shapes and paths of a drawing,
//! - [`gmsh_outlines`]: the line elements of a [`GmshMesh`], by physical group.
//!
//! Surface solvers in 3-D take a [`TriangleMesh`] in meters. [`read_triangles`] reads one unchanged
//! from a file (STL, OBJ, PLY, UNV, Gmsh, Abaqus, glTF), and [`repair`] makes it valid for computation and
//! reports; [`targets`] generates canonical bodies. [`wedges`] finds sharp edges; a [`bvh::Bvh`] or
//! a [`KdTree`] finds the triangles that rays hit.
//!
//! Volume solvers take a [`TetMesh`] and its [`FaceTable`]. [`gmsh_tets`] extracts one from a
//! [`GmshMesh`]; a [`drawing::Drawing`] of solids and sheets has Gmsh make one; a [`BoxMesh`] generates one; [`partition`] divides one among processes.
//!
//! Nothing here opens a file: the caller passes what it has read, and adds the name of the file to a [`MeshError`].
//!
//! ```
//! use phasefront_mesh::svg_outlines;
//!
//! let drawing = r#"<svg xmlns="http://www.w3.org/2000/svg">
//!   <ellipse id="body" cx="20" cy="10" rx="20" ry="10"/>
//! </svg>"#;
//! // Drawn in millimeters, moved so that the center of the body is at the origin.
//! let body = svg_outlines(drawing, Some("body")).unwrap().remove(0);
//! let body = body.counter_clockwise().moved([-20e-3, 10e-3], 0.0, 1e-3);
//! assert!((body.signed_area() - std::f64::consts::PI * 20e-3 * 10e-3).abs() < 1e-17);
//! ```

#![forbid(unsafe_code)]

mod airfoil;
pub mod bvh;
mod csv;
mod cubic;
pub mod drawing;
mod error;
pub mod gmsh;
mod kdtree;
mod mfem;
mod naca;
mod outline;
pub mod partition;
mod point;
mod read;
mod regular;
mod segment;
mod spline;
mod svg;
pub mod targets;
mod tet;
mod triangle;

pub use airfoil::naca4;
pub use csv::csv_points;
pub use error::{Location, MeshError};
pub use gmsh::{GmshMesh, TetImport, gmsh_outlines, gmsh_tets, gmsh_text, gmsh_triangles};
pub use kdtree::{FlatKdTree, KdSize, KdTree, Steps};
pub use mfem::{MFEM, mfem_mesh};
pub use naca::NacaSide;
pub use outline::{CORNER_ANGLE, JOINT_GAP, Outline};
pub use point::Point;
pub use read::{DEFAULT_GROUP, Import, MeshFormat, read_triangles};
pub use segment::Segment;
pub use spline::spline;
pub use svg::svg_outlines;
pub use tet::{
    BoxMesh, BoxRegion, BoxSheet, DEFAULT_VOLUME, ExtrudedLayer, FaceTable, GroupStatistics, MeshStatistics,
    Neighbor, ShownFace, SideNames, TET_EDGES, TET_FACES, TetMesh,
};
pub use triangle::{
    Edge, Edges, Hole, MeshReport, Refined, Repaired, Repairs, SMOOTH_ANGLE, TriangleMesh, Units,
    WELD_TOLERANCE, Wedge, outer_sides, repair, wedges,
};
