//! Transforms on a GPU; all data stay in buffers of the device.
//!
//! The stages have the same names as on the CPU: spreading, FFT and deconvolution for type 1; deconvolution, FFT and interpolation for
//! type 2. `kernels/*.cu` has the algorithms.

mod fft;
mod host;
mod interpolate;
mod kernels;
mod plan;
mod sort;
mod spread;
#[cfg(test)]
mod tests;
mod type3;

pub(crate) use host::HostPlan;
pub use plan::GpuPlan;
