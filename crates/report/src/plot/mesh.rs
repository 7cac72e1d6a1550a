//! A mesh in space: faces in the colors of their groups, with the edges of elements.

use super::body::{self, BodyPlot, Stage};
use super::camera::{self, Camera};
use super::canvas::{Anchor, Area, Canvas, Font, Stroke};
use super::mesh_surface::{MeshPart, MeshSurface};
use super::shade::Scene;
use super::{frame, style};
use crate::ReportError;
use glam::DVec3;
use serde::Serialize;

/// Fraction of ambient light, so that colors are found again in the legend.
const AMBIENT: f64 = 0.7;
/// Width of the legend, and height of a line of it.
const LEGEND: f64 = 190.0;
const ROW: f64 = 22.0;
const SQUARE: f64 = 13.0;

/// A mesh by groups: its surfaces, which the page turns, and what the printed picture shows of it.
///
/// ```
/// use phasefront_report::plot::{MeshPicture, MeshPlot, Plot, MeshSurface, MeshPart};
///
/// let nodes = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// let part = |name: &str, corners| MeshPart { name: name.into(), triangles: vec![corners], quality: vec![60], ..MeshPart::default() };
/// let plot = MeshPlot {
///     name: "mesh".into(),
///     title: "Two triangles".into(),
///     surface: MeshSurface::new(&nodes, &[part("board", [0, 1, 2]), part("patch", [0, 2, 3])]),
///     view: [0.0, 0.0, 1.0],
///     picture: MeshPicture { vertices: nodes.to_vec(), triangles: vec![[0, 1, 2], [0, 2, 3]], parts: vec![0, 1] },
///     ..MeshPlot::default()
/// };
/// assert_eq!(&Plot::Mesh(plot).render()?.png[1..4], b"PNG");
/// # Ok::<(), phasefront_report::ReportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeshPlot {
    /// File stem.
    pub name: String,
    /// Title, drawn above it.
    pub title: String,
    /// Caption, set below it in a report.
    pub caption: String,
    /// Its surfaces.
    pub surface: MeshSurface,
    /// Elements to look at.
    pub marks: Vec<MeshMark>,
    /// From the mesh toward the camera.
    pub view: [f64; 3],
    /// What is drawn.
    #[serde(skip)]
    pub picture: MeshPicture,
}

/// An element of a mesh to look at.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeshMark {
    /// Why, in a few words: `worst shape`.
    pub name: String,
    /// Its figures, in words with units.
    pub note: String,
    /// Its center, m.
    pub position: [f64; 3],
}

/// What the printed picture shows of a mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshPicture {
    /// Positions of the vertices, m.
    pub vertices: Vec<[f64; 3]>,
    /// Indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// The group of each triangle, an index into the parts of the surface.
    pub parts: Vec<usize>,
}

/// Draws the plot.
pub fn draw(plot: &MeshPlot) -> Result<Canvas, ReportError> {
    let MeshPicture { vertices, triangles, parts } = &plot.picture;
    let body = BodyPlot {
        name: plot.name.clone(),
        title: plot.title.clone(),
        vertices: vertices.clone(),
        triangles: triangles.clone(),
        view: Some(plot.view),
        ..BodyPlot::default()
    };
    body::validate(&body)?;
    let camera = Camera::new(body.view, None, None);
    let corners: Vec<DVec3> = vertices.iter().map(|v| camera.see(DVec3::from_array(*v))).collect();
    let stage = Stage::new(&body, &corners);
    let mut canvas = Canvas::new(stage.page.0 + LEGEND, stage.page.1);
    frame::heading(&mut canvas, &plot.title, style::MARGIN, &[]);
    if triangles.is_empty() {
        frame::no_data(&mut canvas, &stage.area);
        return Ok(canvas);
    }
    let scene = Scene::new(stage.body, stage.scale, stage.corner, &corners, triangles).with_lines();
    let colors = colors(&plot.surface.parts);
    let color = |number: usize, normal: DVec3| {
        let part = parts.get(number).copied().unwrap_or_default();
        let light = AMBIENT + (1.0 - AMBIENT) * camera::light(normal);
        let color = colors.get(part).map_or([0.0; 3], |hex| channels(hex));
        color.map(|c| (light * c) as f32)
    };
    canvas.image(stage.body, &scene.picture(&plot.name, color)?);
    body::axes(&mut canvas, &stage, &camera);
    body::scale_bar(&mut canvas, &stage);
    legend(plot, &mut canvas, stage.page.0, &colors);
    Ok(canvas)
}

/// The names of the groups that are drawn, beside their colors.
fn legend(plot: &MeshPlot, canvas: &mut Canvas, left: f64, colors: &[&str]) {
    let mut top = style::MARGIN + style::TITLE + 14.0;
    let parts = plot.surface.parts.iter().enumerate();
    for (i, part) in parts.filter(|(i, _)| plot.picture.parts.contains(i)) {
        let square = Area { left, top, right: left + SQUARE, bottom: top + SQUARE };
        canvas.rect(square, colors[i], Some(Stroke::solid(style::INK, style::HAIR)));
        let (text, font) = Font::SMALL.fit(&part.name, LEGEND - SQUARE - 8.0 - style::MARGIN);
        canvas.text((left + SQUARE + 8.0, top + SQUARE - 1.5), Anchor::Start, font, &text);
        top += ROW;
    }
}

/// A color for each part.
fn colors(parts: &[MeshPart]) -> Vec<&'static str> {
    let mut next = 0;
    let color = |part: &MeshPart| {
        if part.kind == MeshPart::VACUUM {
            return style::NO_VALUE;
        }
        // Without black, on which lines are not seen.
        let found = style::SERIES[1 + next % (style::SERIES.len() - 1)];
        next += 1;
        found
    };
    parts.iter().map(color).collect()
}

/// Red, green and blue of `#rrggbb`, from 0 to 255.
fn channels(hex: &str) -> [f64; 3] {
    [1, 3, 5].map(|i| hex.get(i..i + 2).and_then(|h| u8::from_str_radix(h, 16).ok()).unwrap_or(0).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, kind: &str) -> MeshPart {
        MeshPart { name: name.into(), kind: kind.into(), ..MeshPart::default() }
    }

    #[test]
    fn vacuum_is_gray_and_other_groups_are_not() {
        let parts = [part("Vacuum", "vacuum"), part("patch", "conductor"), part("slab", "material")];
        assert_eq!(colors(&parts), [style::NO_VALUE, style::SERIES[1], style::SERIES[2]]);
        assert_eq!(channels("#ff8001"), [255.0, 128.0, 1.0]);
    }

    #[test]
    fn the_legend_names_what_is_drawn() {
        let plot = MeshPlot {
            title: "Mesh".into(),
            surface: MeshSurface {
                parts: vec![part("air", "vacuum"), part("patch", "conductor")],
                ..MeshSurface::default()
            },
            view: [0.0, 0.0, 1.0],
            picture: MeshPicture {
                vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                triangles: vec![[0, 1, 2]],
                parts: vec![1],
            },
            ..MeshPlot::default()
        };
        let svg = draw(&plot).unwrap().finish();
        assert!(svg.contains(">patch</text>") && !svg.contains(">air</text>"), "{svg}");
        let empty = MeshPlot { picture: MeshPicture::default(), ..plot };
        assert!(draw(&empty).unwrap().finish().contains("no data"));
    }
}
