//! Holograms as tables and arrays.

use super::plots::hertz;
use phasefront_nah::post::{
    Agreement, a_weighting, level, power_level, sum_levels, third_octave, third_octave_middle,
};
use phasefront_nah::{Filter, Filters, Grid, Kept, Line, Plane, Problem, Solution};
use phasefront_report::{Array, ArrayFile, Table};
use std::collections::BTreeMap;

/// x and y of the grid, m.
pub(super) fn axes(grid: &Grid) -> [Vec<f64>; 2] {
    let x = (0..grid.columns).map(|i| grid.place(i)[0]).collect();
    let y = (0..grid.rows).map(|i| grid.place(i * grid.columns)[1]).collect();
    [x, y]
}

/// Levels of all holograms.
pub(super) fn levels(solution: &Solution) -> Table {
    let rows = &solution.followed.history.moments;
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

/// What each hologram that is written comes to.
pub(super) fn planes(solution: &Solution) -> Table {
    let rows: Vec<(&Line, &Plane)> =
        solution.lines.iter().flat_map(|line| line.planes.iter().map(move |plane| (line, plane))).collect();
    let number =
        |get: &dyn Fn(&Line, &Plane) -> f64| rows.iter().map(|(l, p)| get(l, p)).collect::<Vec<f64>>();
    let largest = |plane: &Plane| plane.pressure.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let fastest = |plane: &Plane| plane.velocity.iter().map(|u| u.norm()).fold(0.0, f64::max);
    Table::new("planes")
        .number("frequency_hz", number(&|l, _| l.frequency))
        .number("distance_m", number(&|_, p| p.distance))
        .number("max_pressure_pa", number(&|_, p| largest(p)))
        .number("max_db", number(&|_, p| level(largest(p))))
        .number("max_velocity_m_per_s", number(&|_, p| fastest(p)))
        .number("power_w", number(&|_, p| p.power))
        .number("power_db", number(&|_, p| power_level(p.power)))
        .number("kco_rad_per_m", number(&|l, _| kept(l.kept)[0]))
        .number("phi", number(&|l, _| kept(l.kept)[1]))
        .number("velocity_kco_rad_per_m", number(&|l, _| kept(l.kept)[2]))
        .number("velocity_phi", number(&|l, _| kept(l.kept)[3]))
}

/// Cut-off and slope for the pressure and for the velocity, where filters have them.
fn kept(kept: Kept) -> [f64; 4] {
    let of = |filter: Filter| match filter {
        Filter::Cos { cutoff, slope } | Filter::CosModified { cutoff, slope } => [cutoff, slope],
        Filter::Tikhonov { .. } | Filter::None => [f64::NAN; 2],
    };
    let Kept::Filters(Filters { pressure, velocity }) = kept else { return [f64::NAN; 4] };
    let ([a, b], [c, d]) = (of(pressure), of(velocity));
    [a, b, c, d]
}

/// Powers on the first plane summed over third octaves; none of a single frequency.
pub(super) fn third_octaves(solution: &Solution) -> Option<Table> {
    if solution.lines.len() < 2 {
        return None;
    }
    let mut bands: BTreeMap<i32, Vec<(f64, f64)>> = BTreeMap::new();
    for line in &solution.lines {
        let Some(plane) = line.planes.first() else { continue };
        let weighted = power_level(plane.power) + a_weighting(line.frequency);
        bands.entry(third_octave(line.frequency)).or_default().push((power_level(plane.power), weighted));
    }
    let sums = |get: &dyn Fn(&(f64, f64)) -> f64| {
        bands
            .values()
            .map(|lines| sum_levels(&lines.iter().map(get).collect::<Vec<f64>>()))
            .collect::<Vec<f64>>()
    };
    Some(
        Table::new("third_octaves")
            .number("middle_hz", bands.keys().map(|band| third_octave_middle(*band)).collect())
            .integer("lines", bands.values().map(|lines| lines.len() as i64).collect())
            .number("power_db", sums(&|line| line.0))
            .number("power_dba", sums(&|line| line.1)),
    )
}

/// The first plane against what was measured there.
pub(super) fn reference(solution: &Solution) -> Option<Table> {
    let rows: Vec<(&Line, Agreement)> =
        solution.lines.iter().filter_map(|line| Some((line, line.reference?))).collect();
    let number = |get: &dyn Fn(&Line, &Agreement) -> f64| {
        rows.iter().map(|(line, near)| get(line, near)).collect::<Vec<f64>>()
    };
    (!rows.is_empty()).then(|| {
        Table::new("reference")
            .number("frequency_hz", number(&|line, _| line.frequency))
            .number("distance_m", number(&|line, _| line.planes[0].distance))
            .number("l2", number(&|_, near| near.apart.l2))
            .number("nsad", number(&|_, near| near.apart.nsad))
            .number("rmsre", number(&|_, near| near.apart.rmsre))
            .number("correlation", number(&|_, near| near.correlation))
            .number("gain_db", number(&|_, near| near.gain_db))
    })
}

/// A file for each frequency; further planes have files of their own.
pub(super) fn holograms(problem: &Problem, solution: &Solution) -> Vec<ArrayFile> {
    let [x, y] = axes(&problem.grid.refined(problem.refine));
    let (rows, cols) = (y.len(), x.len());
    let mut files = Vec::new();
    for line in &solution.lines {
        for (i, plane) in line.planes.iter().enumerate() {
            let measured = match &problem.places {
                None => Array::Complex2 {
                    rows: problem.grid.rows,
                    cols: problem.grid.columns,
                    values: line.measured.clone(),
                },
                Some(_) => Array::Complex1(line.measured.clone()),
            };
            let field = |values: &Vec<_>| Array::Complex2 { rows, cols, values: values.clone() };
            let mut file = ArrayFile::new(format!("hologram_{}", stem(line.frequency, plane, i)))
                .with("x", Array::Real1(x.clone()))
                .with("y", Array::Real1(y.clone()))
                .with("p_measured", measured)
                .with("p_source", field(&plane.pressure))
                .with("u", field(&plane.velocity))
                .with("intensity", Array::Real2 { rows, cols, values: plane.intensity.clone() });
            if problem.refine > 1 {
                // What was measured stays as it is, on its own grid.
                let [x, y] = axes(&problem.grid);
                file = file.with("x_measured", Array::Real1(x)).with("y_measured", Array::Real1(y));
            }
            files.push(file);
        }
    }
    files
}

/// What tells one hologram from others in names of files: its frequency, and its plane unless that is the first.
pub(super) fn stem(frequency: f64, plane: &Plane, index: usize) -> String {
    let frequency = hertz(frequency);
    if index == 0 { frequency } else { format!("{frequency}_{}mm", (1e4 * plane.distance).round() / 10.0) }
}
