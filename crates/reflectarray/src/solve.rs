//! From a study to its solution: synthesis of a design, then its analysis.

use crate::checkpoint::Checkpoint;
use crate::cost::{Cost, Goals};
use crate::efficiency::{amplitudes, spillover, taper_efficiency};
use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::history::HistoryRow;
use crate::objective::{Objective, PatternView};
use crate::pattern::{Pattern, pattern};
use crate::problem::{Design, Method};
use crate::sensitivity::{SensitivityFigures, sensitivity};
use crate::side_lobes::{self, SideLobe};
use crate::study::Study;
use crate::synthesis::Run;
use phasefront_core::Progress;
use phasefront_device::Backend;
use std::f64::consts::TAU;
use std::io;

/// A design with its patterns and figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions and phases.
    pub design: Design,
    /// |a_n|: amplitude of the illumination of each element, cos^{m_f}(θ_n)/r_n.
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
    /// Fraction of the feed's power that misses the aperture.
    pub spillover: f64,
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
        if self.problem.synthesis.method == Method::Analysis {
            return self.analyze(self.problem.initial_design(), backend);
        }
        // From here on, an interruption is no error: the best design so far is the result.
        let mut run = Run::new(self, backend, progress, resume, save)?;
        let mut interrupted = match run.synthesize(backend) {
            Ok(()) => false,
            Err(ReflectarrayError::Interrupted(_)) => true,
            Err(error) => return Err(error),
        };
        if interrupted {
            run.save_if_unsaved()?;
        }
        // An interruption before the first design leaves nothing to return.
        let Some(mut design) = run.state.best.as_ref().map(|best| best.design.clone()) else {
            return Err(phasefront_core::Interrupted.into());
        };
        match self.problem.synthesis.phase_bits {
            // After an interruption, plain rounding: the search for the best quantization takes too long.
            Some(bits) if interrupted => design.quantize(bits),
            Some(bits) => match run.quantize(&design, bits) {
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
        let mut solution = self.analyze(design, backend)?;
        // The analysis has evaluated its own pattern only:
        // counts and history are those of the synthesis.
        solution.evaluations = run.state.evaluations;
        solution.history = run.state.history;
        solution.interrupted = interrupted;
        Ok(solution)
    }

    /// Analyzes a design: patterns at all frequencies, directivity over the coverage, efficiencies and sensitivity.
    pub fn analyze(&self, design: Design, backend: &Backend) -> Result<Solution, ReflectarrayError> {
        let problem = &self.problem;
        let mut objective = Objective::new(problem, backend)?;
        // P_rad of this design, not of the last one of the search.
        objective.update_power(&design)?;
        let goals = Goals::new(problem, objective.pattern().mask);
        let mut distance = |pattern: &PatternView<'_>| Cost::Distance.of(&goals, pattern);
        let value = objective.evaluate_with(&design, &mut distance, Derivatives::None)?.value;
        let amplitude = amplitudes(problem, &design);
        let settings = problem.outputs.sensitivity;
        let sensitivity =
            settings.map(|settings| sensitivity(problem, &objective, &design, settings)).transpose()?;
        Ok(Solution {
            patterns: (0..problem.frequencies.len())
                .map(|f| pattern(problem, &objective, f))
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
        })
    }
}
