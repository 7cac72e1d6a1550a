//! The runs below a folder. A page asks for them every few seconds: a `result.json` is read again
//! only if its time or size has changed.

use phasefront_report::{FolderState, RESULT_FILE, RunResult};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum depth of folders: `results/demo/circle` is two below `results`.
const DEEPEST: usize = 5;
/// Maximum number of folders visited, so that a mistaken `phasefront view /` ends.
const MAX_FOLDERS: usize = 20_000;
/// Maximum size of a `result.json`.
const MAX_RESULT: u64 = 16 << 20;

/// A run in the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// Its path, with `/` between folders; empty for the root itself.
    pub path: String,
    /// `finished`, `running` or `stopped`.
    pub state: FolderState,
    solver: Option<String>,
    case: Option<String>,
    device: Option<String>,
    seconds: Option<f64>,
    checks: Option<usize>,
    checks_passed: Option<usize>,
    modified_unix_s: u64,
}

/// The runs below one folder, as of the last request.
#[derive(Default)]
pub struct RunList {
    /// Finished runs by path. The lock is held while the folder is searched: a second request waits
    /// and finds everything known.
    known: Mutex<HashMap<String, Known>>,
}

struct Known {
    stamp: Stamp,
    run: Arc<Run>,
}

/// Tells a `result.json` from an earlier one at the same place.
#[derive(PartialEq, Eq, Clone, Copy)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
}

impl RunList {
    /// All runs, the newest first. Unreadable entries are left out: folders change while runs are
    /// written.
    pub fn update(&self, root: &Path) -> Vec<Arc<Run>> {
        // A panic elsewhere leaves nothing half known.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut search = Search { before: std::mem::take(&mut *known), ..Search::default() };
        search.visit(root, "", 0);
        *known = search.known;
        // Equal times are ordered by path: the list must not jump between updates.
        search
            .found
            .sort_by(|a, b| b.modified_unix_s.cmp(&a.modified_unix_s).then_with(|| a.path.cmp(&b.path)));
        search.found
    }
}

/// One walk through the folders.
#[derive(Default)]
struct Search {
    visited: usize,
    before: HashMap<String, Known>,
    known: HashMap<String, Known>,
    found: Vec<Arc<Run>>,
}

impl Search {
    fn visit(&mut self, folder: &Path, path: &str, depth: usize) {
        if self.visited == MAX_FOLDERS {
            return;
        }
        self.visited += 1;
        if let Some(state) = FolderState::of(folder) {
            let run = self.describe(folder, path, state);
            self.found.push(run);
            // Folders inside a run belong to it.
            return;
        }
        if depth == DEEPEST {
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Links are not followed: they may lead anywhere, and in cycles.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Hidden folders hold no runs, but may be large, such as `.git`.
            if name.starts_with('.') {
                continue;
            }
            let below = if path.is_empty() { name } else { format!("{path}/{name}") };
            self.visit(&entry.path(), &below, depth + 1);
        }
    }

    fn describe(&mut self, folder: &Path, path: &str, state: FolderState) -> Arc<Run> {
        let file = folder.join(RESULT_FILE);
        if state != FolderState::Finished {
            return Arc::new(Run::new(path, state, modified(fs::metadata(folder).ok().as_ref()), None));
        }
        // The stamp is taken before the file is read: one that is replaced in between is read again
        // the next time.
        let data = fs::metadata(&file).ok();
        let stamp = data.as_ref().and_then(Stamp::of);
        if let Some(known) = self.before.remove(path).filter(|known| Some(known.stamp) == stamp) {
            let run = known.run.clone();
            self.known.insert(path.into(), known);
            return run;
        }
        let result = read(&file, data.as_ref());
        let run = Arc::new(Run::new(path, state, modified(data.as_ref()), result));
        if let Some(stamp) = stamp {
            self.known.insert(path.into(), Known { stamp, run: run.clone() });
        }
        run
    }
}

impl Stamp {
    fn of(data: &Metadata) -> Option<Self> {
        Some(Self { modified: data.modified().ok()?, bytes: data.len() })
    }
}

impl Run {
    fn new(path: &str, state: FolderState, modified_unix_s: u64, result: Option<RunResult>) -> Self {
        Self {
            path: path.into(),
            state,
            seconds: result.as_ref().map(|r| r.seconds.values().filter(|s| s.is_finite()).sum()),
            checks: result.as_ref().map(|r| r.checks.len()),
            checks_passed: result.as_ref().map(|r| r.checks.iter().filter(|check| check.pass).count()),
            solver: result.as_ref().map(|r| r.solver.clone()),
            case: result.as_ref().map(|r| r.case.clone()),
            device: result.map(|r| r.device),
            modified_unix_s,
        }
    }
}

fn modified(data: Option<&Metadata>) -> u64 {
    let at = data.and_then(|data| data.modified().ok()).unwrap_or(UNIX_EPOCH);
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn read(file: &Path, data: Option<&Metadata>) -> Option<RunResult> {
    let text = (data?.len() <= MAX_RESULT).then(|| fs::read_to_string(file).ok()).flatten()?;
    RunResult::from_json(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_report::{Check, OutputFolder};
    use std::time::{Duration, Instant};

    #[test]
    fn finished_running_and_stopped_runs_are_found() {
        let root = tempfile::tempdir().unwrap();
        let mut done = OutputFolder::create(root.path().join("demo/circle"), false).unwrap();
        done.write("frames/1.txt", "x", "a frame").unwrap();
        let mut result = RunResult::new("mom", "circle");
        result.seconds.insert("solve".into(), 1.5);
        result.checks.push(Check::new("a", 1.0, 1.0, 0.1, "b"));
        result.checks.push(Check::new("c", 2.0, 1.0, 0.1, "d"));
        done.finish(result).unwrap();
        let mut stopped = OutputFolder::create(root.path().join("stopped"), false).unwrap();
        stopped.write("case.toml", "", "the case").unwrap();
        drop(stopped);
        let _running = OutputFolder::create(root.path().join("running"), false).unwrap();
        fs::create_dir_all(root.path().join("notes/.hidden")).unwrap();
        fs::write(root.path().join("demo/circle/result.txt"), "not a run").unwrap();

        let mut runs = RunList::default().update(root.path());
        runs.sort_by(|a, b| a.path.cmp(&b.path));
        let states: Vec<_> = runs.iter().map(|run| (run.path.as_str(), run.state)).collect();
        assert_eq!(
            states,
            [
                ("demo/circle", FolderState::Finished),
                ("running", FolderState::Running),
                ("stopped", FolderState::Stopped)
            ]
        );
        let circle = &runs[0];
        assert_eq!((circle.checks, circle.checks_passed, circle.seconds), (Some(2), Some(1), Some(1.5)));
        assert_eq!(runs[1].solver, None);
    }

    #[test]
    fn the_folder_itself_can_be_a_run_and_a_broken_result_is_listed() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(RESULT_FILE), "{ not json").unwrap();
        let runs = RunList::default().update(root.path());
        assert_eq!(runs.len(), 1);
        assert_eq!((runs[0].path.as_str(), runs[0].state), ("", FolderState::Finished));
        assert_eq!(runs[0].case, None);
    }

    #[test]
    fn a_run_that_is_replaced_or_removed_is_not_remembered() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, case: &str| {
            let folder = OutputFolder::create(root.path().join(name), true).unwrap();
            folder.finish(RunResult::new("mom", case)).unwrap();
        };
        let list = RunList::default();
        let cases = || {
            let mut cases: Vec<_> = list.update(root.path()).iter().map(|run| run.case.clone()).collect();
            cases.sort();
            cases.into_iter().flatten().collect::<Vec<_>>()
        };
        write("a", "first");
        write("b", "other");
        assert_eq!(cases(), ["first", "other"]);
        let before = list.update(root.path());
        assert!(list.update(root.path()).iter().zip(&before).all(|(now, then)| Arc::ptr_eq(now, then)));
        // The same size, at another time.
        write("a", "again");
        assert_eq!(cases(), ["again", "other"]);
        fs::remove_dir_all(root.path().join("b")).unwrap();
        assert_eq!(cases(), ["again"]);
        assert_eq!(list.known.lock().unwrap().len(), 1);
        // Another run into the same folder: the old one is shown until it is finished.
        let mut folder = OutputFolder::create(root.path().join("a"), true).unwrap();
        folder.write("case.toml", "", "the case").unwrap();
        assert_eq!(cases(), ["again"]);
        folder.finish(RunResult::new("mom", "third")).unwrap();
        assert_eq!(cases(), ["third"]);
    }

    #[test]
    fn ten_thousand_runs_are_listed_in_half_a_second_once_they_are_known() {
        let root = tempfile::tempdir().unwrap();
        let mut result = RunResult::new("mom", "circle");
        for i in 0..40 {
            result.settings.insert(format!("group.setting_{i}"), "\"a value\"".into());
            result.metrics.insert(format!("metric_{i}"), f64::from(i));
        }
        let text = serde_json::to_string_pretty(&result).unwrap();
        for i in 0..10_000 {
            let folder = root.path().join(format!("sweep-{}/{i}", i % 10));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(RESULT_FILE), &text).unwrap();
        }
        let list = RunList::default();
        let timed = || {
            let started = Instant::now();
            assert_eq!(list.update(root.path()).len(), 10_000);
            started.elapsed()
        };
        let (first, second) = (timed(), timed());
        println!("10,000 runs: {first:?} the first time, {second:?} the second");
        assert!(second < Duration::from_millis(500), "{second:?} after {first:?}");
    }
}
