//! The solver against closed forms and published values.

mod absorbing;
mod box_waves;
mod cavity;
mod channel;
mod cube;
mod dipole;
mod half_space;
mod lasting;
mod layers;
mod ports;
mod slab;
