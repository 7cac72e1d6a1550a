//! The solver against closed forms and published values.

mod absorbing;
mod bent;
mod box_waves;
mod cavity;
mod channel;
mod coarse;
mod coaxial;
mod cube;
mod curved;
mod dipole;
mod fields;
mod half_space;
mod lasting;
mod layers;
mod ports;
mod ring;
mod slab;
