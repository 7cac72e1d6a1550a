//! The solver against closed forms and published values.

mod absorbing;
mod annulus;
mod cavity;
mod channel;
mod coaxial;
mod cube;
mod curved;
mod deformed;
mod dipole;
mod dissipation;
mod fields;
mod half_space;
mod images;
mod local_steps;
mod near_field;
mod pml;
mod ports;
mod resolution;
mod self_checks;
mod sheets;
mod slab;
mod soak;
mod stability;
mod tf_sf;
mod wave_ports;
mod waveforms;
