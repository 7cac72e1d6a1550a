//! Atomic writing of files.

use crate::ReportError;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Size of a write: large enough that its overhead does not count.
const BUFFER_BYTES: usize = 1 << 20;

/// Replaces a file: after a crash at any moment either the old or the new one is complete.
///
/// The new file is written under another name, flushed, and renamed. The rename replaces a link, not
/// the file elsewhere that it may lead to.
pub(crate) fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let temporary = temporary_name(path);
    let written = write_new(&temporary, parts).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; on a full disk this makes room.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Replaces a file that several processes may write at the same time: the last one stays, complete. Its folder is made if need be.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|e| ReportError::io("make the folder", folder, e))?;
    // Processes on several machines may have the same number, but not at the same nanosecond.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut own = path.file_name().unwrap_or_default().to_owned();
    own.push(format!(".{}-{now}", std::process::id()));
    let temporary = temporary_name(&path.with_file_name(own));
    let written = write_new(&temporary, &[bytes]).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(|e| ReportError::io("write", path, e))
}

/// The name under which a file is written before it is complete: `.rcs.csv.new` for `rcs.csv`.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

fn write_new(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    // Left by a killed run, or a link: never written through.
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    // The state of a solver may have thousands of small parts.
    let mut buffer = BufWriter::with_capacity(BUFFER_BYTES, file);
    parts.iter().try_for_each(|part| buffer.write_all(part))?;
    let file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
    // Contents must reach the disk before the rename that publishes them.
    file.sync_all()
}

/// Flushes the entries of a folder to the disk; possible on Unix only.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), ReportError> {
    if cfg!(unix) {
        File::open(folder).and_then(|f| f.sync_all()).map_err(|e| ReportError::io("flush", folder, e))?;
    }
    Ok(())
}

/// Removes a file if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), ReportError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(ReportError::io("remove", path, e)),
        _ => Ok(()),
    }
}
