//! Signals and limits of the operating system: nothing ends a run without a word, and nothing that the user protected.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longest wait; generous, for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A sweep of some seconds in many batches.
const SWEEP: &str = r#"version = 1
solver = "sbr"
name = "sweep"

[geometry]
target = { shape = "missile" }

[source]
frequency = ["3 GHz", "4 GHz"]
theta = "90 deg"
phi = { from = "0 deg", to = "180 deg", points = 181 }
"#;

/// The program after a command of the shell, such as a limit.
fn after(setting: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", &format!("{setting}; exec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_phasefront")).args(arguments);
    command.stdin(Stdio::null()).env_remove("CARGO");
    command
}

fn sweep_in(folder: &Path) {
    std::fs::write(folder.join("case.toml"), SWEEP).unwrap();
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Starts a sweep, waits until work is saved, sends a signal and waits for the end.
fn sweep_with_signal(setting: &str, signal: &str, folder: &Path) -> Output {
    sweep_in(folder);
    let arguments = ["run", "case.toml", "--device", "cpu", "--out", "out"];
    let child =
        after(setting, folder, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_saved_work(folder, &child);
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    child.wait_with_output().unwrap()
}

fn wait_for_saved_work(folder: &Path, child: &Child) {
    let started = Instant::now();
    while !std::fs::metadata(folder.join("out/checkpoint.bin")).is_ok_and(|file| file.len() > 0) {
        assert!(started.elapsed() < PATIENCE, "process {} saved nothing", child.id());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn nohup_protects_a_run_from_the_end_of_its_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let output = sweep_with_signal("trap '' HUP", "-HUP", folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(folder.path().join("out/result.json").exists());
}

/// Whether the tests themselves run under `nohup`, which what they start inherits.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 1 == 1)
}

#[test]
fn without_it_work_is_saved_and_resumed_as_after_sigterm() {
    for signal in ["-HUP", "-TERM"] {
        if signal == "-HUP" && (!cfg!(target_os = "linux") || hangups_are_ignored()) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let output = sweep_with_signal("true", signal, folder.path());
        assert_eq!(output.status.code(), Some(130), "{signal}: {}", stderr(&output));
        assert!(stderr(&output).contains("phasefront resume out"), "{}", stderr(&output));
        let output = after("true", folder.path(), &["resume", "out", "--device", "cpu"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    sweep_in(folder.path());
    let arguments = ["run", "case.toml", "--device", "cpu", "--out", "out"];
    let output = after("ulimit -f 8", folder.path(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{:?} {}", output.status, stderr(&output));
    assert!(stderr(&output).contains("File too large"), "{}", stderr(&output));
    let output = after("true", folder.path(), &["resume", "out", "--device", "cpu"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_memory_is_compared_before_the_work_begins() {
    let folder = tempfile::tempdir().unwrap();
    // 8000 unknowns take 1 GB.
    let case = r#"version = 1
solver = "mom"
name = "large"

[geometry]
bodies = [{ shape = "circle", radius = "1 m" }]

[source]
frequency = "100 MHz"
polarization = "TM"
propagation = "0 deg"

[solve]
cells = 1000
"#;
    std::fs::write(folder.path().join("case.toml"), case).unwrap();
    let arguments = ["run", "case.toml", "--device", "cpu", "--threads", "2"];
    let output = after("ulimit -v 1500000", folder.path(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{:?} {}", output.status, stderr(&output));
    assert!(stderr(&output).contains("of memory, and"), "{}", stderr(&output));
    assert!(!folder.path().join("results").exists());
}
