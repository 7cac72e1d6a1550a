//! The problem: array, measured data, and what is to be reconstructed, in SI units.

use crate::beamforming::Beamforming;
use crate::esm::Esm;
use crate::extrapolation::Extrapolation;
use crate::filter::Filters;
use crate::grid::Grid;
use crate::input::{Input, Samples, Spectrum};
use crate::likelihood::SpectrumFit;
use crate::medium::Medium;
use crate::spectral::{Analysis, Format, FrontEnd, SpectralMethod};
use num_complex::Complex64;
use phasefront_core::Precision;

/// How the filters are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterChoice {
    /// These.
    Given(Filters),
    /// By the measured field, at each frequency.
    Auto,
}

/// The reconstruction method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Equivalent sources, or the FFT for large arrays on a grid and where filters are given: see [`Problem::chosen_method`].
    Auto,
    /// FFT-based planar NAH in k-space, for microphones on a grid.
    Fft,
    /// The equivalent source method, for microphones at any positions.
    Esm,
}

/// Settings of the equivalent source method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EquivalentSources {
    /// How far the monopoles are behind the source plane, m; none for 1.5 pitches.
    pub depth: Option<f64>,
    /// Tikhonov weight λ over the mean of the diagonal of GGᴴ; none for one chosen by the field, [`Esm::auto_weight`].
    pub weight: Option<f64>,
}

/// The largest array on a grid that [`Method::Auto`] takes the equivalent source method for. Its matrices grow with the square of the number of microphones, and
/// the time to factorize them with the cube.
pub(crate) const MAX_ESM_MICROPHONES: usize = 256;

/// How fast a recording is played back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaybackRate {
    /// As fast as it is processed.
    FullSpeed,
    /// At the sample rate of the recording.
    RealTime,
}

/// How the spectra of a recording become holograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Averaging {
    /// A hologram for each window: of one source, or of what sounds at that moment.
    #[default]
    None,
    /// A hologram of the cross-spectra that are averaged over the recording: of sources that are independent of each other.
    CrossSpectra,
}

/// Beamforming at the frequencies that are too high for holograms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamformingSettings {
    /// How the sources are found.
    pub method: Beamforming,
    /// Frequencies above it have beamforming and no hologram, Hz; none for the limit of the array.
    pub above: Option<f64>,
    /// Width and height of the focus plane, around the middle of the grid, m; none for those of the grid.
    pub size: Option<[f64; 2]>,
    /// Spacing of its points, m, at most; none for an eighth of the wavelength.
    pub spacing: Option<f64>,
}

/// A reconstruction problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The array, and the points of the reconstruction planes.
    pub grid: Grid,
    /// Positions of the microphones if they are not on the grid, m.
    pub positions: Option<Vec<[f64; 2]>>,
    /// Standoff: distance from the array to the source plane, m.
    pub standoff: f64,
    /// The medium.
    pub medium: Medium,
    /// The measured data.
    pub input: Input,
    /// Calibration: complex factor of the phasors of each microphone.
    pub calibration: Option<Vec<Complex64>>,
    /// Frequencies of the reconstruction, Hz.
    pub frequencies: Vec<f64>,
    /// How samples become spectra.
    pub analysis: Analysis,
    /// How these become holograms.
    pub averaging: Averaging,
    /// Beamforming of the same averages, on the source plane, where frequencies are too high for holograms.
    pub beamforming: Option<BeamformingSettings>,
    /// Signals of sensors near the sources, at the sample rate and for the time of the recording: averaged holograms are of what is coherent with these.
    pub references: Option<Samples>,
    /// The reconstruction method.
    pub method: Method,
    /// Settings of the equivalent source method.
    pub sources: EquivalentSources,
    /// Extrapolation beyond the aperture edge.
    pub extrapolation: Extrapolation,
    /// Filters in k-space.
    pub filter: FilterChoice,
    /// Reconstruction planes, by their distance from the array toward the source, m.
    pub planes: Vec<f64>,
    /// Start of the spectrum whose fields are saved, s.
    pub start_time: f64,
    /// Spectral methods whose phasors and holograms are compared with those of the reference method, `fft`.
    pub compare: Vec<SpectralMethod>,
    /// Points of the saved planes for each pitch of the grid.
    pub refine: usize,
    /// Pressure measured on the first plane, at the grid points.
    pub reference: Vec<Spectrum>,
    /// Precision of the reconstruction.
    pub precision: Precision,
    /// How fast a recording is played back.
    pub playback: PlaybackRate,
    /// How many times it is played.
    pub repeats: u64,
}

impl Problem {
    /// A problem with the defaults of all settings: fields on the source plane, in air, at frequencies that are still to be given.
    pub fn new(grid: Grid, standoff: f64, input: Input) -> Self {
        Self {
            grid,
            positions: None,
            standoff,
            medium: Medium::AIR,
            input,
            calibration: None,
            frequencies: Vec::new(),
            analysis: Analysis { method: SpectralMethod::Fft { fir: false }, samples: 1024, hop: 512 },
            averaging: Averaging::None,
            beamforming: None,
            references: None,
            method: Method::Auto,
            sources: EquivalentSources::default(),
            extrapolation: Extrapolation::Lpbp,
            filter: FilterChoice::Auto,
            planes: vec![standoff],
            start_time: 0.0,
            compare: Vec::new(),
            refine: 1,
            reference: Vec::new(),
            precision: Precision::Double,
            playback: PlaybackRate::FullSpeed,
            repeats: 1,
        }
    }

    /// Positions of the microphones, m.
    pub fn microphones(&self) -> Vec<[f64; 2]> {
        self.positions.clone().unwrap_or_else(|| self.grid.positions())
    }

    /// Width and height of the array, and the pitch of a square grid with as many microphones, m.
    pub(crate) fn extent(&self) -> ([f64; 2], f64) {
        let Some(positions) = &self.positions else {
            let Grid { columns, rows, pitch } = self.grid;
            return ([(columns - 1) as f64 * pitch[0], (rows - 1) as f64 * pitch[1]], pitch[0].max(pitch[1]));
        };
        let size = [0, 1].map(|axis| {
            let along = positions.iter().map(|position| position[axis]);
            along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
        });
        (size, (size[0] * size[1] / positions.len().max(1) as f64).sqrt())
    }

    /// The frequency whose wavelength is two pitches, Hz: waves of higher ones alias.
    pub fn spatial_limit(&self) -> f64 {
        self.medium.speed / (2.0 * self.extent().1)
    }

    /// The method that [`Method::Auto`] stands for. By a study of random arrays, equivalent sources are nearer to the field of monopoles and of plates in a
    /// wall, the more so the fewer microphones there are; large arrays, and streams in real time, have the speed of the FFT.
    pub fn chosen_method(&self) -> Method {
        let Self { method, positions, filter, sources, .. } = self;
        if *method != Method::Auto {
            return *method;
        }
        let asks_for_sources = sources.depth.is_some() || sources.weight.is_some();
        let is_small = self.grid.len() <= MAX_ESM_MICROPHONES && !matches!(self.input, Input::Stream(_));
        if positions.is_some() || asks_for_sources || (*filter == FilterChoice::Auto && is_small) {
            Method::Esm
        } else {
            Method::Fft
        }
    }

    /// How far the monopoles of the equivalent source method are behind the source plane, m.
    pub fn source_depth(&self) -> f64 {
        self.sources.depth.unwrap_or_else(|| Esm::default_depth(&self.grid))
    }

    /// Equivalent sources at a wavenumber, for microphones of which some are dead.
    pub(crate) fn equivalent_sources(&self, dead: &[usize], k: f64) -> Esm {
        let distances = [self.standoff, self.source_depth()];
        Esm::new(&self.microphones(), dead, self.grid, distances, k, self.medium)
    }

    /// Signal and noise of the pressure at the microphones of the grid, for sources as deep as equivalent ones.
    pub(crate) fn spectrum_fit(&self, pressure: &[Complex64], k: f64) -> SpectrumFit {
        SpectrumFit::new(self.grid, pressure, k, self.standoff + self.source_depth())
    }

    /// Sample rate after decimation, Hz; none where the input is spectra.
    pub fn sample_rate(&self) -> Option<f64> {
        match &self.input {
            Input::Samples(samples) => Some(samples.rate),
            Input::Bits(bits) => Some(bits.sample_rate()),
            Input::Stream(stream) => Some(stream.sample_rate()),
            Input::Spectra(_) => None,
        }
    }

    /// The format of the blocks.
    pub fn format(&self) -> Format {
        let (microphones, bits) = match &self.input {
            Input::Samples(samples) => (samples.microphones, None),
            Input::Bits(bits) => (bits.microphones, Some(bits.full_scale)),
            Input::Stream(stream) => (stream.microphones, stream.bits.as_ref().map(|_| stream.full_scale)),
            Input::Spectra(spectra) => (spectra.first().map_or(0, |s| s.pressure.len()), None),
        };
        Format { microphones, bits }
    }

    /// The reference on the first plane at a frequency, Pa.
    pub fn reference_at(&self, frequency: f64) -> Option<&[Complex64]> {
        let found = self.reference.iter().find(|spectrum| is_same_frequency(spectrum.frequency, frequency));
        found.map(|spectrum| spectrum.pressure.as_slice())
    }

    /// Frames of the input; zero for a stream.
    pub fn frames(&self) -> usize {
        match &self.input {
            Input::Samples(samples) => samples.frames(),
            Input::Bits(bits) => bits.frames(),
            Input::Spectra(_) => 1,
            Input::Stream(_) => 0,
        }
    }

    /// The spectral methods that are compared, the reference method first; none without a comparison.
    pub(crate) fn compared_methods(&self) -> Vec<SpectralMethod> {
        if self.compare.is_empty() || self.sample_rate().is_none() {
            return Vec::new();
        }
        [SpectralMethod::Fft { fir: false }].into_iter().chain(self.compare.iter().copied()).collect()
    }

    /// The sample after the window of the saved spectrum: the first end of a block from the start time on at which the filters of every
    /// compared method have settled.
    pub(crate) fn spectrum_end(&self, rate: f64) -> usize {
        let Analysis { method, samples, hop } = self.analysis;
        let start = (self.start_time * rate).round().max(0.0) as usize;
        // All compared methods end at the same sample: they see the same window.
        let methods = self.compared_methods().into_iter().chain([method]);
        let settling = methods.map(|method| FrontEnd::new(self.format(), method).settling_frames());
        (start.saturating_add(samples + settling.max().unwrap_or(0))).div_ceil(hop).saturating_mul(hop)
    }
}

/// Whether two frequencies are equal to the digits of a file.
pub(crate) fn is_same_frequency(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs()
}
