//! The start: a smooth phase front over the continuous aperture that carries its power evenly onto the coverage.
//!
//! In the limit of short waves the power at (x, y) leaves towards (u, v) = ∇φ(x, y) if the phase is −βφ (stationary phase). The map that
//! carries the illumination |f|² to the mask's density and is the gradient of a convex φ is the optimal transport between them
//! (Y. Brenier, Comm. Pure Appl. Math. 44 (1991), 375-417); a shaped reflector's surface solves the same Monge-Ampère equation. It is
//! one-to-one, so the front has no vortices, which is what local searches from random phases end in. φ comes from Sinkhorn's
//! iteration for the transport smoothed by entropy ε (M. Cuturi, NIPS 26 (2013)):
//!
//! ```text
//! φ(x) = ε ln Σ_k ν_k e^{(x·t_k − χ_k)/ε},   χ_k = ε ln Σ_n μ_n e^{(x_n·t_k − φ_n)/ε}
//! ```

/// Points with weights of sum 1.
#[derive(Debug, Clone)]
pub(crate) struct Cloud {
    pub points: Vec<[f64; 2]>,
    weights: Vec<f64>,
}

/// Entropy relative to the standard deviation of x·t, from smooth to sharp. Syntheses that began at 0.2, 0.05 and 0.01 ended alike.
const ENTROPIES: [f64; 4] = [1.0, 0.5, 0.2, 0.1];
/// Iterations at each entropy; the marginals need not be met closely, since the synthesis only begins here.
const ITERATIONS: usize = 40;
/// Most points of either cloud in the iteration, whose time goes with the product.
const MOST_POINTS: usize = 400;

impl Cloud {
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

    /// About [`MOST_POINTS`] points, picked by multiples of the golden ratio, which fall into step with no grid.
    fn thinned(&self) -> Self {
        let share = MOST_POINTS as f64 / self.points.len() as f64;
        let pick = |i: &usize| (*i as f64 * 0.618_033_988_749_895).fract() < share;
        let kept: Vec<usize> = (0..self.points.len()).filter(pick).collect();
        let weights: Vec<f64> = kept.iter().map(|&i| self.weights[i]).collect();
        Self::new(kept.iter().map(|&i| self.points[i]).collect(), &weights)
    }
}

/// φ at the aperture's points, so that ∇φ carries the aperture's power onto the target, a cloud of (u, v) around its center. With
/// `mirrored` φ is concave instead of convex: the same map of the mirrored target, rays crossing.
pub(crate) fn transport(aperture: &Cloud, target: &Cloud, mirrored: bool) -> Vec<f64> {
    let sign = if mirrored { -1.0 } else { 1.0 };
    let center = target.center();
    let thin = target.thinned();
    let directions: Vec<[f64; 2]> =
        thin.points.iter().map(|p| [sign * (p[0] - center[0]), sign * (p[1] - center[1])]).collect();
    let coarse = aperture.thinned();
    let product = |x: &[f64; 2], t: &[f64; 2]| x[0] * t[0] + x[1] * t[1];
    let all = || coarse.points.iter().flat_map(|x| directions.iter().map(move |t| product(x, t)));
    let deviation = (all().map(|c| c * c).sum::<f64>() / all().count() as f64).sqrt();
    if deviation == 0.0 {
        return vec![0.0; aperture.points.len()]; // A single direction: the focus is all there is to do.
    }
    let kernel = |points: &[[f64; 2]], entropy: f64| -> Vec<f64> {
        let pairs = points.iter().flat_map(|x| directions.iter().map(move |t| product(x, t) / entropy));
        pairs.map(f64::exp).collect()
    };
    // q = e^{−χ/ε}; exponents of the kernel stay below about 4/0.1, for |x·t| is at most a few deviations.
    let mut chi = vec![0.0; directions.len()];
    for entropy in ENTROPIES.map(|e| e * deviation) {
        let kernel = kernel(&coarse.points, entropy);
        let mut q: Vec<f64> = chi.iter().map(|chi: &f64| (-chi / entropy).exp()).collect();
        for _ in 0..ITERATIONS {
            let mut columns = vec![0.0; q.len()];
            for (row, mu) in kernel.chunks(q.len()).zip(&coarse.weights) {
                let p = mu / row_sum(row, &thin.weights, &q);
                columns.iter_mut().zip(row).for_each(|(sum, k)| *sum += p * k);
            }
            q = columns.iter().map(|sum| 1.0 / sum).collect();
        }
        chi = q.iter().map(|q| -entropy * q.ln()).collect();
    }
    let last = ENTROPIES[ENTROPIES.len() - 1] * deviation;
    let q: Vec<f64> = chi.iter().map(|chi| (-chi / last).exp()).collect();
    let kernel = kernel(&aperture.points, last);
    kernel.chunks(q.len()).map(|row| sign * last * row_sum(row, &thin.weights, &q).ln()).collect()
}

/// Σ_k K_k ν_k q_k = e^{φ/ε}
fn row_sum(row: &[f64], nu: &[f64], q: &[f64]) -> f64 {
    row.iter().zip(nu).zip(q).map(|((k, nu), q)| k * nu * q).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform over a rectangle, n × n points.
    fn rectangle(n: usize, [width, height]: [f64; 2], [x, y]: [f64; 2]) -> Cloud {
        let at = |i: usize, width: f64| width * ((i as f64 + 0.5) / n as f64 - 0.5);
        let points = (0..n * n).map(|k| [x + at(k % n, width), y + at(k / n, height)]).collect();
        Cloud::new(points, &vec![1.0; n * n])
    }

    #[test]
    fn between_rectangles_the_front_is_quadratic() {
        // Uniform to uniform: u = x w_u/w_x along each axis, so φ = x² w_u/(2 w_x) + ..., up to the entropy's blur, which shrinks the map
        // by little: gradients within 15 % of the closed form half-way out.
        let n = 31;
        let aperture = rectangle(n, [2.0, 1.0], [0.0, 0.0]);
        let target = rectangle(n, [0.1, 0.04], [0.3, -0.2]);
        for mirrored in [false, true] {
            let phi = transport(&aperture, &target, mirrored);
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
    fn a_single_direction_asks_for_nothing_but_the_focus() {
        let point = Cloud::new(vec![[0.1, 0.2]], &[3.0]);
        assert_eq!(transport(&rectangle(5, [1.0, 1.0], [0.0, 0.0]), &point, false), vec![0.0; 25]);
    }
}
