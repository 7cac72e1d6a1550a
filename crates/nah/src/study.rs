//! A validated problem, with everything that is known before a device is chosen.

use crate::check;
use crate::error::NahError;
use crate::input::Input;
use crate::problem::{Method, Problem};
use crate::statistics::{Faults, find_faults};
use phasefront_device::{Backend, MemoryEstimate};

/// Bytes for each point of a padded field: spectra, propagators and planes.
const BYTES_PER_POINT: u64 = 400;
/// Bytes for each sample of a window: its double-precision spectrum and copies.
const BYTES_PER_WINDOW_SAMPLE: u64 = 64;
/// Bytes for each pair of microphones in the matrices of the equivalent source method.
const BYTES_PER_MATRIX_ENTRY: u64 = 256;

/// A problem that can be solved.
#[derive(Debug, Clone)]
pub struct Study {
    /// The problem, with samples that are not finite replaced by zero.
    pub problem: Problem,
    /// Faults of the input.
    pub faults: Faults,
    /// Frequencies of the holograms, Hz: those of DFT bins.
    pub frequencies: Vec<f64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Validates a problem.
pub fn prepare(mut problem: Problem) -> Result<Study, NahError> {
    let frequencies = check::check(&problem)?;
    let faults = find_faults(&mut problem.input);
    check::check_signal(&problem, &faults)?;
    let warnings = warnings(&problem, &faults);
    Ok(Study { problem, faults, frequencies, warnings })
}

fn warnings(problem: &Problem, faults: &Faults) -> Vec<String> {
    let mut warnings = Vec::new();
    if !faults.dead.is_empty() {
        warnings.push(format!(
            "{} of {} microphones have no signal and are interpolated from their neighbors: {}",
            faults.dead.len(),
            problem.format().microphones,
            listed(&faults.dead)
        ));
    }
    if faults.not_finite > 0 {
        warnings.push(format!("samples that are not finite, replaced by zero: {}", faults.not_finite));
    }
    if faults.clipped > 0 {
        warnings.push(format!("clipped samples: {}", faults.clipped));
    }
    if let Some(plane) = problem.planes.iter().find(|plane| **plane > problem.standoff) {
        warnings.push(format!(
            "the plane {plane} m from the array is behind the source plane, where the field does not consist of outgoing waves"
        ));
    }
    warnings
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
        let matrices = match problem.method {
            Method::Esm => BYTES_PER_MATRIX_ENTRY * microphones * microphones,
            Method::Fft => 0,
        };
        let working = window.saturating_add(points.saturating_mul(planes)).saturating_add(matrices);
        let device = if let Backend::Gpu(_) = backend { working } else { 0 };
        MemoryEstimate { device, host: recording.saturating_add(working) }
    }

    /// Whether the input is a stream.
    pub fn is_stream(&self) -> bool {
        matches!(self.problem.input, Input::Stream(_))
    }
}
