//! Limited-memory BFGS: D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Math. Programming 45
//! (1989), 503-528.

use super::function::{Function, Point, dot, max_norm};
use super::line_search::search;
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

/// Curvature pair: a step s and the change y of the gradient along it, with ρ = 1/(sᵀy).
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

impl Lbfgs {
    /// Minimizes from the initial guess `x`.
    pub fn minimize<E>(&self, x: Vec<f64>, function: &mut dyn Function<E>) -> Result<Point, E> {
        let (value, gradient) = function.at(&x)?;
        let mut point = Point { x, value, gradient };
        let mut pairs: VecDeque<Pair> = VecDeque::new();
        let mut values = VecDeque::from([value]);
        for _ in 0..self.iterations {
            // A stationary point: no direction of descent.
            if point.gradient.iter().all(|g| *g == 0.0) {
                break;
            }
            let direction = search_direction(&point.gradient, &pairs);
            // Without curvature the step length is arbitrary: limit its largest component. Later, the quasi-Newton step.
            let alpha = if pairs.is_empty() { self.first_step / max_norm(&direction) } else { 1.0 };
            let Some(next) = search(&point, &direction, alpha, function)? else {
                if pairs.is_empty() {
                    break; // No decrease along the steepest descent either: the limit of rounding.
                }
                // Bad curvature information: restart with steepest descent.
                pairs.clear();
                continue;
            };
            store_pair(&mut pairs, &point, &next, self.memory);
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

/// −H g by the two-loop recursion (algorithm 7.4 of Nocedal and Wright), H scaled by sᵀy/yᵀy of the latest pair.
fn search_direction(gradient: &[f64], pairs: &VecDeque<Pair>) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let alpha = pair.rho * dot(&pair.s, &q);
        add(&mut q, -alpha, &pair.y);
        alphas.push(alpha);
    }
    if let Some(last) = pairs.back() {
        // γ = sᵀy/yᵀy estimates the inverse curvature along the last step; the first trial step is
        // then close to 1.
        let scale = 1.0 / (last.rho * dot(&last.y, &last.y));
        for q in &mut q {
            *q *= scale;
        }
    }
    for (pair, alpha) in pairs.iter().zip(alphas.iter().rev()) {
        let beta = pair.rho * dot(&pair.y, &q);
        add(&mut q, alpha - beta, &pair.s);
    }
    q
}

/// Stores the pair of one step if its curvature sᵀy is positive, which the Wolfe conditions guarantee up to rounding.
fn store_pair(pairs: &mut VecDeque<Pair>, from: &Point, to: &Point, memory: usize) {
    let difference = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let s = difference(&to.x, &from.x);
    let y = difference(&to.gradient, &from.gradient);
    let (sy, yy) = (dot(&s, &y), dot(&y, &y));
    // Relative to yᵀy: a pair with vanishing curvature would give an unbounded step.
    if sy > f64::EPSILON * yy {
        pairs.push_back(Pair { rho: 1.0 / sy, s, y });
        if pairs.len() > memory {
            pairs.pop_front();
        }
    }
}

fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
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
