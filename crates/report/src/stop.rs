//! A request to end a run from outside its process: the file `stop` in its folder.

use crate::ReportError;
use crate::atomic::remove;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Name of the file that ends a run.
pub(crate) const STOP_FILE: &str = "stop";

/// Time between two looks: folders on a cluster are on another machine.
const INTERVAL: Duration = Duration::from_secs(1);

/// Looks for the file `stop` in the folder of a run.
///
/// ```
/// use phasefront_report::{OutputFolder, StopFile};
/// # let temporary = tempfile::tempdir()?;
/// # let path = temporary.path().join("circle");
/// let folder = OutputFolder::create(&path, false)?;
/// std::fs::write(path.join("stop"), "")?;
/// let stop = StopFile::of(&path);
/// assert!(stop.has_come());
/// assert!(!path.join("stop").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StopFile {
    path: PathBuf,
    /// Time of the next look.
    next: Mutex<Instant>,
}

impl StopFile {
    /// Of a folder, which need not have one.
    pub fn of(folder: &Path) -> Self {
        Self { path: folder.join(STOP_FILE), next: Mutex::new(Instant::now()) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is there; it is removed then, so that the run can be resumed. Called at any rate and from any thread, it looks
    /// once a second.
    pub fn has_come(&self) -> bool {
        // While another thread looks, this one need not wait for it.
        let Ok(mut next) = self.next.try_lock() else { return false };
        let now = Instant::now();
        if now < *next {
            return false;
        }
        *next = now + INTERVAL;
        // One that cannot be removed is a request too; the next run fails to remove it, and says so.
        let come = is_there(&self.path);
        let _ = clear(&self.path);
        come
    }
}

/// Removes a request that came before the run, or after its end.
pub(crate) fn withdraw(folder: &Path) -> Result<(), ReportError> {
    clear(&folder.join(STOP_FILE))
}

fn clear(path: &Path) -> Result<(), ReportError> {
    if is_there(path) { remove(path) } else { Ok(()) }
}

/// A folder of that name is someone else's.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| !found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_look_waits() {
        let folder = tempfile::tempdir().unwrap();
        let stop = StopFile::of(folder.path());
        assert!(!stop.has_come());
        fs::write(stop.path(), "").unwrap();
        assert!(!stop.has_come() && stop.path().exists(), "within a second");
        *stop.next.lock().unwrap() = Instant::now();
        assert!(stop.has_come() && !stop.path().exists());
    }

    #[test]
    fn a_folder_is_no_request() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(STOP_FILE)).unwrap();
        assert!(!StopFile::of(folder.path()).has_come());
        withdraw(folder.path()).unwrap();
        assert!(folder.path().join(STOP_FILE).is_dir());
    }
}
