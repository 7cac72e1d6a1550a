//! Problems that `prepare` refuses, with the exact messages.

mod anisotropy;
#[path = "../physics/annulus.rs"]
mod annulus;
mod boundaries;
mod curved;
#[path = "../physics/deformed.rs"]
mod deformed;
mod near_field;
mod near_source;
mod pml;
mod ports;
mod sources;
