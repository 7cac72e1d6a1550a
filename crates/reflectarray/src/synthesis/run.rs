//! The state of a synthesis: the objective, the checkpoint, and the best design so far.

use super::position_map::PositionMap;
use super::spacing::SpacingBounds;
use super::transport::{DiscreteMeasure, target};
use super::unknowns::Focus;
use crate::checkpoint::{Checkpoint, Rated, SynthesisStage};
use crate::cost::{Cost, Goals};
use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::history::HistoryRow;
use crate::mask::Mask;
use crate::objective::{Objective, PatternView};
use crate::problem::{Design, Method, Placement, Problem};
use crate::study::Study;
use phasefront_core::Progress;
use phasefront_device::Backend;
use std::io;

/// Margin by which the spacing bounds are tightened in a search, as a fraction of their width: its penalty is soft, and what it yields
/// stays within the bounds.
pub(super) const SPACING_MARGIN: f64 = 0.01;

/// A synthesis under way.
pub(crate) struct Run<'a> {
    pub problem: &'a Problem,
    pub objective: Objective,
    pub goals: Goals,
    /// The mask of the problem, to which the history refers; the objective has its own, whose targets rise.
    pub mask: Mask,
    pub focus: Focus,
    /// Target of the optimal transport: the coverage.
    pub target: DiscreteMeasure,
    /// Highest lower bound of a region, dBi; a region without one counts with the directivity of power spread evenly over the coverage.
    pub attainable: f64,
    /// Spacing bounds; none if the positions are fixed.
    pub bounds: Option<SpacingBounds>,
    pub progress: &'a Progress,
    pub save: &'a mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    pub state: Checkpoint,
    /// The last state that was to be saved, if that failed.
    unsaved: Option<Box<Checkpoint>>,
}

impl<'a> Run<'a> {
    /// A run at its beginning, or at the state in `resume`.
    pub fn new(
        study: &'a Study,
        backend: &Backend,
        progress: &'a Progress,
        resume: Option<Checkpoint>,
        save: &'a mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    ) -> Result<Self, ReflectarrayError> {
        let problem = &study.problem;
        let objective = Objective::new(problem, backend)?;
        let first = match problem.synthesis.method {
            Method::IteratedProjections => SynthesisStage::Projections,
            Method::Multistage | Method::Analysis => SynthesisStage::Start,
        };
        let state = match resume {
            // A state of another problem is refused before any work is done.
            Some(state) => state.check(problem)?,
            None => Checkpoint::new(first),
        };
        // Before the objective is moved below; its own mask changes during the search.
        let mask = objective.pattern().mask;
        let target = target(problem, mask);
        Ok(Self {
            problem,
            goals: Goals::new(problem, mask),
            mask: mask.clone(),
            focus: Focus::new(problem, target.center()),
            target,
            attainable: objective.lower_bounds().iter().copied().fold(f64::NEG_INFINITY, f64::max),
            objective,
            bounds: match problem.placement {
                Placement::Periodic => None,
                Placement::Aperiodic { min_spacing: min, max_spacing: max } => {
                    Some(SpacingBounds { min, max })
                }
            },
            progress,
            save,
            state,
            unsaved: None,
        })
    }

    /// Saves the state at the end of a round: a resumed run repeats the rest, with the same history. A failure is a warning only: a full
    /// disk is no reason to discard the work.
    pub fn save(&mut self) {
        self.unsaved = None;
        if let Err(error) = (self.save)(&self.state) {
            self.progress.warn(&format!("the state of the synthesis could not be saved: {error}"));
            self.unsaved = Some(Box::new(self.state.clone()));
        }
    }

    /// Saves the state of the last finished round, if that has failed: what is interrupted without it cannot be resumed.
    pub fn save_if_unsaved(&mut self) -> Result<(), ReflectarrayError> {
        match self.unsaved.take() {
            Some(state) => (self.save)(&state).map_err(ReflectarrayError::Save),
            None => Ok(()),
        }
    }

    /// Computes P_rad and the pattern of a design, and returns its score ([`Goals::score`]).
    pub fn score(&mut self, design: &Design) -> Result<f64, ReflectarrayError> {
        self.progress.check()?;
        self.objective.update_power(design)?;
        let goals = &self.goals;
        let mut score = f64::NAN;
        let mut cost = |pattern: &PatternView<'_>| {
            score = goals.score(pattern);
            (score, Vec::new())
        };
        self.objective.evaluate_with(design, &mut cost, Derivatives::None)?;
        self.state.evaluations += 1;
        Ok(score)
    }

    /// Retains a design if it is better than the best so far. The best is scored again first, since a search scores with the P_rad of
    /// its initial design.
    pub fn update_best(&mut self, design: &Design) -> Result<f64, ReflectarrayError> {
        // Taken out while the objective is evaluated, and returned even if that fails.
        if let Some(mut best) = self.state.best.take() {
            let score = self.score(&best.design);
            best.score = *score.as_ref().unwrap_or(&best.score);
            self.state.best = Some(best);
            score?;
        }
        let score = self.score(design)?;
        self.retain_if_best(design, score);
        Ok(score)
    }

    /// Appends the last pattern to the history and reports it as progress.
    pub fn record(&mut self) {
        let objective = self.distance();
        let figures = self.objective.figures().all;
        let state = &mut self.state;
        state.history.push(HistoryRow {
            stage: state.stage.name().into(),
            iteration: state.history.len() + 1,
            evaluations: state.evaluations,
            objective,
            d_mean: figures.d_mean,
            d_min: figures.d_min,
        });
        let x = ("evaluations", state.evaluations as f64);
        self.progress.scalar("objective", x, objective);
        self.progress.scalar("d_mean_dbi", x, figures.d_mean);
        self.progress.scalar("d_min_dbi", x, figures.d_min);
    }

    /// Φ of the last pattern under the mask of the problem, in directivities: comparable across stages and with the solution.
    pub fn distance(&self) -> f64 {
        Cost::Distance.of(&self.goals, &PatternView { mask: &self.mask, ..self.objective.pattern() }).0
    }

    /// Retains a design that satisfies the spacing bounds if its score is the best so far.
    pub(super) fn retain_if_best(&mut self, design: &Design, score: f64) {
        let allowed = self.bounds.is_none_or(|bounds| bounds.satisfied_by(design));
        if allowed && self.state.best.as_ref().is_none_or(|best| score > best.score) {
            self.state.best = Some(Rated { score, design: design.clone() });
        }
    }

    /// Projects the positions onto the spacing bounds; the phases ζ relative to the focus are unchanged.
    pub(super) fn enforce_spacing(&self, design: &mut Design) {
        let Some(bounds) = self.bounds else { return };
        let zeta = self.focus.residual(design);
        bounds.project(design);
        let positions = design.x.iter().zip(&design.y).zip(zeta);
        // The focusing part follows the positions, the residual stays with the element.
        design.phase = positions.map(|((&x, &y), zeta)| zeta + self.focus.phase(x, y)).collect();
    }

    /// The position map up to an order, if the positions are free.
    pub(super) fn position_map(&self, design: &Design, order: usize) -> Option<PositionMap> {
        let order = order.min(self.problem.synthesis.position_order);
        self.bounds.map(|_| PositionMap::new(&design.index, order))
    }
}
