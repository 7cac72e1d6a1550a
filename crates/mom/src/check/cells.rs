//! Refuses discretizations that cannot be built, cannot be stored, or cannot be resolved in double precision.

use crate::mesh::{MIN_CELLS, Mesh};
use crate::problem::{CellCount, Problem};
use phasefront_core::FieldError;

/// Smallest cell, relative to its coordinates, that double precision still resolves to six digits.
const RESOLUTION: f64 = 1e-10;
/// Cells per wavelength outside of which a unit is wrong rather than a mesh coarse or fine. The formulas still hold there.
const MIN_CELLS_PER_WAVELENGTH: f64 = 1e-3;
const MAX_CELLS_PER_WAVELENGTH: f64 = 1e12;
/// More than any machine holds (a dense matrix of 1.4 TB): refused before cells are created.
const MAX_UNKNOWNS: f64 = 300_000.0;

/// Checks the requested number of cells; `lengths` are the arc lengths of the segments of each body.
pub(crate) fn cell_counts(problem: &Problem, lengths: &[Vec<f64>]) -> Result<(), FieldError> {
    let is_free = |i: &usize| problem.bodies[*i].cells.is_none();
    let free: Vec<usize> = (0..problem.bodies.len()).filter(is_free).collect();
    let own: usize = problem.bodies.iter().filter_map(|body| body.cells).sum();
    match problem.cells {
        CellCount::Total(total) => {
            total_count(total, own, free.len())?;
            let length: f64 = free.iter().map(|&i| lengths[i].iter().sum::<f64>()).sum();
            let of_body = |i: usize| (total - own) as f64 * lengths[i].iter().sum::<f64>() / length;
            size("solve.cells", problem, of_body)
        }
        CellCount::PerWavelength(density) => {
            let path = "solve.cells_per_wavelength";
            if !(density.is_finite() && density > 0.0) {
                let message = format!("{density} is not a valid number of cells per wavelength");
                return Err(FieldError::new(
                    path,
                    message,
                    "give a number above zero: 10 is coarse, 20 is usual",
                ));
            }
            // Before rounding up: an estimate suffices to refuse what cannot be stored.
            let of_body = |i: usize| lengths[i].iter().sum::<f64>() * density / problem.wavelength_on(i);
            size(path, problem, of_body)
        }
    }
}

/// Refuses more cells than any machine can store the matrix of; `share` are the cells of a body without a count of its own.
fn size(path: &str, problem: &Problem, share: impl Fn(usize) -> f64) -> Result<(), FieldError> {
    let (mut cells, mut unknowns) = (0.0, 0.0);
    for (i, body) in problem.bodies.iter().enumerate() {
        let count = body.cells.map_or_else(|| share(i), |own| own as f64);
        cells += count;
        unknowns += count * (problem.order() * body.material.densities()) as f64;
    }
    if unknowns <= MAX_UNKNOWNS {
        return Ok(());
    }
    let bytes = unknowns * unknowns * 16.0;
    let message = format!("this needs {cells:.3e} cells, and the matrix {bytes:.3e} bytes");
    Err(FieldError::new(path, message, "use fewer cells, a smaller body or a lower frequency"))
}

/// Refuses a total that contradicts the cell counts of single bodies; `free` bodies have none.
fn total_count(total: usize, own: usize, free: usize) -> Result<(), FieldError> {
    let wrong = |message: String, advice: &str| Err(FieldError::new("solve.cells", message, advice));
    if free == 0 && total != own {
        return wrong(
            format!("the cells of the bodies add up to {own}, not {total}"),
            "remove solve.cells, or correct it",
        );
    }
    let needed = own + MIN_CELLS * free;
    if total < needed {
        let others = if own > 0 {
            format!(" in addition to the {own} of bodies with a count of their own")
        } else {
            String::new()
        };
        let bodies = if free == 1 { "body" } else { "bodies" };
        return wrong(
            format!("{total} cells are too few for {free} {bodies}{others}"),
            &format!("give at least {needed}: {MIN_CELLS} for each body"),
        );
    }
    Ok(())
}

/// Refuses cells below the resolution of their coordinates, or out of all proportion to the wavelength.
pub(crate) fn cell_sizes(problem: &Problem, mesh: &Mesh) -> Result<(), FieldError> {
    for cell in &mesh.cells {
        let (w, path) = (cell.length, || format!("geometry.bodies[{}]", cell.body));
        let wavelength = problem.wavelength_on(cell.body);
        let coordinate = cell.midpoint.re.abs().max(cell.midpoint.im.abs());
        // Written so that a NaN fails too.
        let is_resolved = w > RESOLUTION * coordinate && (cell.midpoint.re + cell.midpoint.im).is_finite();
        if !is_resolved {
            let message = format!(
                "cells of {w:.3e} m are below the rounding error of coordinates of {coordinate:.3e} m"
            );
            return Err(FieldError::new(
                path(),
                message,
                "move the geometry to the origin, or use fewer cells",
            ));
        }
        if !(MAX_CELLS_PER_WAVELENGTH.recip()..=MIN_CELLS_PER_WAVELENGTH.recip()).contains(&(w / wavelength))
        {
            let message =
                format!("cells of {w:.3e} m are out of proportion to the wavelength of {wavelength:.3e} m");
            return Err(FieldError::new(path(), message, "check the units of the body and of the frequency"));
        }
    }
    Ok(())
}
