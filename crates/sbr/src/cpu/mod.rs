//! Rays on the CPU: blocks of them (`block.rs`), the tubes that they bound (`tubes.rs`), and where those are cut (`cut.rs`).

mod block;
mod cut;
mod tubes;

pub(crate) use block::{Shooting, Tally};
pub(crate) use tubes::{BEND, SPLITS_OF_RIMS};
