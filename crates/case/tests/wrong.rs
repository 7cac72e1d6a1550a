//! Wrong cases: each `tests/wrong/NAME.toml` must give exactly the error in `NAME.txt` beside it.
//!
//! The text is part of the interface: read it as a user would. To regenerate the files after a change of
//! wording, run `UPDATE_EXPECTED=1 cargo test -p phasefront-case --test wrong`, and read the difference.

use phasefront_case::parse_bytes;
use std::path::{Path, PathBuf};

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    cases.sort();
    cases
}

#[test]
fn every_wrong_case_gives_its_error() {
    let cases = corpus();
    assert!(cases.len() >= 200, "only {} wrong cases found", cases.len());
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    let mut differences = Vec::new();
    for path in cases {
        let name = path.file_name().unwrap().to_str().unwrap();
        let found = match parse_bytes(name, &std::fs::read(&path).unwrap()) {
            Ok(_) => "no error\n".to_owned(),
            Err(error) => error.render_plain(),
        };
        let beside = path.with_extension("txt");
        if update {
            std::fs::write(&beside, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if found != expected || found == "no error\n" {
            differences.push(format!("== {name}\nexpected:\n{expected}\nfound:\n{found}\n"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.concat());
}

#[test]
fn every_expected_error_has_its_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.with_extension("toml").exists(), "{} has no case", path.display());
    }
}
