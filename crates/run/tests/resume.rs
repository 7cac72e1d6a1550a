//! Interrupted runs: what is resumed, to the same bits, and what is refused.

use phasefront_core::{Event, Progress, Sink};
use phasefront_run::{Kind, Options, Outcome, RunError, resume, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A sweep over a mesh file, in several batches.
const CASE: &str = r#"version = 1
solver = "sbr"
name = "corner"

[geometry]
mesh = "corner.obj"
units = "m"

[source]
frequency = "3 GHz"
theta = "90 deg"
phi = { from = "0 deg", to = "90 deg", points = 181 }
"#;

/// Raises the stop flag after the first piece of finished work, if it is to, and collects warnings.
#[derive(Default)]
struct Watcher {
    interrupts: bool,
    stop: Arc<AtomicBool>,
    warnings: Mutex<Vec<String>>,
}

impl Sink for Watcher {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Scalar { .. } if self.interrupts => self.stop.store(true, Ordering::Relaxed),
            Event::Warning(text) => self.warnings.lock().unwrap().push(text.to_owned()),
            _ => {}
        }
    }
}

/// A progress, and what it collects.
fn watched(interrupts: bool) -> (Progress, Arc<Watcher>) {
    let watcher = Arc::new(Watcher { interrupts, ..Watcher::default() });
    (Progress::new(watcher.clone(), watcher.stop.clone()), watcher)
}

/// A folder with a case and its mesh, and in `out` an interrupted run of it.
struct Interrupted {
    temporary: TempDir,
}

impl Interrupted {
    fn new() -> Self {
        let this = Self { temporary: tempfile::tempdir().unwrap() };
        fs::write(this.path("case.toml"), CASE).unwrap();
        this.write_mesh(1.0);
        let error = this.run("out", true).unwrap_err();
        assert!(matches!(error, RunError::Stopped { .. }), "{error}");
        this
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    /// A corner reflector.
    fn write_mesh(&self, leg: f64) {
        let text = format!("v 0 0 0\nv {leg} 0 0\nv 0 {leg} 0\nv 0 0 {leg}\nf 1 2 3\nf 1 3 4\nf 1 4 2\n");
        fs::write(self.path("corner.obj"), text).unwrap();
    }

    fn run(&self, out: &str, interrupts: bool) -> Result<Outcome, RunError> {
        let options = Options { out: Some(self.path(out)), ..cpu() };
        run(&self.path("case.toml"), &options, &watched(interrupts).0)
    }

    /// The outcome, and the warnings on the way.
    fn resume(&self) -> (Result<Outcome, RunError>, Vec<String>) {
        let (progress, watcher) = watched(false);
        let outcome = resume(&self.path("out"), &cpu(), &progress);
        let warnings = watcher.warnings.lock().unwrap().clone();
        (outcome, warnings)
    }

    /// Why it cannot be resumed. The checkpoint is left as it is.
    fn refusal(&self) -> String {
        let error = self.resume().0.unwrap_err();
        assert_eq!(error.kind(), Kind::BadInput);
        assert!(self.path("out/checkpoint.json").exists() && self.path("out/checkpoint.bin").exists());
        let RunError::Resume { message, .. } = error else { panic!("{error}") };
        message
    }

    /// Changes a file of the interrupted run.
    fn change(&self, name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) {
        let path = self.path("out").join(name);
        fs::write(&path, change(fs::read(&path).unwrap())).unwrap();
    }

    /// Resumes the run and compares it with one that was not interrupted.
    fn resumes_to_the_same_bits(&self) -> Vec<String> {
        self.run("whole", false).unwrap();
        let (outcome, mut warnings) = self.resume();
        outcome.unwrap();
        // The mesh is an open corner, and every run of it says so.
        warnings.retain(|warning| !warning.starts_with("corner.obj: "));
        let table = |run: &str| fs::read_to_string(self.path(run).join("rcs.csv")).unwrap();
        assert!(table("out") == table("whole"), "rcs.csv differs");
        warnings
    }
}

fn cpu() -> Options {
    Options { device: "cpu".parse().unwrap(), ..Options::default() }
}

fn text_of(change: impl Fn(String) -> String) -> impl Fn(Vec<u8>) -> Vec<u8> {
    move |bytes| change(String::from_utf8(bytes).unwrap()).into_bytes()
}

#[test]
fn an_interrupted_run_is_resumed_to_the_same_bits() {
    let interrupted = Interrupted::new();
    assert!(interrupted.path("out/checkpoint.bin").metadata().unwrap().len() > 0);
    assert_eq!(interrupted.resumes_to_the_same_bits(), Vec::<String>::new());
    assert!(
        !interrupted.path("out/checkpoint.json").exists() && !interrupted.path("out/checkpoint.bin").exists()
    );
}

#[test]
fn other_units_and_comments_are_the_same_problem() {
    let interrupted = Interrupted::new();
    interrupted.change(
        "case.toml",
        text_of(|text| format!("# The same.\n{}", text.replace("\"3 GHz\"", "[\"3000 MHz\"]"))),
    );
    interrupted.resumes_to_the_same_bits();
}

#[test]
fn a_changed_case_is_refused() {
    let interrupted = Interrupted::new();
    interrupted.change("case.toml", text_of(|text| text.replace("3 GHz", "3.1 GHz")));
    assert_eq!(interrupted.refusal(), "its case.toml changed since the run was started: source.frequency");
}

#[test]
fn a_changed_input_file_is_refused() {
    let interrupted = Interrupted::new();
    interrupted.write_mesh(1.001);
    assert_eq!(interrupted.refusal(), "the input file corner.obj changed since the run was started");
}

#[test]
fn truncated_and_damaged_records_are_repeated() {
    let damages: [fn(Vec<u8>) -> Vec<u8>; 2] = [
        |bytes| bytes[..bytes.len() - 20].to_vec(),
        |mut bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            bytes
        },
    ];
    for damage in damages {
        let interrupted = Interrupted::new();
        interrupted.change("checkpoint.bin", damage);
        let warnings = interrupted.resumes_to_the_same_bits();
        assert_eq!(warnings, ["the end of checkpoint.bin is damaged; the work saved there is repeated"]);
    }
}

#[test]
fn an_edited_header_is_refused() {
    let interrupted = Interrupted::new();
    interrupted.change("checkpoint.json", text_of(|text| text.replace("\"sbr\"", "\"dgtd\"")));
    assert_eq!(interrupted.refusal(), "checkpoint.json is damaged: its values were changed");
}

#[test]
fn a_header_of_another_version_or_a_damaged_one_is_refused() {
    let interrupted = Interrupted::new();
    interrupted
        .change("checkpoint.json", text_of(|text| text.replacen("\"version\": 2", "\"version\": 9", 1)));
    assert_eq!(
        interrupted.refusal(),
        "its checkpoint has format version 9, and this version of Phasefront reads version 2"
    );
    interrupted.change("checkpoint.json", text_of(|text| text[..text.len() / 2].to_owned()));
    assert!(interrupted.refusal().starts_with("checkpoint.json is damaged: "));
}

#[test]
fn records_of_another_version_are_refused() {
    let interrupted = Interrupted::new();
    // The version follows the fingerprint, 64 characters after their count.
    let checkpoint = phasefront_report::Checkpoint::of(&interrupted.path("out"));
    let record = checkpoint.records().unwrap().iter().next().unwrap().to_vec();
    checkpoint.replace(&[&record[..72], &99_u64.to_le_bytes(), &record[80..]]).unwrap();
    assert!(interrupted.refusal().starts_with("its checkpoint has format version 99, "));
}

#[test]
fn the_folder_of_an_interrupted_run_is_not_overwritten() {
    let interrupted = Interrupted::new();
    let error = interrupted.run("out", false).unwrap_err();
    assert!(matches!(error, RunError::Unfinished { .. }), "{error}");
    assert!(Path::new(&interrupted.path("out/checkpoint.bin")).exists());
}

/// The defect that was found: the mesh mirrored, frequencies and angles edited, and rows of two problems in one table.
#[test]
fn whatever_changes_the_numbers_is_refused_by_name() {
    let edits = [
        ("3 GHz", "3.0000001 GHz", "source.frequency"),
        ("\"90 deg\", points", "\"89 deg\", points", "source.phi.to"),
        ("\"m\"", "\"mm\"", "geometry.units"),
    ];
    for (old, new, key) in edits {
        let interrupted = Interrupted::new();
        interrupted.change("case.toml", text_of(|text| text.replace(old, new)));
        let expected = format!("its case.toml changed since the run was started: {key}");
        assert_eq!(interrupted.refusal(), expected);
    }
    let interrupted = Interrupted::new();
    let mirrored = fs::read_to_string(interrupted.path("corner.obj")).unwrap().replace("v 1 0 0", "v -1 0 0");
    fs::write(interrupted.path("corner.obj"), mirrored).unwrap();
    assert_eq!(interrupted.refusal(), "the input file corner.obj changed since the run was started");
}

#[test]
fn records_of_another_run_are_not_used() {
    let (interrupted, other) = (Interrupted::new(), Interrupted::new());
    // The same shape, another frequency.
    fs::remove_dir_all(other.path("out")).unwrap();
    fs::write(other.path("case.toml"), CASE.replace("3 GHz", "4 GHz")).unwrap();
    other.run("out", true).unwrap_err();
    fs::copy(other.path("out/checkpoint.bin"), interrupted.path("out/checkpoint.bin")).unwrap();
    let warnings = interrupted.resumes_to_the_same_bits();
    assert_eq!(warnings, ["the end of checkpoint.bin is damaged; the work saved there is repeated"]);
}

#[test]
fn a_lost_case_is_restored_and_force_starts_over() {
    let interrupted = Interrupted::new();
    fs::remove_file(interrupted.path("out/case.toml")).unwrap();
    let warnings = interrupted.resumes_to_the_same_bits();
    assert_eq!(warnings, ["case.toml is missing in the folder; the copy in checkpoint.json is used"]);
    assert_eq!(fs::read_to_string(interrupted.path("out/case.toml")).unwrap(), CASE);

    let interrupted = Interrupted::new();
    interrupted.write_mesh(1.001);
    let (progress, watcher) = watched(false);
    resume(&interrupted.path("out"), &Options { force: true, ..cpu() }, &progress).unwrap();
    assert!(watcher.warnings.lock().unwrap().iter().any(|text| text
        == "the input file corner.obj changed since the run was started; the saved work is discarded"));
    interrupted.run("whole", false).unwrap();
    let table = |run: &str| fs::read_to_string(interrupted.path(run).join("rcs.csv")).unwrap();
    assert!(table("out") == table("whole"));
}

#[test]
fn a_forced_run_that_is_stopped_leaves_the_old_result_and_is_resumed() {
    let interrupted = Interrupted::new();
    interrupted.run("old", false).unwrap();
    let before = fs::read(interrupted.path("old/result.json")).unwrap();
    fs::write(interrupted.path("case.toml"), CASE.replace("3 GHz", "4 GHz")).unwrap();
    let options = Options { out: Some(interrupted.path("old")), force: true, ..cpu() };
    let error = run(&interrupted.path("case.toml"), &options, &watched(true).0).unwrap_err();
    assert!(matches!(error, RunError::Stopped { .. }), "{error}");
    assert_eq!(fs::read(interrupted.path("old/result.json")).unwrap(), before);
    resume(&interrupted.path("old"), &cpu(), &watched(false).0).unwrap();
    interrupted.run("whole", false).unwrap();
    let table = |run: &str| fs::read_to_string(interrupted.path(run).join("rcs.csv")).unwrap();
    assert!(table("old") == table("whole"));
    assert!(!interrupted.path(".old.unfinished").exists());
}
