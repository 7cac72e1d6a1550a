//! The solver on the CPU.

mod beams;
mod engine;
mod frame;
mod polygon;
mod ray_grid;
mod spherical;
mod subdivision;
mod tasks;

pub(crate) use beams::trace_spherical;
pub(crate) use engine::CpuEngine;
pub(crate) use spherical::SphericalWave;
