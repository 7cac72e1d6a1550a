//! The color bar of a plot, and images in its colors.

use super::canvas::{Anchor, Area, Canvas, Font, Stroke};
use super::colormap::Colors;
use super::scale::Scale;
use super::ticks::Ticks;
use super::{frame, style};
use crate::ReportError;

/// Width of the bar and its distance from the map.
const BAR: f64 = 18.0;
const GAP: f64 = 24.0;
/// Shortest bar that the number of ticks is chosen for.
const SHORTEST: f64 = 150.0;
/// Colors in a picture; index 0 of its palette is for cells without a value.
pub const LEVELS: f64 = 254.0;

/// The color scale of a plot.
#[derive(Debug)]
pub struct ColorBar<'a> {
    /// Name of the plot, for errors.
    name: &'a str,
    label: &'a str,
    colors: Colors,
    range: [f64; 2],
    ticks: Ticks,
}

impl<'a> ColorBar<'a> {
    /// A bar of about `height` pixels for values in a range.
    pub fn new(name: &'a str, label: &'a str, colors: Colors, range: [f64; 2], height: f64) -> Self {
        let ticks = frame::vertical_ticks(range, false, label, height.max(SHORTEST));
        Self { name, label, colors, range, ticks }
    }

    /// Room that it takes beside a map.
    pub fn width(&self) -> f64 {
        GAP + BAR + style::TICK + frame::widest(&self.ticks) + style::LABEL + 18.0
    }

    /// Whether a factor stands above it.
    pub fn has_factor(&self) -> bool {
        self.ticks.factor.is_some()
    }

    /// Position of a value on the color scale, from 0 to 1; phases wrap around.
    pub fn shade(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        // Halves first: a difference of two huge values would overflow.
        let t = (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low);
        if self.colors == Colors::Phase && t != 1.0 { t.rem_euclid(1.0) } else { t.clamp(0.0, 1.0) }
    }

    /// A picture of palette indices as PNG, with these alphas of the first indices; all others are opaque.
    pub fn encode(
        &self,
        size: (usize, usize),
        indices: &[u8],
        alphas: Vec<u8>,
    ) -> Result<Vec<u8>, ReportError> {
        // One byte per pixel, a palette index, instead of four of RGBA.
        let mut palette = vec![0; 3];
        palette.extend((0..=LEVELS as u32).flat_map(|i| self.colors.at(f64::from(i) / LEVELS)));
        encode(self.name, size, Some((palette, alphas)), indices)
    }

    /// Draws it to the right of a map, as tall as that is.
    pub fn draw(&self, canvas: &mut Canvas, map: &Area) -> Result<(), ReportError> {
        let left = map.right + GAP;
        let area = Area { left, right: left + BAR, ..*map };
        let levels: Vec<u8> = (1..=LEVELS as u8 + 1).rev().collect();
        canvas.image(area, &self.encode((1, levels.len()), &levels, vec![0])?);
        let line = Stroke::solid(style::INK, style::AXIS);
        canvas.rect(area, "none", Some(line));
        let scale = Scale { range: self.range, log: false, pixels: [area.bottom, area.top] };
        for (value, label) in self.ticks.values.iter().zip(&self.ticks.labels) {
            let Some(y) = scale.pixel(*value) else { continue };
            canvas.segment((area.right, y), (area.right + style::TICK, y), line);
            let at = (area.right + style::TICK + 4.0, y + Font::SMALL.half_height());
            canvas.text(at, Anchor::Start, Font::SMALL, label);
        }
        let (text, font) = Font::LABEL.fit(self.label, map.height() + 60.0);
        let beside = area.right + style::TICK + frame::widest(&self.ticks) + 10.0 + style::LABEL;
        canvas.text_upward((beside, 0.5 * (map.top + map.bottom)), font, &text);
        if let Some(factor) = &self.ticks.factor {
            canvas.text((area.left, area.top - 7.0), Anchor::Start, Font::NOTE, factor);
        }
        Ok(())
    }
}

/// An image as PNG: indices of a palette with alphas of its first colors, or RGBA.
pub fn encode(
    plot: &str,
    (width, height): (usize, usize),
    palette: Option<(Vec<u8>, Vec<u8>)>,
    data: &[u8],
) -> Result<Vec<u8>, ReportError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(png::ColorType::Rgba);
    if let Some((palette, alphas)) = palette {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette);
        encoder.set_trns(alphas);
    }
    encoder
        .write_header()
        .and_then(|mut writer| {
            writer.write_image_data(data)?;
            writer.finish()
        })
        .map_err(|e| ReportError::Plot { plot: plot.to_owned(), reason: e.to_string() })?;
    Ok(bytes)
}
