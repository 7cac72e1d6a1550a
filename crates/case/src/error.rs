//! The error type: message, source position and advice.

use miette::{Diagnostic, LabeledSpan, SourceCode};
use std::fmt::{self, Display, Write};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of characters of a source line shown by [`CaseError::render_plain`].
const SHOWN: usize = 160;

/// Number of characters shown before the error in lines that are too long.
const SHOWN_BEFORE: usize = 60;

/// The name and the text of a case file; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// The file's name as the user gave it.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl SourceText {
    /// A text and its name.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// Error in a case file: message, source position and advice.
///
/// `Display` prints the message only; [`CaseError::render_plain`] renders the complete error as plain text, and
/// [`miette::Diagnostic`] renders it on a terminal.
///
/// ```
/// let error = phasefront_case::parse("my.toml", "version = 1\nsolver = \"mum\"\nname = \"a\"\n").unwrap_err();
/// assert_eq!(error.to_string(), "unknown solver \"mum\"");
/// assert_eq!((error.file(), error.line(), error.column()), ("my.toml", 2, 10));
/// assert!(error.help().starts_with("did you mean \"mom\"?"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseError(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    source: SourceText,
    span: Range<usize>,
    report: Report,
    line: usize,
    column: usize,
}

/// Texts of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// Message: what is wrong.
    pub message: String,
    /// Short label of the source position.
    pub label: String,
    /// Advice: what to do.
    pub help: String,
}

impl Report {
    /// Texts of an error: message, label of the source position, and advice.
    pub fn new(message: impl Into<String>, label: impl Into<String>, help: impl Into<String>) -> Self {
        // Messages quote the file; control characters must not reach the terminal.
        let sanitize =
            |text: String| if text.contains(is_unsafe) { text.replace(is_unsafe, "\u{fffd}") } else { text };
        Self { message: sanitize(message.into()), label: sanitize(label.into()), help: sanitize(help.into()) }
    }

    /// Error with these texts at `span`.
    pub fn at(self, source: &SourceText, span: Range<usize>) -> CaseError {
        CaseError::new(source.clone(), span, self)
    }
}

impl CaseError {
    fn new(source: SourceText, span: Range<usize>, report: Report) -> Self {
        let text = &*source.text;
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
        let line_start = line_start(text, start);
        let line = text[..line_start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        Self(Box::new(Details { source, span: start..end, report, line, column }))
    }

    /// The file's name as the user gave it.
    pub fn file(&self) -> &str {
        &self.0.source.name
    }

    /// The line of the error, from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column of the error in characters, from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// Byte range of the error, always within the text and on character boundaries.
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// The text of the file.
    pub fn source_text(&self) -> &str {
        &self.0.source.text
    }

    /// Message: what is wrong.
    pub fn message(&self) -> &str {
        &self.0.report.message
    }

    /// Short label of the source position.
    pub fn label(&self) -> &str {
        &self.0.report.label
    }

    /// Advice: what to do.
    pub fn help(&self) -> &str {
        &self.0.report.help
    }

    /// The complete error as plain text: no colors, no wrapping, the same on every terminal.
    ///
    /// ```
    /// let error = phasefront_case::parse("my.toml", "version = 2\nsolver = \"mom\"\nname = \"a\"\n").unwrap_err();
    /// assert_eq!(error.render_plain().lines().nth(1), Some(" --> my.toml:1:11"));
    /// ```
    pub fn render_plain(&self) -> String {
        let Details { source, span, report, line, column } = &*self.0;
        let text = &*source.text;
        let start = line_start(text, span.start);
        let end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let shown = text[start..end].trim_end_matches('\r');
        let marked = text[span.start..span.end.min(end).max(span.start)].trim_end().chars().count().max(1);

        let skipped =
            if shown.chars().count() > SHOWN { (column - 1).saturating_sub(SHOWN_BEFORE) } else { 0 };
        let excerpt: String = shown.chars().skip(skipped).take(SHOWN).map(printable).collect();
        let (before, after) = cut_marks(skipped, shown.chars().count());
        let marked = marked.min(SHOWN.saturating_sub(column - 1 - skipped)).max(1);

        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let (offset, carets) = (" ".repeat(before.len() + column - 1 - skipped), "^".repeat(marked));
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "error: {}", report.message);
        let _ = writeln!(out, "{gutter}--> {}:{line}:{column}", source.name);
        let _ = writeln!(out, "{gutter} |");
        let _ = writeln!(out, "{}", format!("{number} | {before}{excerpt}{after}").trim_end());
        let _ = writeln!(out, "{gutter} | {offset}{carets} {}", report.label);
        let _ = writeln!(out, "{gutter} |");
        for (i, line) in report.help.lines().enumerate() {
            let head = if i == 0 { "help: " } else { "      " };
            let _ = writeln!(out, "{head}{line}");
        }
        out
    }
}

/// Ellipses for the omitted parts of a long line.
fn cut_marks(skipped: usize, length: usize) -> (&'static str, &'static str) {
    let mark = |cut: bool| if cut { "..." } else { "" };
    (mark(skipped > 0), mark(length > skipped + SHOWN))
}

/// Whether a character is a control character other than a line feed.
fn is_unsafe(c: char) -> bool {
    c.is_control() && c != '\n'
}

/// Replaces tabs and control characters, so that each character occupies one cell.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// Start of the line that contains byte `at`.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

impl Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for CaseError {}

impl Diagnostic for CaseError {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.0.report.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Range { start, end } = self.0.span;
        let label = LabeledSpan::new(Some(self.0.report.label.clone()), start, end - start);
        Some(Box::new(std::iter::once(label)))
    }
}

impl SourceCode for CaseError {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let contents = self.source_text().read_span(span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.file().to_owned(),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, span: Range<usize>) -> CaseError {
        Report::new("wrong", "here", "first\nsecond").at(&SourceText::new("a.toml", text), span)
    }

    #[test]
    fn columns_count_characters() {
        let text = "# é\nname = \"é\" x\n";
        let at = text.find('x').unwrap();
        let e = error(text, at..at + 1);
        assert_eq!((e.line(), e.column()), (2, 12));
        assert_eq!(
            e.render_plain(),
            "error: wrong\n --> a.toml:2:12\n  |\n2 | name = \"é\" x\n  |            ^ here\n  |\nhelp: first\n      second\n"
        );
    }

    #[test]
    fn spans_are_brought_inside_the_text() {
        assert_eq!(error("é", 1..1).span(), 0..1 + 1);
        assert_eq!(error("ab", 7..9).span(), 2..2);
        assert_eq!(error("", 0..0).render_plain().lines().nth(4), Some("  | ^ here"));
    }

    #[test]
    fn long_lines_are_shortened_and_control_characters_replaced() {
        let text = format!("{}\u{1b}[31mX{}", "a".repeat(1000), "b".repeat(1000));
        let shown = error(&text, 1005..1006).render_plain();
        assert!(shown.lines().all(|l| l.chars().count() < 200) && !shown.contains('\u{1b}'), "{shown}");
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[4].find('^').unwrap();
        assert_eq!(lines[3].chars().nth(caret), Some('X'));
    }

    #[test]
    fn messages_contain_no_control_characters() {
        let report = Report::new("unknown key `\u{1b}[31m`", "a\u{7}", "a\nb\r");
        assert_eq!(report, Report::new("unknown key `\u{fffd}[31m`", "a\u{fffd}", "a\nb\u{fffd}"));
    }

    #[test]
    fn a_span_over_many_lines_is_marked_on_its_first() {
        let shown = error("a = [\r\n1,\r\n]\n", 4..12).render_plain();
        assert_eq!(shown.lines().nth(3), Some("1 | a = ["));
        assert_eq!(shown.lines().nth(4), Some("  |     ^ here"));
    }

    #[test]
    fn miette_sees_the_source_the_label_and_the_help() {
        let e = error("x = 1\n", 4..5);
        let label = e.labels().unwrap().next().unwrap();
        assert_eq!((label.label(), label.offset(), label.len()), (Some("here"), 4, 1));
        assert_eq!(Diagnostic::help(&e).unwrap().to_string(), "first\nsecond");
        let code = e.source_code().unwrap().read_span(label.inner(), 1, 1).unwrap();
        assert_eq!((code.name(), code.data()), (Some("a.toml"), &b"x = 1\n"[..]));
    }
}
