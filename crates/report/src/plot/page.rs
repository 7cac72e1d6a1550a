//! The page of a plot with colours: equal scales on both axes, and a colour bar beside them.

use super::canvas::{Anchor, Area, Canvas, Font, Stroke};
use super::colormap::Colours;
use super::frame::{self, Axes, BOTTOM_MARGIN};
use super::scale::Scale;
use super::style;
use super::ticks::Ticks;
use crate::ReportError;

/// Smallest side of the plotting area; only maps longer than about ten times their width meet it.
const SMALLEST_SIDE: f64 = 60.0;
/// Smallest width of the page, so that a title has room.
const SMALLEST_WIDTH: f64 = 460.0;
/// Width of the colour bar and its distance from the map.
const BAR: f64 = 18.0;
const BAR_GAP: f64 = 24.0;
/// Colours in a picture; index 0 of its palette is for cells without a value.
pub const LEVELS: f64 = 254.0;

/// What the page of a plot has to know of it.
#[derive(Debug)]
pub struct Labels<'a> {
    pub name: &'a str,
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub value: &'a str,
    pub colours: Colours,
}

/// A page with its places and ticks.
#[derive(Debug)]
pub struct Page<'a> {
    labels: Labels<'a>,
    pub area: Area,
    ranges: [[f64; 2]; 3],
    x_ticks: Ticks,
    y_ticks: Ticks,
    bar_ticks: Ticks,
}

impl<'a> Page<'a> {
    /// A page for data in these ranges along x, along y and in colours, with its title.
    pub fn new(labels: Labels<'a>, ranges: [[f64; 2]; 3]) -> (Self, Canvas) {
        let [x_range, y_range, range] = ranges;
        let (width, height) = size(x_range, y_range);
        let y_ticks = frame::vertical_ticks(y_range, false, labels.y, height);
        let x_ticks = frame::horizontal_ticks(x_range, false, labels.x, width);
        let bar_ticks = frame::vertical_ticks(range, false, labels.value, height.max(150.0));
        let left = frame::left_margin(&y_ticks);
        let top = style::MARGIN + if labels.title.is_empty() { 0.0 } else { style::TITLE + 14.0 };
        let has_factor = y_ticks.factor.is_some() || bar_ticks.factor.is_some();
        let top = if has_factor { top + style::SMALL } else { top };
        let beside = BAR_GAP + BAR + style::TICK + frame::widest(&bar_ticks) + style::LABEL + 18.0;
        let page = (left + width + beside + style::MARGIN).max(SMALLEST_WIDTH);
        let mut canvas = Canvas::new(page.round(), (top + height + BOTTOM_MARGIN).round());
        frame::heading(&mut canvas, labels.title, left, &[]);
        let area = Area { left, top, right: left + width, bottom: top + height };
        (Self { labels, area, ranges, x_ticks, y_ticks, bar_ticks }, canvas)
    }

    /// Its axes.
    pub fn axes(&self) -> Axes<'_> {
        let ([x_range, y_range, _], area) = (self.ranges, self.area);
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

    /// Draws frame, axes and colour bar, over the data.
    pub fn finish(&self, canvas: &mut Canvas) -> Result<(), ReportError> {
        canvas.rect(self.area, "none", Some(Stroke::solid(style::INK, style::AXIS)));
        self.axes().draw(canvas);
        self.colour_bar(canvas)
    }

    /// Place of a value among the colours, from 0 to 1; phases turn.
    pub fn shade(&self, value: f64) -> f64 {
        let [low, high] = self.ranges[2];
        let t = (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low);
        if self.labels.colours == Colours::Phase && t != 1.0 { t.rem_euclid(1.0) } else { t.clamp(0.0, 1.0) }
    }

    /// A picture of palette indices as PNG.
    pub fn encode(&self, (width, height): (usize, usize), indices: &[u8]) -> Result<Vec<u8>, ReportError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        let mut palette = vec![0; 3];
        palette.extend((0..=LEVELS as u32).flat_map(|i| self.labels.colours.at(f64::from(i) / LEVELS)));
        encoder.set_palette(palette);
        // Only the first colour, that of no value, is transparent.
        encoder.set_trns(vec![0]);
        encoder
            .write_header()
            .and_then(|mut writer| {
                writer.write_image_data(indices)?;
                writer.finish()
            })
            .map_err(|e| ReportError::Plot { plot: self.labels.name.to_owned(), reason: e.to_string() })?;
        Ok(bytes)
    }

    fn colour_bar(&self, canvas: &mut Canvas) -> Result<(), ReportError> {
        let (map, ticks) = (&self.area, &self.bar_ticks);
        let left = map.right + BAR_GAP;
        let area = Area { left, right: left + BAR, ..*map };
        let levels: Vec<u8> = (1..=LEVELS as u8 + 1).rev().collect();
        canvas.image(area, &self.encode((1, levels.len()), &levels)?);
        let line = Stroke::solid(style::INK, style::AXIS);
        canvas.rect(area, "none", Some(line));
        let scale = Scale { range: self.ranges[2], log: false, pixels: [area.bottom, area.top] };
        for (value, label) in ticks.values.iter().zip(&ticks.labels) {
            let Some(y) = scale.pixel(*value) else { continue };
            canvas.segment((area.right, y), (area.right + style::TICK, y), line);
            let at = (area.right + style::TICK + 4.0, y + Font::SMALL.half_height());
            canvas.text(at, Anchor::Start, Font::SMALL, label);
        }
        let (text, font) = Font::LABEL.fit(self.labels.value, map.height() + 60.0);
        let beside = area.right + style::TICK + frame::widest(ticks) + 10.0 + style::LABEL;
        canvas.text_upwards((beside, 0.5 * (map.top + map.bottom)), font, &text);
        if let Some(factor) = &ticks.factor {
            canvas.text((area.left, area.top - 7.0), Anchor::Start, Font::NOTE, factor);
        }
        Ok(())
    }
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
