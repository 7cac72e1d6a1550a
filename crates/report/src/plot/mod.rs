//! Plots in one style: line, polar, Smith chart, color map, panels of maps, movie, scatter, body, radiation pattern and mesh.
//!
//! A plot is drawn as SVG; text is converted to paths with the embedded font, and the PNG is rendered from the same
//! tree, so that both look the same on every machine. The first series is black; series differ in color and dash.
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

mod body;
mod camera;
mod canvas;
mod colorbar;
mod colormap;
mod contour;
mod data;
mod dots;
mod film;
mod frame;
mod kinds;
mod levels;
mod line;
mod map;
mod mesh;
mod mesh_surface;
mod movie;
mod page;
mod panels;
mod pattern;
mod photo;
mod polar;
mod raster;
mod render;
mod scale;
mod serial;
mod series;
mod shade;
mod silhouette;
mod smith;
mod style;
mod text;
mod ticks;

pub use body::BodyPlot;
pub use colormap::Colors;
pub use contour::contour;
pub use data::{PLOTS_FILE, plots_json};
pub use dots::DotPlot;
pub use kinds::Plot;
pub use levels::level_range;
pub use line::LinePlot;
pub use map::{MapPlot, Outline};
pub use mesh::{MeshMark, MeshPicture, MeshPlot};
pub use mesh_surface::{MeshPart, MeshSurface};
pub use movie::MoviePlot;
pub use panels::{Panel, PanelPlot};
pub use pattern::PatternPlot;
pub use photo::Photo;
pub use polar::PolarPlot;
pub use render::Rendered;
pub use series::{Axis, Series, SeriesStyle};
pub use silhouette::silhouette;
pub use smith::{Mark, SmithPlot};
pub(crate) use text::escape;
