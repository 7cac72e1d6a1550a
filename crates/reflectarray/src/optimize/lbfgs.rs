//! Limited-memory BFGS: D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Math. Programming 45
//! (1989), 503-528.
//!
//! The two-loop recursion needs one dot product after another, each of which depends on the last. All of them follow from products of
//! the vectors that are known before (W. Chen, Z. Wang, J. Zhou, "Large-scale L-BFGS using MapReduce", NIPS 27 (2014)): threads compute
//! these at once, and the recursion is one of numbers.

use super::function::{Function, Point, dot_of_block, max_norm};
use super::line_search::search;
use crate::parallel::BLOCK;
use phasefront_device::cpu::team;
use std::collections::VecDeque;

/// Settings of a minimization.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lbfgs {
    /// Number of curvature pairs (s, y).
    pub memory: usize,
    /// Maximum iterations.
    pub iterations: usize,
    /// Largest component of the first step.
    pub first_step: f64,
    /// Stopping criterion: the decrease of the value over [`WINDOW`] iterations.
    pub min_decrease: f64,
}

/// Iterations over which the decrease is measured: single ones may be poor.
const WINDOW: usize = 10;

/// Curvature pair: a step s and the change y of the gradient along it.
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    /// s_iᵀy and y_iᵀy with the pairs i up to this one, oldest first.
    products: VecDeque<[f64; 2]>,
}

/// The latest pairs, and their products with a gradient.
#[derive(Default)]
struct Curvature {
    pairs: VecDeque<Pair>,
    /// sᵀg and yᵀg of every pair, g the gradient at the last point.
    along: Vec<[f64; 2]>,
    /// The vectors of a pair that has been dropped, for the next.
    spare: Option<[Vec<f64>; 2]>,
}

impl Lbfgs {
    /// Minimizes from the initial guess `x`.
    pub fn minimize<E>(&self, x: Vec<f64>, function: &mut dyn Function<E>) -> Result<Point, E> {
        let (value, gradient) = function.at(&x)?;
        let mut point = Point { x, value, gradient };
        let mut curvature = Curvature::default();
        let mut values = VecDeque::from([value]);
        let mut direction = Vec::new();
        for _ in 0..self.iterations {
            // A stationary point: no direction of descent.
            if point.gradient.iter().all(|g| *g == 0.0) {
                break;
            }
            let slope = curvature.search_direction(&point.gradient, &mut direction);
            // Without curvature the step length is arbitrary: limit its largest component. Later, the quasi-Newton step.
            let alpha = if curvature.pairs.is_empty() { self.first_step / max_norm(&direction) } else { 1.0 };
            let Some(next) = search(&point, (&direction, slope), alpha, function)? else {
                if curvature.pairs.is_empty() {
                    break; // No decrease along the steepest descent either: the limit of rounding.
                }
                // Bad curvature information: restart with steepest descent.
                curvature = Curvature::default();
                continue;
            };
            curvature.store_pair(&point, &next, self.memory);
            point = next;
            function.accepted(&point)?;
            values.push_back(point.value);
            // Once the grid is full, its oldest value leaves with every iteration.
            if values.len() > WINDOW
                && values.pop_front().is_some_and(|v| v - point.value < self.min_decrease)
            {
                break;
            }
        }
        Ok(point)
    }
}

impl Curvature {
    /// −H g by the two-loop recursion (algorithm 7.4 of Nocedal and Wright), H scaled by γ = sᵀy/yᵀy of the latest pair.
    ///
    /// ```text
    /// q = −g − Σ α_j y_j,           α_i = s_iᵀq/s_iᵀy_i   from the latest pair, with the q of the later ones
    /// r = γ q + Σ (α_j − β_j) s_j,   β_i = y_iᵀr/s_iᵀy_i   from the oldest pair, with the r of the earlier ones
    /// ```
    ///
    /// Returns its slope, rᵀg.
    fn search_direction(&self, gradient: &[f64], direction: &mut Vec<f64>) -> f64 {
        let Self { pairs, along, .. } = self;
        let n = pairs.len();
        // s_iᵀy_j and y_iᵀy_j of pairs i ≤ j, side by side: this part is done by one thread.
        let mut table = vec![[0.0; 2]; n * n];
        for (row, pair) in table.chunks_mut(n.max(1)).zip(pairs) {
            row.iter_mut().zip(&pair.products).for_each(|(entry, products)| *entry = *products);
        }
        let [sy, yy] = [0, 1].map(|which| {
            let table = &table;
            move |i: usize, j: usize| table[j * n + i][which]
        });
        let mut alpha = vec![0.0; n];
        for i in (0..n).rev() {
            let later: f64 = (i + 1..n).map(|j| alpha[j] * sy(i, j)).sum();
            alpha[i] = (-along[i][0] - later) / sy(i, i);
        }
        // γ estimates the inverse curvature along the last step; the first trial step is then close to 1.
        let gamma = n.checked_sub(1).map_or(1.0, |last| sy(last, last) / yy(last, last));
        // Factors of s_i and of y_i in the direction.
        let mut factors: Vec<[f64; 2]> = Vec::with_capacity(n);
        for i in 0..n {
            let of_q: f64 = (0..n).map(|j| alpha[j] * yy(i.min(j), i.max(j))).sum();
            let earlier: f64 = factors.iter().enumerate().map(|(j, [s, _])| s * sy(j, i)).sum();
            let beta = (gamma * (-along[i][1] - of_q) + earlier) / sy(i, i);
            factors.push([alpha[i] - beta, -gamma * alpha[i]]);
        }
        direction.resize(gradient.len(), 0.0);
        let slopes = team::map_mut(BLOCK, &mut direction[..], |first, direction: &mut [f64]| {
            let gradient = &gradient[first..][..direction.len()];
            direction.iter_mut().zip(gradient).for_each(|(d, g)| *d = -gamma * g);
            for (Pair { s, y, .. }, [of_s, of_y]) in pairs.iter().zip(&factors) {
                let terms = s[first..].iter().zip(&y[first..]);
                direction.iter_mut().zip(terms).for_each(|(d, (s, y))| *d += of_s * s + of_y * y);
            }
            dot_of_block(direction, gradient)
        });
        slopes.into_iter().sum()
    }

    /// Stores the pair of one step if its curvature sᵀy is positive, which the Wolfe conditions guarantee up to rounding; and the products with
    /// the gradient at its end.
    fn store_pair(&mut self, from: &Point, to: &Point, memory: usize) {
        let len = to.x.len();
        let [mut s, mut y] = self.spare.take().unwrap_or_else(|| [vec![0.0; len], vec![0.0; len]]);
        let pairs = &self.pairs;
        // Of each block the products of the earlier pairs, then of the new one, with y and with the gradient.
        let parts = team::map_mut(BLOCK, (&mut s[..], &mut y[..]), |first, (s, y)| {
            let own = first..first + s.len();
            let gradient = &to.gradient[own.clone()];
            subtract(s, &to.x[own.clone()], &from.x[own.clone()]);
            subtract(y, gradient, &from.gradient[own.clone()]);
            let products = |s: &[f64], of_y: &[f64]| {
                [&*y, gradient].map(|v| [dot_of_block(s, v), dot_of_block(of_y, v)])
            };
            let mut part = Vec::with_capacity(pairs.len() + 1);
            part.extend(pairs.iter().map(|pair| products(&pair.s[own.clone()], &pair.y[own.clone()])));
            part.push(products(s, y));
            part
        });
        let mut sums = vec![[[0.0; 2]; 2]; pairs.len() + 1];
        for part in &parts {
            let values = sums.as_flattened_mut().as_flattened_mut().iter_mut();
            values.zip(part.as_flattened().as_flattened()).for_each(|(sum, part)| *sum += part);
        }
        let [sy, yy] = sums[pairs.len()][0];
        // Relative to yᵀy: a pair with vanishing curvature would give an unbounded step.
        if sy > f64::EPSILON * yy {
            let products = sums.iter().map(|[with_y, _]| *with_y).collect();
            self.pairs.push_back(Pair { s, y, products });
        } else {
            sums.pop();
            self.spare = Some([s, y]);
        }
        self.along = sums.iter().map(|[_, with_gradient]| *with_gradient).collect();
        if self.pairs.len() > memory
            && let Some(oldest) = self.pairs.pop_front()
        {
            self.spare = Some([oldest.s, oldest.y]);
            self.along.remove(0);
            for pair in &mut self.pairs {
                pair.products.pop_front();
            }
        }
    }
}

/// a − b
fn subtract(difference: &mut [f64], a: &[f64], b: &[f64]) {
    difference.iter_mut().zip(a.iter().zip(b)).for_each(|(difference, (a, b))| *difference = a - b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const LBFGS: Lbfgs = Lbfgs { memory: 10, iterations: 500, first_step: 0.1, min_decrease: 1e-18 };

    /// Rosenbrock's function chained over n variables; its minimum is 0 at (1, ..., 1).
    #[expect(clippy::unnecessary_wraps, reason = "the signature of a function that may fail")]
    fn rosenbrock(x: &[f64]) -> Result<(f64, Vec<f64>), Infallible> {
        let mut gradient = vec![0.0; x.len()];
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            value += a * a + 100.0 * b * b;
            gradient[i] += -2.0 * a - 400.0 * b * x[i];
            gradient[i + 1] += 200.0 * b;
        }
        Ok((value, gradient))
    }

    struct Valley {
        evaluations: usize,
        moves: usize,
    }

    impl Function<Infallible> for Valley {
        fn at(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), Infallible> {
            self.evaluations += 1;
            rosenbrock(x)
        }

        fn accepted(&mut self, _: &Point) -> Result<(), Infallible> {
            self.moves += 1;
            Ok(())
        }
    }

    #[test]
    fn rosenbrocks_valley_is_followed_to_its_end() {
        let initial = [-1.2, 1.0].repeat(10);
        let mut valley = Valley { evaluations: 0, moves: 0 };
        let Ok(end) = LBFGS.minimize(initial, &mut valley);
        assert!(end.x.iter().all(|x| (x - 1.0).abs() < 1e-7), "{end:?}");
        assert!(valley.moves < 200 && valley.evaluations < 300, "{} {}", valley.moves, valley.evaluations);
    }

    #[test]
    fn a_badly_scaled_quadratic_needs_few_iterations_and_a_stop_is_passed_on() {
        let mut f = |x: &[f64]| {
            let terms = x.iter().enumerate().map(|(i, x)| (10f64.powi(i as i32), x - 1.0));
            let value = terms.clone().map(|(k, d)| 0.5 * k * d * d).sum();
            Ok::<_, Infallible>((value, terms.map(|(k, d)| k * d).collect()))
        };
        let Ok(end) = LBFGS.minimize(vec![0.0; 5], &mut f);
        assert!(end.x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{end:?}");
        let mut count = 0;
        let mut stop = |x: &[f64]| {
            count += 1;
            if count > 7 { Err("stop") } else { rosenbrock(x).map_err(|never| match never {}) }
        };
        assert_eq!(LBFGS.minimize(vec![0.0; 4], &mut stop).unwrap_err(), "stop");
    }
}
