//! What a stopped run leaves to go on from: the solver's state, and where the case came from.

use crate::error::RunError;
use crate::options::Format;
use phasefront_report::{OutputFolder, ReportError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The file `checkpoint.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Saved<S> {
    /// Folder of the case file: the files that it names, and its references, are there.
    pub case_folder: PathBuf,
    /// How its arrays are to be written.
    #[serde(default)]
    pub format: Format,
    /// The solver's own.
    pub state: S,
}

/// Where a solver keeps its checkpoints, and the one to go on from.
pub(crate) struct Checkpoints<'a> {
    folder: &'a OutputFolder,
    case_folder: PathBuf,
    format: Format,
    /// The state to go on from; none for a new run.
    pub resume: Option<Value>,
}

impl<'a> Checkpoints<'a> {
    /// For a run of a case from `case_folder` into `folder`.
    pub(crate) fn new(
        folder: &'a OutputFolder,
        case_folder: &Path,
        format: Format,
        resume: Option<Value>,
    ) -> Self {
        // To be found from any working directory later.
        let case_folder = std::path::absolute(case_folder).unwrap_or_else(|_| case_folder.to_owned());
        Self { folder, case_folder, format, resume }
    }

    /// Keeps a state in the place of an older one.
    pub(crate) fn save(&self, state: &impl Serialize) -> Result<(), ReportError> {
        let saved = Saved { case_folder: self.case_folder.clone(), format: self.format, state };
        let text = serde_json::to_string(&saved).map_err(|error| ReportError::Io {
            action: "write",
            path: self.folder.path().join("checkpoint.json"),
            source: std::io::Error::other(error),
        })?;
        self.folder.write_checkpoint(&text)
    }

    /// Keeps a piece of finished work, a line of text, beside the state; `flush` waits until it is on the disk.
    pub(crate) fn append(&self, line: &str, flush: bool) -> Result<(), ReportError> {
        self.folder.append_to_log(line, flush)
    }

    /// Hands the pieces of finished work to `take`, until it refuses one.
    pub(crate) fn finished(&self, take: impl FnMut(&str) -> bool) -> Result<(), ReportError> {
        self.folder.open_log(take)
    }

    /// Keeps numbers beside the state, in the place of older ones: `parts`, one after the other.
    pub(crate) fn save_data(&self, parts: &[&[u8]]) -> Result<(), ReportError> {
        self.folder.write_checkpoint_data(parts)
    }

    /// The numbers beside the state to go on from.
    pub(crate) fn data(&self) -> Result<Option<Vec<u8>>, ReportError> {
        if self.resume.is_some() { self.folder.read_checkpoint_data() } else { Ok(None) }
    }

    /// Why the run cannot go on from what is kept.
    pub(crate) fn refusal(&self, message: impl Into<String>) -> RunError {
        RunError::Resume { folder: self.folder.path().into(), message: message.into() }
    }
}

/// The checkpoint in a folder.
pub(crate) fn read(folder: &Path) -> Result<Saved<Value>, RunError> {
    let wrong = |message: String| RunError::Resume { folder: folder.into(), message };
    let text = OutputFolder::read_checkpoint(folder)?.ok_or_else(|| wrong("it has no checkpoint".into()))?;
    serde_json::from_str(&text).map_err(|error| wrong(format!("its checkpoint is damaged: {error}")))
}
