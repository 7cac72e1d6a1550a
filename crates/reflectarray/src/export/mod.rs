//! Files for other programs: fields for GRASP and FEKO, a drawing of the layout.

mod dxf;
mod ffe;
mod grd;

pub use dxf::dxf;
pub use ffe::{FfeField, far_fields, ffe};
pub use grd::grd;
