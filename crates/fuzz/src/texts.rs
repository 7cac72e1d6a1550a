//! Case files, sweep files, reference values and results.

use phasefront_case::{Sweep, SweepFile};
use phasefront_core::FieldError;
use phasefront_report::RunResult;
use phasefront_run::Expected;
use std::path::Path;

/// A case: parsed, its settings listed, its keys located; or refused with a message that points into the text.
pub(crate) fn case(bytes: &[u8]) {
    match phasefront_case::parse_bytes("case.toml", bytes) {
        Ok(file) => {
            crate::accept();
            for setting in file.settings() {
                let _ = file.locate(&setting.path);
            }
            for path in
                ["", "geometry.bodies[0].radius", "source", "a[99999999999999999999].b", "[", "solve.", "]]"]
            {
                let _ = file.locate(path);
                let _ = file.error_at(&FieldError::new(path, "wrong", "do it right")).to_string();
            }
        }
        Err(error) => {
            let _ = format!("{error} {error:?}");
        }
    }
}

/// A sweep over a small case: read, and its first points made; or refused with a message that points into the text.
pub(crate) fn sweep(bytes: &[u8]) {
    let read = || {
        let base = phasefront_case::parse("case.toml", include_str!("../../case/tests/good/circle.toml"))?;
        Sweep::new(SweepFile::parse("sweep.toml", &String::from_utf8_lossy(bytes))?, base)
    };
    match read() {
        Ok(sweep) => {
            crate::accept();
            for point in 0..sweep.points().min(3) {
                let _ = sweep.case(point).map_err(|error| error.render_plain());
            }
        }
        Err(error) => drop(error.render_plain()),
    }
}

/// `expected.json`.
pub(crate) fn expected(bytes: &[u8]) {
    match Expected::parse(Path::new("expected.json"), &String::from_utf8_lossy(bytes)) {
        Ok(_) => crate::accept(),
        Err(error) => drop(error.to_string()),
    }
}

/// `result.json`: what was read can be written and read again.
pub(crate) fn result(bytes: &[u8]) {
    if let Ok(result) = RunResult::from_json(&String::from_utf8_lossy(bytes)) {
        crate::accept();
        let again = RunResult::from_json(&result.to_json());
        assert!(again.is_ok_and(|again| again.pass() == result.pass()), "a result does not read back");
    }
}
