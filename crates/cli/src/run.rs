//! `phasefront run`: runs a case into its result folder.

use crate::args::{Run, Threads};
use crate::case_file;
use crate::failure::Result;
use crate::live::LivePage;
use crate::output::{self, Style, Verdict, number, path_text, seconds};
use crate::ranks;
use crate::self_checks;
use crate::session::Session;
use crate::table::Table;
use phasefront_core::Progress;
use phasefront_core::text::visible;
use phasefront_report::{Check, RunResult};
use phasefront_run::{Options, Outcome, RunError};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Runs it.
pub fn run(args: &Run) -> Result<ExitCode> {
    with_ranks(&args.threads, &args.options(), |options| {
        let session = Session::new(&args.verbosity);
        let case = case_file::find(&args.case)?;
        if let Some(out) = &args.out {
            case_file::printable(out)?;
        }
        let page = if args.live { Some(LivePage::open(args, &case, args.verbosity.quiet)?) } else { None };
        finish(session, page, |progress| phasefront_run::run(&case, options, progress))
    })
}

/// Runs `first` on the first rank of the job; the others help.
pub fn with_ranks(
    threads: &Threads,
    options: &Options,
    first: impl FnOnce(&Options) -> Result<ExitCode>,
) -> Result<ExitCode> {
    let options = Options { ranks: ranks::join(threads)?, ..options.clone() };
    if options.ranks.comm().rank() > 0 {
        return Ok(ranks::help(&options));
    }
    let told = first(&options);
    if let Err(failure) = &told {
        ranks::end_all(&options.ranks, failure);
    }
    told
}

/// Runs something to its end and reports the outcome.
pub fn finish(
    mut session: Session,
    page: Option<LivePage>,
    run: impl FnOnce(&Progress) -> std::result::Result<Outcome, RunError>,
) -> Result<ExitCode> {
    let (mut progress, stop) = session.progress()?;
    if let Some(page) = &page {
        progress = progress.through(|bars| page.sink(bars));
    }
    let started = Instant::now();
    let ran = run(&progress);
    let took = started.elapsed().as_secs_f64();
    if let Some(page) = &page {
        page.end(&ran);
    }
    // The terminal reports first: waiting for the page may take long.
    let told = tell(&mut session, ran, took);
    if let Some(page) = page {
        page.wait(&stop, told.is_ok());
    }
    told
}

/// Reports the outcome of a run.
fn tell(session: &mut Session, ran: std::result::Result<Outcome, RunError>, took: f64) -> Result<ExitCode> {
    let outcome = ran?;
    // Those that were not told during the run.
    outcome.result.warnings.iter().for_each(|warning| session.bars.warn(warning));
    if session.json {
        session.out.json(&Document::of(&outcome))?;
    } else {
        let text = summary(&outcome.result, session.style);
        session.print(&text)?;
        session.print(&format!("\nfolder  {}\ntime    {}\n", path_text(&outcome.folder), seconds(took)))?;
    }
    if session.quiet {
        // Errors are printed even then, and a failed check is one.
        for check in outcome.result.checks.iter().filter(|check| !check.pass) {
            let cells = check_cells(check);
            let text =
                format!("error: {}: {}, reference {}, tolerance {}", cells[0], cells[1], cells[2], cells[3]);
            output::message(&format!("{}\n", visible(&text)));
        }
    }
    Ok(ExitCode::from(u8::from(!outcome.result.pass())))
}

/// `result.json` with its folder, and one verdict over all checks.
#[derive(Serialize)]
pub struct Document<'a> {
    #[serde(flatten)]
    result: &'a RunResult,
    folder: &'a Path,
    checks_pass: bool,
}

impl<'a> Document<'a> {
    /// For one finished run.
    pub fn of(outcome: &'a Outcome) -> Self {
        Self { result: &outcome.result, folder: &outcome.folder, checks_pass: outcome.result.pass() }
    }
}

/// Metrics, checks against reference values, and self-checks.
fn summary(result: &RunResult, style: Style) -> String {
    let mut metrics = Table::new(&["metric"], &["value"]);
    for (name, value) in &result.metrics {
        metrics.row(&[name.clone(), number(*value)], None);
    }
    let mut checks = Table::new(&["check"], &["result", "reference", "tolerance"]);
    for check in &result.checks {
        checks.row(&check_cells(check), Some(Verdict::of_check(check.pass)));
    }
    let tables = [metrics, checks, self_checks::table(&result.trust)];
    let shown: Vec<_> = tables.iter().filter(|t| !t.is_empty()).map(|t| t.render(style)).collect();
    shown.join("\n")
}

/// Name, result, reference and tolerance of a check.
pub fn check_cells(check: &Check) -> Vec<String> {
    let unit = check.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
    vec![
        check.name.clone(),
        format!("{}{unit}", number(check.value)),
        number(check.reference),
        number(check.tolerance),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use phasefront_core::SelfCheck;

    #[test]
    fn a_summary_shows_metrics_and_verdicts() {
        let mut result = RunResult::new("mom", "circle");
        result.metrics.insert("unknowns".into(), 256.0);
        result.metrics.insert("condition".into(), f64::NAN);
        let check = Check { unit: Some("m".into()), ..Check::new("forward", 1.5, 1.25, 0.01, "series") };
        result.checks.push(check);
        result.trust.push(SelfCheck::at_most("residual", 0.5, 1e-6, "Refine the mesh."));
        let text = summary(&result, Style::PLAIN);
        assert!(
            text.ends_with("\n\nself-check  value    limit\nresidual      0.5  <= 1e-6  WARNING\n"),
            "{text}"
        );
        assert!(text.contains("unknowns     256\n"), "{text}");
        assert!(text.contains("condition    NaN\n"), "{text}");
        assert!(text.contains("forward   1.5 m       1.25       0.01  FAIL\n"), "{text}");
        let outcome = Outcome { folder: "results/circle".into(), result, picture: None, stopped: false };
        let document = serde_json::to_value(Document::of(&outcome)).unwrap();
        assert_eq!(document["folder"], "results/circle");
        assert_eq!(document["checks_pass"], false);
        assert_eq!(document["solver"], "mom");
    }
}
