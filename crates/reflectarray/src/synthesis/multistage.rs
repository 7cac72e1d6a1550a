//! The stages of the synthesis: initial guess by optimal transport, multistart in few modes, every phase, minimax.

use super::random_starts::{RANDOM_ORDER, RandomStarts};
use super::run::Run;
use super::unknowns::Unknowns;
use super::zernike::Modes;
use crate::checkpoint::{Minimum, Rated, SynthesisStage};
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::optimize::{Mlsl, unit_box_point};
use crate::problem::Design;
use phasefront_core::Stage;
use phasefront_device::Backend;

/// Random points sampled per local search.
const POINTS_PER_SEARCH: usize = 4;
/// Rounds in which they are sampled.
const MODAL_ROUNDS: usize = 2;
/// Designs that the modal stage passes on.
const CANDIDATES: usize = 2;
/// Rounds of the element stage, each with an updated target and P_rad.
const ELEMENT_ROUNDS: usize = 4;
/// Sharpness of the smooth minimum in each round of the minimax stage, 1/dB.
const SHARPNESS: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// Rounds of the minimax stage in which free positions are unknowns; then they are projected onto their bounds and fixed.
const MINIMAX_ROUNDS_WITH_POSITIONS: usize = 5;

impl Run<'_> {
    /// Runs all remaining stages.
    pub fn synthesize(&mut self, backend: &Backend) -> Result<(), ReflectarrayError> {
        loop {
            let next = match self.state.stage {
                SynthesisStage::Start => {
                    self.initial_guess()?;
                    SynthesisStage::Modal
                }
                SynthesisStage::Modal => {
                    self.modal()?;
                    SynthesisStage::Elements
                }
                SynthesisStage::Elements => {
                    self.elements()?;
                    SynthesisStage::Polish
                }
                SynthesisStage::Polish => {
                    self.minimax()?;
                    SynthesisStage::Done
                }
                SynthesisStage::Projections => {
                    self.alternate_projections(backend)?;
                    SynthesisStage::Done
                }
                SynthesisStage::Done => return Ok(()),
            };
            // The stage is saved as soon as it changes: a resumed run repeats no finished stage.
            (self.state.stage, self.state.round) = (next, 0);
            self.save();
        }
    }

    /// Modal stage: local searches in few Zernike modes, from the phase fronts and, by MLSL, from random points around the first of them.
    fn modal(&mut self) -> Result<(), ReflectarrayError> {
        let settings = self.problem.synthesis;
        if settings.modal_iterations == 0 {
            return Ok(());
        }
        let first = self.state.designs[0].clone();
        let modes = Modes::new(&first.x, &first.y, settings.zernike_order);
        let fronts = self.state.designs.clone();
        // Searches before an interruption: from the fronts first, then those of the multistart.
        let before = self.state.round;
        let per_search = settings.modal_iterations * orders(settings.zernike_order).count();
        let total = (fronts.len() + settings.starts) * per_search;
        let progress = self.progress;
        let stage = progress.stage(SynthesisStage::Modal.name(), Some(total as u64), "iterations");
        // All searches of this stage have the same targets, so that their Φ is comparable.
        self.set_targets(None);
        stage.advance((before * per_search) as u64);
        for design in fronts.iter().skip(before) {
            self.search_modes(design.clone(), &modes, &stage)?;
            self.state.round += 1;
            self.save();
        }
        let searches = self.multistart(&first, &modes, before, &stage)?;
        stage.advance(((settings.starts - searches) * per_search) as u64);
        self.state.minima.clear();
        self.state.designs = self.candidates();
        Ok(())
    }

    /// Searches from random points around `base` by MLSL; returns how many, with those of the `before` searches of the stage that were
    /// finished before an interruption.
    fn multistart(
        &mut self,
        base: &Design,
        modes: &Modes,
        before: usize,
        stage: &Stage<'_>,
    ) -> Result<usize, ReflectarrayError> {
        let settings = self.problem.synthesis;
        let fronts = self.state.designs.len();
        let random = RandomStarts::new(self, base, modes);
        let per_round = (settings.starts * POINTS_PER_SEARCH).div_ceil(MODAL_ROUNDS);
        let mut mlsl = Mlsl::default();
        let mut searches = 0;
        for round in 0..MODAL_ROUNDS {
            let mut points = Vec::with_capacity(per_round);
            // Sampled again after a resume: points follow from the seed, and MLSL needs them all. Evaluations of a round that
            // had begun to search are in the count already.
            let counted = (before > fronts + searches).then_some(self.state.evaluations);
            for i in 0..per_round {
                let unit =
                    unit_box_point(settings.seed, (round * per_round + i) as u64, random.half_widths.len());
                // MLSL ranks the sampled points by Φ before any search.
                self.score(&random.design(self, &unit))?;
                points.push((unit, Cost::Distance.of(&self.goals, &self.objective.pattern()).0));
            }
            self.state.evaluations = counted.unwrap_or(self.state.evaluations);
            let guesses = mlsl.initial_points(points);
            // The budget of searches is global: later rounds get what earlier ones left.
            for unit in guesses.into_iter().take(settings.starts - searches) {
                if fronts + searches >= before {
                    let steps = self.search_modes(random.design(self, &unit), modes, stage)?;
                    self.state.minima.push(Minimum(random.moved(&unit, &steps)));
                    self.state.round += 1;
                    self.save();
                }
                // Of every search, those before an interruption too: the next round does not start near them.
                mlsl.add_minimum(self.state.minima[searches].0.clone());
                searches += 1;
            }
        }
        Ok(searches)
    }

    /// A search in the low orders, then in successively more of them, phases and positions together; returns the final values of the
    /// low-order unknowns.
    fn search_modes(
        &mut self,
        mut design: Design,
        modes: &Modes,
        stage: &Stage<'_>,
    ) -> Result<Vec<f64>, ReflectarrayError> {
        let settings = self.problem.synthesis;
        let mut steps = None;
        let mut value = f64::INFINITY;
        for order in orders(settings.zernike_order) {
            // Positions gain freedom with the phases, low orders first.
            let map = self.position_map(&design, order);
            let unknowns =
                Unknowns::new(self.focus, &design, Some((modes, modes.up_to(order))), map.as_ref());
            let (end, next) = self.minimize(unknowns, Cost::Distance, settings.modal_iterations, stage)?;
            // Of the first, lowest order only: the box of the random starts has these unknowns.
            steps.get_or_insert(end.x);
            (value, design) = (end.value, next);
        }
        self.update_best(&design)?;
        self.state.finished.push(Rated { score: -value, design });
        Ok(steps.unwrap_or_default())
    }

    /// The best finished designs with distinct Φ.
    fn candidates(&mut self) -> Vec<Design> {
        let mut finished = std::mem::take(&mut self.state.finished);
        finished.sort_by(|a, b| b.score.total_cmp(&a.score));
        // Searches that ended in the same minimum have nearly the same Φ.
        finished.dedup_by(|a, b| (a.score - b.score).abs() < 1e-3 * b.score.abs());
        finished.into_iter().take(CANDIDATES).map(|rated| rated.design).collect()
    }

    /// Element stage: every phase is an unknown; the targets rise with the directivity reached.
    fn elements(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.problem.synthesis.element_iterations;
        if iterations == 0 {
            return Ok(());
        }
        let count = self.state.designs.len();
        let progress = self.progress;
        let total = Some((count * iterations) as u64);
        let stage = progress.stage(SynthesisStage::Elements.name(), total, "iterations");
        stage.advance(iterations_of(iterations, self.state.round, ELEMENT_ROUNDS) as u64);
        let map = self.position_map(&self.state.designs[0], usize::MAX);
        for round in self.state.round..count * ELEMENT_ROUNDS {
            let candidate = round / ELEMENT_ROUNDS;
            let design = self.state.designs[candidate].clone();
            self.score(&design)?;
            // The targets of each candidate follow from its own pattern.
            self.set_targets(Some(()));
            let unknowns = Unknowns::new(self.focus, &design, None, map.as_ref());
            let share = iterations_of(iterations, round + 1, ELEMENT_ROUNDS)
                - iterations_of(iterations, round, ELEMENT_ROUNDS);
            let (_, design) = self.minimize(unknowns, Cost::Distance, share, &stage)?;
            let score = self.update_best(&design)?;
            self.state.designs[candidate] = design.clone();
            // Rated after the last round of a candidate.
            if (round + 1).is_multiple_of(ELEMENT_ROUNDS) {
                self.state.finished.push(Rated { score, design });
            }
            self.state.round = round + 1;
            self.save();
        }
        self.state.designs = self.candidates();
        Ok(())
    }

    /// Sets targets for the regions without a lower bound: the directivity of power spread evenly over the coverage minus 1 dB for the
    /// roll-off of a real beam; with a pattern, halfway between its minimum and its mean.
    fn set_targets(&mut self, pattern: Option<()>) {
        // Halfway: above the minimum, so that it rises, but within reach of the search.
        let level = pattern.map(|()| self.objective.figures().all).map(|all| 0.5 * (all.d_min + all.d_mean));
        for (i, region) in self.problem.coverage.iter().enumerate() {
            if region.lower.is_none() {
                self.objective.set_lower_bound(i, level.unwrap_or(self.attainable - 1.0));
            }
        }
    }

    /// Minimax stage: the smooth minimum with increasing sharpness; positions are unknowns at first, then fixed.
    fn minimax(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.problem.synthesis.polish_iterations;
        if iterations == 0 {
            return Ok(());
        }
        let count = self.state.designs.len();
        let progress = self.progress;
        let total = Some((count * iterations) as u64);
        let stage = progress.stage(SynthesisStage::Polish.name(), total, "iterations");
        let rounds = SHARPNESS.len();
        stage.advance(iterations_of(iterations, self.state.round, rounds) as u64);
        let map = self.position_map(&self.state.designs[0], usize::MAX);
        for round in self.state.round..count * rounds {
            // Candidate by candidate, sharpness by sharpness.
            let (candidate, level) = (round / rounds, round % rounds);
            let design = self.state.designs[candidate].clone();
            let map = map.as_ref().filter(|_| level < MINIMAX_ROUNDS_WITH_POSITIONS);
            let share =
                iterations_of(iterations, round + 1, rounds) - iterations_of(iterations, round, rounds);
            let cost = Cost::Minimax { sharpness: SHARPNESS[level] };
            let unknowns = Unknowns::new(self.focus, &design, None, map);
            let (_, mut design) = self.minimize(unknowns, cost, share, &stage)?;
            if level + 1 == MINIMAX_ROUNDS_WITH_POSITIONS {
                // Once, before positions are fixed: later rounds
                // adapt the phases to the projected positions.
                self.enforce_spacing(&mut design);
            }
            self.update_best(&design)?;
            self.state.designs[candidate] = design;
            self.state.round = round + 1;
            self.save();
        }
        Ok(())
    }
}

/// Maximum Zernike orders of the successive searches.
fn orders(highest: usize) -> impl Iterator<Item = usize> {
    let low = RANDOM_ORDER.min(highest);
    (low..highest).step_by(2).chain([highest])
}

/// Iterations of the first `count` rounds, if every `rounds` of them divide `iterations` evenly.
fn iterations_of(iterations: usize, count: usize, rounds: usize) -> usize {
    iterations * count / rounds
}
