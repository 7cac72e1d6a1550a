//! The stages of the synthesis: fronts by transport, few modes from many starts, every phase, minimax.

use crate::checkpoint::{Rated, SynthesisStage};
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::optimize::{Mlsl, unit_box_point};
use crate::positions::{PositionMap, spread};
use crate::presynthesis::{Cloud, transport};
use crate::problem::{Design, Problem};
use crate::search::{Run, SPACING_EDGE};
use crate::unknowns::Unknowns;
use crate::zernike::Modes;
use phasefront_core::Stage;
use phasefront_device::Backend;

/// Zernike order of the modes that random starts differ in: tilt, defocus, astigmatism, coma, trefoil.
const RANDOM_ORDER: usize = 3;
/// Half the width of the box of random starts, rad, for modes of order 1; 1/n of it for order n.
const REACH: f64 = 6.0;
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

/// The middle of the coverage, weighted with what is asked there.
pub(crate) fn target(problem: &Problem, mask: &crate::mask::Mask) -> Cloud {
    let (u, v) = (problem.window.u(), problem.window.v());
    let point = |&i: &usize| [u[i % u.len()], v[i / u.len()]];
    let weights = mask.covered.iter().map(|&i| mask.lower[i]).collect();
    Cloud::new(mask.covered.iter().map(point).collect(), weights)
}

impl Run<'_> {
    /// All stages that are left.
    pub fn synthesise(&mut self, backend: &Backend) -> Result<(), ReflectarrayError> {
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

    /// Fronts by optimal transport, convex and concave; positions, if they are free, as wide as allowed: directivity grows with the
    /// aperture, and the power that misses it is not counted.
    fn start(&mut self) -> Result<(), ReflectarrayError> {
        let _stage = self.progress.stage(SynthesisStage::Start.name(), None, "fronts");
        let mut design = self.problem.lattice.design();
        if let Some(bounds) = self.bounds {
            spread(&mut design, bounds.within(SPACING_EDGE).max);
        }
        let places: Vec<[f64; 2]> = design.x.iter().zip(&design.y).map(|(x, y)| [*x, *y]).collect();
        let power = places.iter().map(|p| self.focus.illumination.amplitude(p[0], p[1]).powi(2)).collect();
        let aperture = Cloud::new(places, power);
        for mirrored in [false, true] {
            self.progress.check()?;
            let front = transport(&aperture, &self.target, mirrored);
            let phase =
                |((&x, &y), front): ((&f64, &f64), &f64)| self.focus.phase(x, y) - self.focus.beta() * front;
            design.phase = design.x.iter().zip(&design.y).zip(&front).map(phase).collect();
            self.consider(&design)?;
            self.state.designs.push(design.clone());
        }
        Ok(())
    }

    /// Local searches in few modes, from the fronts and from random places around the first of them; the best go on.
    fn modal(&mut self) -> Result<(), ReflectarrayError> {
        let settings = self.problem.synthesis;
        let first = self.state.designs[0].clone();
        let modes = Modes::new(&first.x, &first.y, settings.zernike_order);
        let low = RANDOM_ORDER.min(settings.zernike_order);
        let count = modes.up_to(low);
        let total = settings.starts
            * (POINTS_PER_START + settings.modal_iterations * (1 + modes_steps(low, settings.zernike_order)));
        let progress = self.progress;
        let stage = progress.stage(SynthesisStage::Modal.name(), Some(total as u64), "evaluations");
        self.set_targets(None);
        if self.state.round == 0 {
            for design in self.state.designs.clone() {
                self.search_modes(&design, &modes, vec![0.0; count], &stage)?;
            }
            self.state.round = 1;
            self.save();
        }
        let reach: Vec<f64> = modes.orders[..count].iter().map(|n| REACH / *n as f64).collect();
        let per_round = (settings.starts * POINTS_PER_START).div_ceil(MODAL_ROUNDS);
        let mut mlsl = Mlsl::default();
        let mut searches = 0;
        for round in 0..MODAL_ROUNDS {
            let mut points = Vec::with_capacity(per_round);
            for i in 0..per_round {
                let unit = unit_box_point(settings.seed, (round * per_round + i) as u64, count);
                let place: Vec<f64> = unit.iter().zip(&reach).map(|(u, r)| u * r).collect();
                let design = Unknowns::new(self.focus, &first, Some((&modes, count)), None).design(&place);
                self.rate(&design)?;
                stage.advance(1);
                points.push((unit, Cost::Distance.of(&self.goals, &self.objective.pattern()).0));
            }
            let starts = mlsl.starts(points);
            for unit in starts.into_iter().take(settings.starts - searches) {
                searches += 1;
                if round + 1 < self.state.round {
                    continue; // Done before the interruption.
                }
                let place = unit.iter().zip(&reach).map(|(u, r)| u * r).collect();
                let end = self.search_modes(&first, &modes, place, &stage)?;
                mlsl.found(end.iter().zip(&reach).map(|(p, r)| p / r).collect());
            }
            self.state.round = self.state.round.max(round + 2);
            self.save();
        }
        self.state.designs = self.candidates();
        Ok(())
    }

    /// A search in the low orders, then with more and more of them; returns where the low ones ended.
    fn search_modes(
        &mut self,
        base: &Design,
        modes: &Modes,
        place: Vec<f64>,
        stage: &Stage<'_>,
    ) -> Result<Vec<f64>, ReflectarrayError> {
        let settings = self.problem.synthesis;
        let mut order = RANDOM_ORDER.min(settings.zernike_order);
        let count = modes.up_to(order);
        let mut design = Unknowns::new(self.focus, base, Some((modes, count)), None).design(&place);
        let mut low = place;
        let mut value = f64::INFINITY;
        loop {
            let unknowns = Unknowns::new(self.focus, &design, Some((modes, modes.up_to(order))), None);
            let (end, next) = self.descend(unknowns, Cost::Distance, settings.modal_iterations, stage)?;
            if value.is_infinite() {
                low.iter_mut().zip(&end.x).for_each(|(low, step)| *low += step);
            }
            (value, design) = (end.value, next);
            if order >= settings.zernike_order {
                break;
            }
            order = (order + 2).min(settings.zernike_order);
        }
        self.consider(&design)?;
        self.state.finished.push(Rated { score: -value, design });
        Ok(low)
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
        let settings = self.problem.synthesis;
        let count = self.state.designs.len();
        let total = (count * settings.element_iterations) as u64;
        let progress = self.progress;
        let stage = progress.stage(SynthesisStage::Elements.name(), Some(total), "evaluations");
        let iterations = settings.element_iterations.div_ceil(ELEMENT_ROUNDS);
        for round in self.state.round..count * ELEMENT_ROUNDS {
            let candidate = round / ELEMENT_ROUNDS;
            let design = self.state.designs[candidate].clone();
            self.rate(&design)?;
            self.set_targets(Some(()));
            let unknowns = Unknowns::new(self.focus, &design, None, None);
            let (_, design) = self.descend(unknowns, Cost::Distance, iterations, &stage)?;
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

    /// The soft minimum, sharper and sharper; positions first along, then fixed.
    fn polish(&mut self) -> Result<(), ReflectarrayError> {
        let settings = self.problem.synthesis;
        let progress = self.progress;
        let stage = progress.stage(
            SynthesisStage::Polish.name(),
            Some(settings.polish_iterations as u64),
            "evaluations",
        );
        let iterations = settings.polish_iterations.div_ceil(SHARPNESS.len());
        let map =
            self.bounds.map(|_| PositionMap::new(&self.state.designs[0].index, settings.position_order));
        let rounds = if settings.polish_iterations == 0 { 0 } else { SHARPNESS.len() };
        for candidate in 0..self.state.designs.len() {
            for round in self.state.round..rounds {
                let design = self.state.designs[candidate].clone();
                let map = map.as_ref().filter(|_| round < POLISH_ROUNDS_WITH_POSITIONS);
                let cost = Cost::Margin { sharpness: SHARPNESS[round] };
                let unknowns = Unknowns::new(self.focus, &design, None, map);
                let (_, mut design) = self.descend(unknowns, cost, iterations, &stage)?;
                if let Some(bounds) = self.bounds.filter(|_| round + 1 >= POLISH_ROUNDS_WITH_POSITIONS) {
                    bounds.project(&mut design);
                }
                self.consider(&design)?;
                self.state.designs[candidate] = design;
                self.state.round = round + 1;
                self.save();
            }
            self.state.round = 0;
        }
        Ok(())
    }
}

fn modes_steps(low: usize, high: usize) -> usize {
    (high - low).div_ceil(2)
}
