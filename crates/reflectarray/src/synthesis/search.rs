//! One local search of a synthesis: a cost function, its unknowns, and L-BFGS.

use super::run::{Run, SPACING_MARGIN};
use super::spacing::log_power;
use super::unknowns::Unknowns;
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::evaluation::{Derivatives, Evaluation};
use crate::objective::PatternView;
use crate::optimize::{Function, Lbfgs, Point};
use crate::problem::{Design, Gradient};
use phasefront_core::Stage;

/// Curvature pairs of L-BFGS: more than the usual 5 to 10, as the minimax costs are ill-conditioned and pairs are cheap next to a pattern.
const MEMORY: usize = 20;
/// Largest component of the first step, rad.
const FIRST_STEP: f64 = 0.05;
/// Step of the forward differences, rad: the square root of the rounding error of a sum over thousands of elements.
const DIFFERENCE_STEP: f64 = 1e-6;
/// Stopping criterion: decrease over ten iterations, in dB or relative to the initial Φ.
const MIN_DECREASE: f64 = 1e-4;
/// Weight of the spacing penalty, relative to a cost in dB or to the initial Φ. A larger weight makes the problem stiff: on 44 by 44
/// elements over North America a hundred times as much cost 0.4 dB of D_min (with positions in units of a wavelength).
const SPACING_WEIGHT: f64 = 3.0;
/// One local search.
pub(crate) struct Search<'r, 'a> {
    pub run: &'r mut Run<'a>,
    pub unknowns: Unknowns<'r>,
    pub cost: Cost,
    pub stage: &'r Stage<'r>,
    /// ln Q ([`log_power`]) of the design for which P_rad was computed.
    log_power: f64,
    /// Weight of the spacing penalty.
    spacing_weight: f64,
    /// Iterations so far.
    iterations: usize,
    /// The last design.
    design: Design,
    /// The best iterate with its score, if better than what the run has: its design is made at the end.
    best: Option<(f64, Vec<f64>)>,
}

impl Run<'_> {
    /// Minimizes a cost from the base design of `unknowns`; returns the end point and its design.
    pub fn minimize(
        &mut self,
        unknowns: Unknowns<'_>,
        cost: Cost,
        iterations: usize,
        stage: &Stage<'_>,
    ) -> Result<(Point, Design), ReflectarrayError> {
        let initial = vec![0.0; unknowns.len()];
        let base = unknowns.design(&initial);
        let score = self.score(&base)?;
        self.retain_if_best(&base, score);
        let log_power = log_power(&base, &self.focus.illumination).value;
        // Unit of the cost: 1 dB, or the initial Φ.
        let unit = match cost {
            Cost::Distance => cost.of(&self.goals, &self.objective.pattern()).0,
            Cost::Minimax { .. } => 1.0,
        };
        let min_decrease = MIN_DECREASE * unit;
        let lbfgs = Lbfgs { memory: MEMORY, iterations, first_step: FIRST_STEP, min_decrease };
        let spacing_weight = SPACING_WEIGHT * unit;
        let mut search = Search {
            run: self,
            unknowns,
            cost,
            stage,
            log_power,
            spacing_weight,
            iterations: 0,
            design: base,
            best: None,
        };
        let end = lbfgs.minimize(initial, &mut search);
        // Even if the search was interrupted.
        if let Some((score, p)) = search.best.take() {
            search.run.retain_if_best(&search.unknowns.design(&p), score);
        }
        let end = end?;
        stage.advance(iterations.saturating_sub(search.iterations) as u64);
        let design = search.unknowns.design(&end.x);
        Ok((end, design))
    }
}

impl Search<'_, '_> {
    /// The cost plus the spacing penalty, with the requested gradients.
    fn evaluate(
        &mut self,
        design: &Design,
        derivatives: Derivatives,
    ) -> Result<Evaluation, ReflectarrayError> {
        self.run.progress.check()?;
        let goals = &self.run.goals;
        let cost = self.cost;
        // Fixed positions: no spacing penalty, and P_rad stays that of the initial design.
        let Some(bounds) = self.run.bounds.filter(|_| self.unknowns.map.is_some()) else {
            let mut cost = |pattern: &PatternView<'_>| cost.of(goals, pattern);
            let evaluation = self.run.objective.evaluate_with(design, &mut cost, derivatives)?;
            self.run.count();
            return Ok(evaluation);
        };
        // Costs depend on |E|²/P_rad only, so ∂C/∂ln P = −Σ |E|² ∂C/∂|E|².
        let power = log_power(design, &self.run.focus.illumination);
        let change = (self.log_power - power.value).exp();
        let mut power_derivative = 0.0;
        // P_rad follows the positions by the model of `log_power`, as its exact value is not part of the gradient.
        let mut with_power = |pattern: &PatternView<'_>| {
            // 4π/P_rad with the modeled change of P_rad since the start of the search.
            let scale: Vec<f64> = pattern.scale.iter().map(|scale| scale * change).collect();
            // The same pattern, seen with another scale.
            let (value, weights) = cost.of(goals, &PatternView { scale: &scale, ..*pattern });
            power_derivative = -weights.iter().zip(pattern.intensity).map(|(w, e)| w * e).sum::<f64>();
            (value, weights)
        };
        let mut evaluation = self.run.objective.evaluate_with(design, &mut with_power, derivatives)?;
        self.run.count();
        let spacing = bounds.tightened(SPACING_MARGIN).penalty(design);
        let weight = self.spacing_weight;
        evaluation.value += weight * spacing.value;
        let add = |g: &mut Vec<f64>, power: &[f64], spacing: &[f64]| {
            g.iter_mut()
                .zip(power)
                .zip(spacing)
                .for_each(|((g, p), s)| *g += power_derivative * p + weight * s);
        };
        add(&mut evaluation.x, &power.x, &spacing.x);
        add(&mut evaluation.y, &power.y, &spacing.y);
        Ok(evaluation)
    }

    /// Forward finite differences: (f(p + h e_i) − f(p))/h for each unknown.
    fn finite_differences(&mut self, p: &[f64], value: f64) -> Result<Vec<f64>, ReflectarrayError> {
        let mut moved = p.to_vec();
        let mut design = self.unknowns.design(p);
        let mut gradient = Vec::with_capacity(p.len());
        for i in 0..p.len() {
            // A single phase is changed in place: building a new design would take longer than its pattern on a GPU.
            let single = self.unknowns.phase_of(i).map(|n| (n, design.phase[n]));
            if let Some((n, phase)) = single {
                design.phase[n] = phase + DIFFERENCE_STEP;
            } else {
                moved[i] += DIFFERENCE_STEP;
                design = self.unknowns.design(&moved);
                // Restored: every difference starts from p.
                moved[i] = p[i];
            }
            gradient.push((self.evaluate(&design, Derivatives::None)?.value - value) / DIFFERENCE_STEP);
            if let Some((n, phase)) = single {
                design.phase[n] = phase;
            }
        }
        Ok(gradient)
    }
}

impl Function<ReflectarrayError> for Search<'_, '_> {
    fn at(&mut self, p: &[f64]) -> Result<(f64, Vec<f64>), ReflectarrayError> {
        // Taken out while it is evaluated; after an error there is no further evaluation.
        let mut design = std::mem::take(&mut self.design);
        self.unknowns.update(p, &mut design);
        let positions = self.unknowns.map.is_some();
        if self.run.problem.synthesis.gradient == Gradient::FiniteDifference {
            let value = self.evaluate(&design, Derivatives::None)?.value;
            self.design = design;
            return Ok((value, self.finite_differences(p, value)?));
        }
        let derivatives = if positions { Derivatives::PhaseAndPosition } else { Derivatives::Phase };
        let evaluation = self.evaluate(&design, derivatives)?;
        let (value, gradient) = (evaluation.value, self.unknowns.gradient(&design, evaluation));
        self.design = design;
        Ok((value, gradient))
    }

    fn accepted(&mut self, point: &Point) -> Result<(), ReflectarrayError> {
        self.iterations += 1;
        self.stage.advance(1);
        // The last pattern is that of this point, or of one near it if the line search returned to an earlier trial.
        let score = self.run.goals.score(&self.run.objective.pattern());
        self.run.record();
        // With moving positions the P_rad of the pattern is a model: such designs are scored after the search.
        let is_best = self.run.is_best(score) && self.best.as_ref().is_none_or(|(best, _)| score > *best);
        if self.unknowns.map.is_none() && is_best {
            let (best, p) = self.best.get_or_insert_default();
            *best = score;
            p.clone_from(&point.x);
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use crate::problem::{
        Element, Feed, FeedPattern, Lattice, Outputs, Placement, Problem, Region, Synthesis, UvGrid,
        UvPolygon,
    };

    /// 6 by 5 elements, a square coverage with an upper bound, and spacings some of which are out of bounds.
    pub fn problem() -> Problem {
        let ring = vec![[0.0, -0.1], [0.3, -0.1], [0.3, 0.2], [0.0, 0.2]];
        let polygons = vec![UvPolygon { rings: vec![ring] }];
        Problem {
            design: None,
            frequencies: vec![1e9, 1.1e9],
            feed: Feed {
                offset: 0.4,
                height: 1.0,
                pattern: FeedPattern::Cosine { power_exponent: 6.0 },
                polarization: 0.0,
            },
            element: Element { power_exponent: 1.0, reflection: None },
            lattice: Lattice { elements: [6, 5], spacing: [0.16, 0.16] },
            placement: Placement::Aperiodic { min_spacing: 0.14, max_spacing: 0.18 },
            focus: None,
            coverage: vec![Region { name: "square".into(), polygons, lower: None, upper: Some(17.0) }],
            outside: None,
            uv_grid: UvGrid { center: [0.15, 0.05], points: [14, 14], spacing: 0.03 },
            synthesis: Synthesis::default(),
            outputs: Outputs::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::problem;
    use super::*;
    use crate::checkpoint::{Checkpoint, SynthesisStage};
    use crate::study::prepare;
    use crate::synthesis::position_map::PositionMap;
    use crate::synthesis::zernike::Modes;
    use phasefront_core::Progress;
    use phasefront_device::Backend;

    #[test]
    fn gradients_in_the_unknowns_agree_with_differences() {
        let study = prepare(problem()).unwrap();
        let progress = Progress::silent();
        let state = Checkpoint::new(SynthesisStage::Start);
        let mut run = Run::new(&study, &Backend::Cpu, &progress, state).unwrap();
        let mut base = study.problem.initial_design();
        base.x[7] += 0.03; // Beyond the bounds: the penalty is active.
        let modes = Modes::new(&base.x, &base.y, 3);
        let map = PositionMap::new(&base.index, 2);
        let stage = progress.stage("test", None, "evaluations");
        for cost in [Cost::Distance, Cost::Minimax { sharpness: 2.0 }] {
            for modes in [None, Some((&modes, 9))] {
                for map in [None, Some(&map)] {
                    let focus = run.focus.clone();
                    run.score(&base).unwrap();
                    let unknowns = Unknowns::new(focus.clone(), &base, modes, map);
                    let log_power = log_power(&base, &focus.illumination).value;
                    let p: Vec<f64> = (0..unknowns.len()).map(|i| 0.02 * (3.0 * i as f64).sin()).collect();
                    let mut search = Search {
                        run: &mut run,
                        unknowns,
                        cost,
                        stage: &stage,
                        log_power,
                        spacing_weight: SPACING_WEIGHT,
                        iterations: 0,
                        design: base.clone(),
                        best: None,
                    };
                    let (_, exact) = search.at(&p).unwrap();
                    let largest = exact.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
                    for i in 0..p.len() {
                        let mut value = |h: f64| {
                            let mut moved = p.clone();
                            moved[i] += h;
                            search.at(&moved).unwrap().0
                        };
                        let difference = (value(1e-5) - value(-1e-5)) / 2e-5;
                        let error = (difference - exact[i]).abs() / largest;
                        assert!(error < 1e-6, "{cost:?} {i}: {difference} {}", exact[i]);
                    }
                }
            }
        }
    }
}
