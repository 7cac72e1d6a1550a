//! The runs below a folder.

use phasefront_report::{FolderState, RESULT_FILE, RunResult};
use serde::Serialize;
use std::fs;
use std::path::Path;
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

/// All runs, the newest first. Unreadable entries are left out: folders change while runs are
/// written.
pub fn runs(root: &Path) -> Vec<Run> {
    let (mut found, mut left) = (Vec::new(), MAX_FOLDERS);
    visit(root, "", 0, &mut left, &mut found);
    // Equal times are ordered by path: the list must not jump between updates.
    found.sort_by(|a, b| b.modified_unix_s.cmp(&a.modified_unix_s).then_with(|| a.path.cmp(&b.path)));
    found
}

fn visit(folder: &Path, path: &str, depth: usize, left: &mut usize, found: &mut Vec<Run>) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    if let Some(state) = FolderState::of(folder) {
        found.push(describe(folder, path, state));
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
        visit(&entry.path(), &below, depth + 1, left, found);
    }
}

fn describe(folder: &Path, path: &str, state: FolderState) -> Run {
    let file = folder.join(RESULT_FILE);
    let result = (state == FolderState::Finished).then(|| read(&file)).flatten();
    let modified = fs::metadata(&file).or_else(|_| fs::metadata(folder)).and_then(|data| data.modified());
    let seconds = |at: SystemTime| at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Run {
        path: path.into(),
        state,
        seconds: result.as_ref().map(|r| r.seconds.values().filter(|s| s.is_finite()).sum()),
        checks: result.as_ref().map(|r| r.checks.len()),
        checks_passed: result.as_ref().map(|r| r.checks.iter().filter(|check| check.pass).count()),
        solver: result.as_ref().map(|r| r.solver.clone()),
        case: result.as_ref().map(|r| r.case.clone()),
        device: result.map(|r| r.device),
        modified_unix_s: modified.map_or(0, seconds),
    }
}

fn read(file: &Path) -> Option<RunResult> {
    let size = fs::metadata(file).ok()?.len();
    let text = (size <= MAX_RESULT).then(|| fs::read_to_string(file).ok()).flatten()?;
    RunResult::from_json(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_report::{Check, OutputFolder};

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

        let mut runs = runs(root.path());
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
        let runs = runs(root.path());
        assert_eq!(runs.len(), 1);
        assert_eq!((runs[0].path.as_str(), runs[0].state), ("", FolderState::Finished));
        assert_eq!(runs[0].case, None);
    }
}
