//! The program as a user meets it: its words, its exit codes, its files.

use phasefront_report::Checkpoint;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest wait for a run to notice Ctrl-C; generous, for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn phasefront(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasefront"));
    command.current_dir(folder).stdin(Stdio::null());
    // What the developer's shell sets must not change what the tests see.
    for name in ["CARGO", "NO_COLOR", "COLUMNS", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command
}

fn call(folder: &Path, arguments: &[&str]) -> Output {
    phasefront(folder).args(arguments).output().expect("the program starts")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// The one JSON document on standard output; anything else there fails.
fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}:\n{}", stdout(output)))
}

const SMALL: &str = r#"version = 1
solver = "mom"
name = "small"

[geometry]
bodies = [{ shape = "circle", radius = "1 m", material = "pec" }]

[source]
frequency = "100 MHz"
polarization = "TM"
propagation = "0 deg"

[solve]
cells = 8
method = "pulse"

[output]
echo_width = { from = "0 deg", to = "360 deg", points = 37 }
"#;

#[test]
fn alone_it_prints_the_short_help() {
    let output = call(folder().path(), &[]);
    assert_eq!(code(&output), Some(0));
    for word in [
        "demo",
        "new",
        "check",
        "run",
        "resume",
        "sweep",
        "bench",
        "doctor",
        "view",
        "schema",
        "completions",
        "man",
        "phasefront demo",
    ] {
        assert!(stdout(&output).contains(word), "{word}");
    }
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    for name in [
        "demo",
        "new",
        "check",
        "run",
        "resume",
        "sweep",
        "bench",
        "doctor",
        "view",
        "schema",
        "completions",
        "man",
    ] {
        let output = call(folder().path(), &[name, "--help"]);
        assert_eq!(code(&output), Some(0), "{name}");
        assert!(stdout(&output).contains(&format!("Example:  phasefront {name}")), "{name}");
    }
    assert!(stdout(&call(folder().path(), &["--version"])).starts_with("phasefront 0."));
}

#[test]
fn usage_errors_are_bad_input() {
    let cases: [&[&str]; 9] = [
        &["rum"],
        &["run"],
        &["run", "a.toml", "--device", "gpu"],
        &["run", "a.toml", "--threads", "0"],
        &["schema", "--force"],
        &["check", "a.toml", "--out", "b"],
        &["new", "mom", "--device", "cpu"],
        &["bench", "nothing"],
        &["run", "a.toml", "b.toml"],
    ];
    for arguments in cases {
        let output = call(folder().path(), arguments);
        assert_eq!(code(&output), Some(2), "{arguments:?}");
        assert!(stderr(&output).starts_with("error:"), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{arguments:?}");
    }
    assert!(stderr(&call(folder().path(), &["rum"])).contains("'run'"));
}

#[test]
fn usage_errors_are_json_when_asked_for() {
    let output = call(folder().path(), &["run", "--json", "--device", "gpu", "a.toml"]);
    assert_eq!(code(&output), Some(2));
    let error = &document(&output)["error"];
    assert_eq!(error["kind"], "bad_input");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("--device")));
}

#[test]
fn a_missing_file_names_its_neighbor() {
    let folder = folder();
    std::fs::write(folder.path().join("sphere.toml"), "").unwrap();
    std::fs::write(folder.path().join("plate.toml"), "").unwrap();
    for command in ["run", "check"] {
        let output = call(folder.path(), &[command, "spere.toml"]);
        assert_eq!(code(&output), Some(2));
        assert_eq!(stderr(&output), "error: spere.toml: no such file\nhelp: did you mean sphere.toml?\n");
    }
    let output = call(folder.path(), &["run", "spere.toml", "--json"]);
    let error = &document(&output)["error"];
    assert_eq!(error["file"], "spere.toml");
    assert!(error["line"].is_null() && error["column"].is_null());
    assert_eq!(error["help"], "did you mean sphere.toml?");
    let output = call(folder.path(), &["run", "nowhere/case.toml"]);
    assert!(stderr(&output).contains("the folder nowhere does not exist"), "{}", stderr(&output));
}

#[test]
fn a_folder_without_a_case_says_so() {
    let folder = folder();
    let output = call(folder.path(), &["check", "."]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("is a folder without a case.toml"), "{}", stderr(&output));
}

#[test]
fn the_schema_is_json_and_survives_a_reader_that_leaves() {
    let output = call(folder().path(), &["schema"]);
    assert_eq!(code(&output), Some(0));
    assert!(document(&output)["$schema"].is_string());

    let mut child = phasefront(folder().path())
        .arg("schema")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn new_refuses_to_overwrite() {
    let folder = folder();
    let file = folder.path().join("mom.toml");
    let output = call(folder.path(), &["new", "mom"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("run mom.toml"), "{}", stdout(&output));
    std::fs::write(&file, "mine").unwrap();
    let output = call(folder.path(), &["new", "mom"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("help: ") && stderr(&output).contains("--force"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(code(&call(folder.path(), &["new", "mom", "--force", "--quiet"])), Some(0));
    let shown = stdout(&call(folder.path(), &["new", "mom", "-"]));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), shown);
    let output = call(folder.path(), &["new", "mum"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("choose from: mom, reflectarray, sbr"), "{}", stderr(&output));
}

#[test]
fn new_writes_named_templates() {
    let folder = folder();
    let output = call(folder.path(), &["new", "dgtd", "--template", "patch-antenna"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(folder.path().join("patch-antenna.toml")).unwrap();
    assert!(text.contains("name = \"patch-antenna\""), "{text}");
    let output = call(folder.path(), &["new", "dgtd", "--template", "patch"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("dgtd has no template \"patch\""), "{}", stderr(&output));
    assert!(stderr(&output).contains("choose from: patch-antenna, "), "{}", stderr(&output));
    let output = call(folder.path(), &["new", "mom", "--template", "patch-antenna"]);
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("omit --template: mom has one template"), "{}", stderr(&output));
}

#[test]
fn new_then_check_then_run() {
    let folder = folder();
    assert_eq!(code(&call(folder.path(), &["new", "mom", "first.toml"])), Some(0));
    let output = call(folder.path(), &["check", "first.toml", "--device", "cpu"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    for word in ["(default)", "memory", "device"] {
        assert!(stdout(&output).contains(word), "{word}:\n{}", stdout(&output));
    }
    assert!(!folder.path().join("results").exists(), "check writes nothing");

    let run = ["run", "first.toml", "--device", "cpu", "--out", "here"];
    let output = call(folder.path(), &run);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("folder  here"), "{}", stdout(&output));
    assert!(stderr(&output).lines().next().is_some_and(|line| line.contains("CPU")), "{}", stderr(&output));
    for name in ["case.toml", "result.json", "report.html"] {
        assert!(folder.path().join("here").join(name).is_file(), "{name}");
    }

    let output = call(folder.path(), &run);
    assert_eq!(code(&output), Some(2), "a finished run is not overwritten");
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
    let mut forced = run.to_vec();
    forced.push("--force");
    assert_eq!(code(&call(folder.path(), &forced)), Some(0));
}

#[test]
fn json_and_quiet_say_no_more_than_they_should() {
    let folder = folder();
    std::fs::write(folder.path().join("case.toml"), SMALL.replace("cells = 8", "cells = 64")).unwrap();
    let output = call(folder.path(), &["check", ".", "--json"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert_eq!(document(&output)["solver"], "mom");

    let output = call(folder.path(), &["run", "case.toml", "--json", "--device", "cpu", "--threads", "1"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    let result = document(&output);
    assert_eq!(result["case"], "small");
    assert_eq!(result["checks_pass"], true);
    assert!(result["folder"].as_str().is_some_and(|path| path.ends_with("small")));
    assert_eq!(stderr(&output), "", "no progress beside JSON");

    let output = call(folder.path(), &["run", "case.toml", "--quiet", "--device", "cpu", "--out", "q"]);
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (Some(0), String::new(), String::new()));
}

#[test]
fn an_error_in_a_case_has_its_place() {
    let folder = folder();
    let text = SMALL.replace("frequency = \"100 MHz\"", "frequency = \"100 Mhz apart\"");
    std::fs::write(folder.path().join("bad.toml"), text).unwrap();
    let output = call(folder.path(), &["run", "bad.toml"]);
    assert_eq!(code(&output), Some(2));
    let text = stderr(&output);
    assert!(text.starts_with("error:") && text.contains("bad.toml:9:13"), "{text}");
    assert!(text.contains("\nhelp: "), "{text}");
    let output = call(folder.path(), &["check", "bad.toml", "--json"]);
    assert_eq!(code(&output), Some(2));
    let error = &document(&output)["error"];
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(9), Some(13)));
    assert!(error["file"].as_str().is_some_and(|file| file.ends_with("bad.toml")));
}

#[test]
fn a_device_that_is_not_there_is_a_device_failure() {
    let folder = folder();
    std::fs::write(folder.path().join("case.toml"), SMALL).unwrap();
    // No machine has this many.
    let output = call(folder.path(), &["run", "case.toml", "--device", "cuda:999", "--json"]);
    assert_eq!(code(&output), Some(4), "{}", stderr(&output));
    assert_eq!(document(&output)["error"]["kind"], "device");
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_ends_a_run_in_order() {
    for signal in ["-INT", "-TERM"] {
        let folder = folder();
        // Minutes of work in small pieces.
        let sweep = "frequency = { from = \"100 MHz\", to = \"300 MHz\", points = 10000 }";
        let text = SMALL.replace("frequency = \"100 MHz\"", sweep);
        let text = text.replace("cells = 8", "cells = 200").replace("points = 37", "points = 2");
        std::fs::write(folder.path().join("long.toml"), text).unwrap();
        let mut child = phasefront(folder.path())
            .args(["run", "long.toml", "--device", "cpu", "--out", "long"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut messages = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut text = String::new();
        // The handler stands before the first message.
        messages.read_line(&mut text).expect("a first line");
        let status =
            Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
        assert!(status.success());
        let reader = std::thread::spawn(move || messages.read_to_string(&mut text).map(|_| text));
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill().expect("it can be killed");
                panic!("still running {PATIENCE:?} after {signal}");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let text = reader.join().expect("the reader ends").expect("UTF-8");
        assert_eq!(status.code(), Some(130), "{text}");
        assert!(text.contains("error: interrupted"), "{text}");
        assert!(!folder.path().join("long/result.json").exists(), "an interrupted run is not finished");
    }
}

/// A synthesis of some seconds.
const SYNTHESIS: &str = r#"version = 1
solver = "reflectarray"
name = "shaped"

[geometry]
elements = [24, 24]
spacing = "0.5 lambda"
feed = { offset = "0.2 m", height = "0.35 m", power_exponent = 16 }

[[geometry.coverage]]
ellipse = { center = [0.0, 0.1], semi_axes = [0.2, 0.1] }

[source]
frequency = "14.25 GHz"

[solve]
starts = 12
"#;

#[cfg(unix)]
#[test]
fn a_stopped_synthesis_goes_on_to_the_same_end() {
    let folder = folder();
    std::fs::write(folder.path().join("case.toml"), SYNTHESIS).unwrap();
    let whole = call(folder.path(), &["run", "case.toml", "--device", "cpu", "--json", "--out", "whole"]);
    assert_eq!(code(&whole), Some(0), "{}", stderr(&whole));
    for (signal, expected) in [("-INT", Some(130)), ("-KILL", None)] {
        let mut child = phasefront(folder.path())
            .args(["run", "case.toml", "--device", "cpu", "--quiet", "--out", signal.trim_start_matches('-')])
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let out = folder.path().join(signal.trim_start_matches('-'));
        let started = Instant::now();
        while !out.join("checkpoint.bin").exists() {
            assert!(started.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "no checkpoint");
            std::thread::sleep(Duration::from_millis(5));
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
        assert_eq!(child.wait().expect("it ends").code(), expected, "{signal}");
        assert!(!out.join("result.json").exists());
        assert_eq!(out.join("elements.csv").exists(), signal == "-INT", "the best so far");
        let name = out.to_str().expect("UTF-8");
        let output = call(folder.path(), &["run", "case.toml", "--device", "cpu", "--out", name]);
        assert_eq!(code(&output), Some(2), "it is not overwritten by accident");
        assert!(stderr(&output).contains("phasefront resume"), "{}", stderr(&output));
        let output = call(folder.path(), &["resume", name, "--device", "cpu", "--json"]);
        assert_eq!(code(&output), Some(0), "{}", stderr(&output));
        for metric in ["d_min_dbi", "d_mean_dbi"] {
            assert_eq!(document(&output)["metrics"][metric], document(&whole)["metrics"][metric], "{signal}");
        }
        assert!(!out.join("checkpoint.json").exists());
        assert_eq!(
            stderr(&call(folder.path(), &["resume", name])).lines().next(),
            Some(format!("error: {name} cannot be resumed: it is finished").as_str())
        );
    }
}

/// A sweep of some seconds, in many batches.
const SWEEP: &str = r#"version = 1
solver = "sbr"
name = "sweep"

[geometry]
target = { shape = "missile" }

[source]
frequency = ["3 GHz", "4 GHz"]
theta = "90 deg"
phi = { from = "0 deg", to = "180 deg", points = 361 }
"#;

/// The end of the range of aspects in the last intact record, which stands after fingerprint, version, count and start.
#[cfg(unix)]
fn finished_aspects(out: &Path) -> u64 {
    let records = Checkpoint::of(out).records().unwrap();
    let last = records.iter().last().expect("a record");
    u64::from_le_bytes(last[96..104].try_into().unwrap())
}

#[cfg(unix)]
#[test]
fn a_stopped_sweep_goes_on_to_the_same_files() {
    let folder = folder();
    std::fs::write(folder.path().join("case.toml"), SWEEP).unwrap();
    let sweep = ["run", "case.toml", "--device", "cpu", "--quiet", "--format", "h5", "--out"];
    let whole = call(folder.path(), &[&sweep[..], &["whole"]].concat());
    assert_eq!(code(&whole), Some(0), "{}", stderr(&whole));
    let file = |run: &str, name: &str| std::fs::read(folder.path().join(run).join(name)).expect("a file");
    for (signal, expected) in [("-INT", Some(130)), ("-KILL", None)] {
        let name = signal.trim_start_matches('-');
        let mut child = phasefront(folder.path())
            .args(sweep)
            .arg(name)
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let out = folder.path().join(name);
        let records = || Checkpoint::of(&out).records().unwrap().iter().count();
        let started = Instant::now();
        while records() < 2 {
            assert!(started.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "no batch came");
            std::thread::sleep(Duration::from_millis(2));
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
        assert_eq!(child.wait().expect("it ends").code(), expected, "{signal}");
        assert!(!out.join("result.json").exists() && records() < 361, "it was stopped on its way");
        let saved = finished_aspects(&out);
        // As if the machine had died in the middle of a record.
        let bytes = std::fs::read(out.join("checkpoint.bin")).unwrap();
        std::fs::write(out.join("checkpoint.bin"), [&bytes[..], &bytes[..50]].concat()).unwrap();

        let output = call(folder.path(), &["run", "case.toml", "--device", "cpu", "--out", name]);
        assert_eq!(code(&output), Some(2), "it is not overwritten by accident");
        let output = call(folder.path(), &["resume", name, "--device", "cpu"]);
        assert_eq!(code(&output), Some(0), "{}", stderr(&output));
        let told = format!("rays: {} directions", 361 - saved);
        assert!(stderr(&output).contains(&told), "{told}: {}", stderr(&output));
        for table in ["rcs.csv", "mesh.csv", "case.toml", "rcs.svg", "data.h5"] {
            assert_eq!(file(name, table), file("whole", table), "{signal}: {table}");
        }
        let metrics = |run: &str| -> Value {
            serde_json::from_slice::<Value>(&file(run, "result.json")).expect("JSON")["metrics"].clone()
        };
        assert_eq!(metrics(name), metrics("whole"), "{signal}");
        assert!(!out.join("checkpoint.json").exists() && !out.join("checkpoint.bin").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_sweep_whose_mesh_was_changed_is_not_resumed() {
    let folder = folder();
    let text = SWEEP.replace("target = { shape = \"missile\" }", "mesh = \"corner.obj\"\nunits = \"m\"");
    // Rays, since the beams of a corner are done at once.
    std::fs::write(folder.path().join("case.toml"), text + "[solve]\ntubes = \"ray-grid\"\n").unwrap();
    let corner = |leg: f64| {
        let text = format!("v 0 0 0\nv {leg} 0 0\nv 0 {leg} 0\nv 0 0 {leg}\nf 1 2 3\nf 1 3 4\nf 1 4 2\n");
        std::fs::write(folder.path().join("corner.obj"), text).unwrap();
    };
    corner(2.0);
    let mut child = phasefront(folder.path())
        .args(["run", "case.toml", "--device", "cpu", "--quiet", "--out", "out"])
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    let checkpoint = Checkpoint::of(&folder.path().join("out"));
    while checkpoint.records().unwrap().iter().count() < 2 {
        assert!(started.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "no batch came");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    corner(2.1);
    let output = call(folder.path(), &["resume", "out", "--device", "cpu"]);
    assert_eq!(code(&output), Some(2));
    assert_eq!(
        stderr(&output).lines().find(|line| line.starts_with("error")),
        Some("error: out cannot be resumed: the input file corner.obj changed since the run was started")
    );
}

#[test]
fn check_tells_what_was_mended_in_a_mesh() {
    let folder = folder();
    let text = SWEEP.replace("target = { shape = \"missile\" }", "mesh = \"part.obj\"\nunits = \"cm\"");
    std::fs::write(folder.path().join("case.toml"), text).unwrap();
    // A tetrahedron with one face inside out, one twice, a sliver and a stray vertex.
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\nv 7 7 7\n\
                f 1 3 2\nf 1 2 4\nf 1 3 4\nf 2 3 4\nf 4 2 3\nf 1 5 2\n";
    std::fs::write(folder.path().join("part.obj"), mesh).unwrap();
    let output = call(folder.path(), &["check", "case.toml", "--device", "cpu"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    for words in [
        "part.obj: 1 degenerate triangle was dropped",
        "part.obj: 1 duplicate triangle was dropped",
        "part.obj: 1 triangle had the wrong winding and was flipped",
    ] {
        assert!(stderr(&output).contains(words), "{words}: {}", stderr(&output));
    }
    let facts = stdout(&output);
    let fact = |name: &str| {
        let line = facts.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
        line.and_then(|line| line.split_whitespace().nth(1)).unwrap_or("").to_owned()
    };
    assert_eq!((fact("mesh_triangles_dropped"), fact("mesh_triangles_turned")), ("2".into(), "1".into()));
    assert_eq!((fact("mesh_closed_shells"), fact("mesh_size_x_m")), ("1".into(), "0.01".into()));
}

#[test]
fn only_stopped_runs_can_be_resumed() {
    let folder = folder();
    let first = |arguments: &[&str]| {
        let output = call(folder.path(), arguments);
        assert_eq!(code(&output), Some(2));
        stderr(&output).lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first(&["resume", "nowhere"]), "error: nowhere: no such folder");
    let missing =
        "error: . cannot be resumed: checkpoint.json is missing: no work was saved, or the file was removed";
    assert_eq!(first(&["resume", "."]), missing);
    std::fs::write(folder.path().join("case.toml"), SYNTHESIS).unwrap();
    assert_eq!(first(&["resume", "."]), missing);
    std::fs::write(folder.path().join("checkpoint.json"), "{").unwrap();
    assert!(first(&["resume", "."]).starts_with("error: . cannot be resumed: checkpoint.json is damaged: "));
}

#[test]
fn doctor_answers_in_text_and_json() {
    let output = call(folder().path(), &["doctor", "--no-measure"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("phasefront "), "{}", stdout(&output));
    let output = call(folder().path(), &["doctor", "--no-measure", "--json"]);
    assert_eq!(code(&output), Some(0));
    assert!(document(&output)["version"].is_string());
}
