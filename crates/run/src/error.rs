//! Why a run ended early.

use std::path::PathBuf;

/// The kinds of failure that the exit code tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The case is wrong: exit code 2.
    BadInput,
    /// The solver did not converge: exit code 3.
    NotConverged,
    /// The device failed or cannot be had: exit code 4.
    Device,
    /// The user stopped it: exit code 130.
    Interrupted,
    /// Input/output or internal: exit code 1.
    Other,
}

/// Why a run ended early. `kind()` gives its class, `advice()` what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The output folder holds a finished run.
    #[error("{} already holds a result", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
}

impl RunError {
    /// Its class.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Interrupted => Kind::Interrupted,
            Self::Exists { .. } => Kind::BadInput,
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Interrupted => None,
            Self::Exists { .. } => {
                Some("choose another folder with --out, or overwrite it with --force".into())
            }
        }
    }
}
