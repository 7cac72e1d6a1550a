//! Problems that `prepare` refuses, with the exact messages.

#[path = "../physics/bent.rs"]
mod bent;
mod curved;
mod pml;
mod ports;
#[path = "../physics/ring.rs"]
mod ring;
mod sources;
