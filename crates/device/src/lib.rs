//! One device layer for all solvers: [`Backend`] is the CPU, or a GPU behind the [`Gpu`] trait.

mod backend;
mod condition;
pub mod cpu;
mod cuda;
pub mod doctor;
mod error;
mod gpu;
mod kernel;
mod kind;
mod limits;
mod memory;
mod opencl;
mod shared_lu;
mod staging;
pub mod testing;

pub use backend::{Backend, DeviceChoice, GpuList, Opened, open};
pub use condition::{inverse_norm_1, inverse_norm_1_forward};
pub use cuda::Cuda;
pub use cuda::triangular::scratch_bytes as lu_solve_scratch;
pub use error::{DeviceError, Library, Result};
pub use gpu::{
    Arg, Complex, Direction, Fft, Gpu, GpuInfo, Grid, KernelSource, LuFactors, Op, Program, Recording,
    Stream, Work,
};
pub use kernel::PRELUDE;
pub use kind::DeviceKind;
pub use memory::{Buffer, HostMemory, Memory, MemoryEstimate, MemoryInfo, zeros};
pub use opencl::OpenCl;
pub use shared_lu::{SharedLu, SharedMatrix};
pub use staging::Staging;
