//! One point of a sweep: its folder, before, during and after its run.

use crate::checkpoint::{Header, SOFTWARE};
use crate::error::RunError;
use crate::input::InputFolder;
use crate::options::Options;
use crate::run::{Outcome, Request, run_case};
use phasefront_case::CaseFile;
use phasefront_core::Progress;
use phasefront_report::{
    Checkpoint, FolderState, IndexMap, OutputFolder, RESULT_FILE, ReportError, RunResult, replace_file,
};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The record of a run that failed.
const FAILURE_FILE: &str = "error.json";

/// The state of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It has a result.
    Done,
    /// It ended with an error.
    Failed,
    /// It was begun: it runs, or was interrupted.
    Unfinished,
    /// It was not begun.
    Missing,
}

impl Status {
    /// As tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unfinished => "unfinished",
            Self::Missing => "missing",
        }
    }
}

/// What is known of a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointState {
    /// Its number, from 0.
    pub index: usize,
    /// Its values by their paths, without quotes.
    pub values: IndexMap<String, String>,
    /// How far it is.
    pub status: Status,
    /// Metrics of its result.
    pub metrics: IndexMap<String, f64>,
    /// Number of warnings of its result.
    pub warnings: usize,
    /// Its result folder.
    pub folder: PathBuf,
    /// Why it failed, or what its folder has instead.
    pub message: Option<String>,
}

/// The file `error.json`.
#[derive(Serialize, Deserialize)]
struct Failure {
    message: String,
    advice: Option<String>,
    /// The case that failed.
    case: String,
}

/// What a result or a checkpoint was computed from.
struct Basis {
    case: String,
    software: String,
    /// Digests of input files by their names.
    inputs: BTreeMap<String, String>,
}

impl Basis {
    /// Why it is not that of a point with the case `text`. Files that are not there any more cannot be compared.
    fn difference(&self, text: &str, inputs: &InputDigests<'_>) -> Option<String> {
        if self.case != text {
            return Some("contains a different case than the sweep".into());
        }
        let is_other =
            |(file, digest): &(&String, &String)| inputs.now(file).is_some_and(|now| now != **digest);
        if let Some((file, _)) = self.inputs.iter().find(is_other) {
            return Some(format!("was computed from a different {file}: the file has changed since then"));
        }
        (self.software != SOFTWARE)
            .then(|| format!("was computed by {}, and this is {SOFTWARE}", self.software))
    }
}

/// The digests of input files as they are now. Each is read once for all points.
pub(super) struct InputDigests<'a> {
    folder: &'a Path,
    known: RefCell<BTreeMap<String, Option<String>>>,
}

impl<'a> InputDigests<'a> {
    /// Of files in the folder of a case.
    pub fn new(folder: &'a Path) -> Self {
        Self { folder, known: RefCell::default() }
    }

    fn now(&self, file: &str) -> Option<String> {
        let read = || InputFolder::new(self.folder).digest(file);
        self.known.borrow_mut().entry(file.to_owned()).or_insert_with(read).clone()
    }
}

/// What a folder has of a run.
pub(super) struct Record {
    state: Option<FolderState>,
    /// Where it is known.
    basis: Option<Basis>,
    /// The result, or why it cannot be read.
    result: Option<Result<RunResult, ReportError>>,
    failure: Option<Failure>,
}

impl Record {
    pub fn of(folder: &Path) -> Result<Self, RunError> {
        let state = FolderState::of(folder);
        let (mut basis, mut result) = (None, None);
        match state {
            Some(FolderState::Finished) => {
                let text = read_if_there(&folder.join(RESULT_FILE))?.unwrap_or_default();
                let read = RunResult::from_json(&text);
                let (software, inputs) = read.as_ref().map_or_else(
                    |_| (SOFTWARE.to_owned(), BTreeMap::new()),
                    |read| (read.software.clone(), read.inputs.clone().into_iter().collect()),
                );
                // A result without its case is not that of any point.
                let case = read_if_there(&folder.join("case.toml"))?.unwrap_or_default();
                (basis, result) = (Some(Basis { case, software, inputs }), Some(read));
            }
            // One that cannot be read is reported when the point is resumed.
            Some(_) if has_checkpoint(folder)? => {
                let header = Header::read(&OutputFolder::unfinished_in(folder)).ok();
                basis = header.map(|Header { case, identity, .. }| Basis {
                    case,
                    software: identity.software,
                    inputs: identity.inputs,
                });
            }
            _ => {}
        }
        let failure = read_if_there(&folder.join(FAILURE_FILE))?;
        // A record that cannot be read is replaced by the next one.
        let failure = failure.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Self { state, basis, result, failure })
    }

    pub fn is_done(&self) -> bool {
        self.state == Some(FolderState::Finished) && self.failure.is_none()
    }

    /// Why what the folder has is not of a point with the case `text`.
    pub fn difference(&self, text: &str, inputs: &InputDigests<'_>) -> Option<String> {
        self.basis.as_ref().and_then(|basis| basis.difference(text, inputs))
    }
}

impl PointState {
    pub(super) fn of(
        index: usize,
        folder: PathBuf,
        (text, inputs): (&str, &InputDigests<'_>),
        values: IndexMap<String, String>,
    ) -> Result<Self, RunError> {
        let record = Record::of(&folder)?;
        let mut point = Self {
            index,
            values,
            status: Status::Missing,
            metrics: IndexMap::new(),
            warnings: 0,
            folder,
            message: None,
        };
        // What a folder has of another case or other files is not of this point.
        let difference = record.difference(text, inputs);
        match (record.failure.filter(|failure| failure.case == text), difference, record.result) {
            (Some(failure), ..) => {
                point.status = Status::Failed;
                point.message = Some(failure.message);
            }
            (None, Some(difference), _) => point.message = Some(format!("its folder {difference}")),
            (None, None, Some(Ok(result))) => {
                point.status = Status::Done;
                point.metrics = result.metrics;
                point.warnings = result.warnings.len();
            }
            (None, None, Some(Err(error))) => {
                point.status = Status::Failed;
                point.message = Some(error.to_string());
            }
            (None, None, None) if record.state.is_some() => point.status = Status::Unfinished,
            (None, None, None) => {}
        }
        Ok(point)
    }
}

/// Runs a point, or resumes it.
pub(super) fn run(
    file: &CaseFile,
    origin: &Path,
    folder: &Path,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome, RunError> {
    forget_failure(folder)?;
    let header = if !options.force && has_checkpoint(folder)? {
        Some(Header::read(&OutputFolder::unfinished_in(folder))?)
    } else {
        None
    };
    let options = Options { out: Some(folder.to_owned()), ..options.clone() };
    // References beside the case are those of its own values.
    let request = Request { file, origin, expected: None };
    run_case(&request, header.as_ref(), &options, progress)
}

/// Leaves the error of a run in its folder.
pub(super) fn record_failure(folder: &Path, file: &CaseFile, error: &RunError) -> Result<(), RunError> {
    let (message, advice) = (error.to_string(), error.advice());
    let failure = Failure { message, advice, case: file.source.text.to_string() };
    // Text always serializes.
    let text = serde_json::to_string_pretty(&failure).unwrap_or_default();
    Ok(replace_file(&folder.join(FAILURE_FILE), text.as_bytes())?)
}

fn forget_failure(folder: &Path) -> Result<(), RunError> {
    let path = folder.join(FAILURE_FILE);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(RunError::Read { path, error: error.to_string() })
        }
        _ => Ok(()),
    }
}

fn has_checkpoint(folder: &Path) -> Result<bool, RunError> {
    Ok(folder.is_dir() && Checkpoint::of(&OutputFolder::unfinished_in(folder)).header()?.is_some())
}

fn read_if_there(path: &Path) -> Result<Option<String>, RunError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RunError::Read { path: path.into(), error: error.to_string() }),
    }
}
