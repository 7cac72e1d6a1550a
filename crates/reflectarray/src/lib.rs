//! Phase-only synthesis of periodic and aperiodic reflectarrays.
//!
//! # What it solves
//! Time convention e^{+jωt}. A feed at the origin lights an array in the plane z = z₀ whose center lies at (0, y_off); each
//! element sends the wave back with a phase ψ_n of its own, and may leave its place on the lattice:
//!
//! ```text
//! a_n     = cos^{m_f}(θ_n) e^{−jβ r_n}/r_n · e^{jψ_n},   r_n = √(x_n² + (y_n + y_off)² + z₀²)
//! E(u, v) = g(u, v) Σ_n a_n e^{jβ(u x_n + v y_n)},       |g|² = cos^p θ
//! D(u, v) = 4π |E|²/P_rad,                               P_rad = ∫ |E|² dΩ
//! ```
//!
//! with θ_n from the axis that joins the feed and the array's center, and u = sin θ cos φ, v = sin θ sin φ the direction from
//! the array's normal. Regions of the (u, v) plane carry bounds on D: the mask. The synthesis looks for the phases, and the
//! positions if they are free, that minimize the distance of the pattern from the mask,
//!
//! ```text
//! Φ = Σ (|E|² − 𝒫|E|²)²,   𝒫 the nearest value within the mask
//! ```
//!
//! (Capozzoli, Curcio, Liseno and Toso, 2016), and then those that raise the least D of the coverage. [`Objective`] has Φ and
//! its gradients for whoever wants to minimize by other means.
//!
//! D_mean is the mean of D in dB over the samples of the coverage, D_min the least of them. P_rad counts what the elements
//! radiate; what misses them is told apart, as spillover.
//!
//! # How to use it
//! Fill in a [`Problem`] and [`prepare`] it; then [`Study::analyze`] looks at a design.
//!
//! ```
//! use phasefront_device::Backend;
//! use phasefront_reflectarray::*;
//!
//! let study = prepare(Problem {
//!     frequencies: vec![14.25e9],
//!     feed: Feed { offset: 0.1, height: 0.2, exponent: 5.0, polarization: 0.0 },
//!     element: Element { exponent: 1.0, reflection: None },
//!     lattice: Lattice { elements: [15, 15], spacing: [0.0105, 0.0105] },
//!     placement: Placement::Periodic,
//!     design: None,
//!     focus: Some([0.0, 0.1]),
//!     coverage: vec![],
//!     outside: None,
//!     window: Window { center: [0.0, 0.1], samples: [32, 32], step: 0.02 },
//!     synthesis: Synthesis { method: Method::Analysis, ..Synthesis::default() },
//!     extras: Extras::default(),
//! })?;
//! let solution = study.analyze(study.problem.start(), &Backend::Cpu)?;
//! let peak = solution.patterns[0].d_co.iter().copied().fold(f64::NEG_INFINITY, f64::max);
//! assert!(peak < 28.5); // πN for p = 1 and half a wavelength, were it lit evenly
//! # Ok::<(), ReflectarrayError>(())
//! ```
//!
//! # Where things are
//! `problem.rs` (what is asked and what comes out), `check.rs` (what is refused), `array.rs` (elements), `illumination.rs` (the
//! feed's wave), `radiation.rs` and `transform/` (the pattern and its adjoint), `power.rs` (P_rad), `mask.rs` (regions and
//! bounds), `objective.rs` and `cost.rs` (costs and gradients), `engine.rs` (the seam below them, with `cpu.rs` and `gpu.rs`), `stages.rs` (the
//! order of a synthesis; `start.rs`, `presynthesis.rs` and `taper.rs` where it begins, `random.rs` where else, `search.rs`, `unknowns.rs` and
//! `optimize/` one search), `projections.rs` (the baseline), `quantize.rs` (phases in steps), `post.rs` (patterns, figures,
//! efficiencies, sensitivity), `directions.rs` (fields off the window's grid).

mod array;
mod check;
mod checkpoint;
mod cost;
pub mod coverage;
mod cpu;
mod directions;
mod engine;
mod error;
pub mod export;
mod gpu;
mod illumination;
mod mask;
mod objective;
mod optimize;
mod positions;
mod post;
mod power;
mod presynthesis;
mod problem;
mod projections;
mod quantize;
mod radiation;
mod random;
mod search;
mod solve;
mod spacing;
mod stages;
mod start;
mod taper;
mod transform;
mod unknowns;
mod zernike;

pub use checkpoint::{Checkpoint, Rated, SynthesisStage};
pub use cost::{Cost, Goals};
pub use directions::co_polar_field;
pub use error::ReflectarrayError;
pub use gpu::KERNELS;
pub use mask::Mask;
pub use objective::{Evaluation, Figures, Levels, Objective, PatternView, Wanted};
pub use problem::*;
