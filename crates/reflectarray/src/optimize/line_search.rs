//! Line search for a step that satisfies the strong Wolfe conditions: bracketing and cubic interpolation, algorithms 3.5 and 3.6 of J. Nocedal and
//! S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006.

use super::function::{Function, Point, dot};
use crate::parallel::BLOCK;
use phasefront_device::cpu::team;

/// c₁ of the sufficient-decrease (Armijo) condition, φ(α) ≤ φ(0) + c₁ α φ'(0).
const DECREASE: f64 = 1e-4;
/// c₂ of the curvature condition, |φ'(α)| ≤ c₂ |φ'(0)|: the usual value for quasi-Newton directions.
const CURVATURE: f64 = 0.9;
/// Maximum evaluations of one search.
const MAX_EVALUATIONS: usize = 25;

/// The function along a direction, φ(α) = f(x + αd).
struct Line<'a, E> {
    start: &'a Point,
    direction: &'a [f64],
    slope: f64,
    function: &'a mut dyn Function<E>,
    remaining: usize,
}

struct Trial {
    alpha: f64,
    value: f64,
    slope: f64,
    /// None at the start.
    point: Option<Point>,
}

/// Searches from `start` along `direction`, in which the value has `slope` there, first at `alpha`; `None` if no decrease is found.
pub(super) fn search<E>(
    start: &Point,
    (direction, slope): (&[f64], f64),
    mut alpha: f64,
    function: &mut dyn Function<E>,
) -> Result<Option<Point>, E> {
    // Not a descent direction, or not a number: no decrease can be guaranteed.
    if slope.is_nan() || slope >= 0.0 {
        return Ok(None);
    }
    let mut line = Line { start, direction, slope, function, remaining: MAX_EVALUATIONS };
    let mut previous = Trial { alpha: 0.0, value: start.value, slope, point: None };
    while line.remaining > 0 {
        let trial = line.at(alpha)?;
        // Unlike the first trial, later ones also fail if they are no better than the one before:
        // the minimum has been passed.
        if line.too_high(&trial) || (previous.alpha > 0.0 && trial.value >= previous.value) {
            // No sufficient decrease: the step is too long.
            return line.zoom(previous, trial);
        }
        if trial.slope.abs() <= -CURVATURE * slope {
            return Ok(trial.point);
        }
        if trial.slope >= 0.0 {
            // The slope has changed sign: the minimum is between the two trials.
            return line.zoom(trial, previous);
        }
        // Still descending: expand the bracket.
        alpha *= 3.0;
        previous = trial;
    }
    // Evaluations are exhausted while still descending: the last trial is an improvement.
    Ok(previous.point)
}

impl<E> Line<'_, E> {
    fn at(&mut self, alpha: f64) -> Result<Trial, E> {
        self.remaining -= 1;
        let (start, direction) = (&self.start.x, self.direction);
        let x = team::collect(start.len(), BLOCK, |own| {
            start[own.clone()].iter().zip(&direction[own]).map(|(start, d)| start + alpha * d)
        });
        let (value, gradient) = self.function.at(&x)?;
        let slope = dot(self.direction, &gradient);
        Ok(Trial { alpha, value, slope, point: Some(Point { x, value, gradient }) })
    }

    /// Whether the sufficient-decrease condition fails; NaN counts as a failure.
    fn too_high(&self, trial: &Trial) -> bool {
        let bound = self.start.value + DECREASE * trial.alpha * self.slope;
        trial.value.is_nan() || trial.slope.is_nan() || trial.value > bound
    }

    /// Narrows the bracket between `low`, the best point so far, and `high`.
    fn zoom(&mut self, mut low: Trial, mut high: Trial) -> Result<Option<Point>, E> {
        while self.remaining > 0 {
            let trial = self.at(cubic_minimum(&low, &high))?;
            if self.too_high(&trial) || trial.value >= low.value {
                high = trial;
                continue;
            }
            if trial.slope.abs() <= -CURVATURE * self.slope {
                return Ok(trial.point);
            }
            // The function rises toward `high`: the minimum is between the trial and the old `low`.
            if trial.slope * (high.alpha - low.alpha) >= 0.0 {
                high = low;
            }
            low = trial;
        }
        // `low` satisfies the sufficient decrease: usable,
        // although the curvature condition was not met.
        Ok(low.point)
    }
}

/// The minimum of the cubic interpolant of values and slopes at both ends (equation 3.59 there), away from the ends; the midpoint if
/// there is none.
fn cubic_minimum(low: &Trial, high: &Trial) -> f64 {
    let (width, s0, s1) = (high.alpha - low.alpha, low.slope, high.slope);
    let d1 = s0 + s1 - 3.0 * (high.value - low.value) / width;
    let d2 = (d1 * d1 - s0 * s1).sqrt().copysign(width);
    let share = 1.0 - (s1 + d2 - d1) / (s1 - s0 + 2.0 * d2);
    // At least a tenth away from both ends: the bracket
    // shrinks geometrically even if the model is poor.
    let share = if share.is_finite() { share.clamp(0.1, 0.9) } else { 0.5 };
    low.alpha + share * width
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn point(f: &mut dyn Function<Infallible>, x: Vec<f64>) -> Point {
        let Ok((value, gradient)) = f.at(&x);
        Point { x, value, gradient }
    }

    #[test]
    fn first_steps_far_too_short_or_too_long_end_within_the_wolfe_conditions() {
        // φ(α) of Moré and Thuente's first example, −α/(α² + 2); its minimum is at √2.
        let mut f = |x: &[f64]| {
            let a = x[0];
            Ok((-a / (a * a + 2.0), vec![(a * a - 2.0) / (a * a + 2.0).powi(2)]))
        };
        for alpha in [1e-3, 1e-1, 1.0, 10.0, 1e3] {
            let start = point(&mut f, vec![0.0]);
            let Ok(found) = search(&start, (&[1.0], start.gradient[0]), alpha, &mut f);
            let found = found.unwrap();
            assert!(found.value <= DECREASE * found.x[0] * start.gradient[0], "{alpha}: {found:?}");
            assert!(found.gradient[0].abs() <= CURVATURE * start.gradient[0].abs(), "{alpha}: {found:?}");
        }
    }

    #[test]
    fn values_that_are_no_numbers_are_backed_away_from_and_uphill_is_refused() {
        let mut f =
            |x: &[f64]| Ok(if x[0] > 1.0 { (f64::NAN, vec![f64::NAN]) } else { (-x[0], vec![-1.0 + x[0]]) });
        let start = point(&mut f, vec![0.0]);
        let Ok(found) = search(&start, (&[1.0], start.gradient[0]), 64.0, &mut f);
        assert!(found.unwrap().x[0] <= 1.0);
        let Ok(none) = search(&start, (&[-1.0], -start.gradient[0]), 1.0, &mut f);
        assert!(none.is_none());
    }
}
