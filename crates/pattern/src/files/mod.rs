//! Files of patterns: one module per format, each with the sources of its facts.

mod cut;
mod ffd;
mod ffe;
mod grasp;
mod grd;
mod samples;
mod text;
mod uv;
mod write;

pub use cut::{read_cut, write_cut};
pub use ffd::{read_ffd, write_ffd};
pub use ffe::{read_ffe, write_ffe};
pub use grd::{UvField, read_grd, write_grd, write_grd_uv};
