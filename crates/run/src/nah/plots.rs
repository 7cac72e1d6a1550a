//! Maps of holograms, and levels over time.

use super::kspace_plots;
use super::labels::{axes, hertz, stem};
use num_complex::Complex64;
use phasefront_core::decibels::amplitude_db;
use phasefront_nah::post::level;
use phasefront_nah::{Grid, Hologram, Plane, Problem, Solution};
use phasefront_report::plot::{
    Axis, Colors, LinePlot, MapPlot, Outline, Panel, PanelPlot, Photo, Plot, Series, contour, level_range,
};
use std::sync::Arc;

/// Range of the color scale below the maximum, dB.
const MAP_DEPTH: f64 = 30.0;
/// Range of levels over time below the maximum, dB.
const LEVEL_DEPTH: f64 = 60.0;

/// The expected error of a level that a line in the maps is drawn at, dB.
const UNSURE: f64 = 3.0;

/// What maps have over and under them.
pub(super) struct Overlay {
    pub(super) outlines: Vec<Outline>,
    pub(super) photo: Option<Arc<Photo>>,
}

impl Overlay {
    /// The outlines over a map.
    fn over(&self, map: MapPlot) -> Plot {
        Plot::Map(MapPlot { outlines: self.outlines.clone(), ..map })
    }

    /// A map of levels, over the photo too.
    pub(super) fn with_photo(&self, mut map: MapPlot) -> Plot {
        map.outlines.extend(self.outlines.iter().cloned());
        Plot::Map(MapPlot { photo: self.photo.clone(), ..map })
    }
}

/// All plots, the most informative first.
pub(super) fn plots(problem: &Problem, solution: &Solution, overlay: &Overlay) -> Vec<Plot> {
    let mut plots = Vec::new();
    for hologram in &solution.holograms {
        for (i, plane) in hologram.planes.iter().enumerate() {
            plots.push(overlay.with_photo(pressure(problem, hologram, plane, i)));
            plots.push(overlay.over(intensity(problem, hologram, plane, i)));
            plots.push(overlay.over(velocity(problem, hologram, plane, i)));
        }
        // Microphones at irregular positions have no grid for a map.
        if problem.positions.is_none() {
            plots.push(measured(problem, hologram));
        }
        plots.extend(reference(problem, hologram));
        // Of partial fields the strongest: their sum has no phase.
        plots
            .extend(hologram.parts().first().into_iter().flat_map(|part| kspace_plots::plots(problem, part)));
    }
    plots.extend(history(solution));
    plots
}

pub(super) fn map(grid: &Grid, name: String, title: String, caption: String) -> MapPlot {
    let [x, y] = axes(grid);
    MapPlot {
        name,
        title,
        caption,
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        x,
        y,
        ..MapPlot::default()
    }
}

/// Sound pressure levels of a field, and their color range.
pub(super) fn levels(field: &[Complex64]) -> (Vec<f64>, Option<[f64; 2]>) {
    let values: Vec<f64> = field.iter().map(|p| level(p.norm())).collect();
    let top = values.iter().copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max).ceil();
    (values, top.is_finite().then_some([top - MAP_DEPTH, top]))
}

/// Where the expected error of a level is [`UNSURE`], by the values on the plane and their expected errors on the grid, and a sentence about it.
fn unsure(problem: &Problem, field: &[Complex64], errors: &[f64]) -> (Vec<Vec<[f64; 2]>>, String) {
    let decibels: Vec<f64> = on_grid(problem, field)
        .iter()
        .zip(errors)
        .map(|(value, error)| amplitude_db(1.0 + error / value.norm()))
        .collect();
    let [x, y] = axes(&problem.grid);
    let sure = decibels.iter().filter(|error| **error < UNSURE).count();
    let percent = 100 * sure / decibels.len().max(1);
    let sentence = format!(
        " The expected error is below {UNSURE} dB at {percent} % of the points, bounded by the line."
    );
    (contour(&x, &y, &decibels, UNSURE), sentence)
}

/// What is saved of a field at the points of the grid: point (x, y) is point (refine x, refine y) of the finer grid.
fn on_grid(problem: &Problem, field: &[Complex64]) -> Vec<Complex64> {
    let (grid, fine) = (problem.grid, problem.grid.refined(problem.refine));
    let at = |i: usize| field[problem.refine * (i / grid.columns * fine.columns + i % grid.columns)];
    (0..grid.len()).map(at).collect()
}

fn pressure(problem: &Problem, hologram: &Hologram, plane: &Plane, index: usize) -> MapPlot {
    let (values, range) = levels(&plane.pressure);
    let name = format!("pressure_{}", stem(hologram.frequency, plane, index));
    let title = format!(
        "Sound pressure at {} Hz, {} cm from the array",
        hertz(hologram.frequency),
        centimeters(plane)
    );
    let (lines, sentence) = unsure(problem, &plane.pressure, &plane.pressure_error);
    let caption = format!("Sound pressure level on the plane, in dB re 20 uPa.{sentence}");
    let value_label = "level (dB re 20 uPa)".into();
    MapPlot {
        values,
        range,
        value_label,
        lines,
        ..map(&problem.grid.refined(problem.refine), name, title, caption)
    }
}

fn measured(problem: &Problem, hologram: &Hologram) -> Plot {
    let (values, range) = levels(&hologram.measured);
    let name = format!("measured_{}", hertz(hologram.frequency));
    let title = format!("Sound pressure at {} Hz at the array", hertz(hologram.frequency));
    let caption = "Sound pressure level at the microphones, in dB re 20 uPa.".to_owned();
    let value_label = "level (dB re 20 uPa)".into();
    Plot::Map(MapPlot { values, range, value_label, ..map(&problem.grid, name, title, caption) })
}

fn intensity(problem: &Problem, hologram: &Hologram, plane: &Plane, index: usize) -> MapPlot {
    let name = format!("intensity_{}", stem(hologram.frequency, plane, index));
    let title = format!(
        "Intensity at {} Hz, {} cm from the array: {:.2e} W in total",
        hertz(hologram.frequency),
        centimeters(plane),
        plane.power
    );
    let caption =
        "Normal active intensity, positive away from the source; blue is toward the source.".to_owned();
    let largest = plane.intensity.iter().map(|i| i.abs()).fold(0.0, f64::max);
    MapPlot {
        values: plane.intensity.clone(),
        range: (largest > 0.0).then_some([-largest, largest]),
        value_label: "intensity (W/m²)".into(),
        colors: Colors::Diverging,
        ..map(&problem.grid.refined(problem.refine), name, title, caption)
    }
}

fn velocity(problem: &Problem, hologram: &Hologram, plane: &Plane, index: usize) -> MapPlot {
    let name = format!("velocity_{}", stem(hologram.frequency, plane, index));
    let title = format!(
        "Particle velocity at {} Hz, {} cm from the array",
        hertz(hologram.frequency),
        centimeters(plane)
    );
    let (lines, sentence) = unsure(problem, &plane.velocity, &plane.velocity_error);
    let caption = format!("Amplitude of the normal particle velocity on the plane.{sentence}");
    let values: Vec<f64> = plane.velocity.iter().map(|u| 1e3 * u.norm()).collect();
    let largest = values.iter().copied().fold(0.0, f64::max);
    MapPlot {
        values,
        range: (largest > 0.0).then_some([0.0, largest]),
        value_label: "velocity (mm/s)".into(),
        lines,
        ..map(&problem.grid.refined(problem.refine), name, title, caption)
    }
}

fn centimeters(plane: &Plane) -> f64 {
    (1e4 * plane.distance).round() / 1e2
}

/// The first plane beside the reference.
fn reference(problem: &Problem, hologram: &Hologram) -> Option<Plot> {
    let near = hologram.reference?;
    let measured = problem.reference_at(hologram.frequency)?;
    // The reference is known at the grid points only.
    let plane = hologram.planes.first()?;
    let found = on_grid(problem, &plane.pressure);
    let ((measured, range), (found, _)) = (levels(measured), levels(&found));
    let [x, y] = axes(&problem.grid);
    let note = format!("difference {:.1} %, correlation {:.4}", 100.0 * near.difference.l2, near.correlation);
    let reference = Panel { title: "measured".into(), values: measured, ..Panel::default() };
    Some(Plot::Panels(PanelPlot {
        name: format!("reference_{}", hertz(hologram.frequency)),
        title: format!("{} Hz, {} cm from the array", hertz(hologram.frequency), centimeters(plane)),
        caption: "Reference measurement on the first plane, and the hologram there.".into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "level (dB re 20 uPa)".into(),
        x,
        y,
        panels: vec![reference, Panel { title: "hologram".into(), note, values: found }],
        range,
        ..PanelPlot::default()
    }))
}

/// Levels on the first plane over time, if there is more than one hologram.
fn history(solution: &Solution) -> Option<Plot> {
    if solution.summary.history.holograms < 2 {
        return None;
    }
    let series = |hologram: &Hologram| {
        let rows: Vec<_> = solution
            .summary
            .history
            .summaries
            .iter()
            .filter(|row| row.frequency == hologram.frequency)
            .collect();
        let time = rows.iter().map(|row| row.time).collect();
        Series::solid(
            format!("{} Hz", hertz(hologram.frequency)),
            time,
            rows.iter().map(|row| level(row.peak)).collect(),
        )
    };
    // A constant level appears as a straight line: the axis must not resolve its rounding errors.
    let range =
        level_range(solution.summary.history.summaries.iter().map(|row| level(row.peak)), LEVEL_DEPTH);
    Some(Plot::Line(LinePlot {
        name: "levels".into(),
        title: "Largest level on the first plane".into(),
        caption: "Largest level on the first plane over the start time of each window.".into(),
        x: Axis::new("time (s)"),
        y: Axis { range: Some(range), ..Axis::new("level (dB re 20 uPa)") },
        series: solution.holograms.iter().map(series).collect(),
    }))
}
