//! From a study to its solution: synthesis of a design, then its analysis.

use crate::check;
use crate::checkpoint::Checkpoint;
use crate::cost::{Cost, Goals};
use crate::efficiency::{amplitudes, aperture, spillover, taper_efficiency};
use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::history::HistoryRow;
use crate::objective::{Objective, PatternView};
use crate::pattern::{Pattern, pattern};
use crate::problem::{Design, Method};
use crate::sensitivity::{SensitivityFigures, sensitivity};
use crate::side_lobes::{self, SideLobe};
use crate::study::Study;
use crate::synthesis::Coordinator;
use phasefront_comm::{Comm, CommError, Single};
use phasefront_core::checkpoint::{State, StateReader, StateWriter};
use phasefront_core::{Interrupted, Progress};
use phasefront_device::Backend;
use std::f64::consts::TAU;
use std::io;

/// A design with its patterns and figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions and phases.
    pub design: Design,
    /// |a_n|: amplitude of the illumination of each element, the co-polar feed pattern relative to its peak over r_n.
    pub amplitude: Vec<f64>,
    /// One pattern per frequency.
    pub patterns: Vec<Pattern>,
    /// Convergence history.
    pub history: Vec<HistoryRow>,
    /// Final Φ, as in the history.
    pub objective: f64,
    /// Evaluations of the objective, with or without gradient.
    pub evaluations: u64,
    /// Minimum and maximum distance between neighbors, wavelengths.
    pub spacing: [f64; 2],
    /// Fraction of the feed's power that misses the aperture; none if the samples of its pattern do not tell that power.
    pub spillover: Option<f64>,
    /// Taper efficiency of the illumination, 0 to 1.
    pub taper_efficiency: f64,
    /// Sensitivity analysis, if requested.
    pub sensitivity: Option<SensitivityFigures>,
    /// Highest lobe outside the coverage or the focused beam, in the whole of visible space.
    pub side_lobe: Option<SideLobe>,
    /// Largest violation of a bound of the mask, dB; none if it has no bounds.
    pub mask_violation: Option<f64>,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
}

impl Study {
    /// Synthesizes a design and analyzes it.
    ///
    /// `save` receives the state after every round of a stage; a state passed as `resume` is continued, to the same solution, history and
    /// number of evaluations. If the user interrupts the run, the best design so far is returned with `interrupted` set.
    ///
    /// ```
    /// use phasefront_core::Progress;
    /// use phasefront_device::Backend;
    /// use phasefront_reflectarray::{ReflectarrayError, Study};
    /// fn minimum_directivity(study: &Study) -> Result<f64, ReflectarrayError> {
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
        // The only rank has the solution, unless it was interrupted before the first design.
        let solution = self.solve_on(&Single::new(), backend, progress, resume, save)?;
        solution.ok_or_else(|| Interrupted.into())
    }

    /// One rank's work of a synthesis on several ranks, which share the searches and the draws of the sensitivity analysis. Every rank calls
    /// it. Rank 0 has the state to resume, gets the solution, reports progress, saves and stops the run; the others get nothing. On CPUs it
    /// is the same to the last bit for any number of ranks and threads.
    pub fn solve_on(
        &self,
        comm: &dyn Comm,
        backend: &Backend,
        progress: &Progress,
        resume: Option<Checkpoint>,
        save: &mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Option<Solution>, ReflectarrayError> {
        let method = self.problem.synthesis.method;
        if method == Method::Analysis {
            return self.analyze_on(comm, self.problem.initial_design(), backend);
        }
        let mut synthesis = Coordinator::new(self, comm, backend, progress, resume, save)?;
        let (is_first, is_shared) = (comm.rank() == 0, method == Method::Multistage);
        let ended = if is_first || is_shared { synthesis.synthesize() } else { Ok(()) };
        // From here on, an interruption is no error: the best design so far is the result.
        let interrupted = match ended {
            Ok(()) => false,
            Err(ReflectarrayError::Interrupted(_)) => true,
            Err(error) => return Err(error),
        };
        // All ranks know of the interruption of a shared stage, and rank 0 continues alone.
        let others_left = interrupted && is_shared;
        if !is_first {
            return if others_left { Ok(None) } else { self.help_to_analyze(comm, backend) };
        }
        let alone = Single::new();
        let comm = if others_left { &alone } else { comm };
        let found = self.final_design(&mut synthesis, interrupted);
        let complete = found.as_ref().ok().filter(|(_, interrupted)| !interrupted);
        broadcast_design(comm, complete.map(|(design, _)| design))?;
        let (design, interrupted) = found?;
        let solution = self.analyze_on(if interrupted { &alone } else { comm }, design, backend)?;
        let state = synthesis.run.state;
        // The analysis has evaluated its own pattern only:
        // counts and history are those of the synthesis.
        let of_synthesis = |solution| Solution {
            evaluations: state.evaluations,
            history: state.history,
            interrupted,
            ..solution
        };
        Ok(solution.map(of_synthesis))
    }

    /// The best design of a synthesis, quantized if requested; and whether the run was interrupted, if only during the quantization.
    fn final_design(
        &self,
        synthesis: &mut Coordinator<'_>,
        mut interrupted: bool,
    ) -> Result<(Design, bool), ReflectarrayError> {
        if interrupted {
            synthesis.save_if_unsaved()?;
        }
        // An interruption before the first design leaves nothing to return.
        let Some(best) = synthesis.best() else { return Err(Interrupted.into()) };
        let mut design = best.design;
        match self.problem.synthesis.phase_bits {
            // After an interruption, plain rounding: the search for the best quantization takes too long.
            Some(bits) if interrupted => design.quantize(bits),
            Some(bits) => match synthesis.run.quantize(&design, bits) {
                Ok(quantized) => design = quantized,
                Err(ReflectarrayError::Interrupted(_)) => {
                    interrupted = true;
                    design.quantize(bits);
                }
                Err(error) => return Err(error),
            },
            None => {}
        }
        // Phases accumulate multiples of 2π in a search.
        design.phase.iter_mut().for_each(|phase| *phase = phase.rem_euclid(TAU));
        Ok((design, interrupted))
    }

    /// Any rank but 0: shares the analysis of the design that rank 0 has found, unless it was interrupted.
    fn help_to_analyze(
        &self,
        comm: &dyn Comm,
        backend: &Backend,
    ) -> Result<Option<Solution>, ReflectarrayError> {
        match broadcast_design(comm, None)? {
            Some(design) => self.analyze_on(comm, design, backend),
            None => Ok(None),
        }
    }

    /// Analyzes a design: patterns at all frequencies, directivity over the coverage, efficiencies and sensitivity.
    pub fn analyze(&self, design: Design, backend: &Backend) -> Result<Solution, ReflectarrayError> {
        // The only rank has the solution.
        self.analyze_on(&Single::new(), design, backend)?.ok_or_else(|| Interrupted.into())
    }

    /// The same on several ranks; rank 0 gets the solution.
    fn analyze_on(
        &self,
        comm: &dyn Comm,
        design: Design,
        backend: &Backend,
    ) -> Result<Option<Solution>, ReflectarrayError> {
        let problem = &self.problem;
        let settings = problem.outputs.sensitivity;
        let is_first = comm.rank() == 0;
        if !is_first && settings.is_none() {
            return Ok(None);
        }
        // Where elements may move, a few may have left the samples of the feed.
        check::feed_covers(problem, aperture(problem, &design))?;
        let mut objective = Objective::new(problem, backend)?;
        // P_rad of this design, not of the last one of the search.
        objective.update_power(&design)?;
        let goals = Goals::new(problem, objective.pattern().mask);
        let mut distance = |pattern: &PatternView<'_>| Cost::Distance.of(&goals, pattern);
        let value = objective.evaluate_with(&design, &mut distance, Derivatives::None)?.value;
        let of = |settings| sensitivity(comm, backend, problem, &objective.blueprint(), &design, settings);
        let sensitivity = settings.map(of).transpose()?;
        if !is_first {
            return Ok(None);
        }
        let amplitude = amplitudes(problem, &design);
        Ok(Some(Solution {
            patterns: (0..problem.frequencies.len())
                .map(|f| pattern(problem, &objective, &design, f))
                .collect::<Result<_, _>>()?,
            history: Vec::new(),
            objective: value,
            evaluations: objective.evaluations(),
            spacing: design.spacing().map(|d| d / problem.wavelength()),
            spillover: spillover(problem, &design),
            taper_efficiency: taper_efficiency(&amplitude),
            sensitivity,
            side_lobe: side_lobes::highest(problem, &design, backend)?,
            mask_violation: goals.violation(&objective.pattern()),
            interrupted: false,
            amplitude,
            design,
        }))
    }
}

/// Rank 0's design on all ranks; none if it has none. Collective.
fn broadcast_design(comm: &dyn Comm, design: Option<&Design>) -> Result<Option<Design>, ReflectarrayError> {
    let mut bytes = StateWriter::default();
    if let Some(design) = design {
        design.write(&mut bytes);
    }
    let mut bytes = bytes.parts().concat();
    comm.broadcast(&mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let malformed = CommError::Malformed { rank: 0, bytes: bytes.len() };
    Design::read(&mut StateReader::new(&bytes)).ok_or_else(|| malformed.into()).map(Some)
}
