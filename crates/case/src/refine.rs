//! Turns serde's errors into ours: the exact place, our words, and what to do.
//!
//! serde names keys but not paths, speaks of Rust types, and loses the place of an error inside a table whose
//! shape is chosen by one of its keys. The outline of the document gives all three back.

use crate::error::{CaseError, Report, SourceText};
use crate::model::{SolverModel, Tagged};
use crate::outline::{Node, Step, join_path, pattern};
use crate::parse::top;
use crate::words::{backticked, list, nearest};
use phasefront_core::units::split_advice;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// What it takes to explain an error of one document.
pub(crate) struct Refiner<'a> {
    /// The text.
    pub source: &'a SourceText,
    /// Its outline.
    pub outline: &'a Node,
    /// The solver it is for.
    pub model: &'a SolverModel,
}

/// A tagged table and the value of its tag: `shape` and `circle`.
pub(crate) type Choice = (&'static str, &'static str);

impl Refiner<'_> {
    /// Our version of an error that came out of deserialisation.
    pub fn explain(&self, error: &toml::de::Error) -> CaseError {
        let span = error.span().unwrap_or(0..0);
        let steps = self.outline.path_to(&span).unwrap_or_default();
        let tagged = self.model.tagged.iter().find(|tagged| tagged.path == pattern(&steps));
        match tagged {
            Some(tagged) => self.inside_tagged(tagged, &steps, error),
            None => self.translate(error.message(), span, &steps, None),
        }
    }

    /// The error inside a tagged table, by reading the chosen struct again from the document.
    fn inside_tagged(&self, tagged: &Tagged, steps: &[Step], error: &toml::de::Error) -> CaseError {
        let table = self.node(steps);
        let as_it_is = || self.translate(error.message(), table.span.clone(), steps, None);
        if !matches!(table.kind, crate::outline::Kind::Table(_)) {
            return as_it_is();
        }
        let names: Vec<&str> = tagged.variants.iter().map(|v| v.name).collect();
        let Some(tag) = table.get(tagged.tag) else {
            return self.missing_key(tagged.tag, steps, Some(&list(&names, "\"")));
        };
        let mut tag_steps = steps.to_vec();
        tag_steps.push(Step::Key(tagged.tag.into()));
        let Some(given) = tag.text() else {
            return self.wrong_type("a name in quotes", &tag_steps);
        };
        let Some(variant) = tagged.variants.iter().find(|v| v.name == given) else {
            return self.unknown_value(given, &names, &tag_steps);
        };
        match reread(&self.source.text, steps, tagged.tag).map(variant.read) {
            Some(Err(error)) => {
                let span = error.span().unwrap_or_else(|| table.span.clone());
                let steps = self.outline.path_to(&span).unwrap_or_else(|| steps.to_vec());
                self.translate(error.message(), span, &steps, Some((tagged.tag, variant.name)))
            }
            _ => as_it_is(),
        }
    }

    /// Our words for serde's message about the value at `steps`.
    fn translate(&self, text: &str, span: Range<usize>, steps: &[Step], choice: Option<Choice>) -> CaseError {
        let (message, advice) = split_advice(text);
        if let Some(advice) = advice {
            let report = Report::new(format!("{}: {message}", join_path(steps)), short(message), advice);
            return report.at(self.source, span);
        }
        let names = backticked(message);
        match names.split_first() {
            Some((key, allowed)) if message.starts_with("unknown field") => {
                self.unknown_key(key, allowed, &span, steps, choice)
            }
            Some((key, _)) if message.starts_with("missing field") => self.missing_key(key, steps, None),
            Some((given, allowed)) if message.starts_with("unknown variant") => {
                self.unknown_value(given, allowed, steps)
            }
            _ => self.wrong_type(message.rsplit_once(", expected ").map_or("", |(_, e)| e), steps),
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
        // Either the key itself was marked, or the table that holds it.
        let parent = match steps.split_last() {
            Some((Step::Key(last), parent)) if last == key && self.node(steps).span != *span => parent,
            _ => steps,
        };
        let entry = self.node(parent).entries().iter().find(|(k, _)| k.name == key);
        let place = entry.map_or_else(|| span.clone(), |(k, _)| k.span.clone());
        let tag = choice.map(|(tag, _)| tag);
        let keys: Vec<&str> = tag.into_iter().chain(allowed.iter().copied()).collect();
        unknown_key(key, parent, &keys, choice, self.model.examples).at(self.source, place)
    }

    fn missing_key(&self, key: &str, steps: &[Step], choices: Option<&str>) -> CaseError {
        let mut full = steps.to_vec();
        full.push(Step::Key(key.into()));
        let example = self.example(&full).unwrap_or(key);
        let help = match (example.contains('\n'), choices) {
            (true, _) => format!("add\n{example}"),
            (false, Some(choices)) => format!("add for example `{example}`; it may be {choices}"),
            (false, None) => format!("add for example `{example}`"),
        };
        let place = if steps.is_empty() { top(self.outline) } else { self.node(steps).span.clone() };
        let what = if example.starts_with('[') && steps.is_empty() { "table" } else { "key" };
        let name = if what == "table" { format!("[{key}]") } else { format!("`{key}`") };
        let message = format!("missing {what} {name} {}", in_table(steps));
        Report::new(message, format!("{name} is missing here"), help).at(self.source, place)
    }

    fn unknown_value(&self, given: &str, allowed: &[&str], steps: &[Step]) -> CaseError {
        let choices = match allowed {
            [one] => format!("the only choice so far is \"{one}\""),
            many => format!("the choices are {}", list(many, "\"")),
        };
        let meant = nearest(given, allowed.iter().copied()).map(|name| format!("did you mean \"{name}\"? "));
        let message = format!("{}: there is no {given:?}", join_path(steps));
        let report =
            Report::new(message, "not one of the choices", format!("{}{choices}", meant.unwrap_or_default()));
        report.at(self.source, self.node(steps).span.clone())
    }

    fn wrong_type(&self, expected: &str, steps: &[Step]) -> CaseError {
        let node = self.node(steps);
        let expected = in_words(expected);
        let example = self.example(steps);
        let help = match example {
            Some(example) if example.contains('\n') => format!("write for example\n{example}"),
            Some(example) => format!("write for example `{example}`"),
            None => format!("write {expected}"),
        };
        let message = format!("{}: expected {expected}, found {}", join_path(steps), node.in_words());
        Report::new(message, format!("expected {}", first_words(&expected)), help)
            .at(self.source, node.span.clone())
    }

    /// How the key at `steps` is written; for an item of a list of plain values, the whole list's.
    fn example(&self, steps: &[Step]) -> Option<&'static str> {
        let wanted = pattern(steps);
        let whole = wanted.trim_end_matches("[]");
        let find =
            |path: &str| self.model.examples.iter().find(|(p, _)| *p == path).map(|(_, example)| *example);
        find(&wanted).or_else(|| find(whole))
    }

    /// The node at `steps`, which came from the outline itself.
    fn node(&self, steps: &[Step]) -> &Node {
        steps.iter().try_fold(self.outline, |node, step| node.step(step)).unwrap_or(self.outline)
    }
}

/// The words for a key that is not known in the table at `parent`.
pub(crate) fn unknown_key(
    key: &str,
    parent: &[Step],
    allowed: &[&str],
    choice: Option<Choice>,
    examples: &[(&str, &str)],
) -> Report {
    let here = choice.map_or_else(|| "here".into(), |(tag, name)| format!("with {tag} = \"{name}\""));
    let keys = format!("the keys {here} are {}", list(allowed, "`"));
    let help = if let Some(meant) = nearest(key, allowed.iter().copied()) {
        format!("did you mean `{meant}`? {keys}")
    } else if let Some(home) = home_of(key, parent, examples) {
        format!("`{key}` belongs in {home}; {keys}")
    } else {
        format!("remove it; {keys}")
    };
    Report::new(format!("unknown key `{key}` {}", in_table(parent)), "unknown key", help)
}

/// The table a misplaced key belongs in.
fn home_of(key: &str, parent: &[Step], examples: &[(&str, &str)]) -> Option<String> {
    let here = pattern(parent);
    let homes =
        examples.iter().filter_map(|(path, _)| path.rsplit_once('.')).filter(|&(_, last)| last == key);
    let (home, _) = homes.into_iter().find(|&(home, _)| home != here)?;
    match home.strip_suffix("[]") {
        Some(items) => Some(format!("an item of {items}")),
        None if home.contains('.') => None,
        None => Some(format!("[{home}]")),
    }
}

/// Where a table is, for a sentence: `in [source]`.
fn in_table(steps: &[Step]) -> String {
    match steps {
        [] => "at the top of the file".into(),
        [Step::Key(section)] => format!("in [{section}]"),
        _ => format!("in {}", join_path(steps)),
    }
}

/// Our words for what serde says it expected.
fn in_words(expected: &str) -> String {
    match expected {
        "a nonzero u32" => format!("a whole number from 1 to {}", u32::MAX),
        "u32" | "usize" | "i64" | "u64" => "a whole number".into(),
        "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a string" => "a text in quotes".into(),
        "a sequence" => "a list".into(),
        // The only message without an expectation is about a choice that is neither a string nor a table.
        "" => "a name in quotes".into(),
        rust if rust.starts_with("struct ") || rust.starts_with("internally tagged enum") => "a table".into(),
        ours => ours.into(),
    }
}

/// The start of an expectation, without examples and alternatives.
fn first_words(expected: &str) -> &str {
    let end = [" such as", ","].iter().filter_map(|mark| expected.find(mark)).min();
    &expected[..end.unwrap_or(expected.len())]
}

/// A few words of a message of `core` for the place itself: `not a length`.
fn short(message: &str) -> &str {
    let not = message.find("\" is not ").map(|at| &message[at + "\" is ".len()..]);
    not.and_then(|rest| rest.split(':').next()).unwrap_or("here")
}

/// The table at `steps` without its tag, ready to be read again.
fn reread<'t>(text: &'t str, steps: &[Step], tag: &str) -> Option<ValueDeserializer<'t>> {
    let root = DeTable::parse(text).ok()?;
    let span = root.span();
    let mut value = Spanned::new(span, DeValue::Table(root.into_inner()));
    for step in steps {
        value = match (value.into_inner(), step) {
            (DeValue::Table(table), Step::Key(key)) => {
                table.into_iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v)?
            }
            (DeValue::Array(items), Step::Index(index)) => items.into_iter().nth(*index)?,
            _ => return None,
        };
    }
    let span = value.span();
    let DeValue::Table(table) = value.into_inner() else { return None };
    let rest: DeTable<'t> = table.into_iter().filter(|(key, _)| key.get_ref() != tag).collect();
    Some(ValueDeserializer::from(Spanned::new(span, DeValue::Table(rest))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_in_our_words() {
        assert_eq!(in_words("struct Geometry"), "a table");
        assert_eq!(in_words("a length such as \"3 mm\""), "a length such as \"3 mm\"");
        assert_eq!(first_words("a length such as \"3 mm\", a list of them"), "a length");
        assert_eq!(short("\"10 Ghz\" is not a frequency: there is no unit \"Ghz\""), "not a frequency");
        assert_eq!(short("the list is empty"), "here");
    }
}
