//! The stages of the synthesis: initial guess by optimal transport, multistart in few modes, every phase, minimax.

use super::coordinator::Coordinator;
use super::position_map::PositionMap;
use super::random_starts::{RANDOM_ORDER, RandomStarts};
use super::run::Run;
use super::unknowns::Unknowns;
use super::zernike::Modes;
use crate::checkpoint::{Minimum, Rated, SynthesisStage};
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::optimize::{Mlsl, unit_box_point};
use crate::parallel::for_each_task;
use crate::problem::Design;
use phasefront_core::{Progress, Stage};

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

impl Coordinator<'_> {
    /// Runs all remaining stages. Collective.
    pub fn synthesize(&mut self) -> Result<(), ReflectarrayError> {
        loop {
            let next = match self.run.state.stage {
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
                    self.alternate_projections()?;
                    SynthesisStage::Done
                }
                SynthesisStage::Done => return Ok(()),
            };
            // The stage is saved as soon as it changes: a resumed run repeats no finished stage.
            (self.run.state.stage, self.run.state.round) = (next, 0);
            self.save();
        }
    }

    /// Modal stage: local searches in few Zernike modes, from the phase fronts and, by MLSL, from random points around the first of them.
    fn modal(&mut self) -> Result<(), ReflectarrayError> {
        let settings = self.run.problem.synthesis;
        if settings.modal_iterations == 0 {
            return Ok(());
        }
        let fronts = self.run.state.designs.clone();
        let modes = Modes::new(&fronts[0].x, &fronts[0].y, settings.zernike_order);
        let per_search = settings.modal_iterations * orders(settings.zernike_order).count();
        let total = (fronts.len() + settings.starts) * per_search;
        let progress = self.run.progress;
        let stage = progress.stage(SynthesisStage::Modal.name(), Some(total as u64), "iterations");
        // All searches of this stage have the same targets, so that their Φ is comparable.
        self.run.set_targets(None);
        let random = RandomStarts::new(&self.run, &fronts[0], &modes);
        let mut mlsl = Mlsl::default();
        let mut searches = 0;
        for round in 0..MODAL_ROUNDS {
            // The fronts are searched together with the first random points.
            let fronts = if round == 0 { &fronts[..] } else { &[] };
            if fronts.is_empty() && searches == settings.starts {
                break;
            }
            let points = self.sampled(round, &random)?;
            // The budget of searches is global: later rounds get what earlier ones left.
            let mut guesses = mlsl.initial_points(points);
            guesses.truncate(settings.starts - searches);
            let count = fronts.len() + guesses.len();
            if self.run.state.round > round {
                stage.advance((count * per_search) as u64);
            } else {
                let states = self.round(count, (&stage, per_search), |run, task| {
                    if let Some(front) = fronts.get(task) {
                        return run.search_modes(front.clone(), &modes, &stage).map(drop);
                    }
                    let unit = &guesses[task - fronts.len()];
                    let steps = run.search_modes(random.design(run, unit), &modes, &stage)?;
                    run.state.minima.push(Minimum(random.moved(unit, &steps)));
                    Ok(())
                })?;
                self.run.state.minima.extend(states.into_iter().flat_map(|state| state.minima));
                self.end_round();
            }
            // The next round does not start near these.
            for _ in guesses {
                let minimum = self.run.state.minima.get(searches).ok_or_else(missing_minimum)?;
                mlsl.add_minimum(minimum.0.clone());
                searches += 1;
            }
        }
        stage.advance(((settings.starts - searches) * per_search) as u64);
        self.run.state.minima.clear();
        self.run.state.designs = self.run.candidates();
        Ok(())
    }

    /// The random points of a round with their Φ, by which MLSL ranks them before any search. Every rank computes them all, and a resumed
    /// run computes them again: points follow from the seed.
    fn sampled(
        &mut self,
        round: usize,
        random: &RandomStarts<'_>,
    ) -> Result<Vec<(Vec<f64>, f64)>, ReflectarrayError> {
        let settings = self.run.problem.synthesis;
        let per_round = (settings.starts * POINTS_PER_SEARCH).div_ceil(MODAL_ROUNDS);
        let dimensions = random.half_widths.len();
        let unit = |i: usize| unit_box_point(settings.seed, (round * per_round + i) as u64, dimensions);
        // Ranks must reach the next round together: interrupted is a round, not the few evaluations before it.
        let silent = Progress::silent();
        let blueprint = self.run.blueprint();
        let value = |i: usize| {
            let mut run = Run { progress: &silent, ..blueprint.open() };
            run.score(&random.design(&run, &unit(i)))?;
            Ok::<_, ReflectarrayError>(Cost::Distance.of(&run.goals, &run.objective.pattern()).0)
        };
        let mut points: Vec<(Vec<f64>, f64)> = (0..per_round).map(|i| (unit(i), f64::NAN)).collect();
        let all: Vec<usize> = (0..per_round).collect();
        for_each_task(&all, self.backend, value, |i, value| points[i].1 = value)?;
        let state = &mut self.run.state;
        // Otherwise they were counted before an interruption.
        if state.round == round && state.tasks.is_empty() {
            state.evaluations += per_round as u64;
        }
        Ok(points)
    }

    /// Element stage: every phase is an unknown; the targets rise with the directivity reached.
    fn elements(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.run.problem.synthesis.element_iterations;
        if iterations == 0 {
            return Ok(());
        }
        let progress = self.run.progress;
        let total = Some((self.run.state.designs.len() * iterations) as u64);
        let stage = progress.stage(SynthesisStage::Elements.name(), total, "iterations");
        self.candidate_rounds(&stage, iterations, ELEMENT_ROUNDS, |run, round, design, share, map| {
            run.score(&design)?;
            // The targets of each candidate follow from its own pattern.
            run.set_targets(Some(()));
            let unknowns = Unknowns::new(run.focus.clone(), &design, None, map);
            let (_, design) = run.minimize(unknowns, Cost::Distance, share, &stage)?;
            let score = run.update_best(&design)?;
            // Rated after the last round.
            if round + 1 == ELEMENT_ROUNDS {
                run.state.finished.push(Rated { score, design: design.clone() });
            }
            Ok(design)
        })?;
        self.run.state.designs = self.run.candidates();
        Ok(())
    }

    /// Minimax stage: the smooth minimum with increasing sharpness; positions are unknowns at first, then fixed.
    fn minimax(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.run.problem.synthesis.polish_iterations;
        if iterations == 0 {
            return Ok(());
        }
        let progress = self.run.progress;
        let total = Some((self.run.state.designs.len() * iterations) as u64);
        let stage = progress.stage(SynthesisStage::Polish.name(), total, "iterations");
        self.candidate_rounds(&stage, iterations, SHARPNESS.len(), |run, level, design, share, map| {
            let map = map.filter(|_| level < MINIMAX_ROUNDS_WITH_POSITIONS);
            let cost = Cost::Minimax { sharpness: SHARPNESS[level] };
            let unknowns = Unknowns::new(run.focus.clone(), &design, None, map);
            let (_, mut design) = run.minimize(unknowns, cost, share, &stage)?;
            if level + 1 == MINIMAX_ROUNDS_WITH_POSITIONS {
                // Once, before positions are fixed: later rounds
                // adapt the phases to the projected positions.
                run.enforce_spacing(&mut design);
            }
            run.update_best(&design)?;
            Ok(design)
        })
    }

    /// Rounds that improve every candidate; they share `iterations`. `improve` gets the round, a design, the iterations of the round and the
    /// position map.
    fn candidate_rounds(
        &mut self,
        stage: &Stage<'_>,
        iterations: usize,
        rounds: usize,
        improve: impl Fn(
            &mut Run<'_>,
            usize,
            Design,
            usize,
            Option<&PositionMap>,
        ) -> Result<Design, ReflectarrayError>
        + Sync,
    ) -> Result<(), ReflectarrayError> {
        let count = self.run.state.designs.len();
        let of_first = |rounds_done: usize| iterations * rounds_done / rounds;
        stage.advance((count * of_first(self.run.state.round)) as u64);
        let map = self.run.position_map(&self.run.state.designs[0], usize::MAX);
        for round in self.run.state.round..rounds {
            let share = of_first(round + 1) - of_first(round);
            let designs = self.run.state.designs.clone();
            let states = self.round(count, (stage, share), |run, candidate| {
                let improved = improve(run, round, designs[candidate].clone(), share, map.as_ref())?;
                run.state.designs.push(improved);
                Ok(())
            })?;
            self.run.state.designs = states.into_iter().flat_map(|state| state.designs).collect();
            self.end_round();
        }
        Ok(())
    }
}

/// A checkpoint that lacks the end point of a search of the multistart.
fn missing_minimum() -> ReflectarrayError {
    ReflectarrayError::Checkpoint("it does not have the end point of every search".into())
}

impl Run<'_> {
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
                Unknowns::new(self.focus.clone(), &design, Some((modes, modes.up_to(order))), map.as_ref());
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
}

/// Maximum Zernike orders of the successive searches.
fn orders(highest: usize) -> impl Iterator<Item = usize> {
    let low = RANDOM_ORDER.min(highest);
    (low..highest).step_by(2).chain([highest])
}
