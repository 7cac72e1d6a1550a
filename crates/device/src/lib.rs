//! One device layer for all solvers: [`Backend`] is the CPU, or a GPU behind the [`Gpu`] trait.

mod error;
mod gpu;

pub use error::{DeviceError, Result};
pub use gpu::{
    Arg, Buffer, Complex, Direction, Fft, Gpu, GpuInfo, Grid, KernelSource, LuFactors, Memory, MemoryInfo,
    Program,
};
