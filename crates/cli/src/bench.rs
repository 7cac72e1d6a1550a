//! `phasefront bench`: fixed workloads relative to the machine's peak rates.

use crate::args::Bench;
use crate::failure::{Failure, Result};
use crate::output::{rate, seconds};
use crate::session::{Session, use_threads};
use crate::table;
use phasefront_bench::{BenchRow, Extras, Speedup};
use phasefront_run::Kind;
use serde_json::json;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Widths of the columns; fixed, because a row is printed before the next is known.
const WIDTHS: [usize; 6] = [44, 8, 11, 18, 17, 8];
/// How many of them hold text.
const WORDS: usize = 2;

/// Runs it.
pub fn bench(args: &Bench) -> Result<ExitCode> {
    let mut session = Session::new(&args.verbosity);
    use_threads(&args.threads)?;
    let (progress, stop) = session.progress()?;
    let extras = Extras { compare: args.compare, scaling: args.scaling };
    let mut rows = Vec::new();
    let mut broken = None;
    let headings = ["workload", "device", "time", "rate", "compared", "error"].map(str::to_owned);
    let heading = session.style.dim(table::line(&headings, &WIDTHS, WORDS).trim_end());
    session.print(&format!("{heading}\n"))?;
    for name in names(args) {
        let finished = phasefront_bench::bench(name, args.device.device, extras, &progress, &mut |row| {
            let text = line(&row);
            // A callback cannot return an error: store it and stop the benchmark.
            if let Err(failure) = session.print(&text) {
                broken = Some(failure);
            }
            // The reader has closed the pipe: stop the measurements.
            if broken.is_some() || session.out.closed() {
                stop.store(true, Ordering::Relaxed);
            }
            rows.push(row);
        });
        if let Some(failure) = broken.take() {
            return Err(failure);
        }
        if session.out.closed() {
            return Ok(ExitCode::SUCCESS);
        }
        finished.map_err(Failure::from)?;
    }
    if stop.load(Ordering::Relaxed) {
        // The signal came after the last workload checked the flag.
        let message = "interrupted".to_owned();
        return Err(Failure::Own { kind: Kind::Interrupted, message, file: None, help: None });
    }
    if session.json {
        session.out.json(&json!({"version": env!("CARGO_PKG_VERSION"), "rows": rows}))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn names(args: &Bench) -> Vec<&str> {
    if args.names.is_empty() {
        phasefront_bench::names()
    } else {
        args.names.iter().map(String::as_str).collect()
    }
}

fn line(row: &BenchRow) -> String {
    let share = row.ceiling_fraction.zip(row.ceiling);
    let share = share.map(|(fraction, ceiling)| format!("{:.0} % {ceiling}", 100.0 * fraction));
    let speedup = row.speedup.as_ref().map(|Speedup { factor, over }| {
        let decimals = usize::from(*factor < 100.0) + usize::from(*factor < 10.0);
        format!("{factor:.decimals$} x {over}")
    });
    let compared: Vec<String> = [speedup, share].into_iter().flatten().collect();
    let compared = if compared.is_empty() { "-".to_owned() } else { compared.join(", ") };
    let rate = rate(row.rate, row.unit);
    let error = row.error.map_or_else(|| "-".to_owned(), |error| format!("{error:.1e}"));
    let cells = [row.workload.clone(), row.device.to_owned(), seconds(row.seconds), rate, compared, error];
    format!("{}\n", table::line(&cells, &WIDTHS, WORDS))
}
