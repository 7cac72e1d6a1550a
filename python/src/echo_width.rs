//! Echo width of an outline in memory.

use crate::arrays::{rows, shaped};
use crate::failure;
use crate::work::work;
use num_complex::Complex64;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use phasefront_device::MemoryEstimate;
use phasefront_mesh::spline;
use phasefront_mom::{Body, Dielectric, Lcn, Material, Method, Polarization, Problem, Shape, prepare};
use pyo3::prelude::*;

/// Real and imaginary parts of ε_r and μ_r, loss tangent, conductivity.
type Medium = [f64; 6];

/// Echo widths, m, by frequency, incidence and observation, and warnings. Angles are in radians.
#[pyfunction]
pub fn echo_width<'py>(
    py: Python<'py>,
    points: PyReadonlyArrayDyn<'py, f64>,
    corners: Vec<bool>,
    closed: bool,
    medium: Option<Medium>,
    frequencies: Vec<f64>,
    propagation: Vec<f64>,
    observation: Vec<f64>,
    te: bool,
    order: usize,
    device: &str,
    deterministic: bool,
    threads: Option<usize>,
    listener: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyArrayDyn<f64>>, Vec<String>)> {
    let points = rows(&points)?;
    let shape = [frequencies.len(), propagation.len(), observation.len()];
    let done = work(py, listener.as_ref(), threads, |progress| {
        let outline = spline(&points, &corners, closed).map_err(|error| failure::mesh(&error))?;
        let body = Body { shape: Shape::Outline(outline), material: material(medium), cells: None };
        let study = prepare(Problem {
            bodies: vec![body],
            frequencies,
            polarization: if te { Polarization::Te } else { Polarization::Tm },
            propagation,
            observation,
            method: Method::Lcn(Lcn { order, ..Lcn::default() }),
            ..Problem::default()
        })
        .map_err(failure::mom)?;
        let backend = failure::open(device, deterministic)?;
        let MemoryEstimate { device: on_device, host } = study.memory(&backend);
        failure::check_memory(
            if on_device > 0 { on_device } else { host },
            &backend,
            "take a lower frequency, or a smaller outline",
        )?;
        let solution = study.solve(&backend, progress).map_err(failure::mom)?;
        let widths = solution.frequencies.iter().flat_map(|at| at.echo_width.iter().flatten().copied());
        let checks = [study.self_checks.clone(), solution.self_checks(&study)].concat();
        let warnings = checks.into_iter().filter(|check| !check.holds()).map(|check| check.sentence);
        Ok((widths.collect::<Vec<_>>(), warnings.collect()))
    })?;
    let (widths, warnings) = done.or_raised()?;
    Ok((shaped(py, widths, &shape)?, warnings))
}

fn material(medium: Option<Medium>) -> Material {
    medium.map_or(Material::Conductor, |[eps_re, eps_im, mu_re, mu_im, loss_tangent, conductivity]| {
        let [eps_r, mu_r] = [Complex64::new(eps_re, eps_im), Complex64::new(mu_re, mu_im)];
        Material::Dielectric(Dielectric { eps_r, mu_r, loss_tangent, conductivity })
    })
}
