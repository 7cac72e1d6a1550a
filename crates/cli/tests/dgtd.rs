//! A dgtd run that is stopped again and again, and resumed to the same files.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for a checkpoint; generous, for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// Two runs of some seconds each on one thread: a slab between two ports under a metal strip over metal, with layers above, a material
/// with a term, and a probe.
const CASE: &str = include_str!("line.toml");

fn phasefront(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasefront"));
    command.current_dir(folder).args(arguments).args(["--device", "cpu", "--threads", "1"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Starts the program, and stops it by `signal` once it has kept a checkpoint of its own; or lets it end.
fn stopped(folder: &Path, arguments: &[&str], signal: &str) -> Output {
    let checkpoint = folder.join("out/checkpoint.bin");
    let kept = || fs::metadata(&checkpoint).and_then(|m| m.modified()).ok();
    let (before, started) = (kept(), Instant::now());
    let mut child = phasefront(folder, arguments).spawn().expect("the program starts");
    // At its end the program removes its checkpoint, and is left to it.
    while (kept().is_none() || kept() == before) && child.try_wait().expect("a child").is_none() {
        assert!(started.elapsed() < PATIENCE, "no checkpoint came");
        std::thread::sleep(Duration::from_millis(2));
    }
    // It may have ended meanwhile: then there is nobody to stop.
    let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    fs::write(path.join("case.toml"), CASE).expect("a case");
    let whole = phasefront(path, &["run", "case.toml", "--out", "whole"]).output().expect("it runs");
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));

    // Ctrl-C says how to go on.
    let output = stopped(path, &["run", "case.toml", "--out", "out"], "-INT");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("phasefront resume out"), "{}", stderr(&output));
    refuses_what_is_not_its_own(path);

    // A crash does not, and takes no more than what was done since the last checkpoint.
    let mut killed_in_second = 0;
    loop {
        let output = stopped(path, &["resume", "out"], "-KILL");
        if output.status.code() == Some(0) {
            break;
        }
        assert_eq!(output.status.code(), None, "{}", stderr(&output));
        assert!(!path.join("out/result.json").exists());
        killed_in_second += usize::from(stderr(&output).contains("run 2 of 2"));
    }
    assert!(killed_in_second > 0, "the second run was too short to be killed");

    let names = |run: &str| -> Vec<String> {
        let entries = fs::read_dir(path.join(run)).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("a file").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    };
    assert_eq!(names("out"), names("whole"), "nothing is left of checkpoints");
    for table in ["port.csv", "energy.csv", "probes.csv", "sparameters.s2p"] {
        assert!(path.join("out").join(table).is_file(), "{table}");
    }
    // All but how long it took.
    for name in names("whole").iter().filter(|name| !["result.json", "report.html"].contains(&name.as_str()))
    {
        let file = |run: &str| fs::read(path.join(run).join(name)).expect("a file");
        assert!(file("out") == file("whole"), "{name} differs");
    }
}

/// A checkpoint that is damaged, and one of another case; both are left as they were.
fn refuses_what_is_not_its_own(path: &Path) {
    let refusal = || {
        let output = phasefront(path, &["resume", "out"]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        let words = stderr(&output);
        words.lines().find(|line| line.starts_with("error")).unwrap_or_default().to_owned()
    };
    let change = |name: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>, expected: &str| {
        let file = path.join("out").join(name);
        let good = fs::read(&file).expect("a file");
        fs::write(&file, change(good.clone())).expect("it is written");
        assert_eq!(refusal(), format!("error: out cannot be resumed: {expected}"));
        fs::write(&file, good).expect("it is written");
    };
    let flipped = |mut bytes: Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };
    let entries = fs::read_dir(path.join("out")).expect("a folder").map(|entry| entry.expect("a file"));
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let parts: Vec<String> = names.filter(|name| name.contains("checkpoint-pass")).collect();
    assert_eq!(parts.len(), 1, "{parts:?}");
    for name in ["checkpoint.bin", &parts[0]] {
        let damaged = format!("{name} is damaged: it was truncated or changed");
        change(name, &|bytes| bytes[..bytes.len() / 2].to_vec(), &damaged);
        change(name, &flipped, &damaged);
    }
    let other = |_| CASE.replace("eps_r = 3.0", "eps_r = 3.1").into_bytes();
    let changed = "its case.toml changed since the run was started: geometry.materials.slab.eps_r";
    change("case.toml", &other, changed);
}
