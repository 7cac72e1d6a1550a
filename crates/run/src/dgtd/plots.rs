//! Plots of a dgtd run against time.

use super::tables::{record, times};
use phasefront_dgtd::{Problem, Solution};
use phasefront_report::plot::{Axis, LinePlot, Plot, Series};

/// Decibels below the peak where the plot of the energy ends.
const DEPTH: f64 = 120.0;
/// Probes in one plot that can still be told apart.
const MOST_CURVES: usize = 6;

/// All plots, the most telling one first.
pub(super) fn plots(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let mut plots = Vec::new();
    if !problem.monitors.probes.is_empty() {
        plots.push(probes(problem, solution));
    }
    plots.push(energy(solution));
    plots
}

fn nanoseconds(seconds: f64) -> f64 {
    1e9 * seconds
}

fn energy(solution: &Solution) -> Plot {
    let peak = solution.energy.iter().map(|&(_, energy)| energy).fold(f64::MIN_POSITIVE, f64::max);
    let x = solution.energy.iter().map(|&(time, _)| nanoseconds(time)).collect();
    let y = solution.energy.iter().map(|&(_, energy)| (10.0 * (energy / peak).log10()).max(-DEPTH)).collect();
    Plot::Line(LinePlot {
        name: "energy".into(),
        title: "Energy of all fields, from its peak".into(),
        caption: "The energy of all fields against time, in decibels from its peak.".into(),
        x: Axis::new("time (ns)"),
        y: Axis::new("energy (dB)"),
        series: vec![Series::solid("energy", x, y)],
    })
}

/// At each probe the component of E that is strongest there.
fn probes(problem: &Problem, solution: &Solution) -> Plot {
    let x: Vec<f64> = times(solution).into_iter().map(nanoseconds).collect();
    let curve = |probe: usize| {
        let all = (0..3).map(|k| (k, record(problem, solution, 6 * probe + k)));
        let size = |values: &[f64]| values.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
        let strongest = all.max_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)));
        strongest.map(|(k, y)| {
            Series::solid(format!("E{} at probe {}", ["x", "y", "z"][k], probe + 1), x.clone(), y)
        })
    };
    let shown = problem.monitors.probes.len().min(MOST_CURVES);
    Plot::Line(LinePlot {
        name: "probes".into(),
        title: "Electric field at the probes".into(),
        caption: "At each of the first probes the component of the electric field that is strongest there, against time.".into(),
        x: Axis::new("time (ns)"),
        y: Axis::new("electric field (V/m)"),
        series: (0..shown).filter_map(curve).collect(),
    })
}
