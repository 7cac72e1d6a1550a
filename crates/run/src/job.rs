//! What a solver must be able to do to be run: one small trait, implemented once per solver in a file of its own.

use crate::error::{RunError, SolverError};
use crate::mom::MomJob;
use phasefront_case::{Case, CaseFile};
use phasefront_core::{Precision, Progress};
use phasefront_device::Backend;
use phasefront_report::plot::Plot;
use phasefront_report::{ArrayFile, IndexMap, Table};
use std::collections::BTreeMap;

/// A validated case, ready to be solved.
pub(crate) trait Job {
    /// What follows from the settings, with the unit in the name.
    fn facts(&self) -> BTreeMap<String, f64>;
    /// What the user should know before trusting the answer.
    fn warnings(&self) -> &[String];
    /// Precision of the bulk data.
    fn precision(&self) -> Precision;
    /// Bytes the run holds at once on its device.
    fn memory_bytes(&self) -> u64;
    /// The field to blame when that is too much.
    fn memory_field(&self) -> &'static str;
    /// What would fit in `free` bytes.
    fn memory_advice(&self, free: u64) -> String;
    /// Solves it.
    fn solve(&self, backend: &Backend, progress: &Progress) -> Result<Products, SolverError>;
}

/// What a solver gives back, each file with a few words on what it holds.
#[derive(Default)]
pub(crate) struct Products {
    pub metrics: IndexMap<String, f64>,
    pub tables: Vec<(Table, &'static str)>,
    pub arrays: Vec<(ArrayFile, &'static str)>,
    /// The most telling one first.
    pub plots: Vec<Plot>,
}

/// The job of a case. A wrong field is reported at its line.
pub(crate) fn job(file: &CaseFile) -> Result<Box<dyn Job>, RunError> {
    match &file.case {
        Case::Mom(case) => match MomJob::new(case) {
            Ok(job) => Ok(Box::new(job)),
            Err(error) => Err(error.at(file)),
        },
    }
}
