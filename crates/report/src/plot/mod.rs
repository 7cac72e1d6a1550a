//! Plots in one house style: line, polar, Smith chart, map, panels of maps, movie, dots, body and radiation pattern.
//!
//! A plot is drawn as SVG, then text is turned into paths with the embedded font, and the PNG is made from the
//! same tree: both look alike on every machine. Series are black first and told apart by color and by dash.
//!
//! ```
//! use phasefront_report::plot::{Axis, LinePlot, Plot, Series};
//!
//! let angles: Vec<f64> = (0..=360).map(f64::from).collect();
//! let levels = angles.iter().map(|a| 20.0 * (1.5 + a.to_radians().cos()).log10()).collect();
//! let plot = Plot::Line(LinePlot {
//!     name: "echo_width".into(),
//!     title: "Echo width of a circle".into(),
//!     x: Axis::new("observation angle (deg)"),
//!     y: Axis::new("echo width (dB m)"),
//!     series: vec![Series::solid("TM", angles, levels)],
//!     ..LinePlot::default()
//! });
//! let rendered = plot.render()?;
//! assert!(rendered.svg.starts_with("<svg") && !rendered.svg.contains("<text"));
//! assert_eq!(&rendered.png[1..4], b"PNG");
//! # Ok::<(), phasefront_report::ReportError>(())
//! ```

mod bar;
mod body;
mod canvas;
mod colormap;
mod contour;
mod data;
mod dots;
mod eye;
mod frame;
mod levels;
mod line;
mod map;
mod movie;
mod page;
mod panels;
mod pattern;
mod polar;
mod raster;
mod render;
mod scale;
mod shade;
mod silhouette;
mod smith;
mod style;
mod ticks;

pub use body::BodyPlot;
pub(crate) use canvas::escape;
pub use colormap::Colors;
pub use data::{PLOTS_FILE, plots_json};
pub use dots::DotPlot;
pub use levels::level_range;
pub use map::{MapPlot, Outline};
pub use movie::MoviePlot;
pub use panels::{Panel, PanelPlot};
pub use pattern::PatternPlot;
pub use polar::PolarPlot;
pub use silhouette::silhouette;
pub use smith::{Mark, SmithPlot};

use crate::ReportError;
use num_complex::Complex64;
use serde::Serialize;

/// A plot of any kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Plot {
    /// Lines over straight axes.
    Line(LinePlot),
    /// A pattern in dB around the circle.
    Polar(PolarPlot),
    /// Reflections on a Smith chart.
    Smith(SmithPlot),
    /// A field over the plane.
    Map(MapPlot),
    /// Several fields over the same plane.
    Panels(PanelPlot),
    /// A field over the plane as time goes on.
    Movie(MoviePlot),
    /// Colored squares at given places.
    Dots(DotPlot),
    /// A shaded body in space.
    Body(BodyPlot),
    /// A radiation pattern in space.
    Pattern(PatternPlot),
}

/// A plot, drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// SVG with text as paths; it can stand in a page beside others.
    pub svg: String,
    /// PNG of the same, two pixels for each unit of the SVG.
    pub png: Vec<u8>,
}

impl Plot {
    /// Draws it. Values that are not finite leave gaps, and a plot without values says so; only what has no
    /// meaning, such as coordinates and values of different number, is an error.
    pub fn render(&self) -> Result<Rendered, ReportError> {
        let canvas = match self {
            Self::Line(plot) => line::draw(plot)?,
            Self::Polar(plot) => polar::draw(plot)?,
            Self::Smith(plot) => smith::draw(plot)?,
            Self::Map(plot) => map::draw(plot)?,
            Self::Panels(plot) => panels::draw(plot)?,
            Self::Movie(plot) => movie::draw(plot)?,
            Self::Dots(plot) => dots::draw(plot)?,
            Self::Body(plot) => body::draw(plot)?,
            Self::Pattern(plot) => pattern::draw(plot)?,
        };
        render::render(self.name(), canvas)
    }

    /// File stem.
    pub fn name(&self) -> &str {
        match self {
            Self::Line(plot) => &plot.name,
            Self::Polar(plot) => &plot.name,
            Self::Smith(plot) => &plot.name,
            Self::Map(plot) => &plot.name,
            Self::Panels(plot) => &plot.name,
            Self::Movie(plot) => &plot.name,
            Self::Dots(plot) => &plot.name,
            Self::Body(plot) => &plot.name,
            Self::Pattern(plot) => &plot.name,
        }
    }

    /// Title, drawn above it.
    pub fn title(&self) -> &str {
        match self {
            Self::Line(plot) => &plot.title,
            Self::Polar(plot) => &plot.title,
            Self::Smith(plot) => &plot.title,
            Self::Map(plot) => &plot.title,
            Self::Panels(plot) => &plot.title,
            Self::Movie(plot) => &plot.title,
            Self::Dots(plot) => &plot.title,
            Self::Body(plot) => &plot.title,
            Self::Pattern(plot) => &plot.title,
        }
    }

    /// Caption, set below it in a report.
    pub fn caption(&self) -> &str {
        match self {
            Self::Line(plot) => &plot.caption,
            Self::Polar(plot) => &plot.caption,
            Self::Smith(plot) => &plot.caption,
            Self::Map(plot) => &plot.caption,
            Self::Panels(plot) => &plot.caption,
            Self::Movie(plot) => &plot.caption,
            Self::Dots(plot) => &plot.caption,
            Self::Body(plot) => &plot.caption,
            Self::Pattern(plot) => &plot.caption,
        }
    }
}

/// Lines or points over straight axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LinePlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above the axes.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn. With more than one series there is a legend above the axes.
    pub series: Vec<Series>,
}

/// A straight axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Axis {
    /// Label with unit: `observation angle (deg)`. An axis in degrees has ticks at 30, 45 or 90.
    pub label: String,
    /// Ends of the axis; those of the data if not given.
    pub range: Option<[f64; 2]>,
    /// Whether it is logarithmic. Values that are not positive are left out.
    pub log: bool,
}

impl Axis {
    /// A linear axis over the range of the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), range: None, log: false }
    }

    /// The same axis with given ends.
    #[must_use]
    pub fn with_range(self, low: f64, high: f64) -> Self {
        Self { range: Some([low, high]), ..self }
    }

    /// The same axis, logarithmic.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { log: true, ..self }
    }
}

/// One line or one set of points.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Series {
    /// What the legend says.
    pub label: String,
    /// Along the horizontal axis; the angle in degrees in a polar plot.
    pub x: Vec<f64>,
    /// Along the vertical axis; the level in dB in a polar plot. NaN breaks the line.
    pub y: Vec<f64>,
    /// How it is drawn.
    pub style: SeriesStyle,
}

/// How a [`Series`] is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesStyle {
    /// A line. The second and later ones of a plot have long dashes, so that gray print tells them apart.
    #[default]
    Solid,
    /// A line of short dashes.
    Dashed,
    /// A marker at each point and no line.
    Points,
}

impl Series {
    /// A series drawn as a line.
    pub fn solid(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { label: label.into(), x, y, style: SeriesStyle::Solid }
    }

    /// A series drawn as a line of short dashes.
    pub fn dashed(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { style: SeriesStyle::Dashed, ..Self::solid(label, x, y) }
    }

    /// A series drawn as points.
    pub fn points(label: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { style: SeriesStyle::Points, ..Self::solid(label, x, y) }
    }

    /// A series drawn as a line in the complex plane: the real part along x, the imaginary one along y.
    pub fn complex(label: impl Into<String>, values: &[Complex64]) -> Self {
        let (x, y) = values.iter().map(|value| (value.re, value.im)).unzip();
        Self::solid(label, x, y)
    }

    fn validate(&self, plot: &str) -> Result<(), ReportError> {
        if self.x.len() == self.y.len() {
            return Ok(());
        }
        let reason = format!("series {:?} has {} x for {} y", self.label, self.x.len(), self.y.len());
        Err(ReportError::Plot { plot: plot.to_owned(), reason })
    }
}
