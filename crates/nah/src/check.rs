//! Validation of a problem: errors with the path of the field at fault.

use crate::beamforming::Beamforming;
use crate::error::NahError;
use crate::extrapolation::Extrapolation;
use crate::filter::{Filter, Filters};
use crate::gcv;
use crate::grid::Grid;
use crate::input::Input;
use crate::medium::Medium;
use crate::problem::{
    Averaging, EquivalentSources, FilterChoice, Method, PlaybackRate, Problem, is_same_frequency,
};
use crate::spectral::{Analysis, SpectralMethod, bins};
use crate::statistics::Faults;
use phasefront_core::FieldError;

/// The fewest microphones along a side: the prediction order is a third of them.
const MIN_SIDE: usize = 3;
/// The shortest window.
const MIN_SAMPLES: usize = 8;

/// Checks a problem; the frequencies of its holograms, and those of beamforming, Hz.
pub fn check(problem: &Problem) -> Result<[Vec<f64>; 2], NahError> {
    check_array(problem)?;
    check_input(problem)?;
    check_analysis(problem)?;
    check_averaging(problem)?;
    check_beamforming(problem)?;
    let limit = beamforming_limit(problem);
    let (frequencies, above): (Vec<f64>, Vec<f64>) =
        frequencies(problem)?.into_iter().partition(|frequency| *frequency <= limit);
    check_filter(problem, &frequencies)?;
    check_reference(problem, &frequencies)?;
    Ok([frequencies, above])
}

/// Above it frequencies have beamforming and no hologram, Hz.
fn beamforming_limit(problem: &Problem) -> f64 {
    let Some(settings) = &problem.beamforming else { return f64::INFINITY };
    let has_auto_filter = problem.chosen_method() == Method::Fft && problem.filter == FilterChoice::Auto;
    // With a filter that is chosen, that of the highest cutoff.
    let part = if has_auto_filter { gcv::HIGHEST / gcv::ABOVE_K } else { 1.0 };
    settings.above.unwrap_or_else(|| part * problem.spatial_limit())
}

fn check_beamforming(problem: &Problem) -> Result<(), NahError> {
    let Some(settings) = &problem.beamforming else { return Ok(()) };
    if problem.averaging == Averaging::None {
        let message = "beamforming is of averaged cross-spectra";
        return Err(wrong("solve.beamforming", message, "write `averaging = \"cross-spectra\"` in [solve]"));
    }
    if !problem.extent().0.iter().all(|side| positive(*side)) {
        let message = "the microphones are on one line, along which alone beamforming tells places";
        return Err(wrong("geometry.positions", message, "give an array with width and height"));
    }
    let sizes = settings.size.iter().flatten().map(|size| ("solve.beamforming.size", *size));
    let spacing = settings.spacing.map(|spacing| ("solve.beamforming.spacing", spacing));
    let above = settings.above.map(|above| ("solve.beamforming.above", above));
    for (path, value) in sizes.chain(spacing).chain(above) {
        if !(positive(value) && value.is_finite()) {
            return Err(wrong(path, "it must be positive", "give a value above zero"));
        }
    }
    match settings.method {
        Beamforming::Functional { exponent } if !(exponent >= 1.0 && exponent.is_finite()) => {
            let message = format!("the exponent of functional beamforming is {exponent}");
            let advice = "give at least 1, which is delay-and-sum; 20 is usual";
            Err(wrong("solve.beamforming.exponent", message, advice))
        }
        _ => Ok(()),
    }
}

/// Refuses an input in which every microphone is dead.
pub fn check_signal(problem: &Problem, faults: &Faults) -> Result<(), NahError> {
    if faults.dead.len() == problem.format().microphones && !matches!(problem.input, Input::Stream(_)) {
        return Err(wrong(
            "source",
            "no microphone has a signal",
            "check the file, its format and its sample order",
        ));
    }
    Ok(())
}

/// Whether a number is above zero; NaN is not.
fn positive(x: f64) -> bool {
    x > 0.0
}

fn wrong(path: &str, message: impl Into<String>, advice: impl Into<String>) -> NahError {
    FieldError::new(path, message, advice).into()
}

fn check_array(problem: &Problem) -> Result<(), NahError> {
    let Grid { columns, rows, pitch } = problem.grid;
    if columns < MIN_SIDE || rows < MIN_SIDE {
        let message =
            format!("{columns} x {rows} microphones are too few: the minimum is {MIN_SIDE} along each side");
        let advice = "give the numbers of microphones along x and y, for example [32, 32]";
        return Err(wrong("geometry.grid", message, advice));
    }
    if !pitch.iter().all(|pitch| positive(*pitch)) {
        return Err(wrong(
            "geometry.spacing",
            "the pitch must be positive",
            "write for example `spacing = [\"20 mm\", \"20 mm\"]`",
        ));
    }
    if !positive(problem.standoff) {
        let message = format!("the standoff of {} m must be positive", problem.standoff);
        let advice = "give the distance from the array to the source plane, for example \"5 cm\"";
        return Err(wrong("geometry.standoff", message, advice));
    }
    let Medium { speed, density } = problem.medium;
    if !positive(speed) || !positive(density) {
        return Err(wrong(
            "geometry.medium",
            "speed of sound and density must be positive",
            "for air write `medium = { sound_speed = 343.2, density = 1.204 }`",
        ));
    }
    Ok(())
}

fn check_input(problem: &Problem) -> Result<(), NahError> {
    let expected = problem.positions.as_ref().map_or(problem.grid.len(), Vec::len);
    let found = problem.format().microphones;
    if found != expected {
        let array = if problem.positions.is_some() {
            format!("geometry.positions has {expected} microphones")
        } else {
            format!("the grid has {} x {} = {expected}", problem.grid.columns, problem.grid.rows)
        };
        let message = format!("the input has {found} channels, but {array}");
        return Err(wrong("source.file", message, "give as many microphones as the file has channels"));
    }
    if let Some(calibration) = &problem.calibration
        && calibration.len() != expected
    {
        let message = format!("there are {} rows for {expected} microphones", calibration.len());
        return Err(wrong("source.calibration", message, "give one row for each microphone"));
    }
    if problem.calibration.iter().flatten().any(|factor| !factor.is_finite()) {
        return Err(wrong("source.calibration", "one of its factors is not finite", "give finite numbers"));
    }
    if problem.positions.is_some() && problem.method == Method::Fft {
        let message = "the FFT method requires microphones on a regular grid";
        return Err(wrong(
            "solve.method",
            message,
            "write `method = \"esm\"` or \"auto\", or remove `positions`",
        ));
    }
    Ok(())
}

/// Spectra have no time to play back.
fn check_no_playback(problem: &Problem) -> Result<(), NahError> {
    let given = [
        ("source.replay", problem.playback != PlaybackRate::FullSpeed),
        ("source.repeat", problem.repeats != 1),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((path, _)) => {
            Err(wrong(path, "this requires a recording, but the source has spectra", "remove it"))
        }
        None => Ok(()),
    }
}

fn check_analysis(problem: &Problem) -> Result<(), NahError> {
    let Analysis { samples, hop, .. } = problem.analysis;
    let Some(rate) = problem.sample_rate() else { return check_no_playback(problem) };
    if !positive(rate) {
        let advice = "write for example `sample_rate = \"48 kHz\"`";
        return Err(wrong("source.sample_rate", "the sample rate must be positive", advice));
    }
    if samples < MIN_SAMPLES {
        let message = format!("a window of {samples} samples is too short: the minimum is {MIN_SAMPLES}");
        return Err(wrong("solve.fft_length", message, "write for example `fft_length = 1024`"));
    }
    if hop == 0 || hop > samples {
        let message = format!("a hop of {hop} is not between 1 and the window length of {samples} samples");
        return Err(wrong("solve.hop", message, "write for example `hop = 32`"));
    }
    check_method(problem, problem.analysis.method, "solve.spectral_method")?;
    for method in &problem.compare {
        check_method(problem, *method, "output.spectral_methods")?;
    }
    let needed = problem.spectrum_end(rate);
    if problem.frames() < needed && !matches!(problem.input, Input::Stream(_)) {
        let message = format!(
            "the recording has {} samples of each microphone, but the first spectrum needs {needed}",
            problem.frames()
        );
        return Err(wrong(
            "source",
            message,
            "give a longer recording, a shorter `fft_length` or a shorter `hop` in [solve], or an earlier `time` in [output]",
        ));
    }
    Ok(())
}

/// Averages are of a recording, and have no phase and no time.
fn check_averaging(problem: &Problem) -> Result<(), NahError> {
    if problem.averaging == Averaging::None {
        return match problem.references {
            Some(_) => {
                let message = "references require averaged cross-spectra";
                Err(wrong("source.references", message, "write `averaging = \"cross-spectra\"` in [solve]"))
            }
            None => Ok(()),
        };
    }
    if !matches!(problem.input, Input::Samples(_) | Input::Bits(_)) {
        let message = "cross-spectra are averaged over a recording, and the source is a stream or phasors";
        return Err(wrong("solve.averaging", message, "remove `averaging`, or give a recording"));
    }
    let unsuited = [
        ("output.reference", !problem.reference.is_empty(), "averaged holograms have no phase"),
        ("output.spectral_methods", !problem.compare.is_empty(), "averaged holograms are not compared"),
        ("output.time", problem.start_time > 0.0, "averages are of the whole recording"),
        ("source.replay", problem.playback != PlaybackRate::FullSpeed, "averages have no playback"),
        ("source.repeat", problem.repeats != 1, "averages are of the recording once"),
    ];
    if let Some((path, _, message)) = unsuited.iter().find(|(_, given, _)| *given) {
        return Err(wrong(path, *message, "remove it, or `averaging` in [solve]"));
    }
    let Some(references) = &problem.references else { return Ok(()) };
    if !matches!(problem.input, Input::Samples(_)) {
        let message = "references require samples, and the source has bitstreams";
        return Err(wrong("source.references", message, "remove it"));
    }
    if references.microphones == 0 || references.frames() != problem.frames() {
        let message = format!(
            "the references have {} samples of {} channels, and the microphones {}",
            references.frames(),
            references.microphones,
            problem.frames()
        );
        return Err(wrong("source.references", message, "give channels of the recording itself"));
    }
    if problem.sample_rate() != Some(references.rate) {
        let message =
            format!("the references have a sample rate of {} Hz, unlike the microphones", references.rate);
        return Err(wrong("source.references", message, "give channels of the recording itself"));
    }
    Ok(())
}

/// Checks that a spectral method, given by a key, suits the input.
fn check_method(problem: &Problem, method: SpectralMethod, key: &str) -> Result<(), NahError> {
    let Analysis { samples, hop, .. } = problem.analysis;
    let sliding = matches!(method, SpectralMethod::SlidingDft | SpectralMethod::CicPopcount);
    if sliding && !samples.is_multiple_of(hop) {
        let message = format!("the window length of {samples} samples is not a multiple of the hop of {hop}");
        let advice = "choose a hop that divides the window length, such as 32 of 1024";
        return Err(wrong("solve.hop", message, advice));
    }
    let of_bits = matches!(
        method,
        SpectralMethod::BlockAverage
            | SpectralMethod::Walsh(_)
            | SpectralMethod::WalshExact
            | SpectralMethod::CicPopcount
            | SpectralMethod::Fft { fir: true }
    );
    if of_bits && problem.format().bits.is_none() {
        let message = "this method requires bitstreams, but the source has samples";
        return Err(wrong(key, message, "choose \"fft\", \"dft\", \"auto\" or \"sliding-dft\""));
    }
    if matches!(method, SpectralMethod::Walsh(_) | SpectralMethod::WalshExact) && !samples.is_power_of_two() {
        let message = format!("Walsh functions require a power of two, but the window has {samples} samples");
        return Err(wrong("solve.fft_length", message, "write for example `fft_length = 1024`"));
    }
    Ok(())
}

/// The frequencies of the DFT bins, or of the given spectra, Hz.
fn frequencies(problem: &Problem) -> Result<Vec<f64>, NahError> {
    let path = "output.frequency";
    if problem.frequencies.is_empty() {
        return Err(wrong(path, "no frequency is given", "write for example `frequency = \"1 kHz\"`"));
    }
    if let Some(frequency) = problem.frequencies.iter().find(|f| !positive(**f)) {
        let message = format!("a frequency of {frequency} Hz is not positive");
        return Err(wrong(path, message, "give positive frequencies, for example \"1 kHz\""));
    }
    let (Some(rate), samples) = (problem.sample_rate(), problem.analysis.samples) else {
        return frequencies_of_spectra(problem);
    };
    let resolution = rate / samples as f64;
    for (frequency, bin) in problem.frequencies.iter().zip(bins(&problem.frequencies, rate, samples)) {
        if 2 * bin >= samples {
            let message = format!("{frequency} Hz is not below the Nyquist frequency of {} Hz", 0.5 * rate);
            return Err(wrong(path, message, "give a lower frequency, or samples at a higher rate"));
        }
        if bin == 0 {
            let message = format!("{frequency} Hz is below the first DFT bin, {resolution} Hz");
            return Err(wrong(path, message, "give a higher frequency, or a longer `fft_length` in [solve]"));
        }
    }
    Ok(bins(&problem.frequencies, rate, samples).iter().map(|bin| *bin as f64 * resolution).collect())
}

fn frequencies_of_spectra(problem: &Problem) -> Result<Vec<f64>, NahError> {
    let Input::Spectra(spectra) = &problem.input else { return Ok(Vec::new()) };
    for frequency in &problem.frequencies {
        if !spectra.iter().any(|s| is_same_frequency(s.frequency, *frequency)) {
            let message = format!("the file has no spectrum at {frequency} Hz");
            let advice = "give frequencies of the file, or omit the key for all of them";
            return Err(wrong("output.frequency", message, advice));
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
            format!("it has {} points, but the grid has {}", near.pressure.len(), problem.grid.len());
        return Err(wrong(path, message, "give the pressure measured at the grid points"));
    }
    if values().any(|p| !p.is_finite()) {
        return Err(wrong(path, "one of its phasors is not finite", "give finite numbers"));
    }
    Ok(())
}

fn check_filter(problem: &Problem, frequencies: &[f64]) -> Result<(), NahError> {
    if problem.chosen_method() == Method::Esm {
        return check_sources(problem);
    }
    if problem.filter == FilterChoice::Auto && problem.extrapolation == Extrapolation::Zero {
        // The step at the aperture edge has waves of all wavenumbers, which cross-validation takes for signal.
        return Err(wrong(
            "solve.filter",
            "\"auto\" cannot choose a filter with `extrapolation = \"zero\"`: the step at the aperture edge would pass it and grow",
            "write `extrapolation = \"lpbp\"`, or give a filter, for example `filter = \"cos-modified\"` with a `cutoff`",
        ));
    }
    for frequency in frequencies {
        let k = problem.medium.wavenumber(*frequency);
        match problem.filter {
            FilterChoice::Given(Filters { pressure, velocity }) => {
                check_cutoff(pressure, *frequency, k, "solve.cutoff")?;
                check_cutoff(velocity, *frequency, k, "solve.velocity_cutoff")?;
            }
            FilterChoice::Auto => {
                let cutoff = gcv::HIGHEST * problem.grid.nyquist_wavenumber() / gcv::ABOVE_K;
                if !positive(cutoff - k) {
                    let highest = frequency * cutoff / k;
                    let advice = format!("with this pitch use frequencies below {highest:.0} Hz");
                    return Err(wrong("output.frequency", too_high(*frequency, k, cutoff), advice));
                }
            }
        }
    }
    Ok(())
}

fn check_sources(problem: &Problem) -> Result<(), NahError> {
    let EquivalentSources { depth, weight } = problem.sources;
    if depth.is_some_and(|depth| !positive(depth)) {
        let advice = "write for example `source_depth = \"3 cm\"`, or remove it for 1.5 pitches";
        return Err(wrong("solve.source_depth", "the depth must be positive", advice));
    }
    if weight.is_some_and(|weight| !positive(weight)) {
        let advice = "write for example `regularization = 0.001`, or remove it";
        return Err(wrong("solve.regularization", "the weight must be positive", advice));
    }
    Ok(())
}

fn check_cutoff(filter: Filter, frequency: f64, k: f64, key: &str) -> Result<(), NahError> {
    match filter {
        Filter::Cos { slope, .. } | Filter::CosModified { slope, .. } if !positive(slope) => {
            let advice = "write for example `rolloff = 0.1`";
            Err(wrong(&key.replace("cutoff", "rolloff"), "the roll-off must be positive", advice))
        }
        Filter::Cos { cutoff, .. } | Filter::CosModified { cutoff, .. } if !positive(cutoff - k) => {
            let advice = "raise the cutoff, or use lower frequencies";
            Err(wrong(key, too_high(frequency, k, cutoff), advice))
        }
        Filter::Tikhonov { weight } if !positive(weight) => {
            let advice = "write for example `regularization = 0.01`";
            Err(wrong("solve.regularization", "the weight must be positive", advice))
        }
        _ => Ok(()),
    }
}

fn too_high(frequency: f64, k: f64, cutoff: f64) -> String {
    format!(
        "{frequency} Hz is too high: its wavenumber of {k:.1} rad/m is not below the cutoff of {cutoff:.1} rad/m"
    )
}
