//! Common parts of the plots: title, legend, axes with ticks, and the drawing of series.

use super::canvas::{Anchor, Area, Canvas, Font, Point, Stroke};
use super::scale::Scale;
use super::series::{Series, SeriesStyle};
use super::style;
use super::ticks::{self, Ticks};
use std::collections::HashSet;

/// Width of the sample of a line in the legend.
const SAMPLE: f64 = 34.0;
/// Space between entries of the legend.
const BETWEEN: f64 = 26.0;
/// Height of a row of the legend.
const ROW: f64 = 21.0;
/// Rows of the legend; series beyond them are counted, not named.
const ROWS: usize = 5;
/// Lines with more points than this are decimated: no plot has more columns of pixels.
const MANY: usize = 4000;
/// A series of more points than this is drawn with dots instead of markers.
const MANY_POINTS: usize = 1000;
/// Pixels between dots.
const DOT_GRID: f64 = 3.0;

/// Color, dash and marker of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    pub color: &'static str,
    pub dash: &'static str,
    pub width: f64,
    /// Shape of the marker; none for lines.
    pub marker: Option<usize>,
}

impl Look {
    /// A line over a map, and the white one below it.
    pub const EDGE: Self = Self::line(style::INK, style::LINE);
    pub const EDGE_RIM: Self = Self::line(style::PAPER, 3.0 * style::LINE);
    /// The same for lines of less weight.
    pub const COAST: Self = Self::line(style::SOFT_INK, style::HAIR);
    pub const COAST_RIM: Self = Self::line(style::PAPER, 2.5 * style::HAIR);
    /// A line that must not distract.
    pub const FAINT: Self = Self::line(style::SOFT_INK, 0.6 * style::HAIR);
    /// A contour line over colors.
    pub const LEVEL: Self = Self::line(style::INK, style::HAIR);

    const fn line(color: &'static str, width: f64) -> Self {
        Self { color, dash: "", width, marker: None }
    }

    fn stroke(&self) -> Stroke<'static> {
        Stroke { color: self.color, width: self.width, dash: self.dash }
    }
}

/// The looks of all series of a plot.
pub fn looks(series: &[Series]) -> Vec<Look> {
    let (mut solid, mut points) = (0, 0);
    let mut next = |(i, series): (usize, &Series)| {
        let color = style::SERIES[i % style::SERIES.len()];
        match series.style {
            SeriesStyle::Solid => {
                solid += 1;
                Look {
                    color,
                    dash: style::DASHES[(solid - 1) % style::DASHES.len()],
                    width: style::LINE,
                    marker: None,
                }
            }
            SeriesStyle::Dashed => Look { color, dash: style::DASHED, width: style::LINE, marker: None },
            SeriesStyle::Points => {
                points += 1;
                Look { color, dash: "", width: style::LINE, marker: Some(points - 1) }
            }
        }
    };
    series.iter().enumerate().map(&mut next).collect()
}

/// Draws title and legend from the top edge down; returns their lower end.
pub fn heading(canvas: &mut Canvas, title: &str, left: f64, series: &[Series]) -> f64 {
    let right = canvas.width - style::MARGIN;
    let mut bottom = style::MARGIN;
    if !title.is_empty() {
        let (text, font) = Font::TITLE.fit(title, right - left);
        canvas.text((left, bottom + 0.6 * style::TITLE), Anchor::Start, font, &text);
        bottom += style::TITLE + 7.0;
    }
    if series.len() > 1 {
        bottom = legend(canvas, (left, right), bottom, series);
    }
    bottom
}

fn legend(canvas: &mut Canvas, (left, right): (f64, f64), top: f64, series: &[Series]) -> f64 {
    let (mut x, mut row) = (left, 0);
    for (i, (entry, look)) in series.iter().zip(looks(series)).enumerate() {
        let (text, font) = Font::SMALL.fit(&entry.label, right - left - SAMPLE - 8.0);
        let width = SAMPLE + 8.0 + font.width(&text);
        if x > left && x + width > right {
            (x, row) = (left, row + 1);
        }
        let y = top + (row as f64 + 0.5) * ROW;
        if row == ROWS {
            let rest = format!("and {} more", series.len() - i);
            canvas.text((left, y + font.half_height()), Anchor::Start, Font::NOTE, &rest);
            break;
        }
        if let Some(shape) = look.marker {
            marker(canvas, (x + 0.5 * SAMPLE, y), shape, look.color);
        } else {
            canvas.segment((x, y), (x + SAMPLE, y), look.stroke());
        }
        canvas.text((x + SAMPLE + 8.0, y + font.half_height()), Anchor::Start, font, &text);
        x += width + BETWEEN;
    }
    top + (row + 1) as f64 * ROW
}

/// Two axes around an area.
#[derive(Debug)]
pub struct Axes<'a> {
    pub area: Area,
    pub x: Scale,
    pub y: Scale,
    pub x_ticks: &'a Ticks,
    pub y_ticks: &'a Ticks,
    pub x_label: &'a str,
    pub y_label: &'a str,
}

/// Ticks of a horizontal axis of `width` pixels: as many as their labels leave room for.
pub fn horizontal_ticks(range: [f64; 2], log: bool, label: &str, width: f64) -> Ticks {
    let degrees = ticks::is_degrees(label);
    let most = (width / if degrees { 50.0 } else { 75.0 }).clamp(1.0, 12.0) as usize;
    let make = |most| if log { ticks::log(range, most) } else { ticks::linear(range, most, degrees) };
    // Labels need 30 % more than their width to remain separate.
    let fits = |ticks: &Ticks| 1.3 * widest(ticks) * (ticks.labels.len() as f64) <= width;
    (1..=most).rev().map(make).find(fits).unwrap_or_else(|| make(1))
}

/// Most intervals of a vertical axis of `height` pixels.
pub fn most_vertical(height: f64) -> usize {
    (height / 48.0).clamp(1.0, 9.0) as usize
}

/// Ticks of a vertical axis of about `height` pixels.
pub fn vertical_ticks(range: [f64; 2], log: bool, label: &str, height: f64) -> Ticks {
    let most = most_vertical(height);
    if log { ticks::log(range, most) } else { ticks::linear(range, most, ticks::is_degrees(label)) }
}

/// Width of the widest label.
pub fn widest(ticks: &Ticks) -> f64 {
    ticks.labels.iter().map(|label| Font::SMALL.width(label)).fold(0.0, f64::max)
}

impl Axes<'_> {
    /// Draws the grid, below the data.
    pub fn grid(&self, canvas: &mut Canvas) {
        let hair = Stroke::solid(style::GRID, style::HAIR);
        for x in self.x_ticks.values.iter().filter_map(|v| self.x.pixel(*v)) {
            canvas.segment((x, self.area.top), (x, self.area.bottom), hair);
        }
        for y in self.y_ticks.values.iter().filter_map(|v| self.y.pixel(*v)) {
            canvas.segment((self.area.left, y), (self.area.right, y), hair);
        }
    }

    /// Draws the axes with ticks and labels, over the data.
    pub fn draw(&self, canvas: &mut Canvas) {
        let Area { left, top, right, bottom } = self.area;
        let line = Stroke::solid(style::INK, style::AXIS);
        canvas.polyline(&[(left, top), (left, bottom), (right, bottom)], line);
        let below = bottom + style::TICK + 4.0 + 0.8 * style::SMALL;
        for (value, label) in self.x_ticks.values.iter().zip(&self.x_ticks.labels) {
            let Some(x) = self.x.pixel(*value) else { continue };
            canvas.segment((x, bottom), (x, bottom + style::TICK), line);
            canvas.text((x, below), Anchor::Middle, Font::SMALL, label);
        }
        let beside = left - style::TICK - 4.0;
        for (value, label) in self.y_ticks.values.iter().zip(&self.y_ticks.labels) {
            let Some(y) = self.y.pixel(*value) else { continue };
            canvas.segment((left - style::TICK, y), (left, y), line);
            canvas.text((beside, y + Font::SMALL.half_height()), Anchor::End, Font::SMALL, label);
        }
        self.labels(canvas, below + style::LABEL + 8.0, beside - widest(self.y_ticks) - 10.0);
    }

    fn labels(&self, canvas: &mut Canvas, below: f64, beside: f64) {
        let Area { left, top, right, bottom } = self.area;
        let factor_width = self.x_ticks.factor.as_deref().map_or(0.0, |f| Font::NOTE.width(f));
        // Labels may exceed a narrow area, but not the page.
        let room = (canvas.width - 2.0 * style::MARGIN).min(right - left + 120.0) - 2.0 * factor_width;
        let (text, font) = Font::LABEL.fit(self.x_label, room);
        canvas.text((0.5 * (left + right), below), Anchor::Middle, font, &text);
        let (text, font) = Font::LABEL.fit(self.y_label, bottom - top + 60.0);
        canvas.text_upward((beside, 0.5 * (top + bottom)), font, &text);
        if let Some(factor) = &self.x_ticks.factor {
            canvas.text((right, below), Anchor::End, Font::NOTE, factor);
        }
        if let Some(factor) = &self.y_ticks.factor {
            canvas.text((left, top - 7.0), Anchor::Middle, Font::NOTE, factor);
        }
    }
}

/// Room left of the axis for the ticks and the label.
pub fn left_margin(ticks: &Ticks) -> f64 {
    style::MARGIN + style::LABEL + 10.0 + widest(ticks) + style::TICK + 2.0
}

/// Room below the axis for ticks and label.
pub const BOTTOM_MARGIN: f64 = 62.0;

/// Writes "no data" in the middle of an area.
pub fn no_data(canvas: &mut Canvas, area: &Area) {
    let middle = (0.5 * (area.left + area.right), 0.5 * (area.top + area.bottom));
    canvas.text_over(middle, Anchor::Middle, Font::NOTE, "no data");
}

/// Decimation: of each run of points in the same column of pixels, retains the first, the lowest,
/// the highest and the last, which are all that is visible.
pub fn thin<T: Copy>(points: &[T], column: impl Fn(&T) -> f64, height: impl Fn(&T) -> f64) -> Vec<T> {
    if points.len() <= MANY {
        return points.to_vec();
    }
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a).floor() == column(b).floor()) {
        let by_height = |a: &usize, b: &usize| height(&run[*a]).total_cmp(&height(&run[*b]));
        // Order within the column is preserved by sorting the indices: the line keeps its shape.
        let extremes = [(0..run.len()).min_by(by_height), (0..run.len()).max_by(by_height)];
        let mut picks: Vec<usize> =
            [0, run.len() - 1].into_iter().chain(extremes.into_iter().flatten()).collect();
        picks.sort_unstable();
        picks.dedup();
        kept.extend(picks.into_iter().map(|i| run[i]));
    }
    kept
}

/// Draws the runs of a series, clipped to the area. A run of one point, which no line could show, is a dot.
pub fn runs(canvas: &mut Canvas, area: &Area, runs: &[Vec<Point>], look: &Look) {
    if let Some(shape) = look.marker {
        let inside: Vec<Point> = runs.iter().flatten().copied().filter(|p| area.contains(*p)).collect();
        if inside.len() <= MANY_POINTS {
            for point in inside {
                marker(canvas, point, shape, look.color);
            }
        } else {
            canvas.dots(&spread(&inside), 0.4 * DOT_GRID, look.color);
        }
        return;
    }
    for run in runs {
        if let [point] = run[..]
            && area.contains(point)
        {
            canvas.circle(point, style::LINE, look.color, None);
        }
        let mut piece: Vec<Point> = Vec::new();
        for pair in run.windows(2) {
            let Some((a, b)) = area.clip(pair[0], pair[1]) else { continue };
            // Clipping interrupted the line: draw what is complete and start a new piece.
            if piece.last() != Some(&a) {
                canvas.polyline(&piece, look.stroke());
                piece = vec![a];
            }
            piece.push(b);
        }
        canvas.polyline(&piece, look.stroke());
    }
}

/// At most one point per cell of a fine grid: overlapping markers show nothing more.
fn spread(points: &[Point]) -> Vec<Point> {
    let mut taken = HashSet::new();
    let cell = |p: &Point| ((p.0 / DOT_GRID).round() as i64, (p.1 / DOT_GRID).round() as i64);
    points.iter().copied().filter(|p| taken.insert(cell(p))).collect()
}

/// A hollow marker, so that curves below it remain visible.
fn marker(canvas: &mut Canvas, (x, y): Point, shape: usize, color: &str) {
    let (r, stroke) = (style::MARKER, Some(Stroke::solid(color, 1.5)));
    match shape % 4 {
        0 => canvas.circle((x, y), r, "none", stroke),
        1 => {
            canvas.polygon(&[(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)], "none", stroke);
        }
        2 => canvas.polygon(&[(x, y - 1.3 * r), (x + 1.2 * r, y + r), (x - 1.2 * r, y + r)], "none", stroke),
        _ => {
            let d = 1.35 * r;
            canvas.polygon(&[(x, y - d), (x + d, y), (x, y + d), (x - d, y)], "none", stroke);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_extremes_and_ends() {
        let points: Vec<Point> = (0..100_000)
            .map(|i| (f64::from(i) / 200.0, if i == 777 { -9.0 } else { f64::from(i % 7) }))
            .collect();
        let kept = thin(&points, |p| p.0, |p| p.1);
        assert!(kept.len() <= 2000);
        assert!(kept.contains(&points[777]) && kept.contains(&points[0]) && kept.contains(&points[99_999]));
        assert!(kept.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn series_differ_in_color_and_dash() {
        let looks = looks(&vec![Series::default(); 5]);
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[i + 1..] {
                assert!(a.color != b.color && a.dash != b.dash);
            }
        }
        assert_eq!(looks[0].color, "#000000");
    }
}
