//! From the text of a sweep file to its keys and values.

use super::values::{MAX_POINTS, SweptKey, is_range, values};
use crate::error::{CaseError, Report, SourceText};
use crate::model::check_name;
use crate::outline::{Key, Kind, Node, Step, join_path, split_path};
use crate::parse::check_size;
use crate::refine::{top, unknown_key};
use crate::syntax;
use std::ops::Range;
use toml::de::DeTable;

const TOP_KEYS: &[&str] = &["case", "name", "values", "together"];

/// Values of a sweep, for messages.
const EXAMPLE: &str =
    "add for example\n[values]\n\"source.frequency\" = { from = \"1 GHz\", to = \"2 GHz\", points = 11 }";

/// What is wrong, and where.
type Fault = (Range<usize>, Report);

/// A sweep file, without the case that it names.
#[derive(Debug, Clone)]
pub struct SweepFile {
    /// File of the case, relative to the sweep file.
    pub case: String,
    /// Name of the result folder, if the file has one.
    pub name: Option<String>,
    pub(super) source: SourceText,
    /// Position of the case's name.
    case_span: Range<usize>,
    pub(super) axes: Vec<Axis>,
}

/// Keys that vary together, with equally many values.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub keys: Vec<SweptKey>,
}

impl Axis {
    pub fn len(&self) -> usize {
        self.keys.first().map_or(1, |key| key.values.len())
    }
}

impl SweepFile {
    /// Reads a sweep from the text of the file `file_name`.
    ///
    /// ```
    /// let error = phasefront_case::SweepFile::parse("sweep.toml", "case = \"a.toml\"\n[values]\nsolve.order = []\n").unwrap_err();
    /// assert_eq!((error.message(), error.line(), error.column()), ("solve.order: the list is empty", 3, 15));
    /// ```
    pub fn parse(file_name: &str, text: &str) -> Result<Self, CaseError> {
        check_size(file_name, text.len())?;
        let source = SourceText::new(file_name, text);
        let root = DeTable::parse(text).map_err(|error| syntax::explain(&source, &error))?;
        sweep(&source, &Node::of_document(&root)).map_err(|(span, report)| report.at(&source, span))
    }

    /// Error about the case that the file names.
    pub fn error_at_case(&self, message: &str, help: &str) -> CaseError {
        Report::new(message, "this case", help).at(&self.source, self.case_span.clone())
    }
}

fn sweep(source: &SourceText, root: &Node) -> Result<SweepFile, Fault> {
    if let Some(solver) = root.get("solver") {
        let help = "run it with `phasefront run`, or write a sweep file: `case = \"...\"` with the name of this file, and [values]";
        return Err((
            solver.span.clone(),
            Report::new("this is a case file, not a sweep file", "a case", help),
        ));
    }
    if let Some((key, _)) = root.entries().iter().find(|(key, _)| !TOP_KEYS.contains(&key.name.as_str())) {
        return Err((key.span.clone(), unknown_key(&key.name, &[], TOP_KEYS, None, &[])));
    }
    let Some(case) = root.get("case") else {
        let help = "add for example `case = \"patch.toml\"`, the case whose keys the sweep varies";
        return Err((
            top(root),
            Report::new("missing key `case` at the top of the file", "no case is named", help),
        ));
    };
    let name = root.get("name").map(|node| {
        let name = text(node, "name", "patch-sizes")?;
        let wrong = |error: phasefront_core::FieldError| {
            (node.span.clone(), Report::new(error.to_string(), node.label(), error.advice))
        };
        check_name(&name).map_err(wrong).map(|()| name)
    });
    let axes = axes(source, root)?;
    Ok(SweepFile {
        case: text(case, "case", "patch.toml")?,
        name: name.transpose()?,
        source: source.clone(),
        case_span: case.span.clone(),
        axes,
    })
}

fn text(node: &Node, key: &str, example: &str) -> Result<String, Fault> {
    node.text().map(str::to_owned).ok_or_else(|| {
        let message = format!("{key}: expected a string in quotes, found {}", node.describe());
        let report =
            Report::new(message, "expected a string", format!("write for example `{key} = \"{example}\"`"));
        (node.span.clone(), report)
    })
}

/// Keys that vary on their own, and those that vary together, in the order of the file.
fn axes(source: &SourceText, root: &Node) -> Result<Vec<Axis>, Fault> {
    let (mut axes, mut total) = (Vec::new(), 0);
    for key in root.get("values").map_or(Ok(Vec::new()), |node| keys(source, node, "values", &mut total))? {
        axes.push(Axis { keys: vec![key] });
    }
    let together = root.get("together");
    match together.map(|node| &node.kind) {
        None => {}
        Some(Kind::Array(items)) => {
            for item in items {
                axes.push(Axis { keys: equally_long(keys(source, item, "together", &mut total)?)? });
            }
        }
        Some(_) => {
            let span = together.map_or(0..0, |node| node.span.clone());
            let help = "write [[together]] above each group of keys that vary together";
            return Err((span, Report::new("together: expected a list of tables", "not a list", help)));
        }
    }
    axes.retain(|axis| !axis.keys.is_empty());
    axes.sort_by_key(|axis| axis.keys[0].span.start);
    if axes.is_empty() {
        let span = root.get("values").map_or_else(|| top(root), |node| node.span.clone());
        return Err((span, Report::new("the sweep has no values", "no values", EXAMPLE)));
    }
    check_distinct(&axes)?;
    check_count(&axes)?;
    Ok(axes)
}

/// The keys of a table with their values, in the order of the file. Keys may be quoted, or dotted, or in tables of their own.
fn keys(source: &SourceText, table: &Node, name: &str, total: &mut usize) -> Result<Vec<SweptKey>, Fault> {
    if !matches!(table.kind, Kind::Table(_)) {
        let message = format!("{name}: expected a table, found {}", table.describe());
        return Err((table.span.clone(), Report::new(message, "expected a table", EXAMPLE)));
    }
    let mut found = Vec::new();
    collect(source, table, "", &mut found, total)?;
    found.sort_by_key(|key| key.span.start);
    Ok(found)
}

fn collect(
    source: &SourceText,
    table: &Node,
    above: &str,
    found: &mut Vec<SweptKey>,
    total: &mut usize,
) -> Result<(), Fault> {
    for (key, node) in table.entries() {
        let path = if above.is_empty() { key.name.clone() } else { format!("{above}.{}", key.name) };
        if matches!(node.kind, Kind::Table(_)) && !is_range(node) {
            collect(source, node, &path, found, total)?;
        } else {
            check_path(key, &path)?;
            let values = values(source, &path, node)?;
            *total += values.len();
            if *total > MAX_POINTS {
                let message = format!("the lists of the sweep have more than {MAX_POINTS} values");
                let report =
                    Report::new(message, "too many with this list", "shorten them, or divide the sweep");
                return Err((key.span.clone(), report));
            }
            found.push(SweptKey { values, path, span: key.span.clone() });
        }
    }
    Ok(())
}

fn check_path(key: &Key, path: &str) -> Result<(), Fault> {
    let steps = split_path(path);
    if join_path(&steps) == path && matches!(steps.first(), Some(Step::Key(_))) {
        return Ok(());
    }
    let report = Report::new(
        format!("{path:?} is not the path of a key"),
        "not a path",
        "write it as `phasefront check` prints it, in quotes: \"geometry.bodies[0].radius\"",
    );
    Err((key.span.clone(), report))
}

fn equally_long(keys: Vec<SweptKey>) -> Result<Vec<SweptKey>, Fault> {
    if let [first, rest @ ..] = &keys[..]
        && let Some(other) = rest.iter().find(|key| key.values.len() != first.values.len())
    {
        let message = format!(
            "`{}` and `{}` have {} and {} values",
            first.path,
            other.path,
            first.values.len(),
            other.values.len()
        );
        let help =
            "lists under one [[together]] vary together: make them equally long, or move one to [values]";
        return Err((other.span.clone(), Report::new(message, "different number of values", help)));
    }
    Ok(keys)
}

/// A key has one list, and no list for a part of it.
fn check_distinct(axes: &[Axis]) -> Result<(), Fault> {
    let keys: Vec<&SweptKey> = axes.iter().flat_map(|axis| &axis.keys).collect();
    for (i, key) in keys.iter().enumerate() {
        for other in &keys[..i] {
            let (steps, known) = (split_path(&key.path), split_path(&other.path));
            if steps == known {
                let message = format!("`{}` has two lists of values", key.path);
                return Err((
                    key.span.clone(),
                    Report::new(message, "the second list", "remove one of them"),
                ));
            }
            if steps.starts_with(&known) || known.starts_with(&steps) {
                let message = format!("`{}` and `{}` set the same part of the case", other.path, key.path);
                let help = "give values to the one or to the other";
                return Err((key.span.clone(), Report::new(message, "one contains the other", help)));
            }
        }
    }
    Ok(())
}

fn check_count(axes: &[Axis]) -> Result<(), Fault> {
    let mut points = 1_usize;
    for axis in axes {
        points = points.saturating_mul(axis.len());
        if points > MAX_POINTS {
            let message = format!("the sweep has more than {MAX_POINTS} points");
            let help = "every combination of the lists is a point: shorten them, or divide the sweep";
            return Err((axis.keys[0].span.clone(), Report::new(message, "too many with this list", help)));
        }
    }
    Ok(())
}
