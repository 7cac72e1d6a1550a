//! The solver on a GPU: host side of `kernels/`.

mod beams;
mod engine;
mod kernels;
mod ray_grid;
mod run;
mod scene;
mod tables;

pub(crate) use engine::GpuEngine;
pub use kernels::{BEAM_KERNELS, KernelConfig, RAY_GRID_KERNELS};
