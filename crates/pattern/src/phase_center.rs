//! The phase center: the point from which a part of the pattern seems to come.

use crate::error::PatternError;
use crate::pattern::{Direction, Pattern};
use crate::polarization::Component;
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;

/// Fits after the first estimate: they are linear, so that one would do, but for phases that only then no longer exceed half a turn.
const CORRECTIONS: usize = 2;
/// Least ratio of pivots at which the three coordinates count as determined.
const SINGULAR: f64 = 1e-12;

/// A fit of the phase by that of a spherical wave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseCenter {
    /// Where the wave comes from, in meters from the origin.
    pub position: [f64; 3],
    /// Deviation of the phase from the fit in radians, root mean square, weighted by power.
    pub residual: f64,
}

/// A sample inside the cone.
struct Sample {
    unit: [f64; 3],
    value: Complex64,
    /// Solid angle that it stands for, up to a constant.
    weight: f64,
}

impl Pattern {
    /// The phase center of a component over a cone about a direction, all angles in radians: the least squares fit of its phase by
    /// ψ₀ + k r̂·c, weighted by power and solid angle.
    ///
    /// The first estimate of c comes from phase differences of neighboring samples, so that no phase need be unwrapped; they must be less
    /// than half a turn. Then the phase of the estimate is removed and the remainder fitted.
    pub fn phase_center(
        &self,
        component: Component,
        axis: Direction,
        half_angle: f64,
    ) -> Result<PhaseCenter, PatternError> {
        let k = wavenumber(self.frequency());
        let samples = self.in_cone(component, axis, half_angle);
        let mut position = self.first_estimate(&samples, k)?;
        let inside: Vec<&Sample> = samples.iter().flatten().collect();
        let mut residual = 0.0;
        for _ in 0..CORRECTIONS {
            let (step, deviation) = correction(&inside, position, k)?;
            residual = deviation;
            for (coordinate, step) in position.iter_mut().zip(step) {
                *coordinate += step;
            }
        }
        Ok(PhaseCenter { position, residual })
    }

    /// The samples, φ fastest, without those outside the cone and those that repeat the first azimuth.
    fn in_cone(&self, component: Component, axis: Direction, half_angle: f64) -> Vec<Option<Sample>> {
        let (axis, edge, distinct) = (axis.unit(), half_angle.cos(), self.distinct_azimuths());
        let values = self.component(component);
        let columns = self.phi().len();
        let sample = |(index, value): (usize, Complex64)| {
            let [i, j] = [index / columns, index % columns];
            let theta = self.theta()[i];
            let unit = Direction { theta, phi: self.phi()[j] }.unit();
            (j < distinct && dot(unit, axis) >= edge - 1e-12).then(|| Sample {
                unit,
                value,
                weight: theta.sin().abs(),
            })
        };
        values.into_iter().enumerate().map(sample).collect()
    }

    /// c from arg(E_a E_b*) = k (r̂_a − r̂_b)·c of neighbors along θ and φ.
    fn first_estimate(&self, samples: &[Option<Sample>], k: f64) -> Result<[f64; 3], PatternError> {
        let columns = self.phi().len();
        let mut fit = Fit::default();
        for (index, sample) in samples.iter().enumerate() {
            let Some(a) = sample else { continue };
            let next_in_row = ((index + 1) % columns != 0).then_some(index + 1);
            for other in [next_in_row, Some(index + columns)].into_iter().flatten() {
                let Some(b) = samples.get(other).and_then(Option::as_ref) else { continue };
                let product = a.value * b.value.conj();
                let difference = [0, 1, 2].map(|axis| k * (a.unit[axis] - b.unit[axis]));
                fit.add(difference, product.arg(), product.norm() * (a.weight + b.weight));
            }
        }
        fit.solve()
    }
}

/// One equation k r̂·Δc + ψ₀ = phase.
struct Equation {
    row: [f64; 3],
    phase: f64,
    weight: f64,
}

/// One Gauss-Newton step, and the deviation that it leaves.
fn correction(samples: &[&Sample], position: [f64; 3], k: f64) -> Result<([f64; 3], f64), PatternError> {
    let remainder = |sample: &Sample| sample.value * Complex64::cis(-k * dot(sample.unit, position));
    let mean: Complex64 = samples.iter().map(|s| remainder(s) * s.value.norm() * s.weight).sum();
    let back = Complex64::cis(-mean.arg());
    let mut equations: Vec<Equation> = samples
        .iter()
        .map(|s| Equation {
            row: s.unit.map(|u| k * u),
            phase: (remainder(s) * back).arg(),
            weight: s.value.norm_sqr() * s.weight,
        })
        .collect();
    // ψ₀ is eliminated by subtracting weighted means.
    let total: f64 = equations.iter().map(|e| e.weight).sum();
    let center = [0, 1, 2].map(|axis| equations.iter().map(|e| e.weight * e.row[axis]).sum::<f64>() / total);
    let phase = equations.iter().map(|e| e.weight * e.phase).sum::<f64>() / total;
    let mut fit = Fit::default();
    for equation in &mut equations {
        equation.row = [0, 1, 2].map(|axis| equation.row[axis] - center[axis]);
        equation.phase -= phase;
        fit.add(equation.row, equation.phase, equation.weight);
    }
    let step = fit.solve()?;
    let deviation: f64 = equations.iter().map(|e| e.weight * (e.phase - dot(e.row, step)).powi(2)).sum();
    Ok((step, (deviation / total).sqrt()))
}

/// Normal equations of three unknowns.
#[derive(Default)]
struct Fit {
    matrix: [[f64; 3]; 3],
    right: [f64; 3],
}

impl Fit {
    fn add(&mut self, row: [f64; 3], value: f64, weight: f64) {
        for i in 0..3 {
            for j in 0..3 {
                self.matrix[i][j] += weight * row[i] * row[j];
            }
            self.right[i] += weight * row[i] * value;
        }
    }

    /// Elimination with the greatest diagonal entry as the pivot, which a positive semidefinite matrix allows.
    fn solve(mut self) -> Result<[f64; 3], PatternError> {
        let scale = (0..3).map(|i| self.matrix[i][i]).fold(0.0, f64::max);
        let mut order = [0, 1, 2];
        for step in 0..3 {
            let pivot = (step..3)
                .max_by(|&a, &b| self.matrix[order[a]][order[a]].total_cmp(&self.matrix[order[b]][order[b]]))
                .unwrap_or(step);
            order.swap(step, pivot);
            let p = order[step];
            let determined = self.matrix[p][p] > SINGULAR * scale;
            if !determined {
                return Err(PatternError::PhaseCenter {
                    problem: "the directions of the cone do not span space, or the component vanishes there"
                        .into(),
                });
            }
            for &row in &order[step + 1..] {
                let factor = self.matrix[row][p] / self.matrix[p][p];
                for column in 0..3 {
                    self.matrix[row][column] -= factor * self.matrix[p][column];
                }
                self.right[row] -= factor * self.right[p];
            }
        }
        let mut solution = [0.0; 3];
        for step in (0..3).rev() {
            let p = order[step];
            let known: f64 = order[step + 1..].iter().map(|&c| self.matrix[p][c] * solution[c]).sum();
            solution[p] = (self.right[p] - known) / self.matrix[p][p];
        }
        Ok(solution)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
