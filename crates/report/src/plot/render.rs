//! Rendering: SVG with text as paths, and PNG, from one tree.

use super::canvas::Canvas;
use super::style;
use super::text::parse;
use crate::ReportError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Indent, Tree, WriteOptions};

/// A plot, drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// SVG with text as paths; it can stand in a page beside others.
    pub svg: String,
    /// PNG of the same, two pixels for each unit of the SVG.
    pub png: Vec<u8>,
}

/// SVG with text as paths, and PNG.
pub fn render(name: &str, canvas: Canvas) -> Result<Rendered, ReportError> {
    let failed = |reason: String| ReportError::Plot { plot: name.to_owned(), reason };
    let (width, height) = (canvas.width, canvas.height);
    let tree = parse(&canvas.finish()).map_err(|e| failed(e.to_string()))?;

    let options = WriteOptions {
        coordinates_precision: 2,
        transforms_precision: 5,
        indent: Indent::None,
        attributes_indent: Indent::None,
        ..WriteOptions::default()
    };
    // A view box lets a page scale the plot to any size.
    let svg =
        tree.to_string(&options).replacen("<svg ", &format!("<svg viewBox=\"0 0 {width} {height}\" "), 1);

    let pixels = rasterize(name, &tree, style::PNG_SCALE)?;
    let png = encode(&pixels).map_err(|e| failed(e.to_string()))?;
    Ok(Rendered { svg, png })
}

/// A PNG of an opaque picture: without alpha, and compressed fast, since a run may have a hundred of them.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let colors: Vec<u8> = pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colors)?;
    writer.finish()?;
    Ok(bytes)
}

/// The pixels of a plot, so many for each unit of it.
pub fn pixels(name: &str, canvas: Canvas, scale: f32) -> Result<Pixmap, ReportError> {
    let failed = |reason: String| ReportError::Plot { plot: name.to_owned(), reason };
    rasterize(name, &parse(&canvas.finish()).map_err(|e| failed(e.to_string()))?, scale)
}

fn rasterize(name: &str, tree: &Tree, scale: f32) -> Result<Pixmap, ReportError> {
    let failed = || ReportError::Plot { plot: name.to_owned(), reason: "it has no size".to_owned() };
    let size = tree.size().to_int_size().scale_by(scale);
    let mut pixels = size.and_then(|size| Pixmap::new(size.width(), size.height())).ok_or_else(failed)?;
    resvg::render(tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}
