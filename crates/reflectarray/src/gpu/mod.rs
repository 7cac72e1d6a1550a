//! The engine on a GPU: the kernels of `kernels/array.cu`.
//!
//! All data stay on the device. Of a design, the phases are uploaded, and the positions if they have changed; Φ and the gradients
//! are downloaded in one copy, |E|² only on request. The launches and copies of an evaluation are recorded once and replayed.

mod buffers;
mod engine;
mod gradient;
mod kernels;
mod layout;
mod pattern;

pub(crate) use engine::GpuEngine;
pub use kernels::{DEFINES, KERNELS};
