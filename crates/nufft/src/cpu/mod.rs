//! Transforms on the CPU.

mod fft;
mod float;
mod interpolate;
mod interpolate_points;
mod plan;
mod scalar;
mod scatter;
mod sort;
mod spread;
mod spread_points;
mod storage;
mod taps;
mod type3;
mod vectors;

pub use float::Float;
pub(crate) use plan::CpuPlan;
pub(crate) use type3::CpuType3;
