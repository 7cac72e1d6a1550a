//! The text of a case with placeholders for the values of a sweep. Comments and the order of keys stay as they are.

use super::values::{SweptKey, SweptValue};
use crate::error::Report;
use crate::outline::{Kind, Node, Step, join_path, split_path};
use crate::parse::CaseFile;
use std::ops::Range;
use std::sync::Arc;

/// What is wrong with the path of a key, and where the key is in the sweep file.
type Fault = (Range<usize>, Report);

/// A text with placeholders for values.
#[derive(Debug, Clone)]
pub(super) struct Template {
    text: Arc<str>,
    /// In the order of the text.
    slots: Vec<Slot>,
}

/// A placeholder for a value: its range of the text is replaced by `before`, the value and `after`.
#[derive(Debug, Clone)]
struct Slot {
    /// Number of the key.
    key: usize,
    range: Range<usize>,
    before: String,
    after: &'static str,
}

/// Where a value is in the filled text.
#[derive(Debug, Clone, Default)]
pub(super) struct Placed {
    /// Of the key, if the case did not have it; else empty.
    key: Range<usize>,
    value: Range<usize>,
}

impl Template {
    /// Finds the positions of the keys in a case.
    pub fn new<'k>(base: &CaseFile, keys: impl Iterator<Item = &'k SweptKey>) -> Result<Self, Fault> {
        let text = base.source.text.clone();
        let slot = |(number, key): (usize, &SweptKey)| {
            slot(base.outline(), &text, number, &key.path).map_err(|report| (key.span.clone(), report))
        };
        let mut slots = keys.enumerate().map(slot).collect::<Result<Vec<Slot>, Fault>>()?;
        // Several keys may be new in one table: they keep their order.
        slots.sort_by_key(|slot| slot.range.start);
        Ok(Self { text, slots })
    }

    /// The text with values, and where each is, in the order of the keys.
    pub fn fill<'v>(&self, values: impl Iterator<Item = &'v str>) -> (String, Vec<Placed>) {
        let values: Vec<&str> = values.collect();
        let mut placed = vec![Placed::default(); values.len()];
        let (mut text, mut done) = (String::new(), 0);
        for slot in &self.slots {
            text += &self.text[done..slot.range.start];
            let start = text.len();
            text += &slot.before;
            let key = start..text.len();
            text += values[slot.key];
            placed[slot.key] = Placed { value: key.end..text.len(), key };
            text += slot.after;
            done = slot.range.end;
        }
        text += &self.text[done..];
        (text, placed)
    }
}

impl Placed {
    /// The position in the sweep file of something in the filled text; none if it is not of this key.
    pub fn source(&self, span: &Range<usize>, key: &SweptKey, value: &SweptValue) -> Option<Range<usize>> {
        let within = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
        if within(&self.value) {
            let moved = |at: usize| value.span.start + at - self.value.start;
            return Some(if value.is_literal {
                moved(span.start)..moved(span.end)
            } else {
                value.span.clone()
            });
        }
        (!self.key.is_empty() && within(&self.key)).then(|| key.span.clone())
    }
}

fn slot(root: &Node, text: &str, key: usize, path: &str) -> Result<Slot, Report> {
    let steps = split_path(path);
    let mut node = root;
    for (depth, step) in steps.iter().enumerate() {
        let Some(below) = node.step(step) else {
            return missing(root, node, text, key, &steps, depth);
        };
        node = below;
    }
    if is_spread(node, text) {
        let message = format!("`{path}` is a table of the case with its own header");
        let help = "vary the keys in it: the sweep replaces single values, lists and inline tables";
        return Err(Report::new(message, "a table", help));
    }
    Ok(Slot { key, range: node.span.clone(), before: String::new(), after: "" })
}

/// The position of a key that the case does not set: in the innermost table of its path that is there.
fn missing(
    root: &Node,
    node: &Node,
    text: &str,
    key: usize,
    steps: &[Step],
    depth: usize,
) -> Result<Slot, Report> {
    let (above, rest) = (join_path(&steps[..depth]), &steps[depth..]);
    if let (Kind::Array(_), Step::Index(index)) = (&node.kind, &rest[0]) {
        let message = format!("`{}` is not in the case: `{above}` has no item {index}", join_path(steps));
        return Err(Report::new(message, "no such item", "items are counted from 0; add it to the case"));
    }
    if !matches!(node.kind, Kind::Table(_)) || rest.iter().any(|step| matches!(step, Step::Index(_))) {
        let is = if matches!(node.kind, Kind::Table(_)) { "has no such list" } else { "is not a table" };
        let what = if above.is_empty() { "it".to_owned() } else { format!("`{above}`") };
        let message = format!("`{}` is not in the case: {what} {is}", join_path(steps));
        let help = "write the path as `phasefront check` prints it for the case";
        return Err(Report::new(message, "no such key", help));
    }
    let name = join_path(rest);
    let (start, end) = (node.span.start, node.span.end);
    let after_line = |at: usize| Slot { key, range: at..at, before: format!("\n{name} = "), after: "" };
    if depth == 0 {
        // Below the head of the case, where no table has begun; every case has a solver.
        let head = root.get("solver").map_or(0, |solver| solver.span.end);
        return Ok(after_line(head));
    }
    match text[start..].chars().next() {
        Some('[') => Ok(after_line(end)),
        Some('{') => {
            let after = if node.entries().is_empty() { " " } else { "," };
            Ok(Slot { key, range: start + 1..start + 1, before: format!(" {name} = "), after })
        }
        _ => {
            let message = format!("`{}` is not set in the case", join_path(steps));
            Err(Report::new(message, "not in the case", "set it in the case, to any value"))
        }
    }
}

/// Whether a value is written as tables with headers, which cannot be replaced by an inline value.
fn is_spread(node: &Node, text: &str) -> bool {
    match &node.kind {
        Kind::Table(_) => !text[node.span.start..].starts_with('{'),
        // A list of [[tables]] begins where its first item does.
        Kind::Array(items) => items.first().is_some_and(|item| item.span.start == node.span.start),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    const CASE: &str = "version = 1\nsolver = \"mom\" # fast\nname = \"c\"\n[geometry]\n# bodies\nbodies = [{ shape = \"circle\", radius = \"1 m\" }]\n\n\
                        [source]\nfrequency = \"300 MHz\"\npolarization = \"TM\"\npropagation = \"0 deg\"\n[output]\necho_width = \"0 deg\"\n";

    fn filled(pairs: &[(&str, &str)]) -> Result<String, String> {
        let base = parse("c.toml", CASE).unwrap();
        let keys: Vec<SweptKey> = pairs
            .iter()
            .map(|(path, _)| SweptKey { path: (*path).to_owned(), values: Vec::new(), span: 0..1 })
            .collect();
        let template = Template::new(&base, keys.iter()).map_err(|(_, report)| report.message)?;
        let (text, placed) = template.fill(pairs.iter().map(|(_, value)| *value));
        for (placeholder, (_, value)) in placed.iter().zip(pairs) {
            assert_eq!(&text[placeholder.value.clone()], *value);
        }
        let file = parse("c.toml", &text).map_err(|error| error.render_plain())?;
        for (path, value) in pairs {
            assert_eq!(&file.source.text[file.locate(path).unwrap()], *value, "{text}");
        }
        Ok(text)
    }

    #[test]
    fn values_take_their_places_and_the_rest_stays() {
        let text =
            filled(&[("source.frequency", "\"1 GHz\""), ("geometry.bodies[0].radius", "\"20 m\"")]).unwrap();
        assert_eq!(text, CASE.replace("300 MHz", "1 GHz").replace("\"1 m\"", "\"20 m\""));
    }

    #[test]
    fn keys_that_the_case_leaves_out_are_added_to_their_table() {
        let text = filled(&[
            ("solve.order", "4"),
            ("solve.cells", "8"),
            ("output.currents", "true"),
            ("geometry.bodies[0].center", "[\"1 m\", \"0 m\"]"),
        ])
        .unwrap();
        assert!(
            text.starts_with("version = 1\nsolver = \"mom\"\nsolve.order = 4\nsolve.cells = 8 # fast\n"),
            "{text}"
        );
        assert!(text.contains("[output]\ncurrents = true\necho_width"), "{text}");
        assert!(text.contains("{ center = [\"1 m\", \"0 m\"], shape = "), "{text}");
    }

    #[test]
    fn paths_without_a_place_are_refused() {
        for (path, told) in [
            (
                "geometry.bodies[1].radius",
                "`geometry.bodies[1].radius` is not in the case: `geometry.bodies` has no item 1",
            ),
            (
                "source.frequency.from",
                "`source.frequency.from` is not in the case: `source.frequency` is not a table",
            ),
            ("geometry.holes[0].x", "`geometry.holes[0].x` is not in the case: `geometry` has no such list"),
            ("geometry", "`geometry` is a table of the case with its own header"),
        ] {
            assert_eq!(filled(&[(path, "1")]).unwrap_err(), told);
        }
    }
}
