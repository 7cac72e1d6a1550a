//! The checks a problem passes before any work is done, and the cutting of its contours.

use crate::crossing::{encloses, first_contact, first_crossing};
use crate::material::Material;
use crate::mesh::{CHORDS_PER_CELL, Cutting, Mesh};
use crate::problem::{Body, CellCount, Equation, Lcn, Method, Polarization, Problem};
use crate::shape::{Point, Shape};
use crate::{contour::ArcLength, interior, shape::apportion};
use phasefront_core::FieldError;

/// Cells per wavelength below which pulses carry no wave at all (Nyquist) and cells of high order lose digits; nodes per
/// wavelength below which a mesh is coarse: on circles of ka = 1 to 15 the echo width of pulses was off by at most 1 % with 20,
/// 1.5 % with 10 and 13 % with 5; and what is usual.
const NYQUIST_CELLS: f64 = 2.0;
const COARSE_NODES: f64 = 10.0;
const USUAL_NODES: f64 = 20.0;
/// Order below which the strongly singular equation of TE waves converges slowly: on circles with 10 cells per wavelength 8 %
/// with order 2, 3e-4 with order 4.
const SLOW_TE_ORDER: usize = 4;
/// Fewest cells on one body: less does not even outline it.
const FEWEST_CELLS: usize = 4;
/// Size of a cell relative to its coordinates that double precision still resolves to six digits.
const BLUR: f64 = 1e-10;
/// Cells per wavelength beyond which a unit is mistaken, not a mesh coarse or fine: the formulas still hold there.
const FEWEST_CELLS_PER_WAVELENGTH: f64 = 1e-3;
const MOST_CELLS_PER_WAVELENGTH: f64 = 1e12;
/// More than any machine holds (a matrix of 1.4 TB): caught before cells are made.
const MOST_UNKNOWNS: f64 = 300_000.0;

/// Highest order of a cell.
const HIGHEST_ORDER: usize = 16;
/// Most halvings towards a corner: beyond it the last cells are lost in the rounding of their coordinates.
const MOST_CORNER_LEVELS: usize = 30;

/// All that can be told without a mesh.
pub(crate) fn before_meshing(problem: &Problem) -> Result<(), FieldError> {
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
            let message = format!("a frequency of {f} Hz has no wave");
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
        return Err(FieldError::new("geometry.bodies", "there is no body to scatter the wave", advice));
    }
    for (i, body) in bodies.iter().enumerate() {
        shape(&body.shape, &format!("geometry.bodies[{i}]"))?;
        material(body, &format!("geometry.bodies[{i}].material"))?;
        if let Some(cells) = body.cells
            && cells < FEWEST_CELLS
        {
            let path = format!("geometry.bodies[{i}].cells");
            let message = format!("{cells} cells cannot outline a body");
            return Err(FieldError::new(path, message, format!("give at least {FEWEST_CELLS}")));
        }
    }
    Ok(())
}

fn shape(shape: &Shape, path: &str) -> Result<(), FieldError> {
    let positive = |value: f64, key: &str, what: &str| {
        if value > 0.0 {
            return Ok(());
        }
        let message = format!("{what} of {value} m encloses nothing");
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
        let message = format!("{} points do not enclose anything", points.len());
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
    let edges: Vec<[Point; 2]> =
        (0..points.len()).map(|i| [points[i], points[(i + 1) % points.len()]]).collect();
    if let Some((i, j)) = first_crossing(&edges) {
        let message = format!("the outline crosses or touches itself: edge {i} meets edge {j}");
        let advice = "list the corners in order around the body (edge i runs from corner i to corner i+1)";
        return Err(FieldError::new(format!("{path}.points"), message, advice));
    }
    Ok(())
}

fn output(problem: &Problem) -> Result<(), FieldError> {
    if problem.near_field.is_some() && problem.frequencies.len() * problem.propagation.len() > 1 {
        let message = "a field map needs a single frequency and a single incidence";
        let advice = "leave out output.field, or run the case once per frequency and incidence";
        return Err(FieldError::new("output.field", message, advice));
    }
    Ok(())
}

fn material(body: &Body, path: &str) -> Result<(), FieldError> {
    let Material::Dielectric(medium) = body.material else { return Ok(()) };
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let wrong = |message: String, advice: &str| Err(FieldError::new(path, message, advice));
    if !positive(medium.eps_r) || !positive(medium.mu_r) {
        let message = format!("eps_r = {} and mu_r = {} are no passive medium", medium.eps_r, medium.mu_r);
        return wrong(message, "give both a value above zero");
    }
    if !(medium.loss_tangent >= 0.0 && medium.conductivity >= 0.0) {
        return wrong("a medium cannot have negative losses".into(), "give losses of zero or more");
    }
    if !body.shape.is_closed() {
        let message = "an open outline has no inside to be filled with a dielectric".into();
        return wrong(message, "close the outline, or make the body a conductor");
    }
    Ok(())
}

fn method(problem: &Problem) -> Result<(), FieldError> {
    let wrong = |path: &str, message: String, advice: String| Err(FieldError::new(path, message, advice));
    match problem.method {
        Method::Pulse => {
            let advice = || "use method = \"lcn\"; order = 1 is its equal in cost".to_owned();
            if problem.polarization == Polarization::Te {
                return wrong("source.polarization", "pulses are for TM waves only".into(), advice());
            }
            if matches!(problem.equation, Equation::Mfie | Equation::Cfie) {
                return wrong("solve.equation", "pulses are for the EFIE only".into(), advice());
            }
            let made_of = |body: &Body| body.material != Material::Conductor;
            if let Some(i) = problem.bodies.iter().position(made_of) {
                let path = format!("geometry.bodies[{i}].material");
                return wrong(&path, "pulses are for conductors only".into(), advice());
            }
        }
        Method::Lcn(lcn) => {
            if !(1..=HIGHEST_ORDER).contains(&lcn.order) {
                let message = format!("cells of order {} are not offered", lcn.order);
                return wrong(
                    "solve.order",
                    message,
                    format!("give an order from 1 to {HIGHEST_ORDER}; 8 is usual"),
                );
            }
            if lcn.near_distance.is_some_and(|d| !(d.is_finite() && d > 0.0)) {
                let message = "the distance of near interactions must be above zero".into();
                return wrong(
                    "solve.near_distance",
                    message,
                    "leave it out, or give for example 1.0 cell lengths".into(),
                );
            }
            if lcn.corner_levels.is_some_and(|levels| levels > MOST_CORNER_LEVELS) {
                let message = "cells halved so often are lost in the rounding of their coordinates".into();
                return wrong("solve.corner_levels", message, format!("give at most {MOST_CORNER_LEVELS}"));
            }
        }
    }
    Ok(())
}

fn equation(problem: &Problem) -> Result<(), FieldError> {
    if !(problem.cfie_weight > 0.0 && problem.cfie_weight < 1.0) {
        let message = format!("a CFIE of weight {} is no combination", problem.cfie_weight);
        return Err(FieldError::new(
            "solve.cfie_weight",
            message,
            "give a weight between 0 and 1; 0.5 is usual",
        ));
    }
    let open = problem.bodies.iter().position(|body| !body.shape.is_closed());
    match (problem.equation, open) {
        (Equation::Mfie | Equation::Cfie, Some(i)) => {
            let message = format!(
                "body {i} is open, and the magnetic field has no equation on an infinitely thin conductor"
            );
            let advice = "use equation = \"auto\" (CFIE on closed bodies, EFIE on open ones) or \"efie\"";
            Err(FieldError::new("solve.equation", message, advice))
        }
        _ => Ok(()),
    }
}

pub(crate) fn build_mesh(problem: &Problem) -> Result<Mesh, FieldError> {
    let cutting = match problem.method {
        Method::Pulse => Cutting { order: 1, flat: false, pulses: true, corner_levels: 0 },
        Method::Lcn(Lcn { order, flat, .. }) => {
            Cutting { order, flat, pulses: false, corner_levels: problem.corner_levels() }
        }
    };
    let outlines: Vec<_> = problem.bodies.iter().map(|body| body.shape.outline()).collect();
    let lengths: Vec<Vec<f64>> = outlines
        .iter()
        .map(|outline| outline.segments.iter().map(|s| ArcLength::new(s).length()).collect())
        .collect();
    let counts = cell_counts(problem, &lengths)?;
    let mut mesh = Mesh::new(cutting);
    for (i, outline) in outlines.iter().enumerate() {
        mesh.push_body(i, outline, counts[i], cutting);
    }
    check_cells(problem, &mesh)?;
    Ok(mesh)
}

/// Cells of each body: its own number where it has one, else its share of what the problem asks for.
fn cell_counts(problem: &Problem, segments: &[Vec<f64>]) -> Result<Vec<usize>, FieldError> {
    let free: Vec<usize> = (0..problem.bodies.len()).filter(|&i| problem.bodies[i].cells.is_none()).collect();
    let lengths: Vec<f64> = free.iter().map(|&i| segments[i].iter().sum()).collect();
    let own: usize = problem.bodies.iter().filter_map(|body| body.cells).sum();
    let shares = match problem.cells {
        CellCount::Total(total) => {
            check_total(total, own, free.len())?;
            check_size("solve.cells", problem, total as f64)?;
            apportion(total - own, &lengths)
        }
        CellCount::PerWavelength(density) => {
            let path = "solve.cells_per_wavelength";
            if !(density.is_finite() && density > 0.0) {
                let message = format!("{density} cells per wavelength make no mesh");
                return Err(FieldError::new(
                    path,
                    message,
                    "give a number above zero: 10 is coarse, 20 is usual",
                ));
            }
            let wanted = |(&i, length): (&usize, &f64)| length * density / problem.wavelength_on(i);
            let wanted: Vec<f64> = free.iter().zip(&lengths).map(wanted).collect();
            check_size(path, problem, own as f64 + wanted.iter().sum::<f64>())?;
            // Each segment by itself, so that none is coarser than asked for. The tolerance keeps one of exactly n cell
            // lengths from getting n + 1 cells by rounding.
            let of_segment =
                |i: usize, s: &f64| (s * density / problem.wavelength_on(i) - 1e-6).ceil().max(1.0) as usize;
            free.iter().map(|&i| segments[i].iter().map(|s| of_segment(i, s)).sum()).collect()
        }
    };
    let mut counts: Vec<usize> = problem.bodies.iter().map(|body| body.cells.unwrap_or(0)).collect();
    for (i, share) in free.into_iter().zip(shares) {
        counts[i] = share.max(FEWEST_CELLS);
    }
    Ok(counts)
}

/// Refuses more cells than any machine can hold the matrix of.
fn check_size(path: &str, problem: &Problem, cells: f64) -> Result<(), FieldError> {
    let unknowns = cells * problem.order() as f64;
    if unknowns <= MOST_UNKNOWNS {
        return Ok(());
    }
    let bytes = unknowns * unknowns * 16.0;
    let message = format!("this needs {cells:.3e} cells, and the matrix {bytes:.3e} bytes");
    Err(FieldError::new(path, message, "use fewer cells, a smaller body or a lower frequency"))
}

/// Refuses a total that cannot be kept.
fn check_total(total: usize, own: usize, free: usize) -> Result<(), FieldError> {
    let wrong = |message: String, advice: &str| Err(FieldError::new("solve.cells", message, advice));
    if free == 0 && total != own {
        return wrong(format!("the bodies' own cells add up to {own}, not {total}"), "leave out solve.cells");
    }
    if total < own + FEWEST_CELLS * free {
        let others =
            if own > 0 { format!(" beside the {own} that bodies ask for themselves") } else { String::new() };
        let needed = own + FEWEST_CELLS * free;
        return wrong(
            format!(
                "{total} cells are too few for {free} {}{others}",
                if free == 1 { "body" } else { "bodies" }
            ),
            &format!("give at least {needed}: {FEWEST_CELLS} for each body"),
        );
    }
    Ok(())
}

/// Rounding of the coordinates must not blur the cells, and the wave must be commensurate with them.
fn check_cells(problem: &Problem, mesh: &Mesh) -> Result<(), FieldError> {
    for cell in &mesh.cells {
        let (w, path) = (cell.length, || format!("geometry.bodies[{}]", cell.body));
        let wavelength = problem.wavelength_on(cell.body);
        let reach = cell.middle.re.abs().max(cell.middle.im.abs());
        // Written so that a NaN fails too.
        let is_sharp = w > BLUR * reach && (cell.middle.re + cell.middle.im).is_finite();
        if !is_sharp {
            let message =
                format!("cells of {w:.3e} m are lost in the rounding of coordinates of {reach:.3e} m");
            return Err(FieldError::new(
                path(),
                message,
                "move the geometry to the origin, or use fewer cells",
            ));
        }
        if !(MOST_CELLS_PER_WAVELENGTH.recip()..=FEWEST_CELLS_PER_WAVELENGTH.recip())
            .contains(&(w / wavelength))
        {
            let message =
                format!("cells of {w:.3e} m have nothing to do with a wavelength of {wavelength:.3e} m");
            return Err(FieldError::new(path(), message, "check the units of the body and of the frequency"));
        }
    }
    Ok(())
}

pub(crate) fn contact(mesh: &Mesh) -> Result<(), FieldError> {
    let Some((i, j)) = first_contact(mesh) else { return Ok(()) };
    let [x, y] = mesh.chords[j][0];
    let (a, b) = (mesh.chord_body[i], mesh.chord_body[j]);
    let path = format!("geometry.bodies[{b}]");
    if a == b {
        let message = format!("the outline crosses or touches itself near ({x:.6}, {y:.6}) m");
        return Err(FieldError::new(
            path,
            message,
            "use more cells, or a contour that stays apart from itself",
        ));
    }
    let message = format!("bodies {a} and {b} touch or cross near ({x:.6}, {y:.6}) m");
    Err(FieldError::new(path, message, "move them apart, or draw them as one outline"))
}

/// Refuses a body inside a dielectric: the equations know one medium on each side of an outline, vacuum on the outer one.
pub(crate) fn nesting(problem: &Problem, mesh: &Mesh) -> Result<(), FieldError> {
    let filled = |b: &usize| problem.bodies[*b].material != Material::Conductor;
    for outer in (0..problem.bodies.len()).filter(filled) {
        let chords =
            || mesh.chords.iter().zip(&mesh.chord_body).filter(|(_, b)| **b == outer).map(|(c, _)| c);
        let mut others = mesh.chords.iter().zip(&mesh.chord_body).filter(|(_, b)| **b != outer);
        if let Some((_, inner)) = others.find(|(chord, _)| encloses(chords(), chord[0])) {
            let message = format!("body {inner} lies inside body {outer}, which is a dielectric");
            let advice = "place them side by side: media within media are not solved";
            return Err(FieldError::new(format!("geometry.bodies[{inner}]"), message, advice));
        }
    }
    Ok(())
}

/// The body with the fewest cells per wavelength, and how many it has.
pub(crate) fn fewest_cells_per_wavelength(problem: &Problem, mesh: &Mesh) -> (usize, f64) {
    let density = |cell: &crate::cell::Cell| (cell.body, problem.wavelength_on(cell.body) / cell.length);
    let least = mesh.cells.iter().map(density).min_by(|a, b| a.1.total_cmp(&b.1));
    least.unwrap_or((0, f64::INFINITY))
}

pub(crate) fn resolution_warnings(problem: &Problem, mesh: &Mesh) -> Vec<String> {
    // Rounding must not turn a density that was asked for into one below it.
    let density = fewest_cells_per_wavelength(problem, mesh).1 * (1.0 + 1e-6);
    let mut warnings = Vec::new();
    let order = problem.order() as f64;
    let usual = (USUAL_NODES / order).max(NYQUIST_CELLS);
    let needed = (mesh.chords.len() as f64 / CHORDS_PER_CELL as f64 * usual / density).ceil();
    let advice = format!("{needed} cells ({usual} per wavelength)");
    if density * order < NYQUIST_CELLS {
        warnings.push(format!(
            "{density:.2} cells per wavelength cannot carry the wave at all: use at least {advice}"
        ));
    } else if density < NYQUIST_CELLS {
        warnings.push(format!(
            "{density:.2} cells of order {order} per wavelength: digits are lost below 2; use {advice}"
        ));
    } else if density * order < COARSE_NODES {
        let accuracy = if problem.method == Method::Pulse { " for about 2 % accuracy" } else { "" };
        warnings.push(format!("{density:.1} cells per wavelength is coarse: use about {advice}{accuracy}"));
    }
    let electric = problem.equation != Equation::Mfie;
    if problem.polarization == Polarization::Te && electric && problem.order() < SLOW_TE_ORDER {
        warnings.push(format!(
            "TE waves with cells of order {}: the electric field equation converges slowly there; use order 6 or more, or \
             equation = \"mfie\" on closed bodies",
            problem.order()
        ));
    }
    if problem.method == Method::Pulse
        && let Some((body, thickness, length)) = interior::thinnest(mesh, problem)
    {
        warnings.push(format!(
            "body {body} is {thickness:.2e} m thick and its cells are {length:.2e} m long: currents on its two sides run into \
             each other; use cells shorter than the body is thick, or a strip in its place"
        ));
    }
    warnings
}
