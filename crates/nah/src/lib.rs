//! Planar near-field acoustic holography: from the sound on the plane of a microphone array to that on a plane nearer to the source.
//!
//! Phasors are those of e^{+jωt}. An array of microphones on a grid sees p(x, y); a plane wave e^{−j(k_x x + k_y y + k_z z)} of it comes
//! back to a plane that is nearer by z_h when it is multiplied by e^{+j k_z z_h}, with k_z = √(k² − k_r²), and −j√(k_r² − k²) outside of the
//! radiation circle k_r = k, where waves die out on their way to the array and grow on the way back (Williams, *Fourier Acoustics*,
//! 1999, sections 3.2 and 3.6). So does noise: a filter in k-space keeps it down.
//!
//! A discrete transform takes the field to be periodic, and what is cut off at the rim of the array spoils all of it. The field
//! is therefore carried on beyond the rim first, by linear prediction, and faded out there.
//!
//! # Where things are
//! `grid.rs` (the array), `extrapolate.rs` with `burg.rs` (beyond its rim), `window.rs`, `filter.rs` and `gcv.rs` (what is kept in k-space),
//! `hologram.rs` (all of it in order), `refine.rs` (at points between the microphones); `plan.rs` with `pooled.rs` and `transform.rs` (the same over and over, fast), `esm.rs` with `dense.rs` (without waves);
//! `input.rs` with `bits.rs`, `spectra/` (phasors of what is heard), `mend.rs` (microphones as they are), `carriers.rs` (fields of all frequencies), `pipeline.rs` (blocks in, holograms out);
//! `live/` (recordings that are played and streams that have no end); `gpu.rs`, `gpu_spectra.rs`, `gpu_lines.rs` and `gpu_sources.rs` (the same on a GPU);
//! `sorama.rs` (raw streams of bits), `cic.rs` (samples from bits) and `walsh.rs` (frequencies from bits); `simulate.rs` (sources made in code);
//! `problem.rs`, `solve.rs`, `post.rs` (question, order of stages, answer).

#![deny(missing_docs)]

pub mod bits;
mod burg;
mod carriers;
pub mod cic;
mod dense;
mod error;
mod esm;
mod extrapolate;
mod filter;
mod gcv;
mod gpu;
mod gpu_lines;
mod gpu_sources;
mod gpu_spectra;
mod grid;
mod hologram;
mod input;
mod live;
mod mend;
mod pipeline;
mod plan;
mod pooled;
pub mod post;
mod problem;
mod refine;
mod scalar;
pub mod simulate;
mod solve;
pub mod sorama;
mod spectra;
mod transform;
pub mod walsh;
mod window;

pub use carriers::{Carrier, Carriers, GpuCarrier, Recipes};
pub use error::NahError;
pub use esm::{Esm, Operator};
pub use extrapolate::Extrapolation;
pub use filter::{Filter, Filters};
pub use gcv::{Quantity, best_filter};
pub use gpu::{GpuStream, HOLOGRAM_KERNELS, StreamShape};
pub use gpu_lines::{GpuLines, LINE_KERNELS, line_defines};
pub use gpu_sources::{GpuSources, SOURCE_KERNELS, source_defines};
pub use gpu_spectra::{GpuAnalyzer, SPECTRA_KERNELS, spectra_defines};
pub use grid::Grid;
pub use hologram::{KSpace, Medium, gain};
pub use input::{Bits, Block, Input, Samples, Spectrum, Stream};
pub use live::{Counts, Datagram, Followed, History, Latencies, Pace};
pub use mend::{Faults, Mend, inspect};
pub use pipeline::{Ear, Pipeline};
pub use plan::{Plan, gains_of_waves};
pub use problem::{FilterChoice, Method, Problem, Study, prepare};
pub use scalar::Scalar;
pub use solve::{Compared, Kept, Line, Moment, Plane, Solution};
pub use spectra::{Analysis, Analyzer, Format, Functions, Terms, Way, Which, bins};
