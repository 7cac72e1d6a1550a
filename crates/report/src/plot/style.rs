//! The style of all plots: named sizes and colors.

/// Background of every plot, on screen and on paper.
pub const PAPER: &str = "#ffffff";
/// Text, axes and ticks.
pub const INK: &str = "#222222";
/// Secondary text: factors, notes.
pub const SOFT_INK: &str = "#666666";
/// Grid lines.
pub const GRID: &str = "#e2e2e2";
/// Circles of a Smith chart, stronger than a grid because values are read from them.
pub const SMITH_GRID: &str = "#c4c4c4";
/// Filled bodies on maps.
pub const BODY: &str = "#b8b8b8";
/// Cells of a map without a value.
pub const NO_VALUE: &str = "#f3f3f3";
/// The same for color maps with white at zero, from which a gap must differ.
pub const NO_VALUE_BESIDE_WHITE: &str = "#d0d0d0";

/// Series colors of Okabe and Ito, distinguishable by color-blind readers; black first, and without
/// yellow, which has too little contrast on white.
pub const SERIES: [&str; 7] = ["#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Dash patterns of solid series in order, distinguishable in gray print. The first is continuous.
pub const DASHES: [&str; 5] = ["", "14 3", "2.5 2.5", "14 3 2.5 3", "9 3 2.5 3 2.5 3"];
/// Dash pattern of a series with the style dashed.
pub const DASHED: &str = "6 4";

/// Font of all text; it is embedded.
pub const FONT: &str = "DejaVu Sans";
/// Size of a title.
pub const TITLE: f64 = 17.0;
/// Size of an axis label.
pub const LABEL: f64 = 14.0;
/// Size of tick labels and legends.
pub const SMALL: f64 = 13.0;
/// Smallest size to which text is reduced to fit.
pub const SMALLEST: f64 = 9.0;

/// Width of a data line.
pub const LINE: f64 = 1.8;
/// Width of axes and outlines.
pub const AXIS: f64 = 1.1;
/// Width of a grid line.
pub const HAIR: f64 = 0.8;
/// Length of a tick.
pub const TICK: f64 = 5.0;
/// Half the size of a marker.
pub const MARKER: f64 = 3.2;

/// Size of a line plot.
pub const LINE_SIZE: (f64, f64) = (900.0, 560.0);
/// Size of a polar plot.
pub const POLAR_SIZE: (f64, f64) = (720.0, 720.0);
/// Largest plotting area of a map; its actual size follows from the aspect ratio.
pub const MAP_AREA: (f64, f64) = (680.0, 520.0);
/// Margin around everything.
pub const MARGIN: f64 = 22.0;
/// Pixels of the PNG for one unit of the SVG: sharp on paper and on dense screens.
pub const PNG_SCALE: f32 = 2.0;
