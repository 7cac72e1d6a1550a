//! Phase-only synthesis of periodic and aperiodic reflectarrays.

mod array;
mod check;
mod checkpoint;
mod cost;
pub mod coverage;
mod error;
pub mod export;
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
mod quantise;
mod radiation;
mod search;
mod solve;
mod spacing;
mod stages;
mod transform;
mod unknowns;
mod zernike;

pub use checkpoint::{Checkpoint, Rated, SynthesisStage};
pub use error::ReflectarrayError;
pub use mask::Mask;
pub use objective::{Evaluation, Figures, Levels, Objective, PatternView, Wanted};
pub use problem::*;
