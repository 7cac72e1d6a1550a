//! Untyped outline of a document with the source span of every key and value.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Value with its source span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Byte range of the value, or of the header of a table.
    pub span: Range<usize>,
    /// Kind and content of the value.
    pub kind: Kind,
}

/// Kind and content of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Keys and values in document order.
    Table(Vec<(Key, Node)>),
    /// Items in order.
    Array(Vec<Node>),
    /// String.
    Text(String),
    /// Integer or float as written, without `_`.
    Number(String),
    /// `true` or `false`.
    Boolean(bool),
    /// Date, time or both.
    Date,
}

/// Key with its source span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    /// Name without quotes.
    pub name: String,
    /// Byte range of the key.
    pub span: Range<usize>,
}

/// Step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Index(usize),
}

impl Node {
    /// Outline of a parsed document.
    pub fn of_document(root: &Spanned<DeTable<'_>>) -> Self {
        Self { span: root.span(), kind: Kind::Table(entries(root.get_ref())) }
    }

    /// The value of `key`, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(k, _)| k.name == key).map(|(_, node)| node)
    }

    /// Keys and values of a table; empty for other values.
    pub fn entries(&self) -> &[(Key, Self)] {
        match &self.kind {
            Kind::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The child at `step`.
    pub fn step(&self, step: &Step) -> Option<&Self> {
        match (step, &self.kind) {
            (Step::Key(key), _) => self.get(key),
            (Step::Index(index), Kind::Array(items)) => items.get(*index),
            (Step::Index(_), _) => None,
        }
    }

    /// Path to the value whose span, or whose key's span, is exactly `span`; the innermost one if several share it, as
    /// a list of `[[tables]]` and its first item do.
    pub fn path_to(&self, span: &Range<usize>) -> Option<Vec<Step>> {
        let below = |step: Step, key: Option<&Key>, node: &Self| {
            let here = key.is_some_and(|k| k.span == *span).then(Vec::new);
            let mut path = here.or_else(|| node.path_to(span))?;
            path.insert(0, step);
            Some(path)
        };
        let inside = match &self.kind {
            Kind::Table(entries) => {
                entries.iter().find_map(|(key, node)| below(Step::Key(key.name.clone()), Some(key), node))
            }
            Kind::Array(items) => {
                items.iter().enumerate().find_map(|(i, node)| below(Step::Index(i), None, node))
            }
            _ => None,
        };
        inside.or_else(|| (self.span == *span).then(Vec::new))
    }

    /// Label of the source position.
    pub fn label(&self) -> &'static str {
        match &self.kind {
            Kind::Table(_) => "this table",
            Kind::Array(_) => "this list",
            _ => "this value",
        }
    }

    /// Description of the value for messages: `the number 3`.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Table(_) => "a table".into(),
            Kind::Array(items) => match items.len() {
                0 => "an empty list".into(),
                1 => "a list of one value".into(),
                n => format!("a list of {n} values"),
            },
            Kind::Text(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
            Kind::Text(_) => "a string".into(),
            Kind::Number(number) => format!("the number {number}"),
            Kind::Boolean(value) => format!("{value}"),
            Kind::Date => "a date".into(),
        }
    }
}

fn entries(table: &DeTable<'_>) -> Vec<(Key, Node)> {
    let key = |k: &Spanned<toml::de::DeString<'_>>| Key { name: k.get_ref().to_string(), span: k.span() };
    table.iter().map(|(k, v)| (key(k), node(v))).collect()
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let kind = match value.get_ref() {
        DeValue::Table(table) => Kind::Table(entries(table)),
        DeValue::Array(items) => Kind::Array(items.iter().map(node).collect()),
        DeValue::String(text) => Kind::Text(text.to_string()),
        DeValue::Integer(number) => Kind::Number(number.to_string()),
        DeValue::Float(number) => Kind::Number(number.to_string()),
        DeValue::Boolean(value) => Kind::Boolean(*value),
        DeValue::Datetime(_) => Kind::Date,
    };
    Node { span: value.span(), kind }
}

/// Splits `geometry.bodies[0].radius` into steps.
pub(crate) fn split_path(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let mut pieces = part.split('[');
        steps.extend(pieces.next().filter(|key| !key.is_empty()).map(|key| Step::Key(key.into())));
        steps.extend(pieces.filter_map(|p| p.trim_end_matches(']').parse().ok()).map(Step::Index));
    }
    steps
}

/// Joins steps to `geometry.bodies[0].radius`.
pub(crate) fn join_path(steps: &[Step]) -> String {
    join(steps, |index| index.to_string())
}

/// Joins steps without the numbers of list items: `geometry.bodies[].radius`, the same for all bodies.
pub(crate) fn pattern(steps: &[Step]) -> String {
    join(steps, |_| String::new())
}

fn join(steps: &[Step], number: impl Fn(usize) -> String) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(key) if path.is_empty() => path.push_str(key),
            Step::Key(key) => path.extend([".", key]),
            Step::Index(index) => path.extend(["[", &number(*index), "]"]),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_split_and_join() {
        for path in ["", "name", "geometry.bodies[0].radius", "a[1][2].b"] {
            assert_eq!(join_path(&split_path(path)), path);
        }
        assert_eq!(pattern(&split_path("geometry.bodies[7].points[3]")), "geometry.bodies[].points[]");
    }

    #[test]
    fn every_value_is_found_by_its_span() {
        let text = "a = 1\n[b]\nc = [{ d = \"x\" }, { d = \"y\" }]\n[[e]]\nf = true\n[[e]]\nf = 1979-05-27\n";
        let root = Node::of_document(&DeTable::parse(text).unwrap());
        for path in ["a", "b", "b.c", "b.c[1]", "b.c[1].d", "e[0]", "e[1].f"] {
            let node = split_path(path).iter().try_fold(&root, |node, step| node.step(step)).unwrap();
            assert_eq!(join_path(&root.path_to(&node.span).unwrap()), path);
        }
        assert_eq!(root.path_to(&(0..1)), Some(vec![Step::Key("a".into())]));
        assert_eq!(root.path_to(&(0..2)), None);
    }
}
