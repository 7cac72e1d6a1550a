//! Text in plots: the embedded fonts, widths, and escaping for XML.

use super::style;
use resvg::usvg::{self, Options, Tree, fontdb};
use std::sync::{Arc, LazyLock};

/// The embedded fonts. System fonts are not used, so that a plot looks the same everywhere.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for bytes in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(bytes)));
    }
    Arc::new(fonts)
});

/// Font size that text is measured at; widths are proportional to it.
const MEASURE: f64 = 100.0;

/// The SVG as a tree, set in the embedded fonts.
pub fn parse(svg: &str) -> Result<Tree, usvg::Error> {
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
    // Blank text gives an empty tree of zero width.
    parse(&svg).map_or(0.0, |tree| f64::from(tree.root().bounding_box().width()) * size / MEASURE)
}

/// Escapes text for XML and HTML, in elements and in quoted attributes. Control characters, which
/// XML does not allow, are dropped.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}
