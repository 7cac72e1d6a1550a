//! One local search of a synthesis: a cost, the unknowns, L-BFGS; and the record of what it finds.

use crate::checkpoint::{Checkpoint, Rated};
use crate::cost::{Cost, Goals};
use crate::error::ReflectarrayError;
use crate::mask::Mask;
use crate::objective::{Evaluation, Objective, PatternView, Wanted};
use crate::optimize::{Function, Lbfgs, Point};
use crate::presynthesis::Cloud;
use crate::problem::{Design, Gradient, HistoryRow, Problem};
use crate::spacing::{Bounds, log_power};
use crate::unknowns::{Focus, Unknowns};
use phasefront_core::{Progress, Stage};
use std::io;
use std::time::{Duration, Instant};

/// How often the state is saved within a stage.
const SAVE_EVERY: Duration = Duration::from_secs(5);
/// Pairs L-BFGS keeps: more than the usual handful, for the minimax costs are ill-conditioned and pairs are cheap beside a pattern.
const MEMORY: usize = 20;
/// Largest component of the first step, rad.
const FIRST_STEP: f64 = 0.05;
/// A step of forward differences, rad: the root of the rounding error of a sum over thousands of elements.
const DIFFERENCE: f64 = 1e-6;
/// Decrease over ten iterations that ends a search, as a share of a dB, or of Φ where it began.
const LEAST_DECREASE: f64 = 1e-4;
/// Weight of the spacing's penalty against a cost in dB, or against Φ as a share of where it began; the bounds it keeps are drawn in, so
/// that what gives way stays within. Too much of it makes the searches stiff: on 44 by 44 elements over North America a hundred times as much
/// cost 0.4 dB of D_min (with positions in units of a wavelength).
const SPACING_WEIGHT: f64 = 3.0;
/// By how much they are drawn in, as a share of their width.
pub(crate) const SPACING_EDGE: f64 = 0.01;

/// What all stages share.
pub(crate) struct Run<'a> {
    pub problem: &'a Problem,
    pub objective: Objective,
    pub goals: Goals,
    /// The mask of the case, which histories refer to; that of the objective moves with its targets.
    pub asked: Mask,
    pub focus: Focus,
    /// Where power should go, with the weights asked for.
    pub target: Cloud,
    /// The level that power spread evenly over the coverage would give, dBi.
    pub attainable: f64,
    pub bounds: Option<Bounds>,
    pub progress: &'a Progress,
    pub save: &'a mut dyn FnMut(&Checkpoint) -> io::Result<()>,
    pub state: Checkpoint,
    pub saved: Instant,
}

/// One local search.
pub(crate) struct Search<'r, 'a> {
    pub run: &'r mut Run<'a>,
    pub unknowns: Unknowns<'r>,
    pub cost: Cost,
    pub stage: &'r Stage<'r>,
    /// ln Q (see [`log_power`]) where P_rad was last computed.
    log_power: f64,
    /// What the spacing's penalty is multiplied with.
    spacing_weight: f64,
    /// Iterations so far.
    iterations: usize,
}

impl Run<'_> {
    /// Writes the state, whatever comes of it: a full disk is no reason to throw the work away.
    pub fn save(&mut self) {
        self.saved = Instant::now();
        if let Err(error) = (self.save)(&self.state) {
            self.progress.warn(&format!("the state of the synthesis could not be saved: {error}"));
        }
    }

    /// Computes P_rad and the pattern of a design anew, and says what it is worth.
    pub fn rate(&mut self, design: &Design) -> Result<f64, ReflectarrayError> {
        self.progress.check()?;
        self.objective.update_power(design)?;
        let goals = &self.goals;
        let mut score = f64::NAN;
        let mut cost = |pattern: &PatternView<'_>| {
            score = goals.score(pattern);
            (score, Vec::new())
        };
        self.objective.evaluate_with(design, &mut cost, Wanted::None)?;
        self.state.evaluations += 1;
        Ok(score)
    }

    /// Keeps a design if it is better than the best, whose worth is computed anew too: while a search is under way P_rad is that of its
    /// start.
    pub fn consider(&mut self, design: &Design) -> Result<f64, ReflectarrayError> {
        if let Some(mut best) = self.state.best.take() {
            let score = self.rate(&best.design);
            best.score = *score.as_ref().unwrap_or(&best.score);
            self.state.best = Some(best);
            score?;
        }
        let score = self.rate(design)?;
        self.keep(design, score);
        Ok(score)
    }

    /// Adds the last pattern to the history, and tells it.
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

    /// Φ of the last pattern under the mask of the case, in directivities: one scale for all stages and for the result.
    pub fn distance(&self) -> f64 {
        Cost::Distance.of(&self.goals, &PatternView { mask: &self.asked, ..self.objective.pattern() }).0
    }

    fn keep(&mut self, design: &Design, score: f64) {
        let allowed = self.bounds.is_none_or(|bounds| bounds.hold(design));
        if allowed && self.state.best.as_ref().is_none_or(|best| score > best.score) {
            self.state.best = Some(Rated { score, design: design.clone() });
        }
    }

    /// Goes downhill from a design; returns where it ends and the cost there.
    pub fn descend(
        &mut self,
        unknowns: Unknowns<'_>,
        cost: Cost,
        iterations: usize,
        stage: &Stage<'_>,
    ) -> Result<(Point, Design), ReflectarrayError> {
        let start = vec![0.0; unknowns.len()];
        let base = unknowns.design(&start);
        let score = self.rate(&base)?;
        self.keep(&base, score);
        let log_power = log_power(&base, &self.focus.illumination).value;
        // What one is as a share of it: a dB, or Φ here.
        let unit = match cost {
            Cost::Distance => cost.of(&self.goals, &self.objective.pattern()).0,
            Cost::Margin { .. } => 1.0,
        };
        let least_decrease = LEAST_DECREASE * unit;
        let lbfgs = Lbfgs { memory: MEMORY, iterations, first_step: FIRST_STEP, least_decrease };
        let spacing_weight = SPACING_WEIGHT * unit;
        let mut search =
            Search { run: self, unknowns, cost, stage, log_power, spacing_weight, iterations: 0 };
        let end = lbfgs.minimize(start, &mut search)?;
        stage.advance(iterations.saturating_sub(search.iterations) as u64);
        let design = search.unknowns.design(&end.x);
        Ok((end, design))
    }
}

impl Search<'_, '_> {
    /// The cost with the penalty of the spacing, and the gradients asked for.
    fn evaluate(&mut self, design: &Design, wanted: Wanted) -> Result<Evaluation, ReflectarrayError> {
        self.run.progress.check()?;
        let goals = &self.run.goals;
        let cost = self.cost;
        let Some(bounds) = self.run.bounds.filter(|_| self.unknowns.map.is_some()) else {
            let mut cost = |pattern: &PatternView<'_>| cost.of(goals, pattern);
            let evaluation = self.run.objective.evaluate_with(design, &mut cost, wanted)?;
            self.count();
            return Ok(evaluation);
        };
        // Costs depend on |E|²/P alone, so ∂C/∂ln P = −Σ |E|² ∂C/∂|E|².
        let power = log_power(design, &self.run.focus.illumination);
        let change = (self.log_power - power.value).exp();
        let mut slope = 0.0;
        let mut with_power = |pattern: &PatternView<'_>| {
            let scale: Vec<f64> = pattern.scale.iter().map(|scale| scale * change).collect();
            let (value, weights) = cost.of(goals, &PatternView { scale: &scale, ..*pattern });
            slope = -weights.iter().zip(pattern.intensity).map(|(w, e)| w * e).sum::<f64>();
            (value, weights)
        };
        let mut evaluation = self.run.objective.evaluate_with(design, &mut with_power, wanted)?;
        self.count();
        let spacing = bounds.within(SPACING_EDGE).penalty(design);
        let weight = self.spacing_weight;
        evaluation.value += weight * spacing.value;
        let add = |g: &mut Vec<f64>, power: &[f64], spacing: &[f64]| {
            g.iter_mut().zip(power).zip(spacing).for_each(|((g, p), s)| *g += slope * p + weight * s);
        };
        add(&mut evaluation.x, &power.x, &spacing.x);
        add(&mut evaluation.y, &power.y, &spacing.y);
        Ok(evaluation)
    }

    fn count(&mut self) {
        self.run.state.evaluations += 1;
    }

    /// Forward differences: (f(p + h e_i) − f(p))/h for each unknown.
    fn differences(&mut self, p: &[f64], value: f64) -> Result<Vec<f64>, ReflectarrayError> {
        let mut moved = p.to_vec();
        let mut design = self.unknowns.design(p);
        let mut gradient = Vec::with_capacity(p.len());
        for i in 0..p.len() {
            // One phase by itself needs no new design, whose making would take longer than its pattern on a GPU.
            let single = self.unknowns.phase_of(i).map(|n| (n, design.phase[n]));
            if let Some((n, phase)) = single {
                design.phase[n] = phase + DIFFERENCE;
            } else {
                moved[i] += DIFFERENCE;
                design = self.unknowns.design(&moved);
                moved[i] = p[i];
            }
            gradient.push((self.evaluate(&design, Wanted::None)?.value - value) / DIFFERENCE);
            if let Some((n, phase)) = single {
                design.phase[n] = phase;
            }
        }
        Ok(gradient)
    }
}

impl Function<ReflectarrayError> for Search<'_, '_> {
    fn at(&mut self, p: &[f64]) -> Result<(f64, Vec<f64>), ReflectarrayError> {
        let design = self.unknowns.design(p);
        let positions = self.unknowns.map.is_some();
        if self.run.problem.synthesis.gradient == Gradient::FiniteDifference {
            let value = self.evaluate(&design, Wanted::None)?.value;
            return Ok((value, self.differences(p, value)?));
        }
        let wanted = if positions { Wanted::PhaseAndPosition } else { Wanted::Phase };
        let evaluation = self.evaluate(&design, wanted)?;
        Ok((evaluation.value, self.unknowns.pull_back(&design, &evaluation)))
    }

    fn moved(&mut self, point: &Point) -> Result<(), ReflectarrayError> {
        self.iterations += 1;
        self.stage.advance(1);
        let design = self.unknowns.design(&point.x);
        // The last pattern is that of this point, or of one near it where the line search settled for an earlier one.
        let score = self.run.goals.score(&self.run.objective.pattern());
        self.run.record();
        if self.unknowns.map.is_none() {
            self.run.keep(&design, score);
        }
        if self.run.saved.elapsed() > SAVE_EVERY {
            self.run.save();
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use crate::problem::{
        Element, Extras, Feed, Lattice, Placement, Problem, Region, Synthesis, UvPolygon, Window,
    };

    /// 6 by 5 elements, a square coverage with an upper bound, and spacings some of which are out of bounds.
    pub fn problem() -> Problem {
        let ring = vec![[0.0, -0.1], [0.3, -0.1], [0.3, 0.2], [0.0, 0.2]];
        let polygons = vec![UvPolygon { rings: vec![ring] }];
        Problem {
            design: None,
            frequencies: vec![1e9, 1.1e9],
            feed: Feed { offset: 0.4, height: 1.0, exponent: 3.0, polarization: 0.0 },
            element: Element { exponent: 1.0, reflection: None },
            lattice: Lattice { elements: [6, 5], spacing: [0.16, 0.16] },
            placement: Placement::Aperiodic { min_spacing: 0.14, max_spacing: 0.18 },
            focus: None,
            coverage: vec![Region { name: "square".into(), polygons, lower: None, upper: Some(17.0) }],
            outside: None,
            window: Window { center: [0.15, 0.05], samples: [14, 14], step: 0.03 },
            synthesis: Synthesis::default(),
            extras: Extras::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::problem;
    use super::*;
    use crate::positions::PositionMap;
    use crate::problem::prepare;
    use crate::zernike::Modes;
    use phasefront_device::Backend;

    #[test]
    fn gradients_in_the_unknowns_agree_with_differences() {
        let study = prepare(problem()).unwrap();
        let progress = Progress::silent();
        let mut save = |_: &Checkpoint| Ok(());
        let mut run = study.run(&Backend::Cpu, &progress, None, &mut save).unwrap();
        let mut base = study.problem.start();
        base.x[7] += 0.03; // Beyond the bounds: the penalty is felt.
        let modes = Modes::new(&base.x, &base.y, 3);
        let map = PositionMap::new(&base.index, 2);
        let stage = progress.stage("test", None, "evaluations");
        for cost in [Cost::Distance, Cost::Margin { sharpness: 2.0 }] {
            for modes in [None, Some((&modes, 9))] {
                for map in [None, Some(&map)] {
                    let focus = run.focus;
                    run.rate(&base).unwrap();
                    let unknowns = Unknowns::new(focus, &base, modes, map);
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
