//! Planar near-field acoustic holography (NAH): from the sound pressure measured by a microphone array to the pressure, particle velocity and
//! intensity on planes nearer to the source.
//!
//! Phasors are those of e^{+jωt}. The pressure p(x, y) on the array is decomposed into plane waves e^{−j(k_x x + k_y y + k_z z)} by a 2-D DFT. The inverse
//! propagator e^{+j k_z z_h} takes each wave to a plane nearer to the source by z_h, with k_z = √(k² − k_r²) for propagating waves, inside the
//! radiation circle k_r = k, and k_z = −j√(k_r² − k²) for evanescent waves outside, which decay toward the array and are amplified on the way back
//! (Williams, *Fourier Acoustics*, 1999, sections 3.2 and 3.6). Noise is amplified as well: a filter in k-space regularizes the reconstruction.
//!
//! The DFT treats the field as periodic, and truncation at the aperture edge would spoil all of it. The field is therefore extrapolated by linear
//! prediction first, and tapered.
//!
//! # Example
//! A monopole 3 cm behind the source plane, reconstructed on that plane and compared with its closed form e^{−jkr}/r:
//! ```
//! use num_complex::Complex64;
//! use phasefront_core::Progress;
//! use phasefront_device::Backend;
//! use phasefront_nah::simulate::{SimulatedSource, field};
//! use phasefront_nah::*;
//!
//! let grid = Grid { columns: 32, rows: 32, pitch: [0.02; 2] };
//! let (medium, standoff, frequency) = (Medium::AIR, 0.05, 1000.0);
//! let k = medium.wavenumber(frequency);
//! let monopole = SimulatedSource::Monopole { position: [0.0, 0.0, -0.03], strength: Complex64::ONE };
//! let pressure = |z: f64| field(&[monopole], &grid.positions(), z, k, &medium);
//! let input = Input::Spectra(vec![Spectrum { frequency, pressure: pressure(standoff) }]);
//! let problem = Problem { frequencies: vec![frequency], method: Method::Fft, ..Problem::new(grid, standoff, input) };
//! let solution = prepare(problem)?.solve(&Backend::Cpu, &Progress::silent())?;
//! let found = &solution.holograms[0].planes[0].pressure;
//! assert!(post::difference(found, &pressure(0.0)).l2 < 0.1);
//! # Ok::<(), NahError>(())
//! ```
//!
//! # Where things are
//! From the problem to the solution: `problem.rs`, `check.rs`, `study.rs`, `engine.rs` (what a device implements), `checkpoint.rs`, `cpu/` and `gpu/`, `pipeline.rs` (blocks
//! in, holograms out), `stages.rs`, `live/` (playback and streams), `solve.rs`, `solution.rs` with `summary.rs` and `metrics.rs`, `self_checks.rs` with `noise.rs`
//! and `neighbors.rs` (how far to trust it), `averaged.rs` with `cross_spectra.rs`, `average_checks.rs` and `partial_fields.rs` (sources that are independent of each
//! other), `coherence.rs`, `weighting.rs`, `time_weighting.rs`, `third_octaves.rs`, `microphone_levels.rs` and
//! `level_warnings.rs` (sound levels), `regions.rs` (powers of parts of a plane), `post.rs`.
//!
//! Data: `grid.rs` and `medium.rs`; `input.rs`, `bits.rs` and `sorama.rs` (bitstreams), `simulate.rs` with `incoherent.rs`. Spectra: `spectral.rs` (methods), `cic.rs` (decimation
//! filter), `walsh.rs`, `statistics.rs` (dead channels), `preprocessing.rs` (calibration). Propagation: `extrapolation.rs` with `burg.rs`
//! (linear prediction) and `tukey.rs`; `filter.rs`, `propagator.rs`, `kspace.rs`, `gcv.rs`, `likelihood.rs`; `esm.rs` with `dense.rs` (equivalent sources); `interpolation.rs`;
//! `specification.rs` (what a reconstructor is built from); `scalar.rs` (precision).
//!
//! Beamforming: `cross_spectra.rs` (averages), `beamforming.rs` with `steering.rs` and `clean_sc.rs`, `beamformed.rs` (of a
//! recording) with `beamforming_checks.rs`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod average_checks;
mod averaged;
mod beamformed;
mod beamforming;
mod beamforming_checks;
pub mod bits;
mod burg;
mod check;
mod checkpoint;
pub mod cic;
mod clean_sc;
mod coherence;
mod cpu;
mod cross_spectra;
mod dense;
mod engine;
mod error;
mod esm;
mod extrapolation;
mod filter;
mod gcv;
mod gpu;
mod grid;
mod incoherent;
mod input;
mod interpolation;
mod kspace;
mod level_warnings;
mod likelihood;
mod live;
mod medium;
mod metrics;
mod microphone_levels;
mod neighbors;
mod noise;
mod partial_fields;
mod pipeline;
pub mod post;
mod preprocessing;
mod problem;
mod propagator;
mod regions;
mod scalar;
mod self_checks;
pub mod simulate;
mod solution;
mod solve;
pub mod sorama;
mod specification;
mod spectral;
mod stages;
mod statistics;
mod steering;
mod study;
mod summary;
mod third_octaves;
mod time_weighting;
mod tukey;
pub mod walsh;
mod weighting;

pub use beamforming::{Beamformer, Beamforming, BeamformingMap};
pub use checkpoint::{Checkpoint, CheckpointSink};
pub use cpu::{CpuReconstructor, CpuSpectrumEstimator, HologramPlan};
pub use cross_spectra::{CrossSpectrum, CrossSpectrumSum, Windows};
pub use engine::{Reconstructor, SpectrumEstimator};
pub use error::NahError;
pub use esm::{Esm, EsmOperator, Fit};
pub use extrapolation::Extrapolation;
pub use filter::{Filter, Filters};
pub use gcv::{Quantity, auto_filter, gcv_filter};
pub use gpu::{
    ESM_KERNELS, GpuEsm, GpuLpbp, GpuReconstructor, GpuSpectrumEstimator, GpuStream, HOLOGRAM_KERNELS,
    LPBP_KERNELS, SPECTRA_KERNELS, StreamShape, esm_defines, lpbp_defines, spectra_defines,
};
pub use grid::Grid;
pub use incoherent::IncoherentSources;
pub use input::{Bits, Block, Input, Samples, Spectrum, Stream};
pub use kspace::KSpace;
pub use likelihood::SpectrumFit;
// For the fuzzing of what comes over the network.
#[doc(hidden)]
pub use live::Assembler;
pub use live::Datagram;
pub use medium::Medium;
pub use partial_fields::PartialFields;
pub use pipeline::Pipeline;
pub use preprocessing::Preprocessing;
pub use problem::{
    Averaging, BeamformingSettings, EquivalentSources, FilterChoice, Method, PlaybackRate, Problem,
};
pub use propagator::{Propagator, propagator, sampled_propagator};
pub use regions::{Region, RegionPower};
pub use scalar::Scalar;
pub use solution::{
    Averages, Beamformed, FoundSource, Hologram, MethodComparison, Plane, Regularization, SideLobe, Solution,
};
pub use specification::ReconstructorSpec;
pub use spectral::{Analysis, Format, SpectralMethod, bins};
pub use statistics::{Faults, find_faults};
pub use steering::Diagonal;
pub use study::{Study, prepare};
pub use summary::{HologramHistory, HologramSummary, LatencyHistogram, MeanPowers, StreamCounts, Summary};
pub use walsh::{WalshFunctions, WalshSelection, WalshTerms};
