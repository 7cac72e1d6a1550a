//! Cases: run, check and resume.

use crate::failure::exception;
use crate::work::{Done, work};
use phasefront_cli::{Failure, find_case};
use phasefront_run::{Options, Outcome, RunError};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A case as passed from Python.
#[derive(FromPyObject)]
pub enum Source {
    /// A case file, or a folder with one.
    Path(PathBuf),
    /// The case as JSON, and the folder that it refers to.
    Json(String, PathBuf),
}

/// Name of a case without a file, in messages.
const UNNAMED: &str = "case";

/// Options of a run: `device`, `out`, `force`, `deterministic`.
type Choices = (String, Option<PathBuf>, bool, bool);

/// The output of a run: its folder, `result.json`, and the main plot.
type Left = (PathBuf, String, Option<String>);

fn options((device, out, force, deterministic): Choices) -> Result<Options, Failure> {
    let device = device.parse().map_err(RunError::Device)?;
    // The package reads NPZ files.
    Ok(Options { device, out, force, deterministic, ..Options::default() })
}

/// The case as TOML, so that the copy in the results can be run again and messages can show lines.
fn toml_text(json: &str) -> Result<String, Failure> {
    let table: Result<toml::Table, _> = serde_json::from_str(json);
    let text = table
        .map_err(|error| error.to_string())
        .and_then(|table| toml::to_string(&table).map_err(|error| error.to_string()));
    text.map_err(|error| {
        Failure::input(
            format!("this is no case: {error}"),
            Some("give a dict with the keys of a case file".into()),
        )
    })
}

/// Runs a case and writes its folder.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    source: Source,
    choices: Choices,
    threads: Option<usize>,
    listener: Option<Bound<'_, PyAny>>,
) -> PyResult<Left> {
    let done = work(py, listener.as_ref(), threads, |progress| {
        let options = options(choices)?;
        Ok(match source {
            Source::Path(path) => phasefront_run::run(&find_case(&path)?, &options, progress)?,
            Source::Json(json, base) => {
                phasefront_run::run_text(UNNAMED, &toml_text(&json)?, &base, &options, progress)?
            }
        })
    })?;
    left(done)
}

/// Resumes an interrupted run.
#[pyfunction]
pub fn resume(
    py: Python<'_>,
    folder: PathBuf,
    choices: Choices,
    threads: Option<usize>,
    listener: Option<Bound<'_, PyAny>>,
) -> PyResult<Left> {
    let done = work(py, listener.as_ref(), threads, |progress| {
        Ok(phasefront_run::resume(&folder, &options(choices)?, progress)?)
    })?;
    left(done)
}

/// A run with live input ends regularly by Ctrl-C; for any other the signal arrived after its end.
fn left(done: Done<Outcome>) -> PyResult<Left> {
    let outcome = if done.value.stopped { done.value } else { done.or_raised()? };
    Ok((outcome.folder, outcome.result.to_json(), outcome.picture))
}

/// Resources needed by a case, as JSON.
#[pyfunction]
pub fn check(py: Python<'_>, source: Source, choices: Choices) -> PyResult<String> {
    let plan = work(py, None, None, |progress| {
        let options = options(choices)?;
        Ok(match source {
            Source::Path(path) => phasefront_run::check(&find_case(&path)?, &options, progress)?,
            Source::Json(json, base) => {
                phasefront_run::check_text(UNNAMED, &toml_text(&json)?, &base, &options)?
            }
        })
    })?;
    // Every number of a plan is finite, and every key is text.
    Ok(serde_json::to_string(&plan.or_raised()?).unwrap_or_default())
}

/// A commented case for a solver that runs unchanged.
#[pyfunction]
pub fn template(py: Python<'_>, solver: &str) -> PyResult<&'static str> {
    phasefront_run::template(solver).ok_or_else(|| exception(py, &phasefront_cli::unknown_solver(solver)))
}

/// The JSON schema of case files.
#[pyfunction]
pub fn schema() -> String {
    phasefront_run::schema().to_string()
}
