//! Initial guess by optimal transport: a smooth phase front over the continuous aperture that maps its power evenly onto the coverage.
//!
//! By stationary phase, the power at (x, y) radiates toward (u, v) = ∇φ(x, y) if the phase is −βφ. The map that
//! transports the illumination |f|² to the density of the mask and is the gradient of a convex φ is the optimal transport between them
//! (Y. Brenier, Comm. Pure Appl. Math. 44 (1991), 375-417); shaped reflectors solve the same Monge-Ampère equation. It is
//! one-to-one, so the front has no phase vortices, in which local searches from random phases get stuck. φ is computed by Sinkhorn's
//! iteration for entropy-regularized transport (M. Cuturi, NIPS 26 (2013)):
//!
//! ```text
//! φ(x) = ε ln Σ_k ν_k e^{(x·t_k − χ_k)/ε},   χ_k = ε ln Σ_n μ_n e^{(x_n·t_k − φ_n)/ε}
//! ```

use crate::mask::Mask;
use crate::problem::Problem;
use phasefront_device::cpu::team;
use std::ops::Range;

/// A discrete probability measure: points and weights of sum 1.
#[derive(Debug, Clone)]
pub(crate) struct DiscreteMeasure {
    pub points: Vec<[f64; 2]>,
    weights: Vec<f64>,
}

/// Entropy ε relative to the standard deviation of x·t, decreasing. Final values of 0.2, 0.05 and 0.01 led to the same syntheses.
const ENTROPIES: [f64; 4] = [1.0, 0.5, 0.2, 0.1];
/// Iterations at each entropy. The marginals need not be matched closely: this is an initial guess.
const ITERATIONS: usize = 40;
/// Rows of the kernel that a thread works on at once.
const ROWS: usize = 16;
/// Maximum points of either measure in the iteration, whose cost is their product.
const MAX_POINTS: usize = 400;

impl DiscreteMeasure {
    pub fn new(points: Vec<[f64; 2]>, weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let weights = weights.iter().map(|w| w / total).collect();
        Self { points, weights }
    }

    /// Mean of the points.
    pub fn center(&self) -> [f64; 2] {
        let along = |axis: usize| self.points.iter().zip(&self.weights).map(|(p, w)| w * p[axis]).sum();
        [along(0), along(1)]
    }

    /// A subset of about [`MAX_POINTS`] points, picked by multiples of the golden ratio, which resonate with no grid.
    fn subsampled(&self) -> Self {
        let share = MAX_POINTS as f64 / self.points.len() as f64;
        let pick = |i: &usize| (*i as f64 * 0.618_033_988_749_895).fract() < share;
        // In the order of the points: reproducible, without a random generator.
        let picked: Vec<usize> = (0..self.points.len()).filter(pick).collect();
        let weights: Vec<f64> = picked.iter().map(|&i| self.weights[i]).collect();
        Self::new(picked.iter().map(|&i| self.points[i]).collect(), &weights)
    }
}

/// The target measure: the samples of the coverage, weighted with their lower bounds on D.
pub(super) fn target(problem: &Problem, mask: &Mask) -> DiscreteMeasure {
    let (u, v) = (problem.uv_grid.u(), problem.uv_grid.v());
    let point = |&i: &usize| [u[i % u.len()], v[i / u.len()]];
    let weights: Vec<f64> = mask.covered.iter().map(|&i| mask.lower[i]).collect();
    DiscreteMeasure::new(mask.covered.iter().map(point).collect(), &weights)
}

/// φ at the points of the aperture, so that ∇φ transports its power to the target, a measure in (u, v), relative to its center. With
/// `mirrored` φ is concave instead of convex: rays cross, the map of the mirrored target.
pub(crate) fn optimal_transport(
    aperture: &DiscreteMeasure,
    target: &DiscreteMeasure,
    mirrored: bool,
) -> Vec<f64> {
    let sign = if mirrored { -1.0 } else { 1.0 };
    let center = target.center();
    let sample = target.subsampled();
    let directions: Vec<[f64; 2]> =
        sample.points.iter().map(|p| [sign * (p[0] - center[0]), sign * (p[1] - center[1])]).collect();
    let coarse = aperture.subsampled();
    let product = |x: &[f64; 2], t: &[f64; 2]| x[0] * t[0] + x[1] * t[1];
    let all = || coarse.points.iter().flat_map(|x| directions.iter().map(move |t| product(x, t)));
    // The scale of the costs x·t, to which entropies are relative.
    let deviation = (all().map(|c| c * c).sum::<f64>() / all().count() as f64).sqrt();
    if deviation == 0.0 {
        return vec![0.0; aperture.points.len()]; // A single direction: the focused beam is the solution.
    }
    let row = |x: &[f64; 2], entropy: f64| -> Vec<f64> {
        directions.iter().map(|t| (product(x, t) / entropy).exp()).collect()
    };
    let kernel = |points: &[[f64; 2]], entropy: f64| -> Vec<f64> {
        let rows = |rows: Range<usize>| points[rows].iter().flat_map(|x| row(x, entropy)).collect::<Vec<_>>();
        team::map(points.len(), ROWS, rows).concat()
    };
    // q = e^{−χ/ε}. Exponents of the kernel stay below about 4/0.1, as |x·t| is at most a few deviations: no overflow.
    let mut chi = vec![0.0; directions.len()];
    for entropy in ENTROPIES.map(|e| e * deviation) {
        let kernel = kernel(&coarse.points, entropy);
        let mut q: Vec<f64> = chi.iter().map(|chi: &f64| (-chi / entropy).exp()).collect();
        for _ in 0..ITERATIONS {
            // Sinkhorn: scale the rows to μ, then the columns to ν.
            let parts = team::map(coarse.weights.len(), ROWS, |rows| {
                let mut columns = vec![0.0; q.len()];
                let own = &kernel[rows.start * q.len()..rows.end * q.len()];
                for (row, mu) in own.chunks(q.len()).zip(&coarse.weights[rows]) {
                    let p = mu / row_sum(row, &sample.weights, &q);
                    columns.iter_mut().zip(row).for_each(|(sum, k)| *sum += p * k);
                }
                columns
            });
            q.fill(0.0);
            for columns in parts {
                q.iter_mut().zip(columns).for_each(|(sum, part)| *sum += part);
            }
            for sum in &mut q {
                *sum = 1.0 / *sum;
            }
        }
        // The potential carries over to the next, smaller entropy.
        chi = q.iter().map(|q| -entropy * q.ln()).collect();
    }
    let last = ENTROPIES[ENTROPIES.len() - 1] * deviation;
    let q: Vec<f64> = chi.iter().map(|chi| (-chi / last).exp()).collect();
    // All points of the aperture: φ extends to points that were not in the iteration. Each row is used once: there is no table of them.
    let front = |x: &[f64; 2]| sign * last * row_sum(&row(x, last), &sample.weights, &q).ln();
    let fronts = |rows: Range<usize>| aperture.points[rows].iter().map(front).collect::<Vec<_>>();
    team::map(aperture.points.len(), ROWS, fronts).concat()
}

/// Σ_k K_k ν_k q_k = e^{φ/ε}
fn row_sum(row: &[f64], nu: &[f64], q: &[f64]) -> f64 {
    row.iter().zip(nu).zip(q).map(|((k, nu), q)| k * nu * q).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform over a rectangle, n × n points.
    fn rectangle(n: usize, [width, height]: [f64; 2], [x, y]: [f64; 2]) -> DiscreteMeasure {
        let at = |i: usize, width: f64| width * ((i as f64 + 0.5) / n as f64 - 0.5);
        let points = (0..n * n).map(|k| [x + at(k % n, width), y + at(k / n, height)]).collect();
        DiscreteMeasure::new(points, &vec![1.0; n * n])
    }

    #[test]
    fn between_rectangles_the_front_is_quadratic() {
        // Uniform to uniform: u = x w_u/w_x along each axis, so φ = x² w_u/(2 w_x) + ..., up to the blur by the entropy, which shrinks the map
        // slightly: gradients within 15 % of the closed form half-way out.
        let n = 31;
        let aperture = rectangle(n, [2.0, 1.0], [0.0, 0.0]);
        let target = rectangle(n, [0.1, 0.04], [0.3, -0.2]);
        for mirrored in [false, true] {
            let phi = optimal_transport(&aperture, &target, mirrored);
            let sign = if mirrored { -1.0 } else { 1.0 };
            let (row, column) = (n / 2, n / 2 + n / 4);
            let dx = (phi[row * n + column + 1] - phi[row * n + column - 1]) / (2.0 * 2.0 / n as f64);
            let x = aperture.points[row * n + column][0];
            assert!((dx / (sign * x * 0.05) - 1.0).abs() < 0.15, "{dx} {x}");
            let dy = (phi[(column + 1) * n + row] - phi[(column - 1) * n + row]) / (2.0 / n as f64);
            let y = aperture.points[column * n + row][1];
            assert!((dy / (sign * y * 0.04) - 1.0).abs() < 0.15, "{dy} {y}");
        }
    }

    #[test]
    fn a_single_direction_needs_only_the_focus() {
        let point = DiscreteMeasure::new(vec![[0.1, 0.2]], &[3.0]);
        assert_eq!(optimal_transport(&rectangle(5, [1.0, 1.0], [0.0, 0.0]), &point, false), vec![0.0; 25]);
    }
}
