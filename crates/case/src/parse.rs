//! From the text of a case file to a [`Case`].

use crate::error::{CaseError, Report, SourceText};
use crate::model::{Case, SOLVERS, SolverModel, VERSION, check_name};
use crate::outline::{Kind, Node, Step, split_path};
use crate::refine::{Refiner, choose, missing_at_top, top, unknown_key};
use crate::settings::{Setting, settings};
use crate::syntax;
use phasefront_core::FieldError;
use std::ops::Range;
use toml::de::DeTable;

/// The largest file that is read: far above any case written by hand or by a script, and it keeps a file
/// given by mistake from filling the memory.
pub const MAX_BYTES: usize = 16 << 20;

/// The head every case starts with, for messages.
const HEAD: &str = "version = 1\nsolver = \"mom\"\nname = \"my-case\"";

/// The keys at the top of every case, whatever its solver.
const TOP_KEYS: &[&str] = &["version", "solver", "name", "geometry", "source", "solve", "output"];

/// A case together with the text it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseFile {
    /// What the file says, with defaults filled in.
    pub case: Case,
    /// The name and the text of the file.
    pub source: SourceText,
    outline: Node,
}

/// Reads a case from the text of the file `file_name`.
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

/// Reads a case from the bytes of the file `file_name`, which must be UTF-8.
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
                "the file is not UTF-8 text",
                format!("byte 0x{:02X} does not belong here", bytes[at]),
                "save the file as UTF-8 in your editor; if it is not a case file, give the right one",
            );
            Err(report
                .at(&SourceText::new(file_name, &text), at..at + char::REPLACEMENT_CHARACTER.len_utf8()))
        }
    }
}

fn check_size(file_name: &str, bytes: usize) -> Result<(), CaseError> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let report = Report::new(
        format!("the file is {} MB long; a case may have at most {} MB", bytes >> 20, MAX_BYTES >> 20),
        "too long",
        "check that this is the case file and not a mesh or a result",
    );
    // The text is left out: nobody wants to see its first line, and it may be anything.
    Err(report.at(&SourceText::new(file_name, ""), 0..0))
}

/// Checks the keys at the top, which are the same for every solver, and finds the solver.
fn check_head(source: &SourceText, root: &Node) -> Result<&'static SolverModel, CaseError> {
    if ["version", "solver", "name"].iter().all(|key| root.get(key).is_none()) {
        let report = Report::new(
            "this is not a Phasefront case file: it has no `version`, no `solver` and no `name`",
            "a case starts with these",
            format!("start the file with\n{HEAD}"),
        );
        return Err(report.at(source, top(root)));
    }
    // The version goes first: another one may have keys that this one does not know.
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
            format!("version {number} of the case format is not known"),
            "not supported",
            format!(
                "this program reads version {VERSION}: write `version = {VERSION}`, or take a newer program"
            ),
        ),
        _ => Report::new(
            format!("version: expected a whole number, found {}", node.in_words()),
            "expected a whole number",
            format!("write `version = {VERSION}`"),
        ),
    };
    Err(report.at(source, node.span.clone()))
}

fn unknown_solver(node: &Node) -> Report {
    let names: Vec<&str> = SOLVERS.iter().map(|model| model.name).collect();
    let help = choose(node.text().unwrap_or_default(), &names, "solver");
    match node.text() {
        Some(given) => Report::new(format!("unknown solver {given:?}"), "no such solver", help),
        None => Report::new(
            format!("solver: expected a name in quotes, found {}", node.in_words()),
            "expected a name in quotes",
            help,
        ),
    }
}

impl CaseFile {
    /// The bytes of the value at `path` (`geometry.bodies[0].radius`), or of the nearest enclosing table if the
    /// file leaves it out; `None` if it leaves out the whole section.
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

    /// The place for `path`, and the node there unless the file leaves it out.
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

    /// A solver's objection to a field, at its line of this file.
    ///
    /// ```
    /// use phasefront_core::FieldError;
    /// let file = phasefront_case::parse("circle.toml", include_str!("../tests/good/circle.toml")).unwrap();
    /// let objection = FieldError::new("source.frequency", "the frequency is too high", "lower it");
    /// let error = file.error_at(&objection);
    /// assert_eq!((error.line(), error.label(), error.help()), (10, "this value", "lower it"));
    /// ```
    pub fn error_at(&self, error: &FieldError) -> CaseError {
        let (place, given) = self.find(&error.path);
        let label = match (given, split_path(&error.path).pop()) {
            (Some(node), _) => node.label().into(),
            (None, Some(Step::Key(key))) => format!("`{key}` is left out here"),
            (None, _) => "here".into(),
        };
        let report = Report::new(error.to_string(), label, error.advice.clone());
        report.at(&self.source, place.unwrap_or_else(|| top(&self.outline)))
    }

    /// Every setting with its value, defaults filled in.
    ///
    /// ```
    /// let file = phasefront_case::parse("circle.toml", include_str!("../tests/good/circle.toml")).unwrap();
    /// let settings = file.settings();
    /// let precision = settings.iter().find(|s| s.path == "solve.precision").unwrap();
    /// assert_eq!((precision.value.as_str(), precision.is_default), ("\"double\"", true));
    /// ```
    ///
    /// # Panics
    /// Never: a case is made of strings, numbers and tables, which JSON can hold.
    pub fn settings(&self) -> Vec<Setting> {
        let case = serde_json::to_value(&self.case).expect("a case is made of strings, numbers and tables");
        settings(&case, &self.outline)
    }
}
