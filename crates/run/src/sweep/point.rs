//! One point of a sweep: its folder, before, during and after its run.

use crate::checkpoint::Header;
use crate::error::RunError;
use crate::options::Options;
use crate::run::{Outcome, Request, run_case};
use phasefront_case::CaseFile;
use phasefront_core::Progress;
use phasefront_report::{
    Checkpoint, FolderState, IndexMap, OutputFolder, RESULT_FILE, RunResult, replace_file,
};
use serde::{Deserialize, Serialize};
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
    /// Why it failed.
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

/// What a folder has of a run.
pub(super) struct Record {
    state: Option<FolderState>,
    /// The case of the run, where it is known.
    pub case: Option<String>,
    failure: Option<Failure>,
}

impl Record {
    pub fn of(folder: &Path) -> Result<Self, RunError> {
        let state = FolderState::of(folder);
        let case = match state {
            // A result without its case is not that of any point.
            Some(FolderState::Finished) => {
                Some(read_if_there(&folder.join("case.toml"))?.unwrap_or_default())
            }
            // One that cannot be read is reported when the point is resumed.
            Some(_) if has_checkpoint(folder)? => {
                Header::read(&OutputFolder::unfinished_in(folder)).ok().map(|header| header.case)
            }
            _ => None,
        };
        let failure = read_if_there(&folder.join(FAILURE_FILE))?;
        // A record that cannot be read is replaced by the next one.
        let failure = failure.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Self { state, case, failure })
    }

    pub fn is_done(&self) -> bool {
        self.state == Some(FolderState::Finished) && self.failure.is_none()
    }
}

impl PointState {
    pub(super) fn of(
        index: usize,
        folder: PathBuf,
        text: &str,
        values: IndexMap<String, String>,
    ) -> Result<Self, RunError> {
        let record = Record::of(&folder)?;
        let is_own = |case: &str| case == text;
        let mut point = Self {
            index,
            values,
            status: Status::Missing,
            metrics: IndexMap::new(),
            warnings: 0,
            folder,
            message: None,
        };
        // What a folder has of another case is not of this point.
        let state = record.state.filter(|_| record.case.as_deref().is_none_or(is_own));
        match (record.failure.filter(|failure| is_own(&failure.case)), state) {
            (Some(failure), _) => {
                point.status = Status::Failed;
                point.message = Some(failure.message);
            }
            (None, Some(FolderState::Finished)) => {
                let text = read_if_there(&point.folder.join(RESULT_FILE))?.unwrap_or_default();
                match RunResult::from_json(&text) {
                    Ok(result) => {
                        point.status = Status::Done;
                        point.metrics = result.metrics;
                        point.warnings = result.warnings.len();
                    }
                    Err(error) => {
                        point.status = Status::Failed;
                        point.message = Some(error.to_string());
                    }
                }
            }
            (None, Some(_)) => point.status = Status::Unfinished,
            (None, None) => {}
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
