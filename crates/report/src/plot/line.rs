//! Line plots.

use super::canvas::{Area, Canvas, Point};
use super::frame::{self, Axes, BOTTOM_MARGIN};
use super::scale::{self, Scale};
use super::series::{Axis, Series, SeriesStyle};
use super::{style, ticks};
use crate::ReportError;
use serde::Serialize;

/// Lines or points over straight axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LinePlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above the axes.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn. With more than one series there is a legend above the axes.
    pub series: Vec<Series>,
}

/// Height of the plotting area for which the number of ticks is chosen; a long legend reduces it
/// little.
const HEIGHT: f64 = 430.0;

/// Draws the plot.
pub fn draw(plot: &LinePlot) -> Result<Canvas, ReportError> {
    plot.series.iter().try_for_each(|series| series.validate(&plot.name))?;
    let mut canvas = Canvas::new(style::LINE_SIZE.0, style::LINE_SIZE.1);
    let x_range = scale::range(&plot.x, extent(plot, |series, i| series.x[i]));
    let y_range = vertical_range(plot);
    let y_ticks = frame::vertical_ticks(y_range, plot.y.log, &plot.y.label, HEIGHT);
    let left = frame::left_margin(&y_ticks);
    let top = frame::heading(&mut canvas, &plot.title, left, &plot.series) + 10.0;
    let top = if y_ticks.factor.is_some() { top + style::SMALL } else { top };
    // Half of the last label of the horizontal axis extends beyond its end.
    let right = canvas.width - style::MARGIN - 10.0;
    let area = Area { left, top, right, bottom: canvas.height - BOTTOM_MARGIN };
    let x_ticks = frame::horizontal_ticks(x_range, plot.x.log, &plot.x.label, area.width());
    let axes = Axes {
        area,
        x: Scale { range: x_range, log: plot.x.log, pixels: [area.left, area.right] },
        y: Scale { range: y_range, log: plot.y.log, pixels: [area.bottom, area.top] },
        x_ticks: &x_ticks,
        y_ticks: &y_ticks,
        x_label: &plot.x.label,
        y_label: &plot.y.label,
    };
    axes.grid(&mut canvas);
    for (series, look) in plot.series.iter().zip(frame::looks(&plot.series)) {
        frame::runs(&mut canvas, &area, &runs(series, &axes), &look);
    }
    axes.draw(&mut canvas);
    if extent(plot, |series, i| series.x[i]).is_none() {
        frame::no_data(&mut canvas, &area);
    }
    Ok(canvas)
}

/// Extent of one coordinate over the points that both axes can show.
fn extent(plot: &LinePlot, coordinate: impl Fn(&Series, usize) -> f64 + Copy) -> Option<[f64; 2]> {
    let fits = |x: f64, log: bool| x.is_finite() && (!log || x > 0.0);
    let points = |series| {
        let series: &Series = series;
        (0..series.x.len())
            .filter(move |i| fits(series.x[*i], plot.x.log) && fits(series.y[*i], plot.y.log))
            .map(move |i| coordinate(series, i))
    };
    scale::extent(plot.series.iter().flat_map(points), false)
}

/// The range of the vertical axis; one that is taken from the data ends at ticks.
fn vertical_range(plot: &LinePlot) -> [f64; 2] {
    let range = scale::range(&plot.y, extent(plot, |series, i| series.y[i]));
    // A requested range is not rounded to ticks.
    if plot.y.range.is_some_and(|[a, b]| [a.min(b), a.max(b)] == range) {
        return range;
    }
    if plot.y.log {
        return [range[0].log10().floor(), range[1].log10().ceil()]
            .map(|e| 10_f64.powf(e).max(f64::MIN_POSITIVE));
    }
    let degrees = ticks::is_degrees(&plot.y.label);
    let outward = |range: [f64; 2]| {
        let step = ticks::step(range, frame::most_vertical(HEIGHT), degrees);
        // The tolerance keeps an end that is a tick up to rounding from moving by a whole step.
        [(range[0] / step + 1e-9).floor() * step, (range[1] / step - 1e-9).ceil() * step]
    };
    // Twice, because the longer range may need a larger step.
    let rounded = outward(outward(range));
    if rounded.iter().all(|x| x.is_finite()) && rounded[0] < rounded[1] { rounded } else { range }
}

/// The points of a series in pixels, split where there is no value.
fn runs(series: &Series, axes: &Axes) -> Vec<Vec<Point>> {
    let pixels: Vec<Option<Point>> =
        series.x.iter().zip(&series.y).map(|(x, y)| Some((axes.x.pixel(*x)?, axes.y.pixel(*y)?))).collect();
    pixels
        .split(Option::is_none)
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().copied().flatten().collect::<Vec<_>>())
        .map(
            |run| {
                if series.style == SeriesStyle::Points { run } else { frame::thin(&run, |p| p.0, |p| p.1) }
            },
        )
        .collect()
}
