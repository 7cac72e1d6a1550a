//! Tables of a dgtd run against time: energy, and fields at probes.

use phasefront_dgtd::{Solution, Study};
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

/// E and H at all probes after each step: [probe][step][component].
pub(super) fn probed(study: &Study, solution: &Solution) -> Vec<Vec<[f64; 6]>> {
    (0..study.problem.monitors.probes.len()).map(|probe| study.probe(solution, probe)).collect()
}

/// When they were kept.
pub(super) fn times(solution: &Solution, steps: usize) -> Vec<f64> {
    (0..steps).map(|step| solution.time(step)).collect()
}

/// `probes.csv`: a row for each step, six columns for each probe.
pub(super) fn probes(solution: &Solution, probed: &[Vec<[f64; 6]>]) -> Table {
    let steps = probed.first().map_or(0, Vec::len);
    let mut table = Table::new("probes").number("time_s", times(solution, steps));
    for (probe, fields) in probed.iter().enumerate() {
        for (k, component) in COMPONENTS.iter().enumerate() {
            let name = format!("probe{}_{component}", probe + 1);
            table = table.number(name, fields.iter().map(|field| field[k]).collect());
        }
    }
    table
}
