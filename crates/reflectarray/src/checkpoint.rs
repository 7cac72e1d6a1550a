//! What a synthesis leaves behind so that it can be continued.

use crate::error::ReflectarrayError;
use crate::history::HistoryRow;
use crate::problem::{Design, Problem};
use serde::{Deserialize, Serialize};

/// Version of the layout below.
const VERSION: u32 = 1;

/// The stages of a synthesis, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SynthesisStage {
    /// Smooth fronts by optimal transport.
    Start,
    /// Few modes from many starts.
    Modal,
    /// Every phase.
    Elements,
    /// Minimax.
    Polish,
    /// Alternating projections, instead of all others.
    Projections,
    /// Nothing is left to do.
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
}

/// A design and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rated {
    /// dB, higher is better: D_min where it is raised, less what bounds are missed by.
    pub score: f64,
    /// The design.
    pub design: Design,
}

/// A synthesis under way. It is written as JSON; `run` decides where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    version: u32,
    /// Hash of the problem, since a design of another one is no start.
    problem: u64,
    /// The stage under way.
    pub stage: SynthesisStage,
    /// Rounds of it that are finished; random streams follow from it.
    pub round: usize,
    /// Designs the stage works on.
    pub designs: Vec<Design>,
    /// The same when they are finished.
    pub finished: Vec<Rated>,
    /// The best design of all so far.
    pub best: Option<Rated>,
    /// How it got there.
    pub history: Vec<HistoryRow>,
    /// Evaluations so far.
    pub evaluations: u64,
}

impl Checkpoint {
    /// Before the first stage.
    pub(crate) fn new(problem: &Problem, stage: SynthesisStage) -> Self {
        Self {
            version: VERSION,
            problem: fingerprint(problem),
            stage,
            round: 0,
            designs: Vec::new(),
            finished: Vec::new(),
            best: None,
            history: Vec::new(),
            evaluations: 0,
        }
    }

    /// Refuses what was written for another problem or by another version.
    pub(crate) fn check(self, problem: &Problem) -> Result<Self, ReflectarrayError> {
        let complain = |what: &str| Err(ReflectarrayError::Checkpoint(what.into()));
        if self.version != VERSION {
            return complain(&format!("it has version {}, and this program writes {VERSION}", self.version));
        }
        if self.problem != fingerprint(problem) {
            return complain("it belongs to another problem");
        }
        let index = problem.lattice.design().index;
        let count = index.len();
        let designs =
            self.designs.iter().chain(self.finished.iter().chain(&self.best).map(|rated| &rated.design));
        let fits = |d: &Design| d.index == index && [d.x.len(), d.y.len(), d.phase.len()] == [count; 3];
        if !designs.into_iter().all(fits) {
            return complain(&format!("a design in it does not have the lattice's {count} elements"));
        }
        let needs_designs =
            matches!(self.stage, SynthesisStage::Modal | SynthesisStage::Elements | SynthesisStage::Polish);
        if needs_designs && self.designs.is_empty() {
            return complain("it has no design to go on with");
        }
        Ok(self)
    }
}

/// FNV-1a (Fowler, Noll and Vo) over the text of the problem, the same on every machine.
fn fingerprint(problem: &Problem) -> u64 {
    let text = format!("{problem:?}");
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
