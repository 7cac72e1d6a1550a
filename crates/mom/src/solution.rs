//! [`FrequencySolution`]: what one frequency leaves behind, everything that results are made of.

use num_complex::Complex64;

/// The solution at one frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct FrequencySolution {
    /// Frequency, Hz.
    pub frequency: f64,
    /// Electric surface current n × H at each node, A/m for a unit incident field (E for TM, H for TE), along z (TM) or along
    /// the contour (TE); one list per direction of incidence. Empty unless requested.
    pub currents: Vec<Vec<Complex64>>,
    /// Bistatic echo width (scattering width), m; per direction of incidence and observation angle.
    pub echo_width: Vec<Vec<f64>>,
    /// Monostatic echo width, back toward the source of each incident wave, m. Empty unless requested.
    pub monostatic: Vec<f64>,
    /// Extinction width per incident wave, m: power scattered and absorbed over the incident power density, by the optical
    /// theorem.
    pub extinction_width: Vec<f64>,
    /// Near field, if requested.
    pub near_field: Option<NearField>,
    /// Largest residual found on sampled rows, relative to the incident field.
    pub residual: f64,
    /// Largest componentwise backward error of the sampled rows.
    pub backward_error: f64,
    /// Estimate of the condition number in the 1-norm, if the engine has one.
    pub condition: Option<f64>,
    /// Estimate of the relative error of the echo width by the discretization, from the failure of the equations between the nodes; none
    /// for pulses, whose error is always far larger than that of their cells.
    pub echo_width_error: Option<f64>,
    /// Largest total field found inside closed conductors, where it must vanish, relative to the incident field.
    pub interior_field: f64,
}

/// Field along z on a grid, V/m for a unit incident E (TM) or A/m for a unit incident H (TE); row-major, rows along y.
#[derive(Debug, Clone, PartialEq)]
pub struct NearField {
    /// Incident plus scattered.
    pub total: Vec<Complex64>,
    /// Total minus incident, inside dielectrics too.
    pub scattered: Vec<Complex64>,
}
