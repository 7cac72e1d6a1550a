//! Messages for TOML syntax errors, with advice for the common ones.

use crate::error::{CaseError, Report, SourceText};
use std::ops::Range;

/// Translates a syntax error of the TOML parser.
pub(crate) fn explain(source: &SourceText, error: &toml::de::Error) -> CaseError {
    let text = &*source.text;
    let span = error.span().unwrap_or(text.len()..text.len());
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    let found =
        SyntaxError { message: error.message(), marked: &text[start..end], line: line_at(text, start) };
    let report = if text.trim_start().starts_with('{') {
        Report::new(
            "this looks like JSON, not TOML",
            "not TOML",
            "write the case as a TOML file: `version = 1`, with one key per line",
        )
    } else {
        found.report()
    };
    report.at(source, widened(text, start..end))
}

/// Syntax error reported by the TOML parser.
struct SyntaxError<'t> {
    /// Message of the parser.
    message: &'t str,
    /// Marked text.
    marked: &'t str,
    /// Line in which the marked text starts.
    line: &'t str,
}

impl SyntaxError<'_> {
    fn report(&self) -> Report {
        let says = |start: &str| self.message.starts_with(start);
        if says("duplicate key") {
            self.duplicate()
        } else if says("string values must be quoted") || says("invalid boolean") || says("invalid integer") {
            self.unquoted()
        } else if says("unexpected leading zero") {
            Report::new(
                "a number cannot have a leading zero",
                "this zero",
                "remove the zero, or put a name such as \"0012\" in quotes",
            )
        } else if says("key with no value") {
            let help =
                if self.line.contains(':') { "write `=` instead of `:`" } else { "write `key = value`" };
            Report::new("`=` and a value are missing after a key", "`=` expected", help)
        } else if says("missing escaped value") || says("invalid escape") {
            Report::new(
                "invalid escape sequence in a string",
                "not an escape sequence",
                "write two backslashes for one, or use single quotes, in which backslashes are literal",
            )
        } else if says("invalid basic string") || says("invalid literal string") {
            Report::new(
                "unterminated string",
                "the closing quote is missing",
                "add the closing quote on the same line",
            )
        } else if says("missing comma") && self.line.trim_start().starts_with('[') {
            Report::new("the list above is not closed", "still inside the list", "add the missing `]`")
        } else if says("missing comma") {
            Report::new("a comma is missing", "comma expected before this", "separate the items by commas")
        } else if says("invalid inline table") || says("unclosed inline table") {
            Report::new("unclosed inline table", "`}` expected", "add the missing `}`")
        } else if says("unclosed table") || says("unclosed array of tables") {
            Report::new(
                "unclosed table header",
                "`]` expected",
                "write it as [source] or [[geometry.bodies]]",
            )
        } else if says("unclosed array") {
            Report::new("unclosed list", "`]` expected", "add the missing `]`")
        } else if says("cannot extend") {
            let message = format!("`{}` is already defined", self.marked);
            Report::new(message, "defined before", "define it in one place only")
        } else if self.message.contains("recur") {
            Report::new("lists and tables are nested too deeply", "nested too deeply", "check the brackets")
        } else {
            self.otherwise()
        }
    }

    fn duplicate(&self) -> Report {
        let (line, name) = (self.line.trim(), self.marked);
        if line.starts_with("[[") {
            let help = "write all items in one list, or each under its own [[header]], but not both";
            Report::new(format!("the list `{name}` is defined twice"), "defined before", help)
        } else if line.starts_with('[') {
            let help = "put all keys of the table under one header";
            Report::new(format!("the table [{name}] is defined twice"), "defined before", help)
        } else {
            Report::new(format!("the key `{name}` is defined twice"), "defined before", "remove one of them")
        }
    }

    fn unquoted(&self) -> Report {
        let value = self.marked.trim();
        let bare = value.trim_matches(['“', '”', '„', '‘', '’', '«', '»', '\'', '"']).trim();
        if value.is_empty() {
            Report::new(
                "a key has no value",
                "value expected here",
                "write a value after `=`, or remove the key",
            )
        } else if bare != value && !bare.is_empty() {
            let message = "invalid quotation marks";
            Report::new(message, "curly or mismatched quotes", format!("use straight quotes: \"{bare}\""))
        } else if matches!(value.to_lowercase().as_str(), "true" | "false") {
            let help = format!("write `{}`", value.to_lowercase());
            Report::new(format!("`{value}` is not a boolean"), "must be lowercase", help)
        } else if value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            let message = "a value with a unit needs quotes";
            Report::new(message, "not in quotes", format!("write \"{value}\""))
        } else {
            Report::new("a string needs quotes", "not in quotes", format!("write \"{value}\""))
        }
    }

    fn otherwise(&self) -> Report {
        let help = "a line must be a [table header], `key = value` or a # comment; see https://toml.io";
        Report::new(format!("not valid TOML: {}", self.message), "syntax error", help)
    }
}

/// Line that contains byte `at`.
fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    text[start..].lines().next().unwrap_or("")
}

/// Extends an empty span over the following word, so that the mark is visible.
fn widened(text: &str, span: Range<usize>) -> Range<usize> {
    let rest = &text[span.start..];
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    if span.is_empty() { span.start..span.start + word } else { span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_span_grows_to_a_word() {
        assert_eq!(widened("ab cd_e = 1", 3..3), 3..7);
        assert_eq!(widened("ab", 2..2), 2..2);
        assert_eq!(widened("abc", 0..1), 0..1);
    }
}
