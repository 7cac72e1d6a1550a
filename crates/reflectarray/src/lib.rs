//! Phase-only synthesis of periodic and aperiodic reflectarrays.
//!
//! # What it solves
//! Time convention e^{+jωt}. A feed at the origin illuminates an array in the plane z = z₀ with its center at (0, y_off). Each element
//! reflects the wave with a control phase ψ_n; in an aperiodic array its position is an unknown too. The excitations a_n, the far field
//! E (element pattern g times array factor) and the directivity D are
//!
//! ```text
//! a_n     = cos^{m_f}(θ_n) e^{−jβ r_n}/r_n · e^{jψ_n},   r_n = √(x_n² + (y_n + y_off)² + z₀²)
//! E(u, v) = g(u, v) Σ_n a_n e^{jβ(u x_n + v y_n)},       |g|² = cos^p θ
//! D(u, v) = 4π |E|²/P_rad,                               P_rad = ∫ |E|² dΩ
//! ```
//!
//! with θ_n from the boresight of the feed, which points at the array center, and the direction cosines u = sin θ cos φ,
//! v = sin θ sin φ about the array normal. The mask bounds D over the regions of the coverage, for contoured or pencil beams. The
//! phase-only synthesis seeks the phases, and the positions if they are free, that minimize the distance of the pattern from the mask,
//!
//! ```text
//! Φ = Σ (|E|² − 𝒫|E|²)²,   𝒫 the projection onto the mask
//! ```
//!
//! (A. Capozzoli, C. Curcio, A. Liseno and G. Toso, "Fast, phase-only synthesis of aperiodic reflectarrays using NUFFTs and CUDA", 2016),
//! and then maximize the minimum of D over the coverage (minimax). [`Objective`] provides Φ and its gradients for other optimizers.
//!
//! D_mean is the mean of D in dB over the samples of the coverage, D_min the minimum. P_rad is the power radiated by the elements, so
//! that D does not include the spillover, which is reported separately with the taper efficiency; together they give the aperture
//! efficiency.
//!
//! # How to use it
//! Fill in a [`Problem`] and [`prepare`] it; then [`Study::analyze`] evaluates a design and [`Study::solve`] synthesizes one.
//!
//! ```
//! use phasefront_device::Backend;
//! use phasefront_reflectarray::*;
//!
//! let study = prepare(Problem {
//!     frequencies: vec![14.25e9],
//!     feed: Feed { offset: 0.1, height: 0.2, pattern: FeedPattern::Cosine { power_exponent: 10.0 }, polarization: 0.0 },
//!     element: Element { power_exponent: 1.0, reflection: None },
//!     lattice: Lattice { elements: [15, 15], spacing: [0.0105, 0.0105] },
//!     placement: Placement::Periodic,
//!     design: None,
//!     focus: Some([0.0, 0.1]),
//!     coverage: vec![],
//!     outside: None,
//!     uv_grid: UvGrid { center: [0.0, 0.1], points: [32, 32], spacing: 0.02 },
//!     synthesis: Synthesis { method: Method::Analysis, ..Synthesis::default() },
//!     outputs: Outputs::default(),
//! })?;
//! let solution = study.analyze(study.problem.initial_design(), &Backend::Cpu)?;
//! let peak = solution.patterns[0].d_co.iter().copied().fold(f64::NEG_INFINITY, f64::max);
//! assert!(peak < 28.5); // πN for p = 1, half-wavelength spacing and uniform illumination
//! # Ok::<(), ReflectarrayError>(())
//! ```
//!
//! # Where things are
//! | part | files |
//! |---|---|
//! | input | `problem.rs`, validated by `check.rs`; `self_checks.rs`; `study.rs` has [`prepare`] and the memory estimate |
//! | antenna | `array.rs` (elements), `illumination.rs` (feed), `radiation.rs` and `transform/` (array factor and adjoint), `power.rs` (P_rad) |
//! | objective | `mask.rs` (bounds), `cost.rs` (cost functions), `evaluation.rs`, `objective.rs` (costs and gradients) |
//! | devices | `engine.rs` (the trait), `cpu/`, `gpu/` |
//! | synthesis | `synthesis/` (stages, unknowns, searches), `parallel.rs` (tasks on groups of threads), `optimize/` (L-BFGS, MLSL), `history.rs`, `checkpoint.rs` |
//! | solution | `solve.rs`, `pattern.rs`, `efficiency.rs`, `sensitivity.rs`, `side_lobes.rs`, `assessment.rs`; `post.rs` (fields in any directions), `export/` |
//! | coverage | `coverage/` (regions on the Earth as a satellite sees them) |

#![forbid(unsafe_code)]

mod array;
mod assessment;
mod check;
mod checkpoint;
mod cost;
pub mod coverage;
mod cpu;
mod efficiency;
mod engine;
mod error;
mod evaluation;
pub mod export;
mod feed_pattern;
mod gpu;
mod history;
mod illumination;
mod mask;
mod objective;
mod optimize;
mod parallel;
mod pattern;
mod post;
mod power;
mod problem;
mod radiation;
mod self_checks;
mod sensitivity;
mod side_lobes;
mod solve;
mod study;
mod synthesis;
mod transform;

pub use checkpoint::{Checkpoint, Minimum, Rated, SynthesisStage, TaskState};
pub use cost::{Cost, Goals};
pub use error::ReflectarrayError;
pub use evaluation::{Derivatives, Evaluation};
pub use gpu::{DEFINES, KERNELS};
pub use history::HistoryRow;
pub use mask::Mask;
pub use objective::{Figures, Levels, Objective, PatternView};
pub use pattern::{CoverageFigures, Pattern};
pub use post::co_polar_field;
pub use problem::*;
pub use sensitivity::SensitivityFigures;
pub use side_lobes::SideLobe;
pub use solve::Solution;
pub use study::{Study, prepare};
