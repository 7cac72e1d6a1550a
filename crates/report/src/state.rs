//! The state of the run in a folder, as seen by other processes.

use crate::version::{RESULT_FILE, UNFINISHED};
use serde::Serialize;
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// The state of the run in a folder.
///
/// ```
/// use phasefront_report::{FolderState, OutputFolder, RunResult};
/// # let temporary = tempfile::tempdir()?;
/// # let path = temporary.path().join("circle");
/// assert_eq!(FolderState::of(&path), None);
/// let folder = OutputFolder::create(&path, false)?;
/// assert_eq!(FolderState::of(&path), Some(FolderState::Running));
/// folder.finish(RunResult::new("mom", "circle"))?;
/// assert_eq!(FolderState::of(&path), Some(FolderState::Finished));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderState {
    /// It has a `result.json`.
    Finished,
    /// A process is writing to it.
    Running,
    /// A run started and did not finish.
    Stopped,
}

impl FolderState {
    /// The state of a folder; none if it contains no run.
    pub fn of(folder: &Path) -> Option<Self> {
        let has = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
        if has(RESULT_FILE) {
            Some(Self::Finished)
        } else if is_locked(folder) {
            Some(Self::Running)
        } else {
            has(UNFINISHED).then_some(Self::Stopped)
        }
    }
}

/// Whether a run holds the folder. The lock taken for this test is released at once.
fn is_locked(folder: &Path) -> bool {
    cfg!(unix)
        && File::open(folder)
            .is_ok_and(|handle| matches!(handle.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
