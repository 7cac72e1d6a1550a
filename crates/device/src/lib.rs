//! One device layer for all solvers: [`Backend`] is the CPU, or a GPU behind the [`Gpu`] trait.

mod backend;
mod condition;
pub mod cpu;
mod cuda;
pub mod doctor;
mod error;
mod gpu;
mod kernel;
mod opencl;
mod staging;
pub mod testing;

pub use backend::{Backend, DeviceChoice, Opened, open};
pub use condition::inverse_norm_1;
pub use cuda::Cuda;
pub use cuda::triangular::scratch_bytes as lu_solve_scratch;
pub use error::{DeviceError, Library, Result};
pub use gpu::{
    Arg, Buffer, Complex, Direction, Fft, Gpu, GpuInfo, Grid, KernelSource, LuFactors, Memory,
    MemoryEstimate, MemoryInfo, Op, Program, Recording, Work,
};
pub use kernel::PRELUDE;
pub use opencl::OpenCl;
pub use staging::{HostMemory, Staging};
