//! The solver on GPUs, stage by stage as on the CPU.

mod engine;
mod esm;
mod hologram;
mod lpbp;
mod reconstructor;
mod spectra;

pub(crate) use engine::GpuEngine;
pub use esm::{ESM_KERNELS, GpuEsm, esm_defines};
pub use hologram::{GpuStream, HOLOGRAM_KERNELS, StreamShape};
pub use lpbp::{GpuLpbp, LPBP_KERNELS, lpbp_defines};
pub use reconstructor::GpuReconstructor;
pub use spectra::{GpuSpectrumEstimator, SPECTRA_KERNELS, spectra_defines};
