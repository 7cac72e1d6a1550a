//! The state of a synthesis, from which it is resumed.

use crate::error::ReflectarrayError;
use crate::history::HistoryRow;
use crate::problem::{Design, Problem};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};

/// The stages of a synthesis, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SynthesisStage {
    /// Smooth fronts by optimal transport.
    Start,
    /// Multistart in few modes.
    Modal,
    /// Every phase is an unknown.
    Elements,
    /// Minimax.
    Polish,
    /// Alternating projections, instead of all others.
    Projections,
    /// All stages are finished.
    Done,
}

impl SynthesisStage {
    /// Its name in histories and progress.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Modal => "modal",
            Self::Elements => "elements",
            Self::Polish => "polish",
            Self::Projections => "projections",
            Self::Done => "done",
        }
    }

    /// The stage of this name.
    fn named(name: &str) -> Option<Self> {
        use SynthesisStage::{Done, Elements, Modal, Polish, Projections, Start};
        [Start, Modal, Elements, Polish, Projections, Done].into_iter().find(|stage| stage.name() == name)
    }
}

/// A design and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// dB, higher is better: D_min where it is maximized, minus the penalty of violated bounds.
    pub score: f64,
    /// The design.
    pub design: Design,
}

/// End point of a local search in the unit box of its random starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum(pub Vec<f64>);

/// The state that a finished task of a round has added to an empty one.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskState {
    /// Number of the task in its round.
    pub task: usize,
    /// What it has added.
    pub state: Checkpoint,
}

/// Initial step of the positions in alternating projections, in units of the position coefficients.
const FIRST_POSITION_STEP: f64 = 1.0;

/// The state of a synthesis.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The current stage.
    pub stage: SynthesisStage,
    /// Rounds of it that are finished.
    pub round: usize,
    /// Finished tasks of the current round.
    pub tasks: Vec<TaskState>,
    /// Designs the stage works on.
    pub designs: Vec<Design>,
    /// Designs that the stage has finished.
    pub finished: Vec<Rated>,
    /// End points of the finished searches of the multistart.
    pub minima: Vec<Minimum>,
    /// Step length of the positions in alternating projections.
    pub position_step: f64,
    /// The best design of all so far.
    pub best: Option<Rated>,
    /// Convergence history.
    pub history: Vec<HistoryRow>,
    /// Evaluations so far.
    pub evaluations: u64,
}

impl Checkpoint {
    /// Before the first stage.
    pub(crate) fn new(stage: SynthesisStage) -> Self {
        Self {
            stage,
            round: 0,
            tasks: Vec::new(),
            designs: Vec::new(),
            finished: Vec::new(),
            minima: Vec::new(),
            position_step: FIRST_POSITION_STEP,
            best: None,
            history: Vec::new(),
            evaluations: 0,
        }
    }

    /// Refuses designs that do not fit the problem.
    pub(crate) fn check(self, problem: &Problem) -> Result<Self, ReflectarrayError> {
        let complain = |what: &str| Err(ReflectarrayError::Checkpoint(what.into()));
        let index = problem.lattice.design().index;
        let count = index.len();
        let states = || self.tasks.iter().map(|done| &done.state).chain([&self]);
        let rated = states().flat_map(|state| state.finished.iter().chain(&state.best));
        let designs = states().flat_map(|state| &state.designs).chain(rated.map(|rated| &rated.design));
        // Positions may differ, but not the elements.
        let fits = |d: &Design| d.index == index && [d.x.len(), d.y.len(), d.phase.len()] == [count; 3];
        if !designs.into_iter().all(fits) {
            return complain(&format!("a design in it does not have the lattice's {count} elements"));
        }
        // The first stage makes its designs; the others need those of the one before.
        let needs_designs =
            matches!(self.stage, SynthesisStage::Modal | SynthesisStage::Elements | SynthesisStage::Polish);
        if needs_designs && self.designs.is_empty() {
            return complain("it has no design to continue with");
        }
        Ok(self)
    }

    /// Adds the history, the evaluations, the finished designs and the best design of a task.
    pub(crate) fn merge(&mut self, task: &mut Self) {
        for mut row in task.history.drain(..) {
            row.iteration = self.history.len() + 1;
            row.evaluations += self.evaluations;
            self.history.push(row);
        }
        self.evaluations += task.evaluations;
        self.finished.append(&mut task.finished);
        if let Some(best) =
            task.best.take_if(|best| self.best.as_ref().is_none_or(|old| best.score > old.score))
        {
            self.best = Some(best);
        }
    }
}

impl State for Design {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { index, x, y, phase } = self;
        out.integers(index.as_flattened().iter().map(|&i| i as u64));
        for values in [x, y, phase] {
            out.doubles(values);
        }
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let index: Vec<usize> = from.integers()?.into_iter().map(|i| i as usize).collect();
        let index = index.as_chunks().0.to_vec();
        Some(Self { index, x: from.doubles()?, y: from.doubles()?, phase: from.doubles()? })
    }
}

impl State for Rated {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.doubles(&[self.score]);
        self.design.write(out);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        Some(Self { score: *from.doubles()?.first()?, design: Design::read(from)? })
    }
}

impl State for Minimum {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.doubles(&self.0);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        from.doubles().map(Self)
    }
}

impl State for TaskState {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        out.integer(self.task as u64);
        self.state.write(out);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let task = from.count()?;
        let state = Checkpoint::read_flat(from)?;
        Some(Self { task, state })
    }
}

impl State for HistoryRow {
    const VERSION: u32 = Checkpoint::VERSION;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self { stage, iteration, evaluations, objective, d_mean, d_min } = self;
        out.text(stage);
        out.integers([*iteration as u64, *evaluations].into_iter());
        out.doubles(&[*objective, *d_mean, *d_min]);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let stage = from.text()?.to_owned();
        let [iteration, evaluations] = from.integers()?.try_into().ok()?;
        let [objective, d_mean, d_min] = from.doubles()?.try_into().ok()?;
        Some(Self {
            stage,
            iteration: usize::try_from(iteration).ok()?,
            evaluations,
            objective,
            d_mean,
            d_min,
        })
    }
}

impl State for Checkpoint {
    const VERSION: u32 = 4;

    fn write<'a>(&'a self, out: &mut StateWriter<'a>) {
        let Self {
            stage,
            round,
            tasks,
            designs,
            finished,
            minima,
            position_step,
            best,
            history,
            evaluations,
        } = self;
        out.text(stage.name());
        out.integers([*round as u64, *evaluations].into_iter());
        out.list(designs);
        out.list(finished);
        out.list(minima);
        out.doubles(&[*position_step]);
        // An option is a list of none or one.
        out.list(best.as_slice());
        out.list(history);
        out.list(tasks);
    }

    fn read(from: &mut StateReader<'_>) -> Option<Self> {
        let mut state = Self::read_own(from)?;
        state.tasks = from.list()?;
        Some(state)
    }
}

impl Checkpoint {
    /// The state of a task, which has no tasks itself: a damaged file must not nest without end.
    fn read_flat(from: &mut StateReader<'_>) -> Option<Self> {
        let state = Self::read_own(from)?;
        (from.integer()? == 0).then_some(state)
    }

    /// All but the tasks.
    fn read_own(from: &mut StateReader<'_>) -> Option<Self> {
        let stage = SynthesisStage::named(from.text()?)?;
        let [round, evaluations] = from.integers()?.try_into().ok()?;
        Some(Self {
            stage,
            round: usize::try_from(round).ok()?,
            tasks: Vec::new(),
            designs: from.list()?,
            finished: from.list()?,
            minima: from.list()?,
            position_step: *from.doubles()?.first()?,
            best: from.list()?.pop(),
            history: from.list()?,
            evaluations,
        })
    }
}
