//! Phase-only synthesis of periodic and aperiodic reflectarrays.

mod array;
mod check;
pub mod coverage;
mod error;
mod illumination;
mod mask;
mod objective;
mod power;
mod problem;
mod radiation;
mod transform;

pub use error::ReflectarrayError;
pub use mask::Mask;
pub use objective::{Evaluation, Figures, Levels, Objective, PatternView, Wanted};
pub use problem::*;
