//! Multi-level single linkage: A. H. G. Rinnooy Kan and G. T. Timmer, "Stochastic global optimization methods, part II: multi level
//! methods", Math. Programming 39 (1987), 57-78. Points are sampled over a box; a local search is started from a point unless a better
//! one lies within a critical distance, which shrinks with the number of points, so that each basin is likely to be searched once.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::f64::consts::PI;

/// σ of the critical distance; 4 and more make the expected number of local searches finite for any number of samples (their theorem 4).
const SIGMA: f64 = 4.0;

/// A multistart over the box [-1, 1]ⁿ, round by round: [`Mlsl::initial_points`] returns where to search next, [`Mlsl::add_minimum`]
/// takes the result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mlsl {
    /// Points sampled so far and their values.
    sample: Vec<(Vec<f64>, f64)>,
    /// Whether a local search was started there.
    searched: Vec<bool>,
    /// Local minima.
    minima: Vec<Vec<f64>>,
}

/// Point number `index` of the sample in n dimensions. Each point has its own random stream, so that any part of a search can be
/// repeated.
pub(crate) fn unit_box_point(seed: u64, index: u64, n: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    // The upper 53 bits make a double in [0, 1).
    (0..n).map(|_| 2.0 * (rng.next_u64() >> 11) as f64 * 0.5f64.powi(53) - 1.0).collect()
}

impl Mlsl {
    /// Adds points with their values and returns the initial guesses of the next local searches, best first.
    pub fn initial_points(&mut self, points: Vec<(Vec<f64>, f64)>) -> Vec<Vec<f64>> {
        self.searched.resize(self.sample.len() + points.len(), false);
        self.sample.extend(points);
        // Distances depend on the number of points: links of earlier rounds may dissolve, and their
        // points become initial guesses.
        let distance = self.critical_distance();
        let mut order: Vec<usize> = (0..self.sample.len()).collect();
        order.sort_by(|&a, &b| self.sample[a].1.total_cmp(&self.sample[b].1));
        let mut guesses = Vec::new();
        for (rank, &i) in order.iter().enumerate() {
            let point = &self.sample[i].0;
            let near = |other: &[f64]| euclidean_distance(point, other) < distance;
            // Only better points link: the best of each cluster starts the search.
            let linked = order[..rank].iter().any(|&j| near(&self.sample[j].0))
                || self.minima.iter().any(|minimum| near(minimum));
            if !linked && !self.searched[i] && self.sample[i].1.is_finite() {
                self.searched[i] = true;
                guesses.push(point.clone());
            }
        }
        guesses
    }

    /// Adds the end point of a local search.
    pub fn add_minimum(&mut self, minimum: Vec<f64>) {
        self.minima.push(minimum);
    }

    /// r = π^{-1/2} (Γ(1 + n/2) m(S) σ ln(k)/k)^{1/n} with the measure m(S) = 2ⁿ of the box and k points.
    fn critical_distance(&self) -> f64 {
        let n = self.sample.first().map_or(1, |(x, _)| x.len()) as f64;
        let k = self.sample.len() as f64;
        let ln_ball =
            // As logarithms: Γ(1 + n/2) overflows for many unknowns, while its n-th root does not.
            ln_gamma_half(2.0 + n) + n * 2f64.ln() + (SIGMA * k.ln().max(f64::MIN_POSITIVE) / k).ln();
        (ln_ball / n).exp() / PI.sqrt()
    }
}

/// ln Γ(m/2) for an integer m ≥ 1.
fn ln_gamma_half(m: f64) -> f64 {
    // From Γ(1) = 1 or Γ(½) = √π upward by Γ(x + 1) = xΓ(x).
    let (mut value, mut at) = if m % 2.0 == 0.0 { (0.0, 1.0) } else { (0.5 * PI.ln(), 0.5) };
    while at < m / 2.0 {
        value += f64::ln(at);
        at += 1.0;
    }
    value
}

fn euclidean_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::Lbfgs;
    use super::*;
    use std::convert::Infallible;

    /// The six-hump camel back over x ∈ [-3, 3], y ∈ [-2, 2] (Dixon and Szegö 1978): six minima, the lowest −1.031628 at
    /// ±(0.0898, −0.7126), the next two −0.215464.
    fn camel(p: &[f64]) -> (f64, Vec<f64>) {
        let (x, y) = (3.0 * p[0], 2.0 * p[1]);
        let value = (4.0 - 2.1 * x * x + x.powi(4) / 3.0) * x * x + x * y + (4.0 * y * y - 4.0) * y * y;
        let dx = 8.0 * x - 8.4 * x.powi(3) + 2.0 * x.powi(5) + y;
        let dy = x + 16.0 * y.powi(3) - 8.0 * y;
        (value, vec![3.0 * dx, 2.0 * dy])
    }

    #[test]
    fn the_low_minima_of_the_camel_are_found_with_few_searches() {
        let local = Lbfgs { memory: 5, iterations: 100, first_step: 0.05, min_decrease: 1e-14 };
        let mut search = Mlsl::default();
        let (mut values, mut searches) = (Vec::new(), 0);
        for round in 0..20 {
            let points = (0..30).map(|i| {
                let x = unit_box_point(1, round * 30 + i, 2);
                let value = camel(&x).0;
                (x, value)
            });
            for guess in search.initial_points(points.collect()) {
                let Ok(end) = local.minimize(guess, &mut |x: &[f64]| Ok::<_, Infallible>(camel(x)));
                searches += 1;
                search.add_minimum(end.x);
                values.push(end.value);
            }
        }
        for known in [-1.031628, -0.215464] {
            let hits = values.iter().filter(|v| (*v - known).abs() < 1e-5).count();
            assert!(hits >= 2, "{known}: {hits} in {values:?}"); // Each comes as a pair, by symmetry.
        }
        assert!(searches < 20, "{searches} searches from 600 points");
    }

    #[test]
    fn streams_repeat_and_differ() {
        assert_eq!(unit_box_point(1, 7, 3), unit_box_point(1, 7, 3));
        assert_ne!(unit_box_point(1, 7, 3), unit_box_point(1, 8, 3));
        assert!(unit_box_point(2, 0, 1000).iter().all(|x| (-1.0..1.0).contains(x)));
    }

    #[test]
    fn gamma_of_halves() {
        // Γ(1/2) = √π, Γ(5/2) = 3√π/4, Γ(4) = 6.
        assert!((ln_gamma_half(1.0) - PI.sqrt().ln()).abs() < 1e-15);
        assert!((ln_gamma_half(5.0) - (0.75 * PI.sqrt()).ln()).abs() < 1e-15);
        assert!((ln_gamma_half(8.0) - 6f64.ln()).abs() < 1e-14);
    }
}
