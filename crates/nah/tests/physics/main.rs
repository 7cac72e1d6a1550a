//! Fields and spectra whose exact values are known.

mod esm;
mod monopoles;
mod plates;
mod spectra;
