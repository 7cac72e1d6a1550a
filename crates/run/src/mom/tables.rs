//! Tables of a `mom` run: echo widths and surface currents.

use crate::format::degrees;
use phasefront_core::FieldError;
use phasefront_core::constants::C0;
use phasefront_core::decibels::power_db;
use phasefront_mom::{Problem, Solution, Study};
use phasefront_report::Table;
use std::f64::consts::PI;

/// Most rows of a table: a larger CSV file is of no use.
const MAX_ROWS: usize = 2_000_000;

/// Combinations of frequency and incidence.
pub(super) fn wave_count(problem: &Problem) -> usize {
    problem.frequencies.len() * problem.propagation.len()
}

/// Refuses outputs with too many rows.
pub(super) fn check_rows(study: &Study) -> Result<(), FieldError> {
    let (nodes, angles) = (study.mesh.len(), study.problem.observation.len());
    let waves = wave_count(&study.problem);
    if study.problem.currents && waves.saturating_mul(nodes) > MAX_ROWS {
        let message = format!("{waves} waves on {nodes} nodes exceed {MAX_ROWS} rows of currents.csv");
        let advice = "set currents = false, or split the sweep";
        return Err(FieldError::new("output.currents", message, advice));
    }
    if waves.saturating_mul(angles) > MAX_ROWS {
        let message = format!("{waves} waves at {angles} angles exceed {MAX_ROWS} rows of echo_width.csv");
        let advice = "request fewer angles, or split the sweep";
        return Err(FieldError::new("output.echo_width", message, advice));
    }
    Ok(())
}

/// Direction of propagation in degrees, from 0 to less than 360: an `arrival` of 180 degrees propagates at 0 degrees.
pub(super) fn incidence(radians: f64) -> f64 {
    // Reduced after rounding, which may give 360; the sum turns -0 into 0.
    degrees(radians).rem_euclid(360.0) + 0.0
}

/// Every (frequency, incidence) pair: frequency in Hz, incidence in degrees, and their indices.
fn waves<'a>(
    study: &'a Study,
    solution: &'a Solution,
) -> impl Iterator<Item = (f64, f64, usize, usize)> + 'a {
    solution.frequencies.iter().enumerate().flat_map(|(f, at)| {
        study.problem.propagation.iter().enumerate().map(move |(d, &a)| (at.frequency, incidence(a), f, d))
    })
}

const ECHO_COLUMNS: [&str; 6] =
    ["incidence_deg", "observation_deg", "sigma_m", "sigma_db_m", "sigma_over_lambda", "frequency_hz"];

/// One row of an echo-width table; angles in degrees.
fn echo_row(incidence: f64, observation: f64, sigma: f64, frequency: f64) -> [f64; 6] {
    [incidence, observation, sigma, power_db(sigma), sigma * frequency / C0, frequency]
}

/// A table of numbers, row by row.
fn table_of<const N: usize>(name: &str, columns: [&str; N], rows: impl Iterator<Item = [f64; N]>) -> Table {
    let mut values: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    for row in rows {
        values.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }
    columns.iter().zip(values).fold(Table::new(name), |table, (name, column)| table.number(*name, column))
}

/// Bistatic echo width against angle.
pub(super) fn echo_width(study: &Study, solution: &Solution) -> Table {
    let rows = waves(study, solution).flat_map(|(frequency, incidence, f, d)| {
        let widths = &solution.frequencies[f].echo_width[d];
        let angles = study.problem.observation.iter();
        angles.zip(widths).map(move |(&phi, &sigma)| echo_row(incidence, degrees(phi), sigma, frequency))
    });
    table_of("echo_width", ECHO_COLUMNS, rows)
}

/// Monostatic echo width.
pub(super) fn monostatic(study: &Study, solution: &Solution) -> Table {
    let rows = waves(study, solution).map(|(frequency, incidence, f, d)| {
        // Opposite to the direction of propagation: the `arrival` of the case, if it gives that.
        let back = degrees(study.problem.propagation[d] - PI);
        echo_row(incidence, back, solution.frequencies[f].monostatic[d], frequency)
    });
    table_of("monostatic", ECHO_COLUMNS, rows)
}

/// Surface currents of all nodes.
pub(super) fn currents(study: &Study, solution: &Solution) -> Table {
    let mesh = &study.mesh;
    let (mut body, mut columns) = (Vec::new(), <[Vec<f64>; 8]>::default());
    for (frequency, incidence, f, d) in waves(study, solution) {
        for (i, j) in solution.frequencies[f].currents[d].iter().enumerate() {
            body.push(mesh.body[i] as i64);
            let row = [mesh.s[i], mesh.x[i], mesh.y[i], j.re, j.im, j.norm(), incidence, frequency];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let names = ["s_m", "x_m", "y_m", "re", "im", "abs", "incidence_deg", "frequency_hz"];
    let table = Table::new("currents").integer("body", body);
    names.iter().zip(columns).fold(table, |table, (name, column)| table.number(*name, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incidences_lie_from_zero_to_less_than_360_degrees() {
        // `arrival` = 180 degrees propagates at π + π.
        for (radians, expected) in
            [(2.0 * PI, 0.0), (0.0, 0.0), (-1e-17, 0.0), (-0.5 * PI, 270.0), (2.5 * PI, 90.0)]
        {
            assert_eq!(incidence(radians).to_bits(), f64::to_bits(expected), "{radians}");
        }
    }
}
