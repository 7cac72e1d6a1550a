//! Models drawn with solids and sheets, which Gmsh meshes as a separate program.
//!
//! [`Drawing::script`] is what Gmsh runs; [`Drawing::name`] finds out which part of its mesh belongs to which solid and sheet. Parts are
//! found by their place and not by Gmsh's numbers, which Boolean operations may change.

mod model;
mod naming;
mod script;
mod sheet;
mod solid;

pub use model::{AIR, Drawing, DrawnSheet, DrawnSolid, HUYGENS, PML, Space};
pub use sheet::SheetShape;
pub use solid::SolidShape;
