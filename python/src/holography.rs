//! Holograms of arrays in memory.

use crate::arrays::shaped;
use crate::failure;
use crate::work::work;
use num_complex::Complex64;
use numpy::PyReadonlyArrayDyn;
use phasefront_nah::{
    Analysis, Grid, Input, Medium, Method, Plane, Problem, Samples, Solution, SpectralMethod, Spectrum,
    prepare,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What the array measured.
#[derive(FromPyObject)]
pub enum Measured<'py> {
    /// Phasors, Pa, by frequency and microphone.
    Phasors(PyReadonlyArrayDyn<'py, Complex64>),
    /// Samples, Pa, by time and microphone; the sample rate, Hz, and the window length.
    Samples(PyReadonlyArrayDyn<'py, f32>, f64, usize),
}

/// Fields on planes nearer to the source, in a dict: frequencies, then arrays by frequency, plane and point.
#[pyfunction]
pub fn holography<'py>(
    py: Python<'py>,
    measured_data: Measured<'py>,
    frequencies: Vec<f64>,
    grid: (usize, usize),
    pitch: [f64; 2],
    distance: f64,
    planes: Vec<f64>,
    medium: (f64, f64),
    method: &str,
    device: &str,
    deterministic: bool,
    threads: Option<usize>,
    listener: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let grid = Grid { columns: grid.0, rows: grid.1, pitch };
    let (input, samples) = input(&measured_data, &frequencies, grid.len())?;
    let problem = Problem {
        medium: Medium { speed: medium.0, density: medium.1 },
        frequencies,
        analysis: Analysis { method: SpectralMethod::Auto, samples, hop: samples },
        // The Python side has checked it.
        method: match method {
            "fft" => Method::Fft,
            "esm" => Method::Esm,
            _ => Method::Auto,
        },
        planes,
        ..Problem::new(grid, distance, input)
    };
    let done = work(py, listener.as_ref(), threads, |progress| {
        let study = prepare(problem).map_err(failure::nah)?;
        let backend = failure::open(device, deterministic)?;
        let solution = study.solve(&backend, progress).map_err(failure::nah)?;
        let measured = solution.self_checks(&study).map_err(|error| failure::nah(error.into()))?;
        let failing = study.self_checks.into_iter().chain(measured).filter(|check| !check.holds());
        Ok((solution, failing.map(|check| check.sentence).collect()))
    })?;
    let (solution, warnings) = done.or_raised()?;
    Ok((fields(py, &solution, grid)?, warnings))
}

/// The input, and the window length in samples.
fn input(measured_data: &Measured<'_>, frequencies: &[f64], microphones: usize) -> PyResult<(Input, usize)> {
    Ok(match measured_data {
        Measured::Phasors(array) => {
            let each = array.as_slice()?.chunks_exact(microphones.max(1));
            let spectra = frequencies.iter().zip(each);
            let spectra =
                spectra.map(|(&frequency, pressure)| Spectrum { frequency, pressure: pressure.to_vec() });
            (Input::Spectra(spectra.collect()), 8)
        }
        Measured::Samples(array, rate, samples) => {
            let values = array.as_slice()?.to_vec();
            (Input::Samples(Samples { rate: *rate, microphones, values, full_scale: None }), *samples)
        }
    })
}

fn fields<'py>(py: Python<'py>, solution: &Solution, grid: Grid) -> PyResult<Bound<'py, PyDict>> {
    let holograms = &solution.holograms;
    let planes = holograms.first().map_or(0, |hologram| hologram.planes.len());
    let shape = [holograms.len(), planes, grid.rows, grid.columns];
    let all = || holograms.iter().flat_map(|hologram| &hologram.planes);
    let complex = |pick: fn(&Plane) -> &Vec<Complex64>| all().flat_map(pick).copied().collect::<Vec<_>>();
    let dict = PyDict::new(py);
    dict.set_item("frequency", holograms.iter().map(|hologram| hologram.frequency).collect::<Vec<_>>())?;
    let measured = holograms.iter().flat_map(|hologram| &hologram.measured).copied().collect();
    dict.set_item("measured", shaped(py, measured, &[shape[0], shape[2], shape[3]])?)?;
    dict.set_item("pressure", shaped(py, complex(|plane| &plane.pressure), &shape)?)?;
    dict.set_item("velocity", shaped(py, complex(|plane| &plane.velocity), &shape)?)?;
    let intensity = all().flat_map(|plane| &plane.intensity).copied().collect();
    dict.set_item("intensity", shaped(py, intensity, &shape)?)?;
    dict.set_item("power", shaped(py, all().map(|plane| plane.power).collect(), &shape[..2])?)?;
    Ok(dict)
}
