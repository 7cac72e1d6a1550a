//! Words for a text that is not TOML.

use crate::error::{CaseError, Report, SourceText};
use std::ops::Range;

/// Our version of a syntax error of the TOML parser.
pub(crate) fn explain(source: &SourceText, error: &toml::de::Error) -> CaseError {
    let text = &*source.text;
    let span = error.span().unwrap_or(text.len()..text.len());
    let message = format!("not valid TOML: {}", error.message());
    let report = Report::new(message, "here", advice(error.message(), line_of(text, &span)));
    report.at(source, span)
}

fn advice(message: &str, line: &str) -> String {
    let _ = line;
    message.into()
}

/// The line the error starts in.
fn line_of<'t>(text: &'t str, span: &Range<usize>) -> &'t str {
    let at = text.floor_char_boundary(span.start.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    text[start..].lines().next().unwrap_or("")
}
