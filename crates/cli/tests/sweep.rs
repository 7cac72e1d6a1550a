//! `phasefront sweep`: its points, its table, and what stops it.

use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest wait for a run to save its work; generous, for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(1);

const CASE: &str = r#"version = 1
solver = "mom"
name = "small"

[geometry]
bodies = [{ shape = "circle", radius = "1 m" }] # a circle

[source]
frequency = "100 MHz"
polarization = "TM"
propagation = "0 deg"

[solve]
cells = 8
method = "pulse"

[output]
echo_width = { from = "0 deg", to = "180 deg", points = 5 }
"#;

const SWEEP: &str = r#"case = "small.toml"
name = "sizes"

[values]
"geometry.bodies[0].radius" = ["1 m", "1.5 m"]
source.frequency = { from = "100 MHz", to = "120 MHz", points = 3 }
"#;

/// A folder with the case, a sweep and the program.
fn folder(sweep: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("small.toml"), CASE).unwrap();
    fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    folder
}

fn phasefront(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasefront"));
    command.current_dir(folder).stdin(Stdio::null()).args(arguments);
    // What the developer's shell or scheduler sets must not change what the tests see.
    for name in ["CARGO", "NO_COLOR", "COLUMNS", "RUST_BACKTRACE", "SLURM_ARRAY_TASK_ID"] {
        command.env_remove(name);
    }
    command
}

fn call(folder: &Path, arguments: &[&str]) -> Output {
    phasefront(folder, arguments).output().expect("the program starts")
}

/// Runs the sweep, with further arguments.
fn sweep(folder: &Path, further: &[&str]) -> Output {
    call(folder, &[&["sweep", "sweep.toml", "--device", "cpu", "--threads", "1"], further].concat())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// The rows of the table, by the names of its columns. No cell of these tests has a comma.
fn rows(folder: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(folder.join("results/sizes/sweep.csv")).expect("a table");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().expect("a header").collect();
    lines.map(|cells| names.iter().cloned().zip(cells).collect()).collect()
}

fn column(folder: &Path, name: &str) -> Vec<String> {
    rows(folder).iter().map(|row| row[name].clone()).collect()
}

fn result(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("result.json")).expect("a result")).expect("JSON")
}

#[test]
fn points_are_in_order_and_equal_single_runs() {
    let folder = folder(SWEEP);
    let output = sweep(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("6 points: 6 done\ntable   results/sizes/sweep.csv\n"),
        "{}",
        stdout(&output)
    );
    // Eight cells are too few. The terminal says so once, the results of points in detail.
    let told = "warning: 6 of 6 points have warnings; the first are in results/sizes/0000/result.json\n";
    assert!(stderr(&output).contains(told), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("warning:").count(), 1);
    assert_eq!(column(folder.path(), "index"), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(column(folder.path(), "geometry.bodies[0].radius_m"), ["1", "1", "1", "1.5", "1.5", "1.5"]);
    let frequencies = ["100", "110", "120", "100", "110", "120"];
    assert_eq!(column(folder.path(), "source.frequency_MHz"), frequencies);
    assert_eq!(column(folder.path(), "status"), ["done"; 6]);
    for (point, row) in rows(folder.path()).iter().enumerate() {
        // The same case, written by hand.
        let (radius, frequency) = (["1 m", "1.5 m"][point / 3], frequencies[point]);
        let text =
            CASE.replace("\"1 m\"", &format!("\"{radius}\"")).replace("100 MHz", &format!("{frequency} MHz"));
        let results = folder.path().join(&row["folder"]);
        assert_eq!(fs::read_to_string(results.join("case.toml")).unwrap(), text, "comments stay");
        // Two of them, since their plots take a second.
        if [1, 5].contains(&point) {
            compare_with_single_run(folder.path(), &text, row);
        }
    }
}

/// Runs a case on its own, and compares a row of the table with its result.
fn compare_with_single_run(folder: &Path, text: &str, row: &HashMap<String, String>) {
    fs::write(folder.join("one.toml"), text).unwrap();
    let one = ["run", "one.toml", "--device", "cpu", "--threads", "1", "--out", "one", "--force"];
    assert!(call(folder, &one).status.success());
    let single = result(&folder.join("one"));
    let metrics = single["metrics"].as_object().expect("metrics");
    assert!(metrics.len() > 2);
    for (name, value) in metrics {
        assert_eq!(row[name].parse::<f64>().unwrap(), value.as_f64().unwrap(), "{name}");
    }
    assert_eq!(row["warnings"], single["warnings"].as_array().unwrap().len().to_string());
    let point = folder.join(&row["folder"]);
    let table = |path: &Path| fs::read(path.join("echo_width.csv")).unwrap();
    assert_eq!(table(&point), table(&folder.join("one")));
    assert!(!point.join("echo_width.svg").exists() && folder.join("one/echo_width.svg").exists());
}

#[test]
fn points_that_are_done_stay() {
    let folder = folder(SWEEP);
    assert!(sweep(folder.path(), &[]).status.success());
    let first = folder.path().join("results/sizes/0000");
    let time = || fs::metadata(first.join("result.json")).unwrap().modified().unwrap();
    let written = time();
    assert!(sweep(folder.path(), &[]).status.success());
    assert_eq!(time(), written);
    // Points of another sweep are not mixed with them.
    fs::write(folder.path().join("sweep.toml"), SWEEP.replace("1.5 m", "2 m")).unwrap();
    let output = sweep(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("error: results/sizes/0003 contains a different case than the sweep\n"), "{text}");
    assert!(sweep(folder.path(), &["--collect"]).status.success());
    assert_eq!(column(folder.path(), "status"), ["done", "done", "done", "missing", "missing", "missing"]);
    assert!(sweep(folder.path(), &["--force", "--plots", "--shard", "1/6"]).status.success());
    assert!(time() > written && first.join("echo_width.svg").exists());
}

#[test]
fn points_of_other_input_files_are_not_mixed() {
    let folder = folder(SWEEP);
    let outline = folder.path().join("outline.csv");
    let drop = "0,0\n1,0.4\n2,0\n1,-0.4\n";
    fs::write(&outline, drop).unwrap();
    let body = r#"{ shape = "spline", file = "outline.csv", units = "m" }"#;
    let case = CASE.replace(r#"{ shape = "circle", radius = "1 m" }"#, body);
    fs::write(folder.path().join("small.toml"), case).unwrap();
    let frequencies = SWEEP.lines().filter(|line| !line.contains("radius")).collect::<Vec<_>>().join("\n");
    fs::write(folder.path().join("sweep.toml"), frequencies).unwrap();
    let output = sweep(folder.path(), &["--shard", "1/3"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let inputs = &result(&folder.path().join("results/sizes/0000"))["inputs"];
    // SHA-256 of the text, by `sha256sum`.
    assert_eq!(inputs["outline.csv"], "f076e247c97a4928cc5cecd3ad4150c86ac97686664fcf730bcb974b7ef655f4");
    fs::write(&outline, drop.replace("0.4", "0.5")).unwrap();
    let output = sweep(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("error: results/sizes/0000 was computed from a different outline.csv"), "{text}");
    assert!(sweep(folder.path(), &["--collect"]).status.success());
    assert_eq!(column(folder.path(), "status"), ["missing"; 3]);
    // The file as it was, or not there: the result stays.
    for restore in [true, false] {
        if restore { fs::write(&outline, drop) } else { fs::remove_file(&outline) }.unwrap();
        assert!(sweep(folder.path(), &["--collect"]).status.success());
        assert_eq!(column(folder.path(), "status"), ["done", "missing", "missing"]);
    }
}

#[test]
fn lists_may_vary_together() {
    let folder = folder(
        "case = \"small.toml\"\nname = \"sizes\"\n[[together]]\nsource.propagation = [\"0 deg\", \"90 deg\"]\nsolve.cells = [8, 10]\n\
         [values]\noutput.currents = [true, false]\n",
    );
    let output = sweep(folder.path(), &["--dry-run"]);
    assert_eq!(
        stdout(&output),
        "folder              status   source.propagation  solve.cells  output.currents\n\
         results/sizes/0000  missing  0 deg               8            true\n\
         results/sizes/0001  missing  0 deg               8            false\n\
         results/sizes/0002  missing  90 deg              10           true\n\
         results/sizes/0003  missing  90 deg              10           false\n",
        "{}",
        stderr(&output)
    );
    assert!(!folder.path().join("results").exists(), "nothing was run");
}

#[test]
fn shards_share_the_points() {
    let folder = folder(SWEEP);
    let output = sweep(folder.path(), &["--shard", "2/4"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("shard 2/4: 2 of 6 points"), "{}", stderr(&output));
    assert_eq!(column(folder.path(), "status"), ["missing", "done", "missing", "missing", "missing", "done"]);
    // A job array of Slurm, tasks 11 to 14, at the same time.
    let tasks: Vec<_> = ["11", "13", "14"]
        .map(|id| {
            let mut command =
                phasefront(folder.path(), &["sweep", "sweep.toml", "--device", "cpu", "--threads", "1"]);
            let variables = [("ID", id), ("MIN", "11"), ("MAX", "14"), ("STEP", "1"), ("COUNT", "4")];
            command.envs(variables.map(|(name, value)| (format!("SLURM_ARRAY_TASK_{name}"), value)));
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
        })
        .into_iter()
        .collect();
    let messages = tasks.into_iter().map(|task| {
        let output = task.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    });
    let told: Vec<bool> =
        messages.zip(["1/4: 2", "3/4: 1", "4/4: 1"]).map(|(text, own)| text.contains(own)).collect();
    assert_eq!(told, [true; 3]);
    assert_eq!(column(folder.path(), "status"), ["done"; 6]);
    // The table can be made from the folders alone.
    let table = folder.path().join("results/sizes/sweep.csv");
    let complete = fs::read(&table).unwrap();
    fs::remove_file(&table).unwrap();
    let mut alone = phasefront(folder.path(), &["sweep", "sweep.toml", "--collect"]);
    assert!(alone.env("SLURM_ARRAY_TASK_ID", "5").output().unwrap().status.success());
    assert_eq!(fs::read(&table).unwrap(), complete);
    let left = fs::read_dir(folder.path().join("results/sizes")).unwrap().count();
    assert_eq!(left, 7, "six points and the table");
}

#[test]
fn a_task_that_tells_no_part_is_refused() {
    let folder = folder(SWEEP);
    let mut command = phasefront(folder.path(), &["sweep", "sweep.toml", "--device", "cpu"]);
    let output = command.env("SLURM_ARRAY_TASK_ID", "5").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--shard 3/64"), "{}", stderr(&output));
    let mut command =
        phasefront(folder.path(), &["sweep", "sweep.toml", "--device", "cpu", "--shard", "1/1"]);
    assert!(command.env("SLURM_ARRAY_TASK_ID", "5").output().unwrap().status.success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_goes_on() {
    let folder = folder("case = \"small.toml\"\nname = \"sizes\"\n[values]\nsolve.cells = [8, 150]\n");
    // Seconds of work for the second point.
    let frequencies = "{ from = \"100 MHz\", to = \"110 MHz\", points = 80 }";
    fs::write(folder.path().join("small.toml"), CASE.replace("\"100 MHz\"", frequencies)).unwrap();
    let long = folder.path().join("results/sizes/0001");
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let mut child =
            phasefront(folder.path(), &["sweep", "sweep.toml", "--device", "cpu", "--threads", "1"])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts");
        let saved = |path: &Path| fs::metadata(path.join("checkpoint.bin")).map_or(0, |file| file.len());
        let (started, before) = (Instant::now(), saved(&long));
        while saved(&long) <= before {
            assert!(saved(&long) >= before, "it started over");
            assert!(started.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "nothing was saved");
            std::thread::sleep(Duration::from_millis(2));
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), code, "{}", stderr(&output));
        assert!(saved(&long) > before, "what was done is kept, and added to");
        if code.is_some() {
            assert!(stderr(&output).contains("error: interrupted; 1 of 2 points of the sweep are done"));
            assert!(stderr(&output).contains("resume with the same command"));
            assert_eq!(column(folder.path(), "status"), ["done", "unfinished"]);
        }
    }
    let output = sweep(folder.path(), &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let whole = sweep(folder.path(), &["--out", "whole"]);
    assert!(whole.status.success(), "{}", stderr(&whole));
    let table = |path: &Path| fs::read(path.join("echo_width.csv")).unwrap();
    assert_eq!(table(&long), table(&folder.path().join("whole/0001")));
}

#[test]
fn a_point_that_fails_is_recorded_and_the_others_run() {
    let folder = folder(SWEEP);
    let foreign = folder.path().join("results/sizes/0001/notes.txt");
    fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    fs::write(&foreign, "mine").unwrap();
    let output = sweep(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error: 1 of 6 points failed"), "{}", stderr(&output));
    assert_eq!(column(folder.path(), "status"), ["done", "failed", "done", "done", "done", "done"]);
    let rows = rows(folder.path());
    assert_eq!(rows[1]["message"], "results/sizes/0001 holds other files");
    assert_eq!(rows[1]["unknowns"], "");
    fs::remove_file(&foreign).unwrap();
    let output = sweep(folder.path(), &["--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["points"][1]["status"], "done");
    assert!(document["points"][1]["message"].is_null());
    assert_eq!(document["points"][5]["values"]["source.frequency"], "120 MHz");
    assert_eq!(column(folder.path(), "status"), ["done"; 6]);
}

#[test]
fn wrong_sweeps_are_refused_with_their_place() {
    let head = "case = \"small.toml\"\n[values]\n";
    for (values, location, told) in [
        ("geometry.bodis = [1]", "3:10", "unknown key `bodis` in [geometry]"),
        ("\"geometry.bodies[1].radius\" = [\"1 m\"]", "3:1", "`geometry.bodies` has no item 1"),
        ("\"geometry.bodies[0].radius\" = [\"1 m\", \"3 GHz\"]", "3:39", "\"3 GHz\" is not a length"),
        ("\"geometry.bodies[0].radius\" = [\"1 m\", \"-1 m\"]", "3:39", "geometry.bodies[0].radius"),
        ("solve.cells = [8, \"many\"]", "3:19", "solve.cells: expected"),
        ("solve.cells = { from = 8, to = 9, points = 3 }", "3:15", "solve.cells: expected"),
        ("solve.cells = []", "3:15", "solve.cells: the list is empty"),
        ("solve.cells = 8", "3:15", "expected a list of values"),
        ("solve.cells = [8]\nsolve.cells = [9]", "4:7", "the key `cells` is defined twice"),
        ("solve.cells = [8]\n\"solve.cells\" = [9]", "4:1", "`solve.cells` has two lists"),
        (
            "solve.cells = [8]\n[[together]]\nsolve.order = [1, 2]\nsolve.method = [\"pulse\"]",
            "6:7",
            "`solve.order` and `solve.method` have 2 and 1 values",
        ),
        ("\"geometry.bodies[x]\" = [8]", "3:1", "is not the path of a key"),
        ("", "2:1", "the sweep has no values"),
        ("solve.order = [4]\n[valeus]", "4:2", "unknown key `valeus`"),
    ] {
        let folder = folder(&format!("{head}{values}\n"));
        let output = sweep(folder.path(), &[]);
        assert_eq!(output.status.code(), Some(2), "{values}: {}", stderr(&output));
        let text = stderr(&output);
        assert!(text.contains(told), "{values}: {text}");
        assert!(text.contains(&format!("--> sweep.toml:{location}\n")), "{values}: {text}");
        assert!(text.contains("help: "), "{values}: {text}");
        assert!(!folder.path().join("results").exists(), "{values}");
    }
    let folder = folder("case = \"smal.toml\"\n[values]\nsolve.cells = [8]\n");
    let text = stderr(&sweep(folder.path(), &[]));
    assert!(text.contains("smal.toml is not a file") && text.contains("--> sweep.toml:1:8"), "{text}");
    let text = stderr(&call(folder.path(), &["sweep", "small.toml"]));
    assert!(text.contains("this is a case file, not a sweep file"), "{text}");
    let text = stderr(&call(folder.path(), &["run", "sweep.toml"]));
    assert!(text.contains("this is a sweep file, not a case file"), "{text}");
}

/// The gallery's sweep: radius, then total width of both polarizations over the wavelength of 1 m, by the series of the conducting
/// cylinder (Harrington, Time-Harmonic Electromagnetic Fields, section 5-9), summed by `series.py` of `tests/cross/reference`.
const EXTINCTION: [(f64, [f64; 2]); 6] = [
    (0.05, [0.396_391_668_656_7, 0.010_714_733_108_8]),
    (0.1, [0.656_467_929_260_4, 0.116_609_427_569_1]),
    (0.2, [1.130_830_625_608_0, 0.441_642_644_401_8]),
    (0.5, [2.457_150_128_937_7, 1.530_405_155_607_3]),
    (1.0, [4.579_960_821_025_9, 3.432_099_672_308_9]),
    (2.0, [8.733_469_637_662_8, 7.308_837_083_480_7]),
];

#[test]
fn the_sweep_of_the_gallery_meets_the_series() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/12-extinction");
    for file in ["case.toml", "sweep.toml"] {
        fs::copy(gallery.join(file), folder.path().join(file)).unwrap();
    }
    let swept = sweep(folder.path(), &[]);
    assert!(swept.status.success(), "{}", stderr(&swept));
    let table = fs::read_to_string(folder.path().join("results/extinction/sweep.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let at = |name: &str| names.iter().position(|column| column == name).unwrap();
    let mut expected = EXTINCTION
        .iter()
        .flat_map(|(radius, widths)| ["TM", "TE"].into_iter().zip(widths).map(move |(p, w)| (radius, p, w)));
    let mut count = 0;
    for row in lines {
        let (radius, polarization, width) = expected.next().expect("twelve points");
        let found: f64 = row[at("extinction_width_m")].parse().unwrap();
        assert!((found / width - 1.0).abs() < 1e-8, "{radius} m, {polarization}: {found}, {width}");
        assert_eq!(row[at("source.polarization")], polarization);
        count += 1;
    }
    assert_eq!(count, 12);
}
