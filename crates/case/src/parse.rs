//! Parsing of case files.

use crate::error::{CaseError, Report, SourceText};
use crate::model::{Case, SOLVERS, SolverModel, VERSION, check_name};
use crate::outline::{Kind, Node, Step, split_path};
use crate::refine::{Refiner, choose, missing_at_top, top, unknown_key};
use crate::settings::{Setting, settings};
use crate::si_values::si_values;
use crate::syntax;
use phasefront_core::FieldError;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::DeTable;

/// Maximum size of a case file, far above that of any real case; it prevents a wrong file from exhausting the
/// memory.
pub const MAX_BYTES: usize = 16 << 20;

/// First keys of a case, for messages.
const HEAD: &str = "version = 1\nsolver = \"mom\"\nname = \"my-case\"";

/// Top-level keys of all cases.
const TOP_KEYS: &[&str] = &["version", "solver", "name", "geometry", "source", "solve", "output"];

/// Case with its source text.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseFile {
    /// The case, with defaults resolved.
    pub case: Case,
    /// Name and text of the file.
    pub source: SourceText,
    outline: Node,
}

/// Parses a case from the text of the file `file_name`.
///
/// ```
/// let error = phasefront_case::parse("my.toml", "version = 1\n").unwrap_err();
/// assert_eq!(error.to_string(), "missing key `solver` at the top of the file");
/// ```
pub fn parse(file_name: &str, text: &str) -> Result<CaseFile, CaseError> {
    let source = SourceText::new(file_name, text);
    check_size(file_name, text.len())?;
    let root = DeTable::parse(text).map_err(|e| syntax::explain(&source, &e))?;
    let outline = Node::of_document(&root);
    let model = check_head(&source, &outline)?;
    let mut case =
        (model.read)(root).map_err(|e| Refiner { source: &source, outline: &outline, model }.explain(&e))?;
    let checked = check_name(case.name()).and_then(|()| case.complete());
    let file = CaseFile { case, source, outline };
    checked.map_err(|e| file.error_at(&e)).map(|()| file)
}

/// Parses a case from the bytes of the file `file_name`, which must be UTF-8.
///
/// ```
/// let error = phasefront_case::parse_bytes("my.toml", b"version = 1\nname = \"\xff\"\n").unwrap_err();
/// assert_eq!((error.line(), error.column()), (2, 9));
/// ```
pub fn parse_bytes(file_name: &str, bytes: &[u8]) -> Result<CaseFile, CaseError> {
    check_size(file_name, bytes.len())?;
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(file_name, text),
        Err(error) => {
            let at = error.valid_up_to();
            let text = String::from_utf8_lossy(bytes);
            let report = Report::new(
                "the file is not valid UTF-8",
                format!("invalid byte 0x{:02X}", bytes[at]),
                "save the file with UTF-8 encoding, and check that it is a case file",
            );
            Err(report
                .at(&SourceText::new(file_name, &text), at..at + char::REPLACEMENT_CHARACTER.len_utf8()))
        }
    }
}

pub(crate) fn check_size(file_name: &str, bytes: usize) -> Result<(), CaseError> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let report = Report::new(
        format!(
            "the file size is {} MB, above the limit of {} MB for case files",
            bytes >> 20,
            MAX_BYTES >> 20
        ),
        "too large",
        "check that this is a case file, not a mesh or a result",
    );
    // The text is omitted: its first line is not informative.
    Err(report.at(&SourceText::new(file_name, ""), 0..0))
}

/// Checks the top-level keys, common to all solvers, and finds the solver.
fn check_head(source: &SourceText, root: &Node) -> Result<&'static SolverModel, CaseError> {
    if let (Some(case), None) = (root.get("case"), root.get("solver")) {
        let report = Report::new(
            "this is a sweep file, not a case file",
            "the case of a sweep",
            "run it with `phasefront sweep`; `phasefront sweep FILE --dry-run` checks it",
        );
        return Err(report.at(source, case.span.clone()));
    }
    if ["version", "solver", "name"].iter().all(|key| root.get(key).is_none()) {
        let report = Report::new(
            "this is not a Phasefront case file: `version`, `solver` and `name` are missing",
            "expected `version`, `solver` and `name`",
            format!("start the file with\n{HEAD}"),
        );
        return Err(report.at(source, top(root)));
    }
    // The version is checked first: other versions may have other keys.
    root.get("version").map_or(Ok(()), |node| check_version(source, node))?;
    let solver = root.get("solver").and_then(Node::text);
    let model = SOLVERS.iter().find(|model| Some(model.name) == solver);
    if let Some((key, _)) = root.entries().iter().find(|(key, _)| !TOP_KEYS.contains(&key.name.as_str())) {
        let examples = model.unwrap_or(&SOLVERS[0]).examples;
        return Err(unknown_key(&key.name, &[], TOP_KEYS, None, examples).at(source, key.span.clone()));
    }
    let missing = ["version", "solver"].into_iter().find(|key| root.get(key).is_none());
    match (missing, root.get("solver")) {
        (None, Some(node)) => model.ok_or_else(|| unknown_solver(node).at(source, node.span.clone())),
        (key, _) => Err(missing_at_top(key.unwrap_or("solver")).at(source, top(root))),
    }
}

fn check_version(source: &SourceText, node: &Node) -> Result<(), CaseError> {
    let report = match &node.kind {
        Kind::Number(number) if *number == VERSION.to_string() => return Ok(()),
        Kind::Number(number) if number.parse::<u64>().is_ok() => Report::new(
            format!("version {number} of the case-file format is not supported"),
            "not supported",
            format!("write `version = {VERSION}`, the version this program supports, or use a newer program"),
        ),
        _ => Report::new(
            format!("version: expected an integer, found {}", node.describe()),
            "expected an integer",
            format!("write `version = {VERSION}`"),
        ),
    };
    Err(report.at(source, node.span.clone()))
}

fn unknown_solver(node: &Node) -> Report {
    let names: Vec<&str> = SOLVERS.iter().map(|model| model.name).collect();
    let help = choose(node.text().unwrap_or_default(), &names, "solver");
    match node.text() {
        Some(given) => Report::new(format!("unknown solver {given:?}"), "not a solver", help),
        None => Report::new(
            format!("solver: expected a string in quotes, found {}", node.describe()),
            "expected a string in quotes",
            help,
        ),
    }
}

impl CaseFile {
    /// Byte range of the value at `path` (`geometry.bodies[0].radius`), or of the nearest enclosing table if the file
    /// does not set it; `None` if the file does not contain the section.
    ///
    /// ```
    /// let file = phasefront_case::parse("circle.toml", include_str!("../tests/good/circle.toml")).unwrap();
    /// let span = file.locate("geometry.bodies[0].radius").unwrap();
    /// assert_eq!(&file.source.text[span], "\"1 m\"");
    /// assert_eq!(&file.source.text[file.locate("solve.precision").unwrap()], "[solve]");
    /// ```
    pub fn locate(&self, path: &str) -> Option<Range<usize>> {
        self.find(path).0
    }

    /// The outline of the text.
    pub(crate) fn outline(&self) -> &Node {
        &self.outline
    }

    /// Span for `path`, and its node if the file sets it.
    fn find(&self, path: &str) -> (Option<Range<usize>>, Option<&Node>) {
        let (mut node, mut table) = (&self.outline, None);
        for step in split_path(path) {
            let Some(below) = node.step(&step) else {
                return (table, None);
            };
            node = below;
            if matches!(node.kind, Kind::Table(_)) {
                table = Some(node.span.clone());
            }
        }
        (Some(node.span.clone()), Some(node))
    }

    /// Locates a solver's error about a field in this file.
    ///
    /// ```
    /// use phasefront_core::FieldError;
    /// let file = phasefront_case::parse("circle.toml", include_str!("../tests/good/circle.toml")).unwrap();
    /// let invalid = FieldError::new("source.frequency", "the frequency is too high", "lower it");
    /// let error = file.error_at(&invalid);
    /// assert_eq!((error.line(), error.label(), error.help()), (10, "this value", "lower it"));
    /// ```
    pub fn error_at(&self, error: &FieldError) -> CaseError {
        let (span, given) = self.find(&error.path);
        let label = match (given, split_path(&error.path).pop()) {
            (Some(node), _) => node.label().into(),
            (None, Some(Step::Key(key))) => format!("`{key}` is not set here"),
            (None, _) => "here".into(),
        };
        let report = Report::new(error.to_string(), label, error.advice.clone());
        report.at(&self.source, span.unwrap_or_else(|| top(&self.outline)))
    }

    /// All settings with their values, including defaults.
    ///
    /// ```
    /// let file = phasefront_case::parse("circle.toml", include_str!("../tests/good/circle.toml")).unwrap();
    /// let settings = file.settings();
    /// let precision = settings.iter().find(|s| s.path == "solve.precision").unwrap();
    /// assert_eq!((precision.value.as_str(), precision.is_default), ("\"double\"", true));
    /// ```
    ///
    /// # Panics
    /// Never: a case contains only strings, numbers, booleans, lists and tables, which JSON can represent.
    pub fn settings(&self) -> Vec<Setting> {
        let case = serde_json::to_value(&self.case).expect("a case can be represented in JSON");
        settings(&case, &self.outline)
    }

    /// Every value of the case by its path, quantities in SI units: equal for all spellings of one problem.
    ///
    /// # Panics
    /// Never, as [`CaseFile::settings`].
    pub fn si_values(&self) -> BTreeMap<String, String> {
        si_values(&serde_json::to_value(&self.case).expect("a case can be represented in JSON"))
    }
}
