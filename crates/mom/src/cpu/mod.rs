//! The dense engine on the CPU: rayon, SIMD Hankel functions and the LU of faer. One file per stage, named as in `gpu/`.

mod engine;
mod factor;
mod far_field;
mod fill;
mod near_field;
mod solve;
mod tiles;

pub(crate) use engine::CpuEngine;
