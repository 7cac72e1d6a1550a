//! Tables, arrays and metrics of a reflectarray run.

use super::cuts::Cuts;
use phasefront_reflectarray::{Problem, Solution};
use phasefront_report::{Array, ArrayFile, IndexMap, Table};

/// Metrics: the minimum over all frequencies.
pub(super) fn metrics(solution: &Solution) -> IndexMap<String, f64> {
    let lowest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let all = || solution.patterns.iter().filter_map(|p| p.coverage.iter().find(|c| c.region == "all"));
    let mut metrics = IndexMap::new();
    let mut add = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
    if all().next().is_some() {
        add("d_mean_dbi", lowest(&mut all().map(|c| c.d_mean)));
        add("d_min_dbi", lowest(&mut all().map(|c| c.d_min)));
    }
    let peak = |d: &Vec<f64>| d.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    add("d_peak_dbi", lowest(&mut solution.patterns.iter().map(|p| peak(&p.d_co))));
    add("min_spacing_lambda", solution.spacing[0]);
    add("max_spacing_lambda", solution.spacing[1]);
    add("objective", solution.objective);
    add("evaluations", solution.evaluations as f64);
    if let Some(spillover) = solution.spillover {
        add("spillover", spillover);
    }
    add("taper_efficiency", solution.taper_efficiency);
    let cross = solution.patterns.iter().filter_map(|p| p.d_cross.as_ref()).map(peak);
    if let Some(highest) = cross.reduce(f64::max) {
        add("d_cross_peak_dbi", highest);
    }
    if let Some(found) = &solution.sensitivity {
        add("failed_d_min_mean_dbi", found.failed_d_min[0]);
        add("failed_d_min_worst_dbi", found.failed_d_min[1]);
        add("pointing_d_min_dbi", found.pointing_d_min);
    }
    metrics
}

/// Positions, phases and illumination of the elements.
pub(super) fn elements(solution: &Solution) -> Table {
    let design = &solution.design;
    let index = |axis: usize| design.index.iter().map(|i| i[axis] as i64).collect();
    let degrees = |phase: &f64| phase.to_degrees().rem_euclid(360.0);
    Table::new("elements")
        .integer("ix", index(0))
        .integer("iy", index(1))
        .number("x_m", design.x.clone())
        .number("y_m", design.y.clone())
        .number("phase_deg", design.phase.iter().map(degrees).collect())
        .number("amplitude", solution.amplitude.clone())
}

/// Convergence history.
pub(super) fn history(solution: &Solution) -> Table {
    let rows = &solution.history;
    let number = |get: &dyn Fn(usize) -> f64| (0..rows.len()).map(get).collect();
    Table::new("history")
        .text("stage", rows.iter().map(|row| row.stage.clone()).collect())
        .integer("iteration", rows.iter().map(|row| row.iteration as i64).collect())
        .integer("evaluations", rows.iter().map(|row| row.evaluations as i64).collect())
        .number("objective", number(&|i| rows[i].objective))
        .number("d_mean_dbi", number(&|i| rows[i].d_mean))
        .number("d_min_dbi", number(&|i| rows[i].d_min))
}

/// Directivity over the regions of the coverage at each frequency.
pub(super) fn coverage(solution: &Solution) -> Table {
    let rows: Vec<_> =
        solution.patterns.iter().flat_map(|p| p.coverage.iter().map(move |c| (c, p.frequency))).collect();
    Table::new("coverage")
        .text("region", rows.iter().map(|(c, _)| c.region.clone()).collect())
        .integer("samples", rows.iter().map(|(c, _)| c.samples as i64).collect())
        .number("d_mean_dbi", rows.iter().map(|(c, _)| c.d_mean).collect())
        .number("d_min_dbi", rows.iter().map(|(c, _)| c.d_min).collect())
        .number("share_within_mask", rows.iter().map(|(c, _)| c.share_within_mask).collect())
        .number("frequency_hz", rows.iter().map(|(_, f)| *f).collect())
}

/// u, v, and on their grid D and the number of the region of each sample, 0 for none. D of further frequencies is in `d_dbi_2` and so on.
pub(super) fn directivity(problem: &Problem, solution: &Solution) -> ArrayFile {
    let (u, v) = (problem.uv_grid.u(), problem.uv_grid.v());
    let (rows, cols) = (v.len(), u.len());
    let step = problem.uv_grid.spacing;
    let region =
        |at| problem.coverage.iter().position(|r| r.has_sample(at, step)).map_or(0.0, |i| i as f64 + 1.0);
    let mask = v.iter().flat_map(|&v| u.iter().map(move |&u| [u, v])).map(region).collect();
    let mut file = ArrayFile::new("directivity")
        .with("u", Array::Real1(u.clone()))
        .with("v", Array::Real1(v.clone()))
        .with("mask", Array::Real2 { rows, cols, values: mask });
    for (i, pattern) in solution.patterns.iter().enumerate() {
        let suffix = if i == 0 { String::new() } else { format!("_{}", i + 1) };
        let plane = |values: &Vec<f64>| Array::Real2 { rows, cols, values: values.clone() };
        file = file.with(format!("d_dbi{suffix}"), plane(&pattern.d_co));
        if let Some(cross) = &pattern.d_cross {
            file = file.with(format!("d_cross_dbi{suffix}"), plane(cross));
        }
    }
    file
}

/// The two cuts.
pub(super) fn cuts(cuts: &Cuts) -> [(Table, &'static str); 2] {
    let table = |axis: usize, letter: &str| {
        let coordinate = &cuts.coordinate[axis];
        let of_frequency = |f: &f64| vec![*f; coordinate.len()];
        Table::new(format!("cut_{letter}"))
            .number(letter, coordinate.repeat(cuts.frequencies.len()))
            .number("d_dbi", cuts.d_dbi[axis].concat())
            .number("frequency_hz", cuts.frequencies.iter().flat_map(of_frequency).collect())
    };
    [
        (table(0, "u"), "directivity along u through the center of the (u, v) grid"),
        (table(1, "v"), "directivity along v through the center of the (u, v) grid"),
    ]
}
