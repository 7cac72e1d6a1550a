//! 2-D scattering by perfect conductors, by the method of moments with pulses and point matching.
//!
//! # What it solves
//! Time convention e^{+jωt}, fields along z (TM), unit incident field e^{-jk(x cos a + y sin a)} travelling in
//! direction `a`. On the conductor the total field vanishes, which gives the electric field integral equation
//!
//! ```text
//! E_inc(r) = (kη/4) ∮ J(r') H₀⁽²⁾(k|r − r'|) ds'
//! ```
//!
//! for the surface current J. With J constant on each cell and the equation enforced at the cells' mid points,
//!
//! ```text
//! Z_mn = (kη w_n/4) H₀⁽²⁾(k R_mn)
//! Z_mm = (kη w_m/4) {1 − j(2/π)[ln(γ k w_m/4) − 1]},   γ = 1.781072417990198
//! ```
//!
//! and the echo width is σ(φ) = (kη²/4) |∮ J e^{jk(x cos φ + y sin φ)} ds|².
//!
//! # How to use it
//! Fill in a [`Problem`], [`prepare`] it (validation and meshing), then [`Study::solve`] it on a device.
//!
//! ```
//! use phasefront_core::{Precision, Progress};
//! use phasefront_device::Backend;
//! use phasefront_mom::{Body, CellCount, Problem, Shape, prepare};
//!
//! let circle = Shape::Circle { center: [0.0, 0.0], radius: 1.0 };
//! let study = prepare(Problem {
//!     bodies: vec![Body { shape: circle, cells: None }],
//!     frequencies: vec![299_792_458.0],
//!     propagation: vec![0.0],
//!     cells: CellCount::Total(252),
//!     precision: Precision::Double,
//!     observation: vec![0.0],
//!     current: false,
//!     near_field: None,
//! })?;
//! let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
//! let sigma = solution.frequencies[0].echo_width[0][0]; // one wavelength is one metre here
//! assert!((sigma - 34.5846).abs() < 0.1);
//! # Ok::<(), phasefront_mom::MomError>(())
//! ```

mod cpu;
mod crossing;
mod engine;
mod error;
mod gpu;
mod interior;
pub mod mesh;
mod post;
mod problem;
mod shape;
mod solve;

pub use error::MomError;
pub use gpu::{KERNELS, kernel_defines};
pub use mesh::Mesh;
pub use problem::{Body, CellCount, NearGrid, Problem, Shape, Study, prepare};
pub use solve::{FrequencySolution, NearField, Solution};
