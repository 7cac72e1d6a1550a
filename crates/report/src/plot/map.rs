//! Maps: a value over the plane, in colors.

use super::canvas::{Anchor, Canvas, Font, Point};
use super::colorbar::{ColorBar, LEVELS};
use super::colormap::Colors;
use super::contour::contour;
use super::frame::{self, Axes, Look};
use super::page::{Labels, Page};
use super::photo::Photo;
use super::serial;
use super::series::Axis;
use super::{scale, style};
use crate::ReportError;
use serde::Serialize;
use std::f64::consts::PI;
use std::sync::Arc;

/// Pixels of the picture for one unit of the page. More makes the file larger and nothing sharper: values
/// between the samples are interpolated.
const PICTURE_SCALE: f64 = 1.25;
/// The strongest field covers so much of a photo under it.
const MOST_OPAQUE: f64 = 0.85;
/// Points of the shortest contour line that has room for its level.
const SHORTEST_LABELED: usize = 12;
/// Pixels that a level keeps from others, across and down.
const LABEL_ROOM: (f64, f64) = (34.0, 20.0);

/// A field over the plane, in colors; with equal scales on both axes unless it is stretched.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MapPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above the map.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label of the horizontal axis with unit: `x (m)`.
    pub x_label: String,
    /// Label of the vertical axis with unit.
    pub y_label: String,
    /// Label of the color bar with unit: `|E| (V/m)`.
    pub value_label: String,
    /// Where the columns of `values` are; rising or falling.
    pub x: Vec<f64>,
    /// Where the rows are; rising or falling.
    pub y: Vec<f64>,
    /// Values row by row. What is not finite is left blank.
    #[serde(serialize_with = "serial::short")]
    pub values: Vec<f64>,
    /// Which colors. Phases are in degrees, or in radians if `value_label` says `rad`.
    pub colors: Colors,
    /// Values at the ends of the color bar; those of the data if not given.
    pub range: Option<[f64; 2]>,
    /// Whether the axes fill the page, in place of having equal scales: for a level against time and angle, say.
    pub stretched: bool,
    /// Values whose lines are drawn, with the value beside them.
    pub contours: Vec<f64>,
    /// Thin lines over the field, such as coasts, in data coordinates.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Fainter lines below them, such as meridians.
    pub faint_lines: Vec<Vec<[f64; 2]>>,
    /// Strong lines over the field, such as the contour of a body.
    pub outlines: Vec<Outline>,
    /// A photo under the field, which is then the more transparent the weaker it is.
    #[serde(skip)]
    pub photo: Option<Arc<Photo>>,
}

/// A line over a map.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Outline {
    /// Its points in data coordinates.
    pub points: Vec<[f64; 2]>,
    /// Whether the last point joins the first.
    pub closed: bool,
    /// Whether the inside is filled with gray.
    pub filled: bool,
}

/// Draws the plot.
pub fn draw(plot: &MapPlot) -> Result<Canvas, ReportError> {
    validate(plot)?;
    let (x_range, y_range) = (side(&plot.x, &plot.y), side(&plot.y, &plot.x));
    let hidden = hidden(plot);
    let labels = Labels {
        name: &plot.name,
        title: &plot.title,
        x: &plot.x_label,
        y: &plot.y_label,
        value: &plot.value_label,
        colors: plot.colors,
        stretched: plot.stretched,
    };
    let (page, mut canvas) = Page::new(labels, [x_range, y_range, value_range(plot, &hidden)]);
    let axes = page.axes();
    let blank = if plot.colors == Colors::Diverging { style::NO_VALUE_BESIDE_WHITE } else { style::NO_VALUE };
    canvas.rect(page.area, blank, None);
    if let Some(photo) = &plot.photo {
        canvas.image(page.area, &photo.picture(&plot.name, &axes, picture_size(&axes))?);
    }
    canvas.image(page.area, &picture(plot, &hidden, &axes, &page.bar)?);
    for line in &plot.faint_lines {
        draw_line(&mut canvas, line, &axes, &[Look::FAINT]);
    }
    for line in &plot.lines {
        draw_line(&mut canvas, line, &axes, &[Look::COAST_RIM, Look::COAST]);
    }
    let contours: Vec<_> =
        plot.contours.iter().map(|level| (*level, contour(&plot.x, &plot.y, &plot.values, *level))).collect();
    for line in contours.iter().flat_map(|(_, lines)| lines) {
        draw_line(&mut canvas, line, &axes, &[Look::LEVEL]);
    }
    for outline in &plot.outlines {
        draw_outline(&mut canvas, outline, &axes);
    }
    label_contours(&mut canvas, &contours, &axes);
    if !plot.values.iter().any(|v| v.is_finite()) {
        frame::no_data(&mut canvas, &page.area);
    }
    page.finish(&mut canvas)?;
    Ok(canvas)
}

pub fn validate(plot: &MapPlot) -> Result<(), ReportError> {
    let failed = |reason: String| Err(ReportError::Plot { plot: plot.name.clone(), reason });
    let (rows, cols) = (plot.y.len(), plot.x.len());
    if rows == 0 || cols == 0 {
        return failed("the map has no cells".to_owned());
    }
    if rows.checked_mul(cols) != Some(plot.values.len()) {
        return failed(format!("{} values for {rows} rows of {cols}", plot.values.len()));
    }
    for (axis, name) in [(&plot.x, "x"), (&plot.y, "y")] {
        let rises = axis.windows(2).all(|w| w[0] < w[1]);
        let falls = axis.windows(2).all(|w| w[0] > w[1]);
        if !(rises || falls) || axis.iter().any(|v| v.is_nan() || v.abs() > 1e300) {
            return failed(format!("{name} neither rises nor falls throughout"));
        }
    }
    Ok(())
}

/// Ends of one side; a side of a single cell is as long as a cell of the other side.
pub fn side(axis: &[f64], other: &[f64]) -> [f64; 2] {
    let (first, last) = (axis[0], axis[axis.len() - 1]);
    if axis.len() > 1 {
        return [first.min(last), first.max(last)];
    }
    let cells = (other.len() - 1).max(1) as f64;
    let cell = (other[other.len() - 1] / cells - other[0] / cells).abs();
    let half = if cell > 0.0 { 0.5 * cell } else { 0.5 };
    scale::widen([first - half, first + half], false)
}

/// Ends of the color bar: those of the visible values; values inside a body may be many times
/// larger.
fn value_range(plot: &MapPlot, hidden: &[bool]) -> [f64; 2] {
    let axis = Axis { label: String::new(), range: plot.range, log: false };
    let seen = plot.values.iter().zip(hidden).filter(|(_, hidden)| !**hidden);
    let data = scale::extent(seen.map(|(value, _)| *value), false);
    match plot.colors {
        Colors::Sequential | Colors::Heat => scale::range(&axis, data),
        // White is zero: the range is symmetric.
        Colors::Diverging => {
            let largest = data.map_or(0.0, |[low, high]| low.abs().max(high.abs()));
            let largest = if largest > 0.0 { largest } else { 1.0 };
            scale::range(&axis, Some([-largest, largest]))
        }
        Colors::Phase => scale::range(&axis, Some([-half_turn(plot), half_turn(plot)])),
    }
}

fn half_turn(plot: &MapPlot) -> f64 {
    if plot.value_label.contains("rad") { PI } else { 180.0 }
}

/// The field as a PNG with a palette.
pub fn picture(plot: &MapPlot, hidden: &[bool], axes: &Axes, bar: &ColorBar) -> Result<Vec<u8>, ReportError> {
    let (width, height) = picture_size(axes);
    let columns = samples(&plot.x, axes.x.range, width);
    // The first row of an image is at its top, where y is largest.
    let mut rows = samples(&plot.y, axes.y.range, height);
    rows.reverse();
    let index = |value: f64| {
        if value.is_finite() { 1 + (bar.shade(value) * LEVELS).round() as u8 } else { 0 }
    };
    let mut indices = Vec::with_capacity(width * height);
    for row in &rows {
        indices.extend(columns.iter().map(|column| index(between(plot, hidden, *row, *column))));
    }
    // Over a photo the weak field is clear.
    let strength = |i: usize| match plot.colors {
        Colors::Diverging => (2.0 * i as f64 / LEVELS - 1.0).abs(),
        _ => i as f64 / LEVELS,
    };
    let alpha = |i: usize| (255.0 * MOST_OPAQUE * strength(i)).round() as u8;
    let over_photo = || std::iter::once(0).chain((0..=LEVELS as usize).map(alpha)).collect();
    bar.encode((width, height), &indices, if plot.photo.is_some() { over_photo() } else { vec![0] })
}

/// Width and height of pictures in the area, in pixels.
fn picture_size(axes: &Axes) -> (usize, usize) {
    let pixels = |side: f64| (side * PICTURE_SCALE).round() as usize;
    (pixels(axes.area.width()), pixels(axes.area.height()))
}

/// A position between two samples: the lower index, and the weight of the next sample.
type GridPosition = (usize, f64);

/// Positions of `count` evenly spaced points of a range among the samples of an axis.
fn samples(axis: &[f64], range: [f64; 2], count: usize) -> Vec<GridPosition> {
    let falls = axis.len() > 1 && axis[0] > axis[1];
    let position = |i: usize| {
        let t = (i as f64 + 0.5) / count as f64;
        let at = range[0] * (1.0 - t) + range[1] * t;
        // Axes ascend or descend: the predicate follows their direction.
        let above = axis.partition_point(|v| if falls { *v > at } else { *v < at });
        let lower = above.saturating_sub(1).min(axis.len().saturating_sub(2));
        let Some(next) = axis.get(lower + 1) else { return (lower, 0.0) };
        let part = (0.5 * at - 0.5 * axis[lower]) / (0.5 * next - 0.5 * axis[lower]);
        (lower, part.clamp(0.0, 1.0))
    };
    (0..count).map(position).collect()
}

/// Bilinear interpolation between four samples.
fn between(plot: &MapPlot, hidden: &[bool], (row, v): GridPosition, (col, u): GridPosition) -> f64 {
    let (cols, last_row, last_col) = (plot.x.len(), plot.y.len() - 1, plot.x.len() - 1);
    let value = |row: usize, col: usize| plot.values[row.min(last_row) * cols + col.min(last_col)];
    let positions = [(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)];
    let corners = positions.map(|(row, col)| value(row, col));
    let mut weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
    if corners.iter().any(|x| !x.is_finite()) {
        let is_body = |(row, col): (usize, usize)| hidden[row.min(last_row) * cols + col.min(last_col)];
        if !corners.iter().zip(positions).all(|(x, position)| x.is_finite() || is_body(position)) {
            // Next to a gap: the nearest sample instead of interpolation.
            return value(row + usize::from(v >= 0.5), col + usize::from(u >= 0.5));
        }
        // Extrapolate the field to the edge of a filled body, which hides the staircase of its
        // cells.
        weights.iter_mut().zip(corners).filter(|(_, x)| !x.is_finite()).for_each(|(w, _)| *w = 0.0);
        let whole: f64 = weights.iter().sum();
        if whole <= 0.0 {
            return f64::NAN;
        }
        weights = weights.map(|w| w / whole);
    }
    let terms = || corners.iter().zip(&weights).filter(|(x, _)| x.is_finite());
    let mean = |f: &dyn Fn(f64) -> f64| terms().map(|(x, w)| w * f(*x)).sum::<f64>();
    if plot.colors != Colors::Phase {
        return mean(&|x| x);
    }
    // Phases wrap: the mean of 179 and -179 degrees is 180, not 0. Interpolate on the unit circle.
    let unit = PI / half_turn(plot);
    mean(&|x| (unit * x).sin()).atan2(mean(&|x| (unit * x).cos())) / unit
}

/// Samples under a filled outline, by the even-odd rule: an odd number of its edges to their left.
fn hidden(plot: &MapPlot) -> Vec<bool> {
    let cols = plot.x.len();
    let mut hidden = vec![false; plot.values.len()];
    for outline in plot.outlines.iter().filter(|outline| outline.filled) {
        let edges = || outline.points.iter().zip(outline.points.iter().cycle().skip(1));
        for (row, &y) in hidden.chunks_mut(cols.max(1)).zip(&plot.y) {
            // Half-open comparison: a vertex exactly on the row counts once.
            let crossed = edges().filter(|(a, b)| (a[1] > y) != (b[1] > y));
            let at: Vec<f64> =
                crossed.map(|(a, b)| a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])).collect();
            for (sample, &x) in row.iter_mut().zip(&plot.x) {
                *sample |= at.iter().filter(|&&edge| edge < x).count() % 2 == 1;
            }
        }
    }
    hidden
}

/// Draws a line in several styles, the first one below.
fn draw_line(canvas: &mut Canvas, line: &[[f64; 2]], axes: &Axes, looks: &[Look]) {
    let runs = [line.iter().filter_map(|p| pixel(axes, p)).collect()];
    for look in looks {
        frame::runs(canvas, &axes.area, &runs, look);
    }
}

fn pixel(axes: &Axes, [x, y]: &[f64; 2]) -> Option<Point> {
    Some((axes.x.pixel(*x)?, axes.y.pixel(*y)?))
}

/// Labels the longest line of each level, at a point away from other labels.
fn label_contours(canvas: &mut Canvas, contours: &[(f64, Vec<Vec<[f64; 2]>>)], axes: &Axes) {
    let mut taken: Vec<Point> = Vec::new();
    for (level, lines) in contours {
        let Some(longest) = lines.iter().max_by_key(|line| line.len()) else { continue };
        let positions = longest.iter().filter_map(|p| pixel(axes, p)).filter(|p| axes.area.contains(*p));
        let is_free = |p: &Point| {
            let far =
                |other: &Point| (p.0 - other.0).abs() > LABEL_ROOM.0 || (p.1 - other.1).abs() > LABEL_ROOM.1;
            taken.iter().all(far)
        };
        if let Some(position) = positions.into_iter().find(is_free)
            && longest.len() >= SHORTEST_LABELED
        {
            let at = (position.0, position.1 + Font::SMALL.half_height());
            canvas.text_over(at, Anchor::Middle, Font::SMALL, &format!("{level}"));
            taken.push(position);
        }
    }
}

fn draw_outline(canvas: &mut Canvas, outline: &Outline, axes: &Axes) {
    let mut points = outline.points.clone();
    if outline.filled {
        let corners: Vec<Point> = points.iter().filter_map(|p| pixel(axes, p)).collect();
        canvas.polygon(&axes.area.clip_polygon(&corners), style::BODY, None);
    }
    if outline.closed {
        points.extend(points.first().copied());
    }
    // A dark line alone is invisible where the field is weak, as it is near a conductor.
    let looks: &[Look] = if outline.filled { &[Look::EDGE] } else { &[Look::EDGE_RIM, Look::EDGE] };
    draw_line(canvas, &points, axes, looks);
}
