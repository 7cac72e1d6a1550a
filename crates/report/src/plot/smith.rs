//! Smith charts: reflection coefficients in the complex plane, over circles of constant resistance
//! and reactance.
//!
//! The reflection coefficient Γ corresponds to the normalized impedance z = (1 + Γ)/(1 - Γ) (Smith,
//! "Transmission line calculator", Electronics, 1939).

use super::canvas::{Anchor, Area, Canvas, Font, Point, Stroke};
use super::series::{Series, SeriesStyle};
use super::{frame, style};
use crate::ReportError;
use num_complex::Complex64;
use serde::Serialize;

/// Normalized resistances and reactances of the grid lines.
const VALUES: [f64; 5] = [0.2, 0.5, 1.0, 2.0, 5.0];
/// Segments of an arc.
const PIECES: u32 = 64;
/// Margin around the circle for the labels of the reactances.
const AROUND: f64 = 40.0;
/// Distance in pixels over which the direction of the arrow at the end of a curve is taken.
const BACK: f64 = 7.0;
/// Radius of the dot at the start of a curve, and of a mark.
const DOT: f64 = 4.5;
/// Distances of a label from its mark in pixels, and directions in degrees, the best first.
const DISTANCES: [f64; 3] = [14.0, 30.0, 50.0];
const DIRECTIONS: [f64; 8] = [40.0, -40.0, 140.0, -140.0, 0.0, 180.0, 90.0, -90.0];
/// Magnitudes are clamped to this; no chart extends that far.
const FAR: f64 = 1e4;

/// Reflection coefficients on a Smith chart: the match 0 at the center, the short circuit -1 at the
/// left, the open circuit 1 at the right.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SmithPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above the chart.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label below the chart: `S11 from 1 GHz to 3 GHz, reference 50 ohm`.
    pub label: String,
    /// Curves; `x` is the real part of the reflection coefficient, `y` the imaginary one, as from
    /// [`Series::complex`]. A line has a dot at its start and an arrow at its end.
    pub series: Vec<Series>,
    /// Labeled points.
    pub marks: Vec<Mark>,
}

/// A labeled reflection coefficient, such as that at the frequency of the best match.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Mark {
    /// The reflection coefficient.
    pub at: Complex64,
    /// Its name.
    pub label: String,
}

/// Maps reflection coefficients to the page.
struct Chart {
    center: Point,
    radius: f64,
    /// Clipping area, with some margin for magnitudes above 1.
    area: Area,
}

impl Chart {
    fn point(&self, reflection: Complex64) -> Option<Point> {
        let (re, im) = (reflection.re.clamp(-FAR, FAR), reflection.im.clamp(-FAR, FAR));
        let area = (self.center.0 + self.radius * re, self.center.1 - self.radius * im);
        reflection.is_finite().then_some(area)
    }

    /// The points of a series, split where there is no value.
    fn runs(&self, series: &Series) -> Vec<Vec<Point>> {
        let points: Vec<Option<Point>> =
            series.x.iter().zip(&series.y).map(|(re, im)| self.point(Complex64::new(*re, *im))).collect();
        let whole = points.split(Option::is_none).filter(|run| !run.is_empty());
        whole
            .map(|run| frame::thin(&run.iter().copied().flatten().collect::<Vec<_>>(), |p| p.0, |p| p.1))
            .collect()
    }
}

/// Draws the plot.
pub fn draw(plot: &SmithPlot) -> Result<Canvas, ReportError> {
    plot.series.iter().try_for_each(|series| series.validate(&plot.name))?;
    let mut canvas = Canvas::new(style::POLAR_SIZE.0, style::POLAR_SIZE.1);
    let top = frame::heading(&mut canvas, &plot.title, style::MARGIN, &plot.series);
    let bottom = canvas.height - style::MARGIN - style::LABEL - 6.0;
    let area = Area { left: style::MARGIN, top, right: canvas.width - style::MARGIN, bottom };
    let center = (0.5 * canvas.width, 0.5 * (top + bottom));
    let chart = Chart { center, radius: 0.5 * area.width().min(area.height()) - AROUND, area };

    grid(&mut canvas, &chart);
    let runs: Vec<_> = plot.series.iter().map(|series| chart.runs(series)).collect();
    for ((runs, look), series) in runs.iter().zip(frame::looks(&plot.series)).zip(&plot.series) {
        frame::runs(&mut canvas, &area, runs, &look);
        if series.style != SeriesStyle::Points {
            ends(&mut canvas, &area, runs, look.color);
        }
    }
    if runs.iter().all(Vec::is_empty) && plot.marks.is_empty() {
        frame::no_data(&mut canvas, &area);
    }
    marks(&mut canvas, &chart, &plot.marks, &runs);
    let (text, font) = Font::LABEL.fit(&note(plot), canvas.width - 2.0 * style::MARGIN);
    canvas.text((center.0, canvas.height - style::MARGIN), Anchor::Middle, font, &text);
    Ok(canvas)
}

/// The label, and the meaning of the ends of lines.
fn note(plot: &SmithPlot) -> String {
    let has_lines = plot.series.iter().any(|series| series.style != SeriesStyle::Points);
    let ends = has_lines.then_some("dot: start, arrow: end");
    [Some(plot.label.as_str()).filter(|label| !label.is_empty()), ends]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
}

/// Circles of constant resistance and arcs of constant reactance with their values. Drawn below the
/// data; the center of the chart, where curves converge, must remain free of labels.
fn grid(canvas: &mut Canvas, chart: &Chart) {
    let hair = Stroke::solid(style::SMITH_GRID, style::HAIR);
    let Chart { center, radius, .. } = *chart;
    for r in VALUES {
        // Circle of constant resistance: |Γ - r/(1 + r)| = 1/(1 + r).
        canvas.circle((center.0 + radius * r / (1.0 + r), center.1), radius / (1.0 + r), "none", Some(hair));
    }
    for arc in arcs(chart) {
        canvas.polyline(&arc, hair);
    }
    canvas.segment((center.0 - radius, center.1), (center.0 + radius, center.1), hair);
    canvas.circle(center, radius, "none", Some(Stroke::solid(style::INK, style::AXIS)));

    for ((x, y), text) in labels(chart) {
        canvas.text_over((x, y + Font::NOTE.half_height()), Anchor::Middle, Font::NOTE, &text);
    }
}

/// Arcs of constant reactance. Those that would crowd at the open circuit, over the labels of the
/// resistances, end earlier: 0.2 at the circle of 2, and 0.5 and 1 at that of 5.
fn arcs(chart: &Chart) -> Vec<Vec<Point>> {
    let arc = |x: f64| {
        let last = (10.0 * x.abs()).min(5.0);
        let end = if x.abs() > 1.0 { 1.0 } else { last / (1.0 + last) };
        let at = |i: u32| chart.point(reactance_arc(x, end * f64::from(i) / f64::from(PIECES)));
        (0..=PIECES).filter_map(at).collect()
    };
    VALUES.iter().flat_map(|x| [*x, -x]).map(arc).collect()
}

/// Values of the circles and arcs with the centers of their labels: above the axis beside the
/// circle, and around the edge.
fn labels(chart: &Chart) -> Vec<(Point, String)> {
    let Chart { center, radius, .. } = *chart;
    let out = 0.55 * AROUND;
    let mut labels = vec![
        ((center.0 - radius - out, center.1), "0".to_owned()),
        ((center.0 + radius + out, center.1), "\u{221e}".to_owned()),
    ];
    for value in VALUES {
        let text = format!("{value}");
        let left = center.0 + radius * (value - 1.0) / (value + 1.0);
        labels.push(((left + 3.0 + 0.5 * Font::NOTE.width(&text), center.1 - 9.0), text));
        for (x, sign) in [(value, "+"), (-value, "\u{2212}")] {
            let edge = (radius + out) * reactance_arc(x, 0.0);
            labels.push(((center.0 + edge.re, center.1 - edge.im), format!("{sign}j{value}")));
        }
    }
    labels
}

/// The reflection coefficient of z = t/(1 - t) + jx: from the edge of the chart at t = 0 to the
/// open circuit at t = 1.
fn reactance_arc(x: f64, t: f64) -> Complex64 {
    let jx = Complex64::new(0.0, x * (1.0 - t));
    (2.0 * t - 1.0 + jx) / (1.0 + jx)
}

/// A dot at the start of a curve and an arrow at its end.
fn ends(canvas: &mut Canvas, area: &Area, runs: &[Vec<Point>], color: &str) {
    let mut points = runs.iter().flatten();
    let (Some(&first), Some(&last)) = (points.next(), runs.iter().flatten().next_back()) else { return };
    if area.contains(first) {
        canvas.circle(first, DOT, color, None);
    }
    let distance = |p: &Point| (p.0 - last.0).hypot(p.1 - last.1);
    let before = runs.iter().flatten().rev().find(|p| distance(p) >= BACK);
    if let Some(&before) = before.filter(|_| area.contains(last)) {
        let back = 2.0 * BACK / distance(&before);
        let tail = (last.0 + back * (before.0 - last.0), last.1 + back * (before.1 - last.1));
        canvas.head(tail, last, Stroke::solid(color, 2.4));
    }
}

/// Dots with labels, each at the position with the least overlap.
fn marks(canvas: &mut Canvas, chart: &Chart, marks: &[Mark], runs: &[Vec<Vec<Point>>]) {
    let areas: Vec<(Point, &str)> = marks
        .iter()
        .filter_map(|mark| {
            Some((chart.point(mark.at).filter(|p| chart.area.contains(*p))?, mark.label.as_str()))
        })
        .collect();
    let half = |text: &str, font: Font| (0.5 * font.width(text) + 4.0, 0.6 * font.size);
    let dots = areas.iter().map(|(at, _)| around(*at, (DOT + 2.0, DOT + 2.0)));
    let values = labels(chart).into_iter().map(|(at, text)| around(at, half(&text, Font::NOTE)));
    let mut taken: Vec<Area> = dots.chain(values).collect();
    let font = Font::SMALL;
    for &(at, label) in &areas {
        canvas.circle(at, DOT, style::PAPER, Some(Stroke::solid(style::INK, 1.8)));
        let half = half(label, font);
        let cost = |area: &Area| {
            let crosses = |pair: &[Point]| area.clip(pair[0], pair[1]).is_some();
            let lines =
                runs.iter().flatten().flat_map(|run| run.windows(2)).filter(|pair| crosses(pair)).count();
            let over = taken.iter().filter(|other| overlap(area, other)).count();
            let out = !chart.area.contains((area.left, area.top))
                || !chart.area.contains((area.right, area.bottom));
            lines.min(1000) + 10_000 * (over + usize::from(out))
        };
        let candidates = DISTANCES
            .iter()
            .flat_map(|distance| DIRECTIONS.map(|degrees| beside(at, half, *distance, degrees)));
        let Some(area) = candidates.min_by_key(cost) else { continue };
        let middle = (0.5 * (area.left + area.right), 0.5 * (area.top + area.bottom));
        canvas.text_over((middle.0, middle.1 + font.half_height()), Anchor::Middle, font, label);
        taken.push(area);
    }
}

/// A box of half sides `half` whose nearest point is about `distance` away from `at`.
fn beside(at: Point, half: (f64, f64), distance: f64, degrees: f64) -> Area {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let sign = |x: f64| if x.abs() < 1e-9 { 0.0 } else { x.signum() };
    around((at.0 + distance * cos + half.0 * sign(cos), at.1 - distance * sin - half.1 * sign(sin)), half)
}

fn around((x, y): Point, half: (f64, f64)) -> Area {
    Area { left: x - half.0, top: y - half.1, right: x + half.0, bottom: y + half.1 }
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Γ = (z - 1)/(z + 1) for z = r + jx, and the circle of its reactance: |Γ - (1 + j/x)| = 1/|x|.
    #[test]
    fn arcs_have_the_reflections_of_their_impedances() {
        for x in [-5.0, -1.0, 0.2, 2.0] {
            for t in [0.0, 0.25, 0.5, 0.99] {
                let z = Complex64::new(t / (1.0 - t), x);
                let expected = (z - 1.0) / (z + 1.0);
                let found = reactance_arc(x, t);
                assert!((found - expected).norm() < 1e-12, "{x} {t}: {found} {expected}");
                let center = Complex64::new(1.0, 1.0 / x);
                assert!(((found - center).norm() - 1.0 / x.abs()).abs() < 1e-12, "{x} {t}");
            }
            assert!((reactance_arc(x, 0.0).norm() - 1.0).abs() < 1e-12, "a pure reactance is on the edge");
        }
    }

    #[test]
    fn no_arc_goes_through_the_value_of_a_circle() {
        let area = Area { left: 0.0, top: 0.0, right: 720.0, bottom: 720.0 };
        let chart = Chart { center: (360.0, 360.0), radius: 276.0, area };
        let values: Vec<_> = labels(&chart).into_iter().filter(|(at, _)| at.1 == 360.0 - 9.0).collect();
        assert_eq!(values.len(), VALUES.len());
        for (at, text) in values {
            let area = around(at, (0.5 * Font::NOTE.width(&text), 0.4 * Font::NOTE.size));
            let crosses = |pair: &[Point]| area.clip(pair[0], pair[1]).is_some();
            assert!(!arcs(&chart).iter().any(|arc| arc.windows(2).any(crosses)), "{text}");
        }
    }

    #[test]
    fn labels_keep_apart_and_stay_on_the_page() {
        let mark = |re: f64, im: f64, label: &str| Mark { at: Complex64::new(re, im), label: label.into() };
        let plot = SmithPlot {
            marks: vec![
                mark(0.0, 0.0, "2.40 GHz"),
                mark(0.03, 0.0, "2.45 GHz"),
                mark(1.0, 0.0, "open end, far to the right"),
            ],
            ..SmithPlot::default()
        };
        let svg = draw(&plot).unwrap().finish();
        let area = |label: &str| {
            let before = &svg[..svg.find(&format!(">{label}<")).unwrap()];
            let element = &before[before.rfind("<text").unwrap()..];
            let number = |key: &str| -> f64 {
                element.split(key).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            let (x, y, half) = (number("x=\""), number(" y=\""), 0.5 * Font::SMALL.width(label));
            Area { left: x - half, right: x + half, top: y - 10.0, bottom: y + 2.0 }
        };
        let areas: Vec<Area> = plot.marks.iter().map(|mark| area(&mark.label)).collect();
        for (i, a) in areas.iter().enumerate() {
            assert!(a.left > 0.0 && a.right < style::POLAR_SIZE.0, "{a:?}");
            assert!(areas[i + 1..].iter().all(|b| !overlap(a, b)), "{areas:?}");
        }
    }
}
