//! Non-uniform fast Fourier transforms, types 1, 2 and 3, in one, two and three dimensions.

mod error;
mod options;

pub use error::{NufftError, Result};
pub use options::{GpuMethod, ModeOrder, Options, Sign, SpreadingKernel, TransformType};
