//! Refuses wrong fields of a problem: everything that can be checked without a mesh.

use super::crossing::first_crossing;
use crate::material::{Dielectric, Material};
use crate::mesh::MIN_CELLS;
use crate::problem::{Body, Equation, Method, Polarization, Problem};
use crate::shape::{Point, Shape};
use phasefront_core::FieldError;

/// Highest order of a cell.
const MAX_ORDER: usize = 16;
/// Deepest corner refinement: beyond it the last cells vanish in the rounding of their coordinates.
const MAX_CORNER_LEVELS: usize = 30;

/// Checks all fields.
pub(crate) fn fields(problem: &Problem) -> Result<(), FieldError> {
    source(problem)?;
    bodies(&problem.bodies)?;
    method(problem)?;
    equation(problem)?;
    output(problem)
}

fn source(problem: &Problem) -> Result<(), FieldError> {
    if problem.frequencies.is_empty() {
        return Err(FieldError::new("source.frequency", "there is no frequency", "give at least one"));
    }
    if problem.propagation.is_empty() || problem.propagation.iter().any(|a| !a.is_finite()) {
        return Err(FieldError::new(
            "source.propagation",
            "there is no direction",
            "give at least one angle",
        ));
    }
    match problem.frequencies.iter().find(|f| !(f.is_finite() && **f > 0.0)) {
        Some(f) => {
            let message = format!("a frequency of {f} Hz is not valid");
            Err(FieldError::new(
                "source.frequency",
                message,
                "give a frequency above zero, for example \"1 GHz\"",
            ))
        }
        None => Ok(()),
    }
}

fn bodies(bodies: &[Body]) -> Result<(), FieldError> {
    if bodies.is_empty() {
        let advice = "add one, for example { shape = \"circle\", radius = \"1 m\" }";
        return Err(FieldError::new("geometry.bodies", "there is no scatterer", advice));
    }
    for (i, body) in bodies.iter().enumerate() {
        shape(&body.shape, &format!("geometry.bodies[{i}]"))?;
        material(body, &format!("geometry.bodies[{i}].material"))?;
        if let Some(cells) = body.cells
            && cells < MIN_CELLS
        {
            let path = format!("geometry.bodies[{i}].cells");
            let message = format!("{cells} cells are too few for a body");
            return Err(FieldError::new(path, message, format!("give at least {MIN_CELLS}")));
        }
    }
    Ok(())
}

fn shape(shape: &Shape, path: &str) -> Result<(), FieldError> {
    let positive = |value: f64, key: &str, what: &str| {
        if value > 0.0 {
            return Ok(());
        }
        let message = format!("{what} of {value} m is not valid");
        Err(FieldError::new(format!("{path}.{key}"), message, "give a length above zero"))
    };
    match shape {
        Shape::Circle { radius, .. } => positive(*radius, "radius", "a radius"),
        Shape::Ellipse { semi_axes, .. } => {
            (0..2).try_for_each(|i| positive(semi_axes[i], &format!("semi_axes[{i}]"), "a semi-axis"))
        }
        Shape::Strip { from, to } if from == to => Err(FieldError::new(
            format!("{path}.to"),
            "the strip has zero width",
            "make `from` and `to` differ",
        )),
        Shape::Polygon { points } => polygon(points, path),
        // Outlines were checked when they were made.
        Shape::Strip { .. } | Shape::Outline(_) => Ok(()),
    }
}

fn polygon(points: &[Point], path: &str) -> Result<(), FieldError> {
    if points.len() < 3 {
        let message = format!("{} points do not make a polygon", points.len());
        let advice = "give at least 3 corners; use shape = \"strip\" for a flat plate";
        return Err(FieldError::new(format!("{path}.points"), message, advice));
    }
    for (i, point) in points.iter().enumerate() {
        let next = (i + 1) % points.len();
        if *point == points[next] {
            let message = format!("corners {i} and {next} are the same point");
            let advice = "remove one of them; the polygon closes by itself";
            return Err(FieldError::new(format!("{path}.points[{}]", i.max(next)), message, advice));
        }
    }
    // The last edge joins the last corner to the first.
    let edges: Vec<[Point; 2]> =
        (0..points.len()).map(|i| [points[i], points[(i + 1) % points.len()]]).collect();
    if let Some((i, j)) = first_crossing(&edges) {
        let message = format!("the outline intersects or touches itself: edge {i} intersects edge {j}");
        let advice = "list the corners in order around the body (edge i runs from corner i to corner i+1)";
        return Err(FieldError::new(format!("{path}.points"), message, advice));
    }
    Ok(())
}

fn output(problem: &Problem) -> Result<(), FieldError> {
    if problem.near_field.is_some() && problem.frequencies.len() * problem.propagation.len() > 1 {
        let message = "the near field requires a single frequency and a single incidence";
        let advice = "remove output.near_field, or run the case once per frequency and incidence";
        return Err(FieldError::new("output.near_field", message, advice));
    }
    Ok(())
}

fn material(body: &Body, path: &str) -> Result<(), FieldError> {
    let Material::Dielectric(medium) = body.material else { return Ok(()) };
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let wrong = |message: String, advice: &str| Err(FieldError::new(path, message, advice));
    let Dielectric { eps_r, mu_r, .. } = medium;
    if !positive(eps_r.re) || !positive(mu_r.re) {
        let message =
            format!("the real parts of eps_r, {}, and mu_r, {}, must be positive", eps_r.re, mu_r.re);
        return wrong(message, "give both a positive real part");
    }
    // Written so that a NaN fails too.
    let passive = eps_r.im <= 0.0 && mu_r.im <= 0.0;
    if !(passive && medium.loss_tangent >= 0.0 && medium.conductivity >= 0.0) {
        return wrong(
            "losses must not be negative".into(),
            "give imaginary parts of zero or less, and a loss tangent and a conductivity of zero or more",
        );
    }
    if !body.shape.is_closed() {
        let message = "an open outline cannot enclose a dielectric".into();
        return wrong(message, "close the outline, or make the body a conductor");
    }
    Ok(())
}

fn method(problem: &Problem) -> Result<(), FieldError> {
    let wrong = |path: &str, message: String, advice: String| Err(FieldError::new(path, message, advice));
    match problem.method {
        Method::Pulse => {
            let advice = || "use method = \"lcn\"; order = 1 has the same cost".to_owned();
            if problem.polarization == Polarization::Te {
                return wrong(
                    "source.polarization",
                    "method = \"pulse\" supports TM polarization only".into(),
                    advice(),
                );
            }
            if matches!(problem.equation, Equation::Mfie | Equation::Cfie) {
                return wrong("solve.equation", "method = \"pulse\" supports the EFIE only".into(), advice());
            }
            let made_of = |body: &Body| body.material != Material::Conductor;
            if let Some(i) = problem.bodies.iter().position(made_of) {
                let path = format!("geometry.bodies[{i}].material");
                return wrong(&path, "method = \"pulse\" supports conductors only".into(), advice());
            }
        }
        Method::Lcn(lcn) => {
            if !(1..=MAX_ORDER).contains(&lcn.order) {
                let message = format!("cells of order {} are not supported", lcn.order);
                return wrong(
                    "solve.order",
                    message,
                    format!("give an order from 1 to {MAX_ORDER}; 8 is usual"),
                );
            }
            if lcn.near_distance.is_some_and(|d| !(d.is_finite() && d > 0.0)) {
                let message = "the near distance must be above zero".into();
                return wrong(
                    "solve.near_distance",
                    message,
                    "remove it, or give for example 1.0 cell lengths".into(),
                );
            }
            if lcn.corner_levels.is_some_and(|levels| levels > MAX_CORNER_LEVELS) {
                let message =
                    "cells refined so often are below the rounding error of their coordinates".into();
                return wrong("solve.corner_levels", message, format!("give at most {MAX_CORNER_LEVELS}"));
            }
        }
    }
    Ok(())
}

fn equation(problem: &Problem) -> Result<(), FieldError> {
    if !(problem.cfie_weight > 0.0 && problem.cfie_weight < 1.0) {
        let message = format!("a CFIE weight of {} is not between 0 and 1", problem.cfie_weight);
        return Err(FieldError::new("solve.cfie_weight", message, "0.5 is usual"));
    }
    let open = problem.bodies.iter().position(|body| !body.shape.is_closed());
    match (problem.equation, open) {
        (Equation::Mfie | Equation::Cfie, Some(i)) => {
            let message =
                format!("body {i} is open, and the MFIE does not hold on an infinitely thin conductor");
            let advice = "use equation = \"auto\" (CFIE on closed bodies, EFIE on open ones) or \"efie\"";
            Err(FieldError::new("solve.equation", message, advice))
        }
        _ => Ok(()),
    }
}
