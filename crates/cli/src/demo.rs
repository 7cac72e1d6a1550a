//! `phasefront demo`: runs the built-in cases and compares them with their references.

use crate::args::Demo;
use crate::case_file;
use crate::failure::Result;
use crate::output::{Verdict, path_text, seconds};
use crate::run::{Document, check_cells};
use crate::session::{Session, program, use_threads};
use crate::table::Table;
use phasefront_run::Outcome;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Runs it.
pub fn demo(args: &Demo) -> Result<ExitCode> {
    let mut session = Session::new(&args.verbosity);
    use_threads(&args.threads)?;
    case_file::printable(&args.out)?;
    let (progress, _) = session.progress()?;
    let started = Instant::now();
    let outcomes = phasefront_run::demo(&args.out, &args.options(), &progress)?;
    let warnings = outcomes.iter().flat_map(|outcome| &outcome.result.warnings);
    warnings.for_each(|warning| session.bars.warn(warning));
    let pass = outcomes.iter().all(|outcome| outcome.result.pass());
    let report = args.out.join("report.html");
    if session.json {
        let results: Vec<_> = outcomes.iter().map(Document::of).collect();
        session.out.json(&json!({"pass": pass, "report": report, "results": results}))?;
    } else {
        let table = table(&outcomes);
        let style = session.style;
        session.print(&table.render(style))?;
        session.print(&format!(
            "\n{} of {} cases match their references, in {}\n{}\n\n{}",
            outcomes.iter().filter(|outcome| outcome.result.pass()).count(),
            outcomes.len(),
            seconds(started.elapsed().as_secs_f64()),
            path_text(&report),
            next_commands(program(), &args.out),
        ))?;
    }
    Ok(ExitCode::from(u8::from(!pass)))
}

fn table(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new(&["case", "check"], &["result", "reference", "tolerance"]);
    for outcome in outcomes {
        for check in &outcome.result.checks {
            let mut cells = check_cells(check);
            cells.insert(0, format!("{} {}", outcome.result.solver, outcome.result.case));
            table.row(&cells, Some(Verdict::of_check(check.pass)));
        }
    }
    table
}

fn next_commands(program: &str, out: &Path) -> String {
    let mut text = "Try next:\n".to_owned();
    for (command, what) in phasefront_run::next_commands(out) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {program} {command:<19}  {what}");
    }
    text
}
