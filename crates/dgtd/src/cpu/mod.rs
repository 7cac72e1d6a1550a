//! Fields on the CPU: blocks of elements in SIMD vectors, shared among threads.

// Code has the instruction set of the dispatched function only if it is inlined into it.
#![allow(clippy::inline_always)]

mod ade;
mod curved;
mod curved_tables;
mod engine;
mod float;
mod halo;
mod monitors;
mod sheet_tables;
mod sheets;
mod sources;
#[cfg(test)]
mod spectrum;
mod stage;
mod straight;
mod sweep;
mod tables;
mod wires;

pub use engine::CpuEngine;
