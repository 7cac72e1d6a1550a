//! Why a run ended early.

use phasefront_case::{CaseError, CaseFile};
use phasefront_comm::CommError;
use phasefront_core::{FieldError, Interrupted};
use phasefront_device::DeviceError;
use phasefront_report::ReportError;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The classes of failure, each with its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The case or the command is wrong: exit code 2.
    BadInput,
    /// The solver did not converge: exit code 3.
    NotConverged,
    /// The device failed or is not available: exit code 4.
    Device,
    /// The user stopped it: exit code 130.
    Interrupted,
    /// Input/output or internal: exit code 1.
    Other,
}

impl Kind {
    /// In the order of their numbers.
    pub(crate) const ALL: [Self; 5] =
        [Self::BadInput, Self::NotConverged, Self::Device, Self::Interrupted, Self::Other];
}

/// Why a run ended early. [`RunError::kind`] gives its class, [`RunError::advice`] what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The case file is wrong; the error has the line.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// The case file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The message of the operating system.
        error: String,
    },
    /// The `expected.json` beside a case is wrong.
    #[error("{}: {message}", path.display())]
    Expected {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The solver did not reach a solution.
    #[error("{message}")]
    NotConverged {
        /// What was reached.
        message: String,
        /// What to do.
        advice: Option<String>,
        /// Whether all ranks of a job have found the same.
        on_all_ranks: bool,
    },
    /// The device failed or is not available.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The folder cannot be written, or already holds a result.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The user stopped it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The user stopped it, and it can be resumed.
    #[error("interrupted; the work done so far is saved in {}", saved_in.display())]
    Stopped {
        /// Its result folder.
        folder: PathBuf,
        /// The same, or the folder beside an older result that stays until the run is finished.
        saved_in: PathBuf,
    },
    /// Another rank has the error, or could not be reached.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// Another rank has failed, and tells why.
    #[error("rank {rank} has failed")]
    OtherRank {
        /// That rank.
        rank: usize,
        /// The class of its failure.
        kind: Kind,
    },
    /// This rank reads other input files, or is another version of the program, than rank 0.
    #[error("this rank has different input files, or a different version of the program, than rank 0")]
    OtherInput,
    /// The folder holds an interrupted run.
    #[error("{} holds an interrupted run", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder of a point of a sweep holds something else.
    #[error("{} {difference}", folder.display())]
    OtherPoint {
        /// The folder.
        folder: PathBuf,
        /// What is different.
        difference: String,
    },
    /// The user stopped a sweep.
    #[error("interrupted; {done} of {points} points of the sweep are done")]
    SweepStopped {
        /// Points with a result.
        done: usize,
        /// All points.
        points: usize,
    },
    /// A sweep cannot be divided among ranks.
    #[error("a sweep does not run on several ranks")]
    SweepOnRanks,
    /// A job array of Slurm that is not a plain range of tasks.
    #[error("task {task} of the Slurm job array has no defined part of the sweep")]
    JobArray {
        /// Its number.
        task: String,
    },
    /// A run cannot be resumed.
    #[error("{} cannot be resumed: {message}", folder.display())]
    Resume {
        /// The folder.
        folder: PathBuf,
        /// Why.
        message: String,
        /// Whether all ranks of a job have found the same.
        on_all_ranks: bool,
    },
    /// A rank does not have the folder of the run, into which it is to save its part of checkpoints.
    #[error("rank {rank} on {host} cannot save its part of checkpoints in {}: {reason}", folder.display())]
    FolderNotShared {
        /// That rank.
        rank: usize,
        /// Its host.
        host: String,
        /// The folder.
        folder: PathBuf,
        /// What happened when it tried.
        reason: String,
    },
}

impl RunError {
    /// Its class.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Case(_)
            | Self::Read { .. }
            | Self::Expected { .. }
            | Self::Unfinished { .. }
            | Self::Resume { .. }
            | Self::OtherInput
            | Self::OtherPoint { .. }
            | Self::FolderNotShared { .. }
            | Self::SweepOnRanks
            | Self::JobArray { .. }
            | Self::Report(
                ReportError::Exists { .. } | ReportError::NotEmpty { .. } | ReportError::NotAFolder { .. },
            ) => Kind::BadInput,
            Self::NotConverged { .. } | Self::Device(DeviceError::Singular { .. }) => Kind::NotConverged,
            Self::Device(_) => Kind::Device,
            Self::Interrupted(_) | Self::Stopped { .. } | Self::SweepStopped { .. } => Kind::Interrupted,
            Self::OtherRank { kind, .. } => *kind,
            Self::Report(_) | Self::Comm(_) => Kind::Other,
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Case(error) => Some(error.help().to_owned()),
            Self::Expected { .. } => Some("correct it, or remove it to run without a reference".into()),
            Self::NotConverged { advice, .. } => advice.clone(),
            Self::Device(error) => Some(error.advice()),
            Self::Report(error) => error.advice(),
            Self::Stopped { folder, .. } => Some(format!("resume with: phasefront resume {}", folder.display())),
            Self::Unfinished { folder } => Some(format!(
                "resume it with `phasefront resume {}`, or start over with --force",
                folder.display()
            )),
            Self::Resume { .. } => Some(
                "name the folder of an interrupted run; `phasefront resume --force` discards saved work that does not fit and \
                 starts over; `phasefront run` runs a case from the start"
                    .into(),
            ),
            Self::Comm(error) => Some(error.advice()),
            Self::OtherPoint { .. } => {
                Some("choose another `name` or --out; --force runs all points of the sweep again".into())
            }
            Self::SweepStopped { .. } => Some("resume with the same command".into()),
            Self::SweepOnRanks => Some(
                "start processes that run a part of it each: `phasefront sweep FILE --shard K/N` with PHASEFRONT_MPI=none, or a job array; \
                 `mpirun phasefront run` shares a single case"
                    .into(),
            ),
            Self::JobArray { .. } => {
                Some("submit a range such as --array=1-64, or name the part: --shard 3/64".into())
            }
            Self::OtherInput => Some(
                "put the files that the case names, and one phasefront program, where all ranks see the same ones"
                    .into(),
            ),
            Self::FolderNotShared { .. } => {
                Some("choose a folder with --out on a file system that all ranks share and may write to".into())
            }
            Self::Read { .. } | Self::Interrupted(_) | Self::OtherRank { .. } => None,
        }
    }

    /// The same for a refusal that all ranks have been told of.
    pub(crate) fn on_all_ranks(self) -> Self {
        match self {
            Self::Resume { folder, message, .. } => Self::Resume { folder, message, on_all_ranks: true },
            other => other,
        }
    }

    /// Whether all ranks have ended, with this error or because of it. Otherwise the others still wait, and must be told to end.
    pub fn is_known_to_all_ranks(&self) -> bool {
        matches!(
            self,
            Self::OtherRank { .. }
                | Self::Stopped { .. }
                | Self::Interrupted(_)
                | Self::FolderNotShared { .. }
                | Self::Resume { on_all_ranks: true, .. }
                | Self::NotConverged { on_all_ranks: true, .. }
        )
    }
}

/// The error of saving a checkpoint, which a solver passes on as one of input and output.
pub(crate) fn checkpoint_not_saved(error: std::io::Error) -> RunError {
    let other = |source| ReportError::Io { action: "write", path: "checkpoint.bin".into(), source };
    RunError::Report(error.downcast::<ReportError>().unwrap_or_else(other))
}

/// A solver's error before its line in the case file is known.
#[derive(Debug)]
pub(crate) enum SolverError {
    /// A field of the case is wrong.
    Field(FieldError),
    /// Anything else.
    Run(RunError),
}

impl From<FieldError> for SolverError {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}

impl From<Interrupted> for SolverError {
    fn from(error: Interrupted) -> Self {
        Self::Run(error.into())
    }
}

impl From<CommError> for SolverError {
    fn from(error: CommError) -> Self {
        Self::Run(error.into())
    }
}

impl SolverError {
    /// The same error with its line in the file.
    pub(crate) fn at(self, file: &CaseFile) -> RunError {
        match self {
            Self::Field(error) => file.error_at(&error).into(),
            Self::Run(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_kind() {
        let not_converged =
            RunError::NotConverged { message: "off".into(), advice: None, on_all_ranks: false };
        assert_eq!(not_converged.kind(), Kind::NotConverged);
        assert_eq!(RunError::from(DeviceError::Singular { column: 3 }).kind(), Kind::NotConverged);
        assert_eq!(RunError::from(DeviceError::OutOfMemory { requested: 2, free: 1 }).kind(), Kind::Device);
        assert_eq!(RunError::from(Interrupted).kind(), Kind::Interrupted);
        assert_eq!(RunError::from(ReportError::Exists { path: "x".into() }).kind(), Kind::BadInput);
    }
}
