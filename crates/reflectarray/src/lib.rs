//! Phase-only synthesis of periodic and aperiodic reflectarrays.

mod error;
mod problem;

pub use error::ReflectarrayError;
pub use problem::*;
