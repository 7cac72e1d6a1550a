//! Non-uniform fast Fourier transforms, types 1, 2 and 3, in one, two and three dimensions.

mod error;
mod gpu;
mod grid;
mod kernel;
mod options;
mod prolate;
mod table;

pub use error::{NufftError, Result};
pub use gpu::GpuPlan;
pub use options::{GpuMethod, ModeOrder, Options, Sign, SpreadingKernel, TransformType};
