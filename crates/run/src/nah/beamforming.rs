//! Beamforming at the frequencies above those of holograms: in numbers, as arrays and as maps; and which way each frequency goes.

use super::labels::{axes, hertz};
use super::plots::{Overlay, map};
use phasefront_nah::post::{level, power_level};
use phasefront_nah::{Beamformed, Beamforming, FoundSource, Problem, Solution, Study};
use phasefront_report::plot::{MapPlot, Outline, Plot};
use phasefront_report::{Array, ArrayFile, Table};
use std::f64::consts::{LN_2, TAU};

/// Range of the color scale below the maximum, dB.
const DEPTH: f64 = 20.0;
/// Sources of CLEAN-SC are drawn with a beam whose power is one half at this part of the resolution.
const BEAM: f64 = 0.25;
/// Points of a circle.
const POINTS: usize = 60;
/// At most so many sources are marked in a map.
const MARKED: usize = 12;

/// A row for each frequency: a hologram or beamforming, and the power of it.
pub(super) fn ways(study: &Study, solution: &Solution) -> Option<Table> {
    study.problem.beamforming?;
    let power = |hologram: &phasefront_nah::Hologram| hologram.planes.first().map_or(f64::NAN, |p| p.power);
    let holograms = solution.holograms.iter().map(|h| (h.frequency, "hologram", power(h)));
    let above = solution.beamformed.iter().map(|b| (b.frequency, "beamforming", b.power.unwrap_or(f64::NAN)));
    let mut rows: Vec<(f64, &str, f64)> = holograms.chain(above).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(
        Table::new("frequencies")
            .number("frequency_hz", rows.iter().map(|row| row.0).collect())
            .text("way", rows.iter().map(|row| row.1.to_owned()).collect())
            .number("power_w", rows.iter().map(|row| row.2).collect())
            .number("power_db", rows.iter().map(|row| power_level(row.2)).collect()),
    )
}

/// A row for each source of each frequency.
pub(super) fn table(study: &Study, solution: &Solution) -> Option<Table> {
    let rows: Vec<(&Beamformed, usize, &FoundSource)> = solution
        .beamformed
        .iter()
        .flat_map(|found| found.sources.iter().enumerate().map(move |(i, source)| (found, i, source)))
        .collect();
    let number = |get: &dyn Fn(&Beamformed, &FoundSource) -> f64| {
        rows.iter().map(|(found, _, source)| get(found, source)).collect::<Vec<f64>>()
    };
    let method = name(study.problem.beamforming.as_ref()?.method);
    (!rows.is_empty()).then(|| {
        Table::new("beamforming")
            .number("frequency_hz", number(&|found, _| found.frequency))
            .text("method", vec![method.to_owned(); rows.len()])
            .integer("source", rows.iter().map(|(_, i, _)| *i as i64 + 1).collect())
            .number("x_m", number(&|_, source| source.position[0]))
            .number("y_m", number(&|_, source| source.position[1]))
            .number("level_at_1m_db", number(&|_, source| level(source.power.sqrt())))
            .number("power_w", number(&|_, source| study.half_space_power(source.power)))
            .number("power_db", number(&|_, source| power_level(study.half_space_power(source.power))))
            .number("resolution_m", number(&|found, _| found.resolution))
            .number("side_lobe_db", number(&|found, _| found.side_lobe.map_or(f64::NAN, |lobe| lobe.level)))
            .number("array_fraction", number(&|found, _| found.explained.unwrap_or(f64::NAN)))
            .number("averages", number(&|found, _| found.averages))
    })
}

fn name(method: Beamforming) -> &'static str {
    match method {
        Beamforming::CleanSc(_) => "clean-sc",
        Beamforming::DelayAndSum(_) => "delay-and-sum",
        Beamforming::Functional { .. } => "functional",
    }
}

/// The map of each frequency.
pub(super) fn arrays(solution: &Solution) -> Vec<ArrayFile> {
    let file = |found: &Beamformed| {
        let [x, y] = axes(&found.focus);
        let (rows, cols) = (y.len(), x.len());
        let real = |values: &Vec<f64>| Array::Real2 { rows, cols, values: values.clone() };
        let file = ArrayFile::new(format!("beamforming_{}", hertz(found.frequency)))
            .with("x", Array::Real1(x))
            .with("y", Array::Real1(y))
            .with("power", real(&found.map.powers));
        match &found.map.residual {
            Some(residual) => file.with("residual", real(residual)),
            None => file,
        }
    };
    solution.beamformed.iter().map(file).collect()
}

pub(super) fn plots(problem: &Problem, solution: &Solution, overlay: &Overlay) -> Vec<Plot> {
    let Some(settings) = &problem.beamforming else { return Vec::new() };
    solution.beamformed.iter().map(|found| overlay.with_photo(plot(found, settings.method))).collect()
}

fn plot(found: &Beamformed, method: Beamforming) -> MapPlot {
    let is_clean = matches!(method, Beamforming::CleanSc(_));
    let powers = if is_clean { with_beam(found) } else { found.map.powers.clone() };
    let values: Vec<f64> = powers.iter().map(|power| level(power.sqrt())).collect();
    let top = values.iter().copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max).ceil();
    let frequency = hertz(found.frequency);
    let drawn =
        if is_clean { "Circles: the sources found, half as wide as what is told apart. " } else { "" };
    let caption = format!(
        "Sources on the source plane by beamforming ({}), as the level of a monopole at a distance of 1 m in dB re 20 uPa: too high a frequency for holograms. \
         {drawn}Sources nearer to each other than {:.1} cm are one.",
        name(method),
        100.0 * found.resolution
    );
    let circle = |source: &FoundSource| {
        let point = |i: usize| {
            let angle = TAU * i as f64 / POINTS as f64;
            let radius = BEAM * found.resolution;
            [source.position[0] + radius * angle.cos(), source.position[1] + radius * angle.sin()]
        };
        Outline { points: (0..POINTS).map(point).collect(), closed: true, filled: false }
    };
    let strong = |source: &&FoundSource| level(source.power.sqrt()) > top - DEPTH;
    let marks = found.sources.iter().filter(strong).take(MARKED).map(circle);
    let title = format!("Beamforming at {frequency} Hz: sources");
    MapPlot {
        values,
        range: top.is_finite().then_some([top - DEPTH, top]),
        value_label: "level at 1 m (dB re 20 uPa)".into(),
        outlines: marks.filter(|_| is_clean).collect(),
        ..map(&found.focus, format!("beamforming_{frequency}"), title, caption)
    }
}

/// The sources of CLEAN-SC, each with a Gaussian beam.
fn with_beam(found: &Beamformed) -> Vec<f64> {
    let half = BEAM * found.resolution;
    let seen = |i: usize| {
        let [x, y] = found.focus.position(i);
        let beam = |source: &FoundSource| {
            let square = (source.position[0] - x).powi(2) + (source.position[1] - y).powi(2);
            source.power * (-LN_2 * square / (half * half)).exp()
        };
        found.sources.iter().map(beam).sum()
    };
    (0..found.focus.len()).map(seen).collect()
}
