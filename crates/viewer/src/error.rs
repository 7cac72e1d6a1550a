//! Errors of the server itself.

use std::io;
use std::path::PathBuf;

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The folder does not exist.
    #[error("there is no folder {}", .path.display())]
    NoFolder {
        /// Which one.
        path: PathBuf,
    },
    /// The port is in use, or not permitted.
    #[error("cannot listen on 127.0.0.1:{port}: {error}")]
    Listen {
        /// Which one; 0 for any.
        port: u16,
        /// The error of the operating system.
        error: io::Error,
    },
    /// No thread can be started.
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

impl ViewerError {
    /// What to do.
    pub fn advice(&self) -> String {
        match self {
            Self::NoFolder { .. } => {
                "name a folder with results; `phasefront demo` makes results/demo, and `phasefront run CASE` results/NAME".into()
            }
            Self::Listen { .. } => "take another port, or leave out --port for any that is free".into(),
            Self::Start(_) => "end other programs and try again".into(),
        }
    }
}
