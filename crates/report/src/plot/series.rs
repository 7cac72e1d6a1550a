//! Axes and series of line, polar and Smith charts.

use crate::error::ReportError;
use num_complex::Complex64;
use serde::Serialize;

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
    /// Label in the legend.
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

    pub(super) fn validate(&self, plot: &str) -> Result<(), ReportError> {
        if self.x.len() == self.y.len() {
            return Ok(());
        }
        let reason = format!("series {:?} has {} x for {} y", self.label, self.x.len(), self.y.len());
        Err(ReportError::Plot { plot: plot.to_owned(), reason })
    }
}
