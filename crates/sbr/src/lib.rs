//! Radar cross sections by shooting and bouncing rays (SBR): geometrical optics, physical optics and PTD.
//!
//! # What it solves
//! Time convention e^{+jωt}. A plane wave along k_i is divided into ray tubes, which are traced over the triangles of a mesh by
//! geometrical optics: at each bounce E_r = Γ⊥ (E·ê⊥) ê⊥ + Γ∥ (E·ê∥) ê∥' with the Fresnel reflection coefficients of the
//! [`Material`]. Where a tube hits the target, its field radiates as an aperture on the facet,
//!
//! ```text
//! S_θ = (jk/4π) ∫ e^{jk s·r'} [(−φ̂ × E) + Z₀(θ̂ × H)]·n dS
//! S_φ = (jk/4π) ∫ e^{jk s·r'} [( θ̂ × E) + Z₀(φ̂ × H)]·n dS,    σ = 4π|S|²/|E_i|²
//! ```
//!
//! over the footprint of the tube, in closed form (Gordon's integral): after several bounces by halves on the last facet and on the
//! image of the first, and with both ends exchanged, so that S(i, s) = S(s, i)ᵀ. Tubes are adaptive beams: they start as whole facets and are
//! clipped where other facets occlude them, so that edges and shadow boundaries are as sharp as in the mesh. With one bounce this is
//! physical optics. [`Tubes::RayGrid`] has a uniform grid of rays instead, for comparison. [`Edges`] adds edge diffraction by the
//! physical theory of diffraction (PTD). Outputs are monostatic and bistatic polarimetric scattering matrices; range profiles and
//! ISAR images follow from them.
//!
//! # How to use it
//! Fill in a [`Problem`], [`prepare`] it, then [`Study::solve`] it.
//!
//! ```
//! use phasefront_core::Progress;
//! use phasefront_device::Backend;
//! use phasefront_mesh::targets::plate;
//! use phasefront_sbr::{Aspect, Direction, Problem, dbsm, prepare};
//!
//! let study = prepare(Problem {
//!     mesh: plate([0.3, 0.3], [1, 1]).unwrap(),
//!     frequencies: vec![10e9],
//!     aspects: vec![Aspect::monostatic(Direction::degrees(0.0, 0.0))],
//!     ..Problem::default()
//! })?;
//! let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
//! // 4πA²/λ²
//! assert!((dbsm(solution.frequencies[0].scattering[0].vv) - 20.541).abs() < 0.01);
//! # Ok::<(), phasefront_sbr::SbrError>(())
//! ```
//!
//! # Where things are
//! - Problem: `problem.rs`, `material.rs`, `check.rs`; `study.rs` with `prepare` and the memory model; `self_checks.rs`.
//! - Geometry: `curvature.rs` (facets of curved surfaces), `scene.rs` (BVH and kd-tree), `aperture.rs` (where rays start), `ray_differential.rs`.
//! - Fields: `field.rs` (reflection), `exit_aperture.rs`, `radiation_integral.rs`, `far_field.rs`; `edges/` (PTD).
//! - Stages: `solve.rs`, `reciprocity.rs`; `engine.rs` is the trait of a device, `batch.rs` what it is given, `accumulator.rs` what it returns; `cpu/`
//!   and `gpu/` implement it, with `kernels/` and `layout.rs` for the constants that host and kernels share.
//! - Results: `scattering.rs`, `post.rs` (RCS), `range_profile.rs`, `isar.rs`, `window.rs`.

#![forbid(unsafe_code)]

mod accumulator;
mod aperture;
mod batch;
mod check;
mod checkpoint;
mod cpu;
mod curvature;
mod edges;
mod engine;
mod error;
mod exit_aperture;
mod far_field;
mod field;
mod gpu;
mod isar;
mod layout;
mod material;
mod post;
mod problem;
mod radiation_integral;
mod range_profile;
mod ray_differential;
mod reciprocity;
mod sampling;
mod scattering;
mod scene;
mod self_checks;
mod solve;
mod study;
mod window;
mod work;

pub use accumulator::Counts;
pub use checkpoint::Checkpoint;
pub use curvature::Interpolation;
pub use edges::DiffractingEdge;
pub use engine::RayTimes;
pub use error::SbrError;
pub use gpu::{BEAM_KERNELS, KernelConfig, RAY_GRID_KERNELS};
pub use isar::{IsarImage, isar};
pub use material::{Constants, Layer, Material, Medium, Reflection};
pub use post::{cross_section, dbsm};
pub use problem::{Aspect, Bounces, Direction, Edges, Formulation, Problem, Surface, Tracer, Tubes};
pub use range_profile::{RangeProfile, range_profile};
pub use scattering::ScatteringMatrix;
pub use solve::{FrequencySolution, HotSpots, PartialSolution, Solution, Solver};
pub use study::{Study, prepare};
pub use window::Window;
pub use work::Work;
