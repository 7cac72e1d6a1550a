//! A new run in place of an old one: written beside it, and exchanged with it when it is complete.
//!
//! The folder `results/plate` is replaced by way of `results/.plate.unfinished`. Until the exchange,
//! which is one rename, the old run is untouched: a new run that fails, is stopped or is killed loses
//! nothing. A mark in the new run's folder tells after a crash on which side of the exchange it fell.

use crate::ReportError;
use crate::atomic::{remove, replace, sync_folder};
use crate::checkpoint::Checkpoint;
use crate::result::RunResult;
use crate::version::{RESULT_FILE, UNFINISHED};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The mark of a complete run that takes, or has just taken, the place of another.
const REPLACES: &str = ".replaces";

/// Where the replacement of a folder is written. `folder` must exist.
pub(crate) fn place_beside(folder: &Path) -> Result<PathBuf, ReportError> {
    let whole = fs::canonicalize(folder).map_err(|e| ReportError::io("find", folder, e))?;
    match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.join(format!(".{}.unfinished", name.to_string_lossy()))),
        // The root of a file system has nothing beside it.
        _ => Err(ReportError::NotAFolder { path: folder.to_owned() }),
    }
}

/// The unfinished replacement of the run in `folder`, if there is one.
pub(crate) fn unfinished(folder: &Path) -> Option<PathBuf> {
    let beside = place_beside(folder).ok()?;
    fs::symlink_metadata(&beside).is_ok_and(|found| found.is_dir()).then_some(beside)
}

/// Makes an empty folder for a replacement. An older one that never finished is discarded.
pub(crate) fn start(folder: &Path) -> Result<PathBuf, ReportError> {
    let beside = place_beside(folder)?;
    remove_folder(&beside)?;
    fs::create_dir(&beside).map_err(|e| ReportError::io("make the folder", &beside, e))?;
    Ok(beside)
}

/// Marks a replacement as complete; its `result.json` must follow.
pub(crate) fn mark(beside: &Path) -> Result<(), ReportError> {
    let mark = beside.join(REPLACES);
    replace(&mark, &[]).map_err(|e| ReportError::io("write", &mark, e))
}

/// Puts a complete replacement in the place of the old run, which is beside it then.
pub(crate) fn exchange(folder: &Path, beside: &Path) -> Result<(), ReportError> {
    let folder = &fs::canonicalize(folder).map_err(|e| ReportError::io("find", folder, e))?;
    exchange_names(folder, beside).map_err(|e| ReportError::io("replace", folder, e))?;
    folder.parent().map_or(Ok(()), sync_folder)
}

/// Completes an exchange: the old run, which is beside the folder now, is removed. Files that belong to no run are kept.
pub(crate) fn settle(folder: &Path) -> Result<(), ReportError> {
    if fs::symlink_metadata(folder.join(REPLACES)).is_err() {
        return Ok(());
    }
    if let Some(old) = unfinished(folder) {
        remove_run(&old)?;
        keep_rest(&old, folder)?;
        remove_folder(&old)?;
    }
    remove(&folder.join(REPLACES))
}

/// Puts a replacement that was complete when its process was killed in its place; whether there was one.
pub(crate) fn complete(folder: &Path) -> Result<bool, ReportError> {
    settle(folder)?;
    let Some(beside) = unfinished(folder) else { return Ok(false) };
    let has = |name: &str| fs::symlink_metadata(beside.join(name)).is_ok();
    if !(has(REPLACES) && has(RESULT_FILE)) {
        return Ok(false);
    }
    exchange(folder, &beside)?;
    Ok(true)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange_names(folder: &Path, beside: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, beside, CWD, folder, RenameFlags::EXCHANGE) {
        // File systems without it, such as NFS, and old kernels.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            exchange_in_steps(folder, beside)
        }
        done => Ok(done?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange_names(folder: &Path, beside: &Path) -> io::Result<()> {
    exchange_in_steps(folder, beside)
}

/// Three renames. A crash between them leaves both runs whole, one of them under a hidden name.
fn exchange_in_steps(folder: &Path, beside: &Path) -> io::Result<()> {
    let aside = beside.with_extension("old");
    fs::rename(folder, &aside)?;
    if let Err(error) = fs::rename(beside, folder) {
        // The old run goes back to its place; the first error is the one to report.
        let _ = fs::rename(&aside, folder);
        return Err(error);
    }
    fs::rename(&aside, beside)
}

/// Removes the files of a run: those that its `result.json` lists, and its bookkeeping.
fn remove_run(folder: &Path) -> Result<(), ReportError> {
    let result = folder.join(RESULT_FILE);
    // An unreadable result lists no files to remove; the run is replaced nevertheless.
    let old = fs::read_to_string(&result).ok().and_then(|text| RunResult::from_json(&text).ok());
    for file in old.map(|old| old.files).unwrap_or_default() {
        // A manipulated `result.json` must not remove files outside the folder, nor through links.
        if is_inside(folder, Path::new(&file.name)) {
            remove(&folder.join(&file.name))?;
        }
    }
    Checkpoint::of(folder).remove()?;
    remove(&folder.join(UNFINISHED))?;
    remove(&result)
}

/// Whether a relative name is a file in the folder that is reached without links.
fn is_inside(folder: &Path, name: &Path) -> bool {
    let plain = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let mut above = name.ancestors().skip(1).filter(|part| !part.as_os_str().is_empty());
    let kind = |part: &Path| fs::symlink_metadata(folder.join(part)).map(|found| found.file_type());
    plain
        && above.all(|part| kind(part).is_ok_and(|kind| kind.is_dir()))
        && kind(name).is_ok_and(|k| k.is_file())
}

/// Moves what is left of an old folder into the new one, except where that has something of the name.
fn keep_rest(old: &Path, new: &Path) -> Result<(), ReportError> {
    let failed = |e| ReportError::io("read", old, e);
    for entry in fs::read_dir(old).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (from, to) = (entry.path(), new.join(entry.file_name()));
        match fs::symlink_metadata(&to) {
            Err(_) if is_empty_folder(&from) => {}
            Err(_) => fs::rename(&from, &to).map_err(|e| ReportError::io("keep", &from, e))?,
            Ok(there) if there.is_dir() && entry.file_type().map_err(failed)?.is_dir() => {
                keep_rest(&from, &to)?;
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

fn is_empty_folder(path: &Path) -> bool {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    is_folder && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Removes a folder with its contents, if it exists; links in it are removed, not followed.
fn remove_folder(path: &Path) -> Result<(), ReportError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(ReportError::io("remove", path, e)),
        _ => Ok(()),
    }
}
