//! The runs of a dgtd case, one for each excited port, with checkpoints.

use super::error::solver_error;
use super::saving::{Before, Interrupted, Saving};
use crate::error::{Kind, RunError, SolverError};
use crate::job::Context;
use phasefront_core::timed;
use phasefront_dgtd::{DgtdError, Pass, Solution, Study};

/// Results of all runs.
pub(super) struct Runs {
    /// In the order in which ports were excited. The first is complete, the others have time series and port voltages, but
    /// no spectra of fields.
    pub solutions: Vec<Solution>,
    /// Steps done just now, without those of an earlier process, and the seconds that they took, without their set-up.
    pub pace: (u64, f64),
}

/// One run for each excited port, after these passes, from where an earlier process left them; none if the user stops them.
pub(super) fn solve(
    first: &Study,
    (excited, passes): (&[usize], &[Pass]),
    mesh_key: &'static str,
    mut interrupted: Option<Interrupted<'_>>,
    context: &Context<'_>,
) -> Result<Option<Runs>, SolverError> {
    let skipped = interrupted.as_ref().map_or(0, Interrupted::run);
    let mut finished = interrupted.as_mut().map(Interrupted::take_finished).unwrap_or_default();
    let mut pace = (0, 0.0);
    for (run, &port) in excited.iter().enumerate().skip(skipped) {
        let other = (run > 0).then(|| first.exciting(port)).transpose();
        let other = other.map_err(|error| solver_error(error, mesh_key))?;
        let study = other.as_ref().unwrap_or(first);
        if excited.len() > 1 {
            let (surface, runs) = (&first.problem.sources.ports[port].surface, excited.len());
            context.progress.note(&format!("run {} of {runs} excites port {}, {surface}", run + 1, port + 1));
        }
        // A pass that has not begun has no state.
        let from = interrupted.take().filter(|interrupted| interrupted.steps() > 0);
        let (progress, times) = timed(context.progress);
        let context = &Context { progress: &progress, ..*context };
        let run = Run { study, number: run, before: Before { passes, runs: &finished } };
        let solved = match run.solve(from.as_ref(), context) {
            // All ranks have agreed that the state cannot be used.
            Err(DgtdError::WrongState(reason)) if context.checkpoints.discards() => {
                context.progress.warn(&format!("{reason}; the work saved there is discarded"));
                run.solve(None, context)
            }
            solved => solved,
        };
        let mut solution = match solved {
            Err(DgtdError::Interrupted(_)) => return Ok(None),
            Err(DgtdError::WrongState(reason)) => return Err(SolverError::Run(refusal(context, reason))),
            solved => solved.map_err(|error| solver_error(error, mesh_key))?,
        };
        pace.0 += solution.steps - from.map_or(0, |saved| saved.steps());
        pace.1 +=
            times.collect().into_iter().filter(|(name, _)| name == "fields").map(|(_, s)| s).sum::<f64>();
        if run.number > 0 {
            solution.spectra.clear();
            solution.snapshots.clear();
        }
        finished.push(solution);
    }
    Ok(Some(Runs { solutions: finished, pace }))
}

/// A saved state that cannot be used, for a reason that all ranks know. Rank 0 tells it.
fn refusal(context: &Context<'_>, message: String) -> RunError {
    if context.comm.rank() > 0 {
        return RunError::OtherRank { rank: 0, kind: Kind::BadInput };
    }
    RunError::Resume { folder: context.checkpoints.folder().to_owned(), message, on_all_ranks: true }
}

/// One of the runs.
struct Run<'a> {
    study: &'a Study,
    number: usize,
    before: Before<'a>,
}

impl Run<'_> {
    /// Solves it on the ranks of the job or on the GPUs of this process.
    fn solve(&self, from: Option<&Interrupted<'_>>, context: &Context<'_>) -> Result<Solution, DgtdError> {
        context.on_each_gpu(|context| {
            let Context { backend, comm, progress, .. } = *context;
            let mut sink = Saving::new(context, self.study, self.number, self.before);
            let saved = from.map(Interrupted::saved);
            self.study.solve_on(comm, saved.as_ref(), backend, progress, &mut sink)
        })
    }
}
