//! A validated problem, with everything that is known before a device is chosen.

use crate::check;
use crate::error::NahError;
use crate::input::Input;
use crate::problem::{Averaging, Method, Problem};
use crate::statistics::{Faults, faults_of_samples, find_faults};
use phasefront_core::SelfCheck;
use phasefront_device::{Backend, MemoryEstimate};

/// Bytes for each point of a padded field: spectra, propagators and planes.
const BYTES_PER_POINT: u64 = 400;
/// Bytes for each sample of a window: its double-precision spectrum and copies.
const BYTES_PER_WINDOW_SAMPLE: u64 = 64;
/// Bytes for each pair of microphones in the matrices of the equivalent source method.
const BYTES_PER_MATRIX_ENTRY: u64 = 256;

/// Bytes for each pair of channels in averaged cross-spectra, and the matrices of their size that a decomposition takes.
const BYTES_PER_CROSS_SPECTRUM: u64 = 16;
const EIGENVECTORS: u64 = 6;

/// A problem that can be solved.
#[derive(Debug, Clone)]
pub struct Study {
    /// The problem, with samples that are not finite replaced by zero.
    pub problem: Problem,
    /// Faults of the input.
    pub faults: Faults,
    /// Faults of the references.
    pub reference_faults: Faults,
    /// Frequencies of the holograms, Hz: those of DFT bins.
    pub frequencies: Vec<f64>,
    /// Frequencies of beamforming, Hz, which are too high for holograms.
    pub beamforming_frequencies: Vec<f64>,
    /// What is known before the run about how far to trust its result.
    pub self_checks: Vec<SelfCheck>,
}

/// Validates a problem.
pub fn prepare(mut problem: Problem) -> Result<Study, NahError> {
    let [frequencies, beamforming_frequencies] = check::check(&problem)?;
    problem.method = problem.chosen_method();
    let faults = find_faults(&mut problem.input);
    check::check_signal(&problem, &faults)?;
    let reference_faults = problem.references.as_mut().map(faults_of_samples).unwrap_or_default();
    let mut self_checks = self_checks(&problem, &faults, &frequencies);
    if problem.references.is_some() {
        self_checks.extend(reference_checks(&reference_faults));
    }
    Ok(Study { problem, faults, reference_faults, frequencies, beamforming_frequencies, self_checks })
}

/// Wavelengths have at least two microphones, or waves alias.
const MIN_PER_WAVELENGTH: f64 = 2.0;
/// The smallest aperture, in standoffs: of a narrower one, most of what a point of the source plane radiates passes outside of it.
const MIN_APERTURE: f64 = 2.0;

/// What is known before the run about how far to trust its result.
fn self_checks(problem: &Problem, faults: &Faults, frequencies: &[f64]) -> Vec<SelfCheck> {
    let mut checks = Vec::new();
    if !matches!(problem.input, Input::Stream(_)) {
        checks.extend(fault_checks(problem, faults));
    }
    let ([width, height], pitch) = problem.extent();
    let highest = frequencies.iter().copied().fold(0.0, f64::max);
    let per_wavelength = problem.medium.speed / (highest * pitch);
    let sentence = if per_wavelength >= MIN_PER_WAVELENGTH {
        format!("The wavelength of {highest:.1} Hz has more than two microphones: waves do not alias.")
    } else {
        format!(
            "output.frequency: {highest:.1} Hz has {per_wavelength:.2} microphones to a wavelength, and waves alias: levels and powers are wrong; use frequencies \
             below {:.0} Hz, an array with a smaller spacing, or `beamforming = {{}}` in [solve] for those above",
            problem.spatial_limit()
        )
    };
    // Beamforming alone does without.
    if !frequencies.is_empty() {
        let name = "microphones per wavelength";
        checks.push(SelfCheck::at_least(name, per_wavelength, MIN_PER_WAVELENGTH, sentence));
    }
    let aperture = width.min(height) / problem.standoff;
    let sentence = if aperture >= MIN_APERTURE {
        "The array is wide enough for its standoff."
    } else {
        "geometry.standoff: the array is narrower than twice its standoff, and most of the sound passes outside of it: maps are blurred and powers too low; \
         move the array nearer to the source"
    };
    checks.push(SelfCheck::at_least("aperture over standoff", aperture, MIN_APERTURE, sentence));
    let deepest = problem.planes.iter().copied().fold(0.0, f64::max);
    let sentence = if deepest <= problem.standoff {
        "No plane is behind the source plane.".to_owned()
    } else {
        format!(
            "the plane {deepest} m from the array is behind the source plane, where the field does not consist of outgoing waves: see `planes` in [output]"
        )
    };
    checks.push(
        SelfCheck::at_most("distance of the farthest plane", deepest, problem.standoff, sentence)
            .in_unit("m"),
    );
    checks
}

/// Faults of a recording.
fn fault_checks(problem: &Problem, faults: &Faults) -> [SelfCheck; 3] {
    let microphones = problem.format().microphones;
    let instead =
        if problem.method == Method::Esm { "are left out" } else { "are interpolated from their neighbors" };
    let lost = match (problem.sample_rate(), faults.lost.iter().min_by_key(|(_, frame)| *frame)) {
        (Some(rate), Some((microphone, frame))) => format!(
            "; {} of them had a signal and lost it, microphone {microphone} at {:.1} s first",
            faults.lost.len(),
            *frame as f64 / rate
        ),
        _ => String::new(),
    };
    let dead = format!(
        "{} of {microphones} microphones have no signal and {instead}: {}{lost}",
        faults.dead.len(),
        listed(&faults.dead)
    );
    let check = |name, count: u64, good: &str, bad: String| {
        SelfCheck::at_most(name, count as f64, 0.0, if count == 0 { good.to_owned() } else { bad })
    };
    [
        check("dead microphones", faults.dead.len() as u64, "Every microphone has a signal.", dead),
        check(
            "samples that are not finite",
            faults.not_finite,
            "All samples are finite.",
            format!("samples that are not finite, replaced by zero: {}", faults.not_finite),
        ),
        check(
            "clipped samples",
            faults.clipped,
            "No sample is clipped.",
            format!("clipped samples: {}", faults.clipped),
        ),
    ]
}

/// Faults of the references, whose sources the map would lack.
fn reference_checks(faults: &Faults) -> [SelfCheck; 2] {
    let dead = match faults.dead.len() {
        0 => "Every reference has a signal.".to_owned(),
        count => format!(
            "{count} of the references, counted from 0 in their order, have no signal, and sources that only they would hear are not in the map: {}",
            listed(&faults.dead)
        ),
    };
    let spoiled = faults.clipped + faults.not_finite;
    let sentence = match spoiled {
        0 => "No sample of a reference is clipped.".to_owned(),
        count => format!("samples of references that are clipped or not finite: {count}"),
    };
    [
        SelfCheck::at_most("dead references", faults.dead.len() as f64, 0.0, dead),
        SelfCheck::at_most("clipped samples of references", spoiled as f64, 0.0, sentence),
    ]
}

/// The first few of a list.
fn listed(dead: &[usize]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = dead.iter().take(SHOWN).map(ToString::to_string).collect();
    shown.join(", ") + if dead.len() > SHOWN { ", …" } else { "" }
}

impl Study {
    /// The memory that a run takes. The recording stays on the host; on a GPU, what is computed from it is on both sides.
    pub fn memory(&self, backend: &Backend) -> MemoryEstimate {
        let problem = &self.problem;
        let microphones = problem.format().microphones as u64;
        let recording = (problem.frames() as u64).saturating_mul(4 * microphones);
        let window = (problem.analysis.samples as u64).saturating_mul(BYTES_PER_WINDOW_SAMPLE * microphones);
        // The padded grid has nine times the points of the array.
        let points = (9 * problem.grid.len() as u64).saturating_mul(BYTES_PER_POINT);
        let points = points.saturating_mul((problem.refine * problem.refine) as u64);
        let planes = (self.frequencies.len() * problem.planes.len()) as u64;
        let matrices = if problem.method == Method::Esm {
            BYTES_PER_MATRIX_ENTRY * microphones * microphones
        } else {
            0
        };
        let working = window.saturating_add(points.saturating_mul(planes)).saturating_add(matrices);
        let cross_spectra = self.cross_spectrum_bytes().saturating_add(self.beamforming_bytes());
        let device = if let Backend::Gpu(_) = backend { working } else { 0 };
        MemoryEstimate { device, host: recording.saturating_add(working).saturating_add(cross_spectra) }
    }

    /// Averaged cross-spectra of all frequencies, and the references.
    fn cross_spectrum_bytes(&self) -> u64 {
        let problem = &self.problem;
        if problem.averaging == Averaging::None {
            return 0;
        }
        let references = problem.references.as_ref();
        let channels = problem.format().microphones + references.map_or(0, |samples| samples.microphones);
        let matrix = BYTES_PER_CROSS_SPECTRUM.saturating_mul((channels * channels) as u64);
        let samples = references.map_or(0, |samples| 4 * samples.values.len() as u64);
        // One of them at a time is decomposed.
        matrix.saturating_mul(self.all_frequencies().len() as u64 + EIGENVECTORS).saturating_add(samples)
    }

    /// The frequencies of the holograms, then those of beamforming, Hz.
    pub(crate) fn all_frequencies(&self) -> Vec<f64> {
        [&self.frequencies[..], &self.beamforming_frequencies].concat()
    }

    /// Whether the input is a stream.
    pub fn is_stream(&self) -> bool {
        matches!(self.problem.input, Input::Stream(_))
    }
}
