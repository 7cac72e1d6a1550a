//! Maxwell's equations in time on tetrahedra, by the discontinuous Galerkin method.

mod auxiliary;
#[cfg(test)]
#[path = "../tests/physics/bent.rs"]
mod bent;
mod check;
mod check_curved;
mod cpu;
mod curved;
mod domain;
mod drive;
mod engine;
mod error;
mod far;
mod geometry;
mod gpu;
mod huygens;
mod initial;
mod layers;
mod locate;
mod material;
mod plan;
mod ports;
mod post;
mod problem;
mod pulse;
mod reference;
mod solve;
mod time;
mod timing;
mod watch;

pub use error::DgtdError;
pub use far::{FarField, Radiation};
pub use gpu::{KernelShape, STAGE_KERNEL, WATCH_KERNELS};
pub use material::{Material, Pole};
pub use post::PortSpectrum;
pub use problem::{
    Boundary, Dipole, Entry, Flux, Initial, Kernels, Monitors, PlaneWave, PmlKind, Port, PortShape, Problem,
    Slice, Sources, Stop,
};
pub use pulse::Pulse;
pub use solve::{Checkpoint, KEEP_STEPS, Keep, Solution, Study, prepare};
pub use time::TimeStep;
