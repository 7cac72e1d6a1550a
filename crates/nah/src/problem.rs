//! What the solver takes.

use crate::error::NahError;
use crate::extrapolate::Extrapolation;
use crate::filter::{Filter, Filters};
use crate::gcv;
use crate::grid::Grid;
use crate::hologram::Medium;
use crate::input::{Input, Spectrum};
use crate::live::Pace;
use crate::mend::{Faults, inspect};
use crate::spectra::{Analysis, Format, Way, bins, lag};
use num_complex::Complex64;
use phasefront_core::{FieldError, Precision};

/// The fewest microphones along a side: a prediction takes a third of them.
const FEWEST: usize = 3;

/// Which filter is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterChoice {
    /// These.
    Given(Filters),
    /// The one that cross-validation over the array finds, at each frequency.
    Auto,
}

/// From the array to the source plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Waves in k-space, for microphones on a grid.
    Fft,
    /// Equivalent sources behind the source plane, for microphones anywhere.
    Esm,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Where the microphones are, and where fields are wanted on other planes.
    pub grid: Grid,
    /// Where the microphones are if they are not on the grid, m.
    pub places: Option<Vec<[f64; 2]>>,
    /// From the array to the source plane, m.
    pub distance: f64,
    /// What sound travels in.
    pub medium: Medium,
    /// What the array hears.
    pub input: Input,
    /// What the phasors of each microphone are multiplied by.
    pub calibration: Option<Vec<Complex64>>,
    /// Frequencies that are looked at, Hz.
    pub frequencies: Vec<f64>,
    /// How samples become spectra.
    pub analysis: Analysis,
    /// From the array to the source plane.
    pub method: Method,
    /// What is beyond the rim of the array.
    pub extrapolation: Extrapolation,
    /// What is kept in k-space.
    pub filter: FilterChoice,
    /// Planes that fields are wanted on, by their distance from the array towards the source, m.
    pub planes: Vec<f64>,
    /// When the spectrum begins whose fields are given whole, s.
    pub at: f64,
    /// Ways whose phasors and holograms are compared with those of the nominal one.
    pub compare: Vec<Way>,
    /// Points of the planes that are given whole for each pitch of the grid.
    pub refine: usize,
    /// What was measured on the first plane, at places as the grid has them.
    pub reference: Vec<Spectrum>,
    /// Of holograms.
    pub precision: Precision,
    /// How fast a recording is played.
    pub pace: Pace,
    /// How many times.
    pub times: u64,
}

/// A problem that can be solved.
#[derive(Debug, Clone)]
pub struct Study {
    /// What is asked, with what is not finite made silent.
    pub problem: Problem,
    /// What is wrong with the input.
    pub faults: Faults,
    /// The frequencies that holograms have, Hz: those of bins.
    pub frequencies: Vec<f64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Problem {
    /// Places of the microphones, m.
    pub fn microphones(&self) -> Vec<[f64; 2]> {
        let on_grid = || (0..self.grid.len()).map(|i| self.grid.place(i)).collect();
        self.places.clone().unwrap_or_else(on_grid)
    }

    /// Samples a second, after decimation; none where the input is spectra.
    pub fn sample_rate(&self) -> Option<f64> {
        match &self.input {
            Input::Samples(samples) => Some(samples.rate),
            Input::Bits(bits) => Some(bits.sample_rate()),
            Input::Stream(stream) => Some(stream.sample_rate()),
            Input::Spectra(_) => None,
        }
    }

    /// What an analyzer must know.
    pub fn format(&self) -> Format {
        let (microphones, bits) = match &self.input {
            Input::Samples(samples) => (samples.microphones, None),
            Input::Bits(bits) => (bits.microphones, Some(bits.full_scale)),
            Input::Stream(stream) => (stream.microphones, stream.bits.as_ref().map(|_| stream.full_scale)),
            Input::Spectra(spectra) => (spectra.first().map_or(0, |s| s.pressure.len()), None),
        };
        Format { microphones, bits }
    }

    /// What was measured on the first plane at a frequency, Pa.
    pub fn reference_at(&self, frequency: f64) -> Option<&[Complex64]> {
        let found = self.reference.iter().find(|spectrum| is_same(spectrum.frequency, frequency));
        found.map(|spectrum| spectrum.pressure.as_slice())
    }

    /// Moments of the input; none of what is yet to come.
    pub fn frames(&self) -> usize {
        match &self.input {
            Input::Samples(samples) => samples.frames(),
            Input::Bits(bits) => bits.frames(),
            Input::Spectra(_) => 1,
            Input::Stream(_) => 0,
        }
    }
}

/// Checks a problem.
pub fn prepare(mut problem: Problem) -> Result<Study, NahError> {
    check_array(&problem)?;
    check_input(&problem)?;
    check_analysis(&problem)?;
    let frequencies = frequencies(&problem)?;
    check_filter(&problem, &frequencies)?;
    check_reference(&problem, &frequencies)?;
    let faults = inspect(&mut problem.input);
    let mut warnings = Vec::new();
    let count = problem.format().microphones;
    if faults.dead.len() == count && !matches!(problem.input, Input::Stream(_)) {
        return Err(wrong(
            "source",
            "no microphone hears anything",
            "check the file, its format and its order of samples",
        ));
    }
    if !faults.dead.is_empty() {
        warnings.push(format!(
            "{} of {count} microphones hear nothing and are filled in from their neighbors: {}",
            faults.dead.len(),
            listed(&faults.dead)
        ));
    }
    if faults.not_finite > 0 {
        warnings.push(format!("samples that are not finite, and count as silence: {}", faults.not_finite));
    }
    if faults.clipped > 0 {
        warnings.push(format!("samples that are clipped: {}", faults.clipped));
    }
    if let Some(plane) = problem.planes.iter().find(|plane| **plane > problem.distance) {
        warnings.push(format!(
            "the plane {plane} m from the array is behind the source plane, where the field is not that of waves that go away from it"
        ));
    }
    Ok(Study { problem, faults, frequencies, warnings })
}

/// The first few of a list.
fn listed(dead: &[usize]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = dead.iter().take(SHOWN).map(ToString::to_string).collect();
    shown.join(", ") + if dead.len() > SHOWN { ", …" } else { "" }
}

/// Whether a number is above zero; what is not a number is not.
fn positive(x: f64) -> bool {
    x > 0.0
}

fn wrong(path: &str, message: impl Into<String>, advice: impl Into<String>) -> NahError {
    FieldError::new(path, message, advice).into()
}

fn check_array(problem: &Problem) -> Result<(), NahError> {
    let Grid { columns, rows, pitch } = problem.grid;
    if columns < FEWEST || rows < FEWEST {
        let message = format!("{columns} x {rows} microphones are too few: each side takes {FEWEST}");
        return Err(wrong(
            "geometry.grid",
            message,
            "give the numbers of microphones along x and y, for example [32, 32]",
        ));
    }
    if !pitch.iter().all(|pitch| positive(*pitch)) {
        return Err(wrong(
            "geometry.pitch",
            "the pitch must be above zero",
            "write for example `pitch = [\"20 mm\", \"20 mm\"]`",
        ));
    }
    if !positive(problem.distance) {
        let message = format!("a source plane {} m from the array is not in front of it", problem.distance);
        return Err(wrong(
            "geometry.zh",
            message,
            "give the distance from the array to the source, for example \"5 cm\"",
        ));
    }
    let Medium { speed, density } = problem.medium;
    if !positive(speed) || !positive(density) {
        return Err(wrong(
            "geometry.medium",
            "speed and density must be above zero",
            "air has `medium = { speed = 343.2, density = 1.204 }`",
        ));
    }
    Ok(())
}

fn check_input(problem: &Problem) -> Result<(), NahError> {
    let wanted = problem.places.as_ref().map_or(problem.grid.len(), Vec::len);
    let found = problem.format().microphones;
    if found != wanted {
        let place = if problem.places.is_some() {
            format!("geometry.positions has {wanted} places")
        } else {
            format!("the grid has {} x {} = {wanted}", problem.grid.columns, problem.grid.rows)
        };
        let message = format!("channels that there are: {found}; {place}");
        return Err(wrong("source.file", message, "give as many microphones as the file has channels"));
    }
    if let Some(calibration) = &problem.calibration
        && calibration.len() != wanted
    {
        let message = format!("there are {} rows for {wanted} microphones", calibration.len());
        return Err(wrong("source.calibration", message, "give a row for each microphone"));
    }
    if problem.places.is_some() && problem.method == Method::Fft {
        let message = "microphones that are not on a grid have no waves in k-space";
        return Err(wrong("solve.method", message, "write `method = \"esm\"`, or remove `positions`"));
    }
    Ok(())
}

/// Phasors have no time.
fn check_not_played(problem: &Problem) -> Result<(), NahError> {
    let played = [("source.replay", problem.pace != Pace::Full), ("source.repeat", problem.times != 1)];
    match played.iter().find(|(_, given)| *given) {
        Some((path, _)) => {
            Err(wrong(path, "this goes with a recording, and the source has phasors", "remove it"))
        }
        None => Ok(()),
    }
}

fn check_analysis(problem: &Problem) -> Result<(), NahError> {
    let Analysis { samples, hop, .. } = problem.analysis;
    let Some(rate) = problem.sample_rate() else { return check_not_played(problem) };
    if !positive(rate) {
        return Err(wrong(
            "source.rate",
            "samples a second must be above zero",
            "write for example `rate = \"48 kHz\"`",
        ));
    }
    if samples < 8 {
        return Err(wrong(
            "solve.samples",
            format!("{samples} samples have no spectrum"),
            "write for example `samples = 1024`",
        ));
    }
    if hop == 0 || hop > samples {
        let message = format!("a hop of {hop} is not from 1 to the {samples} samples of a spectrum");
        return Err(wrong("solve.hop", message, "write for example `hop = 32`"));
    }
    check_way(problem, problem.analysis.way, "solve.spectra")?;
    for way in &problem.compare {
        check_way(problem, *way, "output.methods")?;
    }
    let needed = spectrum_end(problem, rate);
    if problem.frames() < needed && !matches!(problem.input, Input::Stream(_)) {
        let message = format!(
            "there are {} samples of each microphone, and the first spectrum takes {needed}",
            problem.frames()
        );
        return Err(wrong(
            "source",
            message,
            "give a longer recording, fewer `samples` or a shorter `hop` in [solve], or an earlier `at` in [output]",
        ));
    }
    Ok(())
}

/// Whether a way from samples to phasors, that a key asks for, fits the input.
fn check_way(problem: &Problem, way: Way, key: &str) -> Result<(), NahError> {
    let Analysis { samples, hop, .. } = problem.analysis;
    let rings = matches!(way, Way::Hop | Way::CicPopcount);
    if rings && !samples.is_multiple_of(hop) {
        let message = format!("{samples} samples are not a whole number of hops of {hop}");
        return Err(wrong(
            "solve.hop",
            message,
            "take a hop that divides the samples of a spectrum, such as 32 of 1024",
        ));
    }
    let of_bits = matches!(
        way,
        Way::Average | Way::Walsh(_) | Way::WalshExact | Way::CicPopcount | Way::Nominal { fir: true }
    );
    if of_bits && problem.format().bits.is_none() {
        let message = "this goes with streams of bits, and the source has samples";
        return Err(wrong(key, message, "take \"nominal\", \"dot\", \"auto\" or \"hop\""));
    }
    if matches!(way, Way::Walsh(_) | Way::WalshExact) && !samples.is_power_of_two() {
        let message = format!("Walsh functions take a power of two, and {samples} is none");
        return Err(wrong("solve.samples", message, "write for example `samples = 1024`"));
    }
    Ok(())
}

/// The ways that are compared, the nominal one first; none where there is nothing to compare.
pub fn compared_ways(problem: &Problem) -> Vec<Way> {
    if problem.compare.is_empty() || problem.sample_rate().is_none() {
        return Vec::new();
    }
    [Way::Nominal { fir: false }].into_iter().chain(problem.compare.iter().copied()).collect()
}

/// The sample at which the spectrum ends whose fields are given whole: the first end of a block from `at` on, at which every way that
/// is compared has heard enough.
pub fn spectrum_end(problem: &Problem, rate: f64) -> usize {
    let Analysis { way, samples, hop } = problem.analysis;
    let start = (problem.at * rate).round().max(0.0) as usize;
    let ways = compared_ways(problem).into_iter().chain([way]);
    let lag = ways.map(|way| lag(problem.format(), way)).max().unwrap_or(0);
    (start.saturating_add(samples + lag)).div_ceil(hop).saturating_mul(hop)
}

/// The frequencies of bins, Hz, or those of the spectra.
fn frequencies(problem: &Problem) -> Result<Vec<f64>, NahError> {
    if problem.frequencies.is_empty() {
        return Err(wrong(
            "output.frequency",
            "there is no frequency to look at",
            "write for example `frequency = \"1 kHz\"`",
        ));
    }
    if let Some(frequency) = problem.frequencies.iter().find(|f| !positive(**f)) {
        let message = format!("{frequency} Hz is no sound");
        return Err(wrong("output.frequency", message, "give frequencies above zero, for example \"1 kHz\""));
    }
    let (Some(rate), samples) = (problem.sample_rate(), problem.analysis.samples) else {
        return of_spectra(problem);
    };
    let width = rate / samples as f64;
    for (frequency, bin) in problem.frequencies.iter().zip(bins(&problem.frequencies, rate, samples)) {
        if 2 * bin >= samples {
            let message = format!("{frequency} Hz is not below half of the {rate} samples a second");
            return Err(wrong(
                "output.frequency",
                message,
                "give a lower frequency, or samples of a higher rate",
            ));
        }
        if bin == 0 {
            let message = format!("{frequency} Hz is below the first line of the spectrum, {width} Hz");
            return Err(wrong(
                "output.frequency",
                message,
                "give a higher frequency, or more `samples` in [solve]",
            ));
        }
    }
    Ok(bins(&problem.frequencies, rate, samples).iter().map(|bin| *bin as f64 * width).collect())
}

fn of_spectra(problem: &Problem) -> Result<Vec<f64>, NahError> {
    let Input::Spectra(spectra) = &problem.input else { return Ok(Vec::new()) };
    for frequency in &problem.frequencies {
        if !spectra.iter().any(|s| is_same(s.frequency, *frequency)) {
            let message = format!("the file has no spectrum at {frequency} Hz");
            return Err(wrong(
                "output.frequency",
                message,
                "give frequencies of the file, or leave it out for all of them",
            ));
        }
    }
    Ok(problem.frequencies.clone())
}

fn check_reference(problem: &Problem, frequencies: &[f64]) -> Result<(), NahError> {
    let path = "output.reference";
    if problem.reference.is_empty() {
        return Ok(());
    }
    if frequencies.iter().all(|frequency| problem.reference_at(*frequency).is_none()) {
        let message = "it has none of the frequencies of the holograms";
        return Err(wrong(path, message, "give phasors at one of them at least, or remove it"));
    }
    let values = || problem.reference.iter().flat_map(|near| &near.pressure);
    if let Some(near) = problem.reference.iter().find(|near| near.pressure.len() != problem.grid.len()) {
        let message =
            format!("there are {} places, and the grid has {}", near.pressure.len(), problem.grid.len());
        return Err(wrong(path, message, "give what was measured at the places of the grid"));
    }
    if values().any(|p| !p.is_finite()) {
        return Err(wrong(path, "a phasor in it is not finite", "give numbers throughout"));
    }
    Ok(())
}

/// Whether two frequencies are one: files have them in few digits.
pub fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs()
}

fn check_filter(problem: &Problem, frequencies: &[f64]) -> Result<(), NahError> {
    if problem.method == Method::Esm {
        return Ok(());
    }
    for frequency in frequencies {
        let k = problem.medium.wave_number(*frequency);
        match problem.filter {
            FilterChoice::Given(Filters { pressure, velocity }) => {
                check_cutoff(pressure, *frequency, k, "solve.cutoff")?;
                check_cutoff(velocity, *frequency, k, "solve.velocity_cutoff")?;
            }
            FilterChoice::Auto => {
                let cutoff = gcv::HIGHEST * problem.grid.nyquist() / gcv::ABOVE_K;
                if !positive(cutoff - k) {
                    let highest = frequency * cutoff / k;
                    let advice = format!("with this pitch take frequencies below {highest:.0} Hz");
                    return Err(wrong("output.frequency", too_high(*frequency, k, cutoff), advice));
                }
            }
        }
    }
    Ok(())
}

fn check_cutoff(filter: Filter, frequency: f64, k: f64, key: &str) -> Result<(), NahError> {
    match filter {
        Filter::Cos { slope, .. } | Filter::CosModified { slope, .. } if !positive(slope) => {
            let advice = "write for example `slope = 0.1`";
            Err(wrong(&key.replace("cutoff", "slope"), "the slope must be above zero", advice))
        }
        Filter::Cos { cutoff, .. } | Filter::CosModified { cutoff, .. } if !positive(cutoff - k) => {
            let advice = "raise the cut-off, or take lower frequencies";
            Err(wrong(key, too_high(frequency, k, cutoff), advice))
        }
        Filter::Tikhonov { weight } if !positive(weight) => {
            let advice = "write for example `weight = 0.01`";
            Err(wrong("solve.weight", "the weight must be above zero", advice))
        }
        _ => Ok(()),
    }
}

fn too_high(frequency: f64, k: f64, cutoff: f64) -> String {
    format!(
        "{frequency} Hz is too high: its wave number of {k:.1} rad/m is not below the cut-off of {cutoff:.1} rad/m"
    )
}
