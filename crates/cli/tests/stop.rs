//! The file `stop`, which ends a run from outside.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for a run to save its work; generous, for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Minutes of work in small pieces.
const MOM: &str = r#"version = 1
solver = "mom"
name = "long"

[geometry]
bodies = [{ shape = "circle", radius = "1 m" }]

[source]
frequency = { from = "100 MHz", to = "300 MHz", points = 10000 }
polarization = "TM"
propagation = "0 deg"

[solve]
cells = 200
method = "pulse"

[output]
echo_width = "0 deg"
"#;

fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_phasefront"))
        .current_dir(folder)
        .args(arguments)
        .args(["--device", "cpu"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits for the first message, which comes when the folder is open, and for saved work; then asks for the end and returns the exit code
/// with all messages.
fn stop(mut child: Child, out: &Path) -> (Option<i32>, String) {
    let mut messages = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    messages.read_line(&mut text).expect("a first line");
    let started = Instant::now();
    while !out.join("checkpoint.bin").exists() {
        assert!(started.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "nothing saved: {text}");
        std::thread::sleep(Duration::from_millis(10));
    }
    fs::write(out.join("stop"), "").unwrap();
    messages.read_to_string(&mut text).expect("messages");
    (child.wait().expect("it ends").code(), text)
}

#[test]
fn a_stop_file_ends_a_run_that_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let line = include_str!("line.toml").replace("20 ns", "1 s");
    for (name, text) in [("long", MOM), ("line", line.as_str())] {
        fs::write(folder.path().join("case.toml"), text).unwrap();
        let out = folder.path().join(name);
        // One from before the run is not meant for it.
        fs::create_dir(&out).unwrap();
        fs::write(out.join("stop"), "").unwrap();
        for command in [&["run", "case.toml", "--out", name][..], &["resume", name]] {
            let (code, text) = stop(start(folder.path(), command), &out);
            assert_eq!(code, Some(130), "{name}: {text}");
            assert!(text.contains(&format!("stopping: {name}/stop was found")), "{text}");
            assert!(text.contains(&format!("phasefront resume {name}")), "{text}");
            assert!(!out.join("stop").exists() && !out.join("result.json").exists(), "{name}");
        }
    }
}
