//! A study from problem to design.

use crate::checkpoint::{Checkpoint, SynthesisStage};
use crate::cost::Goals;
use crate::error::ReflectarrayError;
use crate::objective::Objective;
use crate::problem::{Design, Method, Placement, Study};
use crate::search::Run;
use crate::spacing::Bounds;
use crate::stages::target;
use crate::unknowns::Focus;
use phasefront_core::Progress;
use phasefront_device::Backend;
use std::io;
use std::time::Instant;

impl Study {
    /// Runs
    pub fn synth(
        &self,
        backend: &Backend,
        progress: &Progress,
        resume: Option<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<(Design, Checkpoint, bool), ReflectarrayError> {
        let problem = &self.problem;
        let objective = Objective::new(problem, backend)?;
        let stage = match problem.synthesis.method {
            Method::Analysis => SynthesisStage::Done,
            Method::Multistage => SynthesisStage::Start,
            Method::IteratedProjections => SynthesisStage::Projections,
        };
        let state = match resume {
            Some(state) => state.check(problem)?,
            None => Checkpoint::new(problem, stage),
        };
        let target = target(problem, objective.pattern().mask);
        let bounds = match problem.placement {
            Placement::Periodic => None,
            Placement::Aperiodic { min_spacing, max_spacing } => {
                Some(Bounds { min: min_spacing, max: max_spacing })
            }
        };
        let mut run = Run {
            problem,
            goals: Goals::new(problem, objective.pattern().mask),
            focus: Focus::new(problem, target.center()),
            attainable: objective.lower().iter().copied().fold(f64::NEG_INFINITY, f64::max),
            objective,
            bounds,
            progress,
            save,
            state,
            saved: Instant::now(),
        };
        let interrupted = match run.synthesise(&target) {
            Ok(()) => false,
            Err(ReflectarrayError::Interrupted(_)) if run.state.best.is_some() => true,
            Err(error) => return Err(error),
        };
        let best = run.state.best.clone().unwrap();
        Ok((best.design, run.state, interrupted))
    }
}
