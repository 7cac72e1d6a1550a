//! Phase-only synthesis of periodic and aperiodic reflectarrays.

pub mod coverage;
mod error;
mod problem;

pub use error::ReflectarrayError;
pub use problem::*;
