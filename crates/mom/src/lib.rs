//! Two-dimensional scattering by conductors and dielectrics: the method of moments, by a locally corrected Nyström (LCN)
//! discretization of arbitrary order or by pulses and point matching.
//!
//! # What it solves
//! Time convention e^{+jωt}; u is the field along z, E_z (TM) or H_z (TE), and the incident wave is
//! e^{-jk(x cos a + y sin a)}, propagating in direction `a`. Outside all bodies the scattered field is that of a single
//! layer σ and a double layer μ on the contours,
//!
//! ```text
//! u_s(r) = −(k/4) ∮ σ H₀⁽²⁾(k|r − r'|) ds' − (j/4) ∮ μ ∂H₀⁽²⁾(k|r − r'|)/∂n' ds'
//! ```
//!
//! - On a conductor σ = ηJ with the current J along z (TM), or μ = −J with J along the contour (TE). The total field
//!   (or its normal derivative, or a combination) vanishes just inside: the electric, magnetic and combined field integral equations
//!   EFIE, MFIE and CFIE ([`Equation`]).
//! - On a dielectric both are unknown, μ = u and σ = (1/jk) ∂u/∂n, in Müller's equations.
//!
//! With `order` Gauss-Legendre nodes on each curved cell ([`Lcn`]) the error of the bistatic echo width
//! (scattering width)
//!
//! ```text
//! σ(φ) = (k/4) |∮ [σ − (n·ŝ)μ] e^{jk r'·ŝ} ds'|²,   ŝ = (cos φ, sin φ)
//! ```
//!
//! falls with a power of the cell length that grows with the order. [`Method::Pulse`] is the textbook method for TM
//! polarization and conductors (Harrington, Field Computation by Moment Methods, chapter 3): J constant on each cell, the EFIE enforced
//! at the midpoints of the cells,
//!
//! ```text
//! Z_mn = (kη w_n/4) H₀⁽²⁾(k R_mn)
//! Z_mm = (kη w_m/4) {1 − j(2/π)[ln(γ k w_m/4) − 1]},   γ = 1.781072417990198
//! ```
//!
//! # How to use it
//! Fill in a [`Problem`], [`prepare`] it (validation and discretization), then [`Study::solve`] it on a device.
//!
//! ```
//! use phasefront_core::Progress;
//! use phasefront_device::Backend;
//! use phasefront_mom::{Body, Problem, Shape, prepare};
//!
//! let circle = Shape::Circle { center: [0.0, 0.0], radius: 1.0 };
//! let study = prepare(Problem {
//!     bodies: vec![Body::conductor(circle)],
//!     frequencies: vec![299_792_458.0],
//!     propagation: vec![0.0],
//!     observation: vec![0.0],
//!     ..Problem::default()
//! })?;
//! let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
//! let sigma = solution.frequencies[0].echo_width[0][0]; // one wavelength is one meter here
//! assert!((sigma - 34.584_560_348).abs() < 1e-6); // the eigenfunction series
//! # Ok::<(), phasefront_mom::MomError>(())
//! ```
//!
//! # Where things are
//! `problem.rs` (the input), `check/` (what is refused), `study.rs` (`prepare`, memory), `contour.rs`, `cell.rs` and `mesh.rs`
//! (discretization), `system.rs` (EFIE, MFIE, CFIE and Müller's equations), `layer_potentials.rs` and `green.rs` (their kernels),
//! `local_correction.rs` and `singular_quadrature.rs` (near interactions), `engine.rs` with `cpu/` and `gpu/` (what solves the system),
//! `ranks/` (the same on several ranks),
//! `solve.rs` (the order of the stages), `near_field.rs`, `verify.rs` and `post.rs` (fields, checks on the solution, warnings).

#![forbid(unsafe_code)]

pub mod baseline;
mod between_nodes;
mod cell;
mod check;
mod checkpoint;
mod contour;
mod cpu;
mod engine;
mod error;
mod gpu;
mod green;
mod layer_potentials;
mod layout;
mod legendre;
mod local_correction;
mod material;
mod media;
mod mesh;
mod moments;
mod near_field;
mod near_interactions;
mod piece;
mod post;
mod probes;
mod problem;
mod proximity;
mod ranks;
mod shape;
mod singular_quadrature;
mod solution;
mod solve;
mod study;
mod system;
mod verify;

pub use checkpoint::Checkpoint;
pub use error::MomError;
pub use gpu::{HANKEL_LAYOUT, KERNELS, kernel_defines};
pub use material::{Dielectric, Material};
pub use mesh::Mesh;
pub use problem::{Body, CellCount, Equation, Lcn, Method, NearGrid, NearQuadrature, Polarization, Problem};
pub use shape::{Point, Shape};
pub use solution::{FrequencySolution, NearField};
pub use solve::Solution;
pub use study::{Study, prepare};
