//! Words for a text that is not TOML: the usual slips, each with its cure.

use crate::error::{CaseError, Report, SourceText};
use std::ops::Range;

/// Our version of a syntax error of the TOML parser.
pub(crate) fn explain(source: &SourceText, error: &toml::de::Error) -> CaseError {
    let text = &*source.text;
    let span = error.span().unwrap_or(text.len()..text.len());
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    let slip = Slip { message: error.message(), marked: &text[start..end], line: line_at(text, start) };
    let report = if text.trim_start().starts_with('{') {
        Report::new(
            "this looks like JSON",
            "not TOML",
            "a case is a TOML file: write `version = 1`, one key a line",
        )
    } else {
        slip.report()
    };
    report.at(source, widened(text, start..end))
}

/// What the TOML parser found.
struct Slip<'t> {
    /// Its message.
    message: &'t str,
    /// The text it marked.
    marked: &'t str,
    /// The line that text starts in.
    line: &'t str,
}

impl Slip<'_> {
    fn report(&self) -> Report {
        let says = |start: &str| self.message.starts_with(start);
        if says("duplicate key") {
            self.given_twice()
        } else if says("string values must be quoted") || says("invalid boolean") || says("invalid integer") {
            self.unquoted()
        } else if says("unexpected leading zero") {
            Report::new(
                "a number cannot start with a zero",
                "this zero",
                "put it in quotes if it is a name, such as \"0012\"; otherwise remove the zero",
            )
        } else if says("key with no value") {
            let help =
                if self.line.contains(':') { "write `=` instead of `:`" } else { "write `key = value`" };
            Report::new("a key has no `=` and value", "`=` expected", help)
        } else if says("missing escaped value") || says("invalid escape") {
            Report::new(
                "a backslash in quotes must start an escape such as `\\n`",
                "not an escape",
                "write two backslashes for one, or put the text in single quotes, where a backslash is itself",
            )
        } else if says("invalid basic string") || says("invalid literal string") {
            Report::new(
                "a text in quotes has no end",
                "the closing quote is missing",
                "close the quote on the same line",
            )
        } else if says("missing comma") && self.line.trim_start().starts_with('[') {
            Report::new(
                "the list above has no end",
                "this is still inside it",
                "add the missing `]`: each `[` needs its own",
            )
        } else if says("missing comma") {
            Report::new("a comma is missing", "a comma belongs before this", "put a comma between the items")
        } else if says("invalid inline table") || says("unclosed inline table") {
            Report::new(
                "a table in braces has no end",
                "`}` expected",
                "add the missing `}`: each `{` needs its own",
            )
        } else if says("unclosed table") || says("unclosed array of tables") {
            Report::new(
                "a header has no end",
                "`]` expected",
                "close it like [source], or [[geometry.bodies]]",
            )
        } else if says("unclosed array") {
            Report::new("a list has no end", "`]` expected", "add the missing `]`: each `[` needs its own")
        } else if says("cannot extend") {
            let message = format!("`{}` already has its value", self.marked);
            Report::new(message, "given before", "write all of it in one place")
        } else if self.message.contains("recur") {
            Report::new(
                "lists and tables are nested too deeply",
                "too deep",
                "no case needs this: check the brackets",
            )
        } else {
            self.otherwise()
        }
    }

    fn given_twice(&self) -> Report {
        let (line, name) = (self.line.trim(), self.marked);
        if line.starts_with("[[") {
            let help = "write the list in one way: all items in one list, or each under its own [[header]]";
            Report::new(format!("the list `{name}` is given twice"), "given before", help)
        } else if line.starts_with('[') {
            let help = "put all its keys under one header";
            Report::new(format!("the table [{name}] is given twice"), "given before", help)
        } else {
            Report::new(format!("the key `{name}` is given twice"), "given before", "remove one of the two")
        }
    }

    fn unquoted(&self) -> Report {
        let value = self.marked.trim();
        let bare = value.trim_matches(['“', '”', '„', '‘', '’', '«', '»', '\'', '"']).trim();
        if value.is_empty() {
            Report::new(
                "a key has no value",
                "a value is missing here",
                "write a value after `=`, or remove the key",
            )
        } else if bare != value && !bare.is_empty() {
            let message = "these are not the quotes of TOML";
            Report::new(message, "curly or unequal quotes", format!("write straight quotes: \"{bare}\""))
        } else if matches!(value.to_lowercase().as_str(), "true" | "false") {
            let help = format!("write `{}`", value.to_lowercase());
            Report::new(format!("`{value}` is not a value"), "not in small letters", help)
        } else if value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            let message = "a value with a unit needs quotes";
            Report::new(message, "not in quotes", format!("write \"{value}\""))
        } else {
            Report::new("a text needs quotes", "not in quotes", format!("write \"{value}\""))
        }
    }

    fn otherwise(&self) -> Report {
        let help = "a line is a [header], `key = value` or a # comment; see https://toml.io";
        Report::new(format!("not valid TOML: {}", self.message), "TOML ends here", help)
    }
}

/// The line with the byte `at`.
fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    text[start..].lines().next().unwrap_or("")
}

/// An empty span widened to the word it stands before, so that there is something to see.
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
