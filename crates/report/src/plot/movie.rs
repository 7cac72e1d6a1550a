//! Movies: a field over the plane at several times. The static plot shows a few of its frames side
//! by side.

use super::canvas::Canvas;
use super::colormap::Colors;
use super::panels::{self, Panel, PanelPlot};
use crate::ReportError;
use serde::Serialize;

/// Frames in the static plot.
const PRINTED: usize = 6;

/// A field over the plane as a function of time, with equal scales on both axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MoviePlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above it.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label of the horizontal axis with unit.
    pub x_label: String,
    /// Label of the vertical axis with unit.
    pub y_label: String,
    /// Label of the color bar with unit.
    pub value_label: String,
    /// Positions of the columns, ascending or descending.
    pub x: Vec<f64>,
    /// Positions of the rows, ascending or descending.
    pub y: Vec<f64>,
    /// Time of each frame, s.
    pub times_s: Vec<f64>,
    /// Values of each frame, row by row. Values that are not finite are left blank.
    pub frames: Vec<Vec<f32>>,
    /// Which colors.
    pub colors: Colors,
    /// Values at the ends of the color bar; those of all frames if not given.
    pub range: Option<[f64; 2]>,
}

/// Draws some frames, evenly spaced from the first to the last.
pub fn draw(plot: &MoviePlot) -> Result<Canvas, ReportError> {
    if plot.times_s.len() != plot.frames.len() {
        let reason = format!("{} times for {} frames", plot.times_s.len(), plot.frames.len());
        return Err(ReportError::Plot { plot: plot.name.clone(), reason });
    }
    let count = plot.frames.len().min(PRINTED);
    let panel = |i: usize| {
        let frame = i * (plot.frames.len() - 1) / (count - 1).max(1);
        Panel {
            title: format!("{:.4} ns", 1e9 * plot.times_s[frame]),
            note: String::new(),
            values: plot.frames[frame].iter().map(|value| f64::from(*value)).collect(),
        }
    };
    panels::draw(&PanelPlot {
        name: plot.name.clone(),
        title: plot.title.clone(),
        caption: plot.caption.clone(),
        x_label: plot.x_label.clone(),
        y_label: plot.y_label.clone(),
        value_label: plot.value_label.clone(),
        x: plot.x.clone(),
        y: plot.y.clone(),
        panels: (0..count).map(panel).collect(),
        colors: plot.colors,
        range: plot.range,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Plot;
    use super::*;

    fn movie(frames: usize) -> MoviePlot {
        MoviePlot {
            name: "slice".into(),
            x: vec![0.0, 1.0],
            y: vec![0.0, 1.0],
            times_s: (0..frames).map(|i| 1e-9 * i as f64).collect(),
            frames: (0..frames).map(|i| vec![i as f32; 4]).collect(),
            ..MoviePlot::default()
        }
    }

    #[test]
    fn paper_shows_some_frames_and_refuses_none() {
        for frames in [1, 2, 6, 101] {
            assert!(Plot::Movie(movie(frames)).render().is_ok(), "{frames}");
        }
        assert!(Plot::Movie(movie(0)).render().is_err());
        assert!(Plot::Movie(MoviePlot { times_s: vec![], ..movie(3) }).render().is_err());
    }
}
