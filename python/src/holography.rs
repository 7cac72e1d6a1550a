//! Holograms of arrays in memory.

use crate::arrays::shaped;
use crate::failure;
use crate::work::work;
use num_complex::Complex64;
use numpy::PyReadonlyArrayDyn;
use phasefront_core::Precision;
use phasefront_nah::{
    Analysis, Extrapolation, FilterChoice, Grid, Input, Medium, Method, Pace, Plane, Problem, Samples,
    Solution, Spectrum, Way, prepare,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What the array heard.
#[derive(FromPyObject)]
pub enum Heard<'py> {
    /// Phasors, Pa, by frequency and microphone.
    Phasors(PyReadonlyArrayDyn<'py, Complex64>),
    /// Samples, Pa, by time and microphone; samples a second, and how many make a spectrum.
    Samples(PyReadonlyArrayDyn<'py, f32>, f64, usize),
}

/// Fields on planes nearer to the source, in a dict: frequencies, then arrays by frequency, plane and place.
#[pyfunction]
pub fn holography<'py>(
    py: Python<'py>,
    heard: Heard<'py>,
    frequencies: Vec<f64>,
    grid: (usize, usize),
    pitch: [f64; 2],
    distance: f64,
    planes: Vec<f64>,
    medium: (f64, f64),
    equivalent_sources: bool,
    device: &str,
    deterministic: bool,
    threads: Option<usize>,
    listener: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let grid = Grid { columns: grid.0, rows: grid.1, pitch };
    let (input, samples) = input(&heard, &frequencies, grid.len())?;
    let problem = Problem {
        grid,
        places: None,
        distance,
        medium: Medium { speed: medium.0, density: medium.1 },
        input,
        calibration: None,
        frequencies,
        analysis: Analysis { way: Way::Auto, samples, hop: samples },
        method: if equivalent_sources { Method::Esm } else { Method::Fft },
        extrapolation: Extrapolation::Lpbp,
        filter: FilterChoice::Auto,
        planes,
        at: 0.0,
        compare: Vec::new(),
        refine: 1,
        reference: Vec::new(),
        precision: Precision::Double,
        pace: Pace::Full,
        times: 1,
    };
    let done = work(py, listener.as_ref(), threads, |progress| {
        let study = prepare(problem).map_err(failure::nah)?;
        let backend = failure::open(device, deterministic)?;
        let solution = study.solve(&backend, progress).map_err(failure::nah)?;
        Ok((solution, study.warnings))
    })?;
    let (solution, warnings) = done.or_raised()?;
    Ok((fields(py, &solution, grid)?, warnings))
}

/// The input, and the samples of a spectrum.
fn input(heard: &Heard<'_>, frequencies: &[f64], microphones: usize) -> PyResult<(Input, usize)> {
    Ok(match heard {
        Heard::Phasors(array) => {
            let each = array.as_slice()?.chunks_exact(microphones.max(1));
            let spectra = frequencies.iter().zip(each);
            let spectra =
                spectra.map(|(&frequency, pressure)| Spectrum { frequency, pressure: pressure.to_vec() });
            (Input::Spectra(spectra.collect()), 8)
        }
        Heard::Samples(array, rate, samples) => {
            let values = array.as_slice()?.to_vec();
            (Input::Samples(Samples { rate: *rate, microphones, values, full_scale: None }), *samples)
        }
    })
}

fn fields<'py>(py: Python<'py>, solution: &Solution, grid: Grid) -> PyResult<Bound<'py, PyDict>> {
    let lines = &solution.lines;
    let planes = lines.first().map_or(0, |line| line.planes.len());
    let shape = [lines.len(), planes, grid.rows, grid.columns];
    let all = || lines.iter().flat_map(|line| &line.planes);
    let complex = |pick: fn(&Plane) -> &Vec<Complex64>| all().flat_map(pick).copied().collect::<Vec<_>>();
    let dict = PyDict::new(py);
    dict.set_item("frequency", lines.iter().map(|line| line.frequency).collect::<Vec<_>>())?;
    let measured = lines.iter().flat_map(|line| &line.measured).copied().collect();
    dict.set_item("measured", shaped(py, measured, &[shape[0], shape[2], shape[3]])?)?;
    dict.set_item("pressure", shaped(py, complex(|plane| &plane.pressure), &shape)?)?;
    dict.set_item("velocity", shaped(py, complex(|plane| &plane.velocity), &shape)?)?;
    let intensity = all().flat_map(|plane| &plane.intensity).copied().collect();
    dict.set_item("intensity", shaped(py, intensity, &shape)?)?;
    dict.set_item("power", shaped(py, all().map(|plane| plane.power).collect(), &shape[..2])?)?;
    Ok(dict)
}
