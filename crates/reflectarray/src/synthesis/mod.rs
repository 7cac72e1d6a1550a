//! Phase-only synthesis of a contoured beam, with the element positions as unknowns if they are free.
//!
//! `coordinator.rs` shares rounds of tasks and keeps the state; what a task works with, and the scoring of designs, are in `run.rs`; one local search by L-BFGS in `search.rs`, its unknowns in
//! `unknowns.rs`. `multistage.rs` has the order of the stages; `alternating_projections.rs` is the baseline method.

mod alternating_projections;
mod coordinator;
mod initial_guess;
mod multistage;
mod position_map;
mod quantize;
mod random_starts;
mod run;
mod search;
mod space_taper;
mod spacing;
mod transport;
mod unknowns;
mod zernike;

pub(crate) use coordinator::Coordinator;
