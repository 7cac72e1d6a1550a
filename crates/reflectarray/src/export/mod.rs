//! What other programs read: far fields for `phasefront_pattern` to write, a drawing of the layout.

mod dxf;
mod far_field;

pub use dxf::dxf;
pub use far_field::{far_fields, uv_fields};
