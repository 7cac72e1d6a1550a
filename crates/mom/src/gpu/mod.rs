//! The dense engine on a GPU: the kernels of `kernels/mom.cu` and the LU of the device. One file per stage, named as in `cpu/`.
//! Near interactions come from the host.

mod context;
mod engine;
mod factor;
mod far_field;
mod fill;
mod near_field;
mod solve;

pub use context::{HANKEL_LAYOUT, KERNELS, kernel_defines};
pub(crate) use engine::GpuEngine;
