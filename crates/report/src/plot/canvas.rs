//! An SVG document under construction: lines, shapes, text and images in pixels.
//!
//! Geometry is clipped here and not by the SVG: a document then has no identifiers that could clash
//! when several are embedded in one page, and no coordinates beyond the single precision of
//! viewers.

use super::style;
use super::text::{escape, text_width};
use crate::base64::base64;
use std::fmt::Write as _;

/// A point in pixels.
pub type Point = (f64, f64);

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn contains(&self, (x, y): Point) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }

    /// The part of a segment that is inside, if any (Liang and Barsky).
    pub fn clip(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let edges =
            [(-dx, a.0 - self.left), (dx, self.right - a.0), (-dy, a.1 - self.top), (dy, self.bottom - a.1)];
        for (toward, distance) in edges {
            // Parallel to this edge: inside or outside as a whole.
            if toward == 0.0 {
                if distance < 0.0 {
                    return None;
                }
            } else if toward < 0.0 {
                enter = enter.max(distance / toward);
            } else {
                leave = leave.min(distance / toward);
            }
        }
        let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
        (enter <= leave).then(|| (at(enter), at(leave)))
    }

    /// The part of a closed polygon that is inside (Sutherland and Hodgman).
    pub fn clip_polygon(&self, polygon: &[Point]) -> Vec<Point> {
        // Distance to each edge, positive inside.
        let edges: [&dyn Fn(Point) -> f64; 4] =
            [&|p| p.0 - self.left, &|p| self.right - p.0, &|p| p.1 - self.top, &|p| self.bottom - p.1];
        let mut points = polygon.to_vec();
        for inside in edges {
            let mut kept = Vec::with_capacity(points.len() + 2);
            for (i, &b) in points.iter().enumerate() {
                let a = points[(i + points.len() - 1) % points.len()];
                let (da, db) = (inside(a), inside(b));
                if (da < 0.0) != (db < 0.0) {
                    let t = da / (da - db);
                    kept.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
                }
                if db >= 0.0 {
                    kept.push(b);
                }
            }
            points = kept;
        }
        points
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Stroke<'a> {
    pub color: &'a str,
    pub width: f64,
    pub dash: &'a str,
}

impl<'a> Stroke<'a> {
    pub fn solid(color: &'a str, width: f64) -> Self {
        Self { color, width, dash: "" }
    }
}

/// Which point of a text is placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub struct Font {
    pub size: f64,
    pub bold: bool,
    pub color: &'static str,
}

impl Font {
    pub const TITLE: Self = Self { size: style::TITLE, bold: true, color: style::INK };
    pub const LABEL: Self = Self { size: style::LABEL, bold: false, color: style::INK };
    pub const SMALL: Self = Self { size: style::SMALL, bold: false, color: style::INK };
    pub const NOTE: Self = Self { size: style::SMALL, bold: false, color: style::SOFT_INK };

    /// Width of a text in pixels.
    pub fn width(&self, text: &str) -> f64 {
        text_width(text, self.size, self.bold)
    }

    /// Drop from the middle of the lower-case letters to the base line.
    pub fn half_height(&self) -> f64 {
        0.36 * self.size
    }

    /// The text and size that fit into `width`: smaller first, then cut off.
    pub fn fit(mut self, text: &str, width: f64) -> (String, Self) {
        let natural = self.width(text);
        if natural <= width {
            return (text.to_owned(), self);
        }
        let wished = self.size;
        self.size = (wished * width / natural).max(style::SMALLEST.min(wished));
        let now = natural * self.size / wished;
        if now <= width {
            return (text.to_owned(), self);
        }
        let letters = (text.chars().count() as f64 * width / now).floor() as usize;
        // One letter less makes room for the ellipsis.
        let cut: String = text.chars().take(letters.saturating_sub(1)).collect();
        (format!("{}\u{2026}", cut.trim_end()), self)
    }
}

/// The document.
#[derive(Debug)]
pub struct Canvas {
    pub width: f64,
    pub height: f64,
    body: String,
}

impl Canvas {
    pub fn new(width: f64, height: f64) -> Self {
        let mut canvas = Self { width, height, body: String::new() };
        canvas.rect(Area { left: 0.0, top: 0.0, right: width, bottom: height }, style::PAPER, None);
        canvas
    }

    /// The finished document, with text as text.
    pub fn finish(self) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\">{body}</svg>"
        )
    }

    // Writing to a String cannot fail, so that the results of `write!` are ignored.

    pub fn rect(&mut self, area: Area, fill: &str, stroke: Option<Stroke>) {
        let (x, y, w, h) = (area.left, area.top, area.width(), area.height());
        let _ = write!(
            self.body,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{fill}\"{}/>",
            stroke.map(stroke_attributes).unwrap_or_default()
        );
    }

    pub fn segment(&mut self, a: Point, b: Point, stroke: Stroke) {
        self.polyline(&[a, b], stroke);
    }

    pub fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        if points.len() > 1 {
            let (path, stroke) = (path_text(points), stroke_attributes(stroke));
            let _ = write!(self.body, "<path d=\"{path}\" fill=\"none\" stroke-linejoin=\"round\"{stroke}/>");
        }
    }

    pub fn polygon(&mut self, points: &[Point], fill: &str, stroke: Option<Stroke>) {
        if points.len() > 2 {
            let (path, stroke) = (path_text(points), stroke.map(stroke_attributes).unwrap_or_default());
            let _ = write!(self.body, "<path d=\"{path}Z\" fill=\"{fill}\"{stroke}/>");
        }
    }

    pub fn circle(&mut self, (x, y): Point, r: f64, fill: &str, stroke: Option<Stroke>) {
        let stroke = stroke.map(stroke_attributes).unwrap_or_default();
        let _ =
            write!(self.body, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{r:.2}\" fill=\"{fill}\"{stroke}/>");
    }

    /// A line with a filled head.
    pub fn arrow(&mut self, from: Point, to: Point, stroke: Stroke) {
        let (neck, _) = head(from, to, stroke.width);
        self.segment(from, neck, stroke);
        self.head(from, to, stroke);
    }

    /// The head of an arrow alone.
    pub fn head(&mut self, from: Point, to: Point, stroke: Stroke) {
        let (_, corners) = head(from, to, stroke.width);
        self.polygon(&corners, stroke.color, None);
    }

    /// Squares of side `2 r` around points, all in one element.
    pub fn dots(&mut self, points: &[Point], r: f64, fill: &str) {
        let (mut path, side) = (String::with_capacity(points.len() * 32), 2.0 * r);
        for (x, y) in points {
            let _ = write!(path, "M{:.1} {:.1}h{side}v{side}h-{side}z", x - r, y - r);
        }
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"{fill}\"/>");
    }

    /// Rectangles of one color, all in one element.
    pub fn rects(&mut self, areas: &[Area], fill: &str) {
        let mut path = String::with_capacity(areas.len() * 40);
        for area in areas {
            let (w, h) = (area.width(), area.height());
            let _ = write!(path, "M{:.2} {:.2}h{w:.2}v{h:.2}h-{w:.2}z", area.left, area.top);
        }
        // Adjacent cells touch: antialiased edges would show as lines between them.
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"{fill}\" shape-rendering=\"crispEdges\"/>");
    }

    /// Text on the base line through `at`.
    pub fn text(&mut self, at: Point, anchor: Anchor, font: Font, text: &str) {
        self.text_with(at, anchor, font, text, "");
    }

    /// Text rotated by 90 degrees, centered on `at`.
    pub fn text_upward(&mut self, (x, y): Point, font: Font, text: &str) {
        let turn = format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"");
        self.text_with((x, y), Anchor::Middle, font, text, &turn);
    }

    /// Text with a white outline, legible over lines.
    pub fn text_over(&mut self, at: Point, anchor: Anchor, font: Font, text: &str) {
        let rim = format!(" stroke=\"{}\" stroke-width=\"4\" stroke-linejoin=\"round\"", style::PAPER);
        self.text_with(at, anchor, font, text, &rim);
        self.text(at, anchor, font, text);
    }

    fn text_with(&mut self, (x, y): Point, anchor: Anchor, font: Font, text: &str, more: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if font.bold { "bold" } else { "normal" };
        let _ = write!(
            self.body,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-family=\"{}\" font-size=\"{:.2}\" font-weight=\"{weight}\" \
             text-anchor=\"{anchor}\" fill=\"{}\"{more}>{}</text>",
            style::FONT,
            font.size,
            font.color,
            escape(text)
        );
    }

    /// A PNG, stretched over `area`.
    pub fn image(&mut self, area: Area, png: &[u8]) {
        let (x, y, w, h) = (area.left, area.top, area.width(), area.height());
        let _ = write!(
            self.body,
            "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" preserveAspectRatio=\"none\" \
             href=\"data:image/png;base64,{}\"/>",
            base64(png)
        );
    }
}

/// Where the line of an arrow ends, and the corners of its head.
fn head(from: Point, to: Point, width: f64) -> (Point, [Point; 3]) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1e-9);
    let (x, y) = (dx / length, dy / length);
    let (head, half) = (4.5 * width.max(1.2), 1.7 * width.max(1.2));
    let neck = (to.0 - head * x, to.1 - head * y);
    let side = |s: f64| (neck.0 - s * half * y, neck.1 + s * half * x);
    (neck, [to, side(1.0), side(-1.0)])
}

fn stroke_attributes(stroke: Stroke) -> String {
    let Stroke { color, width, dash } = stroke;
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!(" stroke=\"{color}\" stroke-width=\"{width}\"{dash}")
}

fn path_text(points: &[Point]) -> String {
    let mut path = String::with_capacity(points.len() * 14);
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x:.2} {y:.2}", if i == 0 { 'M' } else { 'L' });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Area = Area { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };

    #[test]
    fn segments_are_clipped() {
        assert_eq!(UNIT.clip((-1.0, 0.5), (2.0, 0.5)), Some(((0.0, 0.5), (1.0, 0.5))));
        assert_eq!(UNIT.clip((0.25, 0.5), (0.75, 0.5)), Some(((0.25, 0.5), (0.75, 0.5))));
        assert_eq!(UNIT.clip((-1.0, 0.5), (0.5, 3.0)), None);
        assert_eq!(UNIT.clip((2.0, 0.0), (2.0, 1.0)), None);
    }

    #[test]
    fn polygons_are_clipped() {
        let around = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)];
        let clipped = UNIT.clip_polygon(&around);
        assert_eq!(clipped.len(), 4);
        assert!(clipped.iter().all(|p| UNIT.contains(*p)));
        assert!(UNIT.clip_polygon(&[(2.0, 2.0), (3.0, 2.0), (3.0, 3.0)]).is_empty());
        assert!(UNIT.clip_polygon(&[]).is_empty());
    }

    #[test]
    fn text_that_is_too_long_shrinks_then_ends() {
        let (text, font) = Font::LABEL.fit("observation angle", 100.0);
        assert!(font.size < style::LABEL && text == "observation angle");
        let (text, font) = Font::LABEL.fit(&"wide ".repeat(100), 100.0);
        assert!(font.width(&text) < 110.0 && text.ends_with('\u{2026}'));
    }
}
