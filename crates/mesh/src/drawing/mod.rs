//! Models drawn with solids, sheets and bodies of CAD files, which Gmsh meshes as a separate program.
//!
//! [`Drawing::script`] is what Gmsh runs; [`Drawing::name`] finds out which part of its mesh belongs to which solid and sheet. Parts are
//! found by their position and not by Gmsh's numbers, which Boolean operations may change.

mod cad;
mod cad_sheet;
mod covered;
mod crossing;
mod distance;
mod facets;
mod feature;
mod gaps;
mod import;
mod model;
mod naming;
mod numbers;
mod planes;
mod polygon;
mod reentrant;
mod region;
mod script;
mod sheet;
mod sizes;
mod solid;
mod view;

pub use cad::{CadBody, CadFile, CadOrigin};
pub use cad_sheet::CadSheet;
pub use covered::Covered;
pub use feature::Feature;
pub use gaps::Gap;
pub use import::{Found, FoundBody, FoundSheet, Label, closed_surface, found_parts, import_script};
pub use model::{AIR, Drawing, DrawnSheet, DrawnSolid, HUYGENS, PML, Space};
pub use naming::Meshed;
pub use planes::Planes;
pub use region::{Refinement, Region};
pub use sheet::SheetShape;
pub use solid::SolidShape;
pub use view::{DrawnSizes, SizeView, size_view};
