//! Non-uniform fast Fourier transforms, types 1, 2 and 3, in one, two and three dimensions.

mod cost;
mod cpu;
pub mod direct;
mod error;
mod gpu;
mod grid;
mod kernel;
mod options;
mod plan;
mod prolate;
mod table;
mod type3;

pub use cpu::Float;
pub use error::{NufftError, Result};
pub use gpu::GpuPlan;
pub use options::{GpuMethod, ModeOrder, Options, Sign, SpreadingKernel, TransformType, Upsampling};
pub use plan::Plan;

/// The example of the README, for the tests to run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
