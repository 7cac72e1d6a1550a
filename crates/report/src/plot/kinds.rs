//! A plot of any kind, and drawing it.

use super::body::{self, BodyPlot};
use super::dots::{self, DotPlot};
use super::film;
use super::line::{self, LinePlot};
use super::map::{self, MapPlot};
use super::mesh::{self, MeshPlot};
use super::movie::{self, MoviePlot};
use super::panels::{self, PanelPlot};
use super::pattern::{self, PatternPlot};
use super::polar::{self, PolarPlot};
use super::render::{self, Rendered};
use super::smith::{self, SmithPlot};
use crate::error::ReportError;
use rayon::prelude::*;
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
    /// A field over the plane, animated in time.
    Movie(MoviePlot),
    /// A scatter plot of colored squares.
    Dots(DotPlot),
    /// A shaded body in space.
    Body(BodyPlot),
    /// A radiation pattern in space.
    Pattern(PatternPlot),
    /// A mesh in space.
    Mesh(MeshPlot),
}

/// A plot, drawn, and the film of a movie as animated PNG.
type WithFilm = (Rendered, Option<Vec<u8>>);

impl Plot {
    /// Draws it. Values that are not finite leave gaps, and a plot without values says so; only
    /// inconsistent input, such as different numbers of coordinates and values, is an error.
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
            Self::Mesh(plot) => mesh::draw(plot)?,
        };
        render::render(self.name(), canvas)
    }

    /// Draws all of them at once on the threads that there are, with the films of movies.
    pub fn render_all(plots: &[Self]) -> Result<Vec<WithFilm>, ReportError> {
        plots.par_iter().map(|plot| Ok((plot.render()?, plot.film()?))).collect()
    }

    /// A film of a movie, as animated PNG that browsers play; none of any other plot.
    pub fn film(&self) -> Result<Option<Vec<u8>>, ReportError> {
        match self {
            Self::Movie(plot) => film::film(plot).map(Some),
            _ => Ok(None),
        }
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
            Self::Mesh(plot) => &plot.name,
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
            Self::Mesh(plot) => &plot.title,
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
            Self::Mesh(plot) => &plot.caption,
        }
    }
}
