//! The program under MPI launchers: the same files from three ranks as from one process, and failures that end all of them.
//!
//! Says so if there is no launcher.
#![cfg(unix)]

mod launchers;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longest wait for something that a run does; generous, for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(1);

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

/// The program, alone or as three ranks.
fn phasefront(launcher: Option<&Path>, folder: &Path, arguments: &[&str]) -> Output {
    command(launcher, folder, arguments).output().expect("the program starts")
}

fn command(launcher: Option<&Path>, folder: &Path, arguments: &[&str]) -> Command {
    started_by(launcher, folder, Path::new(env!("CARGO_BIN_EXE_phasefront")), arguments)
}

/// Three ranks of which rank 1 begins with `preparation`, lines of shell. Every rank leaves the number of its process in `pid.RANK`.
fn prepared(launcher: &Path, folder: &Path, preparation: &str, arguments: &[&str]) -> Command {
    let (script, program) = (folder.join("rank.sh"), env!("CARGO_BIN_EXE_phasefront"));
    let text = format!(
        "#!/bin/sh\nrank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\necho $$ > pid.$rank\nset -- '{program}' \"$@\"\n\
         if [ \"$rank\" = 1 ]; then\n{preparation}\nfi\nexec \"$@\"\n"
    );
    fs::write(&script, text).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a script that can be run");
    started_by(Some(launcher), folder, &script, arguments)
}

fn started_by(launcher: Option<&Path>, folder: &Path, program: &Path, arguments: &[&str]) -> Command {
    launchers::command(program, launcher.map(|launcher| (launcher, 3)), folder, arguments)
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
    let launchers = launchers::all();
    if launchers.is_empty() {
        println!("SKIPPED: three ranks; no mpirun was found: install openmpi-bin or mpich");
    }
    // In two passes, of order 2 and 3.
    let adapted = "[solve]\norder = 2\naccuracy = \"0.01 %\"\nmax_passes = 2";
    let line = CASE.replace("20 ns", "1 ns").replace("[solve]", adapted);
    for (case, text, least) in
        [("line.toml", line.as_str(), 5), ("sweep.toml", SWEEP, 2), ("synthesis.toml", SYNTHESIS, 3)]
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
                assert_eq!(result["metrics"]["passes"], 2.0, "{launcher:?}");
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
    fs::write(folder.path().join("array.toml"), phasefront_run::template("nah").expect("a template"))
        .unwrap();
    for launcher in launchers::all() {
        for (case, told) in [
            ("wrong.toml", "order"),
            ("array.toml", "nah does not run on several ranks"),
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

/// One message with the rank and its host, nothing written, and the same exit code as from one process.
fn assert_told_once(launcher: &Path, ran: &Output, code: i32, words: &[&str]) {
    let (launcher, text) = (launcher.display(), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(code), "{launcher}: {text}");
    assert_eq!(text.matches("error: ").count(), 1, "{launcher}: {text}");
    for word in words {
        assert!(text.contains(word), "{launcher}: no {word:?} in {text}");
    }
}

/// Rank 1 has another working folder, which the case names by a path of Linux.
#[cfg(target_os = "linux")]
#[test]
fn a_rank_with_other_input_ends_all_before_the_run() {
    const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 4 2\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let case = SWEEP.replace(
        "target = { shape = \"dihedral\", width = \"0.2 m\", length = \"0.3 m\", cells = [3, 2] }",
        "mesh = \"/proc/self/cwd/corner.obj\"\nunits = \"m\"",
    );
    fs::write(path.join("case.toml"), case).unwrap();
    fs::write(path.join("corner.obj"), MESH).unwrap();
    for launcher in launchers::all() {
        for (name, mesh, told) in [
            ("empty", None, "corner.obj cannot be read: No such file"),
            ("other", Some("#\n"), "this rank has different input files"),
        ] {
            fs::create_dir_all(path.join(name)).unwrap();
            if let Some(more) = mesh {
                fs::write(path.join(name).join("corner.obj"), more.to_owned() + MESH).unwrap();
            }
            let arguments = ["run", "case.toml", "--out", "out"];
            let ran = prepared(&launcher, path, &format!("cd {name}"), &arguments).output().unwrap();
            assert_told_once(&launcher, &ran, 2, &["rank 1 on ", told]);
            assert!(!path.join("out").exists(), "{launcher:?}, {name}");
        }
    }
}

#[test]
fn a_rank_that_cannot_start_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), CASE).unwrap();
    // A stack larger than the address space; and an argument that only this rank has, which it finds before it has joined the job.
    let no_thread = "export RUST_MIN_STACK=140737488355328";
    let no_argument = "set -- \"$@\" --wrong";
    for launcher in launchers::all() {
        for (preparation, code, told) in [
            (no_thread, 1, &["rank 1 on ", "cannot start 1 threads"][..]),
            (no_argument, 2, &["unexpected argument '--wrong'"]),
        ] {
            let arguments = ["run", "line.toml", "--out", "out"];
            let ran = prepared(&launcher, folder.path(), preparation, &arguments).output().unwrap();
            assert_told_once(&launcher, &ran, code, told);
            assert!(!folder.path().join("out").exists(), "{launcher:?}");
        }
    }
}

/// Rank 1 has a folder of its own where the others have that of the run, as with a disk on each machine of a cluster.
#[cfg(target_os = "linux")]
#[test]
fn ranks_of_dgtd_must_share_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("line.toml"), CASE).unwrap();
    fs::create_dir(path.join("disk")).unwrap();
    let alone = "set -- unshare --mount sh -c 'mount -t tmpfs none disk && exec \"$@\"' sh \"$@\"";
    let mut trial = Command::new("unshare");
    trial.args(["--mount", "sh", "-c", "mount -t tmpfs none disk"]).current_dir(path).stderr(Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        println!("SKIPPED: ranks with disks of their own; this user may not mount");
        return;
    }
    for launcher in launchers::all() {
        let arguments = ["run", "line.toml", "--out", "disk/out"];
        let ran = prepared(&launcher, path, alone, &arguments).output().unwrap();
        let told = "cannot save its part of checkpoints in ";
        assert_told_once(&launcher, &ran, 2, &["rank 1 on ", told, "on a file system that all ranks share"]);
        assert!(!path.join("disk/out/checkpoint.bin").exists());
        fs::remove_dir_all(path.join("disk/out")).unwrap();
    }
}

/// Names of the files of a checkpoint, and the manifest.
fn checkpoint(folder: &Path) -> (Vec<String>, Vec<u8>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.contains("checkpoint-pass")).collect();
    names.sort();
    (names, fs::read(folder.join("checkpoint.bin")).unwrap_or_default())
}

/// A limit of the file size, which rank 1 gets when the run has saved a checkpoint, is to it a full disk. Not under MPICH: a library that
/// it loads has a handler of its own for the signal of that limit, which ends the process.
#[cfg(target_os = "linux")]
#[test]
fn a_rank_whose_disk_is_full_leaves_the_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("line.toml"), CASE.replace("20 ns", "1 s")).unwrap();
    for launcher in launchers::all().into_iter().filter(|launcher| !launcher.ends_with("mpirun.mpich")) {
        let out = path.join(launcher.file_name().expect("a name"));
        let arguments = ["run", "line.toml", "--quiet", "--out", out.to_str().expect("UTF-8")];
        let mut child = prepared(&launcher, path, ":", &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let started = Instant::now();
        while !out.join("checkpoint.bin").exists() {
            assert!(started.elapsed() < PATIENCE, "{launcher:?}: no checkpoint came");
            sleep(Duration::from_millis(5));
        }
        let pid = fs::read_to_string(path.join("pid.1")).unwrap();
        let limited = Command::new("prlimit").args(["--pid", pid.trim(), "--fsize=8192:"]).status();
        assert!(limited.expect("prlimit of util-linux").success());
        let mut messages = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut text = String::new();
        while !text.contains("could not be saved") {
            assert!(messages.read_line(&mut text).expect("a line") > 0, "{launcher:?}: {text}");
        }
        let warning = "warning: the checkpoint could not be saved: rank 1 on ";
        assert!(text.starts_with(warning) && text.contains("File too large"), "{launcher:?}: {text}");
        let before = checkpoint(&out);
        assert_eq!(before.0.len(), 3, "one part for each rank, and nothing else: {before:?}");
        fs::write(out.join("stop"), "").unwrap();
        messages.read_to_string(&mut text).expect("messages");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{launcher:?}: {text}");
        assert!(checkpoint(&out) == before, "{launcher:?}: the last checkpoint is not as it was");
        refuses_without_a_part(&launcher, path, &out);
    }
}

/// A part that is missing or damaged is named, on several ranks and on one, and nothing is lost by that.
fn refuses_without_a_part(launcher: &Path, path: &Path, out: &Path) {
    let before = checkpoint(out);
    let part = out.join(&before.0[2]);
    let good = fs::read(&part).unwrap();
    let arguments = ["resume", out.to_str().expect("UTF-8")];
    fs::remove_file(&part).unwrap();
    let missing = format!("{} is missing", before.0[2]);
    assert_told_once(launcher, &phasefront(Some(launcher), path, &arguments), 2, &[&missing]);
    fs::write(&part, &good[..good.len() - 1]).unwrap();
    let damaged = format!("{} is damaged: it was truncated or changed", before.0[2]);
    assert_told_once(launcher, &phasefront(None, path, &arguments), 2, &[&damaged]);
    assert!(checkpoint(out) == before);
    // What cannot be used is discarded on request.
    let mut child = command(None, path, &[&arguments[..], &["--force"]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut messages = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains(&format!("{damaged}; the work saved there is discarded")) {
        assert!(messages.read_line(&mut text).expect("a line") > 0, "{text}");
    }
    fs::write(out.join("stop"), "").unwrap();
    messages.read_to_string(&mut text).expect("messages");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{text}");
    assert_eq!(checkpoint(out).0.len(), 1, "the parts of three ranks are gone");
}

#[test]
fn a_sweep_on_ranks_is_refused_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), CASE).unwrap();
    fs::write(folder.path().join("sweep.toml"), "case = \"line.toml\"\n[values]\nsolve.order = [1]\n")
        .unwrap();
    for launcher in launchers::all() {
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
    for launcher in launchers::all() {
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
