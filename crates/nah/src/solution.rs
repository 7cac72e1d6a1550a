//! The solution: holograms on planes, and the summary of a run.

use crate::beamforming::BeamformingMap;
use crate::filter::Filters;
use crate::grid::Grid;
use crate::metrics::{Agreement, Difference};
use crate::spectral::SpectralMethod;
use crate::summary::Summary;
use num_complex::Complex64;

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The saved holograms, one for each frequency.
    pub holograms: Vec<Hologram>,
    /// What beamforming finds at higher frequencies.
    pub beamformed: Vec<Beamformed>,
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
    /// Power at each microphone that is in no partial field, |p|² in Pa².
    pub rest: Vec<f64>,
    /// The partial fields, by falling power at the microphones: incoherent with each other, so that their powers add.
    pub parts: Vec<Hologram>,
}

/// Sources on the source plane at one frequency, by beamforming.
#[derive(Debug, Clone)]
pub struct Beamformed {
    /// Hz.
    pub frequency: f64,
    /// The points of the map.
    pub focus: Grid,
    /// |A|² of monopoles at these points.
    pub map: BeamformingMap,
    /// The distance at which two sources are told apart, from the middle of the main lobe to its zero, m.
    pub resolution: f64,
    /// The sources by falling power: all that CLEAN-SC finds, or the strongest point of another map.
    pub sources: Vec<FoundSource>,
    /// Where else the array sees the strongest point.
    pub side_lobe: Option<SideLobe>,
    /// The part of the power at the microphones that the sources of CLEAN-SC have.
    pub explained: Option<f64>,
    /// Their sound power into the half space of the array, W.
    pub power: Option<f64>,
    /// Number of independent windows.
    pub averages: f64,
}

/// A monopole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundSource {
    /// On the source plane, m.
    pub position: [f64; 2],
    /// |A|², Pa² m².
    pub power: f64,
}

/// A place that an array cannot tell from that of a source, or hardly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideLobe {
    /// Where the source is, m.
    pub source: [f64; 2],
    /// Where else the array sees it best, m.
    pub position: [f64; 2],
    /// How well relative to the source, dB.
    pub level: f64,
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
