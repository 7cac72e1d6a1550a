//! The runs of a dgtd case, one for each excited port, with checkpoints.

use super::checkpoint::{self, Mark, Standing};
use super::error::solver_error;
use crate::checkpoint::Checkpoints;
use crate::error::SolverError;
use crate::job::Context;
use phasefront_core::Progress;
use phasefront_dgtd::{Checkpoint, DgtdError, Keeper, Solution, Study};
use std::time::{Duration, Instant};

/// How much work a machine that dies may take with it, where checkpoints cost little.
const PAUSE: Duration = Duration::from_secs(1);
/// Times that a checkpoint takes to the next one: they cost 2 % of a run at most.
const PAUSE_COST: u32 = 50;

/// Results of all runs.
pub(super) struct Runs {
    /// In the order in which ports were excited. The first is complete, the others have time series and port voltages, but
    /// no spectra of fields.
    pub solutions: Vec<Solution>,
    /// Steps done just now, without those of an earlier process, and the seconds that they took.
    pub pace: (u64, f64),
}

/// One run for each excited port, from where an earlier process left them; none if the user stops them.
pub(super) fn solve(
    first: &Study,
    excited: &[usize],
    made_in_code: bool,
    context: &Context<'_>,
) -> Result<Option<Runs>, SolverError> {
    let mark = Mark::of(&first.problem, excited, context.backend.name());
    let Standing { mut finished, mut under_way } = open(context.checkpoints, &mark)?;
    let mut pace = (0, 0.0);
    for (run, &port) in excited.iter().enumerate().skip(finished.len()) {
        let other = (run > 0).then(|| first.exciting(port)).transpose();
        let other = other.map_err(|error| solver_error(error, made_in_code))?;
        let study = other.as_ref().unwrap_or(first);
        if excited.len() > 1 {
            let (surface, runs) = (&first.problem.sources.ports[port].surface, excited.len());
            context.progress.note(&format!("run {} of {runs} excites port {}, {surface}", run + 1, port + 1));
        }
        let mut keeper = Keeping::new(context, &mark, &finished);
        let (from, started) = (under_way.take(), Instant::now());
        let solved = study.solve_from(from.as_ref(), context.backend, context.progress, &mut keeper);
        let mut solution = match solved {
            Err(DgtdError::Interrupted(_)) => return Ok(None),
            solved => solved.map_err(|error| solver_error(error, made_in_code))?,
        };
        pace.0 += solution.steps - from.map_or(0, |checkpoint| checkpoint.steps);
        pace.1 += started.elapsed().as_secs_f64();
        if run > 0 {
            solution.spectra.clear();
            solution.snapshots.clear();
        }
        finished.push(solution);
    }
    Ok(Some(Runs { solutions: finished, pace }))
}

/// Begins a checkpoint, or reads the one that is there.
fn open(checkpoints: &Checkpoints<'_>, mark: &Mark) -> Result<Standing, SolverError> {
    if checkpoints.resume.is_none() {
        checkpoints.save(&()).map_err(|error| SolverError::Run(error.into()))?;
    }
    let data = checkpoints.data().map_err(|error| SolverError::Run(error.into()))?;
    match data.map(|bytes| checkpoint::read(&bytes, mark)) {
        // Killed before the first one, or begun just now.
        None => Ok(Standing::default()),
        Some(Ok(standing)) => Ok(standing),
        Some(Err(message)) => Err(SolverError::Run(checkpoints.refusal(message))),
    }
}

/// Keeps checkpoints of the run under way, every so many seconds.
struct Keeping<'a> {
    checkpoints: &'a Checkpoints<'a>,
    progress: &'a Progress,
    mark: &'a Mark,
    finished: &'a [Solution],
    /// When the last one was done, or the last question answered with yes.
    last: Instant,
    pause: Duration,
}

impl<'a> Keeping<'a> {
    fn new(context: &'a Context<'_>, mark: &'a Mark, finished: &'a [Solution]) -> Self {
        let (checkpoints, progress) = (context.checkpoints, context.progress);
        Self { checkpoints, progress, mark, finished, last: Instant::now(), pause: PAUSE }
    }
}

impl Keeper for Keeping<'_> {
    fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() > self.pause;
        if due {
            // The time from here on is what the checkpoint costs, fields on their way from a device included.
            self.last = Instant::now();
        }
        due
    }

    fn keep(&mut self, checkpoint: Checkpoint) {
        let (head, sum) = checkpoint::written(self.mark, self.finished, &checkpoint);
        if let Err(error) = self.checkpoints.save_data(&[&head, &checkpoint.fields, &sum]) {
            self.progress.warn(&format!("where the run stands could not be kept: {error}"));
        }
        self.pause = PAUSE.max(PAUSE_COST * self.last.elapsed());
        self.last = Instant::now();
    }
}
