//! Radar cross sections of a mesh in memory.

use crate::arrays::{rows, shaped};
use crate::failure;
use crate::work::work;
use num_complex::Complex64;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use phasefront_mesh::{TriangleMesh, WELD_TOLERANCE, repair};
use phasefront_sbr::{Aspect, Bounces, Direction, Edges, Problem, ScatteringMatrix, Surface, prepare};
use pyo3::prelude::*;

/// Scattering amplitudes, m, by frequency, aspect and polarization (vv, vh, hv, hh), and warnings. An aspect has θ and φ of the
/// transmitter and of the receiver, radians.
#[pyfunction]
pub fn rcs<'py>(
    py: Python<'py>,
    vertices: PyReadonlyArrayDyn<'py, f64>,
    faces: PyReadonlyArrayDyn<'py, u32>,
    frequencies: Vec<f64>,
    aspects: PyReadonlyArrayDyn<'py, f64>,
    bounces: Option<usize>,
    tube_width: f64,
    edges: &str,
    surface: &str,
    device: &str,
    deterministic: bool,
    threads: Option<usize>,
    listener: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyArrayDyn<Complex64>>, Vec<String>)> {
    let (vertices, triangles) = (rows(&vertices)?, rows(&faces)?);
    let aspects: Vec<Aspect> = rows(&aspects)?.into_iter().map(aspect).collect();
    let shape = [frequencies.len(), aspects.len(), 4];
    let edges = match edges {
        "ptd" => Edges::Ptd,
        "truncated" => Edges::Truncated,
        _ => Edges::None,
    };
    let surface = if surface == "facets" { Surface::Facets } else { Surface::Interpolated };
    let done = work(py, listener.as_ref(), threads, |progress| {
        let groups = vec![0; triangles.len()];
        let mesh = TriangleMesh::new(vertices, triangles, groups, vec!["all".into()]);
        let mesh = mesh.and_then(|mesh| repair(mesh, WELD_TOLERANCE)).map_err(|e| failure::mesh(&e))?.mesh;
        let bounces = bounces.map_or(Bounces::Auto, Bounces::AtMost);
        let problem =
            Problem { mesh, frequencies, aspects, bounces, tube_width, edges, surface, ..Problem::default() };
        let study = prepare(problem).map_err(failure::sbr)?;
        let backend = failure::open(device, deterministic)?;
        let solution = study.solve(&backend, progress).map_err(failure::sbr)?;
        let all = solution.frequencies.iter().flat_map(|at| &at.scattering);
        let checks = study.self_checks.iter().cloned().chain(solution.self_checks(&study));
        let failing = checks.filter(|check| !check.holds()).map(|check| check.sentence);
        let warnings = study.warnings.iter().cloned().chain(failing).collect::<Vec<_>>();
        Ok((all.flat_map(amplitudes).collect::<Vec<_>>(), warnings))
    })?;
    let (amplitudes, warnings) = done.or_raised()?;
    Ok((shaped(py, amplitudes, &shape)?, warnings))
}

fn aspect([theta, phi, observer_theta, observer_phi]: [f64; 4]) -> Aspect {
    Aspect {
        incident: Direction { theta, phi },
        observer: Direction { theta: observer_theta, phi: observer_phi },
    }
}

fn amplitudes(s: &ScatteringMatrix) -> [Complex64; 4] {
    [s.vv, s.vh, s.hv, s.hh]
}
