//! The course of a synthesis: rounds of independent tasks, shared by the threads of a process and by ranks; and what is saved of them.
//!
//! A task works on a state of its own, beginning with an empty one. What it has found is merged in the order of the tasks, whoever has
//! done them: history, count of evaluations and best design are the same for any number of threads and ranks.

use super::run::Run;
use crate::checkpoint::{Checkpoint, Rated, SynthesisStage, TaskState};
use crate::error::ReflectarrayError;
use crate::history::HistoryRow;
use crate::parallel::{concurrent_tasks, for_each_task};
use crate::problem::Method;
use crate::study::Study;
use phasefront_comm::{Comm, CommError, queue};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::{Interrupted, Progress, Stage};
use phasefront_device::Backend;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A synthesis under way.
pub(crate) struct Coordinator<'a> {
    pub run: Run<'a>,
    pub backend: &'a Backend,
    comm: &'a dyn Comm,
    save: &'a mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    /// The last state that was to be saved, if that failed.
    unsaved: Option<Box<Checkpoint>>,
    /// Tasks of the round, from the first, whose histories were reported as progress.
    reported: usize,
    /// The best design of tasks that were interrupted.
    interrupted: Option<Rated>,
}

impl<'a> Coordinator<'a> {
    /// A synthesis at its beginning, or at the state in `resume`, which rank 0 gives to all. Collective.
    pub fn new(
        study: &'a Study,
        comm: &'a dyn Comm,
        backend: &'a Backend,
        progress: &'a Progress,
        resume: Option<Checkpoint>,
        save: &'a mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Self, ReflectarrayError> {
        let problem = &study.problem;
        let first = match problem.synthesis.method {
            Method::AlternatingProjections => SynthesisStage::Projections,
            Method::Multistage | Method::Analysis => SynthesisStage::Start,
        };
        let state = match resume {
            // A state of another problem is refused before any work is done.
            Some(state) => state.check(problem)?,
            None => Checkpoint::new(first),
        };
        let run = Run::new(study, backend, progress, of_first_rank(comm, state)?)?;
        Ok(Self { run, backend, comm, save, unsaved: None, reported: 0, interrupted: None })
    }

    /// Does the tasks `0..count` of a round and merges what they have added to their states; returns these states, in order. Tasks that were
    /// done before an interruption are not repeated; `stage` advances by `steps` for each of them. Collective.
    pub fn round(
        &mut self,
        count: usize,
        (stage, steps): (&Stage<'_>, usize),
        work: impl Fn(&mut Run<'_>, usize) -> Result<(), ReflectarrayError> + Sync,
    ) -> Result<Vec<Checkpoint>, ReflectarrayError> {
        let is_done = |tasks: &[TaskState], task: usize| tasks.iter().any(|done| done.task == task);
        let left: Vec<usize> = (0..count).filter(|&task| !is_done(&self.run.state.tasks, task)).collect();
        stage.advance(((count - left.len()) * steps) as u64);
        self.share(&left, work)?;
        let mut tasks = std::mem::take(&mut self.run.state.tasks);
        tasks.sort_by_key(|done| done.task);
        let mut states: Vec<Checkpoint> = tasks.into_iter().map(|done| done.state).collect();
        if states.len() != count {
            return Err(ReflectarrayError::Checkpoint("it has tasks of another round".into()));
        }
        self.reported = 0;
        for state in &mut states {
            self.run.state.merge(state);
        }
        Ok(states)
    }

    /// Ends a round, after its results are in the state.
    pub fn end_round(&mut self) {
        self.run.state.round += 1;
        self.save();
    }

    /// Does tasks on all ranks and enters their states, on all ranks too.
    fn share(
        &mut self,
        left: &[usize],
        work: impl Fn(&mut Run<'_>, usize) -> Result<(), ReflectarrayError> + Sync,
    ) -> Result<(), ReflectarrayError> {
        let (comm, backend) = (self.comm, self.backend);
        // As many as run at the same time, but a part for every rank.
        let batch = concurrent_tasks(left.len().div_ceil(comm.size()), backend);
        let is_first = comm.rank() == 0;
        let all = RefCell::new(self);
        let compute =
            |items: Range<usize>| {
                let mut own = Vec::new();
                let mut all = all.borrow_mut();
                let found = all.compute(&left[items], &work, |all, done| {
                    if is_first { all.enter([done]) } else { own.push(done) }
                });
                found.map(|()| bytes_of_list(&own))
            };
        let accept = |_: Range<usize>, bytes: Vec<u8>| {
            all.borrow_mut().enter(list_from(&bytes)?);
            Ok(())
        };
        let ended = queue::share(comm, left.len(), batch, compute, accept)?;
        if ended == queue::Ended::Stopped {
            return Err(Interrupted.into());
        }
        // Every rank continues from the same state.
        let all = all.into_inner();
        let tasks = std::mem::take(&mut all.run.state.tasks);
        let mut bytes = if is_first { bytes_of_list(&tasks) } else { Vec::new() };
        all.run.state.tasks = if comm.size() == 1 {
            tasks
        } else {
            comm.broadcast(&mut bytes)?;
            list_from(&bytes)?
        };
        Ok(())
    }

    /// Does tasks with the threads of this process.
    fn compute(
        &mut self,
        tasks: &[usize],
        work: impl Fn(&mut Run<'_>, usize) -> Result<(), ReflectarrayError> + Sync,
        mut done: impl FnMut(&mut Self, TaskState),
    ) -> Result<(), ReflectarrayError> {
        let blueprint = self.run.blueprint();
        let partial = Mutex::new(Vec::new());
        let attempt = |task: usize| {
            let mut run = blueprint.open();
            match work(&mut run, task) {
                Ok(()) => Ok(run.state),
                Err(error) => {
                    partial.lock().unwrap_or_else(PoisonError::into_inner).extend(run.state.best);
                    Err(error)
                }
            }
        };
        let result =
            for_each_task(tasks, self.backend, attempt, |task, state| done(self, TaskState { task, state }));
        for rated in partial.into_inner().unwrap_or_else(PoisonError::into_inner) {
            keep_better(&mut self.interrupted, rated);
        }
        result
    }

    /// Adds finished tasks to the state, and saves it.
    fn enter(&mut self, tasks: impl IntoIterator<Item = TaskState>) {
        let before = self.run.state.tasks.len();
        self.run.state.tasks.extend(tasks);
        if self.run.state.tasks.len() > before {
            self.report_tasks();
            self.save();
        }
    }

    /// Reports the histories of finished tasks, in the order of the tasks: the order in which they end depends on the threads.
    fn report_tasks(&mut self) {
        let state = &self.run.state;
        let of = |task: usize| state.tasks.iter().find(|done| done.task == task).map(|done| &done.state);
        let mut before =
            state.evaluations + (0..self.reported).filter_map(of).map(|s| s.evaluations).sum::<u64>();
        let mut reported = self.reported;
        while let Some(task) = of(reported) {
            task.history.iter().for_each(|row| self.report(row, before));
            before += task.evaluations;
            reported += 1;
        }
        self.reported = reported;
    }

    /// Reports a row of a history, `before` evaluations after the beginning.
    pub fn report(&self, row: &HistoryRow, before: u64) {
        let x = ("evaluations", (before + row.evaluations) as f64);
        self.run.progress.scalar("objective", x, row.objective);
        self.run.progress.scalar("d_mean_dbi", x, row.d_mean);
        self.run.progress.scalar("d_min_dbi", x, row.d_min);
    }

    /// Saves the state: a resumed run repeats the rest, with the same history. A failure is a warning only: a full disk is no reason to
    /// discard the work.
    pub fn save(&mut self) {
        self.unsaved = None;
        if let Err(error) = (self.save)(&self.run.state) {
            self.run.progress.warn(&format!("the state of the synthesis could not be saved: {error}"));
            self.unsaved = Some(Box::new(self.run.state.clone()));
        }
    }

    /// Saves the last state, if that has failed: what is interrupted without it cannot be resumed.
    pub fn save_if_unsaved(&mut self) -> Result<(), ReflectarrayError> {
        match self.unsaved.take() {
            Some(state) => (self.save)(&state).map_err(ReflectarrayError::Save),
            None => Ok(()),
        }
    }

    /// The best design so far, with those of tasks that are not merged yet.
    pub fn best(&self) -> Option<Rated> {
        let mut best = self.run.state.best.clone();
        let tasks = self.run.state.tasks.iter().filter_map(|done| done.state.best.as_ref());
        for rated in tasks.chain(&self.interrupted) {
            keep_better(&mut best, rated.clone());
        }
        best
    }
}

fn keep_better(best: &mut Option<Rated>, rated: Rated) {
    if best.as_ref().is_none_or(|best| rated.score > best.score) {
        *best = Some(rated);
    }
}

/// The state of rank 0 on all ranks.
fn of_first_rank(comm: &dyn Comm, state: Checkpoint) -> Result<Checkpoint, ReflectarrayError> {
    if comm.size() == 1 {
        return Ok(state);
    }
    let mut bytes = bytes_of_list(&[state]);
    comm.broadcast(&mut bytes)?;
    let mut states: Vec<Checkpoint> = list_from(&bytes)?;
    states.pop().ok_or_else(|| CommError::Malformed { rank: 0, bytes: bytes.len() }.into())
}

fn bytes_of_list<T: State>(items: &[T]) -> Vec<u8> {
    let mut out = StateWriter::default();
    out.list(items);
    out.parts().concat()
}

fn list_from<T: State>(bytes: &[u8]) -> Result<Vec<T>, ReflectarrayError> {
    let malformed = CommError::Malformed { rank: 0, bytes: bytes.len() };
    StateReader::new(bytes).list().ok_or_else(|| malformed.into())
}
