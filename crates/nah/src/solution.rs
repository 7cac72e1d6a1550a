//! The solution: holograms on planes, and the summary of a run.

use crate::filter::Filters;
use crate::metrics::{Agreement, Difference};
use crate::spectral::SpectralMethod;
use crate::summary::Summary;
use num_complex::Complex64;

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The saved holograms, one for each frequency.
    pub holograms: Vec<Hologram>,
    /// Summary of all holograms.
    pub summary: Summary,
    /// Dead microphones.
    pub dead: Vec<usize>,
    /// Whether the user stopped the playback of a recording: the summary is that of the finished blocks.
    pub interrupted: bool,
}

/// Fields at one frequency.
#[derive(Debug, Clone)]
pub struct Hologram {
    /// Hz.
    pub frequency: f64,
    /// The regularization of the reconstruction.
    pub regularization: Regularization,
    /// Estimated noise at a microphone, RMS over microphones of its amplitude, Pa.
    pub noise: f64,
    /// Pressure at the microphones, Pa.
    pub measured: Vec<Complex64>,
    /// Fields on the reconstruction planes.
    pub planes: Vec<Plane>,
    /// Holograms of the compared spectral methods, the reference method first.
    pub compared: Vec<MethodComparison>,
    /// Agreement of the pressure on the first plane with the reference.
    pub reference: Option<Agreement>,
    /// How much of the power of the windows of a recording is in their first principal component.
    pub coherence: Option<f64>,
    /// The averages that it is of. All fields are then root mean squares of amplitudes, without a phase.
    pub averages: Option<Averages>,
}

impl Hologram {
    /// The coherent fields that it consists of: itself, or partial fields.
    pub fn parts(&self) -> &[Self] {
        self.averages.as_ref().map_or(std::slice::from_ref(self), |averages| &averages.parts)
    }
}

/// Averaged cross-spectra of a frequency.
#[derive(Debug, Clone)]
pub struct Averages {
    /// Number of independent windows.
    pub averages: f64,
    /// How many partial fields rise above noise; if none does, there is one all the same.
    pub significant: usize,
    /// The part of the power at the microphones that the partial fields have.
    pub explained: f64,
    /// The same at each microphone; with references, its multiple coherence.
    pub coherence: Vec<f64>,
    /// The partial fields, by falling power at the microphones: incoherent with each other, so that their powers add.
    pub parts: Vec<Hologram>,
}

/// The hologram of one spectral method, with the regularization of the chosen one.
#[derive(Debug, Clone)]
pub struct MethodComparison {
    /// The spectral method.
    pub method: SpectralMethod,
    /// Pressure on the first plane, Pa.
    pub pressure: Vec<Complex64>,
    /// Difference on the first plane from the reference method.
    pub plane: Difference,
    /// Difference of the phasors at the microphones from the reference method.
    pub array: Difference,
}

/// The regularization of a reconstruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Regularization {
    /// Filters in k-space.
    Filters(Filters),
    /// That of the equivalent source method.
    Tikhonov {
        /// Weight λ.
        weight: f64,
        /// λ over the mean of the diagonal of GGᴴ, as [`crate::EquivalentSources::weight`] gives it.
        relative: f64,
    },
}

/// Fields on a plane.
#[derive(Debug, Clone)]
pub struct Plane {
    /// Distance from the array toward the source, m.
    pub distance: f64,
    /// Pa.
    pub pressure: Vec<Complex64>,
    /// Normal particle velocity, positive away from the source, m/s.
    pub velocity: Vec<Complex64>,
    /// Normal active intensity, W/m².
    pub intensity: Vec<f64>,
    /// Expected errors of the pressure at the points of the grid, from the noise and the regularization: standard deviations, Pa.
    pub pressure_error: Vec<f64>,
    /// The same of the velocity, m/s.
    pub velocity_error: Vec<f64>,
    /// Sound power through the plane over the aperture, W.
    pub power: f64,
}
