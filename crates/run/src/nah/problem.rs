//! From a nah case to the solver's problem.

use super::{files, simulated, spectra_files};
use crate::input::{columns, read_bytes, read_text};
use num_complex::Complex64;
use phasefront_case::model::nah::{
    Extrapolation as CaseExtrapolation, Filter as CaseFilter, Functions as CaseFunctions,
    Method as CaseMethod, NahCase, Replay, Solve, Spectra,
};
use phasefront_core::{FieldError, Sweep};
use phasefront_nah::{
    Analysis, Extrapolation, Filter, FilterChoice, Filters, Functions, Grid, Input, Medium, Method, Pace,
    Problem, Spectrum, Terms, Way, Which,
};
use std::path::Path;

/// The problem of a case; `folder` is where the files that it names are looked for.
pub(super) fn problem(case: &NahCase, folder: &Path) -> Result<Problem, FieldError> {
    let geometry = &case.geometry;
    let grid = Grid {
        columns: geometry.grid.x.get() as usize,
        rows: geometry.grid.y.get() as usize,
        pitch: geometry.pitch.si(),
    };
    let medium = Medium { speed: geometry.medium.speed, density: geometry.medium.density };
    let places = geometry.positions.as_ref().map(|file| positions(folder, file)).transpose()?;
    let analysis = analysis(&case.solve);
    let microphones = places.clone().unwrap_or_else(|| (0..grid.len()).map(|i| grid.place(i)).collect());
    let input = match (&case.source.file, case.source.address()?) {
        (Some(file), _) => files::input(&case.source, folder, file, microphones.len())?,
        (None, Some(address)) => Input::Stream(files::stream(&case.source, address, microphones.len())?),
        (None, None) => {
            simulated::input(&case.source, &microphones, geometry.zh.si(), &medium, analysis.samples)?
        }
    };
    let asked = case.output.frequency.as_ref().map(Sweep::values);
    let frequencies = match (asked, &input) {
        (Some(frequencies), _) => frequencies,
        (None, Input::Spectra(spectra)) => spectra.iter().map(|s| s.frequency).collect(),
        (None, _) => {
            let message = "a recording has many frequencies, and none is asked for";
            return Err(FieldError::new("output", message, "write for example `frequency = \"1 kHz\"`"));
        }
    };
    let reference = case.output.reference.as_ref();
    let reference =
        reference.map(|file| reference_plane(folder, file, grid.len())).transpose()?.unwrap_or_default();
    let calibration = case.source.calibration.as_ref().map(|file| calibration(folder, file)).transpose()?;
    Ok(Problem {
        grid,
        places,
        distance: geometry.zh.si(),
        medium,
        input,
        calibration,
        frequencies,
        analysis,
        method: match case.solve.method {
            CaseMethod::Fft => Method::Fft,
            CaseMethod::Esm => Method::Esm,
        },
        extrapolation: match case.solve.extrapolation {
            CaseExtrapolation::Lpbp => Extrapolation::Lpbp,
            CaseExtrapolation::Plpbp => Extrapolation::Plpbp,
            CaseExtrapolation::Zero => Extrapolation::Zero,
        },
        filter: filter(&case.solve),
        planes: case.output.planes.iter().map(|plane| plane.si()).collect(),
        at: case.output.at.si(),
        compare: compared(case, analysis.way),
        refine: case.output.refine.get() as usize,
        reference,
        precision: case.solve.precision,
        pace: match case.source.replay {
            None | Some(Replay::FullSpeed) => Pace::Full,
            Some(Replay::RealTime) => Pace::RealTime,
        },
        times: case.source.repeat.map_or(1, |times| u64::from(times.get())),
    })
}

fn analysis(solve: &Solve) -> Analysis {
    let samples = solve.samples.get() as usize;
    let hop = solve.hop.map_or(samples, |hop| hop.get() as usize);
    Analysis { way: way(solve, solve.spectra), samples, hop }
}

fn way(solve: &Solve, spectra: Spectra) -> Way {
    let samples = solve.samples.get() as usize;
    let which = match (solve.walsh_terms, solve.walsh_threshold) {
        (_, Some(part)) => Which::Above(part),
        (terms, None) => Which::Strongest(terms.map_or(samples, |terms| terms.get() as usize)),
    };
    let functions = match solve.walsh_functions {
        CaseFunctions::Precomputed => Functions::Precomputed,
        CaseFunctions::Rademacher => Functions::Rademacher,
    };
    match spectra {
        Spectra::Nominal => Way::Nominal { fir: solve.fir },
        Spectra::Dot => Way::Dot,
        Spectra::Auto => Way::Auto,
        Spectra::Average => Way::Average,
        Spectra::Walsh => Way::Walsh(Terms { which, functions }),
        Spectra::WalshExact => Way::WalshExact,
        Spectra::CicPopcount => Way::CicPopcount,
        Spectra::Hop => Way::Hop,
    }
}

/// The ways that are compared with the nominal one: the chosen one, and those that are asked for beside it.
fn compared(case: &NahCase, chosen: Way) -> Vec<Way> {
    if !case.output.compare {
        return Vec::new();
    }
    let mut ways = vec![chosen];
    for way in case.output.methods.iter().map(|spectra| way(&case.solve, *spectra)) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways.retain(|way| *way != Way::Nominal { fir: false });
    ways
}

/// What was measured on the first plane.
fn reference_plane(folder: &Path, file: &str, places: usize) -> Result<Vec<Spectrum>, FieldError> {
    let path = "output.reference";
    let ending = Path::new(file).extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let read = match ending.as_str() {
        "csv" => spectra_files::csv(folder, file, places),
        "npz" => read_bytes(folder, file, path).and_then(|bytes| spectra_files::npz(bytes, file, places)),
        _ => {
            let message = format!("{file} ends in neither .csv nor .npz");
            return Err(FieldError::new(path, message, "give phasors as `source.file` takes them"));
        }
    };
    read.map_err(|error| FieldError { path: path.into(), ..error })
}

/// What is left out is filled in by the case.
fn filter(solve: &Solve) -> FilterChoice {
    let (cutoff, slope) = (solve.cutoff.unwrap_or(f64::NAN), solve.slope.unwrap_or(f64::NAN));
    let of_velocity = (solve.velocity_cutoff.unwrap_or(cutoff), solve.velocity_slope.unwrap_or(slope));
    let given = |pressure, velocity| FilterChoice::Given(Filters { pressure, velocity });
    let alike = |filter| given(filter, filter);
    match solve.filter {
        CaseFilter::Auto => FilterChoice::Auto,
        CaseFilter::Cos => {
            given(Filter::Cos { cutoff, slope }, Filter::Cos { cutoff: of_velocity.0, slope: of_velocity.1 })
        }
        CaseFilter::CosModified => given(
            Filter::CosModified { cutoff, slope },
            Filter::CosModified { cutoff: of_velocity.0, slope: of_velocity.1 },
        ),
        CaseFilter::Tikhonov => alike(Filter::Tikhonov { weight: solve.weight.unwrap_or(f64::NAN) }),
        CaseFilter::None => alike(Filter::None),
    }
}

/// Places of microphones: columns x_m and y_m.
fn positions(folder: &Path, file: &str) -> Result<Vec<[f64; 2]>, FieldError> {
    let path = "geometry.positions";
    let text = read_text(folder, file, path)?;
    columns(&text, ["x_m", "y_m"]).map_err(|message| {
        let advice = "give a CSV file with the columns x_m and y_m, a row for each microphone";
        FieldError::new(path, format!("{file}: {message}"), advice)
    })
}

/// What phasors are multiplied by: one over what the microphones add.
fn calibration(folder: &Path, file: &str) -> Result<Vec<Complex64>, FieldError> {
    let path = "source.calibration";
    let advice = "give a CSV file with the columns gain and phase_deg, a row for each microphone";
    let text = read_text(folder, file, path)?;
    let rows = columns(&text, ["gain", "phase_deg"])
        .map_err(|message| FieldError::new(path, format!("{file}: {message}"), advice))?;
    if let Some(row) = rows.iter().position(|[gain, _]| *gain <= 0.0) {
        let message = format!("{file}: the gain of microphone {row} is not above zero");
        return Err(FieldError::new(
            path,
            message,
            "leave it at 1 for a microphone that is dead: it is found and filled in",
        ));
    }
    Ok(rows.iter().map(|[gain, phase]| Complex64::from_polar(1.0 / gain, -phase.to_radians())).collect())
}
