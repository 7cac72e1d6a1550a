//! Translates a nah case to the solver's problem.

use super::recordings::positions;
use super::{files, references, simulated, spectra_files};
use crate::input::{InputFolder, columns, read_bytes, read_text};
use num_complex::Complex64;
use phasefront_case::model::Two;
use phasefront_case::model::nah::{
    Averaging as CaseAveraging, Beamforming as CaseSettings, BeamformingMethod as CaseBeamforming,
    Extrapolation as CaseExtrapolation, Filter as CaseFilter, Functions as CaseFunctions,
    Method as CaseMethod, NahCase, Replay, Solve, SpectralMethod as CaseSpectralMethod,
};
use phasefront_core::{FieldError, Quantity, Sweep};
use phasefront_nah::{
    Analysis, Averaging, Beamforming, BeamformingSettings, Diagonal, EquivalentSources, Extrapolation,
    Filter, FilterChoice, Filters, Grid, Input, Medium, Method, PlaybackRate, Problem, SpectralMethod,
    Spectrum, WalshFunctions, WalshSelection, WalshTerms,
};
use std::path::Path;

/// Translates a case; files that it names are looked for in `folder`.
pub(super) fn translate(case: &NahCase, folder: &InputFolder) -> Result<Problem, FieldError> {
    let geometry = &case.geometry;
    let grid = Grid {
        columns: geometry.grid.x.get() as usize,
        rows: geometry.grid.y.get() as usize,
        pitch: geometry.spacing.si(),
    };
    let medium = Medium { speed: geometry.medium.sound_speed, density: geometry.medium.density };
    let positions = geometry.positions.as_ref().map(|file| read_positions(folder, file)).transpose()?;
    let analysis = analysis(&case.solve);
    let microphones = positions.clone().unwrap_or_else(|| grid.positions());
    let channels = microphones.len() + case.source.references.len();
    let input = match (&case.source.file, case.source.address()?) {
        (Some(file), _) => files::input(&case.source, folder, file, channels)?,
        (None, Some(address)) => Input::Stream(files::stream(&case.source, address, microphones.len())?),
        (None, None) if case.source.is_recorded() => files::inputs(&case.source, folder, channels)?,
        (None, None) => {
            simulated::input(&case.source, &microphones, geometry.standoff.si(), &medium, analysis.samples)?
        }
    };
    let (input, references) = references::split(input, &case.source.references)?;
    let given = case.output.frequency.as_ref().map(Sweep::values);
    let frequencies = match (given, &input) {
        (Some(frequencies), _) => frequencies,
        (None, Input::Spectra(spectra)) => spectra.iter().map(|s| s.frequency).collect(),
        (None, _) => {
            let message = "no frequency is given for a recording";
            return Err(FieldError::new("output", message, "write for example `frequency = \"1 kHz\"`"));
        }
    };
    let reference = case.output.reference.as_ref();
    let reference =
        reference.map(|file| reference_plane(folder, file, grid.len())).transpose()?.unwrap_or_default();
    let calibration = case.source.calibration.as_ref().map(|file| calibration(folder, file)).transpose()?;
    Ok(Problem {
        grid,
        positions,
        standoff: geometry.standoff.si(),
        medium,
        input,
        calibration,
        frequencies,
        analysis,
        averaging: match case.solve.averaging {
            CaseAveraging::None => Averaging::None,
            CaseAveraging::CrossSpectra => Averaging::CrossSpectra,
        },
        beamforming: case.solve.beamforming.as_ref().map(beamforming),
        references,
        method: match case.solve.method {
            CaseMethod::Auto => Method::Auto,
            CaseMethod::Fft => Method::Fft,
            CaseMethod::Esm => Method::Esm,
        },
        sources: EquivalentSources {
            depth: case.solve.source_depth.map(Quantity::si),
            // With a filter in k-space it is the filter's.
            weight: case.solve.regularization.filter(|_| case.solve.method == CaseMethod::Esm),
        },
        extrapolation: match case.solve.extrapolation {
            CaseExtrapolation::Lpbp => Extrapolation::Lpbp,
            CaseExtrapolation::Plpbp => Extrapolation::Plpbp,
            CaseExtrapolation::Zero => Extrapolation::Zero,
        },
        filter: filter(&case.solve),
        planes: case.output.planes.iter().map(|plane| plane.si()).collect(),
        start_time: case.output.time.si(),
        compare: compared_methods(case, analysis.method),
        refine: case.output.oversampling.get() as usize,
        reference,
        precision: case.solve.precision,
        playback: match case.source.replay {
            None | Some(Replay::FullSpeed) => PlaybackRate::FullSpeed,
            Some(Replay::RealTime) => PlaybackRate::RealTime,
        },
        repeats: case.source.repeat.map_or(1, |repeats| u64::from(repeats.get())),
    })
}

fn analysis(solve: &Solve) -> Analysis {
    let samples = solve.fft_length.get() as usize;
    let hop = solve.hop.map_or(samples, |hop| hop.get() as usize);
    Analysis { method: spectral_method(solve, solve.spectral_method), samples, hop }
}

fn beamforming(case: &CaseSettings) -> BeamformingSettings {
    let diagonal = if case.keep_diagonal { Diagonal::Kept } else { Diagonal::Removed };
    BeamformingSettings {
        method: match case.method {
            CaseBeamforming::CleanSc => Beamforming::CleanSc(diagonal),
            CaseBeamforming::DelayAndSum => Beamforming::DelayAndSum(diagonal),
            CaseBeamforming::Functional => {
                Beamforming::Functional { exponent: case.exponent.unwrap_or(f64::NAN) }
            }
        },
        above: case.above.map(Quantity::si),
        size: case.size.map(Two::si),
        spacing: case.spacing.map(Quantity::si),
    }
}

fn spectral_method(solve: &Solve, spectra: CaseSpectralMethod) -> SpectralMethod {
    let samples = solve.fft_length.get() as usize;
    let which = match (solve.walsh_terms, solve.walsh_threshold) {
        (_, Some(threshold)) => WalshSelection::Above(threshold),
        (terms, None) => WalshSelection::Strongest(terms.map_or(samples, |terms| terms.get() as usize)),
    };
    let functions = match solve.walsh_functions {
        CaseFunctions::Precomputed => WalshFunctions::Precomputed,
        CaseFunctions::Rademacher => WalshFunctions::Rademacher,
    };
    match spectra {
        CaseSpectralMethod::Fft => SpectralMethod::Fft { fir: solve.compensation_fir },
        CaseSpectralMethod::Dft => SpectralMethod::Dft,
        CaseSpectralMethod::Auto => SpectralMethod::Auto,
        CaseSpectralMethod::BlockAverage => SpectralMethod::BlockAverage,
        CaseSpectralMethod::Walsh => SpectralMethod::Walsh(WalshTerms { which, functions }),
        CaseSpectralMethod::WalshExact => SpectralMethod::WalshExact,
        CaseSpectralMethod::CicPopcount => SpectralMethod::CicPopcount,
        CaseSpectralMethod::SlidingDft => SpectralMethod::SlidingDft,
    }
}

/// The spectral methods to compare with the reference method: the chosen one, and those of `output.spectral_methods`.
fn compared_methods(case: &NahCase, chosen: SpectralMethod) -> Vec<SpectralMethod> {
    if !case.output.compare {
        return Vec::new();
    }
    // Averages are compared with nothing; methods that are asked for are refused by name.
    let is_averaged = case.solve.averaging != CaseAveraging::None;
    let mut methods = if is_averaged { Vec::new() } else { vec![chosen] };
    for method in case.output.spectral_methods.iter().map(|spectra| spectral_method(&case.solve, *spectra)) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods.retain(|method| *method != SpectralMethod::Fft { fir: false });
    methods
}

/// The pressure measured on the first plane.
fn reference_plane(folder: &InputFolder, file: &str, points: usize) -> Result<Vec<Spectrum>, FieldError> {
    let path = "output.reference";
    let ending = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let read = match ending.as_str() {
        "csv" => spectra_files::csv(folder, file, points),
        "npz" => read_bytes(folder, file, path).and_then(|bytes| spectra_files::npz(&bytes, file, points)),
        _ => {
            let message = format!("the name of {file} ends in neither .csv nor .npz");
            return Err(FieldError::new(path, message, "give phasors in a format of `source.file`"));
        }
    };
    read.map_err(|error| FieldError { path: path.into(), ..error })
}

/// The filters; the case has the defaults.
fn filter(solve: &Solve) -> FilterChoice {
    let (cutoff, slope) = (solve.cutoff.unwrap_or(f64::NAN), solve.rolloff.unwrap_or(f64::NAN));
    let of_velocity = (solve.velocity_cutoff.unwrap_or(cutoff), solve.velocity_rolloff.unwrap_or(slope));
    let given = |pressure, velocity| FilterChoice::Given(Filters { pressure, velocity });
    let both = |filter| given(filter, filter);
    match solve.filter {
        CaseFilter::Auto => FilterChoice::Auto,
        CaseFilter::Cos => {
            given(Filter::Cos { cutoff, slope }, Filter::Cos { cutoff: of_velocity.0, slope: of_velocity.1 })
        }
        CaseFilter::CosModified => given(
            Filter::CosModified { cutoff, slope },
            Filter::CosModified { cutoff: of_velocity.0, slope: of_velocity.1 },
        ),
        CaseFilter::Tikhonov => both(Filter::Tikhonov { weight: solve.regularization.unwrap_or(f64::NAN) }),
        CaseFilter::None => both(Filter::None),
    }
}

/// Positions of microphones: columns x_m and y_m, or the XML of Acoular.
fn read_positions(folder: &InputFolder, file: &str) -> Result<Vec<[f64; 2]>, FieldError> {
    let path = "geometry.positions";
    let text = read_text(folder, file, path)?;
    let is_xml = Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
    let found = if is_xml { positions::xml(&text) } else { columns(&text, ["x_m", "y_m"]) };
    found.map_err(|message| {
        let advice = "give a CSV file with the columns x_m and y_m, one row for each microphone, or an XML file with an element pos for each";
        FieldError::new(path, format!("{file}: {message}"), advice)
    })
}

/// The calibration: the inverse of each microphone's gain and phase.
fn calibration(folder: &InputFolder, file: &str) -> Result<Vec<Complex64>, FieldError> {
    let path = "source.calibration";
    let advice = "give a CSV file with the columns gain and phase_deg, one row for each microphone";
    let text = read_text(folder, file, path)?;
    let rows = columns(&text, ["gain", "phase_deg"])
        .map_err(|message| FieldError::new(path, format!("{file}: {message}"), advice))?;
    if let Some(row) = rows.iter().position(|[gain, _]| *gain <= 0.0) {
        let message = format!("{file}: the gain of microphone {row} is not positive");
        return Err(FieldError::new(
            path,
            message,
            "write 1 for a dead microphone: it is detected and interpolated",
        ));
    }
    Ok(rows.iter().map(|[gain, phase]| Complex64::from_polar(1.0 / gain, -phase.to_radians())).collect())
}
