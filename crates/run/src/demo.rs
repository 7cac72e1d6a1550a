//! The cases built into the program: what `phasefront demo` runs.

use crate::{Asked, Expected, Options, Outcome, RunError, run_case};
use phasefront_core::Progress;
use phasefront_report::ReportError;
use std::path::Path;

/// A gallery case that travels in the binary.
struct BuiltIn {
    name: &'static str,
    case: &'static str,
    expected: &'static str,
}

/// One small case of each solver.
const CASES: &[BuiltIn] = &[
    BuiltIn {
        name: "cases/01-circle",
        case: include_str!("../../../cases/01-circle/case.toml"),
        expected: include_str!("../../../cases/01-circle/expected.json"),
    },
    BuiltIn {
        name: "cases/20-pencil-beam",
        case: include_str!("../../../cases/20-pencil-beam/case.toml"),
        expected: include_str!("../../../cases/20-pencil-beam/expected.json"),
    },
    BuiltIn {
        name: "cases/40-plate",
        case: include_str!("../../../cases/40-plate/case.toml"),
        expected: include_str!("../../../cases/40-plate/expected.json"),
    },
    BuiltIn {
        name: "cases/62-slab",
        case: include_str!("../../../cases/62-slab/case.toml"),
        expected: include_str!("../../../cases/62-slab/expected.json"),
    },
    BuiltIn {
        name: "cases/80-two-monopoles",
        case: include_str!("../../../cases/80-two-monopoles/case.toml"),
        expected: include_str!("../../../cases/80-two-monopoles/expected.json"),
    },
];

const INTRO: &str =
    "One small case of each solver, each compared with a reference. Follow a name for its full report.";

/// Runs the built-in cases under `out/<case name>`, and writes `out/report.html` over them.
pub fn demo(out: &Path, options: &Options, progress: &Progress) -> Result<Vec<Outcome>, RunError> {
    let mut outcomes = Vec::new();
    for built_in in CASES {
        let file = phasefront_case::parse(&format!("{}/case.toml", built_in.name), built_in.case)?;
        let expected = Expected::parse(&Path::new(built_in.name).join("expected.json"), built_in.expected)?;
        // A demo is run again and again: its own folder may always be overwritten.
        let options = Options { out: Some(out.join(file.case.name())), force: true, ..options.clone() };
        // Cases built in name no files.
        let asked = Asked { file: &file, origin: Path::new(""), expected: Some(&expected) };
        outcomes.push(run_case(&asked, None, &options, progress)?);
    }
    let links: Vec<String> = outcomes.iter().map(|o| format!("{}/report.html", o.result.case)).collect();
    let rows: Vec<_> = outcomes
        .iter()
        .zip(&links)
        .map(|(o, link)| (&o.result, o.picture.as_deref(), link.as_str()))
        .collect();
    let page = phasefront_report::overview("Phasefront demo", INTRO, &rows);
    let path = out.join("report.html");
    std::fs::write(&path, page).map_err(|source| ReportError::Io {
        action: "write",
        path: path.clone(),
        source,
    })?;
    Ok(outcomes)
}
