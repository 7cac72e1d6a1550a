//! Time-domain Maxwell equations on tetrahedra by the nodal discontinuous Galerkin method (DGTD).
//!
//! # What it solves
//! In every tetrahedron E and H are polynomials of order 1 to 6, given by their nodal values; they are discontinuous across faces. With
//! τ = ct, H times η₀, and all constants relative to vacuum,
//!
//! ```text
//! ε ∂E/∂τ = curl H − ση₀ E + Σ_faces lift Y⁻ d,    μ ∂H/∂τ = −curl E − Σ_faces lift n × d
//! d = A w⁻ + B w⁺ + s − E_t,    w⁻ = E_t − Z n × H of the element itself, w⁺ that of the neighbor
//! ```
//!
//! with upwind flux (Hesthaven and Warburton, Nodal Discontinuous Galerkin Methods, 2008): w is the
//! outgoing characteristic, s a source, and A and B express interfaces, conductors, sheets, ports
//! and absorbing boundaries ([`Boundary`]). Curved elements are integrated over their true shape.
//! Materials may be conductive and dispersive ([`Pole`], by auxiliary differential equations, ADE);
//! volumes named `pml*` are perfectly matched layers ([`PmlKind`]). Time integration: the
//! five-stage, fourth-order, low-storage Runge-Kutta scheme of Carpenter and Kennedy (NASA TM
//! 109112, 1994), with one step for all elements ([`TimeStep`]); or local time stepping ([`TimeStepping`]), by an Adams-Bashforth scheme
//! of third order with steps of 2^k of the shortest in clusters of elements.
//!
//! Spectra are ∫ f e^{−jωt} dt, so the time convention is e^{+jωt}. Far fields follow from E and H on a closed (Huygens) surface.
//!
//! # How to use it
//! Fill in a [`Problem`], [`prepare`] it, then [`Study::solve`] it. A mode of a metal box, which is known in closed form:
//!
//! ```
//! use phasefront_core::Progress;
//! use phasefront_core::constants::C0;
//! use phasefront_device::Backend;
//! use phasefront_dgtd::{Boundary, Initial, Problem, Sources, Stop, prepare};
//! use phasefront_mesh::BoxMesh;
//! use std::f64::consts::PI;
//!
//! let cube = BoxMesh { from: [0.0; 3], to: [1.0; 3], cell: [0.5; 3], name: "air".into(), ..BoxMesh::default() };
//! let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
//! let mode = Initial::Mode { k: [PI; 3], a: [1.0, -2.0, 1.0] };
//! let study = prepare(Problem {
//!     mesh: cube.mesh().unwrap(),
//!     boundaries: sides.map(|name| (name.into(), Boundary::Pec)).into(),
//!     sources: Sources { initial: Some(mode), ..Sources::default() },
//!     highest_frequency: 260e6,
//!     stop: Stop { energy_db: None, time: 1.0 / C0 },
//!     order: 2,
//!     ..Problem::default()
//! })?;
//! let solution = study.solve(&Backend::Cpu, &Progress::silent())?;
//! // ‖fields − exact‖/‖exact‖ after light has traveled a meter, with 48 elements.
//! assert!(solution.error.is_some_and(|error| error < 0.2));
//! # Ok::<(), phasefront_dgtd::DgtdError>(())
//! ```
//!
//! [`Study::ports`], [`Study::far_field`], [`Study::cross_sections`] and [`Study::probe`] evaluate a [`Solution`], and so do
//! [`Study::slice`], [`Study::volume_fields`], [`Study::currents`] and [`Study::snapshots`] for plots.
//!
//! # Where things are
//! `problem.rs`, `material.rs`, `permittivity/`, `pulse.rs` and `waveform.rs` (the problem), `check/` (what is refused);
//! `domain.rs`, `sheets.rs`, `sheet_model.rs`, `conductor.rs`, `circuit.rs`, `pml.rs`, `geometry.rs` and `reference/` (mesh, surfaces and
//! elements); `study.rs` with
//! `kind.rs`, `scheme.rs`, `time.rs`, `clusters.rs`, `ade.rs`, `sources.rs`, `incident.rs`, `near_source.rs`, `recorded_field.rs`, `synthesis.rs`,
//! `signals.rs`, `ports.rs`, `monitors.rs` (the discrete problem,
//! before a device is chosen); `partition.rs`, `part.rs`, `plan.rs` and `share.rs` (what one of
//! several ranks has of it); `engine.rs` with `cpu/` and `gpu/` (the devices), `ranks.rs` (their
//! exchange); `solve.rs` (the order of the steps), `state.rs`, `checkpoint.rs`; `post.rs`, `far_field.rs`, `radiation.rs`, `mie.rs`,
//! `near_field.rs`, `fields.rs`, `subdivision.rs`, `ring_down.rs` and `resonances/` (answers), `self_checks.rs` (how far to trust them).

#![forbid(unsafe_code)]

mod ade;
#[cfg(test)]
#[path = "../tests/physics/annulus.rs"]
mod annulus;
mod boundary_condition;
mod check;
mod checkpoint;
mod circuit;
mod clusters;
mod coating;
mod conductor;
mod cpu;
mod curved;
#[cfg(test)]
#[path = "../tests/physics/deformed.rs"]
mod deformed;
mod dissipation;
mod domain;
mod element_sizes;
mod engine;
mod error;
mod estimate;
mod far_field;
mod fields;
mod forecast;
mod geometry;
mod gpu;
mod guides;
mod huygens;
mod images;
mod incident;
mod initial;
mod interleave;
mod kind;
mod locate;
mod material;
mod mie;
mod modes;
mod monitors;
mod near_box;
mod near_field;
mod near_source;
mod offsets;
mod part;
mod partition;
mod pass;
mod permittivity;
mod plan;
mod pml;
mod ports;
mod post;
mod problem;
mod pulse;
mod radiation;
mod ranks;
mod recorded_field;
mod reference;
mod resonances;
mod restore;
mod ring_down;
mod scattering;
mod scheme;
mod self_checks;
mod share;
mod sheet_model;
mod sheets;
mod signals;
mod solve;
mod sources;
mod state;
mod study;
mod subdivision;
mod synthesis;
mod terminals;
mod thin_wires;
mod time;
mod timing;
mod wave_port;
mod waveform;
mod wire_kernel;

pub use checkpoint::{
    Checkpoint, CheckpointPart, CheckpointSink, NoCheckpoints, PartNumbers, PartValues, Saved, SavedParts,
};
pub use element_sizes::ElementSizes;
pub use error::DgtdError;
pub use estimate::Estimate;
pub use far_field::{FarField, Radiation, TotalSections};
pub use gpu::{
    HALO_KERNELS, KernelLayout, MONITOR_KERNELS, SplitKernel, Variant, monitor_defines, sheet_kernels,
};
pub use material::{Anisotropy, Material, Pole};
pub use mie::{Sphere, mean_deviation_db};
pub use pass::{Observables, Pass};
pub use permittivity::PermittivityFit;
pub use problem::{
    Boundary, Circuit, Coating, Conductor, Connection, Dipole, Flux, Initial, Injection, Kernels,
    LumpedElement, Monitors, NearBox, NearField, NearSource, PlaneWave, PmlKind, Port, PortShape, Problem,
    Slice, SnapshotExtent, Sources, Stop, ThinWire, TimeStepping, WireLoad,
};
pub use pulse::{Gaussian, Pulse};
pub use ranks::RankReport;
pub use recorded_field::{RecordedField, SurfacePoint, power_through};
pub use resonances::{Record, Resonance, resonances};
pub use ring_down::Series;
pub use scattering::{PortSpectrum, band, s_matrix};
pub use scheme::STAGES;
pub use solve::Solution;
pub use study::{Study, prepare};
pub use subdivision::Subdivision;
pub use synthesis::last_delay;
pub use terminals::Terminals;
pub use time::TimeStep;
pub use timing::PartTiming;
pub use waveform::Waveform;
