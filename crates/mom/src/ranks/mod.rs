//! The dense engine on several ranks: each fills the entries that it owns, and the ranks factor the matrix together. Rank 0 has the
//! solutions and continues alone; the others follow its stages.

mod agreement;
mod engine;
mod factor;
mod gpus;
mod solve;

pub(crate) use agreement::{end, same_devices, unsolved};
pub(crate) use engine::RanksEngine;
