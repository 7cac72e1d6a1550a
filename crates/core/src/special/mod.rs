//! Special functions, to the last digits of double precision.
//!
//! One file per family: [`bessel`] has cylinder functions of integer order and real argument one by one,
//! [`hankel_batch`] the outgoing waves of orders 0 and 1 in vectors, [`ray_hankel`] the same for a complex wavenumber,
//! [`mie`] plane-wave scattering by a sphere.

pub mod bessel;
pub mod hankel_batch;
mod hankel_tables;
pub mod mie;
pub mod ray_hankel;
