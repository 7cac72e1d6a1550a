//! The engine on the CPU.

mod engine;
mod gradient;
mod pattern;

pub(crate) use engine::CpuEngine;
