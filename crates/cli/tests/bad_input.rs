//! Every wrong case, run through the program: its exact message, exit code 2, and nothing written.
//!
//! The cases that are wrong as files live in the `case` crate; those whose physics is wrong live here, in
//! `wrong/NAME.toml` with the words expected in `wrong/NAME.txt`. `UPDATE_EXPECTED=1` rewrites these: read them.

use std::path::{Path, PathBuf};
use std::process::Command;

fn wrong_cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    cases.sort();
    cases
}

/// A case to be completed.
const CIRCLE: &str = r#"version = 1
solver = "mom"
name = "large"
[geometry]
bodies = [{ shape = "circle", radius = "1 m" }]
[source]
frequency = "300 MHz"
polarization = "TM"
propagation = "0 deg"
[solve]
CELLS
method = "pulse"
[output]
OUTPUT
"#;

/// What the program says to a case, having checked that it refuses it and writes nothing.
fn refusal(case: &Path) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_phasefront"))
        .current_dir(case.parent().unwrap())
        .args(["run", case.file_name().unwrap().to_str().unwrap(), "--device", "cpu", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{}: {words}", case.display());
    assert!(output.stdout.is_empty(), "{}", case.display());
    assert!(!out.exists(), "{} wrote to its output folder", case.display());
    words
}

#[test]
fn cases_that_are_wrong_as_files() {
    let cases = wrong_cases("../case/tests/wrong");
    assert!(cases.len() >= 40);
    for case in cases {
        let expected = std::fs::read_to_string(case.with_extension("txt")).unwrap();
        let got = refusal(&case);
        assert!(got.contains(expected.trim_end()), "{}\n{got}\n--- expected\n{expected}", case.display());
    }
}

#[test]
fn cases_whose_physics_is_wrong() {
    let cases = wrong_cases("tests/wrong");
    assert!(cases.len() >= 12);
    for case in cases {
        let (got, file) = (refusal(&case), case.with_extension("txt"));
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&file, &got).unwrap();
        }
        assert_eq!(got, std::fs::read_to_string(&file).unwrap(), "{}", case.display());
    }
}

#[test]
fn what_cannot_fit_in_memory_is_refused_before_any_work() {
    let temporary = tempfile::tempdir().unwrap();
    for (body, path, words) in [
        ("cells = 250000", "solve.cells", "this needs 931.3 GiB of memory, and "),
        ("cells = 100", "output.near_field", "this needs 1.1 PiB of memory, and "),
    ] {
        let field = "near_field = { x = { from = \"-2 m\", to = \"2 m\", points = 10000000 }, y = { from = \"-2 m\", to = \"2 m\", points = 1000000 } }";
        let case = temporary.path().join("large.toml");
        let output = if path == "output.near_field" { field } else { "currents = false" };
        std::fs::write(&case, CIRCLE.replace("CELLS", body).replace("OUTPUT", output)).unwrap();
        let said = refusal(&case);
        assert!(said.contains(words) && said.contains(path), "{said}");
    }
}
