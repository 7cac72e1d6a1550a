//! What the stages of a synthesis make small.

use crate::mask::{Mask, to_db};
use crate::objective::PatternView;
use crate::problem::Problem;
use std::f64::consts::LN_10;

/// A dB beyond a bound that was given costs this many dB of the D_min that is raised: bounds come first.
const BOUND_WEIGHT: f64 = 4.0;
/// What a dB of the mean over the coverage is worth in dB of D_min. Without it the mean falls towards D_min, for
/// nothing: 44 by 44 elements on North America gave 0.3 dB of mean for 0.01 to 0.03 dB of minimum.
const MEAN_WEIGHT: f64 = 0.1;
/// Directivity added before logarithms are taken (−120 dBi), so that nulls have one.
const FAINT: f64 = 1e-12;

/// A cost of the pattern, as the stages of the synthesis minimize it.
///
/// ```
/// # fn of(problem: &phasefront_reflectarray::Problem) -> Result<(), phasefront_reflectarray::ReflectarrayError> {
/// use phasefront_device::Backend;
/// use phasefront_reflectarray::{Cost, Goals, Objective, PatternView, Wanted};
/// let mut objective = Objective::new(problem, &Backend::Cpu)?;
/// let goals = Goals::new(problem, objective.pattern().mask);
/// let mut cost = |pattern: &PatternView<'_>| Cost::Margin { sharpness: 2.0 }.of(&goals, pattern);
/// let gradient = objective.evaluate_with(&problem.start(), &mut cost, Wanted::Phase)?.phase;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// Φ = Σ (D − 𝒫D)², 𝒫 the nearest value within the mask: the paper's functional with E scaled so that |E|² = D.
    Distance,
    /// In dB: −softmin D where it is to be raised, + 4 softmax(0, bound missed by) where bounds were given, − mean(D)/10;
    /// softmax = ln(Σ e^{s d})/s with the sharpness s, 1/dB.
    Margin {
        /// s.
        sharpness: f64,
    },
}

/// Which samples are to be raised, and which are to keep a bound.
#[derive(Debug, Clone)]
pub struct Goals {
    /// Samples of regions without a lower bound.
    raised: Vec<usize>,
    /// Samples with a lower bound, dBi.
    lower: Vec<(usize, f64)>,
    /// Samples with an upper bound, dBi.
    upper: Vec<(usize, f64)>,
    covered: Vec<usize>,
}

/// How far one sample lies beyond its bound, dB, with its derivative's sign and its place.
struct Term {
    excess: f64,
    sign: f64,
    at: usize,
}

impl Goals {
    /// What a problem asks of the samples of its mask.
    pub fn new(problem: &Problem, mask: &Mask) -> Self {
        let mut bounds = vec![f64::NEG_INFINITY; mask.lower.len()];
        for (region, inside) in problem.coverage.iter().zip(&mask.regions) {
            let lower = region.lower.unwrap_or(f64::NEG_INFINITY);
            for &i in inside {
                bounds[i] = bounds[i].max(lower);
            }
        }
        let (held, raised) = mask.covered.iter().partition(|&&i| bounds[i] > f64::NEG_INFINITY);
        let held: Vec<usize> = held;
        let upper = mask.upper.iter().enumerate().filter(|(_, upper)| upper.is_finite());
        Self {
            raised,
            lower: held.into_iter().map(|i| (i, bounds[i])).collect(),
            upper: upper.map(|(i, upper)| (i, to_db(*upper))).collect(),
            covered: mask.covered.clone(),
        }
    }

    /// The worth of a pattern, dB: [`Cost::Margin`] with the true minimum and maximum, less its sign.
    pub fn score(&self, pattern: &PatternView<'_>) -> f64 {
        let (raised, bounds) = self.terms(pattern);
        let largest = |terms: &[Term], floor: f64| terms.iter().map(|t| t.excess).fold(floor, f64::max);
        let d_min = if raised.is_empty() { 0.0 } else { -largest(&raised, f64::NEG_INFINITY) };
        d_min - BOUND_WEIGHT * largest(&bounds, 0.0) + MEAN_WEIGHT * self.mean(pattern)
    }

    /// Samples that something is asked of, ascending.
    pub(crate) fn samples(&self) -> Vec<usize> {
        let mut samples: Vec<usize> =
            self.covered.iter().copied().chain(self.upper.iter().map(|(i, _)| *i)).collect();
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    fn mean(&self, pattern: &PatternView<'_>) -> f64 {
        let of = |(intensity, scale): (&[f64], f64)| -> f64 {
            self.covered.iter().map(|&i| to_db(intensity[i] * scale + FAINT)).sum()
        };
        pattern.frequencies().map(of).sum::<f64>() / self.count(pattern)
    }

    fn count(&self, pattern: &PatternView<'_>) -> f64 {
        (self.covered.len() * pattern.scale.len()).max(1) as f64
    }

    /// −D of what is to be raised, and what bounds are missed by.
    fn terms(&self, pattern: &PatternView<'_>) -> (Vec<Term>, Vec<Term>) {
        let (mut raised, mut bounds) = (Vec::new(), Vec::new());
        let samples = pattern.mask.lower.len();
        for (f, (intensity, scale)) in pattern.frequencies().enumerate() {
            let level = |i: usize| to_db(intensity[i] * scale + FAINT);
            let place = |i: usize| f * samples + i;
            raised.extend(self.raised.iter().map(|&i| Term { excess: -level(i), sign: -1.0, at: place(i) }));
            let lower =
                |&(i, bound): &(usize, f64)| Term { excess: bound - level(i), sign: -1.0, at: place(i) };
            let upper =
                |&(i, bound): &(usize, f64)| Term { excess: level(i) - bound, sign: 1.0, at: place(i) };
            bounds.extend(self.lower.iter().map(lower).chain(self.upper.iter().map(upper)));
        }
        (raised, bounds)
    }

    /// [`Cost::Margin`] and its derivatives in D in dB.
    fn margin(&self, pattern: &PatternView<'_>, sharpness: f64) -> (f64, Vec<f64>) {
        let mut weights = vec![0.0; pattern.intensity.len()];
        let (raised, bounds) = self.terms(pattern);
        let mut value = -MEAN_WEIGHT * self.mean(pattern);
        let (samples, each) = (pattern.mask.lower.len(), MEAN_WEIGHT / self.count(pattern));
        for f in 0..pattern.scale.len() {
            self.covered.iter().for_each(|i| weights[f * samples + i] -= each);
        }
        for (terms, floor, weight) in [(raised, f64::NEG_INFINITY, 1.0), (bounds, 0.0, BOUND_WEIGHT)] {
            value += weight
                * soft_max(&terms, floor, sharpness, |term, share| {
                    weights[term.at] += weight * share * term.sign;
                });
        }
        (value, weights)
    }
}

impl Cost {
    /// The cost of a pattern, and its derivatives in |E|².
    pub fn of(self, goals: &Goals, pattern: &PatternView<'_>) -> (f64, Vec<f64>) {
        let Self::Margin { sharpness } = self else { return distance(pattern) };
        let (value, mut weights) = goals.margin(pattern, sharpness);
        let samples = pattern.mask.lower.len();
        for ((i, weight), intensity) in weights.iter_mut().enumerate().zip(pattern.intensity) {
            // d D_dB/d|E|² = (10/ln 10)/(|E|² + faint)
            *weight *= 10.0 / LN_10 / (intensity + FAINT / pattern.scale[i / samples]);
        }
        (value, weights)
    }
}

/// Φ of the directivities, and ∂Φ/∂|E|² = 2 (D − 𝒫D) 4π/P_rad.
fn distance(pattern: &PatternView<'_>) -> (f64, Vec<f64>) {
    let mut weights = Vec::with_capacity(pattern.intensity.len());
    let mut value = 0.0;
    for (intensity, scale) in pattern.frequencies() {
        for ((e, lower), upper) in intensity.iter().zip(&pattern.mask.lower).zip(&pattern.mask.upper) {
            let d = e * scale;
            let miss = d - d.clamp(*lower, *upper);
            value += miss * miss;
            weights.push(2.0 * miss * scale);
        }
    }
    (value, weights)
}

/// ln(e^{s floor} + Σ e^{s excess})/s, and to `tell` each term's share in the sum, which is the derivative; 0 for no terms.
fn soft_max(terms: &[Term], floor: f64, sharpness: f64, mut tell: impl FnMut(&Term, f64)) -> f64 {
    if terms.is_empty() {
        return 0.0;
    }
    let largest = terms.iter().map(|term| term.excess).fold(floor, f64::max);
    let exp = |excess: f64| (sharpness * (excess - largest)).exp();
    let sum = exp(floor) + terms.iter().map(|term| exp(term.excess)).sum::<f64>();
    for term in terms {
        tell(term, exp(term.excess) / sum);
    }
    largest + sum.ln() / sharpness
}
