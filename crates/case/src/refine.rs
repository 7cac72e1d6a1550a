//! Translates deserialization errors of serde into case errors with source span, path and advice.
//!
//! serde reports keys without their paths, refers to Rust types, and loses the span of errors inside tagged tables.
//! The outline of the document provides all three.

use crate::error::{CaseError, Report, SourceText};
use crate::model::{HEAD_EXAMPLES, SolverModel, Tagged};
use crate::outline::{Kind, Node, Step, join_path, pattern};
use phasefront_core::text::{list, nearest};
use phasefront_core::units::split_advice;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// Report of a missing top-level key.
pub(crate) fn missing_at_top(key: &str) -> Report {
    let example = HEAD_EXAMPLES.iter().find(|(k, _)| *k == key).map_or(key, |(_, example)| example);
    Report::new(
        format!("missing key `{key}` at the top of the file"),
        format!("`{key}` must precede the first [table]"),
        format!("add `{example}`"),
    )
}

/// Span of the first key, for errors about the whole file.
pub(crate) fn top(root: &Node) -> Range<usize> {
    root.entries().iter().map(|(key, _)| key.span.clone()).min_by_key(|span| span.start).unwrap_or(0..0)
}

/// Context for translating the errors of a document.
pub(crate) struct Refiner<'a> {
    /// Source text.
    pub source: &'a SourceText,
    /// Outline of the text.
    pub outline: &'a Node,
    /// Model of its solver.
    pub model: &'a SolverModel,
}

/// Selected variant of a tagged table.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    /// The tag: `shape`.
    tag: &'static str,
    /// Its value: `circle`.
    name: &'static str,
    /// Depth of the tagged table in the document.
    depth: usize,
}

impl Refiner<'_> {
    /// Translates a deserialization error.
    pub fn explain(&self, error: &toml::de::Error) -> CaseError {
        let span = error.span().unwrap_or(0..0);
        let steps = self.outline.path_to(&span).unwrap_or_default();
        let path = pattern(&steps);
        let tagged = self.model.tagged.iter().find(|tagged| tagged.path == path.trim_end_matches("[]"));
        let inside = tagged.and_then(|tagged| {
            let whole = if path.ends_with("[]") { &steps[..steps.len() - 1] } else { &steps[..] };
            self.inside_tagged(tagged, whole)
        });
        inside.unwrap_or_else(|| self.translate(error.message(), span, &steps, None))
    }

    /// First error inside a tagged table or a list of them, found by deserializing each again from the document.
    fn inside_tagged(&self, tagged: &Tagged, base: &[Step]) -> Option<CaseError> {
        let value = value(&self.source.text, base)?;
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => items.into_iter().enumerate().find_map(|(index, item)| {
                let mut steps = base.to_vec();
                steps.push(Step::Index(index));
                self.inside_item(tagged, &steps, item)
            }),
            table @ DeValue::Table(_) => self.inside_item(tagged, base, Spanned::new(span, table)),
            _ => None,
        }
    }

    fn inside_item(&self, tagged: &Tagged, steps: &[Step], item: Spanned<DeValue<'_>>) -> Option<CaseError> {
        let span = item.span();
        let DeValue::Table(table) = item.into_inner() else {
            return Some(self.wrong_type("a table", steps));
        };
        let names: Vec<&str> = tagged.variants.iter().map(|v| v.name).collect();
        let Some(tag) = table.iter().find(|(key, _)| key.get_ref() == tagged.tag) else {
            return Some(self.missing_key(tagged.tag, steps, Some(&list(&names, "\"", "and"))));
        };
        let mut tag_steps = steps.to_vec();
        tag_steps.push(Step::Key(tagged.tag.into()));
        let Some(given) = tag.1.get_ref().as_str() else {
            return Some(self.wrong_type("a string in quotes", &tag_steps));
        };
        let Some(variant) = tagged.variants.iter().find(|v| v.name == given) else {
            return Some(self.unknown_value(given, &names, &tag_steps));
        };
        let rest: DeTable<'_> = table.into_iter().filter(|(key, _)| key.get_ref() != tagged.tag).collect();
        let value = Spanned::new(span.clone(), DeValue::Table(rest));
        let error = (variant.read)(ValueDeserializer::from(value)).err()?;
        let span = error.span().unwrap_or(span);
        let below = self.node(steps).path_to(&span).unwrap_or_default();
        let choice = Choice { tag: tagged.tag, name: variant.name, depth: steps.len() };
        let steps = [steps, &below].concat();
        Some(self.translate(error.message(), span, &steps, Some(choice)))
    }

    /// Translates serde's message about the value at `steps`.
    fn translate(&self, text: &str, span: Range<usize>, steps: &[Step], choice: Option<Choice>) -> CaseError {
        let (message, advice) = split_advice(text);
        let node = self.node(steps);
        if let Some(advice) = advice {
            // A range is deserialized as a whole; an error in its number of points is reported at that key.
            let points = node.get("points").filter(|_| message.contains("point"));
            let (node, span) = points.map_or((node, span), |points| (points, points.span.clone()));
            let label = short(message).unwrap_or_else(|| node.label());
            return Report::new(format!("{}: {message}", join_path(steps)), label, advice)
                .at(self.source, span);
        }
        if matches!(node.kind, Kind::Date) {
            // serde represents a date as a table with a private key, and its message refers to that.
            let message = format!("{}: a date is not allowed here", join_path(steps));
            return Report::new(message, "a date", self.write_instead(steps, None)).at(self.source, span);
        }
        if let Some((key, allowed)) = named(message, "unknown field `") {
            self.unknown_key(key, &allowed, &span, steps, choice)
        } else if let Some((given, allowed)) = named(message, "unknown variant `") {
            self.unknown_value(given, &allowed, steps)
        } else if let Some(key) = message.strip_prefix("missing field `") {
            self.missing_key(key.trim_end_matches('`'), steps, None)
        } else {
            self.wrong_type(message.rsplit_once(", expected ").map_or("", |(_, expected)| expected), steps)
        }
    }

    fn unknown_key(
        &self,
        key: &str,
        allowed: &[&str],
        span: &Range<usize>,
        steps: &[Step],
        choice: Option<Choice>,
    ) -> CaseError {
        // The span is that of the key or of its table.
        let is_marked = |table: &Node| table.entries().iter().any(|(k, _)| k.name == key && k.span == *span);
        let parent = match steps.split_last() {
            Some((_, parent)) if is_marked(self.node(parent)) => parent,
            _ => steps,
        };
        let entry = self.node(parent).entries().iter().find(|(k, _)| k.name == key);
        let span_of_key = entry.map_or_else(|| span.clone(), |(k, _)| k.span.clone());
        // The tag applies to the keys of the tagged table, not to those of nested tables.
        let choice = choice.filter(|choice| parent.len() == choice.depth);
        let tag = choice.map(|choice| choice.tag);
        let keys: Vec<&str> = tag.into_iter().chain(allowed.iter().copied()).collect();
        unknown_key(key, parent, &keys, choice, self.model.examples).at(self.source, span_of_key)
    }

    fn missing_key(&self, key: &str, steps: &[Step], choices: Option<&str>) -> CaseError {
        let mut full = steps.to_vec();
        full.push(Step::Key(key.into()));
        let example = self.example(&full).unwrap_or(key);
        let help = match (example.contains('\n'), choices) {
            (true, _) => format!("add\n{example}"),
            (false, Some(choices)) => {
                format!("add for example `{example}`; the allowed values are {choices}")
            }
            (false, None) => format!("add for example `{example}`"),
        };
        let report = if !steps.is_empty() {
            Report::new(
                format!("missing key `{key}` {}", in_table(steps)),
                format!("`{key}` is missing here"),
                help,
            )
        } else if example.starts_with('[') {
            Report::new(format!("missing table [{key}]"), format!("this file has no [{key}]"), help)
        } else {
            missing_at_top(key)
        };
        let span = if steps.is_empty() { top(self.outline) } else { self.node(steps).span.clone() };
        report.at(self.source, span)
    }

    fn unknown_value(&self, given: &str, allowed: &[&str], steps: &[Step]) -> CaseError {
        let message = format!("{}: unknown value {given:?}", join_path(steps));
        let report = Report::new(message, "not an allowed value", choose(given, allowed, "allowed value"));
        report.at(self.source, self.node(steps).span.clone())
    }

    fn wrong_type(&self, expected: &str, steps: &[Step]) -> CaseError {
        let node = self.node(steps);
        let expected = expected_text(expected);
        let message = format!("{}: expected {expected}, found {}", join_path(steps), node.describe());
        let help = self.write_instead(steps, Some(&expected));
        Report::new(message, format!("expected {}", first_words(&expected)), help)
            .at(self.source, node.span.clone())
    }

    /// Advice with an example of the value at `steps`.
    fn write_instead(&self, steps: &[Step], expected: Option<&str>) -> String {
        match self.example(steps) {
            Some(example) if example.contains('\n') => format!("write for example\n{example}"),
            Some(example) => format!("write for example `{example}`"),
            None => format!("write {}", expected.unwrap_or("another value")),
        }
    }

    /// Example of the key at `steps`; for an item of a list of plain values, of the whole list.
    fn example(&self, steps: &[Step]) -> Option<&'static str> {
        let find = |path: &str| {
            self.model
                .examples
                .iter()
                .chain(HEAD_EXAMPLES)
                .find(|(p, _)| is_pattern_of(p, path))
                .map(|(_, example)| *example)
        };
        let find_list = |path: &str| find(path).or_else(|| find(path.trim_end_matches("[]")));
        let path = pattern(steps);
        self.shape_of(steps)
            .and_then(|shape| find_list(&path.replacen("[]", &format!("[{shape}]"), 1)))
            .or_else(|| find_list(&path))
    }

    /// Shape of the list item that contains `steps`. Keys whose values depend on it have examples under
    /// `geometry.solids[extrusion].points`.
    fn shape_of(&self, steps: &[Step]) -> Option<&str> {
        let index = steps.iter().position(|step| matches!(step, Step::Index(_)))?;
        self.node(&steps[..=index]).get("shape")?.text()
    }

    /// Node at `steps`, a path within the outline.
    fn node(&self, steps: &[Step]) -> &Node {
        steps.iter().try_fold(self.outline, |node, step| node.step(step)).unwrap_or(self.outline)
    }
}

/// Whether a path matches a pattern, in which `*` is a user-defined key.
fn is_pattern_of(pattern: &str, path: &str) -> bool {
    let (mut keys, mut given) = (pattern.split('.'), path.split('.'));
    loop {
        match (keys.next(), given.next()) {
            (None, None) => return true,
            (Some(key), Some(given)) if key == given || key == "*" => {}
            _ => return false,
        }
    }
}

/// Report of an unknown key in the table at `parent`.
pub(crate) fn unknown_key(
    key: &str,
    parent: &[Step],
    allowed: &[&str],
    choice: Option<Choice>,
    examples: &[(&str, &str)],
) -> Report {
    let with_tag =
        choice.map_or_else(String::new, |choice| format!(" with {} = \"{}\"", choice.tag, choice.name));
    let keys = match allowed {
        [one] => format!("the only allowed key{with_tag} is `{one}`"),
        many => format!("the allowed keys{with_tag} are {}", list(many, "`", "and")),
    };
    let help = if let Some(meant) = nearest(key, allowed.iter().copied()) {
        format!("did you mean `{meant}`? {keys}")
    } else if let Some(table) = table_of(key, parent, examples) {
        format!("`{key}` belongs in {table}; {keys}")
    } else {
        format!("remove it; {keys}")
    };
    Report::new(format!("unknown key `{key}` {}", in_table(parent)), "unknown key", help)
}

/// Table to which a misplaced key belongs.
fn table_of(key: &str, parent: &[Step], examples: &[(&str, &str)]) -> Option<String> {
    let here = pattern(parent);
    let tables =
        examples.iter().filter_map(|(path, _)| path.rsplit_once('.')).filter(|&(_, last)| last == key);
    let (table, _) = tables.into_iter().find(|&(table, _)| table != here)?;
    let child = table.strip_prefix(&here).and_then(|rest| rest.strip_prefix('.'));
    match table.strip_suffix("[]") {
        Some(items) => Some(format!("an item of {items}")),
        None if child.is_some() => child.map(|child| format!("the table `{child}`")),
        None if table.contains('.') => None,
        None => Some(format!("[{table}]")),
    }
}

/// Advice for `given`, which is not one of the allowed names.
pub(crate) fn choose(given: &str, allowed: &[&str], noun: &str) -> String {
    match allowed {
        [one] => format!("write \"{one}\", the only {noun}"),
        many => {
            let meant = nearest(given, many.iter().copied()).map(|name| format!("did you mean \"{name}\"? "));
            format!("{}the {noun}s are {}", meant.unwrap_or_default(), list(many, "\"", "and"))
        }
    }
}

/// Location of a table for messages: `in [source]`.
fn in_table(steps: &[Step]) -> String {
    match steps {
        [] => "at the top of the file".into(),
        [Step::Key(section)] => format!("in [{section}]"),
        _ => format!("in {}", join_path(steps)),
    }
}

/// Name in serde's message, which may contain any characters, and the names it lists as allowed.
fn named<'m>(message: &'m str, start: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let message = message.strip_prefix(start)?;
    if let Some(given) = message.strip_suffix("`, there are no fields") {
        return Some((given, Vec::new()));
    }
    let (given, allowed) = message.rsplit_once("`, expected ")?;
    Some((given, allowed.split('`').skip(1).step_by(2).collect()))
}

/// Text for what serde expected.
fn expected_text(expected: &str) -> String {
    match expected {
        "a nonzero u32" => format!("an integer from 1 to {}", u32::MAX),
        "i64" => "an integer".into(),
        "u32" | "u64" | "usize" => "a non-negative integer".into(),
        "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        // The only message without an expectation is about an enum that is neither a string nor a table.
        "" | "a string" | "variant identifier" => "a string in quotes".into(),
        rust if rust.starts_with("struct ") || rust.starts_with("internally tagged enum") => "a table".into(),
        ours => ours.into(),
    }
}

/// Start of an expectation, without examples and alternatives.
fn first_words(expected: &str) -> &str {
    let end = [" such as", " from 1", " that", " {"].iter().filter_map(|mark| expected.find(mark)).min();
    &expected[..end.unwrap_or(expected.len())]
}

/// Label from a message of `core`: `not a length`.
fn short(message: &str) -> Option<&str> {
    let not = message.find("\" is not ").map(|at| &message[at + "\" is ".len()..])?;
    not.split(':').next()
}

/// Value at `steps`, parsed again from the text.
fn value<'t>(text: &'t str, steps: &[Step]) -> Option<Spanned<DeValue<'t>>> {
    let root = DeTable::parse(text).ok()?;
    let mut value = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
    for step in steps {
        value = match (value.into_inner(), step) {
            (DeValue::Table(table), Step::Key(key)) => table.into_iter().find(|(k, _)| k.get_ref() == key)?.1,
            (DeValue::Array(items), Step::Index(index)) => items.into_iter().nth(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_translated() {
        assert_eq!(expected_text("struct Geometry"), "a table");
        assert_eq!(expected_text("a length such as \"3 mm\""), "a length such as \"3 mm\"");
        assert_eq!(first_words("a length such as \"3 mm\", or a list of three lengths"), "a length");
        assert_eq!(short("\"10 Ghz\" is not a frequency: unknown unit \"Ghz\""), Some("not a frequency"));
        assert_eq!(short("the list is empty"), None);
        let message = "unknown field `a`, expected `b`, expected one of `c`, `d`";
        assert_eq!(named(message, "unknown field `"), Some(("a`, expected `b", vec!["c", "d"])));
    }
}
