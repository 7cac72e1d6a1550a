//! Phases in steps: rounded with the common phase that harms least, then improved element by element.
//!
//! One element's step changes the field by a rank-one update,
//!
//! ```text
//! E ← E + (e^{jψ'} − e^{jψ}) g f_n e^{jβ(u x_n + v y_n)}
//! ```
//!
//! so that a trial costs no transform, only the samples that something is asked of. P_rad is held during a sweep over the elements; the
//! design of a sweep counts only if it is better with its own.

use crate::checkpoint::Rated;
use crate::cost::Cost;
use crate::error::ReflectarrayError;
use crate::illumination::Illumination;
use crate::objective::PatternView;
use crate::problem::{Design, Problem};
use crate::search::Run;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use std::f64::consts::TAU;

/// Common phases that are tried: they leave the pattern alone but for the rounding.
const OFFSETS: u32 = 16;
/// Most sweeps over the elements; they end by themselves when one gains nothing.
const SWEEPS: usize = 8;
/// What single steps are judged by: a minimum soft enough to hear of more than one sample.
const JUDGE: Cost = Cost::Margin { sharpness: 8.0 };

impl Run<'_> {
    /// The phases of a design in 2^`bits` steps.
    pub fn quantize(&mut self, design: &Design, bits: u32) -> Result<Design, ReflectarrayError> {
        let rounded = self.rounded(design, bits)?;
        Ok(self.refined(rounded, bits)?.design)
    }

    /// The best rounding over the common phases.
    fn rounded(&mut self, design: &Design, bits: u32) -> Result<Rated, ReflectarrayError> {
        let step = TAU / f64::from(bits).exp2();
        let mut best: Option<Rated> = None;
        for offset in 0..OFFSETS {
            let mut rounded = design.clone();
            let shift = step * f64::from(offset) / f64::from(OFFSETS);
            rounded.phase.iter_mut().for_each(|phase| *phase = (*phase + shift).rem_euclid(TAU));
            rounded.quantize(bits);
            let score = self.rate(&rounded)?;
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Rated { score, design: rounded });
            }
        }
        Ok(best.unwrap_or_else(|| Rated { score: f64::NEG_INFINITY, design: design.clone() }))
    }

    /// Coordinate descent over the elements, one step up or down at a time; never worse than what it begins with.
    fn refined(&mut self, mut best: Rated, bits: u32) -> Result<Rated, ReflectarrayError> {
        let step = TAU / f64::from(bits).exp2();
        for _ in 0..SWEEPS {
            let mut design = best.design.clone();
            self.rate(&design)?;
            let mut live = Live::new(self)?;
            for n in 0..design.len() {
                self.progress.check()?;
                let columns = live.columns(&design, n);
                for turn in [step, -step] {
                    if live.try_turn(self, &columns, design.phase[n], turn) {
                        design.phase[n] += turn;
                        break;
                    }
                }
            }
            let score = self.rate(&design)?;
            if score <= best.score {
                break;
            }
            best = Rated { score, design };
        }
        Ok(best)
    }
}

/// A pattern that follows single elements, at the samples that something is asked of.
struct Live {
    /// u and v of the samples, and the element's pattern g there.
    samples: Vec<([f64; 2], Complex64)>,
    /// Their places in the window.
    at: Vec<usize>,
    /// Samples of the whole window.
    window: usize,
    bands: Vec<(f64, Illumination)>,
    /// E at the samples, one frequency after another.
    field: Vec<Complex64>,
    /// |E|² on the whole window, for costs.
    intensity: Vec<f64>,
    cost: f64,
}

impl Live {
    /// The pattern that was rated last.
    fn new(run: &Run<'_>) -> Result<Self, ReflectarrayError> {
        let Problem { window, frequencies, feed, element, .. } = run.problem;
        let (u, v, g) = (window.u(), window.v(), element.fields(window));
        let at = run.goals.samples();
        let mut field = Vec::new();
        for f in 0..frequencies.len() {
            let whole = run.objective.field(f)?;
            field.extend(at.iter().map(|&i| whole[i]));
        }
        let pattern = run.objective.pattern();
        Ok(Self {
            samples: at.iter().map(|&i| ([u[i % u.len()], v[i / u.len()]], g[i])).collect(),
            window: g.len(),
            bands: frequencies.iter().map(|&f| (wavenumber(f), Illumination::new(*feed, f))).collect(),
            field,
            intensity: pattern.intensity.to_vec(),
            cost: JUDGE.of(&run.goals, &pattern).0,
            at,
        })
    }

    /// g f_n e^{jβ(u x_n + v y_n)} at the samples, one frequency after another.
    fn columns(&self, design: &Design, n: usize) -> Vec<Complex64> {
        let (x, y) = (design.x[n], design.y[n]);
        let of = |(beta, illumination): &(f64, Illumination)| {
            let (beta, f) = (*beta, illumination.at(x, y).value);
            self.samples.iter().map(move |([u, v], g)| g * f * Complex64::cis(beta * (u * x + v * y)))
        };
        self.bands.iter().flat_map(of).collect()
    }

    /// Turns one element, if that lowers the cost.
    fn try_turn(&mut self, run: &Run<'_>, columns: &[Complex64], phase: f64, turn: f64) -> bool {
        let change = Complex64::cis(phase + turn) - Complex64::cis(phase);
        self.add(columns, change);
        let pattern = PatternView { intensity: &self.intensity, ..run.objective.pattern() };
        let cost = JUDGE.of(&run.goals, &pattern).0;
        let better = cost < self.cost;
        if better {
            self.cost = cost;
        } else {
            self.add(columns, -change);
        }
        better
    }

    fn add(&mut self, columns: &[Complex64], change: Complex64) {
        let count = self.at.len();
        for (i, (e, column)) in self.field.iter_mut().zip(columns).enumerate() {
            *e += change * column;
            self.intensity[i / count * self.window + self.at[i % count]] = e.norm_sqr();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::prepare;
    use crate::search::testing::problem;
    use phasefront_core::Progress;
    use phasefront_device::Backend;

    #[test]
    fn single_steps_are_never_worse_than_rounding_and_help() {
        let study = prepare(problem()).unwrap();
        let progress = Progress::silent();
        let mut save = |_: &_| Ok(());
        let mut run = study.run(&Backend::Cpu, &progress, None, &mut save).unwrap();
        let design = study.problem.start();
        let mut gain = 0.0;
        for bits in 1..=4 {
            let rounded = run.rounded(&design, bits).unwrap();
            let refined = run.refined(rounded.clone(), bits).unwrap();
            assert!(refined.score >= rounded.score, "{bits} bits: {} {}", refined.score, rounded.score);
            gain += refined.score - rounded.score;
            // What it says of itself is what the design is worth.
            assert_eq!(run.rate(&refined.design).unwrap(), refined.score);
            let steps = refined.design.phase.iter().map(|phase| phase / (TAU / f64::from(bits).exp2()));
            assert!(steps.into_iter().all(|steps| (steps - steps.round()).abs() < 1e-9));
        }
        assert!(gain > 0.1, "{gain}");
    }

    #[test]
    fn rank_one_updates_agree_with_the_pattern() {
        let study = prepare(problem()).unwrap();
        let progress = Progress::silent();
        let mut save = |_: &_| Ok(());
        let mut run = study.run(&Backend::Cpu, &progress, None, &mut save).unwrap();
        let mut design = study.problem.start();
        run.rate(&design).unwrap();
        let mut live = Live::new(&run).unwrap();
        for n in [3, 17] {
            let columns = live.columns(&design, n);
            live.add(&columns, Complex64::cis(design.phase[n] + 0.7) - Complex64::cis(design.phase[n]));
            design.phase[n] += 0.7;
        }
        run.rate(&design).unwrap();
        let expected = run.objective.pattern().intensity;
        let largest = expected.iter().copied().fold(0.0, f64::max);
        for f in 0..2 {
            for &i in &live.at {
                let (got, expected) = (live.intensity[f * live.window + i], expected[f * live.window + i]);
                assert!((got - expected).abs() < 1e-8 * largest, "{f} {i}: {got} {expected}");
            }
        }
    }
}
