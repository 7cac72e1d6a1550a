//! The solver on the CPU.

mod beams;
mod engine;
mod frame;
mod polygon;
mod ray_grid;
mod subdivision;
mod tasks;

pub(crate) use engine::CpuEngine;
