//! What a solver must be able to do to be run: one small trait, implemented once per solver in a file of its own.

use crate::checkpoint::Checkpoints;
use crate::dgtd::DgtdJob;
use crate::error::{RunError, SolverError};
use crate::mom::MomJob;
use crate::nah::NahJob;
use crate::reflectarray::ReflectarrayJob;
use crate::sbr::SbrJob;
use phasefront_case::model::reflectarray::Method;
use phasefront_case::{Case, CaseFile};
use phasefront_core::{Precision, Progress};
use phasefront_device::{Backend, MemoryEstimate};
use phasefront_report::plot::Plot;
use phasefront_report::{ArrayFile, IndexMap, SParameters, Surface, Table, Volume};
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
    fn memory(&self, backend: &Backend) -> MemoryEstimate;
    /// The field to blame when that is too much.
    fn memory_field(&self) -> &'static str;
    /// What would fit in `free` bytes.
    fn memory_advice(&self, free: u64) -> String;
    /// How long a run on `backend` takes at most, s; none where that is not known beforehand.
    fn seconds(&self, _backend: &Backend) -> Result<Option<f64>, SolverError> {
        Ok(None)
    }
    /// Solves it.
    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError>;
}

/// What a solver runs with. `deterministic` joins it with the first solver that has atomics to avoid.
pub(crate) struct Context<'a> {
    pub backend: &'a Backend,
    pub progress: &'a Progress,
    pub checkpoints: &'a Checkpoints<'a>,
}

/// What a solver gives back, each file with a few words on what it holds.
#[derive(Default)]
pub(crate) struct Products {
    pub metrics: IndexMap<String, f64>,
    pub tables: Vec<(Table, &'static str)>,
    pub arrays: Vec<(ArrayFile, &'static str)>,
    pub surfaces: Vec<(Surface, &'static str)>,
    pub volumes: Vec<(Volume, &'static str)>,
    pub s_parameters: Vec<(SParameters, &'static str)>,
    /// Files for other programs: name, text, and what it is.
    pub texts: Vec<(&'static str, String, &'static str)>,
    /// Whether the user stopped the run: then this is the best so far, and there is a checkpoint to go on from.
    pub interrupted: bool,
    /// Whether being stopped is how such a run ends: then this is all there is.
    pub ends_when_stopped: bool,
    /// What the user should know before trusting them.
    pub warnings: Vec<String>,
    /// The most telling one first.
    pub plots: Vec<Plot>,
}

/// The job of a case. A wrong field is reported at its line. Files that it names are looked for in `folder`.
pub(crate) fn job(file: &CaseFile, folder: &Path) -> Result<Box<dyn Job>, RunError> {
    let job: Result<Box<dyn Job>, SolverError> = match &file.case {
        Case::Mom(case) => MomJob::new(case, folder).map(|job| Box::new(job) as _),
        Case::Reflectarray(case) => ReflectarrayJob::new(case, folder).map(|job| Box::new(job) as _),
        Case::Sbr(case) => SbrJob::new(case, folder).map(|job| Box::new(job) as _),
        Case::Dgtd(case) => DgtdJob::new(case, folder).map(|job| Box::new(job) as _),
        Case::Nah(case) => NahJob::new(case, folder).map(|job| Box::new(job) as _),
    };
    job.map_err(|error| error.at(file))
}

/// Whether runs of this case keep checkpoints.
pub(crate) fn has_checkpoints(case: &Case) -> bool {
    match case {
        Case::Mom(_) | Case::Nah(_) => false,
        Case::Reflectarray(case) => case.solve.method != Method::Analysis,
        Case::Sbr(_) | Case::Dgtd(_) => true,
    }
}
