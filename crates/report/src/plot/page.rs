//! The layout of a color plot: two axes and a color bar.

use super::canvas::{Area, Canvas, Stroke};
use super::colorbar::ColorBar;
use super::colormap::Colors;
use super::frame::{self, Axes, BOTTOM_MARGIN};
use super::scale::Scale;
use super::style;
use super::ticks::Ticks;
use crate::ReportError;

/// Smallest side of the plotting area, reached only by maps with an aspect ratio above about ten.
const MIN_SIDE: f64 = 60.0;
/// Smallest width of the page, so that a title has room.
const MIN_WIDTH: f64 = 460.0;

/// Labels and options of a page.
#[derive(Debug)]
pub struct Labels<'a> {
    pub name: &'a str,
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub value: &'a str,
    pub colors: Colors,
    /// Whether the axes fill the page instead of having equal scales.
    pub stretched: bool,
}

/// A page with its layout and ticks.
#[derive(Debug)]
pub struct Page<'a> {
    labels: Labels<'a>,
    pub area: Area,
    pub bar: ColorBar<'a>,
    ranges: [[f64; 2]; 2],
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl<'a> Page<'a> {
    /// A page for data in these ranges along x, along y and in colors, with its title.
    pub fn new(labels: Labels<'a>, [x_range, y_range, range]: [[f64; 2]; 3]) -> (Self, Canvas) {
        let (width, height) = if labels.stretched { style::MAP_AREA } else { fitted(x_range, y_range) };
        let y_ticks = frame::vertical_ticks(y_range, false, labels.y, height);
        let x_ticks = frame::horizontal_ticks(x_range, false, labels.x, width);
        let bar = ColorBar::new(labels.name, labels.value, labels.colors, range, height);
        let left = frame::left_margin(&y_ticks);
        let top = style::MARGIN + if labels.title.is_empty() { 0.0 } else { style::TITLE + 14.0 };
        let has_factor = y_ticks.factor.is_some() || bar.has_factor();
        let top = if has_factor { top + style::SMALL } else { top };
        let page = (left + width + bar.width() + style::MARGIN).max(MIN_WIDTH);
        let mut canvas = Canvas::new(page.round(), (top + height + BOTTOM_MARGIN).round());
        frame::heading(&mut canvas, labels.title, left, &[]);
        let area = Area { left, top, right: left + width, bottom: top + height };
        (Self { labels, area, bar, ranges: [x_range, y_range], x_ticks, y_ticks }, canvas)
    }

    /// Its axes.
    pub fn axes(&self) -> Axes<'_> {
        let ([x_range, y_range], area) = (self.ranges, self.area);
        Axes {
            area,
            x: Scale { range: x_range, log: false, pixels: [area.left, area.right] },
            y: Scale { range: y_range, log: false, pixels: [area.bottom, area.top] },
            x_ticks: &self.x_ticks,
            y_ticks: &self.y_ticks,
            x_label: self.labels.x,
            y_label: self.labels.y,
        }
    }

    /// Draws frame, axes and color bar, over the data.
    pub fn finish(&self, canvas: &mut Canvas) -> Result<(), ReportError> {
        canvas.rect(self.area, "none", Some(Stroke::solid(style::INK, style::AXIS)));
        self.axes().draw(canvas);
        self.bar.draw(canvas, &self.area)
    }
}

/// Size of a plotting area in pixels, with equal scales on both axes.
pub fn fitted(x: [f64; 2], y: [f64; 2]) -> (f64, f64) {
    // Halves first: a difference of two huge values would overflow.
    let (width, height) = (0.5 * x[1] - 0.5 * x[0], 0.5 * y[1] - 0.5 * y[0]);
    let (most_width, most_height) = style::MAP_AREA;
    let aspect = width / height;
    let fitted = if aspect * most_height > most_width {
        (most_width, most_width / aspect)
    } else {
        (most_height * aspect, most_height)
    };
    (fitted.0.max(MIN_SIDE), fitted.1.max(MIN_SIDE))
}
