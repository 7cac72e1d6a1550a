//! Alternating projections, the baseline method: the Gerchberg-Saxton iteration of phase retrieval as the intersection approach of
//! O. M. Bucci, G. Franceschetti, G. Mazzarella and G. Panariello (IEE Proc. H 137 (1990), 349-357), with the continuation of
//! J. A. Zornoza and J. A. Encinar (Int. J. RF Microw. CAE 14 (2004), 415-423): the method stagnates in local minima, so the array
//! grows and the feed leaves the axis in steps.
//!
//! The first projection clips |E| to the mask. The least-squares excitations of the change δE are, on a lattice,
//!
//! ```text
//! δa_n = (Δu Δv d_x d_y/λ²) Σ g δE e^{−jβ(u x_n + v y_n)}
//! ```
//!
//! The second projection takes the phase of a_n + δa_n and the amplitude of the illumination. The method does not treat positions; free
//! positions are initially spaced uniformly and as wide as allowed, and between projections follow steepest-descent steps of the distance
//! to the projected field, Σ (√D − √𝒫D)², in the coefficients of the position map and within the spacing bounds. Steps that do not decrease
//! the distance are rejected.

use super::coordinator::Coordinator;
use super::position_map::PositionMap;
use super::run::{Run, SPACING_MARGIN};
use super::unknowns::{Focus, Unknowns};
use crate::checkpoint::SynthesisStage;
use crate::error::ReflectarrayError;
use crate::evaluation::Derivatives;
use crate::illumination::Illumination;
use crate::objective::{Objective, PatternView};
use crate::problem::{Design, Feed, Problem};
use phasefront_core::Stage;
use phasefront_device::Backend;

/// Continuation steps; the last has the full array with its feed in position.
const STEPS: usize = 8;
/// Fraction of the elements along each side at the first step.
const FIRST_SHARE: f64 = 0.4;
/// Projections between two steps of the positions.
const PROJECTIONS_PER_STEP: usize = 4;
/// Factors of the step length after an accepted and after a rejected step.
const STEP_FACTORS: [f64; 2] = [1.5, 0.4];
/// Rounds with the full array, each with an updated target and P_rad.
const ROUNDS: usize = 8;

impl Coordinator<'_> {
    /// From the focused beam of a small array to the contoured beam of the full one.
    pub fn alternate_projections(&mut self) -> Result<(), ReflectarrayError> {
        let iterations = self.run.problem.synthesis.element_iterations.div_ceil(STEPS + ROUNDS);
        let total = (iterations * (STEPS + ROUNDS)) as u64;
        let progress = self.run.progress;
        let stage = progress.stage(SynthesisStage::Projections.name(), Some(total), "iterations");
        let full = self.run.widest();
        // Resumed runs have the full array already: the continuation is not repeated.
        if self.run.state.designs.is_empty() {
            self.run.grow(&full, self.backend, iterations, &stage)?;
            self.save();
        } else {
            stage.advance((iterations * (STEPS + self.run.state.round)) as u64);
        }
        let map = self.run.position_map(&self.run.state.designs[0], usize::MAX);
        let mut objective = self.run.objective.clone();
        for _ in self.run.state.round..ROUNDS {
            self.run.project(&mut objective, &full, map.as_ref(), iterations, &stage)?;
            self.run.state.history.last().into_iter().for_each(|row| self.report(row, 0));
            self.end_round();
        }
        Ok(())
    }
}

impl Run<'_> {
    /// One round with the full array.
    fn project(
        &mut self,
        objective: &mut Objective,
        full: &Problem,
        map: Option<&PositionMap>,
        iterations: usize,
        stage: &Stage<'_>,
    ) -> Result<(), ReflectarrayError> {
        let mut design = self.state.designs[0].clone();
        let mut remaining = iterations;
        while remaining > 0 {
            // Positions move every few projections;
            // without free positions a round is one block.
            let count = if map.is_some() { remaining.min(PROJECTIONS_PER_STEP) } else { remaining };
            self.iterate(objective, full, &mut design, count, stage)?;
            if let Some(map) = map {
                let step = self.state.position_step;
                self.state.position_step = step * self.step_positions(objective, &mut design, map, step)?;
            }
            remaining -= count;
        }
        self.update_best(&design)?;
        self.record();
        self.state.designs[0] = design;
        Ok(())
    }

    /// The continuation: the array grows, and the feed leaves the axis.
    fn grow(
        &mut self,
        full: &Problem,
        backend: &Backend,
        iterations: usize,
        stage: &Stage<'_>,
    ) -> Result<(), ReflectarrayError> {
        let mut previous: Option<(Vec<f64>, [usize; 2])> = None;
        for step in 0..STEPS {
            let problem = continuation_problem(full, (step + 1) as f64 / STEPS as f64);
            let focus = Focus::new(&problem, self.focus.center);
            let mut objective = Objective::new(&problem, backend)?;
            let mut design = problem.lattice.design();
            // The last phases relative to the focus are smooth: they extend to the larger array,
            // and the new focus is added.
            design.phase = extended_phases(&design, previous.as_ref());
            add_focus(&mut design, &focus);
            // Two halves, since targets are updated at the start of each.
            for half in [iterations / 2, iterations - iterations / 2] {
                self.iterate(&mut objective, &problem, &mut design, half, stage)?;
            }
            previous = Some((focus.residual(&design), problem.lattice.elements));
            if step + 1 == STEPS {
                self.state.designs = vec![design];
            }
        }
        Ok(())
    }

    /// The problem with the widest allowed lattice spacing.
    fn widest(&self) -> Problem {
        let mut problem = self.problem.clone();
        if let Some(bounds) = self.bounds {
            problem.lattice.spacing = [bounds.tightened(SPACING_MARGIN).max; 2];
        }
        problem
    }

    /// One step of the positions; returns the factor of the next step length.
    fn step_positions(
        &mut self,
        objective: &mut Objective,
        design: &mut Design,
        map: &PositionMap,
        length: f64,
    ) -> Result<f64, ReflectarrayError> {
        objective.update_power(design)?;
        let evaluation =
            objective.evaluate_with(design, &mut field_distance, Derivatives::PhaseAndPosition)?;
        let before = evaluation.value;
        // Focus included: moved elements keep their phase relative to it.
        let unknowns = Unknowns::new(self.focus.clone(), design, None, Some(map));
        let mut direction = unknowns.gradient(design, evaluation);
        // Phases are the task of the projections: only the position coefficients move.
        direction[..design.len()].fill(0.0);
        // The largest component takes the step length:
        // gradients of different problems are not comparable.
        let largest = direction.iter().fold(f64::MIN_POSITIVE, |m, d| m.max(d.abs()));
        for d in &mut direction {
            *d *= -length / largest;
        }
        let mut moved = unknowns.design(&direction);
        self.enforce_spacing(&mut moved);
        objective.update_power(&moved)?;
        let value = objective.evaluate_with(&moved, &mut field_distance, Derivatives::None)?.value;
        self.state.evaluations += 2;
        let accepted = value < before;
        if accepted {
            *design = moved;
        }
        Ok(STEP_FACTORS[usize::from(!accepted)])
    }

    /// Alternating projections; the target of regions without a lower bound is halfway between minimum and mean.
    fn iterate(
        &mut self,
        objective: &mut Objective,
        problem: &Problem,
        design: &mut Design,
        iterations: usize,
        stage: &Stage<'_>,
    ) -> Result<(), ReflectarrayError> {
        let area = problem.lattice.spacing[0] * problem.lattice.spacing[1] / problem.wavelength().powi(2);
        // Least-squares factor of the lattice; frequencies are averaged.
        let scale = area * problem.uv_grid.spacing.powi(2) / problem.frequencies.len() as f64;
        let illumination = Illumination::new(&problem.feed, problem.frequencies[0]);
        objective.update_power(design)?;
        let mut weights = Vec::new();
        for iteration in 0..iterations {
            self.progress.check()?;
            let mut clip = |pattern: &PatternView<'_>| {
                weights = clipped(pattern);
                (0.0, Vec::new())
            };
            // The cost is not used: only the pattern and its projection.
            objective.evaluate_with(design, &mut clip, Derivatives::None)?;
            if iteration == 0 {
                let all = objective.figures().all;
                for (i, _) in problem.coverage.iter().enumerate().filter(|(_, region)| region.lower.is_none())
                {
                    // The target rises with the pattern: fixed targets out of reach make the iteration stagnate.
                    objective.set_lower_bound(i, 0.5 * (all.d_min + all.d_mean));
                }
                weights = clipped(&objective.pattern());
            }
            self.state.evaluations += 1;
            stage.advance(1);
            let back = objective.back_projection(&weights)?;
            for (n, b) in back.iter().enumerate() {
                // a + δa = a (1 + c (a S)*/|a|²)
                let amplitude = illumination.amplitude(design.x[n], design.y[n]);
                // An element in a null of the feed has no field to change.
                if amplitude > 0.0 {
                    design.phase[n] += (1.0 + scale * b.conj() / (amplitude * amplitude)).arg();
                }
            }
        }
        Ok(())
    }
}

/// √(𝒫D/D) − 1: the relative change of |E| by the projection onto the mask.
fn clipped(pattern: &PatternView<'_>) -> Vec<f64> {
    let of = |(intensity, scale): (&[f64], f64)| -> Vec<f64> {
        let bounds = pattern.mask.lower.iter().zip(&pattern.mask.upper);
        let ratio = |(e, (lower, upper)): (&f64, (&f64, &f64))| {
            // Nulls: the ratio stays finite, and the clamp sets the level.
            let d = (e * scale).max(f64::MIN_POSITIVE);
            (d.clamp(*lower, *upper) / d).sqrt() - 1.0
        };
        intensity.iter().zip(bounds).map(ratio).collect()
    };
    pattern.frequencies().flat_map(of).collect()
}

/// Σ (√D − √𝒫D)² and its derivatives with respect to |E|², with w = √(𝒫D/D) − 1: w² D and −w 4π/P_rad.
fn field_distance(pattern: &PatternView<'_>) -> (f64, Vec<f64>) {
    let mut weights = clipped(pattern);
    let samples = pattern.mask.lower.len();
    let mut value = 0.0;
    for (i, (w, e)) in weights.iter_mut().zip(pattern.intensity).enumerate() {
        let scale = pattern.scale[i / samples];
        value += *w * *w * e * scale;
        *w *= -scale;
    }
    (value, weights)
}

/// The problem at a fraction of the continuation: fewer elements, and the feed nearer to the axis at the same distance.
fn continuation_problem(problem: &Problem, share: f64) -> Problem {
    let mut problem = problem.clone();
    let first = 1.0 / STEPS as f64;
    let side = FIRST_SHARE + (1.0 - FIRST_SHARE) * (share - first) / (1.0 - first);
    // The parity of the sides is preserved, so that elements stay on the same lattice.
    // Removed in pairs, one at each end.
    problem.lattice.elements =
        problem.lattice.elements.map(|n| n - 2 * ((1.0 - side) * n as f64 / 2.0) as usize);
    let Feed { offset, height, .. } = problem.feed;
    let angle = offset.atan2(height) * (share - first) / (1.0 - first);
    let distance = offset.hypot(height);
    (problem.feed.offset, problem.feed.height) = (distance * angle.sin(), distance * angle.cos());
    problem
}

/// Phases relative to the focus for a larger array: those of the smaller one, extended by its edge values.
fn extended_phases(design: &Design, previous: Option<&(Vec<f64>, [usize; 2])>) -> Vec<f64> {
    let Some((zeta, [nx, ny])) = previous else { return vec![0.0; design.len()] };
    let shape = design.shape();
    let old = |i: usize, new: usize, old: usize| (i.saturating_sub((new - old) / 2)).min(old - 1);
    design.index.iter().map(|i| zeta[old(i[0], shape[0], *nx) + nx * old(i[1], shape[1], *ny)]).collect()
}

fn add_focus(design: &mut Design, focus: &Focus) {
    let positions = design.x.iter().zip(&design.y);
    design.phase.iter_mut().zip(positions).for_each(|(phase, (&x, &y))| *phase += focus.phase(x, y));
}
