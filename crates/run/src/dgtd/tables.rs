//! Tables of a dgtd run: energy, and fields at probes.

use phasefront_dgtd::{Problem, Solution};
use phasefront_report::Table;

/// Components as they are kept for each probe, with their units.
const COMPONENTS: [&str; 6] =
    ["ex_v_per_m", "ey_v_per_m", "ez_v_per_m", "hx_a_per_m", "hy_a_per_m", "hz_a_per_m"];

/// `energy.csv`.
pub(super) fn energy(solution: &Solution) -> Table {
    Table::new("energy")
        .number("time_s", solution.energy.iter().map(|&(time, _)| time).collect())
        .number("energy_j", solution.energy.iter().map(|&(_, energy)| energy).collect())
}

/// How far the energy is below its peak at the end, dB.
pub(super) fn drop(solution: &Solution) -> f64 {
    let peak = solution.energy.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
    let last = solution.energy.last().map_or(peak, |&(_, energy)| energy);
    if peak > 0.0 { 10.0 * (peak / last).log10() } else { 0.0 }
}

/// When the watched values were kept: after each step.
pub(super) fn times(solution: &Solution) -> Vec<f64> {
    (1..=solution.steps).map(|step| solution.start + step as f64 * solution.dt).collect()
}

/// The values of one watched row, after each step.
pub(super) fn record(problem: &Problem, solution: &Solution, row: usize) -> Vec<f64> {
    let rows = COMPONENTS.len() * problem.monitors.probes.len() + problem.sources.ports.len();
    solution.records.iter().skip(row).step_by(rows.max(1)).copied().collect()
}

/// `probes.csv`: a row for each step, six columns for each probe.
pub(super) fn probes(problem: &Problem, solution: &Solution) -> Table {
    let mut table = Table::new("probes").number("time_s", times(solution));
    for probe in 0..problem.monitors.probes.len() {
        for (k, component) in COMPONENTS.iter().enumerate() {
            let name = format!("probe{}_{component}", probe + 1);
            table = table.number(name, record(problem, solution, COMPONENTS.len() * probe + k));
        }
    }
    table
}
