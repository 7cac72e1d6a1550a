//! The cost functions that the stages of a synthesis minimize.

use crate::mask::Mask;
use crate::objective::PatternView;
use crate::parallel::{BLOCK, each};
use crate::problem::Problem;
use phasefront_core::decibels::power_db;
use phasefront_device::cpu::team;
use std::f64::consts::LN_10;

/// Penalty of 1 dB beyond a given bound, in dB of the maximized D_min: bounds take precedence.
const BOUND_WEIGHT: f64 = 4.0;
/// Weight of the mean directivity over the coverage against D_min. Without it the mean falls toward D_min with little gain: 44 by 44
/// elements on North America lost 0.3 dB of the mean for 0.01 to 0.03 dB of the minimum.
const MEAN_WEIGHT: f64 = 0.1;
/// Directivity added before taking logarithms (−120 dBi), so that nulls have a finite level.
const DIRECTIVITY_FLOOR: f64 = 1e-12;

/// A cost function of the pattern.
///
/// ```
/// # fn of(problem: &phasefront_reflectarray::Problem) -> Result<(), phasefront_reflectarray::ReflectarrayError> {
/// use phasefront_device::Backend;
/// use phasefront_reflectarray::{Cost, Goals, Objective, PatternView, Derivatives};
/// let mut objective = Objective::new(problem, &Backend::Cpu)?;
/// let goals = Goals::new(problem, objective.pattern().mask);
/// let mut cost = |pattern: &PatternView<'_>| Cost::Minimax { sharpness: 2.0 }.of(&goals, pattern);
/// let gradient = objective.evaluate_with(&problem.initial_design(), &mut cost, Derivatives::Phase)?.phase;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// Φ = Σ (D − 𝒫D)², 𝒫 the projection onto the mask: the functional of Capozzoli et al. (2016) with E scaled so that |E|² = D.
    Distance,
    /// Minimax cost in dB: −softmin D over regions without a lower bound, + 4 softmax(0, violation of the bounds), − mean(D)/10,
    /// with the smooth maximum ln(Σ e^{s d})/s.
    Minimax {
        /// Sharpness s, 1/dB.
        sharpness: f64,
    },
}

/// The requirements at the samples: maximize the minimum, or satisfy a bound.
#[derive(Debug, Clone)]
pub struct Goals {
    /// Samples of regions without a lower bound, whose minimum is maximized, as indices into `covered`.
    maximized: Vec<usize>,
    /// Samples with a lower bound, dBi, likewise.
    lower: Vec<(usize, f64)>,
    /// Samples with an upper bound, dBi.
    upper: Vec<(usize, f64)>,
    covered: Vec<usize>,
}

/// The requirements at a pattern.
struct Terms {
    /// −D at the maximized samples.
    maximized: Vec<Term>,
    /// Violations of the bounds.
    bounds: Vec<Term>,
    /// Mean of D in dB over the coverage.
    mean: f64,
}

/// Violation of the bound at one sample, dB, the sign of its derivative in D, and the index of the sample.
struct Term {
    excess: f64,
    sign: f64,
    index: usize,
}

impl Goals {
    /// The requirements of a problem at the samples of its mask.
    pub fn new(problem: &Problem, mask: &Mask) -> Self {
        let mut bounds = vec![f64::NEG_INFINITY; mask.lower.len()];
        for (region, inside) in problem.coverage.iter().zip(&mask.regions) {
            let lower = region.lower.unwrap_or(f64::NEG_INFINITY);
            for &i in inside {
                // Overlapping regions: the strictest bound.
                bounds[i] = bounds[i].max(lower);
            }
        }
        // Without a lower bound in any region, a sample is maximized.
        let of_covered: Vec<f64> = mask.covered.iter().map(|&i| bounds[i]).collect();
        let (bounded, maximized): (Vec<usize>, _) =
            (0..of_covered.len()).partition(|&at| of_covered[at] > f64::NEG_INFINITY);
        let upper = mask.upper.iter().enumerate().filter(|(_, upper)| upper.is_finite());
        Self {
            maximized,
            lower: bounded.into_iter().map(|at| (at, of_covered[at])).collect(),
            upper: upper.map(|(i, upper)| (i, power_db(*upper))).collect(),
            covered: mask.covered.clone(),
        }
    }

    /// Score of a pattern, dB, higher is better: −[`Cost::Minimax`] with the exact minimum and maximum.
    pub fn score(&self, pattern: &PatternView<'_>) -> f64 {
        let Terms { maximized, bounds, mean } = self.terms(pattern);
        let largest = |terms: &[Term], floor: f64| terms.iter().map(|t| t.excess).fold(floor, f64::max);
        let d_min = if maximized.is_empty() { 0.0 } else { -largest(&maximized, f64::NEG_INFINITY) };
        // Higher is better, the opposite sign of the cost.
        d_min - BOUND_WEIGHT * largest(&bounds, 0.0) + MEAN_WEIGHT * mean
    }

    /// Largest violation of a bound, dB; none without bounds.
    pub(crate) fn violation(&self, pattern: &PatternView<'_>) -> Option<f64> {
        let bounded = !(self.lower.is_empty() && self.upper.is_empty());
        bounded.then(|| self.terms(pattern).bounds.iter().map(|term| term.excess).fold(0.0, f64::max))
    }

    /// Samples with a requirement, ascending.
    pub(crate) fn samples(&self) -> Vec<usize> {
        let mut samples: Vec<usize> =
            self.covered.iter().copied().chain(self.upper.iter().map(|(i, _)| *i)).collect();
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    fn count(&self, pattern: &PatternView<'_>) -> f64 {
        (self.covered.len() * pattern.scale.len()).max(1) as f64
    }

    /// The levels at the samples, each computed once, compared with the requirements.
    fn terms(&self, pattern: &PatternView<'_>) -> Terms {
        let mut terms = Terms { maximized: Vec::new(), bounds: Vec::new(), mean: 0.0 };
        let samples = pattern.mask.lower.len();
        for (f, (intensity, scale)) in pattern.frequencies().enumerate() {
            // With the floor: a null has a finite level and a finite derivative.
            let level = |i: usize| power_db(intensity[i] * scale + DIRECTIVITY_FLOOR);
            let levels = each(&self.covered, |&i| level(i));
            // Samples of one frequency after another, as the intensities.
            let index = |i: usize| f * samples + i;
            let too_low = |at: usize, bound: f64| Term {
                excess: bound - levels[at],
                sign: -1.0,
                index: index(self.covered[at]),
            };
            terms.mean += levels.iter().sum::<f64>() / self.count(pattern);
            terms.maximized.extend(self.maximized.iter().map(|&at| too_low(at, 0.0)));
            terms.bounds.extend(self.lower.iter().map(|&(at, bound)| too_low(at, bound)));
            let upper =
                |&(i, bound): &(usize, f64)| Term { excess: level(i) - bound, sign: 1.0, index: index(i) };
            terms.bounds.extend(self.upper.iter().map(upper));
        }
        terms
    }

    /// [`Cost::Minimax`] and its derivatives with respect to D in dB.
    fn minimax(&self, pattern: &PatternView<'_>, sharpness: f64) -> (f64, Vec<f64>) {
        let mut weights = vec![0.0; pattern.intensity.len()];
        let Terms { maximized, bounds, mean } = self.terms(pattern);
        let mut value = -MEAN_WEIGHT * mean;
        let (samples, each) = (pattern.mask.lower.len(), MEAN_WEIGHT / self.count(pattern));
        // −mean/10: every covered sample has the same derivative.
        for f in 0..pattern.scale.len() {
            self.covered.iter().for_each(|i| weights[f * samples + i] -= each);
        }
        // Violations have the floor 0: satisfied bounds hardly contribute.
        for (terms, floor, weight) in [(maximized, f64::NEG_INFINITY, 1.0), (bounds, 0.0, BOUND_WEIGHT)] {
            value += weight
                * soft_max(&terms, floor, sharpness, |term, share| {
                    weights[term.index] += weight * share * term.sign;
                });
        }
        (value, weights)
    }
}

impl Cost {
    /// The cost of a pattern and its derivatives with respect to |E|².
    pub fn of(self, goals: &Goals, pattern: &PatternView<'_>) -> (f64, Vec<f64>) {
        let Self::Minimax { sharpness } = self else { return distance(pattern) };
        let (value, mut weights) = goals.minimax(pattern, sharpness);
        let samples = pattern.mask.lower.len();
        for ((intensity, scale), weights) in pattern.frequencies().zip(weights.chunks_mut(samples)) {
            let floor = DIRECTIVITY_FLOOR / scale;
            team::map_mut(BLOCK, weights, |first, weights: &mut [f64]| {
                for (weight, intensity) in weights.iter_mut().zip(&intensity[first..]) {
                    // d D_dB/d|E|² = (10/ln 10)/(|E|² + floor/scale)
                    *weight *= 10.0 / LN_10 / (intensity + floor);
                }
            });
        }
        (value, weights)
    }
}

/// Φ in terms of D, and ∂Φ/∂|E|² = 2 (D − 𝒫D) 4π/P_rad.
fn distance(pattern: &PatternView<'_>) -> (f64, Vec<f64>) {
    let Mask { lower, upper, .. } = pattern.mask;
    let mut weights = vec![0.0; pattern.intensity.len()];
    let mut value = 0.0;
    for ((intensity, scale), weights) in pattern.frequencies().zip(weights.chunks_mut(lower.len())) {
        let part = |first: usize, weights: &mut [f64]| {
            let mut value = 0.0;
            let bounds = lower[first..].iter().zip(&upper[first..]);
            for ((weight, e), (lower, upper)) in weights.iter_mut().zip(&intensity[first..]).zip(bounds) {
                let d = e * scale;
                // Zero within the mask: satisfied samples have no weight, and no gradient.
                let miss = d - d.clamp(*lower, *upper);
                value += miss * miss;
                *weight = 2.0 * miss * scale;
            }
            value
        };
        value += team::map_mut(BLOCK, weights, part).into_iter().sum::<f64>();
    }
    (value, weights)
}

/// Smooth maximum ln(e^{s floor} + Σ e^{s excess})/s; 0 without terms. `derivative` receives the derivative of each term, its share in
/// the sum.
fn soft_max(terms: &[Term], floor: f64, sharpness: f64, mut derivative: impl FnMut(&Term, f64)) -> f64 {
    // Without terms the maximum would be the floor: minus infinity for D_min.
    if terms.is_empty() {
        return 0.0;
    }
    let largest = terms.iter().map(|term| term.excess).fold(floor, f64::max);
    // Relative to the largest term, so that no exponential overflows.
    let exp = |excess: f64| (sharpness * (excess - largest)).exp();
    let parts = each(terms, |term| exp(term.excess));
    let sum = exp(floor) + parts.iter().sum::<f64>();
    for (term, part) in terms.iter().zip(parts) {
        derivative(term, part / sum);
    }
    largest + sum.ln() / sharpness
}
