//! The solver on the CPU.

mod beams;
mod engine;
mod frame;
mod polygon;
mod ray_grid;
mod subdivision;

pub(crate) use engine::Cpu;
