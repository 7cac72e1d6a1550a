//! One case from file to finished folder: the only place where case files, solvers and reports meet.

mod error;

pub use error::{Kind, RunError};

use phasefront_core::Progress;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the user chose on the command line; the same for every solver.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `auto`, `cpu`, `cuda`, `cuda:N` or `opencl`, unparsed.
    pub device: Option<String>,
    /// Where to write; `results/<case name>` if not given.
    pub out: Option<PathBuf>,
    /// Overwrite a folder that already holds a result.
    pub force: bool,
    /// Bit-identical from run to run on one device and thread count.
    pub deterministic: bool,
}

/// What `check` tells before anything runs.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// Name of the case.
    pub name: String,
    /// Which solver.
    pub solver: String,
    /// Every setting with its value as text, defaults included; the second is true where it is a default.
    pub settings: Vec<Setting>,
    /// What follows from the settings, with unit in the name: `unknowns`, `wavelength_m`, `cells_per_wavelength`.
    pub facts: BTreeMap<String, f64>,
    /// Device it would run on, in words.
    pub device: String,
    /// Memory the run needs on that device.
    pub memory_needed_bytes: u64,
    /// Memory free there now.
    pub memory_free_bytes: u64,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// One setting of a case.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// Path: `solve.method`.
    pub path: String,
    /// Value as it would stand in the case file.
    pub value: String,
    /// Whether the case left it out.
    pub is_default: bool,
}

/// A finished run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The folder written.
    pub folder: PathBuf,
    /// What stands in `result.json`.
    pub result: serde_json::Value,
    /// False if a check against `expected.json` failed.
    pub checks_pass: bool,
}

/// One line of `phasefront bench`.
#[derive(Debug, Clone, Serialize)]
pub struct BenchRow {
    /// What was timed: `mom fill N=5000`.
    pub workload: String,
    /// On what.
    pub device: String,
    /// Median time.
    pub seconds: f64,
    /// Rate in the workload's own unit.
    pub rate: f64,
    /// That unit: `entries/s`, `flop/s`, `byte/s`.
    pub unit: String,
    /// Share of the ceiling that applies, measured in the same process.
    pub ceiling_fraction: Option<f64>,
    /// Which ceiling: `GEMM`, `copy`.
    pub ceiling: Option<String>,
}

/// Reads and validates a case, and says what running it would take. Writes nothing.
pub fn check(case: &Path, options: &Options) -> Result<Plan, RunError> {
    let _ = (case, options);
    todo!()
}

/// Runs a case and writes its folder.
pub fn run(case: &Path, options: &Options, progress: &Progress) -> Result<Outcome, RunError> {
    let _ = (case, options, progress);
    todo!()
}

/// Runs the small case of each solver that is built into the program, under `out/<case name>`.
pub fn demo(out: &Path, options: &Options, progress: &Progress) -> Result<Vec<Outcome>, RunError> {
    let _ = (out, options, progress);
    todo!()
}

/// Names `bench` takes: `device`, then the solvers.
pub const BENCHES: &[&str] = &["device", "mom"];

/// Runs the fixed workloads of one of [`BENCHES`]; each finished row goes to `row`.
pub fn bench(
    name: &str,
    options: &Options,
    progress: &Progress,
    row: &mut dyn FnMut(BenchRow),
) -> Result<(), RunError> {
    let _ = (name, options, progress, row);
    todo!()
}

/// A commented case for `solver` that runs as it is.
pub fn template(solver: &str) -> Option<&'static str> {
    let _ = solver;
    todo!()
}
