//! The folder of a run: files are on disk before `result.json` lists them.
//!
//! The order of steps guarantees that even if the process is killed in between. A new `result.json`
//! is written after all of its files have been flushed to the disk, by an atomic rename; an old run is
//! replaced as a whole (`replacement.rs`).

use crate::atomic::{remove, replace, sync_folder};
use crate::checkpoint::{Checkpoint, is_checkpoint_file};
use crate::result::{FileEntry, RunResult};
use crate::stop::{STOP_FILE, withdraw};
use crate::version::{RESULT_FILE, UNFINISHED};
use crate::{ArrayFile, ReportError, SParameters, Surface, Table, Volume, replacement};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// A folder that a run writes to.
///
/// ```
/// use phasefront_report::{OutputFolder, ReportError, RunResult};
///
/// # let temporary = tempfile::tempdir()?;
/// # let path = temporary.path().join("circle");
/// let mut folder = OutputFolder::create(&path, false)?;
/// folder.write("case.toml", b"solver = \"mom\"\n", "the case")?;
/// folder.finish(RunResult::new("mom", "circle"))?;
/// // A finished run is not overwritten by accident.
/// assert!(matches!(OutputFolder::create(&path, false), Err(ReportError::Exists { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFolder {
    /// Where the run belongs.
    target: PathBuf,
    /// Where it is written: the same, or a folder beside it until the run is complete.
    path: PathBuf,
    files: Vec<FileEntry>,
    /// Folders with new entries; their entries must be on disk before `result.json`.
    touched: BTreeSet<PathBuf>,
    /// Locks on both folders until the run ends, however it ends.
    _locks: [Option<File>; 2],
}

impl OutputFolder {
    /// Creates the folder, or opens an existing one.
    ///
    /// A folder with a `result.json`, or with files of others, is rejected unless `force`. With it the
    /// new run is written beside the old one and takes its place when it is finished: a run that
    /// fails, is stopped or killed leaves the old result unchanged. Files that belong to no run are
    /// kept, except a request to stop ([`StopFile`](crate::StopFile)). A folder that another run
    /// writes to is always rejected.
    pub fn create(path: impl AsRef<Path>, force: bool) -> Result<Self, ReportError> {
        let target = path.as_ref();
        if fs::metadata(target).is_ok_and(|m| !m.is_dir()) {
            return Err(ReportError::NotAFolder { path: target.to_owned() });
        }
        fs::create_dir_all(target).map_err(|e| ReportError::io("make the folder", target, e))?;
        let guard = lock(target)?;
        let has = |name: &str| fs::symlink_metadata(target.join(name)).is_ok();
        if has(RESULT_FILE) {
            clean_up(target)?;
        }
        if has(RESULT_FILE) && !force {
            return Err(ReportError::Exists { path: target.to_owned() });
        }
        let empty = is_empty(target)?;
        if !empty && !force && !has(UNFINISHED) {
            return Err(ReportError::NotEmpty { path: target.to_owned() });
        }
        let path = if force && !empty { replacement::start(target)? } else { target.to_owned() };
        Self::opened(target, path, guard)
    }

    /// Opens the folder of an interrupted run, to go on in it. Where the run was to replace an older
    /// one, it is the folder beside that.
    pub fn resume(path: impl AsRef<Path>) -> Result<Self, ReportError> {
        let target = path.as_ref();
        let guard = lock(target)?;
        let path = Self::unfinished_in(target);
        Self::opened(target, path, guard)
    }

    /// Where the unfinished run of a folder is: in the folder, or beside the run that it replaces.
    pub fn unfinished_in(folder: &Path) -> PathBuf {
        replacement::unfinished(folder).unwrap_or_else(|| folder.to_owned())
    }

    /// Puts a run that was complete when its process was killed in its place; whether there was one.
    pub fn complete(folder: &Path) -> Result<bool, ReportError> {
        let _guard = lock(folder)?;
        let completed = replacement::complete(folder)?;
        if folder.join(RESULT_FILE).exists() {
            clean_up(folder)?;
        }
        Ok(completed)
    }

    fn opened(target: &Path, path: PathBuf, guard: Option<File>) -> Result<Self, ReportError> {
        withdraw(target)?;
        let second = if path == target { None } else { lock(&path)? };
        let touched = BTreeSet::from([path.clone()]);
        Ok(Self { target: target.to_owned(), path, files: Vec::new(), touched, _locks: [guard, second] })
    }

    /// Where the run is written: the folder given, or one beside it until the run is finished.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What has been written so far.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// Writes a file and flushes it to the disk. `name` is relative and may have folders (`frames/1.png`);
    /// `what` describes its contents in a few words. A file of that name is replaced.
    pub fn write(
        &mut self,
        name: impl Into<String>,
        bytes: impl AsRef<[u8]>,
        what: impl Into<String>,
    ) -> Result<(), ReportError> {
        let (name, bytes) = (name.into(), bytes.as_ref());
        if !is_good_name(&name) {
            return Err(ReportError::BadName { name });
        }
        self.begin()?;
        let path = self.path.join(&name);
        // Every folder on the way to the file may be new: its own entry must be flushed too.
        for folder in Path::new(&name).ancestors().skip(1) {
            self.touched.insert(self.path.join(folder));
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| ReportError::io("make the folder", folder, e))?;
            self.check_no_link(folder)?;
        }
        self.files.retain(|f| f.name != name);
        replace(&path, &[bytes]).map_err(|e| ReportError::io("write", &path, e))?;
        self.files.push(FileEntry { name, bytes: bytes.len() as u64, what: what.into() });
        Ok(())
    }

    /// Writes a table as `<name>.csv`.
    pub fn write_table(&mut self, table: &Table, what: impl Into<String>) -> Result<(), ReportError> {
        table.validate()?;
        self.write(format!("{}.csv", table.name), table.to_csv(), what)
    }

    /// Writes arrays as `<name>.npz`.
    pub fn write_arrays(&mut self, file: &ArrayFile, what: impl Into<String>) -> Result<(), ReportError> {
        self.write(format!("{}.npz", file.name), file.to_npz()?, what)
    }

    /// Writes a surface as `<name>.vtu`.
    pub fn write_surface(&mut self, surface: &Surface, what: impl Into<String>) -> Result<(), ReportError> {
        self.write(format!("{}.vtu", surface.name), surface.to_vtu()?, what)
    }

    /// Writes a volume as `<name>.vtu`.
    pub fn write_volume(&mut self, volume: &Volume, what: impl Into<String>) -> Result<(), ReportError> {
        self.write(format!("{}.vtu", volume.name), volume.to_vtu()?, what)
    }

    /// Writes scattering parameters as `<name>.s<ports>p`.
    pub fn write_s_parameters(
        &mut self,
        parameters: &SParameters,
        what: impl Into<String>,
    ) -> Result<(), ReportError> {
        self.write(parameters.file_name(), parameters.to_touchstone()?, what)
    }

    /// Ends the run: fills in `result.files` and writes `result.json`, last and atomically. Returns
    /// the result as written.
    pub fn finish(mut self, mut result: RunResult) -> Result<RunResult, ReportError> {
        self.begin()?;
        // Detects files that another program changed or removed meanwhile.
        for file in &self.files {
            self.check_size(file)?;
        }
        for folder in &self.touched {
            sync_folder(folder)?;
        }
        let replaces = self.path != self.target;
        if replaces {
            replacement::mark(&self.path)?;
        }
        result.files = self.files;
        let file = self.path.join(RESULT_FILE);
        replace(&file, &[result.to_json().as_bytes()]).map_err(|e| ReportError::io("write", &file, e))?;
        sync_folder(&self.path)?;
        if replaces {
            replacement::exchange(&self.target, &self.path)?;
        }
        // The result is complete and in its place. What cannot be cleaned up now is harmless, and the next run does it.
        let _ = clean_up(&self.target);
        Ok(result)
    }

    fn begin(&mut self) -> Result<(), ReportError> {
        // Marks the folder as ours, so that a killed run can be repeated in it without `force`.
        let mark = self.path.join(UNFINISHED);
        // Empty, so that it is whole when it is there: a file under another name first could be left alone by a kill.
        match File::create_new(&mark) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(ReportError::io("write", &mark, e)),
            _ => Ok(()),
        }
    }

    /// A subfolder may be a link that someone put there: files are not written through it.
    fn check_no_link(&self, below: &Path) -> Result<(), ReportError> {
        let whole = |path: &Path| fs::canonicalize(path).map_err(|e| ReportError::io("find", path, e));
        if whole(below)?.starts_with(whole(&self.path)?) {
            return Ok(());
        }
        Err(ReportError::BadName { name: below.display().to_string() })
    }

    fn check_size(&self, file: &FileEntry) -> Result<(), ReportError> {
        let path = self.path.join(&file.name);
        let found = fs::metadata(&path).map_err(|e| ReportError::io("read", &path, e))?.len();
        if found == file.bytes {
            Ok(())
        } else {
            Err(ReportError::Changed { path, written: file.bytes, found })
        }
    }
}

/// Removes what only an unfinished run needs, and an old run that was replaced.
fn clean_up(folder: &Path) -> Result<(), ReportError> {
    Checkpoint::of(folder).remove()?;
    remove(&folder.join(UNFINISHED))?;
    replacement::settle(folder)?;
    withdraw(folder)
}

fn is_empty(folder: &Path) -> Result<bool, ReportError> {
    for entry in fs::read_dir(folder).map_err(|e| ReportError::io("read", folder, e))? {
        // A request to stop is not a file of someone else.
        if entry.map_err(|e| ReportError::io("read", folder, e))?.file_name() != STOP_FILE {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A relative name that stays in the folder and is not one of its bookkeeping files.
fn is_good_name(name: &str) -> bool {
    // Hidden names are those of the bookkeeping.
    let part_is_good = |part: &str| !part.is_empty() && !part.starts_with('.');
    // Without regard to case, since file systems of macOS and Windows ignore it.
    let reserved = [RESULT_FILE, STOP_FILE].iter().any(|r| name.eq_ignore_ascii_case(r));
    name.split('/').all(part_is_good)
        && !name.contains(['\\', ':', '\0'])
        && !reserved
        && !is_checkpoint_file(name)
}

/// Locks the folder against other runs. On file systems without locks it does nothing.
fn lock(folder: &Path) -> Result<Option<File>, ReportError> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let handle = File::open(folder).map_err(|e| ReportError::io("open", folder, e))?;
    for _ in 0..LOCK_TRIES {
        match handle.try_lock() {
            Ok(()) => return Ok(Some(handle)),
            // A reader that only tests the lock releases it at once; a run holds it.
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_WAIT),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(ReportError::InUse { path: folder.to_owned() })
}

/// Attempts to take the lock, and the delay between them.
const LOCK_TRIES: u32 = 5;
const LOCK_WAIT: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> RunResult {
        RunResult::new("mom", "circle")
    }

    fn finished(path: &Path, names: &[&str]) {
        let mut folder = OutputFolder::create(path, true).unwrap();
        for name in names {
            folder.write(*name, "old", "a file").unwrap();
        }
        folder.finish(result()).unwrap();
    }

    #[test]
    fn files_are_listed_with_their_size() {
        let temporary = tempfile::tempdir().unwrap();
        let mut folder = OutputFolder::create(temporary.path().join("a/b"), false).unwrap();
        folder.write("frames/1.txt", "twelve bytes", "a frame").unwrap();
        folder.write("x.txt", "first", "replaced").unwrap();
        folder.write("x.txt", "second", "an x").unwrap();
        let written = folder.finish(result()).unwrap();
        let entry = |name: &str, bytes, what: &str| FileEntry { name: name.into(), bytes, what: what.into() };
        assert_eq!(written.files, [entry("frames/1.txt", 12, "a frame"), entry("x.txt", 6, "an x")]);
        let text = fs::read_to_string(temporary.path().join("a/b/result.json")).unwrap();
        assert_eq!(RunResult::from_json(&text).unwrap(), written);
    }

    #[test]
    fn a_finished_run_is_kept_unless_forced() {
        let temporary = tempfile::tempdir().unwrap();
        let path = &temporary.path().join("run");
        finished(path, &["stale.csv", "sub/stale.csv"]);
        fs::write(path.join("notes.txt"), "mine").unwrap();
        let error = OutputFolder::create(path, false).unwrap_err();
        assert!(error.advice().unwrap().contains("--force"));
        assert!(path.join("stale.csv").exists());

        let mut folder = OutputFolder::create(path, true).unwrap();
        folder.write("new.csv", "new", "a file").unwrap();
        assert!(path.join(RESULT_FILE).exists() && path.join("sub/stale.csv").exists());
        drop(folder);
        // A run that did not finish leaves the old one.
        assert!(path.join(RESULT_FILE).exists() && path.join("stale.csv").exists());

        let mut folder = OutputFolder::create(path, true).unwrap();
        folder.write("sub/new.csv", "new", "a file").unwrap();
        folder.finish(result()).unwrap();
        assert!(path.join(RESULT_FILE).exists() && path.join("sub/new.csv").exists());
        assert!(!path.join("stale.csv").exists() && !path.join("sub/stale.csv").exists());
        assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
        assert_eq!(hidden(path.parent().unwrap()), Vec::<String>::new());
        assert_eq!(hidden(path), Vec::<String>::new());
    }

    fn hidden(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.') && !name.starts_with(".tmp")).collect()
    }

    #[test]
    fn a_crash_on_either_side_of_the_exchange_is_recovered() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("run");
        finished(&path, &["old.csv"]);
        fs::write(path.join("notes.txt"), "mine").unwrap();
        // Complete, but killed before the exchange: the old run is there, and the new one takes its place on request.
        let beside = temporary.path().join(".run.unfinished");
        finished(&beside, &["new.csv"]);
        replacement::mark(&beside).unwrap();
        assert!(path.join("old.csv").exists());
        assert!(OutputFolder::complete(&path).unwrap() && !OutputFolder::complete(&path).unwrap());
        assert!(
            path.join("new.csv").exists()
                && path.join("notes.txt").exists()
                && !path.join("old.csv").exists()
        );
        assert!(!beside.exists());
        // Killed after the exchange, before the old run was removed.
        finished(&beside, &["older.csv"]);
        replacement::mark(&path).unwrap();
        assert!(matches!(OutputFolder::create(&path, false), Err(ReportError::Exists { .. })));
        assert!(!beside.exists() && path.join("new.csv").exists() && !path.join("older.csv").exists());
    }

    #[test]
    fn a_stopped_run_lasts_until_a_forced_one_is_finished() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("run");
        let mut folder = OutputFolder::create(&path, false).unwrap();
        folder.write("case.toml", "1", "the case").unwrap();
        Checkpoint::of(&path).write_header("saved work").unwrap();
        drop(folder);
        let mut folder = OutputFolder::create(&path, true).unwrap();
        folder.write("case.toml", "2", "the case").unwrap();
        assert!(Checkpoint::of(&path).header().unwrap().is_some());
        folder.finish(result()).unwrap();
        assert!(Checkpoint::of(&path).header().unwrap().is_none());
        assert_eq!(fs::read_to_string(path.join("case.toml")).unwrap(), "2");
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_elsewhere_are_neither_emptied_nor_written_to() {
        let temporary = tempfile::tempdir().unwrap();
        let (path, outside) = (temporary.path().join("run"), temporary.path().join("outside"));
        fs::create_dir_all(&path).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a.csv"), "precious").unwrap();
        std::os::unix::fs::symlink(&outside, path.join("sub")).unwrap();
        let mut lying = result();
        lying.files.push(FileEntry { name: "sub/a.csv".into(), bytes: 8, what: String::new() });
        fs::write(path.join(RESULT_FILE), lying.to_json()).unwrap();
        OutputFolder::create(&path, true).unwrap().finish(result()).unwrap();
        assert_eq!(fs::read_to_string(outside.join("a.csv")).unwrap(), "precious");
        fs::remove_file(path.join(RESULT_FILE)).unwrap();
        fs::write(path.join(UNFINISHED), "").unwrap();
        let mut folder = OutputFolder::create(&path, false).unwrap();
        assert!(matches!(folder.write("sub/a.csv", "new", "a"), Err(ReportError::BadName { .. })));
        assert_eq!(fs::read_to_string(outside.join("a.csv")).unwrap(), "precious");
    }

    #[test]
    fn a_folder_of_someone_else_is_left_alone_unless_forced() {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("current.csv"), "mine").unwrap();
        let error = OutputFolder::create(temporary.path(), false).unwrap_err();
        assert!(matches!(error, ReportError::NotEmpty { .. }), "{error}");
        assert!(OutputFolder::create(temporary.path(), true).is_ok());
    }

    #[test]
    fn a_result_that_lists_files_elsewhere_removes_nothing_there() {
        let temporary = tempfile::tempdir().unwrap();
        let (path, outside) = (temporary.path().join("run"), temporary.path().join("outside"));
        fs::create_dir(&path).unwrap();
        fs::write(&outside, "precious").unwrap();
        let mut lying = result();
        for name in ["../outside", outside.to_str().unwrap()] {
            lying.files.push(FileEntry { name: name.into(), bytes: 8, what: String::new() });
        }
        fs::write(path.join(RESULT_FILE), lying.to_json()).unwrap();
        OutputFolder::create(&path, true).unwrap();
        assert!(outside.exists());
    }

    #[test]
    fn a_foreign_folder_is_used_and_nothing_in_it_removed() {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("notes.txt"), "mine").unwrap();
        finished(temporary.path(), &["a.csv"]);
        assert!(temporary.path().join("notes.txt").exists());
    }

    #[test]
    fn a_file_is_not_a_folder() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = OutputFolder::create(file.path(), true).unwrap_err();
        assert!(matches!(error, ReportError::NotAFolder { .. }));
        let error = OutputFolder::create(file.path().join("below"), true).unwrap_err();
        assert!(matches!(error, ReportError::Io { .. }));
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let mut folder = OutputFolder::create(temporary.path(), false).unwrap();
        for name in ["", ".", "..", "../x", "a/../../x", "/etc/x", "a//b", "a/", "C:x", "a\\b", "result.json"]
        {
            let error = folder.write(name, "", "").unwrap_err();
            assert!(matches!(error, ReportError::BadName { .. }), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_its_target_kept() {
        let temporary = tempfile::tempdir().unwrap();
        let target = tempfile::NamedTempFile::new().unwrap();
        std::os::unix::fs::symlink(target.path(), temporary.path().join("a.csv")).unwrap();
        finished(temporary.path(), &["a.csv"]);
        assert_eq!(fs::read(target.path()).unwrap(), b"");
    }

    #[cfg(unix)]
    #[test]
    fn two_runs_do_not_share_a_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let first = OutputFolder::create(temporary.path(), false).unwrap();
        assert!(matches!(OutputFolder::create(temporary.path(), true), Err(ReportError::InUse { .. })));
        drop(first);
        OutputFolder::create(temporary.path(), false).unwrap();
    }

    #[test]
    fn a_checkpoint_lasts_until_the_run_is_finished() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path();
        let mut folder = OutputFolder::create(path, false).unwrap();
        folder.write("case.toml", "1", "the case").unwrap();
        let checkpoint = Checkpoint::of(path);
        checkpoint.write_header("first").unwrap();
        checkpoint.write_header("second").unwrap();
        checkpoint.append(&[b"1"], false).unwrap();
        drop(folder);
        // As after a crash: the folder may be opened again, and nothing is lost.
        let mut folder = OutputFolder::create(path, false).unwrap();
        assert_eq!(checkpoint.header().unwrap().as_deref(), Some("second"));
        for name in ["checkpoint.json", "checkpoint.bin", "Checkpoint-run1-step25-rank0.bin"] {
            assert!(folder.write(name, "", "").is_err(), "{name} is reserved");
        }
        folder.write("case.toml", "1", "the case").unwrap();
        let result = folder.finish(result()).unwrap();
        assert_eq!(result.files.len(), 1);
        assert_eq!(checkpoint.header().unwrap(), None);
        assert_eq!(checkpoint.records().unwrap().iter().count(), 0);
    }

    #[test]
    fn a_file_that_changed_meanwhile_stops_the_run() {
        let temporary = tempfile::tempdir().unwrap();
        let mut folder = OutputFolder::create(temporary.path(), false).unwrap();
        folder.write("a.csv", "1234", "a").unwrap();
        fs::write(temporary.path().join("a.csv"), "12").unwrap();
        assert!(matches!(folder.finish(result()), Err(ReportError::Changed { written: 4, found: 2, .. })));
        assert!(!temporary.path().join(RESULT_FILE).exists());
    }
}
