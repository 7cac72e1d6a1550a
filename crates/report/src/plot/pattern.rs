//! 3-D radiation patterns: the level in dB as the distance from the center, and as color.

use super::camera::{self, Camera};
use super::canvas::{Anchor, Area, Canvas, Font, Point, Stroke};
use super::colorbar::ColorBar;
use super::colormap::Colors;
use super::serial;
use super::shade::Scene;
use super::{frame, scale, style};
use crate::ReportError;
use glam::DVec3;
use serde::Serialize;

/// Default dynamic range below the peak, dB.
const DEPTH: f64 = 30.0;
/// Room around it for the names of the axes.
const AROUND: f64 = 26.0;
/// Length of an axis beyond the pattern, and the shortest axis, relative to the radius of the peak.
const BEYOND: f64 = 0.2;
const SHORTEST: f64 = 0.45;
/// Smallest width, so that the title fits.
const MIN_WIDTH: f64 = 380.0;
/// Dark to light, so that gray print shows them too.
const COLORS: Colors = Colors::Sequential;
/// Points of an axis that are tested for visibility.
const POINTS: u32 = 240;
/// Coarser grids are refined to this step, degrees, so that neither facets nor color steps are
/// visible.
const FINE: f64 = 1.0;
/// Fraction of ambient light: high, because colors are compared with the bar.
const AMBIENT: f64 = 0.7;

/// A radiation pattern in parallel projection: the distance from the center is the level in dB
/// above the floor.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PatternPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above it.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label of the color bar with unit: `directivity (dBi)`.
    pub value_label: String,
    /// Angles from z in degrees, ascending, within 0 to 180.
    pub theta_deg: Vec<f64>,
    /// Angles from x toward y in degrees, ascending, over at most 360. If the gap to a full turn
    /// is no more than a step, the last is joined to the first.
    pub phi_deg: Vec<f64>,
    /// Levels in dB: for each theta those of all phi. NaN leaves a hole.
    #[serde(serialize_with = "serial::short")]
    pub values: Vec<f64>,
    /// Level at the center, where lower ones are drawn too; 30 dB below the peak if not given.
    pub floor: Option<f64>,
    /// From the pattern toward the camera; from the side of x, y and z, and nearest to x, if not given.
    pub view: Option<[f64; 3]>,
}

/// Draws the plot.
pub fn draw(plot: &PatternPlot) -> Result<Canvas, ReportError> {
    validate(plot)?;
    let Some(range) = range(plot) else { return Ok(without_data(plot)) };
    let camera = Camera::new(plot.view, None, None);
    let shape = Shape::new(plot, range);
    let corners: Vec<DVec3> = shape.vertices.iter().map(|v| camera.see(*v)).collect();
    let tips = tips(&shape.vertices).map(|tip| camera.see(tip));
    let stage = Stage::new(plot, &corners, &tips);
    let bar = ColorBar::new(&plot.name, &plot.value_label, COLORS, range, stage.area.height());
    let mut canvas = Canvas::new(
        (stage.area.right + bar.width() + style::MARGIN).round(),
        (stage.area.bottom + style::SMALL + style::MARGIN).round(),
    );
    frame::heading(&mut canvas, &plot.title, style::MARGIN, &[]);
    let scene = Scene::new(stage.picture, stage.scale, stage.corner, &corners, &shape.triangles);
    let color = |number: usize, normal: DVec3| {
        let light = AMBIENT + (1.0 - AMBIENT) * camera::light(normal);
        let level = shape.triangles[number].map(|i| shape.levels[i as usize]).iter().sum::<f64>() / 3.0;
        COLORS.at(bar.shade(level)).map(|c| (light * f64::from(c)) as f32)
    };
    canvas.image(stage.picture, &scene.picture(&plot.name, color)?);
    axes(&mut canvas, &scene, &stage, tips);
    bar.draw(&mut canvas, &stage.area)?;
    note(&mut canvas, plot, range, &stage.area);
    Ok(canvas)
}

fn without_data(plot: &PatternPlot) -> Canvas {
    let mut canvas = Canvas::new(style::MAP_AREA.0, style::MAP_AREA.1);
    frame::heading(&mut canvas, &plot.title, style::MARGIN, &[]);
    let area = Area { left: 0.0, top: 0.0, right: canvas.width, bottom: canvas.height };
    frame::no_data(&mut canvas, &area);
    canvas
}

/// Layout of the page.
struct Stage {
    /// The pattern and its axes with margins, and without.
    area: Area,
    picture: Area,
    /// Page units per radius of the peak, and the camera coordinates of the upper left corner of
    /// the picture.
    scale: f64,
    corner: DVec3,
}

impl Stage {
    fn new(plot: &PatternPlot, corners: &[DVec3], tips: &[DVec3; 3]) -> Self {
        let all = || corners.iter().chain(tips).filter(|corner| corner.is_finite());
        let (low, high) = all().fold((DVec3::ZERO, DVec3::ZERO), |(l, h), c| (l.min(*c), h.max(*c)));
        let size = high - low;
        let most = [style::MAP_AREA.0, style::MAP_AREA.1].map(|side| side - 2.0 * AROUND);
        let scale = (most[0] / size.x).min(most[1] / size.y);
        let (width, height) = (size.x * scale, size.y * scale);
        let top = style::MARGIN + if plot.title.is_empty() { 0.0 } else { style::TITLE + 7.0 };
        let right = style::MARGIN + (width + 2.0 * AROUND).max(MIN_WIDTH);
        let area = Area { left: style::MARGIN, top, right, bottom: top + height + 2.0 * AROUND };
        let left = 0.5 * (area.left + area.right - width);
        let picture = Area { left, top: top + AROUND, right: left + width, bottom: top + AROUND + height };
        Self { area, picture, scale, corner: DVec3::new(low.x, high.y, 0.0) }
    }

    fn page(&self, seen: DVec3) -> Point {
        let from_corner = self.scale * (seen - self.corner);
        (self.picture.left + from_corner.x, self.picture.top - from_corner.y)
    }
}

fn validate(plot: &PatternPlot) -> Result<(), ReportError> {
    let failed = |reason: String| Err(ReportError::Plot { plot: plot.name.clone(), reason });
    let (thetas, phis) = (plot.theta_deg.len(), plot.phi_deg.len());
    if thetas.checked_mul(phis) != Some(plot.values.len()) {
        return failed(format!("{} values for {thetas} theta and {phis} phi", plot.values.len()));
    }
    for (angles, name) in [(&plot.theta_deg, "theta"), (&plot.phi_deg, "phi")] {
        let is_finite = angles.iter().all(|angle| angle.is_finite());
        if !is_finite || !angles.windows(2).all(|pair| pair[0] < pair[1]) {
            return failed(format!("{name} does not rise throughout"));
        }
    }
    // A hair of slack: grids are made by sums of steps.
    let ends = |angles: &[f64]| Some((*angles.first()?, *angles.last()?));
    match (ends(&plot.theta_deg), ends(&plot.phi_deg)) {
        (Some((first, last)), _) if first < -1e-9 || last > 180.0 + 1e-9 => {
            failed(format!("theta is from {first} to {last} deg, not in 0 to 180"))
        }
        (_, Some((first, last))) if last - first > 360.0 + 1e-9 => {
            failed(format!("phi is from {first} to {last} deg, more than a turn"))
        }
        _ => Ok(()),
    }
}

/// Floor and peak, if there is a level.
fn range(plot: &PatternPlot) -> Option<[f64; 2]> {
    let [_, peak] = scale::extent(plot.values.iter().copied(), false)?;
    let floor = plot.floor.filter(|floor| floor.is_finite() && *floor < peak);
    Some(scale::widen([floor.unwrap_or(peak - DEPTH), peak], false))
}

/// The surface: vertices relative to the radius of the peak, with their levels.
struct Shape {
    vertices: Vec<DVec3>,
    levels: Vec<f64>,
    triangles: Vec<[u32; 3]>,
}

impl Shape {
    fn new(plot: &PatternPlot, [floor, peak]: [f64; 2]) -> Self {
        let mut phi = plot.phi_deg.clone();
        let widest = phi.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        if let (Some(first), Some(last)) = (phi.first(), phi.last())
            && (1e-9..=1.001 * widest).contains(&(first + 360.0 - last))
        {
            phi.push(first + 360.0);
        }
        let (rows, columns) = (refined(&plot.theta_deg), refined(&phi));
        let count = plot.phi_deg.len();
        let value = |row: usize, column: usize| {
            let value = plot.values[row * count + column % count];
            // No finite radius; minus infinity is a null at the center.
            if value == f64::INFINITY { f64::NAN } else { value.clamp(floor, peak) }
        };
        let (mut vertices, mut levels) = (Vec::new(), Vec::new());
        for &(row, v) in &rows {
            for &(column, u) in &columns {
                // At the last sample the next one has zero weight and is not evaluated.
                let mix = |row: usize| between(u, value(row, column), || value(row, column + 1));
                let level = between(v, mix(row), || mix(row + 1));
                let theta = between(v, plot.theta_deg[row], || plot.theta_deg[row + 1]).to_radians();
                let phi = between(u, phi[column], || phi[column + 1]).to_radians();
                let direction = DVec3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
                vertices.push(direction * ((level - floor) / (peak - floor)));
                levels.push(level);
            }
        }
        let triangles = triangles(rows.len(), columns.len(), &levels);
        Self { vertices, levels, triangles }
    }
}

/// Positions along an axis no more than [`FINE`] apart: the index of the sample before, and the
/// weight of the next.
fn refined(axis: &[f64]) -> Vec<(usize, f64)> {
    let mut positions = Vec::new();
    for (i, pair) in axis.windows(2).enumerate() {
        let parts = ((pair[1] - pair[0]) / FINE).ceil().max(1.0);
        positions.extend((0..parts as u32).map(|part| (i, f64::from(part) / parts)));
    }
    positions.push((axis.len() - 1, 0.0));
    positions
}

/// Linear interpolation; the second value is evaluated only if its weight is not zero.
fn between(t: f64, a: f64, b: impl Fn() -> f64) -> f64 {
    if t == 0.0 { a } else { a + t * (b() - a) }
}

/// Two triangles for each cell of a grid whose corners have levels.
fn triangles(rows: usize, columns: usize, levels: &[f64]) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for row in 1..rows {
        for column in 1..columns {
            let (a, b) = ((row - 1) * columns + column - 1, row * columns + column - 1);
            triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
    }
    // A missing sample leaves a hole, not a spike.
    triangles.retain(|triangle| triangle.iter().all(|corner| !levels[*corner].is_nan()));
    triangles.into_iter().map(|triangle| triangle.map(|corner| corner as u32)).collect()
}

/// Ends of the axes, beyond the extent of the pattern.
fn tips(vertices: &[DVec3]) -> [DVec3; 3] {
    let most = vertices.iter().filter(|v| v.is_finite()).fold(DVec3::ZERO, |most, v| most.max(*v));
    let length = (most + BEYOND).max(DVec3::splat(SHORTEST));
    [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| length * axis)
}

/// The axes from the center to their tips, the farthest first; faint and dashed where the pattern
/// hides them.
fn axes(canvas: &mut Canvas, scene: &Scene, stage: &Stage, [x, y, z]: [DVec3; 3]) {
    let mut axes = [("x", x), ("y", y), ("z", z)];
    axes.sort_by(|a, b| a.1.z.total_cmp(&b.1.z));
    let front = Stroke::solid(style::INK, 1.6);
    let behind = Stroke { color: style::SOFT_INK, width: style::HAIR, dash: "3 3" };
    for (name, tip) in axes {
        let points: Vec<(Point, bool)> = (0..=POINTS)
            .map(|i| f64::from(i) / f64::from(POINTS) * tip)
            .map(|point| (stage.page(point), scene.hides(point)))
            .collect();
        for piece in points.chunk_by(|a, b| a.1 == b.1) {
            let line: Vec<Point> = piece.iter().map(|point| point.0).collect();
            canvas.polyline(&line, if piece[0].1 { behind } else { front });
        }
        let (is_hidden, direction) = (scene.hides(tip), tip.normalize());
        let (from, to) = (stage.page(DVec3::ZERO), stage.page(tip + HEAD * direction));
        let font = Font { color: if is_hidden { style::SOFT_INK } else { style::INK }, ..Font::LABEL };
        let across = direction.x.hypot(direction.y);
        let (right, up) = if across > ALONG {
            canvas.head(from, to, if is_hidden { behind } else { front });
            (13.0 * direction.x / across, 13.0 * direction.y / across)
        } else {
            (12.0, -12.0)
        };
        canvas.text_over((to.0 + right, to.1 - up + font.half_height()), Anchor::Middle, font, name);
    }
}

/// Length of an arrowhead beyond its line.
const HEAD: f64 = 0.02;
/// Projected length of an axis below which it is drawn without an arrowhead.
const ALONG: f64 = 0.08;

/// A note with the levels of the peak and of the center.
fn note(canvas: &mut Canvas, plot: &PatternPlot, [floor, peak]: [f64; 2], area: &Area) {
    let number = |x: f64| format!("{x:.1}").replace('-', "\u{2212}");
    let below = if plot.values.iter().any(|level| *level < floor) { " and below" } else { "" };
    let text = format!("{}: peak {}, in the middle {}{below}", plot.value_label, number(peak), number(floor));
    let (text, font) = Font::SMALL.fit(&text, area.width());
    let at = (0.5 * (area.left + area.right), canvas.height - style::MARGIN);
    canvas.text(at, Anchor::Middle, font, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sin²θ in dB, every `step` degrees, over `phis` values of phi.
    fn dipole(step: u32, phi_deg: Vec<f64>) -> PatternPlot {
        let theta_deg: Vec<f64> = (0..=180 / step).map(|i| f64::from(i * step)).collect();
        let level = |t: &f64| 20.0 * t.to_radians().sin().abs().log10() + 1.761;
        let values = theta_deg.iter().flat_map(|t| vec![level(t); phi_deg.len()]).collect();
        PatternPlot { name: "dipole".into(), theta_deg, phi_deg, values, ..PatternPlot::default() }
    }

    fn ring(step: u32, last: u32) -> Vec<f64> {
        (0..=last / step).map(|i| f64::from(i * step)).collect()
    }

    /// The distance from the middle is linear in dB: where the level is L, r = (L - floor)/(peak - floor).
    #[test]
    fn distances_are_levels() {
        let plot = dipole(30, ring(30, 360));
        let range = range(&plot).unwrap();
        assert!((range[0] + 28.239).abs() < 1e-12 && (range[1] - 1.761).abs() < 1e-12, "{range:?}");
        let shape = Shape::new(&plot, range);
        let at = |direction: DVec3| {
            let along = |v: &&DVec3| v.normalize_or_zero().dot(direction) > 1.0 - 1e-12;
            shape.vertices.iter().find(along).map(|v| v.length())
        };
        assert!((at(DVec3::X).unwrap() - 1.0).abs() < 1e-12);
        // 30 degrees from z the dipole has a quarter of its power: 6.0206 dB less, of the 30 dB.
        let (sin, cos) = 30_f64.to_radians().sin_cos();
        assert!((at(DVec3::new(0.0, sin, cos)).unwrap() - (1.0 - 6.020_599_913 / 30.0)).abs() < 1e-9);
        assert!(shape.vertices.contains(&DVec3::ZERO), "the null is in the middle");
    }

    /// A grid that ends a step before the full turn is closed, half of one is not.
    #[test]
    fn a_full_turn_is_closed() {
        let count = |phi: Vec<f64>| {
            let plot = dipole(10, phi);
            Shape::new(&plot, range(&plot).unwrap()).triangles.len()
        };
        let whole = count(ring(10, 360));
        assert_eq!(whole, 2 * 180 * 360);
        assert_eq!(count(ring(10, 350)), whole);
        assert_eq!(count(ring(10, 180)), whole / 2);
    }

    #[test]
    fn levels_that_are_no_numbers_leave_holes() {
        let mut plot = dipole(10, ring(10, 360));
        plot.values[5 * 37 + 7] = f64::NAN;
        plot.values[9 * 37 + 20] = f64::INFINITY;
        let shape = Shape::new(&plot, range(&plot).unwrap());
        assert!(shape.triangles.iter().flatten().all(|i| shape.vertices[*i as usize].is_finite()));
        // Each takes the four cells around it, of 100 small ones each, less the small ones at their outer corners and sides.
        assert!((2 * 180 * 360 - shape.triangles.len()) < 2 * 2 * 400 + 1, "{}", shape.triangles.len());
        assert!(shape.triangles.len() < 2 * 180 * 360);
    }

    #[test]
    fn everything_on_the_page_has_its_name() {
        let plot = PatternPlot { value_label: "directivity (dBi)".into(), ..dipole(10, ring(10, 360)) };
        let svg = draw(&plot).unwrap().finish();
        for text in ["x", "y", "z", "directivity (dBi)", "0", "\u{2212}20"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}");
        }
        assert!(svg.contains("peak 1.8, in the middle \u{2212}28.2 and below"));
        // Dashed parts are behind: the three axes begin in the middle of the pattern.
        assert_eq!(svg.matches("stroke-dasharray").count(), 3);
    }
}
