//! What can go wrong between ranks, and what to do about it.

/// Names the MPI library to load, by its path; `none` means that every process runs alone, whatever started it.
pub const LIBRARY_VARIABLE: &str = "PHASEFRONT_MPI";

/// Names the ScaLAPACK library to load, by its path.
pub const SCALAPACK_VARIABLE: &str = "PHASEFRONT_SCALAPACK";

/// Result of a call between ranks.
pub type Result<T> = std::result::Result<T, CommError>;

/// A communication error. [`CommError::advice`] says what to do.
///
/// After an error a rank cannot know what the others do: it ends the job by [`Comm::abort`](crate::Comm::abort),
/// or, inside [`threads::run`](crate::threads::run), by returning the error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommError {
    /// A launcher started several processes, and no MPI library can be loaded.
    #[error("{launcher} started this process, and no MPI library for it was found: {reason}")]
    LibraryMissing {
        /// The launcher and its number of processes.
        launcher: String,
        /// What the system's loader said.
        reason: String,
    },
    /// A library was loaded that is no usable MPI.
    #[error("{library} is no usable MPI library: {reason}")]
    LibraryUnusable {
        /// The file.
        library: String,
        /// Why.
        reason: String,
    },
    /// Launcher and library do not know each other, so that every process believes to be alone.
    #[error("{launcher} started this process, but {library} says that it is rank {rank} of {size}")]
    LauncherMismatch {
        /// The launcher and its number of processes.
        launcher: String,
        /// The library and its version.
        library: String,
        /// The rank that the library reports.
        rank: usize,
        /// The number of ranks that the library reports.
        size: usize,
    },
    /// MPI was shut down in this process; it cannot be started twice.
    #[error("{library} was already shut down in this process")]
    Finalized {
        /// The library and its version.
        library: String,
    },
    /// The library allows calls from the thread that started it only, and another one called.
    #[error("{library} supports calls from one thread only, and another one made a call")]
    WrongThread {
        /// The library and its version.
        library: String,
    },
    /// An MPI call failed.
    #[error("{call} failed: {reason} (code {code})")]
    Call {
        /// The call.
        call: &'static str,
        /// Its code.
        code: i32,
        /// What the library says of the code.
        reason: String,
    },
    /// The links of a halo exchange do not fit together.
    #[error("halo exchange: {reason}")]
    Links {
        /// What does not fit.
        reason: String,
    },
    /// No ScaLAPACK of this MPI can be loaded.
    #[error("ranks factor a matrix together by ScaLAPACK, and none for {mpi} was found: {reason}")]
    ScalapackMissing {
        /// The MPI library and its version.
        mpi: String,
        /// What the system's loader said.
        reason: String,
    },
    /// A library was loaded that is no ScaLAPACK of this MPI.
    #[error("{library} is no usable ScaLAPACK library: {reason}")]
    ScalapackUnusable {
        /// The file.
        library: String,
        /// Why.
        reason: String,
    },
    /// These ranks have no library that factors a matrix.
    #[error("a matrix cannot be factored together: {ranks}")]
    NoDenseLu {
        /// What they are.
        ranks: String,
    },
    /// ScaLAPACK counts the entries of a rank in 32 bits.
    #[error("a rank would have {entries} entries of the matrix, and ScaLAPACK counts up to {}", i32::MAX)]
    TooManyEntries {
        /// Entries of one rank.
        entries: usize,
    },
    /// A message of another rank is no message of this program.
    #[error("rank {rank} sent {bytes} bytes that are no message")]
    Malformed {
        /// The sender.
        rank: usize,
        /// Length of the message.
        bytes: usize,
    },
    /// A message does not fit in this rank's memory.
    #[error("out of memory: {bytes} bytes requested for messages")]
    OutOfMemory {
        /// Bytes requested.
        bytes: usize,
    },
    /// Another rank returned an error.
    #[error("rank {rank} failed")]
    RankFailed {
        /// Which one.
        rank: usize,
    },
    /// A rank panicked.
    #[error("rank {rank} panicked: {message}")]
    RankPanicked {
        /// Which one.
        rank: usize,
        /// The text of the panic.
        message: String,
    },
    /// A rank ended the job.
    #[error("rank {rank} on {host} ended the run: {message}")]
    Aborted {
        /// Which one.
        rank: usize,
        /// Its host.
        host: String,
        /// The exit code that it requested.
        exit_code: i32,
        /// Why.
        message: String,
    },
}

impl CommError {
    /// What the user can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::LibraryMissing { .. } => format!(
                "install the MPI library that belongs to the launcher, or name its file in {LIBRARY_VARIABLE}; to run processes \
                 independently of each other, set {LIBRARY_VARIABLE}=none"
            ),
            Self::LibraryUnusable { .. } => format!(
                "name the file of an MPI library (Open MPI, MPICH, Intel MPI or another one with the MPICH or the \
                 MPI 5 ABI) in {LIBRARY_VARIABLE}"
            ),
            Self::LauncherMismatch { .. } => format!(
                "use the mpirun or mpiexec that belongs to this library (srun: --mpi=pmix for Open MPI, --mpi=pmi2 \
                 for MPICH and Intel MPI), or name the launcher's library in {LIBRARY_VARIABLE}"
            ),
            Self::Finalized { .. } => "keep one communicator for the life of the process".into(),
            Self::WrongThread { .. } => "use an MPI library that was built with thread support".into(),
            Self::Call { .. } => {
                "look for messages of MPI and of the job scheduler above; resume the run from its last checkpoint".into()
            }
            Self::ScalapackMissing { .. } | Self::ScalapackUnusable { .. } => format!(
                "install the ScaLAPACK that was built for this MPI (Debian: libscalapack-openmpi2.2 or libscalapack-mpich2.2; on clusters \
                 often a module), or name its file in {SCALAPACK_VARIABLE}; one process needs none"
            ),
            Self::NoDenseLu { .. } => "run one process alone, or several under MPI".into(),
            Self::TooManyEntries { .. } => "use more ranks".into(),
            Self::Links { .. } | Self::Malformed { .. } => {
                "this is an error in Phasefront: please report it with the case".into()
            }
            Self::OutOfMemory { .. } => "use more nodes, or fewer ranks per node".into(),
            Self::RankFailed { .. } | Self::RankPanicked { .. } | Self::Aborted { .. } => {
                "the first message of that rank says why".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_is_wrong_and_what_to_do() {
        let launcher = "srun (rank 1 of 4)".to_owned();
        let missing =
            CommError::LibraryMissing { launcher: launcher.clone(), reason: "tried libmpi.so".into() };
        let text =
            "srun (rank 1 of 4) started this process, and no MPI library for it was found: tried libmpi.so";
        assert_eq!(missing.to_string(), text);
        let advice = "install the MPI library that belongs to the launcher, or name its file in PHASEFRONT_MPI; \
                      to run processes independently of each other, set PHASEFRONT_MPI=none";
        assert_eq!(missing.advice(), advice);
        let mismatch =
            CommError::LauncherMismatch { launcher, library: "MPICH Version 4".into(), rank: 0, size: 1 };
        let text = "srun (rank 1 of 4) started this process, but MPICH Version 4 says that it is rank 0 of 1";
        assert_eq!(mismatch.to_string(), text);
        assert!(mismatch.advice().contains("--mpi=pmix for Open MPI"), "{}", mismatch.advice());
    }
}
