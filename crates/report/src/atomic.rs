//! Atomic writing of files.

use crate::ReportError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file. The old one is removed, not overwritten: it may be a link to a file elsewhere.
pub(crate) fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    // Contents must reach the disk before the rename that publishes them.
    file.sync_all()
}

/// Writes a file under a temporary name and renames it: after a crash either the old or the new
/// file is complete.
pub(crate) fn replace_by_rename(
    folder: &Path,
    temporary: &str,
    name: &str,
    parts: &[&[u8]],
) -> Result<(), ReportError> {
    let (temporary, path) = (folder.join(temporary), folder.join(name));
    replace(&temporary, parts)
        .and_then(|()| fs::rename(&temporary, &path))
        .map_err(|e| ReportError::io("write", &path, e))?;
    sync_folder(folder)
}

/// Flushes the entries of a folder to the disk; possible on Unix only.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), ReportError> {
    if cfg!(unix) {
        File::open(folder).and_then(|f| f.sync_all()).map_err(|e| ReportError::io("flush", folder, e))?;
    }
    Ok(())
}
