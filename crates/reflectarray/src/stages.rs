//! The stages of the synthesis: fronts by transport, few modes from many starts, every phase, minimax.

use crate::checkpoint::{Rated, SynthesisStage};
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::optimize::{Mlsl, unit_box_point};
use crate::positions::PositionMap;
use crate::problem::Design;
use crate::random::RandomStarts;
use crate::search::Run;
use crate::unknowns::Unknowns;
use crate::zernike::Modes;
use phasefront_core::Stage;
use phasefront_device::Backend;

/// Order of the modes that random starts differ in, of phases (tilt, defocus, astigmatism, coma, trefoil) and of places.
pub(crate) const RANDOM_ORDER: usize = 3;
/// Points strewn for each local search.
const POINTS_PER_START: usize = 4;
/// Rounds in which they are strewn.
const MODAL_ROUNDS: usize = 2;
/// Designs of the modal stage that go on.
const CANDIDATES: usize = 2;
/// Rounds of the element stage, with a new target and a new P_rad each.
const ELEMENT_ROUNDS: usize = 4;
/// Sharpness of the soft minimum, 1/dB, round by round.
const SHARPNESS: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// Rounds of the polish in which positions move, if they may at all; then they are put within their bounds for good.
const POLISH_ROUNDS_WITH_POSITIONS: usize = 5;

impl Run<'_> {
    /// All stages that are left.
    pub fn synthesize(&mut self, backend: &Backend) -> Result<(), ReflectarrayError> {
        loop {
            let next = match self.state.stage {
                SynthesisStage::Start => {
                    self.start()?;
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
                    self.polish()?;
                    SynthesisStage::Done
                }
                SynthesisStage::Projections => {
                    self.project(backend)?;
                    SynthesisStage::Done
                }
                SynthesisStage::Done => return Ok(()),
            };
            (self.state.stage, self.state.round) = (next, 0);
            self.save();
        }
    }

    /// Local searches in few modes, from the fronts and from random places around the first of them; the best go on.
    fn modal(&mut self) -> Result<(), ReflectarrayError> {
        let settings = self.problem.synthesis;
        if settings.modal_iterations == 0 {
            return Ok(());
        }
        let first = self.state.designs[0].clone();
        let modes = Modes::new(&first.x, &first.y, settings.zernike_order);
        let fronts = self.state.designs.clone();
        let each = settings.modal_iterations * orders(settings.zernike_order).count();
        let total = (fronts.len() + settings.starts) * each;
        let progress = self.progress;
        let stage = progress.stage(SynthesisStage::Modal.name(), Some(total as u64), "iterations");
        self.set_targets(None);
        if self.state.round == 0 {
            for design in fronts {
                self.search_modes(design, &modes, &stage)?;
            }
            self.state.round = 1;
            self.save();
        } else {
            stage.advance((fronts.len() * each) as u64);
        }
        let random = RandomStarts::new(self, &first, &modes);
        let per_round = (settings.starts * POINTS_PER_START).div_ceil(MODAL_ROUNDS);
        let mut mlsl = Mlsl::default();
        let mut searches = 0;
        for round in 0..MODAL_ROUNDS {
            let mut points = Vec::with_capacity(per_round);
            for i in 0..per_round {
                let unit = unit_box_point(settings.seed, (round * per_round + i) as u64, random.reach.len());
                self.rate(&random.design(self, &unit))?;
                points.push((unit, Cost::Distance.of(&self.goals, &self.objective.pattern()).0));
            }
            let starts = mlsl.starts(points);
            for unit in starts.into_iter().take(settings.starts - searches) {
                searches += 1;
                if round + 1 < self.state.round {
                    stage.advance(each as u64); // Done before the interruption.
                    continue;
                }
                let steps = self.search_modes(random.design(self, &unit), &modes, &stage)?;
                mlsl.found(random.moved(&unit, &steps));
            }
            self.state.round = self.state.round.max(round + 2);
            self.save();
        }
        stage.advance(((settings.starts - searches) * each) as u64);
        self.state.designs = self.candidates();
        Ok(())
    }

    /// A search in the low orders, then with more and more of them, phases and places together; returns how far the low ones went.
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
            let map = self.map(&design, order);
            let unknowns =
                Unknowns::new(self.focus, &design, Some((modes, modes.up_to(order))), map.as_ref());
            let (end, next) = self.descend(unknowns, Cost::Distance, settings.modal_iterations, stage)?;
            steps.get_or_insert(end.x);
            (value, design) = (end.value, next);
        }
        self.consider(&design)?;
        self.state.finished.push(Rated { score: -value, design });
        Ok(steps.unwrap_or_default())
    }

    /// Moves elements as far as the bounds on their distances ask; what their phases add to the focus stays.
    pub(crate) fn put_within_bounds(&self, design: &mut Design) {
        let Some(bounds) = self.bounds else { return };
        let zeta = self.focus.residual(design);
        bounds.project(design);
        let places = design.x.iter().zip(&design.y).zip(zeta);
        design.phase = places.map(|((&x, &y), zeta)| zeta + self.focus.phase(x, y)).collect();
    }

    /// The map of the places up to an order, if they are free.
    pub(crate) fn map(&self, design: &Design, order: usize) -> Option<PositionMap> {
        let order = order.min(self.problem.synthesis.position_order);
        self.bounds.map(|_| PositionMap::new(&design.index, order))
    }

    /// The best of the finished designs that differ from each other in Φ.
    fn candidates(&mut self) -> Vec<Design> {
        let mut finished = std::mem::take(&mut self.state.finished);
        finished.sort_by(|a, b| b.score.total_cmp(&a.score));
        finished.dedup_by(|a, b| (a.score - b.score).abs() < 1e-3 * b.score.abs());
        finished.into_iter().take(CANDIDATES).map(|rated| rated.design).collect()
    }

    /// Every phase, towards targets that rise with what has been reached.
    fn elements(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.problem.synthesis.element_iterations;
        if iterations == 0 {
            return Ok(());
        }
        let count = self.state.designs.len();
        let progress = self.progress;
        let total = Some((count * iterations) as u64);
        let stage = progress.stage(SynthesisStage::Elements.name(), total, "iterations");
        stage.advance(shared(iterations, self.state.round, ELEMENT_ROUNDS) as u64);
        let map = self.map(&self.state.designs[0], usize::MAX);
        for round in self.state.round..count * ELEMENT_ROUNDS {
            let candidate = round / ELEMENT_ROUNDS;
            let design = self.state.designs[candidate].clone();
            self.rate(&design)?;
            self.set_targets(Some(()));
            let unknowns = Unknowns::new(self.focus, &design, None, map.as_ref());
            let share =
                shared(iterations, round + 1, ELEMENT_ROUNDS) - shared(iterations, round, ELEMENT_ROUNDS);
            let (_, design) = self.descend(unknowns, Cost::Distance, share, &stage)?;
            let score = self.consider(&design)?;
            self.state.designs[candidate] = design.clone();
            if (round + 1).is_multiple_of(ELEMENT_ROUNDS) {
                self.state.finished.push(Rated { score, design });
            }
            self.state.round = round + 1;
            self.save();
        }
        self.state.designs = self.candidates();
        Ok(())
    }

    /// Lower bounds of the regions that have none: what the power would give if it were spread evenly, less what a real beam loses at
    /// the edge; once there is a pattern, half-way between its minimum and its mean.
    fn set_targets(&mut self, reached: Option<()>) {
        let level = reached.map(|()| self.objective.figures().all).map(|all| 0.5 * (all.d_min + all.d_mean));
        for (i, region) in self.problem.coverage.iter().enumerate() {
            if region.lower.is_none() {
                self.objective.set_lower(i, level.unwrap_or(self.attainable - 1.0));
            }
        }
    }

    /// The soft minimum, sharper and sharper; positions move along at first, then stay.
    fn polish(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.problem.synthesis.polish_iterations;
        if iterations == 0 {
            return Ok(());
        }
        let count = self.state.designs.len();
        let progress = self.progress;
        let total = Some((count * iterations) as u64);
        let stage = progress.stage(SynthesisStage::Polish.name(), total, "iterations");
        let rounds = SHARPNESS.len();
        stage.advance(shared(iterations, self.state.round, rounds) as u64);
        let map = self.map(&self.state.designs[0], usize::MAX);
        for round in self.state.round..count * rounds {
            let (candidate, level) = (round / rounds, round % rounds);
            let design = self.state.designs[candidate].clone();
            let map = map.as_ref().filter(|_| level < POLISH_ROUNDS_WITH_POSITIONS);
            let share = shared(iterations, round + 1, rounds) - shared(iterations, round, rounds);
            let cost = Cost::Margin { sharpness: SHARPNESS[level] };
            let unknowns = Unknowns::new(self.focus, &design, None, map);
            let (_, mut design) = self.descend(unknowns, cost, share, &stage)?;
            if level + 1 == POLISH_ROUNDS_WITH_POSITIONS {
                self.put_within_bounds(&mut design);
            }
            self.consider(&design)?;
            self.state.designs[candidate] = design;
            self.state.round = round + 1;
            self.save();
        }
        Ok(())
    }
}

/// Zernike orders of one search after another.
fn orders(highest: usize) -> impl Iterator<Item = usize> {
    let low = RANDOM_ORDER.min(highest);
    (low..highest).step_by(2).chain([highest])
}

/// Iterations that belong to the first so many rounds, if each `rounds` of them share `iterations` evenly.
fn shared(iterations: usize, first: usize, rounds: usize) -> usize {
    iterations * first / rounds
}
