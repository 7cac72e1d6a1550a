//! A body in space: shaded, with values on its triangles in colors.

use super::camera::{self, Camera};
use super::canvas::{Anchor, Area, Canvas, Font, Stroke};
use super::colorbar::ColorBar;
use super::colormap::Colors;
use super::serial;
use super::series::Axis;
use super::shade::Scene;
use super::{frame, scale, style};
use crate::ReportError;
use glam::DVec3;
use serde::Serialize;

/// Room around the body, for the arrow of the incidence.
const AROUND: f64 = 74.0;
/// Height of the strip below it, for the axes and the scale.
const BELOW: f64 = 72.0;
/// Fraction of ambient light: surfaces turned away remain visible in print.
const AMBIENT: f64 = 0.55;
/// Fraction of the shading on the upper half of the color scale: these colors are compared with the
/// bar.
const HOT_SHADING: f64 = 0.3;

/// A body in parallel projection: its triangles shaded in gray, and colored where they have values.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BodyPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above it.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label of the color bar with unit: `cross section (dBsm)`.
    pub value_label: String,
    /// Positions of the vertices in meters.
    #[serde(serialize_with = "serial::short_positions")]
    pub vertices: Vec<[f64; 3]>,
    /// Indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// A value for each triangle, or none at all. Values that are not finite, or below the range,
    /// are gray.
    #[serde(serialize_with = "serial::short")]
    pub values: Vec<f64>,
    /// Values at the ends of the color bar; those of the data if not given.
    pub range: Option<[f64; 2]>,
    /// Direction toward the source of the incident wave: drawn as an arrow.
    pub source: Option<[f64; 3]>,
    /// The upward direction; z if not given.
    pub up: Option<[f64; 3]>,
    /// From the body toward the camera; a little beside and above the source if not given.
    pub view: Option<[f64; 3]>,
}

/// Draws the plot.
pub fn draw(plot: &BodyPlot) -> Result<Canvas, ReportError> {
    validate(plot)?;
    let camera = Camera::new(plot.view, plot.source, plot.up);
    let corners: Vec<DVec3> = plot.vertices.iter().map(|v| camera.see(DVec3::from_array(*v))).collect();
    let stage = Stage::new(plot, &corners);
    let mut canvas = Canvas::new(stage.page.0, stage.page.1);
    frame::heading(&mut canvas, &plot.title, style::MARGIN, &[]);
    if plot.triangles.is_empty() {
        frame::no_data(&mut canvas, &stage.area);
        return Ok(canvas);
    }
    let scene = Scene::new(stage.body, stage.scale, stage.corner, &corners, &plot.triangles);
    canvas
        .image(stage.body, &scene.picture(&plot.name, |number, normal| color(plot, normal, number, &stage))?);
    if let Some(source) = plot.source {
        incidence(&mut canvas, &stage, camera.see(DVec3::from_array(source).normalize_or_zero()));
    }
    axes(&mut canvas, &stage, &camera);
    scale_bar(&mut canvas, &stage);
    if let Some(bar) = &stage.bar {
        bar.draw(&mut canvas, &stage.area)?;
    }
    Ok(canvas)
}

pub(super) fn validate(plot: &BodyPlot) -> Result<(), ReportError> {
    let failed = |reason: String| Err(ReportError::Plot { plot: plot.name.clone(), reason });
    let (vertices, triangles) = (plot.vertices.len(), plot.triangles.len());
    if let Some(corner) = plot.triangles.iter().flatten().find(|corner| **corner as usize >= vertices) {
        return failed(format!("a triangle has vertex {corner} of {vertices}"));
    }
    if !plot.values.is_empty() && plot.values.len() != triangles {
        return failed(format!("{} values for {triangles} triangles", plot.values.len()));
    }
    // Products of larger coordinates overflow.
    if plot.vertices.iter().flatten().any(|x| !x.is_finite() || x.abs() > 1e60) {
        return failed("a vertex is not in space".to_owned());
    }
    Ok(())
}

/// Layout of the page.
pub(super) struct Stage<'a> {
    pub page: (f64, f64),
    /// The body with its margins, and the body alone.
    pub area: Area,
    pub body: Area,
    /// Page units per meter, and the camera coordinates of the upper left corner of the body.
    pub scale: f64,
    pub corner: DVec3,
    bar: Option<ColorBar<'a>>,
}

impl<'a> Stage<'a> {
    pub fn new(plot: &'a BodyPlot, corners: &[DVec3]) -> Self {
        let (low, high) = corners.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), c| (l.min(*c), h.max(*c)));
        let (low, high) = if corners.is_empty() { (DVec3::ZERO, DVec3::ONE) } else { (low, high) };
        let size = high - low;
        let most = (style::MAP_AREA.0 - 2.0 * AROUND, style::MAP_AREA.1 - 2.0 * AROUND);
        // A plate seen edge-on has no width, and a point no size: the scale must stay finite.
        let scale = (most.0 / size.x).min(most.1 / size.y).min(1e12 * most.0);
        let (width, height) = ((size.x * scale).max(1.0), (size.y * scale).max(1.0));
        let top = style::MARGIN + if plot.title.is_empty() { 0.0 } else { style::TITLE + 7.0 };
        let (left, whole) = (style::MARGIN, (width + 2.0 * AROUND).max(MIN_WIDTH));
        let area = Area { left, top, right: left + whole, bottom: top + height + 2.0 * AROUND };
        let middle = 0.5 * (area.left + area.right);
        let body = Area {
            left: middle - 0.5 * width,
            top: top + AROUND,
            right: middle + 0.5 * width,
            bottom: top + AROUND + height,
        };
        let data = scale::extent(plot.values.iter().copied(), false);
        let bar = data.map(|data| {
            let axis = Axis { label: String::new(), range: plot.range, log: false };
            let range = scale::range(&axis, Some(data));
            ColorBar::new(&plot.name, &plot.value_label, Colors::Heat, range, area.height())
        });
        let beside = bar.as_ref().map_or(0.0, ColorBar::width);
        let page = ((area.right + beside + style::MARGIN).round(), (area.bottom + BELOW).round());
        Self { page, area, body, scale, corner: DVec3::new(low.x, high.y, 0.0), bar }
    }
}

/// Smallest width of the body with its room, so that title, axes and scale have theirs.
const MIN_WIDTH: f64 = 380.0;

/// Lambertian shading, weaker on colored triangles.
fn color(plot: &BodyPlot, normal: DVec3, number: usize, stage: &Stage) -> [f32; 3] {
    let value = plot.values.get(number).copied().filter(|value| value.is_finite());
    let hot = value.zip(stage.bar.as_ref()).map_or(0.0, |(value, bar)| bar.shade(value));
    let lambert = AMBIENT + (1.0 - AMBIENT) * camera::light(normal);
    // Shading fades as the value rises: a color changed by shading would be misread on the bar.
    let strength = 1.0 - (1.0 - HOT_SHADING) * (2.0 * hot).min(1.0);
    let light = 1.0 - strength * (1.0 - lambert);
    Colors::Heat.at(hot).map(|c| (light * f64::from(c)) as f32)
}

/// An arrow along the direction of incidence; `toward` points to the source, in camera
/// coordinates.
fn incidence(canvas: &mut Canvas, stage: &Stage, toward: DVec3) {
    let Area { left, top, right, bottom } = stage.body;
    let middle = (0.5 * (left + right), 0.5 * (top + bottom));
    let across = toward.x.hypot(toward.y);
    if across < ALONG {
        return into_the_page(canvas, stage, toward.z > 0.0);
    }
    let (x, y) = (toward.x / across, -toward.y / across);
    // Distance from the center to the edge of the body's box along the arrow; infinite quotients
    // drop out.
    let reach = (0.5 * (right - left) / x.abs()).min(0.5 * (bottom - top) / y.abs());
    let at = |distance: f64| (middle.0 + x * distance, middle.1 + y * distance);
    canvas.arrow(at(reach + ARROW), at(reach + 8.0), Stroke::solid(style::INK, 2.2));
    // The label is at the tail, on the side away from the arrow.
    let (half, tail) = (0.5 * Font::SMALL.width(INCIDENCE), at(reach + ARROW));
    let center = tail.0.clamp(stage.area.left + half, stage.area.right - half);
    let base = if y < 0.0 { tail.1 - 6.0 } else { tail.1 + 6.0 + 0.75 * style::SMALL };
    canvas.text((center, base), Anchor::Middle, Font::SMALL, INCIDENCE);
}

const INCIDENCE: &str = "incidence";
/// Length of the arrow with its distance, and how much of it must be seen for it to be one.
const ARROW: f64 = 54.0;
const ALONG: f64 = 0.12;

/// The symbol of a wave that propagates into the page, a cross in a circle, or out of it, a dot.
fn into_the_page(canvas: &mut Canvas, stage: &Stage, away: bool) {
    let (x, y, r) = (stage.area.left + 16.0, stage.area.top + 24.0, 9.0);
    let line = Stroke::solid(style::INK, 1.6);
    canvas.circle((x, y), r, style::PAPER, Some(line));
    if away {
        let d = r * 0.5_f64.sqrt();
        canvas.segment((x - d, y - d), (x + d, y + d), line);
        canvas.segment((x - d, y + d), (x + d, y - d), line);
    } else {
        canvas.circle((x, y), 2.5, style::INK, None);
    }
    let at = (x + r + 8.0, y + Font::SMALL.half_height());
    canvas.text(at, Anchor::Start, Font::SMALL, INCIDENCE);
}

/// The coordinate axes, those that point away from the camera first and faintly.
pub(super) fn axes(canvas: &mut Canvas, stage: &Stage, camera: &Camera) {
    const LENGTH: f64 = 30.0;
    let origin = (stage.area.left + 46.0, stage.area.bottom + 20.0);
    let mut ends =
        [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)].map(|(name, axis)| (name, camera.see(axis)));
    // Painter's algorithm: the farthest first.
    ends.sort_by(|a, b| a.1.z.total_cmp(&b.1.z));
    for (name, end) in ends {
        let color = if end.z < -0.1 { style::SOFT_INK } else { style::INK };
        let at = |distance: f64| (origin.0 + distance * end.x, origin.1 - distance * end.y);
        let length = end.x.hypot(end.y);
        if length < ALONG {
            canvas.circle(origin, 2.5, color, None);
        } else {
            canvas.arrow(origin, at(LENGTH), Stroke::solid(color, 1.2));
        }
        let (x, y) = at(LENGTH + 10.0 / length.max(0.4));
        let base = if length < ALONG { y + 16.0 } else { y + Font::SMALL.half_height() };
        canvas.text((x, base), Anchor::Middle, Font { color, ..Font::SMALL }, name);
    }
}

/// A bar of a round length.
pub(super) fn scale_bar(canvas: &mut Canvas, stage: &Stage) {
    const LONGEST: f64 = 160.0;
    let longest = LONGEST / stage.scale;
    let exponent = longest.log10().floor();
    let decade = 10_f64.powf(exponent);
    // The largest of 1, 2 and 5 times a power of ten that fits.
    let length = [5.0, 2.0].map(|m| m * decade).into_iter().find(|l| *l <= longest).unwrap_or(decade);
    let (right, y) = (stage.area.right - 8.0, stage.area.bottom + 0.5 * BELOW);
    let left = right - length * stage.scale;
    let line = Stroke::solid(style::INK, 1.6);
    canvas.segment((left, y), (right, y), line);
    for x in [left, right] {
        canvas.segment((x, y - 4.0), (x, y + 4.0), line);
    }
    canvas.text((0.5 * (left + right), y - 8.0), Anchor::Middle, Font::SMALL, &of_length(length));
}

/// A round length in the largest unit of which it is a tenth or more.
fn of_length(length: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "\u{b5}m")];
    let (unit, name) =
        UNITS.into_iter().find(|(unit, _)| length > 0.0999 * unit).unwrap_or(UNITS[UNITS.len() - 1]);
    // One digit: without what the division has added.
    let value: f64 = format!("{:.0e}", length / unit).parse().unwrap_or(length / unit);
    format!("{value} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of 2 m in the plane x = 0, in two triangles.
    fn plate(values: Vec<f64>) -> BodyPlot {
        BodyPlot {
            name: "plate".into(),
            title: "Plate".into(),
            value_label: "level (dBsm)".into(),
            vertices: vec![[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            values,
            source: Some([1.0, 0.0, 0.0]),
            ..BodyPlot::default()
        }
    }

    fn texts(plot: &BodyPlot) -> Vec<String> {
        let svg = draw(plot).unwrap().finish();
        svg.split("</text>").filter_map(|part| Some(part.rsplit_once('>')?.1.to_owned())).collect()
    }

    #[test]
    fn everything_on_the_page_has_its_name() {
        let found = texts(&plate(vec![-30.0, 0.0]));
        for text in ["Plate", "incidence", "x", "y", "z", "0.5 m", "level (dBsm)", "\u{2212}30", "0"] {
            assert!(found.iter().any(|t| t == text), "{text} among {found:?}");
        }
        let gray = texts(&plate(Vec::new()));
        assert!(!gray.iter().any(|t| t == "level (dBsm)"), "without values there is no bar");
    }

    #[test]
    fn a_wave_along_the_line_of_sight_has_a_sign_in_place_of_an_arrow() {
        let circles = |view: [f64; 3]| {
            let plot = BodyPlot { view: Some(view), ..plate(Vec::new()) };
            (texts(&plot), draw(&plot).unwrap().finish().matches("<circle").count())
        };
        // Besides, the axis along the line of sight is a point.
        let (found, away) = circles([1.0, 0.0, 0.0]);
        assert!(found.contains(&"incidence".into()) && away == 2, "{away}");
        assert_eq!(circles([-1.0, 0.0, 0.0]).1, 3, "toward the reader there is a point in the circle");
        assert_eq!(circles([1.0, 1.0, 1.0]).1, 0);
    }

    #[test]
    fn scale_bars_are_round() {
        // The largest round length below 160 of the 372 units that the plate is high.
        for (size, text) in [(1.0, "0.5 m"), (0.013, "10 mm"), (70.0, "50 m"), (1e-5, "5 \u{b5}m")] {
            let mut plot = plate(Vec::new());
            plot.view = Some([1.0, 0.0, 0.0]);
            plot.vertices.iter_mut().flatten().for_each(|x| *x *= size);
            assert!(texts(&plot).contains(&text.into()), "{size}: {:?}", texts(&plot));
        }
    }
}
