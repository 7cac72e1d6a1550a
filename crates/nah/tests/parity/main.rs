//! The same phasors and fields on every device.

mod reconstructors;
mod spectra;
mod streams;
