//! `mom` under MPI launchers, where ranks factor one matrix by ScaLAPACK or cuSOLVERMp: the answers of one process, at any number of
//! ranks.
//!
//! Says so if there is no launcher, no ScaLAPACK of its MPI, or no GPU with cuSOLVERMp.
#![cfg(target_os = "linux")]

mod launchers;

use phasefront_comm::SCALAPACK_VARIABLE;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

fn command(launcher: Option<(&Path, usize)>, folder: &Path, arguments: &[&str]) -> Command {
    launchers::command(Path::new(env!("CARGO_BIN_EXE_phasefront")), launcher, folder, arguments)
}

/// Echo widths agree to this fraction of the largest.
const TOLERANCE: f64 = 1e-10;

/// A conducting cylinder with a radius of one wavelength, and 2000 unknowns.
const CYLINDER: &str = r#"version = 1
solver = "mom"
name = "cylinder"

[geometry]
bodies = [{ shape = "circle", radius = "1 m" }]

[source]
frequency = "299.792458 MHz"
polarization = "TM"
propagation = "0 deg"

[solve]
order = 16
cells = 125

[output]
echo_width = { from = "0 deg", to = "180 deg", points = 19 }
"#;

/// Its forward echo width in meters, by the series of Hankel functions.
const FORWARD: f64 = 34.584_560_348;

/// A conductor beside glass, over a sweep, from several directions.
const PAIR: &str = r#"version = 1
solver = "mom"
name = "pair"

[geometry]
bodies = [
  { shape = "circle", radius = "0.5 m" },
  { shape = "circle", radius = "0.4 m", center = ["1.5 m", "0 m"], material = { eps_r = "2.5 - 0.1j" } },
]

[source]
frequency = { from = "200 MHz", to = "300 MHz", points = 5 }
polarization = "TE"
propagation = { from = "0 deg", to = "180 deg", points = 70 }

[solve]
order = 12
cells = 16

[output]
echo_width = { from = "0 deg", to = "180 deg", points = 7 }
monostatic = true
"#;

/// Side by side, the ranks of two tests would wait for each other's.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Launchers whose MPI has a ScaLAPACK; the others are named, once.
fn with_scalapack() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("probe.toml"), CYLINDER.replace("cells = 125", "cells = 8")).unwrap();
        let mut all = launchers::all();
        if all.is_empty() {
            println!("SKIPPED: mom on ranks; no mpirun was found: install openmpi-bin or mpich");
        }
        all.retain(|launcher| {
            let name = launcher.display();
            let ran = run(Some((launcher, 2)), folder.path(), &["run", "probe.toml", "--out", "out", "--force"]);
            let text = String::from_utf8_lossy(&ran.stderr);
            let is_missing = text.contains("by ScaLAPACK, and none for");
            if is_missing {
                println!("SKIPPED: mom on ranks of {name}: install libscalapack-openmpi2.2 or libscalapack-mpich2.2");
            }
            assert!(is_missing || ran.status.success(), "{name}: {text}");
            !is_missing
        });
        all
    })
}

fn run(launcher: Option<(&Path, usize)>, folder: &Path, arguments: &[&str]) -> Output {
    command(launcher, folder, arguments).output().expect("the program starts")
}

/// Numbers of ranks to try. Those of MPICH keep their cores busy while they wait, and a small machine has two.
fn counts(launcher: &Path) -> &'static [usize] {
    if launcher.ends_with("mpirun.mpich") { &[2] } else { &[2, 4] }
}

/// The numbers of a table, row by row.
fn table(path: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(path).expect("a table");
    let rows = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect());
    rows.collect()
}

/// The largest difference between two tables, of which every column is compared with its own largest value.
fn difference(folder: &Path, names: [&str; 2], file: &str) -> f64 {
    let [a, b] = names.map(|name| table(&folder.join(name).join(file)));
    assert_eq!(a.len(), b.len(), "{file}");
    let worst = |column: usize| {
        let largest = a.iter().map(|row| row[column].abs()).fold(f64::MIN_POSITIVE, f64::max);
        a.iter().zip(&b).map(|(x, y)| (x[column] - y[column]).abs() / largest).fold(0.0, f64::max)
    };
    (0..a[0].len()).map(worst).fold(0.0, f64::max)
}

fn metric(folder: &Path, name: &str) -> f64 {
    let text = fs::read_to_string(folder.join("result.json")).expect("a result");
    let result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    result["metrics"][name].as_f64().expect("a number")
}

#[test]
fn ranks_have_the_echo_width_of_one_process() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("cylinder.toml"), CYLINDER).unwrap();
    let alone = run(None, folder, &["run", "cylinder.toml", "--out", "alone"]);
    assert!(alone.status.success(), "{alone:?}");
    for launcher in with_scalapack() {
        let name = launcher.display();
        for &ranks in counts(launcher) {
            let ran =
                run(Some((launcher, ranks)), folder, &["run", "cylinder.toml", "--out", "ranks", "--force"]);
            assert!(ran.status.success(), "{name}: {ran:?}");
            let error = difference(folder, ["alone", "ranks"], "echo_width.csv");
            assert!(error < TOLERANCE, "{name}, {ranks} ranks: {error:e}");
            let forward = table(&folder.join("ranks/echo_width.csv"))[0][2];
            assert!((forward / FORWARD - 1.0).abs() < 1e-10, "{name}, {ranks} ranks: {forward}");
            let [one, several] = ["alone", "ranks"].map(|out| metric(&folder.join(out), "condition"));
            assert!((several / one - 1.0).abs() < 1e-6, "{name}, {ranks} ranks: {one}, {several}");
            assert_eq!(
                (metric(&folder.join("ranks"), "ranks"), metric(&folder.join("ranks"), "unknowns")),
                (ranks as f64, 2000.0)
            );
            // Only the first rank prints.
            let printed = String::from_utf8(ran.stdout).unwrap();
            assert_eq!(printed.matches("folder  ").count(), 1, "{printed}");
        }
    }
}

/// The same by cuSOLVERMp, where ranks share a GPU if there is one only.
#[test]
fn gpus_have_the_echo_width_of_one_process() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("cylinder.toml"), CYLINDER).unwrap();
    let alone = run(None, folder, &["run", "cylinder.toml", "--out", "alone"]);
    assert!(alone.status.success(), "{alone:?}");
    let arguments = ["run", "cylinder.toml", "--out", "gpus", "--force", "--device", "cuda"];
    for launcher in launchers::all() {
        let name = launcher.display();
        let ran = command(Some((&launcher, 2)), folder, &arguments)
            .env("NCCL_MULTI_RANK_GPU_ENABLE", "1")
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&ran.stderr);
        if text.contains("not found: ") || text.contains("finds no GPU") {
            println!("SKIPPED: mom on GPUs of {name}: {}", text.lines().next().unwrap_or_default());
            assert!(!folder.join("gpus").exists(), "{name}: {text}");
            continue;
        }
        assert!(ran.status.success(), "{name}: {text}");
        let error = difference(folder, ["alone", "gpus"], "echo_width.csv");
        assert!(error < TOLERANCE, "{name}: {error:e}");
        // A lower bound, and not far from the estimate with transposed systems.
        let [one, several] = ["alone", "gpus"].map(|out| metric(&folder.join(out), "condition"));
        assert!((0.1..1.0 + 1e-6).contains(&(several / one)), "{name}: {one}, {several}");
    }
}

/// A run that has lost one of two ranks is resumed by one process and by three ranks.
#[test]
fn a_sweep_is_resumed_on_any_number_of_ranks() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("pair.toml"), PAIR).unwrap();
    let alone = run(None, folder, &["run", "pair.toml", "--out", "alone"]);
    assert!(alone.status.success(), "{alone:?}");
    for launcher in with_scalapack() {
        let _ = fs::remove_dir_all(folder.join("stopped"));
        kill_a_rank(launcher, folder);
        for ranks in [None, Some((&**launcher, 3))] {
            let _ = fs::remove_dir_all(folder.join("resumed"));
            let copied = Command::new("cp").current_dir(folder).args(["-r", "stopped", "resumed"]).status();
            assert!(copied.expect("cp starts").success());
            let ran = run(ranks, folder, &["resume", "resumed"]);
            assert!(ran.status.success(), "{ranks:?}: {ran:?}");
            for file in ["echo_width.csv", "monostatic.csv"] {
                let error = difference(folder, ["alone", "resumed"], file);
                assert!(error < TOLERANCE, "{ranks:?}, {file}: {error:e}");
            }
        }
    }
}

/// Runs the sweep on two ranks, and kills one of them when a frequency is saved.
fn kill_a_rank(launcher: &Path, folder: &Path) {
    let out = folder.join("stopped");
    let out = out.to_str().expect("UTF-8");
    let mut child = command(Some((launcher, 2)), folder, &["run", "pair.toml", "--out", out])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    while !folder.join("stopped/checkpoint.bin").metadata().is_ok_and(|file| file.len() > 0) {
        assert!(started.elapsed() < Duration::from_mins(1), "no frequency was saved");
        std::thread::sleep(Duration::from_millis(1));
    }
    let last = ranks_of(out).into_iter().max().expect("ranks run");
    let killed = Command::new("kill").args(["-KILL", &last.to_string()]).status();
    assert!(killed.expect("kill starts").success());
    let ended = child.wait().expect("it ends");
    assert!(!ended.success() && !folder.join("stopped/result.json").exists(), "it was not ended: {ended}");
}

/// Processes of the program that write to `out`.
fn ranks_of(out: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("Linux has it").flatten();
    let is_rank = |id: &u32| {
        let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let mut arguments = command.split('\0');
        arguments.next().is_some_and(|program| program == env!("CARGO_BIN_EXE_phasefront"))
            && arguments.any(|a| a == out)
    };
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_rank).collect()
}

#[test]
fn ranks_without_scalapack_are_refused_before_anything_is_written() {
    let _alone = ONE_AT_A_TIME.lock();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("cylinder.toml"), CYLINDER.replace("cells = 125", "cells = 8")).unwrap();
    for launcher in launchers::all() {
        for (library, told) in [
            ("/there/is/no/libscalapack.so", "by ScaLAPACK, and none for"),
            ("libc.so.6", "libc.so.6 is no usable ScaLAPACK library: it has no Csys2blacs_handle"),
        ] {
            let ran = command(Some((&launcher, 2)), folder, &["run", "cylinder.toml", "--out", "out"])
                .env(SCALAPACK_VARIABLE, library)
                .output()
                .expect("the program starts");
            let text = String::from_utf8(ran.stderr).unwrap();
            assert_eq!(ran.status.code(), Some(2), "{launcher:?}: {text}");
            assert_eq!(text.matches("error: ").count(), 1, "{launcher:?}: {text}");
            assert!(text.contains(told) && text.contains("libscalapack-openmpi2.2"), "{launcher:?}: {text}");
            assert!(!folder.join("out").exists(), "{launcher:?}");
        }
    }
}
