//! Checkpoints of long runs: one mechanism for all solvers.
//!
//! The header identifies what a checkpoint belongs to: the solver, a hash of the problem, and the
//! digest of every input file. The records are [`State`]s of the solver, with a checksum each
//! (`report::Checkpoint`).

use crate::error::RunError;
use crate::input::{InputFolder, hexadecimal};
use crate::options::Format;
use phasefront_core::Progress;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_report::{Checkpoint, ReportError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Write};
use std::path::{Path, PathBuf};

/// Version of the header and of the framing of states in records.
const VERSION: u32 = 1;

/// Identity of the run that a checkpoint belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    solver: String,
    /// SHA-256 of the problem in SI values: the same for any spelling, units and comments of the case.
    problem: String,
    /// SHA-256 of each input file, by its name in the case.
    inputs: BTreeMap<String, String>,
}

/// Hashes text as it is formatted, without holding it.
struct HashText(Sha256);

impl Write for HashText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

impl Identity {
    /// Of a problem, by all of its values, and of the input files that were read for it.
    pub(crate) fn of(solver: &str, problem: &dyn Debug, inputs: &InputFolder) -> Self {
        let mut hash = HashText(Sha256::new());
        // The debug text has every field of the problem, numbers with all of their digits. Writing to a hash cannot fail.
        let _ = write!(hash, "{problem:?}");
        Self { solver: solver.into(), problem: hexadecimal(&hash.0.finalize()), inputs: inputs.digests() }
    }

    /// Why a checkpoint of `self` cannot be resumed by `now`.
    fn difference(&self, now: &Self) -> Option<String> {
        if self.solver != now.solver {
            return Some(format!(
                "its checkpoint is one of the solver \"{}\", and its case one of \"{}\"",
                self.solver, now.solver
            ));
        }
        // Files first: a changed file usually changes the problem hash too, and its name is the
        // better message.
        let names = self.inputs.keys().chain(now.inputs.keys());
        let mut changed: Vec<&str> = names
            .filter(|name| self.inputs.get(*name) != now.inputs.get(*name))
            .map(String::as_str)
            .collect();
        changed.sort_unstable();
        changed.dedup();
        if !changed.is_empty() {
            let files = if changed.len() == 1 { "the input file" } else { "the input files" };
            return Some(format!("{files} {} changed since the run was started", changed.join(", ")));
        }
        (self.problem != now.problem).then(|| "its case.toml changed since the run was started".into())
    }
}

/// The file `checkpoint.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    version: u32,
    identity: Identity,
    /// Folder of the case file: its input files and reference values are there.
    pub case_folder: PathBuf,
    /// File format of arrays.
    pub format: Format,
}

impl Header {
    /// The header of the checkpoint in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, RunError> {
        let refused = |message: String| RunError::Resume { folder: folder.into(), message };
        let text = Checkpoint::of(folder).header()?.ok_or_else(|| refused("it has no checkpoint".into()))?;
        // The version is read before the fields, which another version may have renamed.
        let version = serde_json::from_str::<serde_json::Value>(&text)
            .map_err(|error| refused(format!("its checkpoint is damaged: {error}")))?["version"]
            .as_u64();
        match version {
            Some(version) if version != u64::from(VERSION) => Err(refused(other_version(version, VERSION))),
            _ => serde_json::from_str(&text)
                .map_err(|error| refused(format!("its checkpoint is damaged: {error}"))),
        }
    }
}

fn other_version(found: u64, known: u32) -> String {
    format!("its checkpoint has format version {found}, and this version of Phasefront reads version {known}")
}

/// Where a solver saves its state, and the state to resume from.
pub(crate) struct Checkpoints<'a> {
    folder: &'a Path,
    files: Checkpoint,
    resumes: bool,
}

impl<'a> Checkpoints<'a> {
    /// For a run in `folder` that writes none.
    pub(crate) fn none(folder: &'a Path) -> Self {
        Self { folder, files: Checkpoint::of(folder), resumes: false }
    }

    /// Starts the checkpoint of a new run of a case from `case_folder`.
    pub(crate) fn start(
        folder: &'a Path,
        identity: Identity,
        case_folder: &Path,
        format: Format,
    ) -> Result<Self, RunError> {
        // Absolute, so that a later run finds it from any working directory.
        let case_folder = std::path::absolute(case_folder).unwrap_or_else(|_| case_folder.to_owned());
        let header = Header { version: VERSION, identity, case_folder, format };
        let text = serde_json::to_string_pretty(&header).map_err(|error| ReportError::Io {
            action: "write",
            path: folder.join("checkpoint.json"),
            source: std::io::Error::other(error),
        })?;
        let checkpoints = Self::none(folder);
        checkpoints.files.write_header(&text)?;
        Ok(checkpoints)
    }

    /// Continues the checkpoint of an interrupted run, unless it belongs to something else.
    pub(crate) fn resume(folder: &'a Path, header: &Header, identity: &Identity) -> Result<Self, RunError> {
        let checkpoints = Self { resumes: true, ..Self::none(folder) };
        match header.identity.difference(identity) {
            Some(difference) => Err(checkpoints.refusal(difference)),
            None => Ok(checkpoints),
        }
    }

    /// Saves a state in place of an older one.
    pub(crate) fn replace<S: State>(&self, state: &S) -> Result<(), ReportError> {
        self.files.replace(&framed(state).parts())
    }

    /// Appends a record of finished work; `flush` waits until it is on the disk.
    pub(crate) fn append<S: State>(&self, state: &S, flush: bool) -> Result<(), ReportError> {
        self.files.append(&framed(state).parts(), flush)
    }

    /// The state to resume from; none for a new run, and for one that was interrupted before it saved any.
    pub(crate) fn state<S: State>(&self) -> Result<Option<S>, RunError> {
        if !self.resumes {
            return Ok(None);
        }
        let records = self.files.records()?;
        let damaged = || self.refusal("checkpoint.bin is damaged: it was truncated or changed");
        // A single record that was replaced atomically is complete or was damaged later: do not
        // guess.
        if records.damaged_bytes() > 0 {
            return Err(damaged());
        }
        records.iter().next().map(|payload| self.read(payload)?.ok_or_else(damaged)).transpose()
    }

    /// Passes the records of finished work to `accept`, until one is damaged or not accepted; that
    /// one and those after it are dropped.
    pub(crate) fn pieces<S: State>(
        &self,
        progress: &Progress,
        mut accept: impl FnMut(S) -> bool,
    ) -> Result<(), RunError> {
        if !self.resumes {
            return Ok(());
        }
        let records = self.files.records()?;
        let mut accepted = 0;
        for payload in records.iter() {
            if !self.read(payload)?.is_some_and(&mut accept) {
                break;
            }
            accepted += 1;
        }
        if records.damaged_bytes() > 0 || accepted < records.iter().count() {
            progress.warn("the end of checkpoint.bin is damaged; the work saved there is repeated");
        }
        // Cut before appending: records after a damaged one would never be read again.
        Ok(self.files.truncate(&records, accepted)?)
    }

    /// The state in a record; none if it is not one.
    fn read<S: State>(&self, payload: &[u8]) -> Result<Option<S>, RunError> {
        let mut reader = StateReader::new(payload);
        match reader.integer() {
            Some(version) if version != u64::from(S::VERSION) => {
                Err(self.refusal(other_version(version, S::VERSION)))
            }
            // Surplus bytes mean another layout: not a state of this version.
            _ => Ok(S::read(&mut reader).filter(|_| reader.is_empty())),
        }
    }

    /// Why the run cannot be resumed.
    pub(crate) fn refusal(&self, message: impl Into<String>) -> RunError {
        RunError::Resume { folder: self.folder.into(), message: message.into() }
    }
}

/// A state after its version.
fn framed<S: State>(state: &S) -> StateWriter<'_> {
    let mut out = StateWriter::default();
    out.integer(S::VERSION.into());
    state.write(&mut out);
    out
}
