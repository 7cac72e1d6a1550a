//! Several maps of the same plane side by side, with a common color bar.

use super::canvas::{Anchor, Area, Canvas, Font, Stroke};
use super::colorbar::ColorBar;
use super::colormap::Colors;
use super::frame::{self, Axes, BOTTOM_MARGIN};
use super::map::{self, MapPlot};
use super::scale::{self, Scale};
use super::serial;
use super::series::Axis;
use super::ticks::Ticks;
use super::{page, style};
use crate::ReportError;
use serde::Serialize;

/// Maximum number of panels in a row.
const ACROSS: usize = 3;
/// Size of a panel relative to a single map.
const PART: f64 = 0.42;
/// Smallest height for which the number of ticks is chosen.
const SHORTEST: f64 = 200.0;
/// Space between panels: horizontally, and vertically for titles and notes.
const GAP: f64 = 26.0;
const TITLE_ROOM: f64 = 26.0;
const NOTE_ROOM: f64 = 18.0;

/// Several fields over the same plane, in the same colors.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PanelPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above all.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Label of the horizontal axes with unit.
    pub x_label: String,
    /// Label of the vertical axes with unit.
    pub y_label: String,
    /// Label of the color bar with unit.
    pub value_label: String,
    /// Positions of the columns, ascending or descending.
    pub x: Vec<f64>,
    /// Positions of the rows, ascending or descending.
    pub y: Vec<f64>,
    /// The fields, row by row of the page.
    pub panels: Vec<Panel>,
    /// Which colors.
    pub colors: Colors,
    /// Values at the ends of the color bar; those of all fields if not given.
    pub range: Option<[f64; 2]>,
}

/// One field of a [`PanelPlot`].
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Panel {
    /// Title above the panel.
    pub title: String,
    /// A note below the title, in lighter type.
    pub note: String,
    /// Values row by row. Values that are not finite are left blank.
    #[serde(serialize_with = "serial::short")]
    pub values: Vec<f64>,
}

/// Draws the plot.
pub fn draw(plot: &PanelPlot) -> Result<Canvas, ReportError> {
    let maps: Vec<MapPlot> = plot.panels.iter().map(|panel| as_map(plot, panel)).collect();
    if maps.is_empty() {
        let reason = "there are no panels".to_owned();
        return Err(ReportError::Plot { plot: plot.name.clone(), reason });
    }
    maps.iter().try_for_each(map::validate)?;
    let (x_range, y_range) = (map::side(&plot.x, &plot.y), map::side(&plot.y, &plot.x));
    let (width, height) = page::fitted(x_range, y_range);
    let (width, height) = (PART * width, PART * height);
    // Four panels form a square.
    let across = if maps.len() == 4 { 2 } else { maps.len().min(ACROSS) };
    let down = maps.len().div_ceil(across);
    // Labels are short and panels narrow: horizontal ticks are as dense as vertical ones.
    let (y_ticks, x_ticks) = (
        frame::vertical_ticks(y_range, false, &plot.y_label, height.max(SHORTEST)),
        frame::vertical_ticks(x_range, false, &plot.x_label, width),
    );
    let has_notes = plot.panels.iter().any(|panel| !panel.note.is_empty());
    let title_room = TITLE_ROOM + if has_notes { NOTE_ROOM } else { 0.0 };
    let left = frame::left_margin(&y_ticks);
    let top = style::MARGIN + if plot.title.is_empty() { 0.0 } else { style::TITLE + 14.0 } + title_room;
    let right = left + across as f64 * (width + GAP) - GAP;
    let bottom = top + down as f64 * (height + title_room) - title_room;
    let range = value_range(plot);
    let bar = ColorBar::new(&plot.name, &plot.value_label, plot.colors, range, bottom - top);
    let mut canvas =
        Canvas::new((right + bar.width() + style::MARGIN).round(), (bottom + BOTTOM_MARGIN).round());
    frame::heading(&mut canvas, &plot.title, left, &[]);
    let none = Ticks { values: Vec::new(), labels: Vec::new(), factor: None };
    for (i, map) in maps.iter().enumerate() {
        let (column, row) = (i % across, i / across);
        let (left, top) = (left + column as f64 * (width + GAP), top + row as f64 * (height + title_room));
        let area = Area { left, top, right: left + width, bottom: top + height };
        let lowest = i + across >= maps.len();
        let axes = Axes {
            area,
            x: Scale { range: x_range, log: false, pixels: [area.left, area.right] },
            y: Scale { range: y_range, log: false, pixels: [area.bottom, area.top] },
            x_ticks: if lowest { &x_ticks } else { &none },
            y_ticks: if column == 0 { &y_ticks } else { &none },
            x_label: if lowest { &plot.x_label } else { "" },
            y_label: if column == 0 { &plot.y_label } else { "" },
        };
        let hidden = vec![false; map.values.len()];
        canvas.rect(area, style::NO_VALUE, None);
        canvas.image(area, &map::picture(map, &hidden, &axes, &bar)?);
        canvas.rect(area, "none", Some(Stroke::solid(style::INK, style::AXIS)));
        axes.draw(&mut canvas);
        let note = &plot.panels[i].note;
        let above = if note.is_empty() { 0.0 } else { NOTE_ROOM };
        for (text, font, above) in [(&map.title, Font::SMALL, above), (note, Font::NOTE, 0.0)] {
            let (text, font) = font.fit(text, width + 0.5 * GAP);
            canvas.text((left, top - 7.0 - above), Anchor::Start, font, &text);
        }
    }
    bar.draw(&mut canvas, &Area { left, top, right, bottom })?;
    Ok(canvas)
}

fn as_map(plot: &PanelPlot, panel: &Panel) -> MapPlot {
    MapPlot {
        name: plot.name.clone(),
        title: panel.title.clone(),
        value_label: plot.value_label.clone(),
        x: plot.x.clone(),
        y: plot.y.clone(),
        values: panel.values.clone(),
        colors: plot.colors,
        ..MapPlot::default()
    }
}

fn value_range(plot: &PanelPlot) -> [f64; 2] {
    let axis = Axis { label: String::new(), range: plot.range, log: false };
    scale::range(
        &axis,
        scale::extent(plot.panels.iter().flat_map(|panel| panel.values.iter().copied()), false),
    )
}
