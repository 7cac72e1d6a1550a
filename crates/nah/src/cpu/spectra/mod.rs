//! From blocks to phasors on the CPU.

mod estimator;
mod front_end;
mod ring_buffer;
mod sliding_dft;
mod walsh;
mod windowed;

pub use estimator::CpuSpectrumEstimator;
