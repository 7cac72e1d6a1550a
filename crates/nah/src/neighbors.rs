//! Microphones that do not hear what their neighbors do: of inverted polarity, with a wrong gain, or at another position.

use crate::esm::{Esm, Fit};
use crate::grid::Grid;
use crate::noise::mean_power;
use crate::problem::Problem;
use num_complex::Complex64;
use phasefront_core::FieldError;

/// Microphones along a side of the neighborhood.
const SIDE: usize = 5;
/// Tikhonov weight of the prediction, relative to the mean of the diagonal: noise at −30 dB.
const WEIGHT: f64 = 1e-3;

/// For each microphone of a grid the mean square of the difference from what its neighbors predict, relative to their mean square pressure. The
/// prediction is that of equivalent sources, which knows how a field near its sources varies; fields are of one frequency each.
pub fn prediction_errors(problem: &Problem, fields: &[(f64, &[Complex64])]) -> Result<Vec<f64>, FieldError> {
    let Problem { grid, standoff, medium, .. } = *problem;
    let window = Grid { columns: grid.columns.min(SIDE), rows: grid.rows.min(SIDE), ..grid };
    let depth = Esm::default_depth(&grid);
    let mut errors = vec![0.0; grid.len()];
    for (frequency, pressure) in fields {
        // The same for all neighborhoods, for they are alike.
        let sources = Esm::new(
            &window.positions(),
            &[],
            window,
            [standoff, depth],
            medium.wavenumber(*frequency),
            medium,
        );
        let fit = sources.fit(WEIGHT * sources.scale())?;
        for (i, error) in errors.iter_mut().enumerate() {
            *error += prediction_error(&grid, &window, &fit, pressure, i) / fields.len() as f64;
        }
    }
    Ok(errors)
}

fn prediction_error(grid: &Grid, window: &Grid, fit: &Fit, pressure: &[Complex64], i: usize) -> f64 {
    // At the aperture edge the neighborhood is that of the nearest microphone that has a whole one.
    let first = |at: usize, count: usize, side: usize| at.saturating_sub(side / 2).min(count - side);
    let at = [i % grid.columns, i / grid.columns];
    let from = [first(at[0], grid.columns, window.columns), first(at[1], grid.rows, window.rows)];
    let neighbor =
        |j: usize| pressure[(from[1] + j / window.columns) * grid.columns + from[0] + j % window.columns];
    let near: Vec<Complex64> = (0..window.len()).map(neighbor).collect();
    let own = (at[1] - from[1]) * window.columns + at[0] - from[0];
    let power = mean_power(&near) * window.len() as f64 - near[own].norm_sqr();
    let others = power / (window.len() - 1) as f64;
    fit.prediction_errors(&near)[own].norm_sqr() / others.max(f64::MIN_POSITIVE)
}
