//! Plots of a dgtd run against time.

use super::tables::times;
use phasefront_dgtd::{Solution, Study};
use phasefront_report::plot::{Axis, LinePlot, Plot, Series};

/// Curves in one plot that can still be told apart.
pub(super) const MOST_CURVES: usize = 6;
/// Decibels below the highest level where plots end: what is deeper is a null.
pub(super) const DEPTH_DB: f64 = 60.0;
/// The same for the energy, which falls further.
const ENERGY_DEPTH_DB: f64 = 120.0;

/// A number without needless digits.
pub(super) fn short(value: f64) -> String {
    format!("{}", (value * 1e4).round() / 1e4)
}

/// Frequency number `shown`, for the title of a picture.
pub(super) fn at_frequency(study: &Study, shown: usize) -> String {
    let frequency = study.problem.monitors.frequencies.get(shown).copied().unwrap_or_default();
    format!("{} GHz", short(1e-9 * frequency))
}

/// The unit of a field at a frequency, `V` or `A` over m. Initial fields have no pulse to divide by, so that theirs are spectra.
pub(super) fn unit(study: &Study, of: &str) -> String {
    if study.problem.sources.initial.is_some() { format!("{of} s/m") } else { format!("{of}/m") }
}

/// The source that fields at a frequency are for.
pub(super) fn for_source(study: &Study) -> &'static str {
    let sources = &study.problem.sources;
    if sources.initial.is_some() {
        "as the spectrum of what became of the initial fields"
    } else if sources.plane_wave.is_some() {
        "for an incident wave of 1 V/m"
    } else if sources.ports.is_empty() {
        "for dipoles of the moments given"
    } else {
        "for a source of 1 V at the driven port"
    }
}

fn nanoseconds(seconds: f64) -> f64 {
    1e9 * seconds
}

/// The energy in decibels from its peak.
pub(super) fn energy(solution: &Solution) -> Plot {
    let peak = solution.energy.iter().map(|&(_, energy)| energy).fold(f64::MIN_POSITIVE, f64::max);
    let level = |energy: f64| (10.0 * (energy / peak).log10()).max(-ENERGY_DEPTH_DB);
    let x = solution.energy.iter().map(|&(time, _)| nanoseconds(time)).collect();
    let y = solution.energy.iter().map(|&(_, energy)| level(energy)).collect();
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
pub(super) fn probes(solution: &Solution, probed: &[Vec<[f64; 6]>]) -> Plot {
    let curve = |(probe, fields): (usize, &Vec<[f64; 6]>)| {
        let size = |k: usize| fields.iter().fold(0.0, |size: f64, field| size.max(field[k].abs()));
        let k = (0..3).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0);
        let x = times(solution, fields.len()).into_iter().map(nanoseconds).collect();
        let y = fields.iter().map(|field| field[k]).collect();
        Series::solid(format!("E{} at probe {}", ["x", "y", "z"][k], probe + 1), x, y)
    };
    let series: Vec<Series> = probed.iter().enumerate().take(MOST_CURVES).map(curve).collect();
    Plot::Line(LinePlot {
        name: "probes".into(),
        // A plot of one curve has no legend.
        title: match &series[..] {
            [only] => only.label.clone(),
            _ => "Electric field at the probes".into(),
        },
        caption: "At each of the first probes, the component of the electric field that is strongest there."
            .into(),
        x: Axis::new("time (ns)"),
        y: Axis::new("electric field (V/m)"),
        series,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_curve_is_named_by_the_title() {
        let solution = Solution {
            excited: 0,
            steps: 1,
            start: 0.0,
            dt: 1e-9,
            energy: Vec::new(),
            settled: false,
            records: Vec::new(),
            spectra: Vec::new(),
            snapshots: Vec::new(),
            error: None,
        };
        let fields = vec![[0.1, -0.3, 0.2, 9.0, 9.0, 9.0]];
        assert_eq!(probes(&solution, std::slice::from_ref(&fields)).title(), "Ey at probe 1");
        assert_eq!(probes(&solution, &[fields.clone(), fields]).title(), "Electric field at the probes");
    }
}
