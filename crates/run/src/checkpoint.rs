//! Checkpoints of long runs: one mechanism for all solvers.
//!
//! The header identifies what a checkpoint belongs to: the program, the solver, every value of the
//! case in SI units, and the digest of every input file. Their hash, the fingerprint, stands in every
//! record. The records are [`State`]s of the solver, with a checksum each (`report::Checkpoint`).

use crate::error::RunError;
use crate::input::{InputFolder, hexadecimal};
use crate::options::Format;
use phasefront_case::CaseFile;
use phasefront_core::Progress;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_report::{Checkpoint, ReportError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Version of the header and of the framing of states in records.
const VERSION: u32 = 2;

/// This program and its version.
pub(crate) const SOFTWARE: &str = concat!("phasefront ", env!("CARGO_PKG_VERSION"));

/// Identity of the run that a checkpoint belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Program and version: another one may translate the same case into another problem.
    pub software: String,
    solver: String,
    /// Every value of the case, defaults included, in SI units: the same for any spelling, units and comments.
    values: BTreeMap<String, String>,
    /// SHA-256 of each input file, by its name in the case.
    pub inputs: BTreeMap<String, String>,
}

impl Identity {
    /// Of a case, and of the input files that were read for it.
    pub(crate) fn of(file: &CaseFile, inputs: &InputFolder) -> Self {
        Self {
            software: SOFTWARE.into(),
            solver: file.case.solver().into(),
            values: file.si_values(),
            inputs: inputs.digests(),
        }
    }

    /// SHA-256 over everything, each part with its length.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        add(&self.software);
        add(&self.solver);
        for map in [&self.values, &self.inputs] {
            add(&map.len().to_string());
            for (name, value) in map {
                add(name);
                add(value);
            }
        }
        hexadecimal(&hash.finalize())
    }

    /// Why a checkpoint of `self` cannot be resumed by `now`.
    fn difference(&self, now: &Self) -> Option<String> {
        if self.solver != now.solver {
            return Some(format!(
                "its checkpoint belongs to the solver \"{}\", and its case to \"{}\"",
                self.solver, now.solver
            ));
        }
        if self.software != now.software {
            return Some(format!("it was started by {}, and this is {}", self.software, now.software));
        }
        let files = changed(&self.inputs, &now.inputs);
        if !files.is_empty() {
            let what = if files.len() == 1 { "the input file" } else { "the input files" };
            return Some(format!("{what} {} changed since the run was started", files.join(", ")));
        }
        let keys = changed(&self.values, &now.values);
        (!keys.is_empty())
            .then(|| format!("its case.toml changed since the run was started: {}", keys.join(", ")))
    }
}

/// The names whose values differ.
fn changed<'a>(old: &'a BTreeMap<String, String>, new: &'a BTreeMap<String, String>) -> Vec<&'a str> {
    let mut names: Vec<&str> = old
        .keys()
        .chain(new.keys())
        .filter(|name| old.get(*name) != new.get(*name))
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The file `checkpoint.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    version: u32,
    /// Hash of the identity: an edited header is noticed, and records of another run do not fit.
    fingerprint: String,
    pub identity: Identity,
    /// Folder of the case file: its input files and reference values are there.
    pub case_folder: PathBuf,
    /// File format of arrays.
    pub format: Format,
    /// The text of the case, in case that `case.toml` is lost.
    pub case: String,
}

impl Header {
    /// The header of the checkpoint in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, RunError> {
        let refused =
            |message: String| RunError::Resume { folder: folder.into(), message, on_all_ranks: false };
        let text = Checkpoint::of(folder).header()?.ok_or_else(|| {
            refused("checkpoint.json is missing: no work was saved, or the file was removed".into())
        })?;
        let damaged = |error: &dyn std::fmt::Display| refused(format!("checkpoint.json is damaged: {error}"));
        // The version is read before the fields, which another version may have renamed.
        let version =
            serde_json::from_str::<serde_json::Value>(&text).map_err(|error| damaged(&error))?["version"]
                .as_u64();
        match version {
            Some(version) if version != u64::from(VERSION) => Err(refused(other_version(version, VERSION))),
            _ => {
                let header: Self = serde_json::from_str(&text).map_err(|error| damaged(&error))?;
                if header.fingerprint == header.identity.fingerprint() {
                    Ok(header)
                } else {
                    Err(damaged(&"its values were changed"))
                }
            }
        }
    }
}

fn other_version(found: u64, known: u32) -> String {
    format!("its checkpoint has format version {found}, and this version of Phasefront reads version {known}")
}

/// Where a solver saves its state, and the state to resume from.
pub(crate) struct Checkpoints {
    folder: PathBuf,
    pub files: Checkpoint,
    fingerprint: String,
    resumes: bool,
    /// Whether saved work that cannot be used is discarded instead of refused.
    force: bool,
}

impl Checkpoints {
    /// The folder of the run.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// For a run in `folder` that writes none.
    pub(crate) fn none(folder: &Path) -> Self {
        let files = Checkpoint::of(folder);
        Self { folder: folder.to_owned(), files, fingerprint: String::new(), resumes: false, force: false }
    }

    /// For another rank than 0 of the run in `folder`: it saves its parts there, and reads those that rank 0 names.
    pub(crate) fn of_other_rank(folder: &Path, fingerprint: String, force: bool) -> Self {
        Self { fingerprint, force, ..Self::none(folder) }
    }

    /// The same for another rank.
    pub(crate) fn for_other_rank(&self) -> Self {
        Self::of_other_rank(&self.folder, self.fingerprint.clone(), self.force)
    }

    /// Whether saved work that cannot be used is discarded instead of refused.
    pub(crate) fn discards(&self) -> bool {
        self.force
    }

    /// Starts the checkpoint of a new run of a case from `case_folder`.
    pub(crate) fn start(
        folder: &Path,
        identity: Identity,
        file: &CaseFile,
        case_folder: &Path,
        format: Format,
    ) -> Result<Self, RunError> {
        // Absolute, so that a later run finds it from any working directory.
        let case_folder = std::path::absolute(case_folder).unwrap_or_else(|_| case_folder.to_owned());
        let (fingerprint, case) = (identity.fingerprint(), file.source.text.to_string());
        let header = Header {
            version: VERSION,
            fingerprint: fingerprint.clone(),
            identity,
            case_folder,
            format,
            case,
        };
        let text = serde_json::to_string_pretty(&header).map_err(|error| ReportError::Io {
            action: "write",
            path: folder.join("checkpoint.json"),
            source: std::io::Error::other(error),
        })?;
        let checkpoints = Self { fingerprint, ..Self::none(folder) };
        // Records of an earlier run go first: a new header must never stand beside them.
        checkpoints.files.remove()?;
        checkpoints.files.write_header(&text)?;
        Ok(checkpoints)
    }

    /// Continues the checkpoint of an interrupted run. One that belongs to something else is refused; with `force` it is
    /// none, and the run starts over.
    pub(crate) fn resume(
        folder: &Path,
        header: &Header,
        identity: &Identity,
        force: bool,
        progress: &Progress,
    ) -> Result<Option<Self>, RunError> {
        let fingerprint = header.fingerprint.clone();
        let checkpoints = Self { resumes: true, fingerprint, force, ..Self::none(folder) };
        match header.identity.difference(identity) {
            Some(difference) if force => {
                progress.warn(&format!("{difference}; the saved work is discarded"));
                Ok(None)
            }
            Some(difference) => Err(checkpoints.refusal(difference)),
            None => Ok(Some(checkpoints)),
        }
    }

    /// Saves a state in place of an older one.
    pub(crate) fn replace<S: State>(&self, state: &S) -> Result<(), ReportError> {
        self.files.replace(&self.framed(state).parts())
    }

    /// Appends a record of finished work; `flush` waits until it is on the disk.
    pub(crate) fn append<S: State>(&self, state: &S, flush: bool) -> Result<(), ReportError> {
        self.files.append(&self.framed(state).parts(), flush)
    }

    /// The state to resume from; none for a new run, and for one that was interrupted before it saved any.
    pub(crate) fn state<S: State>(&self, progress: &Progress) -> Result<Option<S>, RunError> {
        if !self.resumes {
            return Ok(None);
        }
        match self.saved() {
            Err(RunError::Resume { message, .. }) if self.force => {
                progress.warn(&format!("{message}; the saved work is discarded"));
                Ok(None)
            }
            state => state,
        }
    }

    /// The saved state; none if none was saved.
    pub(crate) fn saved<S: State>(&self) -> Result<Option<S>, RunError> {
        let records = self.files.records()?;
        // A single record that was replaced atomically is complete or was damaged later: do not
        // guess.
        let damaged = || self.refusal("checkpoint.bin is damaged: it was truncated or changed");
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
    pub(crate) fn read<S: State>(&self, payload: &[u8]) -> Result<Option<S>, RunError> {
        let mut reader = StateReader::new(payload);
        // Records of another run may have the same shape: the fingerprint tells them apart.
        if reader.text() != Some(&self.fingerprint) {
            return Ok(None);
        }
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
        RunError::Resume { folder: self.folder.clone(), message: message.into(), on_all_ranks: false }
    }

    /// A state after the fingerprint and its version.
    pub(crate) fn framed<'s, S: State>(&'s self, state: &'s S) -> StateWriter<'s> {
        let mut out = StateWriter::default();
        out.text(&self.fingerprint);
        out.integer(S::VERSION.into());
        state.write(&mut out);
        out
    }
}
