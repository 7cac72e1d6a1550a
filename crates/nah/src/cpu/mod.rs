//! The solver on the CPU: SIMD over microphones, rows and columns; threads over frequencies.

mod burg;
mod engine;
mod esm;
mod fft;
mod hologram;
mod lpbp;
mod reconstructor;
mod spectra;

pub(crate) use engine::CpuEngine;
pub use hologram::HologramPlan;
pub use reconstructor::CpuReconstructor;
pub use spectra::CpuSpectrumEstimator;
