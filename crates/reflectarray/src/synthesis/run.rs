//! What the tasks of a synthesis work with: the objective, the history, and the best design so far.

use super::position_map::PositionMap;
use super::spacing::SpacingBounds;
use super::transport::{DiscreteMeasure, target};
use super::unknowns::Focus;
use crate::checkpoint::{Checkpoint, Rated};
use crate::cost::{Cost, Goals};
use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::history::HistoryRow;
use crate::mask::Mask;
use crate::objective::{Blueprint, Objective, PatternView};
use crate::problem::{Design, Placement, Problem};
use crate::study::Study;
use phasefront_core::Progress;
use phasefront_device::Backend;

/// Margin by which the spacing bounds are tightened in a search, as a fraction of their width: its penalty is soft, and what it yields
/// stays within the bounds.
pub(super) const SPACING_MARGIN: f64 = 0.01;

/// What a task of a synthesis works with: the objective, and the state that it adds to.
pub(crate) struct Run<'a, O = Objective> {
    pub problem: &'a Problem,
    pub objective: O,
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
    pub state: Checkpoint,
}

impl<'a> Run<'a, Blueprint> {
    /// A run for one task.
    pub fn open(&self) -> Run<'a> {
        self.with(self.objective.open())
    }
}

impl<'a, O> Run<'a, O> {
    /// The same with another objective and an empty state.
    fn with<P>(&self, objective: P) -> Run<'a, P> {
        let Self { problem, attainable, bounds, progress, .. } = *self;
        Run {
            problem,
            objective,
            goals: self.goals.clone(),
            mask: self.mask.clone(),
            focus: self.focus.clone(),
            target: self.target.clone(),
            attainable,
            bounds,
            progress,
            state: Checkpoint::new(self.state.stage),
        }
    }
}

impl<'a> Run<'a> {
    /// A run at `state`.
    pub fn new(
        study: &'a Study,
        backend: &Backend,
        progress: &'a Progress,
        state: Checkpoint,
    ) -> Result<Self, ReflectarrayError> {
        let problem = &study.problem;
        let objective = Objective::new(problem, backend)?;
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
            state,
        })
    }

    /// What the threads of other tasks make their runs of.
    pub fn blueprint(&self) -> Run<'a, Blueprint> {
        self.with(self.objective.blueprint())
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
        self.count();
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

    /// Counts an evaluation.
    pub fn count(&mut self) {
        self.state.evaluations += 1;
    }

    /// Appends the last pattern to the history.
    pub fn record(&mut self) {
        let objective = self.distance();
        let figures = self.objective.levels();
        let state = &mut self.state;
        state.history.push(HistoryRow {
            stage: state.stage.name().into(),
            iteration: state.history.len() + 1,
            evaluations: state.evaluations,
            objective,
            d_mean: figures.d_mean,
            d_min: figures.d_min,
        });
    }

    /// Φ of the last pattern under the mask of the problem, in directivities: comparable across stages and with the solution.
    pub fn distance(&self) -> f64 {
        Cost::Distance.of(&self.goals, &PatternView { mask: &self.mask, ..self.objective.pattern() }).0
    }

    /// Retains a design that satisfies the spacing bounds if its score is the best so far.
    pub(super) fn retain_if_best(&mut self, design: &Design, score: f64) {
        let allowed = self.bounds.is_none_or(|bounds| bounds.satisfied_by(design));
        if allowed && self.is_best(score) {
            self.state.best = Some(Rated { score, design: design.clone() });
        }
    }

    /// Whether a score is better than the best so far.
    pub(super) fn is_best(&self, score: f64) -> bool {
        self.state.best.as_ref().is_none_or(|best| score > best.score)
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
