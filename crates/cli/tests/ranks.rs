//! The program under MPI launchers: the same files from three ranks as from one process, and failures that end all of them.
//!
//! Looks for `mpirun.openmpi` and `mpirun.mpich` (Debian's names), else `mpirun`, on the path, and says so if there is none.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Two ports on a line with a dispersive slab and a PML above.
const CASE: &str = include_str!("line.toml");

/// Seven directions of a dihedral, with edges.
const SWEEP: &str = r#"version = 1
solver = "sbr"
name = "sweep"

[geometry]
target = { shape = "dihedral", width = "0.2 m", length = "0.3 m", cells = [3, 2] }

[source]
frequency = ["9 GHz", "10 GHz"]
theta = { from = "60 deg", to = "120 deg", points = 7 }
phi = "40 deg"

[solve]
edges = "ptd"
"#;

/// A synthesis with random starts, and draws of failed elements.
const SYNTHESIS: &str = r#"version = 1
solver = "reflectarray"
name = "synthesis"

[geometry]
elements = [9, 9]
spacing = "0.5 lambda"
feed = { offset = "0.05 m", height = "0.1 m", power_exponent = 8 }

[geometry.satellite]
longitude = "5 deg"

[[geometry.coverage]]
region = "europe"

[source]
frequency = "14.25 GHz"

[solve]
starts = 3
modal_iterations = 5
element_iterations = 12
polish_iterations = 21

[output]
sensitivity = { failed_fraction = 0.05, pointing_error = "0.1 deg", trials = 4 }
"#;

fn launchers() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        |name: &str| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|p| p.is_file());
    let named: Vec<PathBuf> = ["mpirun.openmpi", "mpirun.mpich"].into_iter().filter_map(found).collect();
    if named.is_empty() { found("mpirun").into_iter().collect() } else { named }
}

/// The program, alone or as three ranks.
fn phasefront(launcher: Option<&Path>, folder: &Path, arguments: &[&str]) -> Output {
    command(launcher, folder, arguments).output().expect("the program starts")
}

fn command(launcher: Option<&Path>, folder: &Path, arguments: &[&str]) -> Command {
    let program = env!("CARGO_BIN_EXE_phasefront");
    let mut command = match launcher {
        None => Command::new(program),
        Some(launcher) => {
            let mut command = Command::new(launcher);
            command.args(["-n", "3"]);
            // Three ranks on a machine with fewer cores, and tests that run as root in a container.
            if launcher.ends_with("mpirun.openmpi") {
                command.arg("--oversubscribe");
                command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
            }
            command.arg(program);
            command
        }
    };
    command.current_dir(folder).args(arguments).args(["--device", "cpu", "--threads", "1"]);
    command.stdin(Stdio::null());
    command
}

fn tables(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut tables: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "csv" || extension == "s2p"))
        .map(|path| {
            (path.file_name().expect("a name").to_string_lossy().into(), fs::read(&path).expect("a file"))
        })
        .collect();
    tables.sort();
    tables
}

#[test]
fn three_ranks_write_the_files_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let launchers = launchers();
    if launchers.is_empty() {
        println!("SKIPPED: three ranks; no mpirun was found: install openmpi-bin or mpich");
    }
    let line = CASE.replace("20 ns", "2 ns");
    for (case, text, least) in
        [("line.toml", line.as_str(), 4), ("sweep.toml", SWEEP, 2), ("synthesis.toml", SYNTHESIS, 3)]
    {
        fs::write(folder.path().join(case), text).unwrap();
        let alone = phasefront(None, folder.path(), &["run", case, "--out", "alone", "--force"]);
        assert!(alone.status.success(), "{alone:?}");
        let expected = tables(&folder.path().join("alone"));
        assert!(expected.len() >= least, "{expected:?}");
        for launcher in &launchers {
            let ran = phasefront(Some(launcher), folder.path(), &["run", case, "--out", "ranks", "--force"]);
            assert!(ran.status.success(), "{launcher:?}: {ran:?}");
            assert!(tables(&folder.path().join("ranks")) == expected, "{launcher:?}, {case}: other tables");
            // Only the first rank prints.
            let printed = String::from_utf8(ran.stdout).unwrap();
            assert_eq!(printed.matches("folder  ").count(), 1, "{printed}");
            let text = fs::read_to_string(folder.path().join("ranks/result.json")).unwrap();
            let result: serde_json::Value = serde_json::from_str(&text).unwrap();
            if case == "line.toml" {
                assert_eq!(result["metrics"]["ranks"], 3.0, "{launcher:?}");
                assert!(result["metrics"]["halo_bytes_per_stage_max"].as_f64().unwrap() > 0.0);
            }
        }
    }
}

#[test]
fn a_failure_ends_all_ranks_with_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = CASE.replace("[solve]", "[solve]\norder = 9");
    fs::write(folder.path().join("wrong.toml"), wrong).unwrap();
    let circle = "version = 1\nsolver = \"mom\"\nname = \"circle\"\n\n[geometry]\nbodies = [{ shape = \"circle\", radius = \"1 m\" }]\n\n\
                  [source]\nfrequency = \"300 MHz\"\npolarization = \"TM\"\npropagation = \"0 deg\"\n\n[output]\ncurrents = true\n";
    fs::write(folder.path().join("circle.toml"), circle).unwrap();
    for launcher in launchers() {
        for (case, told) in [
            ("wrong.toml", "order"),
            ("circle.toml", "mom does not run on several ranks"),
            ("missing.toml", "missing.toml"),
        ] {
            let ran = phasefront(Some(&launcher), folder.path(), &["run", case, "--out", "out"]);
            let text = String::from_utf8(ran.stderr).unwrap();
            assert_eq!(ran.status.code(), Some(2), "{launcher:?}, {case}: {text}");
            assert_eq!(text.matches("error: ").count(), 1, "{launcher:?}, {case}: {text}");
            assert!(text.contains(told), "{launcher:?}, {case}: {text}");
            assert!(!folder.path().join("out").exists(), "{launcher:?}, {case}");
        }
    }
}

#[test]
fn a_sweep_on_ranks_is_refused_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), CASE).unwrap();
    fs::write(folder.path().join("sweep.toml"), "case = \"line.toml\"\n[values]\nsolve.order = [1]\n")
        .unwrap();
    for launcher in launchers() {
        let ran = phasefront(Some(&launcher), folder.path(), &["sweep", "sweep.toml", "--out", "out"]);
        let text = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{launcher:?}: {text}");
        assert_eq!(text.matches("error: a sweep does not run on several ranks").count(), 1, "{text}");
        assert!(!folder.path().join("out").exists(), "{launcher:?}");
    }
}

#[test]
fn a_stop_file_ends_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), CASE.replace("20 ns", "1 s")).unwrap();
    for launcher in launchers() {
        let out = folder.path().join(launcher.file_name().expect("a name"));
        let name = out.to_str().expect("UTF-8");
        for arguments in [&["run", "line.toml", "--out", name][..], &["resume", name]] {
            let mut child = command(Some(&launcher), folder.path(), arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts");
            let mut messages = BufReader::new(child.stderr.take().expect("a pipe"));
            let mut text = String::new();
            // The first message comes when the folder is open.
            messages.read_line(&mut text).expect("a first line");
            fs::write(out.join("stop"), "").unwrap();
            messages.read_to_string(&mut text).expect("messages");
            let ended = child.wait().expect("it ends");
            assert_eq!(ended.code(), Some(130), "{launcher:?}: {text}");
            assert_eq!(text.matches("error: interrupted; the work done so far").count(), 1, "{text}");
            assert!(!out.join("stop").exists() && out.join("checkpoint.json").exists(), "{launcher:?}");
        }
    }
}
