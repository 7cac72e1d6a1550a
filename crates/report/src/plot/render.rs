//! From SVG with text to SVG without and to PNG, both from one tree and with the embedded font alone.

use super::canvas::{Canvas, escape};
use super::{Rendered, style};
use crate::ReportError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Indent, Options, Tree, WriteOptions, fontdb};
use std::sync::{Arc, LazyLock};

/// The embedded fonts. Fonts of the system are not looked at: a plot looks the same everywhere.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for bytes in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(bytes)));
    }
    Arc::new(fonts)
});

/// Width that text is measured at; widths grow in proportion.
const MEASURE: f64 = 100.0;

fn parse(svg: &str) -> Result<Tree, usvg::Error> {
    let options =
        Options { fontdb: Arc::clone(&FONTS), font_family: style::FONT.to_owned(), ..Options::default() };
    Tree::from_str(svg, &options)
}

/// Width of `text` in pixels.
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    let weight = if bold { "bold" } else { "normal" };
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><text font-size=\"{MEASURE}\" \
         font-weight=\"{weight}\">{}</text></svg>",
        escape(text)
    );
    // Text without anything to see is an empty tree; it has no width.
    parse(&svg).map_or(0.0, |tree| f64::from(tree.root().bounding_box().width()) * size / MEASURE)
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
    // With a view box a page can set the plot in any size.
    let svg =
        tree.to_string(&options).replacen("<svg ", &format!("<svg viewBox=\"0 0 {width} {height}\" "), 1);

    let size = tree.size().to_int_size().scale_by(style::PNG_SCALE);
    let mut pixels = size
        .and_then(|size| Pixmap::new(size.width(), size.height()))
        .ok_or_else(|| failed("it has no size".to_owned()))?;
    let scale = Transform::from_scale(style::PNG_SCALE, style::PNG_SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    let png = pixels.encode_png().map_err(|e| failed(e.to_string()))?;
    Ok(Rendered { svg, png })
}
