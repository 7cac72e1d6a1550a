//! The interface between the orchestration and a solver: one small trait, implemented once in each solver's adapter.

use crate::checkpoint::Checkpoints;
use crate::error::SolverError;
use phasefront_comm::{Comm, CommError, threads};
use phasefront_core::{FieldError, Precision, Progress, SelfCheck};
use phasefront_device::{Backend, MemoryEstimate, Opened};
use phasefront_report::plot::Plot;
use phasefront_report::{ArrayFile, IndexMap, SParameters, Surface, Table, Volume};
use std::collections::BTreeMap;

/// A validated case, ready to be solved.
pub(crate) trait Job {
    /// Derived quantities, with the unit in the name.
    fn facts(&self) -> BTreeMap<String, f64>;
    /// Warnings about the validity of the result, besides those of [`Job::self_checks`].
    fn warnings(&self) -> &[String];
    /// What is known about the validity of the result before the run; a self-check that does not hold becomes a warning.
    fn self_checks(&self) -> Vec<SelfCheck> {
        Vec::new()
    }
    /// Precision of the bulk data.
    fn precision(&self) -> Precision;
    /// Seed of its random numbers, if it uses any.
    fn seed(&self) -> Option<u64> {
        None
    }
    /// Whether several ranks can share it.
    fn is_shared(&self) -> bool {
        false
    }
    /// Whether this one of several ranks has what a shared run needs, besides device and memory.
    fn check_ranks(&self, _comm: &dyn Comm, _backend: &Backend) -> Result<(), SolverError> {
        Ok(())
    }
    /// Whether several GPUs of one process can share it.
    fn uses_several_gpus(&self) -> bool {
        false
    }
    /// Why it cannot run on a GPU, if so.
    fn refuses_gpu(&self) -> Option<FieldError> {
        None
    }
    /// Peak memory of one of so many ranks that share a run on `backend`, each with so many `gpus` like it.
    fn memory(&self, backend: &Backend, ranks: usize, gpus: usize) -> MemoryEstimate;
    /// Host memory that the first of several ranks needs in addition.
    fn memory_of_first_rank(&self) -> u64 {
        0
    }
    /// The field of the case that an error names when this is too much.
    fn memory_field(&self) -> &'static str;
    /// What to change in order to fit into `free` bytes.
    fn memory_advice(&self, free: u64) -> String;
    /// Time of a run on `backend`; none where it is not known in advance.
    fn seconds(&self, _backend: &Backend) -> Result<Option<RunTime>, SolverError> {
        Ok(None)
    }
    /// Solves it.
    fn solve(&self, context: &Context<'_>) -> Result<Products, SolverError>;
}

/// How long a run takes, s.
pub(crate) struct RunTime {
    /// If it ends by its own criterion, as most do.
    pub likely: f64,
    /// Upper bound, if there is one.
    pub at_most: Option<f64>,
}

/// What a solver runs with.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub backend: &'a Backend,
    /// Further GPUs of this process.
    pub others: &'a [Backend],
    /// The ranks that solve it together. Only rank 0 has a progress, and only its products count.
    pub comm: &'a dyn Comm,
    pub progress: &'a Progress,
    /// Only rank 0 has a state to resume from; the others can save and read parts of one.
    pub checkpoints: &'a Checkpoints,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        opened: &'a Opened,
        comm: &'a dyn Comm,
        progress: &'a Progress,
        checkpoints: &'a Checkpoints,
    ) -> Self {
        Self { backend: &opened.backend, others: &opened.others, comm, progress, checkpoints }
    }

    /// Work that ranks share, on the ranks of the job or on the GPUs of this process: a rank and a thread for each GPU. The result of the
    /// first is returned.
    pub(crate) fn on_each_gpu<T: Send, E: Send + From<CommError>>(
        &self,
        work: impl Fn(&Context<'_>) -> Result<T, E> + Sync,
    ) -> Result<T, E> {
        if self.others.is_empty() {
            return work(self);
        }
        let (first, silent, checkpoints) = (*self, Progress::silent(), self.checkpoints.for_other_rank());
        threads::run(1 + self.others.len(), |comm| match comm.rank() {
            0 => work(&Context { others: &[], comm, ..first }),
            other => {
                let backend = &first.others[other - 1];
                work(&Context { backend, others: &[], comm, progress: &silent, checkpoints: &checkpoints })
            }
        })
    }
}

/// The sentences of self-checks that do not hold.
pub(crate) fn failing(checks: &[SelfCheck]) -> impl Iterator<Item = String> {
    checks.iter().filter(|check| !check.holds()).map(|check| check.sentence.clone())
}

/// What a solver returns, each file with a short description.
#[derive(Default)]
pub(crate) struct Products {
    pub metrics: IndexMap<String, f64>,
    pub tables: Vec<(Table, &'static str)>,
    pub arrays: Vec<(ArrayFile, &'static str)>,
    pub surfaces: Vec<(Surface, &'static str)>,
    pub volumes: Vec<(Volume, &'static str)>,
    pub s_parameters: Vec<(SParameters, &'static str)>,
    /// Files for other programs: name, text and description.
    pub texts: Vec<(&'static str, String, &'static str)>,
    /// Whether the user stopped the run: these are then the best results so far, and there is a checkpoint to resume from.
    pub interrupted: bool,
    /// Whether the run has no end of its own, as with live input: stopped, these are the final
    /// results.
    pub ends_when_stopped: bool,
    /// How far to trust them, as measured in the run; a self-check that does not hold becomes a warning.
    pub self_checks: Vec<SelfCheck>,
    /// Warnings about their validity, besides those of the self-checks.
    pub warnings: Vec<String>,
    /// The mesh if there is one, then the main plot first.
    pub plots: Vec<Plot>,
}
