//! What a solver must be able to do to be run: one small trait, implemented once per solver in a file of its own.

use crate::error::{RunError, SolverError};
use crate::mom::MomJob;
use phasefront_case::{Case, CaseFile};
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use phasefront_report::plot::Plot;
use phasefront_report::{ArrayFile, IndexMap, Table};
use std::collections::BTreeMap;
use std::path::Path;

/// A validated case, ready to be solved.
pub(crate) trait Job {
    /// What follows from the settings, with the unit in the name.
    fn facts(&self) -> BTreeMap<String, f64>;
    /// What the user should know before trusting the answer.
    fn warnings(&self) -> &[String];
    /// Precision of the bulk data.
    fn precision(&self) -> Precision;
    /// Seed of its random choices, if it makes any.
    fn seed(&self) -> Option<u64> {
        None
    }
    /// What a run on `backend` holds at once.
    fn memory(&self, backend: &Backend) -> Needs;
    /// The field to blame when that is too much.
    fn memory_field(&self) -> &'static str;
    /// What would fit in `free` bytes.
    fn memory_advice(&self, free: u64) -> String;
    /// Solves it.
    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError>;
}

/// What a solver runs with. `deterministic` joins it with the first solver that has atomics to avoid.
pub(crate) struct Context<'a> {
    pub backend: &'a Backend,
    pub progress: &'a Progress,
}

/// Bytes a run holds at once.
pub(crate) struct Needs {
    /// In the memory of the GPU, if it runs on one.
    pub device: u64,
    /// In the memory of the host.
    pub host: u64,
}

/// What a solver gives back, each file with a few words on what it holds.
#[derive(Default)]
pub(crate) struct Products {
    pub metrics: IndexMap<String, f64>,
    pub tables: Vec<(Table, &'static str)>,
    pub arrays: Vec<(ArrayFile, &'static str)>,
    /// What the user should know before trusting them.
    pub warnings: Vec<String>,
    /// The most telling one first.
    pub plots: Vec<Plot>,
}

/// The job of a case. A wrong field is reported at its line. Files that it names are looked for beside it.
pub(crate) fn job(file: &CaseFile) -> Result<Box<dyn Job>, RunError> {
    let folder = Path::new(&*file.source.name).parent().unwrap_or(Path::new(""));
    match &file.case {
        Case::Mom(case) => match MomJob::new(case, folder) {
            Ok(job) => Ok(Box::new(job)),
            Err(error) => Err(error.at(file)),
        },
    }
}
