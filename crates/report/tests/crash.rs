//! Whatever ends a run early, its folder never holds a `result.json` that lies, and an old result stays until there is a new one.
//!
//! The tests start this test program again as a child that writes a folder, and end it: by `kill -9` at various
//! moments, or by a limit on the size of files, which fails like a full disk does.
#![cfg(unix)]

use phasefront_report::{OutputFolder, RESULT_FILE, ReportError, RunResult};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set for a child: the folder it writes to.
const FOLDER: &str = "PHASEFRONT_TEST_FOLDER";
/// Bytes of one file of the killed child: large enough that kills fall inside a write.
const FILE_BYTES: usize = 300_000;
/// Limit on the size of a file, in the blocks of 512 bytes of the POSIX shell.
const LIMIT_BLOCKS: usize = 16;

/// In a child, the folder it was given; each test below first asks whether it is one.
fn folder_of_child() -> Option<std::path::PathBuf> {
    std::env::var_os(FOLDER).map(Into::into)
}

fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env(FOLDER, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Either there is no result, or all of its files are there, whole.
fn assert_honest(folder: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join(RESULT_FILE)) else { return false };
    let result = RunResult::from_json(&text).unwrap();
    assert_eq!(result.files.len(), 3);
    let round = result.metrics["round"] as usize;
    for file in &result.files {
        let bytes = std::fs::read(folder.join(&file.name)).unwrap();
        assert_eq!(bytes.len() as u64, file.bytes, "{}", file.name);
        assert!(bytes.iter().all(|b| *b == round as u8), "{} is of another round", file.name);
    }
    true
}

fn write_round(path: &Path, round: usize) {
    let mut folder = OutputFolder::create(path, true).unwrap();
    for name in ["a.bin", "b.bin", "sub/c.bin"] {
        folder.write(name, vec![round as u8; FILE_BYTES + round], "bytes").unwrap();
    }
    let mut result = RunResult::new("mom", "killed");
    result.metrics.insert("round".into(), round as f64);
    folder.finish(result).unwrap();
}

/// Writes round after round and rests after each for as long as it took. After the first, whoever started this is told how long that
/// was: by then the child runs, however long its start took.
fn write_forever(path: &Path) {
    for round in 0.. {
        let started = Instant::now();
        write_round(path, round);
        let took = started.elapsed();
        if round == 0 {
            // Past the test harness, which keeps what macros print to itself.
            std::io::stderr().write_all(&took.as_secs_f64().to_ne_bytes()).unwrap();
        }
        std::thread::sleep(took);
    }
}

#[test]
fn a_killed_run_leaves_no_result_that_lies() {
    if let Some(path) = folder_of_child() {
        write_forever(&path);
    }
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("run");
    let mut inside = 0;
    for attempt in 0..40 {
        let mut process =
            child("a_killed_run_leaves_no_result_that_lies", &folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut round = [0; 8];
        process.stderr.as_mut().unwrap().read_exact(&mut round).unwrap();
        // Disks differ a hundredfold in how fast they flush: the kills are spread over the next two rounds of this one.
        std::thread::sleep(Duration::from_secs_f64(f64::from_ne_bytes(round) * 0.1 * f64::from(attempt)));
        process.kill().unwrap();
        process.wait().unwrap();
        // The first round was finished before the kill: since then there is always a result, the old or the new one.
        assert!(assert_honest(&folder), "kill {attempt} lost the old result");
        inside += usize::from(temporary.path().join(".run.unfinished").exists());
    }
    assert!(inside > 0, "no kill fell inside a run");
    assert!(inside < 40, "no kill fell between runs");
}

fn is_too_large(error: &ReportError) -> bool {
    matches!(error, ReportError::Io { .. }) && error.to_string().contains("File too large")
}

fn hit_the_limit_in_a_file(path: &Path) {
    let mut folder = OutputFolder::create(path, true).unwrap();
    folder.write("small.bin", [0; 100], "fits").unwrap();
    let error = folder.write("large.bin", vec![0; LIMIT_BLOCKS * 512 + 1], "does not fit").unwrap_err();
    assert!(is_too_large(&error), "{error}");
    assert!(error.to_string().contains("large.bin") && error.advice().is_some());
}

fn hit_the_limit_in_the_result(path: &Path) {
    let mut folder = OutputFolder::create(path, true).unwrap();
    folder.write("small.bin", [0; 100], "fits").unwrap();
    let mut result = RunResult::new("mom", "full");
    result.warnings.push("x".repeat(LIMIT_BLOCKS * 512));
    let error = folder.finish(result).unwrap_err();
    assert!(is_too_large(&error), "{error}");
}

#[test]
fn a_full_disk_in_a_file_leaves_no_result() {
    on_a_full_disk("a_full_disk_in_a_file_leaves_no_result", hit_the_limit_in_a_file);
}

#[test]
fn a_full_disk_in_the_result_leaves_no_result() {
    on_a_full_disk("a_full_disk_in_the_result_leaves_no_result", hit_the_limit_in_the_result);
}

/// Runs `body` in a child of `test` whose files cannot grow beyond the limit.
fn on_a_full_disk(test: &str, body: fn(&Path)) {
    if let Some(path) = folder_of_child() {
        // A result of an earlier run must stay. Not made by the parent: a child that another test starts at that moment
        // would hold the lock of the folder until it has become another program.
        OutputFolder::create(&path, false).unwrap().finish(RunResult::new("mom", "old")).unwrap();
        body(&path);
    } else {
        let temporary = tempfile::tempdir().unwrap();
        // With the signal ignored, a write beyond the limit fails as one on a full disk does.
        let script = format!("trap '' XFSZ; ulimit -f {LIMIT_BLOCKS}; exec \"$0\" --exact {test}");
        let output = Command::new("sh")
            .args(["-c", &script])
            .arg(std::env::current_exe().unwrap())
            .env(FOLDER, temporary.path().join("run"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let mut left: Vec<_> =
            std::fs::read_dir(temporary.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        // The old result is whole; beside it is what the new run had written, to be resumed or discarded.
        assert_eq!(left, [".run.unfinished", "run"]);
        let result = std::fs::read_to_string(temporary.path().join("run").join(RESULT_FILE)).unwrap();
        assert_eq!(RunResult::from_json(&result).unwrap().case, "old");
        assert!(!temporary.path().join(".run.unfinished").join(RESULT_FILE).exists());
    }
}
