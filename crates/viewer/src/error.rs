//! What can go wrong with the server itself.

use std::io;
use std::path::PathBuf;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The folder is not there.
    #[error("there is no folder {}", .path.display())]
    NoFolder {
        /// Which one.
        path: PathBuf,
    },
    /// The port is taken, or may not be used.
    #[error("cannot listen on 127.0.0.1:{port}: {error}")]
    Listen {
        /// Which one; 0 for any.
        port: u16,
        /// What the system said.
        error: io::Error,
    },
    /// The system gives no thread.
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
