//! Maps of holograms, and levels against time.

use super::tables::{axes, stem};
use super::waves;
use num_complex::Complex64;
use phasefront_nah::post::level;
use phasefront_nah::{Grid, Line, Plane, Problem, Solution};
use phasefront_report::plot::{Axis, Colors, LinePlot, MapPlot, Panel, PanelPlot, Plot, Series, level_range};

/// Decibels below the largest level where the colors of a map end.
const MAP_DEPTH: f64 = 30.0;
/// The same for levels against time.
const LEVEL_DEPTH: f64 = 60.0;

/// All plots, the most telling one first.
pub(super) fn plots(problem: &Problem, solution: &Solution) -> Vec<Plot> {
    let mut plots = Vec::new();
    for line in &solution.lines {
        for (i, plane) in line.planes.iter().enumerate() {
            plots.push(pressure(problem, line, plane, i));
            plots.push(intensity(problem, line, plane, i));
        }
        if problem.places.is_none() {
            plots.push(measured(problem, line));
        }
        plots.extend(reference(problem, line));
        plots.extend(waves::plots(problem, line));
    }
    plots.extend(history(solution));
    plots
}

/// A frequency in few digits: 1000, 46.875.
pub(super) fn hertz(frequency: f64) -> String {
    ((frequency * 1e3).round() / 1e3).to_string()
}

fn map(grid: &Grid, name: String, title: String, caption: String) -> MapPlot {
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

/// Levels of a field, and the ends of their colors.
fn levels(field: &[Complex64]) -> (Vec<f64>, Option<[f64; 2]>) {
    let values: Vec<f64> = field.iter().map(|p| level(p.norm())).collect();
    let top = values.iter().copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max).ceil();
    (values, top.is_finite().then_some([top - MAP_DEPTH, top]))
}

fn pressure(problem: &Problem, line: &Line, plane: &Plane, index: usize) -> Plot {
    let (values, range) = levels(&plane.pressure);
    let name = format!("pressure_{}", stem(line.frequency, plane, index));
    let title =
        format!("Sound pressure at {} Hz, {} cm from the array", hertz(line.frequency), centimeters(plane));
    let caption = "Level of the pressure on the plane, in dB re 20 uPa.".to_owned();
    let value_label = "level (dB re 20 uPa)".into();
    Plot::Map(MapPlot {
        values,
        range,
        value_label,
        ..map(&problem.grid.refined(problem.refine), name, title, caption)
    })
}

fn measured(problem: &Problem, line: &Line) -> Plot {
    let (values, range) = levels(&line.measured);
    let name = format!("measured_{}", hertz(line.frequency));
    let title = format!("Sound pressure at {} Hz at the array", hertz(line.frequency));
    let caption = "Level of the pressure at the microphones, in dB re 20 uPa.".to_owned();
    let value_label = "level (dB re 20 uPa)".into();
    Plot::Map(MapPlot { values, range, value_label, ..map(&problem.grid, name, title, caption) })
}

fn intensity(problem: &Problem, line: &Line, plane: &Plane, index: usize) -> Plot {
    let name = format!("intensity_{}", stem(line.frequency, plane, index));
    let title = format!(
        "Intensity at {} Hz, {} cm from the array: {:.2e} W in all",
        hertz(line.frequency),
        centimeters(plane),
        plane.power
    );
    let caption =
        "Power that goes through the plane away from the source, for each square meter; blue goes back."
            .to_owned();
    let largest = plane.intensity.iter().map(|i| i.abs()).fold(0.0, f64::max);
    Plot::Map(MapPlot {
        values: plane.intensity.clone(),
        range: (largest > 0.0).then_some([-largest, largest]),
        value_label: "intensity (W/m²)".into(),
        colors: Colors::Diverging,
        ..map(&problem.grid.refined(problem.refine), name, title, caption)
    })
}

fn centimeters(plane: &Plane) -> f64 {
    (1e4 * plane.distance).round() / 1e2
}

/// The first plane beside what was measured there.
fn reference(problem: &Problem, line: &Line) -> Option<Plot> {
    let near = line.reference?;
    let measured = problem.reference_at(line.frequency)?;
    // Only what is at the microphones can be compared.
    let plane = line.planes.first()?;
    let fine = problem.grid.refined(problem.refine);
    let at = |i: usize| {
        let (x, y) = (i % problem.grid.columns, i / problem.grid.columns);
        plane.pressure[problem.refine * (y * fine.columns + x)]
    };
    let found: Vec<Complex64> = (0..problem.grid.len()).map(at).collect();
    let ((measured, range), (found, _)) = (levels(measured), levels(&found));
    let [x, y] = axes(&problem.grid);
    let note = format!("difference {:.1} %, correlation {:.4}", 100.0 * near.apart.l2, near.correlation);
    let heard = Panel { title: "measured".into(), values: measured, ..Panel::default() };
    Some(Plot::Panels(PanelPlot {
        name: format!("reference_{}", hertz(line.frequency)),
        title: format!("{} Hz, {} cm from the array", hertz(line.frequency), centimeters(plane)),
        caption: "What was measured on the first plane, and the hologram there.".into(),
        x_label: "x (m)".into(),
        y_label: "y (m)".into(),
        value_label: "level (dB re 20 uPa)".into(),
        x,
        y,
        panels: vec![heard, Panel { title: "hologram".into(), note, values: found }],
        range,
        ..PanelPlot::default()
    }))
}

/// Levels of the first plane against time, where there is more than one hologram.
fn history(solution: &Solution) -> Option<Plot> {
    if solution.followed.history.holograms < 2 {
        return None;
    }
    let series = |line: &Line| {
        let rows: Vec<_> =
            solution.followed.history.moments.iter().filter(|row| row.frequency == line.frequency).collect();
        let time = rows.iter().map(|row| row.time).collect();
        Series::solid(
            format!("{} Hz", hertz(line.frequency)),
            time,
            rows.iter().map(|row| level(row.peak)).collect(),
        )
    };
    // A steady level is a straight line, and not its last digits.
    let range = level_range(solution.followed.history.moments.iter().map(|row| level(row.peak)), LEVEL_DEPTH);
    Some(Plot::Line(LinePlot {
        name: "levels".into(),
        title: "Largest level on the first plane".into(),
        caption: "Largest level on the first plane against the time at which a spectrum begins.".into(),
        x: Axis::new("time (s)"),
        y: Axis { range: Some(range), ..Axis::new("level (dB re 20 uPa)") },
        series: solution.lines.iter().map(series).collect(),
    }))
}
