//! What the array hears as waves, and which of them are kept.

use super::plots::hertz;
use phasefront_nah::{Filter, Filters, KSpace, Kept, Line, Problem};
use phasefront_report::plot::{Axis, LinePlot, MapPlot, Outline, Plot, Series};
use std::f64::consts::TAU;

/// Decibels below the strongest wave where the colors end.
const DEPTH: f64 = 60.0;
/// Points of a circle, and of a curve.
const POINTS: usize = 180;

/// k-space at one frequency and a cut of the filter; equivalent sources have neither.
pub(super) fn plots(problem: &Problem, line: &Line) -> Vec<Plot> {
    let Kept::Filters(Filters { pressure, velocity }) = line.kept else { return Vec::new() };
    let space = KSpace::new(
        problem.grid,
        &line.measured,
        problem.extrapolation,
        problem.medium.wave_number(line.frequency),
    );
    vec![map(&space, line, pressure), cut(problem, &space, line, pressure, velocity)]
}

fn map(space: &KSpace, line: &Line, filter: Filter) -> Plot {
    let wide = space.grid().widened();
    // From the most negative wave number up.
    let order =
        |count: usize| -> Vec<usize> { (0..count).map(|i| (i + count.div_ceil(2)) % count).collect() };
    let (columns, rows) = (order(wide.columns), order(wide.rows));
    let axis = |count: usize, pitch: f64| -> Vec<f64> {
        (0..count).map(|i| TAU * (i as f64 - (count / 2) as f64) / (count as f64 * pitch)).collect()
    };
    let size = |(y, x): (&usize, &usize)| space.spectrum()[y * wide.columns + x].norm();
    let sizes: Vec<f64> = rows.iter().flat_map(|y| columns.iter().map(move |x| (y, x))).map(size).collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let mut outlines = vec![circle(space.wave_number())];
    if let Some(cutoff) = cutoff(filter) {
        outlines.push(circle(cutoff));
    }
    Plot::Map(MapPlot {
        name: format!("kspace_{}", hertz(line.frequency)),
        title: format!("Waves at the array at {} Hz", hertz(line.frequency)),
        caption: "Size of the waves at the array, carried on beyond its rim; inside of the inner circle they travel, and the outer one is the \
                  cut-off of the filter."
            .into(),
        x_label: "kx (rad/m)".into(),
        y_label: "ky (rad/m)".into(),
        value_label: "level (dB re the strongest)".into(),
        x: axis(wide.columns, wide.pitch[0]),
        y: axis(wide.rows, wide.pitch[1]),
        values: sizes.iter().map(|size| 20.0 * (size / largest).log10()).collect(),
        range: Some([-DEPTH, 0.0]),
        outlines,
        ..MapPlot::default()
    })
}

fn cutoff(filter: Filter) -> Option<f64> {
    match filter {
        Filter::Cos { cutoff, .. } | Filter::CosModified { cutoff, .. } => Some(cutoff),
        Filter::Tikhonov { .. } | Filter::None => None,
    }
}

fn circle(radius: f64) -> Outline {
    let point = |i: usize| {
        let angle = TAU * i as f64 / POINTS as f64;
        [radius * angle.cos(), radius * angle.sin()]
    };
    Outline { points: (0..POINTS).map(point).collect(), closed: true, filled: false }
}

fn cut(problem: &Problem, space: &KSpace, line: &Line, pressure: Filter, velocity: Filter) -> Plot {
    let (k, highest) = (space.wave_number(), problem.grid.nyquist());
    let distance = problem.planes.first().copied().unwrap_or(problem.distance);
    let kr: Vec<f64> = (0..=POINTS).map(|i| highest * i as f64 / POINTS as f64).collect();
    let curve = |filter: Filter| kr.iter().map(|kr| filter.at(*kr, k, distance)).collect();
    let mut series = vec![Series::solid("pressure", kr.clone(), curve(pressure))];
    if velocity != pressure {
        series.push(Series::solid("velocity", kr.clone(), curve(velocity)));
    }
    series.push(Series::dashed("radiation circle", vec![k, k], vec![0.0, 1.0]));
    Plot::Line(LinePlot {
        name: format!("filter_{}", hertz(line.frequency)),
        title: format!("What is kept of waves at {} Hz", hertz(line.frequency)),
        caption: "The filter in k-space; waves to the left of the dashed line travel, the others die out."
            .into(),
        x: Axis::new("kr (rad/m)").with_range(0.0, highest),
        y: Axis::new("kept part").with_range(0.0, 1.05),
        series,
    })
}
