//! Special functions, to the last digits of double precision.
//!
//! One file per family: [`bessel`] has cylinder functions of integer order and real argument.

pub mod bessel;
