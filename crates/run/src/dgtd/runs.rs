//! The runs of a dgtd case, one for each excited port, with checkpoints.

use super::error::solver_error;
use crate::error::{RunError, SolverError};
use crate::job::Context;
use phasefront_comm::{Comm, CommError};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::timed;
use phasefront_dgtd::{Checkpoint, CheckpointSink, DgtdError, NoCheckpoints, Solution, Study};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shortest time between checkpoints: how much work a power failure may cost.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time between checkpoints over the time that one takes: they cost at most 2 % of a run.
const COST_RATIO: u32 = 50;

/// Bytes of a checkpoint that are saved in a second, before that is measured: from the device to a fast disk.
const SPEED: f64 = 1e9;

/// Results of all runs.
pub(super) struct Runs {
    /// In the order in which ports were excited. The first is complete, the others have time series and port voltages, but
    /// no spectra of fields.
    pub solutions: Vec<Solution>,
    /// Steps done just now, without those of an earlier process, and the seconds that they took, without their set-up.
    pub pace: (u64, f64),
}

/// One run for each excited port, from where an earlier process left them; none if the user stops them.
pub(super) fn solve(
    first: &Study,
    excited: &[usize],
    made_in_code: bool,
    context: &Context<'_>,
) -> Result<Option<Runs>, SolverError> {
    let (mut finished, mut interrupted) = interrupted(context).map_err(SolverError::Run)?;
    let skipped = agreed(context.comm, finished.len())?;
    let mut pace = (0, 0.0);
    for (run, &port) in excited.iter().enumerate().skip(skipped) {
        let other = (run > 0).then(|| first.exciting(port)).transpose();
        let other = other.map_err(|error| solver_error(error, made_in_code))?;
        let study = other.as_ref().unwrap_or(first);
        if excited.len() > 1 {
            let (surface, runs) = (&first.problem.sources.ports[port].surface, excited.len());
            context.progress.note(&format!("run {} of {runs} excites port {}, {surface}", run + 1, port + 1));
        }
        let mut sink = Saving::new(context, study, &finished);
        let (from, (progress, times)) = (interrupted.take(), timed(context.progress));
        let context = &Context { progress: &progress, ..*context };
        let solved = on_devices(study, from.as_ref(), context, &mut sink);
        let mut solution = match solved {
            Err(DgtdError::Interrupted(_)) => return Ok(None),
            solved => solved.map_err(|error| solver_error(error, made_in_code))?,
        };
        pace.0 += solution.steps - from.map_or(0, |checkpoint| checkpoint.steps);
        pace.1 +=
            times.collect().into_iter().filter(|(name, _)| name == "fields").map(|(_, s)| s).sum::<f64>();
        if run > 0 {
            solution.spectra.clear();
            solution.snapshots.clear();
        }
        finished.push(solution);
    }
    Ok(Some(Runs { solutions: finished, pace }))
}

/// A number that rank 0 has, on all ranks.
fn agreed(comm: &dyn Comm, number: usize) -> Result<usize, CommError> {
    let mut bytes = (number as u64).to_le_bytes().to_vec();
    comm.broadcast(&mut bytes)?;
    Ok(bytes.try_into().map_or(0, u64::from_le_bytes) as usize)
}

/// One run, on the ranks of the job or on the GPUs of this process.
fn on_devices(
    study: &Study,
    from: Option<&Checkpoint>,
    context: &Context<'_>,
    sink: &mut Saving<'_>,
) -> Result<Solution, DgtdError> {
    let sink = Mutex::new(sink);
    context.on_each_gpu(|context| {
        let Context { backend, comm, progress, .. } = *context;
        if comm.rank() > 0 {
            return study.solve_on(comm, None, backend, progress, &mut NoCheckpoints);
        }
        let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
        study.solve_on(comm, from, backend, progress, &mut **sink)
    })
}

/// The state of all runs of a case.
#[derive(Debug, Clone, PartialEq)]
struct RunsState<'a> {
    /// Finished runs.
    finished: Cow<'a, [Solution]>,
    /// The current run.
    current: Checkpoint,
}

impl State for RunsState<'_> {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.list(&self.finished);
        self.current.write(out);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self { finished: from.list()?.into(), current: Checkpoint::read(from)? })
    }
}

/// Finished runs, and the one to continue, of an interrupted case; on any device and any number of ranks.
fn interrupted(context: &Context<'_>) -> Result<(Vec<Solution>, Option<Checkpoint>), RunError> {
    let Some(state) = context.checkpoints.state::<RunsState<'_>>(context.progress)? else {
        return Ok((Vec::new(), None));
    };
    Ok((state.finished.into_owned(), Some(state.current)))
}

/// Saves checkpoints of the current run at intervals.
struct Saving<'a> {
    context: &'a Context<'a>,
    finished: &'a [Solution],
    /// When the last one was saved, or found to be due.
    last: Instant,
    interval: Duration,
}

impl<'a> Saving<'a> {
    fn new(context: &'a Context<'a>, study: &Study, finished: &'a [Solution]) -> Self {
        let bytes = (study.dof() * study.problem.precision.bytes()) as f64;
        let first = Duration::from_secs_f64(f64::from(COST_RATIO) * bytes / SPEED);
        Self { context, finished, last: Instant::now(), interval: INTERVAL.max(first) }
    }
}

impl CheckpointSink for Saving<'_> {
    fn is_due(&mut self) -> bool {
        let due = self.last.elapsed() > self.interval;
        if due {
            // The time from here on is the cost of the checkpoint, with the transfer of fields from the device.
            self.last = Instant::now();
        }
        due
    }

    fn save(&mut self, checkpoint: Checkpoint) {
        let state = RunsState { finished: self.finished.into(), current: checkpoint };
        if let Err(error) = self.context.checkpoints.replace(&state) {
            self.context.progress.warn(&format!("the checkpoint could not be saved: {error}"));
        }
        self.interval = INTERVAL.max(COST_RATIO * self.last.elapsed());
        self.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    fn solution(excited: usize) -> Solution {
        Solution {
            excited,
            steps: 75,
            start: -1e-9,
            dt: 1e-12 / 3.0,
            energy: vec![(0.1 + 0.2, 1e-300), (0.5, 0.0)],
            settled: true,
            records: vec![1.0, -0.0, f64::MIN_POSITIVE],
            spectra: vec![Complex64::new(0.1, -0.3)],
            snapshots: vec![0.1, -0.0],
            error: (excited == 0).then_some(0.125),
            ranks: Vec::new(),
        }
    }

    #[test]
    fn the_state_of_all_runs_reads_back_to_the_last_bit() {
        let current = Checkpoint {
            steps: 50,
            energy: vec![(1.0, 2.0)],
            records: vec![3.5],
            snapshots: vec![f32::MIN_POSITIVE; 6],
            fields: (1..8).collect(),
            spectra: vec![Complex64::new(0.5, -2.0)],
        };
        let finished = vec![solution(1), solution(0)].into();
        let state = RunsState { finished, current };
        let mut out = StateWriter::default();
        state.write(&mut out);
        let bytes = out.parts().concat();
        assert_eq!(RunsState::read(&mut StateReader::new(&bytes)).as_ref(), Some(&state));
    }
}
