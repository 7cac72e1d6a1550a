//! Holograms as tables and arrays.

use super::labels::{axes, stem};
use phasefront_core::decibels::amplitude_db;
use phasefront_nah::post::{Agreement, a_weighting, level, power_level, third_octave_powers};
use phasefront_nah::{Filter, Filters, Hologram, Plane, Problem, Regularization, Solution, Study};
use phasefront_report::{Array, ArrayFile, Table};

/// Levels and power of all holograms over time.
pub(super) fn levels(solution: &Solution) -> Table {
    let rows = &solution.summary.history.summaries;
    let number = |get: &dyn Fn(usize) -> f64| (0..rows.len()).map(get).collect::<Vec<f64>>();
    Table::new("levels")
        .number("time_s", number(&|i| rows[i].time))
        .number("frequency_hz", number(&|i| rows[i].frequency))
        .number("array_db", number(&|i| level(rows[i].measured)))
        .number("plane_db", number(&|i| level(rows[i].pressure)))
        .number("plane_max_db", number(&|i| level(rows[i].peak)))
        .number("plane_max_dba", number(&|i| level(rows[i].peak) + a_weighting(rows[i].frequency)))
        .number("power_w", number(&|i| rows[i].power))
        .number("power_db", number(&|i| power_level(rows[i].power)))
}

/// Levels with their expected errors, power, method and regularization of the saved holograms.
pub(super) fn planes(problem: &Problem, solution: &Solution) -> Table {
    let rows: Vec<(&Hologram, &Plane)> = solution
        .holograms
        .iter()
        .flat_map(|hologram| hologram.planes.iter().map(move |plane| (hologram, plane)))
        .collect();
    let number =
        |get: &dyn Fn(&Hologram, &Plane) -> f64| rows.iter().map(|(l, p)| get(l, p)).collect::<Vec<f64>>();
    let largest = |plane: &Plane| plane.pressure.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let fastest = |plane: &Plane| plane.velocity.iter().map(|u| u.norm()).fold(0.0, f64::max);
    Table::new("planes")
        .number("frequency_hz", number(&|l, _| l.frequency))
        .number("distance_m", number(&|_, p| p.distance))
        .number("max_pressure_pa", number(&|_, p| largest(p)))
        .number("max_db", number(&|_, p| level(largest(p))))
        .number("max_error_db", number(&|_, p| max_error_db(p)))
        .number("pressure_error_pa", number(&|_, p| rms(&p.pressure_error)))
        .number("max_velocity_m_per_s", number(&|_, p| fastest(p)))
        .number("velocity_error_m_per_s", number(&|_, p| rms(&p.velocity_error)))
        .number("power_w", number(&|_, p| p.power))
        .number("power_db", number(&|_, p| power_level(p.power)))
        .number("noise_pa", number(&|l, _| l.noise))
        .text("method", rows.iter().map(|(l, _)| method(l.regularization).to_owned()).collect())
        .number("kco_rad_per_m", number(&|l, _| filter_parameters(l.regularization)[0]))
        .number("phi", number(&|l, _| filter_parameters(l.regularization)[1]))
        .number("velocity_kco_rad_per_m", number(&|l, _| filter_parameters(l.regularization)[2]))
        .number("velocity_phi", number(&|l, _| filter_parameters(l.regularization)[3]))
        .number("lambda", number(&|l, _| source_parameters(problem, l.regularization)[0]))
        .number("source_depth_m", number(&|l, _| source_parameters(problem, l.regularization)[1]))
}

/// The method that a regularization is of.
fn method(regularization: Regularization) -> &'static str {
    match regularization {
        Regularization::Filters(_) => "fft",
        Regularization::Tikhonov { .. } => "esm",
    }
}

/// λ, relative to the mean of the diagonal of GGᴴ, and depth of equivalent sources, m.
fn source_parameters(problem: &Problem, regularization: Regularization) -> [f64; 2] {
    match regularization {
        Regularization::Filters(_) => [f64::NAN; 2],
        Regularization::Tikhonov { relative, .. } => [relative, problem.source_depth()],
    }
}

/// What the expected error adds to the largest level of the grid points, dB.
fn max_error_db(plane: &Plane) -> f64 {
    let largest = plane.pressure.iter().map(|p| p.norm()).fold(0.0, f64::max);
    amplitude_db(1.0 + rms(&plane.pressure_error) / largest)
}

fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|value| value * value).sum::<f64>() / values.len().max(1) as f64).sqrt()
}

/// Cutoff and slope for the pressure and for the velocity, where filters have them.
fn filter_parameters(regularization: Regularization) -> [f64; 4] {
    let of = |filter: Filter| match filter {
        Filter::Cos { cutoff, slope } | Filter::CosModified { cutoff, slope } => [cutoff, slope],
        Filter::Tikhonov { .. } | Filter::None => [f64::NAN; 2],
    };
    let Regularization::Filters(Filters { pressure, velocity }) = regularization else {
        return [f64::NAN; 4];
    };
    let ([a, b], [c, d]) = (of(pressure), of(velocity));
    [a, b, c, d]
}

/// Sound power on the first plane in third-octave bands; none for a single frequency, and none without a complete band.
pub(super) fn third_octaves(study: &Study, solution: &Solution) -> Option<Table> {
    if solution.holograms.len() < 2 {
        return None;
    }
    let bands = third_octave_powers(study, solution);
    (!bands.is_empty()).then(|| {
        Table::new("third_octaves")
            .number("center_hz", bands.iter().map(|band| band.center).collect())
            .integer("frequencies", bands.iter().map(|band| band.frequencies as i64).collect())
            .number("power_w", bands.iter().map(|band| band.power).collect())
            .number("power_db", bands.iter().map(|band| power_level(band.power)).collect())
            .number("power_dba", bands.iter().map(|band| power_level(band.a_weighted)).collect())
    })
}

/// Agreement of the first plane with the reference.
pub(super) fn reference(solution: &Solution) -> Option<Table> {
    let rows: Vec<(&Hologram, Agreement)> =
        solution.holograms.iter().filter_map(|hologram| Some((hologram, hologram.reference?))).collect();
    let number = |get: &dyn Fn(&Hologram, &Agreement) -> f64| {
        rows.iter().map(|(hologram, near)| get(hologram, near)).collect::<Vec<f64>>()
    };
    (!rows.is_empty()).then(|| {
        Table::new("reference")
            .number("frequency_hz", number(&|hologram, _| hologram.frequency))
            .number("distance_m", number(&|hologram, _| hologram.planes[0].distance))
            .number("l2", number(&|_, near| near.difference.l2))
            .number("nsad", number(&|_, near| near.difference.nsad))
            .number("rmsre", number(&|_, near| near.difference.rmsre))
            .number("correlation", number(&|_, near| near.correlation))
            .number("gain_db", number(&|_, near| near.gain_db))
    })
}

/// One file for each frequency and plane.
pub(super) fn holograms(problem: &Problem, solution: &Solution) -> Vec<ArrayFile> {
    let [x, y] = axes(&problem.grid.refined(problem.refine));
    let (rows, cols) = (y.len(), x.len());
    let on_grid = |values: &Vec<f64>| Array::Real2 {
        rows: problem.grid.rows,
        cols: problem.grid.columns,
        values: values.clone(),
    };
    let mut files = Vec::new();
    for hologram in &solution.holograms {
        for (i, plane) in hologram.planes.iter().enumerate() {
            let measured = match &problem.positions {
                None => Array::Complex2 {
                    rows: problem.grid.rows,
                    cols: problem.grid.columns,
                    values: hologram.measured.clone(),
                },
                Some(_) => Array::Complex1(hologram.measured.clone()),
            };
            let field = |values: &Vec<_>| Array::Complex2 { rows, cols, values: values.clone() };
            let mut file = ArrayFile::new(format!("hologram_{}", stem(hologram.frequency, plane, i)))
                .with("x", Array::Real1(x.clone()))
                .with("y", Array::Real1(y.clone()))
                .with("p_measured", measured)
                .with("p_source", field(&plane.pressure))
                .with("u", field(&plane.velocity))
                .with("intensity", Array::Real2 { rows, cols, values: plane.intensity.clone() })
                .with("p_error", on_grid(&plane.pressure_error))
                .with("u_error", on_grid(&plane.velocity_error));
            if problem.refine > 1 {
                // The measured pressure and the errors are on the grid of the array.
                let [x, y] = axes(&problem.grid);
                file = file.with("x_measured", Array::Real1(x)).with("y_measured", Array::Real1(y));
            }
            files.push(file);
        }
    }
    files
}
