//! Radar cross sections from scattering amplitudes.

use num_complex::Complex64;
use phasefront_core::decibels::power_db;
use std::f64::consts::PI;

/// Radar cross section (RCS) of a scattering amplitude: σ = 4π|S|², m².
pub fn cross_section(amplitude: Complex64) -> f64 {
    4.0 * PI * amplitude.norm_sqr()
}

/// Radar cross section in dBsm, decibels relative to one square meter.
pub fn dbsm(amplitude: Complex64) -> f64 {
    power_db(cross_section(amplitude))
}
