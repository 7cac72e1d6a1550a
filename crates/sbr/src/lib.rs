//! Radar cross sections by shooting and bouncing rays.
//!
//! # What it solves
//! Time convention e^{+jωt}. A plane wave along k_i is cut into beams of parallel rays, which are followed over the triangles of
//! a mesh by geometrical optics: at each hit E_r = Γ⊥ (E·ê⊥) ê⊥ + Γ∥ (E·ê∥) ê∥' ([`Material`]). Where a beam leaves the target
//! its field radiates as an aperture on the last facet,
//!
//! ```text
//! S_θ = (jk/4π) ∫ e^{jk s·r'} [(−φ̂ × E) + Z₀(θ̂ × H)]·n dS
//! S_φ = (jk/4π) ∫ e^{jk s·r'} [( θ̂ × E) + Z₀(φ̂ × H)]·n dS,    σ = 4π|S|²/|E_i|²
//! ```
//!
//! over the beam's own footprint, in closed form. Beams begin as whole facets, and what hides a part of one or stands in its way is
//! cut out of it, so that edges and shadows are as sharp as the mesh has them. With one bounce this is physical optics.
//! [`Tubes::Paper`] has a grid of rays instead, for comparison.
//!
//! # How to use it
//! Fill in a [`Problem`], [`prepare`] it, then [`Study::solve`] it.
//!
//! ```
//! use phasefront_core::Progress;
//! use phasefront_device::Backend;
//! use phasefront_mesh::targets::plate;
//! use phasefront_sbr::{Direction, Look, Problem, dbsm, prepare};
//!
//! let study = prepare(Problem {
//!     mesh: plate([0.3, 0.3], [1, 1]).unwrap(),
//!     frequencies: vec![10e9],
//!     looks: vec![Look::monostatic(Direction::degrees(0.0, 0.0))],
//!     ..Problem::default()
//! })?;
//! let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
//! // 4πA²/λ²
//! assert!((dbsm(solution.frequencies[0].scattering[0].vv) - 20.541).abs() < 0.01);
//! # Ok::<(), phasefront_sbr::SbrError>(())
//! ```
//!
//! # Where things are
//! `problem.rs` (what is asked) and `check.rs`, `material.rs` and `field.rs` (reflection), `scene.rs` (the triangles), `aperture.rs`
//! (where rays start), `trail.rs` (how they go on), `front.rs`, `footprint.rs` and `exit.rs` (what a beam or a tube radiates), `cpu/`
//! (beams, and the paper's grid of rays), `gpu/` and `kernels/` (the same there), `edges/` (what edges add), `solve.rs` (the order of the stages), `post.rs` (what comes out),
//! `range_profile.rs` and `isar.rs` (what it says about places on the target).

mod aperture;
mod check;
mod cpu;
mod edges;
mod error;
mod exit;
mod field;
mod footprint;
mod front;
mod gpu;
mod isar;
mod material;
mod post;
mod problem;
mod range_profile;
mod scene;
mod solve;
mod trail;
mod window;

pub use error::SbrError;
pub use gpu::{BEAM_KERNELS, GRID_KERNELS, KernelShape};
pub use isar::{IsarImage, isar};
pub use material::{Constants, Layer, Material, Medium, Reflection};
pub use post::{
    Counts, FrequencySolution, HotSpots, Part, RayTimes, Scattering, Solution, cross_section, dbsm,
};
pub use problem::{Direction, Edges, Formulation, Look, Problem, Study, Tracer, Tubes, prepare};
pub use range_profile::{RangeProfile, range_profile};
pub use solve::Solver;
pub use window::Window;
