//! Closed forms and independent methods, written from textbooks and from nothing in `src`.
//!
//! Time convention e^{+jωt}; incident wave e^{-jk(x cos a + y sin a)} of unit size, E_z (TM) or H_z (TE).

mod bessel;
mod cylinders;
mod dense;
mod scaled;
mod strip;

pub use cylinders::{Cylinder, Cylinders, Matter};
pub use strip::Strip;

use num_complex::Complex64;

const J: Complex64 = Complex64::new(0.0, 1.0);
