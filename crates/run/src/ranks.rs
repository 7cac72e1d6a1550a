//! The ranks of a run: rank 0 reads the case, writes and reports; the others help to solve.

use crate::error::{Kind, RunError};
use phasefront_case::CaseFile;
use phasefront_comm::{Comm, Single};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The ranks that share a run; one alone by default.
#[derive(Clone)]
pub struct Ranks {
    comm: Arc<dyn Comm>,
    /// Whether all ranks know that the run has ended.
    ended: Arc<AtomicBool>,
}

impl Default for Ranks {
    fn default() -> Self {
        Self::new(Arc::new(Single::new()))
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.comm.rank(), self.comm.size())
    }
}

/// What rank 0 asks the others to do.
#[derive(Serialize, Deserialize)]
enum Call {
    /// To help with a case.
    Solve { name: String, text: String, origin: PathBuf },
    /// Nothing: it has failed, or nothing is left to do.
    Dismiss { kind: Option<Kind> },
}

impl Ranks {
    /// Those of a job.
    pub fn new(comm: Arc<dyn Comm>) -> Self {
        Self { comm, ended: Arc::default() }
    }

    /// How they exchange data.
    pub fn comm(&self) -> &dyn Comm {
        &*self.comm
    }

    /// Whether there are several.
    pub fn are_several(&self) -> bool {
        self.comm.size() > 1
    }

    /// Whether all ranks know that the run has ended. Otherwise others may wait for this one, and must be told when it fails.
    pub fn have_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Rank 0 gives the case to the others.
    pub(crate) fn call(&self, file: &CaseFile, origin: &Path) -> Result<(), RunError> {
        let source = &file.source;
        // Ranks may have other working folders.
        let origin = std::path::absolute(origin).unwrap_or_else(|_| origin.to_owned());
        self.send(&Call::Solve { name: source.name.to_string(), text: source.text.to_string(), origin })
    }

    /// Rank 0 passes on a result; the others are told of a failure, so that they do not wait.
    pub(crate) fn or_dismiss<T>(&self, result: Result<T, RunError>) -> Result<T, RunError> {
        if let Err(error) = &result {
            self.send(&Call::Dismiss { kind: Some(error.kind()) })?;
            self.end();
        }
        result
    }

    /// Rank 0 passes on a result for which the others are not needed.
    pub(crate) fn nothing_left<T>(&self, result: Result<T, RunError>) -> Result<T, RunError> {
        let kind = result.as_ref().err().map(RunError::kind);
        self.send(&Call::Dismiss { kind })?;
        self.end();
        result
    }

    fn send(&self, call: &Call) -> Result<(), RunError> {
        if self.are_several() {
            // The call consists of text and numbers, which always serialize.
            let mut bytes = serde_json::to_vec(call).unwrap_or_default();
            self.comm.broadcast(&mut bytes)?;
        }
        Ok(())
    }

    /// The case that rank 0 gives to this rank, with the folder of its files; none if it needs no help.
    pub(crate) fn called(&self) -> Result<Option<(CaseFile, PathBuf)>, RunError> {
        let mut bytes = Vec::new();
        self.comm.broadcast(&mut bytes)?;
        let failed = |kind| RunError::OtherRank { rank: 0, kind };
        match serde_json::from_slice(&bytes) {
            Ok(Call::Solve { name, text, origin }) => {
                // Rank 0 has parsed the same text.
                Ok(Some((phasefront_case::parse(&name, &text)?, origin)))
            }
            Ok(Call::Dismiss { kind: None }) => Ok(None),
            Ok(Call::Dismiss { kind: Some(kind) }) => Err(failed(kind)),
            Err(_) => Err(failed(Kind::Other)),
        }
    }

    /// The folder in which rank 0 writes the run; other ranks have none to give. Collective.
    pub(crate) fn folder_of_first(&self, own: &Path) -> Result<PathBuf, RunError> {
        // Ranks may have other working folders.
        let own = std::path::absolute(own).unwrap_or_else(|_| own.to_owned());
        let mut text = own.to_string_lossy().into_owned().into_bytes();
        self.comm.broadcast(&mut text)?;
        Ok(PathBuf::from(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Refuses a rank that would solve another problem than rank 0: each reads the files of the case itself. Collective.
    pub(crate) fn check_same(&self, fingerprint: &str) -> Result<(), RunError> {
        let mut first = fingerprint.as_bytes().to_vec();
        self.comm.broadcast(&mut first)?;
        if first == fingerprint.as_bytes() { Ok(()) } else { Err(RunError::OtherInput) }
    }

    /// Goes on if all ranks can; else the error of the first that cannot, which that rank has and the others name.
    pub(crate) fn agree<T>(&self, own: Result<T, RunError>) -> Result<T, RunError> {
        if !self.are_several() {
            return own;
        }
        let mark = own.as_ref().err().map_or(0, |error| 1 + error.kind() as u8);
        let all = self.comm.gather(&[mark])?;
        let first = all.and_then(|marks| {
            let failed = marks.iter().map(|mark| mark.first().copied().unwrap_or(0)).enumerate();
            failed.into_iter().find(|(_, mark)| *mark != 0)
        });
        let mut message =
            first.map_or(Vec::new(), |(rank, mark)| [&(rank as u64).to_le_bytes()[..], &[mark]].concat());
        self.comm.broadcast(&mut message)?;
        let Some((rank, mark)) = message.split_last_chunk::<1>().map(|(rank, mark)| (rank, mark[0])) else {
            return own;
        };
        self.end();
        let rank = u64::from_le_bytes(rank.try_into().unwrap_or_default()) as usize;
        match own {
            Err(error) if self.comm.rank() == rank => Err(error),
            _ => Err(RunError::OtherRank { rank, kind: Kind::ALL[usize::from(mark - 1) % Kind::ALL.len()] }),
        }
    }
}
