//! `phasefront run`: one case to its result folder.

use crate::args::Run;
use crate::case_file;
use crate::failure::Result;
use crate::output::{Style, number, seconds};
use crate::session::{Session, use_threads};
use crate::table::Table;
use phasefront_run::Outcome;
use serde_json::{Map, Value};
use std::process::ExitCode;
use std::time::Instant;

/// Runs it.
pub fn run(args: &Run) -> Result<ExitCode> {
    let mut session = Session::new(&args.loudness);
    use_threads(&args.threads)?;
    let case = case_file::find(&args.case)?;
    let options = args.options();
    let (progress, _) = session.progress()?;
    if !session.quiet && !session.json {
        // Asked before the run, which may take hours: on what it runs is worth knowing now.
        let plan = phasefront_run::check(&case, &options)?;
        session.bars.say(&format!("{} ({}) on {}\n", plan.name, plan.solver, plan.device));
        plan.warnings.iter().for_each(|warning| session.bars.warn(warning));
    }
    let started = Instant::now();
    let outcome = phasefront_run::run(&case, &options, &progress)?;
    if session.json {
        session.out.json(&document(&outcome))?;
    } else {
        let text = Summary::of(&outcome).text(session.style);
        session.print(&text)?;
        session.print(&format!(
            "\nfolder  {}\ntime    {}\n",
            outcome.folder.display(),
            seconds(started.elapsed().as_secs_f64()),
        ))?;
    }
    Ok(ExitCode::from(u8::from(!outcome.checks_pass)))
}

/// `result.json` with the folder it stands in.
pub fn document(outcome: &Outcome) -> Value {
    let mut document = outcome.result.clone();
    if let Value::Object(fields) = &mut document {
        fields.insert("folder".to_owned(), Value::from(outcome.folder.display().to_string()));
        fields.insert("checks_pass".to_owned(), Value::from(outcome.checks_pass));
    }
    document
}

/// What of `result.json` a person reads first.
pub struct Summary<'a> {
    pub solver: &'a str,
    pub case: &'a str,
    pub checks: Vec<Check<'a>>,
    metrics: Option<&'a Map<String, Value>>,
}

/// One comparison with a reference.
pub struct Check<'a> {
    pub name: &'a str,
    pub value: f64,
    pub reference: f64,
    pub tolerance: f64,
    pub unit: Option<&'a str>,
    pub pass: bool,
}

impl<'a> Summary<'a> {
    /// Reads the summary out of a result.
    pub fn of(outcome: &'a Outcome) -> Self {
        let result = &outcome.result;
        let text = |key: &str| result[key].as_str().unwrap_or_default();
        let checks = result["checks"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self {
            solver: text("solver"),
            case: text("case"),
            checks: checks.iter().map(Check::of).collect(),
            metrics: result["metrics"].as_object(),
        }
    }

    fn text(&self, style: Style) -> String {
        let mut metrics = Table::new(&["metric", "value"]);
        for (name, value) in self.metrics.into_iter().flatten() {
            metrics.row(vec![name.clone(), number(real(value))], None);
        }
        let mut checks = Table::new(&["check", "result", "reference", "tolerance"]);
        for check in &self.checks {
            let cells = vec![
                check.name.to_owned(),
                value_with_unit(check.value, check.unit),
                number(check.reference),
                number(check.tolerance),
            ];
            checks.row(cells, Some(check.pass));
        }
        let tables = [metrics, checks];
        let shown: Vec<_> = tables.iter().filter(|t| !t.is_empty()).map(|t| t.render(style)).collect();
        shown.join("\n")
    }
}

impl<'a> Check<'a> {
    fn of(check: &'a Value) -> Self {
        Self {
            name: check["name"].as_str().unwrap_or_default(),
            value: real(&check["value"]),
            reference: real(&check["reference"]),
            tolerance: real(&check["tolerance"]),
            unit: check["unit"].as_str(),
            pass: check["pass"].as_bool().unwrap_or(false),
        }
    }
}

/// JSON has no NaN; it is written as null.
fn real(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// `1.25 dB`.
pub fn value_with_unit(value: f64, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{} {unit}", number(value)),
        None => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_summary_shows_metrics_and_verdicts() {
        let result = json!({
            "solver": "mom", "case": "circle",
            "metrics": {"unknowns": 256.0, "condition": null},
            "checks": [
                {"name": "forward", "value": 1.5, "reference": 1.25, "tolerance": 0.01, "pass": false, "unit": "m"},
            ],
        });
        let outcome = Outcome { folder: "results/circle".into(), result, checks_pass: false };
        let text = Summary::of(&outcome).text(Style::PLAIN);
        assert!(text.contains("unknowns     256\n"), "{text}");
        assert!(text.contains("condition    NaN\n"), "{text}");
        assert!(text.contains("forward   1.5 m       1.25       0.01  FAIL\n"), "{text}");
        assert_eq!(document(&outcome)["folder"], "results/circle");
    }
}
