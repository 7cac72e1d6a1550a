//! The runs of a dgtd case, one for each excited port, with checkpoints.

use super::error::solver_error;
use crate::error::{RunError, SolverError};
use crate::job::Context;
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_dgtd::{Checkpoint, CheckpointSink, DgtdError, Solution, Study};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Shortest time between checkpoints: how much work a power failure may cost.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time between checkpoints over the time that one takes: they cost at most 2 % of a run.
const COST_RATIO: u32 = 50;

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
    let (mut finished, mut interrupted) = interrupted(context).map_err(SolverError::Run)?;
    let mut pace = (0, 0.0);
    for (run, &port) in excited.iter().enumerate().skip(finished.len()) {
        let other = (run > 0).then(|| first.exciting(port)).transpose();
        let other = other.map_err(|error| solver_error(error, made_in_code))?;
        let study = other.as_ref().unwrap_or(first);
        if excited.len() > 1 {
            let (surface, runs) = (&first.problem.sources.ports[port].surface, excited.len());
            context.progress.note(&format!("run {} of {runs} excites port {}, {surface}", run + 1, port + 1));
        }
        let mut sink = Saving::new(context, &finished);
        let (from, started) = (interrupted.take(), Instant::now());
        let solved = study.solve_from(from.as_ref(), context.backend, context.progress, &mut sink);
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

/// The state of all runs of a case.
#[derive(Debug, Clone, PartialEq)]
struct RunsState<'a> {
    /// The kind of device: the fields are in its layout.
    device: Cow<'a, str>,
    /// Finished runs.
    finished: Cow<'a, [Solution]>,
    /// The current run.
    current: Checkpoint,
}

impl State for RunsState<'_> {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.text(&self.device);
        out.list(&self.finished);
        self.current.write(out);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let (device, finished) = (from.text()?.to_owned(), from.list()?);
        Some(Self { device: device.into(), finished: finished.into(), current: Checkpoint::read(from)? })
    }
}

/// Finished runs, and the one to continue, of an interrupted case on the same kind of device.
fn interrupted(context: &Context<'_>) -> Result<(Vec<Solution>, Option<Checkpoint>), RunError> {
    let Some(state) = context.checkpoints.state::<RunsState<'_>>(context.progress)? else {
        return Ok((Vec::new(), None));
    };
    let (device, now) = (&state.device, context.backend.name());
    if device != now {
        let message =
            format!("it was started on {device}, and this is {now}; resume it with --device {device}");
        return Err(context.checkpoints.refusal(message));
    }
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
    fn new(context: &'a Context<'a>, finished: &'a [Solution]) -> Self {
        Self { context, finished, last: Instant::now(), interval: INTERVAL }
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
        let device = self.context.backend.name();
        let state = RunsState { device: device.into(), finished: self.finished.into(), current: checkpoint };
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
        let state = RunsState { device: "cpu".into(), finished, current };
        let mut out = StateWriter::default();
        state.write(&mut out);
        let bytes = out.parts().concat();
        assert_eq!(RunsState::read(&mut StateReader::new(&bytes)).as_ref(), Some(&state));
    }
}
