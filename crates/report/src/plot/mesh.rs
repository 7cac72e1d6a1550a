//! A mesh in space: faces in the colors of their groups, with the edges of elements.

use super::body::{self, BodyPlot, Stage};
use super::camera::{self, Camera};
use super::canvas::{Anchor, Area, Canvas, Font, Stroke};
use super::render::{self, Rendered};
use super::shade::Scene;
use super::{frame, style};
use crate::ReportError;
use glam::DVec3;

/// Fraction of ambient light, so that colors are found again in the legend.
const AMBIENT: f64 = 0.7;
/// Width of the legend, and height of a line of it.
const LEGEND: f64 = 190.0;
const ROW: f64 = 22.0;
const SQUARE: f64 = 13.0;

/// Faces of a mesh in parallel projection, in the colors of their groups.
///
/// ```
/// use phasefront_report::plot::MeshPlot;
///
/// let plot = MeshPlot {
///     name: "mesh".into(),
///     title: "Two triangles".into(),
///     vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: vec![[0, 1, 2], [0, 2, 3]],
///     groups: vec![0, 1],
///     names: vec!["air".into(), "patch".into()],
///     view: [0.0, 0.0, 1.0],
/// };
/// assert_eq!(&plot.render()?.png[1..4], b"PNG");
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above it.
    pub title: String,
    /// Positions of the vertices in meters.
    pub vertices: Vec<[f64; 3]>,
    /// Indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// The group of each triangle, an index into `names`.
    pub groups: Vec<usize>,
    /// Names of the groups; those of air and of absorbing layers are gray.
    pub names: Vec<String>,
    /// From the mesh toward the camera.
    pub view: [f64; 3],
}

impl MeshPlot {
    /// Draws it.
    pub fn render(&self) -> Result<Rendered, ReportError> {
        let body = BodyPlot {
            name: self.name.clone(),
            title: self.title.clone(),
            vertices: self.vertices.clone(),
            triangles: self.triangles.clone(),
            view: Some(self.view),
            ..BodyPlot::default()
        };
        body::validate(&body)?;
        let camera = Camera::new(body.view, None, None);
        let corners: Vec<DVec3> = body.vertices.iter().map(|v| camera.see(DVec3::from_array(*v))).collect();
        let stage = Stage::new(&body, &corners);
        let mut canvas = Canvas::new(stage.page.0 + LEGEND, stage.page.1);
        frame::heading(&mut canvas, &self.title, style::MARGIN, &[]);
        let scene = Scene::new(stage.body, stage.scale, stage.corner, &corners, &self.triangles).with_lines();
        let colors = colors(&self.names);
        let color = |number: usize, normal: DVec3| {
            let group = self.groups.get(number).copied().unwrap_or_default();
            let light = AMBIENT + (1.0 - AMBIENT) * camera::light(normal);
            let color = colors.get(group).map_or([0.0; 3], |hex| channels(hex));
            color.map(|c| (light * c) as f32)
        };
        canvas.image(stage.body, &scene.picture(&self.name, color)?);
        body::axes(&mut canvas, &stage, &camera);
        body::scale_bar(&mut canvas, &stage);
        self.legend(&mut canvas, stage.page.0, &colors);
        render::render(&self.name, canvas)
    }

    fn legend(&self, canvas: &mut Canvas, left: f64, colors: &[&str]) {
        let mut top = style::MARGIN + style::TITLE + 14.0;
        for (i, name) in self.names.iter().enumerate().filter(|(i, _)| self.groups.contains(i)) {
            let square = Area { left, top, right: left + SQUARE, bottom: top + SQUARE };
            canvas.rect(square, colors[i], Some(Stroke::solid(style::INK, style::HAIR)));
            let (text, font) = Font::SMALL.fit(name, LEGEND - SQUARE - 8.0 - style::MARGIN);
            canvas.text((left + SQUARE + 8.0, top + SQUARE - 1.5), Anchor::Start, font, &text);
            top += ROW;
        }
    }
}

/// A color for each name.
fn colors(names: &[String]) -> Vec<&'static str> {
    let mut next = 0;
    let color = |name: &String| {
        let lower = name.to_lowercase();
        if lower.starts_with("pml") {
            return style::BODY;
        }
        if ["air", "vacuum"].contains(&lower.as_str()) {
            return style::NO_VALUE;
        }
        // Without black, on which lines are not seen.
        let found = style::SERIES[1 + next % (style::SERIES.len() - 1)];
        next += 1;
        found
    };
    names.iter().map(color).collect()
}

/// Red, green and blue of `#rrggbb`, from 0 to 255.
fn channels(hex: &str) -> [f64; 3] {
    [1, 3, 5].map(|i| hex.get(i..i + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn air_and_layers_are_gray_and_others_are_not() {
        let names = ["Vacuum", "patch", "pml_x", "slab"].map(String::from);
        let found = colors(&names);
        assert_eq!(found, [style::NO_VALUE, style::SERIES[1], style::BODY, style::SERIES[2]]);
        assert_eq!(channels("#ff8001"), [255.0, 128.0, 1.0]);
    }
}
