//! Runs the built-in cases for `phasefront demo`.

use crate::error::RunError;
use crate::expected::Expected;
use crate::options::Options;
use crate::registry::SOLVERS;
use crate::run::{Outcome, Request, run_case};
use phasefront_core::Progress;
use phasefront_report::{Overview, ReportError};
use std::path::Path;

const INTRO: &str =
    "One small case of each solver, compared with reference values. Each name links to the full report.";

/// Commands to try after a demo in `out`, without the name of the program, and what they do.
pub fn next_commands(out: &Path) -> [(String, &'static str); 3] {
    [
        (format!("view {}", out.display()), "show these results in a browser"),
        ("new mom".into(), "write a commented case file, mom.toml"),
        ("run mom.toml --live".into(), "run it and watch it in a browser"),
    ]
}

/// Runs the built-in cases into `out/<case name>`, and writes `out/report.html`, which links to them.
pub fn demo(out: &Path, options: &Options, progress: &Progress) -> Result<Vec<Outcome>, RunError> {
    let mut outcomes = Vec::new();
    for demo in SOLVERS.iter().map(|solver| &solver.demo) {
        let file = phasefront_case::parse(&format!("{}/case.toml", demo.path), demo.case)?;
        let expected = Expected::parse(&Path::new(demo.path).join("expected.json"), demo.expected)?;
        // A demo may always overwrite its own folder.
        let options = Options { out: Some(out.join(file.case.name())), force: true, ..options.clone() };
        // Built-in cases name no files.
        let request = Request { file: &file, origin: Path::new(""), expected: Some(&expected) };
        outcomes.push(run_case(&request, None, &options, progress)?);
    }
    let links: Vec<String> = outcomes.iter().map(|o| format!("{}/report.html", o.result.case)).collect();
    let rows: Vec<_> = outcomes
        .iter()
        .zip(&SOLVERS)
        .zip(&links)
        .map(|((outcome, solver), address)| Overview {
            result: &outcome.result,
            picture: outcome.picture.as_deref(),
            meaning: solver.demo.meaning,
            address,
        })
        .collect();
    let next = next_commands(out).map(|(command, what)| format!("phasefront {command}    # {what}"));
    let next = next.each_ref().map(String::as_str);
    let page = phasefront_report::overview("Phasefront demo", INTRO, &rows, &next);
    let path = out.join("report.html");
    std::fs::write(&path, page).map_err(|source| ReportError::Io {
        action: "write",
        path: path.clone(),
        source,
    })?;
    Ok(outcomes)
}
