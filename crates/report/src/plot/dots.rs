//! Squares at given positions, colored by a value: elements of an array, samples of a measurement.

use super::canvas::{Area, Canvas};
use super::colormap::Colors;
use super::frame;
use super::page::{Labels, Page};
use super::serial;
use super::series::Axis;
use super::{scale, style};
use crate::ReportError;
use serde::Serialize;
use std::collections::BTreeMap;

/// Squares at given positions, colored by a value, with equal scales on both axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DotPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above it.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label of the horizontal axis with unit: `x (m)`.
    pub x_label: String,
    /// Label of the vertical axis with unit.
    pub y_label: String,
    /// Label of the color bar with unit: `phase (deg)`.
    pub value_label: String,
    /// Positions along the horizontal axis.
    pub x: Vec<f64>,
    /// Positions along the vertical axis.
    pub y: Vec<f64>,
    /// A value for each. Squares whose value is not finite are left out.
    #[serde(serialize_with = "serial::short")]
    pub values: Vec<f64>,
    /// Side of the squares, in the units of the axes.
    pub side: f64,
    /// Which colors.
    pub colors: Colors,
    /// Values at the ends of the color bar; those of the data if not given.
    pub range: Option<[f64; 2]>,
}

/// Draws the plot.
pub fn draw(plot: &DotPlot) -> Result<Canvas, ReportError> {
    let counts = [plot.x.len(), plot.y.len(), plot.values.len()];
    if counts.iter().any(|count| *count != counts[0]) {
        let reason = format!("{} x and {} y for {} values", counts[0], counts[1], counts[2]);
        return Err(ReportError::Plot { plot: plot.name.clone(), reason });
    }
    let half = 0.5 * plot.side;
    let range = |values: &[f64]| {
        let ends = scale::extent(values.iter().copied(), false).unwrap_or([0.0, 1.0]);
        scale::widen([ends[0] - half, ends[1] + half], false)
    };
    let axis = Axis { label: String::new(), range: plot.range, log: false };
    let colors = scale::range(&axis, scale::extent(plot.values.iter().copied(), false));
    let labels = Labels {
        name: &plot.name,
        title: &plot.title,
        x: &plot.x_label,
        y: &plot.y_label,
        value: &plot.value_label,
        colors: plot.colors,
        stretched: false,
    };
    let (page, mut canvas) = Page::new(labels, [range(&plot.x), range(&plot.y), colors]);
    canvas.rect(page.area, style::NO_VALUE, None);
    // All squares of a color form one SVG element: thousands of elements would slow the page.
    let mut by_color: BTreeMap<[u8; 3], Vec<Area>> = BTreeMap::new();
    let axes = page.axes();
    for ((x, y), value) in plot.x.iter().zip(&plot.y).zip(&plot.values) {
        let corner = |x: f64, y: f64| Some((axes.x.pixel(x)?, axes.y.pixel(y)?));
        let (Some((left, bottom)), Some((right, top)), true) =
            (corner(x - half, y - half), corner(x + half, y + half), value.is_finite())
        else {
            continue;
        };
        let shade = (page.bar.shade(*value) * SHADES).round() / SHADES;
        by_color.entry(plot.colors.at(shade)).or_default().push(Area { left, top, right, bottom });
    }
    for ([r, g, b], areas) in &by_color {
        canvas.rects(areas, &format!("#{r:02x}{g:02x}{b:02x}"));
    }
    if by_color.is_empty() {
        frame::no_data(&mut canvas, &page.area);
    }
    page.finish(&mut canvas)?;
    Ok(canvas)
}

/// Number of distinct colors: finer steps are not visible.
const SHADES: f64 = 180.0;
