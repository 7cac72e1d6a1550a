//! The values of a key: a list, or a uniform range.

use crate::error::{Report, SourceText};
use crate::outline::{Kind, Node};
use std::ops::Range;

/// Most values of a key, and most points of a sweep: each becomes a folder.
pub(super) const MAX_POINTS: usize = 100_000;

/// Decimal digits of the values of a range: enough for any input, and few enough to hide rounding (1.2000000000000002).
const DIGITS: usize = 12;

/// A key of the case, and its values.
#[derive(Debug, Clone)]
pub struct SweptKey {
    /// Path in the case: `geometry.bodies[0].radius`.
    pub path: String,
    /// Its values in order.
    pub values: Vec<SweptValue>,
    /// Position of the key in the sweep file.
    pub(super) span: Range<usize>,
}

/// A value of a key.
#[derive(Debug, Clone, PartialEq)]
pub struct SweptValue {
    /// As case files have it: `"10 mm"` in quotes, `3`, `true`, a list or a table.
    pub toml: String,
    /// Number and unit, which is empty for a plain number; none for other values.
    pub quantity: Option<(f64, String)>,
    /// Position in the sweep file.
    pub(super) span: Range<usize>,
    /// Whether `toml` is the text at that position.
    pub(super) is_literal: bool,
}

impl SweptKey {
    /// The unit that all values share, empty for plain numbers; none if they have several or none.
    pub fn unit(&self) -> Option<&str> {
        let unit = |value: &'_ SweptValue| value.quantity.as_ref().map(|(_, unit)| unit.clone());
        let first = self.values.first()?;
        let (_, name) = first.quantity.as_ref()?;
        self.values.iter().all(|value| unit(value).as_deref() == Some(name)).then_some(name)
    }
}

impl SweptValue {
    /// Without quotes, for tables and messages.
    pub fn text(&self) -> &str {
        self.toml.strip_prefix(['"', '\'']).and_then(|t| t.strip_suffix(['"', '\''])).unwrap_or(&self.toml)
    }
}

/// Whether a table is a range rather than a table of further keys.
pub(super) fn is_range(node: &Node) -> bool {
    ["from", "to", "points"].iter().any(|key| node.get(key).is_some())
}

/// The values of the key at `path`, or what is wrong with them and where.
pub(super) fn values(
    source: &SourceText,
    path: &str,
    node: &Node,
) -> Result<Vec<SweptValue>, (Range<usize>, Report)> {
    match &node.kind {
        Kind::Array(items) if items.is_empty() => {
            let report =
                Report::new(format!("{path}: the list is empty"), "no values", "give at least one value");
            Err((node.span.clone(), report))
        }
        Kind::Array(items) if items.len() > MAX_POINTS => {
            let message = format!("{path}: the list has more than {MAX_POINTS} values");
            Err((
                node.span.clone(),
                Report::new(message, "too many values", "shorten it, or divide the sweep"),
            ))
        }
        Kind::Array(items) => Ok(items.iter().map(|item| literal(source, item)).collect()),
        Kind::Table(_) => range(path, node),
        _ => {
            let text = &source.text[node.span.clone()];
            let report = Report::new(
                format!(
                    "{path}: expected a list of values or {{ from, to, points }}, found {}",
                    node.describe()
                ),
                "expected a list",
                format!("write `[{text}]` for one value"),
            );
            Err((node.span.clone(), report))
        }
    }
}

fn literal(source: &SourceText, node: &Node) -> SweptValue {
    let toml = source.text[node.span.clone()].to_owned();
    SweptValue { toml, quantity: quantity(node), span: node.span.clone(), is_literal: true }
}

/// Number and unit of a value such as `"10 mm"` or `3`.
fn quantity(node: &Node) -> Option<(f64, String)> {
    match &node.kind {
        Kind::Number(number) => Some((number.parse().ok()?, String::new())),
        Kind::Text(text) => {
            let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
            let unit = &text[number.len()..];
            Some((number.trim().parse().ok()?, unit.to_owned())).filter(|_| !unit.is_empty())
        }
        _ => None,
    }
}

/// `{ from = "1 GHz", to = "2 GHz", points = 11 }`, ends included.
fn range(path: &str, node: &Node) -> Result<Vec<SweptValue>, (Range<usize>, Report)> {
    let wrong = |node: &Node, message: &str, help: &str| {
        let report = Report::new(format!("{path}: {message}"), node.label(), help);
        Err((node.span.clone(), report))
    };
    let example = "write for example `{ from = \"1 GHz\", to = \"2 GHz\", points = 11 }`";
    let (Some(from), Some(to), Some(points), 3) =
        (node.get("from"), node.get("to"), node.get("points"), node.entries().len())
    else {
        return wrong(node, "a range has the keys `from`, `to` and `points`", example);
    };
    let count = match &points.kind {
        Kind::Number(number) => number.parse::<usize>().ok().filter(|n| (2..=MAX_POINTS).contains(n)),
        _ => None,
    };
    let Some(count) = count else {
        let help = "write a list for a single value";
        return wrong(points, &format!("`points` must be an integer from 2 to {MAX_POINTS}"), help);
    };
    let Some((a, unit)) = quantity(from) else {
        return wrong(from, "`from` is not a number with or without a unit", example);
    };
    let Some((b, _)) = quantity(to).filter(|(_, other)| *other == unit) else {
        return wrong(to, "`to` needs the unit of `from`", example);
    };
    let is_whole = |node: &Node| matches!(&node.kind, Kind::Number(n) if n.parse::<i64>().is_ok());
    let whole = is_whole(from) && is_whole(to);
    let value = |i: usize| {
        let x = rounded(a + (b - a) * (i as f64 / (count - 1) as f64));
        let toml = match &*unit {
            "" if whole && x.fract() == 0.0 => format!("{x}"),
            "" => format!("{x:?}"),
            unit => format!("\"{x} {unit}\""),
        };
        SweptValue { toml, quantity: Some((x, unit.clone())), span: node.span.clone(), is_literal: false }
    };
    Ok((0..count).map(value).collect())
}

fn rounded(x: f64) -> f64 {
    // The text of a finite number is a number.
    format!("{x:.*e}", DIGITS - 1).parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    fn read(text: &str) -> Result<Vec<SweptValue>, String> {
        let source = SourceText::new("sweep.toml", text);
        let root = Node::of_document(&DeTable::parse(text).unwrap());
        values(&source, "x", root.get("x").unwrap())
            .map_err(|(span, report)| format!("{} | {}", &text[span], report.message))
    }

    fn texts(text: &str) -> Vec<String> {
        read(text).unwrap().into_iter().map(|value| value.toml).collect()
    }

    #[test]
    fn values_keep_their_text() {
        assert_eq!(
            texts("x = [\"10 mm\", 1_0, true, [1, 2], { a = 1 }]"),
            ["\"10 mm\"", "1_0", "true", "[1, 2]", "{ a = 1 }"]
        );
        assert_eq!(read("x = ['10 mm']").unwrap()[0].text(), "10 mm");
    }

    #[test]
    fn ranges_have_both_ends_and_short_numbers() {
        assert_eq!(
            texts("x = { from = \"1 GHz\", to = \"1.3 GHz\", points = 4 }"),
            ["\"1 GHz\"", "\"1.1 GHz\"", "\"1.2 GHz\"", "\"1.3 GHz\""]
        );
        assert_eq!(texts("x = { from = 8, to = 2, points = 3 }"), ["8", "5", "2"]);
        assert_eq!(texts("x = { from = 1, to = 2, points = 3 }"), ["1", "1.5", "2"]);
        assert_eq!(texts("x = { from = 1.0, to = 2, points = 2 }"), ["1.0", "2.0"]);
    }

    #[test]
    fn wrong_values_are_told_with_their_place() {
        for (text, told) in [
            ("x = []", "[] | x: the list is empty"),
            ("x = 3", "3 | x: expected a list of values or { from, to, points }, found the number 3"),
            (
                "x = { from = 1, to = 2 }",
                "{ from = 1, to = 2 } | x: a range has the keys `from`, `to` and `points`",
            ),
            ("x = { from = 1, to = 2, points = 1 }", "1 | x: `points` must be an integer from 2 to 100000"),
            (
                "x = { from = \"1 GHz\", to = \"2 MHz\", points = 2 }",
                "\"2 MHz\" | x: `to` needs the unit of `from`",
            ),
            (
                "x = { from = \"a lot\", to = 2, points = 2 }",
                "\"a lot\" | x: `from` is not a number with or without a unit",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), told);
        }
    }

    #[test]
    fn a_unit_is_that_of_all_values() {
        let key = |text: &str| SweptKey { path: "x".into(), values: read(text).unwrap(), span: 0..1 };
        assert_eq!(key("x = [\"10 mm\", \"1e1mm\"]").unit(), Some("mm"));
        assert_eq!(key("x = [1, 2.5]").unit(), Some(""));
        assert_eq!(key("x = [\"10 mm\", \"1 cm\"]").unit(), None);
        assert_eq!(key("x = [\"TM\", \"TE\"]").unit(), None);
    }
}
