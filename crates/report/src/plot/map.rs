//! Maps: a value over the plane, in colours.

use super::canvas::{Anchor, Area, Canvas, Font, Point, Stroke};
use super::colormap::Colours;
use super::frame::{self, Axes, BOTTOM_MARGIN};
use super::scale::{self, Scale};
use super::{Axis, style, ticks};
use crate::ReportError;
use std::f64::consts::PI;

/// Pixels of the picture for one unit of the page. More makes the file larger and nothing sharper: values
/// between the samples are interpolated.
const PICTURE_SCALE: f64 = 1.25;
/// Smallest side of the plotting area; only maps longer than about ten times their width meet it.
const SMALLEST_SIDE: f64 = 60.0;
/// Smallest width of the page, so that a title has room.
const SMALLEST_WIDTH: f64 = 460.0;
/// Width of the colour bar and its distance from the map.
const BAR: f64 = 18.0;
const BAR_GAP: f64 = 24.0;
/// Colours in a picture; index 0 of its palette is for cells without a value.
const LEVELS: f64 = 254.0;

/// A field over the plane, in colours and with equal scales on both axes.
#[derive(Debug, Clone, PartialEq, Default)]
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
    /// Label of the colour bar with unit: `|E| (V/m)`.
    pub value_label: String,
    /// Where the columns of `values` are; rising or falling.
    pub x: Vec<f64>,
    /// Where the rows are; rising or falling.
    pub y: Vec<f64>,
    /// Values row by row. What is not finite is left blank.
    pub values: Vec<f64>,
    /// Which colours. Phases are in degrees, or in radians if `value_label` says `rad`.
    pub colours: Colours,
    /// Values at the ends of the colour bar; those of the data if not given.
    pub range: Option<[f64; 2]>,
    /// Lines drawn over the field, such as the contour of a body.
    pub outlines: Vec<Outline>,
}

/// A line over a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// Its points in data coordinates.
    pub points: Vec<[f64; 2]>,
    /// Whether the last point joins the first.
    pub closed: bool,
    /// Whether the inside is filled with grey.
    pub filled: bool,
}

/// Draws the plot.
pub fn draw(plot: &MapPlot) -> Result<Canvas, ReportError> {
    validate(plot)?;
    let (x_range, y_range) = (side(&plot.x, &plot.y), side(&plot.y, &plot.x));
    let (width, height) = size(x_range, y_range);
    let hidden = hidden(plot);
    let range = value_range(plot, &hidden);
    let y_ticks = frame::vertical_ticks(y_range, false, &plot.y_label, height);
    let x_ticks = frame::horizontal_ticks(x_range, false, &plot.x_label, width);
    let bar_ticks = frame::vertical_ticks(range, false, &plot.value_label, height.max(150.0));

    let left = frame::left_margin(&y_ticks);
    let top = style::MARGIN + if plot.title.is_empty() { 0.0 } else { style::TITLE + 14.0 };
    let top = if y_ticks.factor.is_some() || bar_ticks.factor.is_some() { top + style::SMALL } else { top };
    let beside = BAR_GAP + BAR + style::TICK + frame::widest(&bar_ticks) + style::LABEL + 18.0;
    let page = (left + width + beside + style::MARGIN).max(SMALLEST_WIDTH);
    let mut canvas = Canvas::new(page.round(), (top + height + BOTTOM_MARGIN).round());
    frame::heading(&mut canvas, &plot.title, left, &[]);

    let area = Area { left, top, right: left + width, bottom: top + height };
    let axes = Axes {
        area,
        x: Scale { range: x_range, log: false, pixels: [area.left, area.right] },
        y: Scale { range: y_range, log: false, pixels: [area.bottom, area.top] },
        x_ticks: &x_ticks,
        y_ticks: &y_ticks,
        x_label: &plot.x_label,
        y_label: &plot.y_label,
    };
    canvas.rect(area, style::NO_VALUE, None);
    canvas.image(area, &picture(plot, &hidden, &axes, range)?);
    for outline in &plot.outlines {
        draw_outline(&mut canvas, outline, &axes);
    }
    canvas.rect(area, "none", Some(Stroke::solid(style::INK, style::AXIS)));
    axes.draw(&mut canvas);
    if !plot.values.iter().any(|v| v.is_finite()) {
        frame::no_data(&mut canvas, &area);
    }
    colour_bar(&mut canvas, plot, &area, range, &bar_ticks)?;
    Ok(canvas)
}

fn validate(plot: &MapPlot) -> Result<(), ReportError> {
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
fn side(axis: &[f64], other: &[f64]) -> [f64; 2] {
    let (first, last) = (axis[0], axis[axis.len() - 1]);
    if axis.len() > 1 {
        return [first.min(last), first.max(last)];
    }
    let cells = (other.len() - 1).max(1) as f64;
    let cell = (other[other.len() - 1] / cells - other[0] / cells).abs();
    let half = if cell > 0.0 { 0.5 * cell } else { 0.5 };
    scale::widen([first - half, first + half], false)
}

/// Size of the plotting area in pixels, with equal scales on both axes.
fn size(x: [f64; 2], y: [f64; 2]) -> (f64, f64) {
    let (width, height) = (0.5 * x[1] - 0.5 * x[0], 0.5 * y[1] - 0.5 * y[0]);
    let (most_width, most_height) = style::MAP_AREA;
    let aspect = width / height;
    let fitted = if aspect * most_height > most_width {
        (most_width, most_width / aspect)
    } else {
        (most_height * aspect, most_height)
    };
    (fitted.0.max(SMALLEST_SIDE), fitted.1.max(SMALLEST_SIDE))
}

/// Values at the ends of the colour bar.
/// Ends of the colour bar: those of what is seen, for what a body covers may be many times larger.
fn value_range(plot: &MapPlot, hidden: &[bool]) -> [f64; 2] {
    let axis = Axis { label: String::new(), range: plot.range, log: false };
    let seen = plot.values.iter().zip(hidden).filter(|(_, hidden)| !**hidden);
    let data = scale::extent(seen.map(|(value, _)| *value), false);
    match plot.colours {
        Colours::Sequential => scale::range(&axis, data),
        // White is zero: the range is as long on both sides.
        Colours::Diverging => {
            let largest = data.map_or(0.0, |[low, high]| low.abs().max(high.abs()));
            let largest = if largest > 0.0 { largest } else { 1.0 };
            scale::range(&axis, Some([-largest, largest]))
        }
        Colours::Phase => scale::range(&axis, Some([-half_turn(plot), half_turn(plot)])),
    }
}

fn half_turn(plot: &MapPlot) -> f64 {
    if plot.value_label.contains("rad") { PI } else { 180.0 }
}

/// The field as a PNG with a palette.
fn picture(
    plot: &MapPlot,
    hidden: &[bool],
    axes: &Axes,
    [low, high]: [f64; 2],
) -> Result<Vec<u8>, ReportError> {
    let [width, height] =
        [axes.area.width(), axes.area.height()].map(|side| (side * PICTURE_SCALE).round() as usize);
    let columns = samples(&plot.x, axes.x.range, width);
    // The first row of a picture is at its top, where y is largest.
    let mut rows = samples(&plot.y, axes.y.range, height);
    rows.reverse();
    let span = 0.5 * high - 0.5 * low;
    let index = |value: f64| {
        if !value.is_finite() {
            return 0;
        }
        let t = (0.5 * value - 0.5 * low) / span;
        let t =
            if plot.colours == Colours::Phase && t != 1.0 { t.rem_euclid(1.0) } else { t.clamp(0.0, 1.0) };
        1 + (t * LEVELS).round() as u8
    };
    let mut indices = Vec::with_capacity(width * height);
    for row in &rows {
        indices.extend(columns.iter().map(|column| index(between(plot, hidden, *row, *column))));
    }
    encode(plot, (width, height), &indices)
}

/// A place between two samples: the lower one, and the share of the next.
type Place = (usize, f64);

/// Where `count` evenly spaced points of a range fall among the samples of an axis.
fn samples(axis: &[f64], range: [f64; 2], count: usize) -> Vec<Place> {
    let falls = axis.len() > 1 && axis[0] > axis[1];
    let place = |i: usize| {
        let t = (i as f64 + 0.5) / count as f64;
        let at = range[0] * (1.0 - t) + range[1] * t;
        let above = axis.partition_point(|v| if falls { *v > at } else { *v < at });
        let lower = above.saturating_sub(1).min(axis.len().saturating_sub(2));
        let Some(next) = axis.get(lower + 1) else { return (lower, 0.0) };
        let part = (0.5 * at - 0.5 * axis[lower]) / (0.5 * next - 0.5 * axis[lower]);
        (lower, part.clamp(0.0, 1.0))
    };
    (0..count).map(place).collect()
}

/// The value between four samples.
fn between(plot: &MapPlot, hidden: &[bool], (row, v): Place, (col, u): Place) -> f64 {
    let (cols, last_row, last_col) = (plot.x.len(), plot.y.len() - 1, plot.x.len() - 1);
    let value = |row: usize, col: usize| plot.values[row.min(last_row) * cols + col.min(last_col)];
    let places = [(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)];
    let corners = places.map(|(row, col)| value(row, col));
    let mut weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
    if corners.iter().any(|x| !x.is_finite()) {
        let is_body = |(row, col): (usize, usize)| hidden[row.min(last_row) * cols + col.min(last_col)];
        if !corners.iter().zip(places).all(|(x, place)| x.is_finite() || is_body(place)) {
            // Next to a gap there is nothing to interpolate with: the nearest sample counts.
            return value(row + usize::from(v >= 0.5), col + usize::from(u >= 0.5));
        }
        // The field is carried on to the edge of a filled body, which hides the stairs of its cells.
        weights.iter_mut().zip(corners).filter(|(_, x)| !x.is_finite()).for_each(|(w, _)| *w = 0.0);
        let whole: f64 = weights.iter().sum();
        if whole <= 0.0 {
            return f64::NAN;
        }
        weights = weights.map(|w| w / whole);
    }
    let terms = || corners.iter().zip(&weights).filter(|(x, _)| x.is_finite());
    let mean = |f: &dyn Fn(f64) -> f64| terms().map(|(x, w)| w * f(*x)).sum::<f64>();
    if plot.colours != Colours::Phase {
        return mean(&|x| x);
    }
    // Phases turn: the mean of 179 and -179 degrees is 180, not 0.
    let unit = PI / half_turn(plot);
    mean(&|x| (unit * x).sin()).atan2(mean(&|x| (unit * x).cos())) / unit
}

/// Which samples lie under a filled outline: along each row, those with an odd number of its edges to their left.
fn hidden(plot: &MapPlot) -> Vec<bool> {
    let cols = plot.x.len();
    let mut hidden = vec![false; plot.values.len()];
    for outline in plot.outlines.iter().filter(|outline| outline.filled) {
        let edges = || outline.points.iter().zip(outline.points.iter().cycle().skip(1));
        for (row, &y) in hidden.chunks_mut(cols.max(1)).zip(&plot.y) {
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

fn encode(plot: &MapPlot, (width, height): (usize, usize), indices: &[u8]) -> Result<Vec<u8>, ReportError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    let mut palette = vec![0; 3];
    palette.extend((0..=LEVELS as u32).flat_map(|i| plot.colours.at(f64::from(i) / LEVELS)));
    encoder.set_palette(palette);
    // Only the first colour, that of no value, is transparent.
    encoder.set_trns(vec![0]);
    encoder
        .write_header()
        .and_then(|mut writer| {
            writer.write_image_data(indices)?;
            writer.finish()
        })
        .map_err(|e| ReportError::Plot { plot: plot.name.clone(), reason: e.to_string() })?;
    Ok(bytes)
}

fn draw_outline(canvas: &mut Canvas, outline: &Outline, axes: &Axes) {
    let pixel = |[x, y]: &[f64; 2]| Some((axes.x.pixel(*x)?, axes.y.pixel(*y)?));
    let mut points: Vec<Point> = outline.points.iter().filter_map(pixel).collect();
    if outline.filled {
        canvas.polygon(&axes.area.clip_polygon(&points), style::BODY, None);
    }
    if outline.closed {
        points.extend(points.first().copied());
    }
    let runs = [points];
    let mut stroke = |colour, width| {
        frame::runs(canvas, &axes.area, &runs, &frame::Look { colour, dash: "", width, marker: None });
    };
    if !outline.filled {
        // A dark line alone would be lost where the field is dark, and it is near a conductor.
        stroke(style::PAPER, 3.0 * style::LINE);
    }
    stroke(style::INK, style::LINE);
}

fn colour_bar(
    canvas: &mut Canvas,
    plot: &MapPlot,
    map: &Area,
    range: [f64; 2],
    ticks: &ticks::Ticks,
) -> Result<(), ReportError> {
    let left = map.right + BAR_GAP;
    let area = Area { left, right: left + BAR, ..*map };
    let levels: Vec<u8> = (1..=LEVELS as u8 + 1).rev().collect();
    canvas.image(area, &encode(plot, (1, levels.len()), &levels)?);
    let line = Stroke::solid(style::INK, style::AXIS);
    canvas.rect(area, "none", Some(line));
    let scale = Scale { range, log: false, pixels: [area.bottom, area.top] };
    for (value, label) in ticks.values.iter().zip(&ticks.labels) {
        let Some(y) = scale.pixel(*value) else { continue };
        canvas.segment((area.right, y), (area.right + style::TICK, y), line);
        let at = (area.right + style::TICK + 4.0, y + Font::SMALL.half_height());
        canvas.text(at, Anchor::Start, Font::SMALL, label);
    }
    let (text, font) = Font::LABEL.fit(&plot.value_label, map.height() + 60.0);
    let beside = area.right + style::TICK + frame::widest(ticks) + 10.0 + style::LABEL;
    canvas.text_upwards((beside, 0.5 * (map.top + map.bottom)), font, &text);
    if let Some(factor) = &ticks.factor {
        canvas.text((area.left, area.top - 7.0), Anchor::Start, Font::NOTE, factor);
    }
    Ok(())
}
