//! The angular spectrum at the array in k-space, and the filter.

use super::labels::hertz;
use phasefront_core::decibels::amplitude_db;
use phasefront_nah::{Filter, Filters, Hologram, KSpace, Problem, Regularization};
use phasefront_report::plot::{Axis, LinePlot, MapPlot, Outline, Plot, Series};
use std::f64::consts::TAU;

/// Range of the color scale below the maximum, dB.
const DEPTH: f64 = 60.0;
/// Points of a circle, and of a curve.
const POINTS: usize = 180;

/// k-space at one frequency and the filter over k_r; equivalent sources have neither.
pub(super) fn plots(problem: &Problem, hologram: &Hologram) -> Vec<Plot> {
    let Regularization::Filters(Filters { pressure, velocity }) = hologram.regularization else {
        return Vec::new();
    };
    let space = KSpace::new(
        problem.grid,
        &hologram.measured,
        problem.extrapolation,
        problem.medium.wavenumber(hologram.frequency),
    );
    vec![map(&space, hologram, pressure), cut(problem, &space, hologram, pressure, velocity)]
}

fn map(space: &KSpace, hologram: &Hologram, filter: Filter) -> Plot {
    let padded = space.grid().padded();
    // In ascending order of the wavenumbers.
    let order =
        |count: usize| -> Vec<usize> { (0..count).map(|i| (i + count.div_ceil(2)) % count).collect() };
    let (columns, rows) = (order(padded.columns), order(padded.rows));
    let axis = |count: usize, pitch: f64| -> Vec<f64> {
        (0..count).map(|i| TAU * (i as f64 - (count / 2) as f64) / (count as f64 * pitch)).collect()
    };
    let magnitude = |(y, x): (&usize, &usize)| space.spectrum()[y * padded.columns + x].norm();
    let magnitudes: Vec<f64> =
        rows.iter().flat_map(|y| columns.iter().map(move |x| (y, x))).map(magnitude).collect();
    let largest = magnitudes.iter().copied().fold(0.0, f64::max);
    let mut outlines = vec![circle(space.wavenumber())];
    if let Some(cutoff) = cutoff(filter) {
        outlines.push(circle(cutoff));
    }
    Plot::Map(MapPlot {
        name: format!("kspace_{}", hertz(hologram.frequency)),
        title: format!("Angular spectrum at the array at {} Hz", hertz(hologram.frequency)),
        caption: "Magnitude of the extrapolated field at the array in k-space. The inner circle is the radiation circle: waves inside propagate, waves \
                  outside are evanescent. The outer circle is the cutoff of the filter."
            .into(),
        x_label: "kx (rad/m)".into(),
        y_label: "ky (rad/m)".into(),
        value_label: "level (dB re maximum)".into(),
        x: axis(padded.columns, padded.pitch[0]),
        y: axis(padded.rows, padded.pitch[1]),
        values: magnitudes.iter().map(|magnitude| amplitude_db(magnitude / largest)).collect(),
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

fn cut(problem: &Problem, space: &KSpace, hologram: &Hologram, pressure: Filter, velocity: Filter) -> Plot {
    let (k, highest) = (space.wavenumber(), problem.grid.nyquist_wavenumber());
    // The Tikhonov filter depends on the distance; the first plane is shown.
    let distance = problem.planes.first().copied().unwrap_or(problem.standoff);
    let kr: Vec<f64> = (0..=POINTS).map(|i| highest * i as f64 / POINTS as f64).collect();
    let curve = |filter: Filter| kr.iter().map(|kr| filter.at(*kr, k, distance)).collect();
    let mut series = vec![Series::solid("pressure", kr.clone(), curve(pressure))];
    if velocity != pressure {
        series.push(Series::solid("velocity", kr.clone(), curve(velocity)));
    }
    series.push(Series::dashed("radiation circle", vec![k, k], vec![0.0, 1.0]));
    Plot::Line(LinePlot {
        name: format!("filter_{}", hertz(hologram.frequency)),
        title: format!("Filter in k-space at {} Hz", hertz(hologram.frequency)),
        caption: "Filter over the radial wavenumber. Waves below the dashed radiation circle propagate; those above are evanescent.".into(),
        x: Axis::new("kr (rad/m)").with_range(0.0, highest),
        y: Axis::new("filter").with_range(0.0, 1.05),
        series,
    })
}
