//! Fields and spectra whose exact values are known.

mod acoular;
mod beamforming;
mod esm;
mod incoherent;
mod levels;
mod microphone_levels;
mod monopoles;
mod plates;
mod recordings;
mod regularization;
mod spectra;
mod whole_band;
