//! The solver on the CPU.

mod beams;
mod engine;
mod frame;
mod polygon;
mod ray_grid;
mod subdivision;

pub(crate) use engine::Cpu;

/// Tasks of one incident wave between two checks for interruption. Their sums are held at once and added in order.
const TASKS_AT_ONCE: usize = 256;
