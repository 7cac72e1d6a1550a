//! Polar plots of levels in dB.

use super::canvas::{Anchor, Area, Canvas, Font, Point, Stroke};
use super::series::{Series, SeriesStyle};
use super::{frame, scale, style, ticks};
use crate::ReportError;
use serde::Serialize;

/// Default dynamic range below the top, dB: the nulls of a pattern are arbitrarily deep.
const DEPTH: f64 = 50.0;
/// Maximum number of rings.
const RINGS: usize = 6;
/// Long series are decimated to this many points per degree and extreme.
const COLUMNS_PER_DEGREE: f64 = 4.0;
/// Room around the circle for the labels of the angles.
const AROUND: f64 = 34.0;

/// A pattern in dB around the circle: 0 deg to the right, angles counterclockwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PolarPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above the circle.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// What the angle is, with unit: `observation angle (deg)`.
    pub angle_label: String,
    /// What the radius is, with unit: `echo width (dB m)`.
    pub radial_label: String,
    /// Level at the center; lower ones, and nulls of minus infinity, are drawn there. If not given, 50 dB below
    /// the top or the lowest level, whichever is higher.
    pub floor: Option<f64>,
    /// Level at the outer ring; the highest of the data if not given.
    pub top: Option<f64>,
    /// `x` is the angle in degrees, `y` the level in dB.
    pub series: Vec<Series>,
}

/// Maps levels and angles to the page.
struct Dial {
    center: Point,
    radius: f64,
    range: [f64; 2],
    step: f64,
}

impl Dial {
    fn point(&self, degrees: f64, radius: f64) -> Point {
        let (sin, cos) = degrees.to_radians().sin_cos();
        (self.center.0 + radius * cos, self.center.1 - radius * sin)
    }

    /// Radius of a level in pixels; none where it is NaN or plus infinity.
    fn level(&self, level: f64) -> Option<f64> {
        let [floor, top] = self.range;
        // Minus infinity is a null and is drawn at the center; NaN is a gap.
        if level.is_nan() || level == f64::INFINITY {
            return None;
        }
        Some(self.radius * (level.clamp(floor, top) - floor) / (top - floor))
    }

    /// Levels of the rings, the center left out.
    fn rings(&self) -> Vec<(f64, String)> {
        let ticks = ticks::linear(self.range, RINGS, false);
        let above_floor = self.range[0] + 0.2 * self.step;
        ticks.values.into_iter().zip(ticks.labels).filter(|(level, _)| *level > above_floor).collect()
    }
}

/// Draws the plot.
pub fn draw(plot: &PolarPlot) -> Result<Canvas, ReportError> {
    plot.series.iter().try_for_each(|series| series.validate(&plot.name))?;
    let mut canvas = Canvas::new(style::POLAR_SIZE.0, style::POLAR_SIZE.1);
    let top = frame::heading(&mut canvas, &plot.title, style::MARGIN, &plot.series) + AROUND;
    let bottom = canvas.height - AROUND - style::MARGIN - style::LABEL;
    let radius = 0.5 * (bottom - top).min(canvas.width - 2.0 * (style::MARGIN + 1.6 * AROUND));
    let (range, step) = range(plot);
    let center = (0.5 * canvas.width, 0.5 * (top + bottom));
    let dial = Dial { center, radius, range, step };

    grid(&mut canvas, &dial);
    let runs: Vec<_> = plot.series.iter().map(|series| runs(series, &dial)).collect();
    let area = Area { left: 0.0, top: 0.0, right: canvas.width, bottom: canvas.height };
    for (runs, look) in runs.iter().zip(frame::looks(&plot.series)) {
        frame::runs(&mut canvas, &area, runs, &look);
    }
    labels(&mut canvas, &dial, &runs);
    if runs.iter().all(Vec::is_empty) {
        frame::no_data(&mut canvas, &area);
    }
    note(&mut canvas, plot, range[0]);
    Ok(canvas)
}

/// Floor and top, and the step of the rings; limits taken from the data are rounded to rings.
fn range(plot: &PolarPlot) -> ([f64; 2], f64) {
    let data = scale::extent(plot.series.iter().flat_map(|series| series.y.iter().copied()), false);
    let [lowest, highest] = scale::widen(data.unwrap_or([-1.0, 0.0]), false);
    let given = |x: Option<f64>| x.filter(|x| x.is_finite() && x.abs() < 1e12);
    let highest = given(plot.top).unwrap_or(highest);
    let lowest = given(plot.floor).unwrap_or(lowest.max(highest - DEPTH)).min(highest);
    let [lowest, highest] = scale::widen([lowest, highest], false);
    let step = ticks::step([lowest, highest], RINGS, false);
    let top = given(plot.top).unwrap_or((highest / step - 1e-9).ceil() * step);
    let floor = given(plot.floor).unwrap_or((lowest / step + 1e-9).floor() * step);
    if floor < top { ([floor, top], step) } else { ([lowest, highest], step) }
}

fn grid(canvas: &mut Canvas, dial: &Dial) {
    let hair = Stroke::solid(style::GRID, style::HAIR);
    for (level, _) in dial.rings() {
        if let Some(r) = dial.level(level) {
            canvas.circle(dial.center, r, "none", Some(hair));
        }
    }
    for degrees in (0..360).step_by(30) {
        let degrees = f64::from(degrees);
        canvas.segment(dial.center, dial.point(degrees, dial.radius), hair);
        let position = dial.point(degrees, dial.radius + 0.6 * AROUND);
        let at = (position.0, position.1 + Font::SMALL.half_height());
        canvas.text(at, Anchor::Middle, Font::SMALL, &format!("{degrees}\u{b0}"));
    }
    canvas.circle(dial.center, dial.radius, "none", Some(Stroke::solid(style::INK, style::AXIS)));
}

/// The points of a series in pixels, split where there is no value.
fn runs(series: &Series, dial: &Dial) -> Vec<Vec<Point>> {
    let polar =
        |(angle, level): (&f64, &f64)| Some((Some(*angle).filter(|a| a.is_finite())?, dial.level(*level)?));
    let positions: Vec<Option<(f64, f64)>> = series.x.iter().zip(&series.y).map(polar).collect();
    let on_page = |run: &[Option<(f64, f64)>]| {
        let run: Vec<_> = run.iter().copied().flatten().collect();
        let is_line = series.style != SeriesStyle::Points;
        let kept = if is_line { frame::thin(&run, |p| p.0 * COLUMNS_PER_DEGREE, |p| p.1) } else { run };
        // Decimated in angle and level, before the projection: columns of pixels mean nothing on a
        // circle.
        kept.into_iter().map(|(angle, r)| dial.point(angle.rem_euclid(360.0), r)).collect()
    };
    positions.split(Option::is_none).filter(|run| !run.is_empty()).map(on_page).collect()
}

/// Labels of the rings, along the ray where they overlap the fewest lines.
fn labels(canvas: &mut Canvas, dial: &Dial, runs: &[Vec<Vec<Point>>]) {
    let rings: Vec<_> =
        dial.rings().into_iter().filter_map(|(l, text)| Some((dial.level(l)?, text))).collect();
    let crossed = |ray: &f64| {
        let boxes: Vec<Area> = rings
            .iter()
            .map(|(r, text)| (dial.point(*ray, *r), 0.5 * Font::NOTE.width(text) + 3.0))
            .map(|((x, y), w)| Area { left: x - w, top: y - 9.0, right: x + w, bottom: y + 9.0 })
            .collect();
        let crosses =
            |pair: &[Point]| boxes.iter().filter(|label| label.clip(pair[0], pair[1]).is_some()).count();
        runs.iter().flatten().flat_map(|run| run.windows(2)).map(crosses).sum::<usize>()
    };
    // Between the spokes, nearest to 75 degrees first.
    let mut rays: Vec<f64> = (1..48).filter(|i| i % 4 != 0).map(|i| 7.5 * f64::from(i)).collect();
    rays.sort_by(|a, b| (a - 75.0).abs().total_cmp(&(b - 75.0).abs()));
    let Some(ray) = rays.into_iter().min_by_key(crossed) else { return };
    for (r, text) in &rings {
        let (x, y) = dial.point(ray, *r);
        canvas.text_over((x, y + Font::SMALL.half_height()), Anchor::Middle, Font::NOTE, text);
    }
}

/// A note on the meaning of radius and angle, and the level at the center.
fn note(canvas: &mut Canvas, plot: &PolarPlot, floor: f64) {
    let cut = plot.series.iter().flat_map(|series| &series.y).any(|level| *level < floor);
    let level = floor.to_string().replace('-', "\u{2212}");
    let center = if cut { format!("; center: {level} and below") } else { String::new() };
    let (text, font) = Font::LABEL.fit(
        &format!("{} against {}{center}", plot.radial_label, plot.angle_label),
        canvas.width - 2.0 * style::MARGIN,
    );
    let at = (0.5 * canvas.width, canvas.height - style::MARGIN);
    canvas.text(at, Anchor::Middle, font, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_with_nulls_has_rings_every_ten_decibels() {
        for highest in [7.0, 0.0, -3.5, 21.2, 30.0] {
            let levels = vec![highest, highest - 20.0, -300.0];
            let series = vec![Series::solid("VV", vec![0.0, 90.0, 180.0], levels)];
            for floor in [None, Some((highest - DEPTH).floor())] {
                let plot = PolarPlot { series: series.clone(), floor, ..PolarPlot::default() };
                let (range, step) = range(&plot);
                let rings = Dial { center: (0.0, 0.0), radius: 1.0, range, step }.rings();
                assert!(range[1] >= highest && range[1] < highest + 10.0, "{range:?}");
                assert!(rings.windows(2).all(|pair| pair[1].0 - pair[0].0 == 10.0), "{highest}: {rings:?}");
            }
        }
    }
}
