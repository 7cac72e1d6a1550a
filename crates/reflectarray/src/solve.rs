//! A study from problem to design and its analysis.

use crate::checkpoint::{Checkpoint, SynthesisStage};
use crate::cost::Goals;
use crate::error::ReflectarrayError;
use crate::objective::Objective;
use crate::problem::{Method, Placement, Solution, Study};
use crate::search::Run;
use crate::spacing::Bounds;
use crate::start::target;
use crate::unknowns::Focus;
use phasefront_core::Progress;
use phasefront_device::Backend;
use std::f64::consts::TAU;
use std::io;
use std::time::Instant;

impl Study {
    /// Finds the design and analyses it.
    ///
    /// `save` hears of the state at every change of stage and every few seconds; a state given as `resume` is continued. If the user stops
    /// the run, the best design so far comes back with `interrupted` set, after its state was saved.
    ///
    /// ```
    /// use phasefront_core::Progress;
    /// use phasefront_device::Backend;
    /// use phasefront_reflectarray::{ReflectarrayError, Study};
    /// fn least_directivity(study: &Study) -> Result<f64, ReflectarrayError> {
    ///     let solution = study.solve(&Backend::Cpu, &Progress::silent(), None, &mut |_| Ok(()))?;
    ///     Ok(solution.patterns[0].coverage[0].d_min)
    /// }
    /// ```
    pub fn solve(
        &self,
        backend: &Backend,
        progress: &Progress,
        resume: Option<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Solution, ReflectarrayError> {
        self.warnings.iter().for_each(|warning| progress.warn(warning));
        if self.problem.synthesis.method == Method::Analysis {
            return self.analyze(self.problem.start(), backend);
        }
        let mut run = self.run(backend, progress, resume, save)?;
        let mut interrupted = match run.synthesize(backend) {
            Ok(()) => false,
            Err(ReflectarrayError::Interrupted(_)) => true,
            Err(error) => return Err(error),
        };
        if interrupted {
            run.save();
        }
        // Nothing to give back if the run was stopped before the first design.
        let Some(mut design) = run.state.best.as_ref().map(|best| best.design.clone()) else {
            return Err(phasefront_core::Interrupted.into());
        };
        match self.problem.synthesis.phase_bits {
            // Whoever stopped the run does not wait for the best steps.
            Some(bits) if interrupted => design.quantize(bits),
            Some(bits) => match run.quantize(&design, bits) {
                Ok(stepped) => design = stepped,
                Err(ReflectarrayError::Interrupted(_)) => {
                    interrupted = true;
                    design.quantize(bits);
                }
                Err(error) => return Err(error),
            },
            None => {}
        }
        design.phase.iter_mut().for_each(|phase| *phase = phase.rem_euclid(TAU));
        let mut solution = self.analyze(design, backend)?;
        solution.evaluations = run.state.evaluations;
        solution.history = run.state.history;
        solution.interrupted = interrupted;
        Ok(solution)
    }

    /// What the stages share, at the start or where a state was saved.
    pub(crate) fn run<'a>(
        &'a self,
        backend: &Backend,
        progress: &'a Progress,
        resume: Option<Checkpoint>,
        save: &'a mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Run<'a>, ReflectarrayError> {
        let problem = &self.problem;
        let objective = Objective::new(problem, backend)?;
        let first = match problem.synthesis.method {
            Method::IteratedProjections => SynthesisStage::Projections,
            Method::Multistage | Method::Analysis => SynthesisStage::Start,
        };
        let state = match resume {
            Some(state) => state.check(problem)?,
            None => Checkpoint::new(problem, first),
        };
        let mask = objective.pattern().mask;
        let target = target(problem, mask);
        Ok(Run {
            problem,
            goals: Goals::new(problem, mask),
            asked: mask.clone(),
            focus: Focus::new(problem, target.center()),
            target,
            attainable: objective.lower().iter().copied().fold(f64::NEG_INFINITY, f64::max),
            objective,
            bounds: match problem.placement {
                Placement::Periodic => None,
                Placement::Aperiodic { min_spacing: min, max_spacing: max } => Some(Bounds { min, max }),
            },
            progress,
            save,
            state,
            saved: Instant::now(),
        })
    }
}
