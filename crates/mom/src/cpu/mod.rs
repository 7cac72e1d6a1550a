//! The dense engine on the CPU: rayon, SIMD Hankel functions and the LU of faer. One file per stage, named as in `gpu/`.

mod engine;
mod factor;
pub(crate) mod far_field;
pub(crate) mod fill;
pub(crate) mod near_field;
mod solve;
mod tiles;

pub(crate) use engine::CpuEngine;
