//! Phase quantization: rounding with the best common phase offset, then coordinate descent over the elements.
//!
//! A step of one element is a rank-one update of the field,
//!
//! ```text
//! E ← E + (e^{jψ'} − e^{jψ}) g f_n e^{jβ(u x_n + v y_n)}
//! ```
//!
//! so that a trial needs no transform, only the samples with a requirement. P_rad is held fixed during a sweep over the elements; the
//! result of a sweep is accepted only if its score with the updated P_rad is better.

use super::run::Run;
use crate::checkpoint::Rated;
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::objective::PatternView;
use crate::problem::{Design, Problem};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use std::f64::consts::TAU;

/// Common phase offsets tried: they affect the pattern only through the rounding.
const OFFSETS: u32 = 16;
/// Maximum sweeps over the elements; they end when one brings no improvement.
const MAX_SWEEPS: usize = 8;
/// Cost of the coordinate descent: a minimum smooth enough to depend on more than one sample.
const DESCENT_COST: Cost = Cost::Minimax { sharpness: 8.0 };

impl Run<'_> {
    /// Quantizes the phases of a design to 2^`bits` levels.
    pub fn quantize(&mut self, design: &Design, bits: u32) -> Result<Design, ReflectarrayError> {
        let rounded = self.rounded(design, bits)?;
        Ok(self.refined(rounded, bits)?.design)
    }

    /// The best rounding over the common phase offsets.
    fn rounded(&mut self, design: &Design, bits: u32) -> Result<Rated, ReflectarrayError> {
        let step = TAU / f64::from(bits).exp2();
        let mut best: Option<Rated> = None;
        for offset in 0..OFFSETS {
            let mut rounded = design.clone();
            let shift = step * f64::from(offset) / f64::from(OFFSETS);
            // A common phase does not change the pattern, but it changes the rounding.
            rounded.phase.iter_mut().for_each(|phase| *phase = (*phase + shift).rem_euclid(TAU));
            rounded.quantize(bits);
            let score = self.score(&rounded)?;
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Rated { score, design: rounded });
            }
        }
        Ok(best.unwrap_or_else(|| Rated { score: f64::NEG_INFINITY, design: design.clone() }))
    }

    /// Coordinate descent over the elements, one quantization step up or down at a time; never worse than `best`.
    fn refined(&mut self, mut best: Rated, bits: u32) -> Result<Rated, ReflectarrayError> {
        let step = TAU / f64::from(bits).exp2();
        for _ in 0..MAX_SWEEPS {
            let mut design = best.design.clone();
            // The objective must hold the field of this design: the increments start from it.
            self.score(&design)?;
            let mut incremental = IncrementalPattern::new(self)?;
            for n in 0..design.len() {
                self.progress.check()?;
                // The exponentials of an element serve both trial steps.
                let columns = incremental.columns(&design, n);
                // One step up or down: further levels follow in later sweeps.
                for change in [step, -step] {
                    if incremental.try_step(self, &columns, design.phase[n], change) {
                        design.phase[n] += change;
                        break;
                    }
                }
            }
            let score = self.score(&design)?;
            // With the updated P_rad, which was fixed during the sweep.
            if score <= best.score {
                break;
            }
            best = Rated { score, design };
        }
        Ok(best)
    }
}

/// A pattern updated for single elements, at the samples with a requirement.
struct IncrementalPattern {
    /// u and v of the samples, and the element pattern g there.
    samples: Vec<([f64; 2], Complex64)>,
    /// Their indices in the window.
    index: Vec<usize>,
    /// Samples of the whole window.
    uv_grid: usize,
    frequencies: Vec<(f64, Illumination)>,
    /// E at the samples, one frequency after another.
    field: Vec<Complex64>,
    /// |E|² on the whole grid, for costs.
    intensity: Vec<f64>,
    cost: f64,
}

impl IncrementalPattern {
    /// The pattern that was scored last.
    fn new(run: &Run<'_>) -> Result<Self, ReflectarrayError> {
        let Problem { uv_grid, frequencies, feed, element, .. } = run.problem;
        let (u, v, g) = (uv_grid.u(), uv_grid.v(), element.fields(uv_grid));
        let index = run.goals.samples();
        let mut field = Vec::new();
        for f in 0..frequencies.len() {
            let whole = run.objective.field(f)?;
            field.extend(index.iter().map(|&i| whole[i]));
        }
        let pattern = run.objective.pattern();
        Ok(Self {
            samples: index.iter().map(|&i| ([u[i % u.len()], v[i / u.len()]], g[i])).collect(),
            uv_grid: g.len(),
            frequencies: frequencies.iter().map(|&f| (wavenumber(f), Illumination::new(feed, f))).collect(),
            field,
            intensity: pattern.intensity.to_vec(),
            cost: DESCENT_COST.of(&run.goals, &pattern).0,
            index,
        })
    }

    /// g f_n e^{jβ(u x_n + v y_n)} at the samples, one frequency after another.
    fn columns(&self, design: &Design, n: usize) -> Vec<Complex64> {
        let (x, y) = (design.x[n], design.y[n]);
        let of = |(beta, illumination): &(f64, Illumination)| {
            let (beta, f) = (*beta, illumination.at(x, y).value);
            self.samples.iter().map(move |([u, v], g)| g * f * Complex64::cis(beta * (u * x + v * y)))
        };
        self.frequencies.iter().flat_map(of).collect()
    }

    /// Changes the phase of one element, if that lowers the cost.
    fn try_step(&mut self, run: &Run<'_>, columns: &[Complex64], phase: f64, step: f64) -> bool {
        // A rank-one update: only the phasor of this element changes.
        let change = Complex64::cis(phase + step) - Complex64::cis(phase);
        self.add(columns, change);
        let pattern = PatternView { intensity: &self.intensity, ..run.objective.pattern() };
        let cost = DESCENT_COST.of(&run.goals, &pattern).0;
        let better = cost < self.cost;
        if better {
            self.cost = cost;
        } else {
            // Undone by the opposite update; its rounding
            // error is far below that of a quantization step.
            self.add(columns, -change);
        }
        better
    }

    fn add(&mut self, columns: &[Complex64], change: Complex64) {
        let count = self.index.len();
        for (i, (e, column)) in self.field.iter_mut().zip(columns).enumerate() {
            *e += change * column;
            self.intensity[i / count * self.uv_grid + self.index[i % count]] = e.norm_sqr();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{Checkpoint, SynthesisStage};
    use crate::study::prepare;
    use crate::synthesis::search::testing::problem;
    use phasefront_core::Progress;
    use phasefront_device::Backend;

    #[test]
    fn single_steps_are_never_worse_than_rounding_and_help() {
        let study = prepare(problem()).unwrap();
        let progress = Progress::silent();
        let state = Checkpoint::new(SynthesisStage::Start);
        let mut run = Run::new(&study, &Backend::Cpu, &progress, state).unwrap();
        let design = study.problem.initial_design();
        let mut gain = 0.0;
        for bits in 1..=4 {
            let rounded = run.rounded(&design, bits).unwrap();
            let refined = run.refined(rounded.clone(), bits).unwrap();
            assert!(refined.score >= rounded.score, "{bits} bits: {} {}", refined.score, rounded.score);
            gain += refined.score - rounded.score;
            // The reported score is that of the design.
            assert_eq!(run.score(&refined.design).unwrap(), refined.score);
            let steps = refined.design.phase.iter().map(|phase| phase / (TAU / f64::from(bits).exp2()));
            assert!(steps.into_iter().all(|steps| (steps - steps.round()).abs() < 1e-9));
        }
        assert!(gain > 0.1, "{gain}");
    }

    #[test]
    fn rank_one_updates_agree_with_the_pattern() {
        let study = prepare(problem()).unwrap();
        let progress = Progress::silent();
        let state = Checkpoint::new(SynthesisStage::Start);
        let mut run = Run::new(&study, &Backend::Cpu, &progress, state).unwrap();
        let mut design = study.problem.initial_design();
        run.score(&design).unwrap();
        let mut incremental = IncrementalPattern::new(&run).unwrap();
        for n in [3, 17] {
            let columns = incremental.columns(&design, n);
            incremental
                .add(&columns, Complex64::cis(design.phase[n] + 0.7) - Complex64::cis(design.phase[n]));
            design.phase[n] += 0.7;
        }
        run.score(&design).unwrap();
        let expected = run.objective.pattern().intensity;
        let largest = expected.iter().copied().fold(0.0, f64::max);
        for f in 0..2 {
            for &i in &incremental.index {
                let (got, expected) = (
                    incremental.intensity[f * incremental.uv_grid + i],
                    expected[f * incremental.uv_grid + i],
                );
                assert!((got - expected).abs() < 1e-8 * largest, "{f} {i}: {got} {expected}");
            }
        }
    }
}
