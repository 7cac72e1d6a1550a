//! Radiation intensity, radiated power, directivity and gain.

use crate::error::PatternError;
use crate::pattern::{Circle, Direction, Pattern};
use num_complex::Complex64;
use phasefront_core::constants::ETA0;
use std::f64::consts::{PI, TAU};

/// The weights of Clenshaw and Curtis take the square of the number of intervals to compute. With more of them, the linear rule is off by
/// less than 1e-7.
const MOST_INTERVALS: usize = 4096;

/// Radiation intensity U = (|rE_θ|² + |rE_φ|²) / 2η₀ of a field, W/sr.
pub(crate) fn intensity_of([theta, phi]: [Complex64; 2]) -> f64 {
    (theta.norm_sqr() + phi.norm_sqr()) / (2.0 * ETA0)
}

impl Pattern {
    /// Radiation intensity at every sample in W/sr, φ fastest.
    pub fn intensity(&self) -> Vec<f64> {
        self.fields().iter().map(|&field| intensity_of(field)).collect()
    }

    /// 4πU/P at every sample, φ fastest: directivity, gain or realized gain for the radiated, accepted or available power P in watts.
    pub fn gain(&self, power: f64) -> Vec<f64> {
        self.intensity().into_iter().map(|intensity| 4.0 * PI * intensity / power).collect()
    }

    /// 4πU/P in one direction, interpolated; none outside the grid.
    pub fn gain_toward(&self, direction: Direction, power: f64) -> Option<f64> {
        self.field(direction).map(|field| 4.0 * PI * intensity_of(field) / power)
    }

    /// Radiated power P = ∮ U dΩ in watts, by quadrature over the samples, which must cover the sphere.
    ///
    /// In φ by the trapezoidal rule, in θ by that of Clenshaw and Curtis where θ is uniform in up to 4096 steps: both converge
    /// exponentially, once the grid resolves the pattern. For other θ, U is taken to be linear between samples, and the error falls with
    /// the square of the step.
    ///
    /// ```
    /// # use num_complex::Complex64; use phasefront_pattern::{Pattern, Powers}; use std::f64::consts::PI;
    /// let theta: Vec<f64> = (0..=18).map(|i| PI / 18.0 * f64::from(i)).collect();
    /// let phi: Vec<f64> = (0..12).map(|j| PI / 6.0 * f64::from(j)).collect();
    /// // A Hertzian dipole: P = 2π·(4/3)/(2η₀) for rE_θ = sin θ volts.
    /// let fields = theta.iter().flat_map(|t| vec![[t.sin().into(), Complex64::ZERO]; 12]).collect();
    /// let pattern = Pattern::new(1e9, theta, phi, fields, Powers::default())?;
    /// let exact = 4.0 / 3.0 * PI / phasefront_core::constants::ETA0;
    /// assert!((pattern.radiated_power()? / exact - 1.0).abs() < 1e-14);
    /// # Ok::<(), phasefront_pattern::PatternError>(())
    /// ```
    pub fn radiated_power(&self) -> Result<f64, PatternError> {
        let missing = match (self.poles(), self.circle()) {
            ([true, true], Circle::Open | Circle::Closed) => None,
            ([true, true], Circle::Partial) => Some("phi is a part of the circle"),
            _ => Some("theta does not run from 0 to 180 deg"),
        };
        if let Some(problem) = missing {
            return Err(PatternError::Partial { problem: problem.into() });
        }
        let (in_phi, in_theta) = (self.azimuth_weights(), polar_weights(self.theta()));
        let rows = self.fields().chunks(self.phi().len());
        let ring = |row: &[[Complex64; 2]]| -> f64 {
            row.iter().zip(&in_phi).map(|(&field, weight)| weight * intensity_of(field)).sum()
        };
        Ok(rows.zip(in_theta).map(|(row, weight)| weight * ring(row)).sum())
    }

    /// Trapezoidal weights of a full circle, one for each azimuth; zero for one that repeats the first.
    fn azimuth_weights(&self) -> Vec<f64> {
        let (phi, count) = (self.phi(), self.distinct_azimuths());
        (0..phi.len())
            .map(|j| {
                if j >= count {
                    return 0.0;
                }
                let next = if j + 1 < count { phi[j + 1] } else { phi[0] + TAU };
                let previous = if j > 0 { phi[j - 1] } else { phi[count - 1] - TAU };
                0.5 * (next - previous)
            })
            .collect()
    }
}

/// Weights of ∫ U sin θ dθ from 0 to π.
fn polar_weights(theta: &[f64]) -> Vec<f64> {
    let intervals = theta.len() - 1;
    let step = PI / intervals as f64;
    let uniform = theta.iter().enumerate().all(|(i, angle)| (angle - step * i as f64).abs() < 1e-9);
    if uniform && intervals <= MOST_INTERVALS { clenshaw_curtis(intervals) } else { linear_weights(theta) }
}

/// Clenshaw-Curtis weights at θ_k = kπ/N: the integral of the cosine series through the samples,
/// w_k = c_k/N [1 − Σ_{j=1}^{N/2} b_j/(4j² − 1) cos 2jkπ/N], with b_j = 1 for j = N/2 and else 2, c_k = 1 at the ends and else 2.
fn clenshaw_curtis(intervals: usize) -> Vec<f64> {
    let cosines: Vec<f64> = (0..intervals).map(|m| (TAU * m as f64 / intervals as f64).cos()).collect();
    let weight = |k: usize| {
        let series: f64 = (1..=intervals / 2)
            .map(|j| {
                let b = if 2 * j == intervals { 1.0 } else { 2.0 };
                b / (4.0 * (j * j) as f64 - 1.0) * cosines[j * k % intervals]
            })
            .sum();
        let c = if k == 0 || k == intervals { 1.0 } else { 2.0 };
        c / intervals as f64 * (1.0 - series)
    };
    (0..=intervals).map(weight).collect()
}

/// Weights for U linear between samples, with ∫ sin θ and ∫ θ sin θ of every interval exact.
fn linear_weights(theta: &[f64]) -> Vec<f64> {
    let mut weights = vec![0.0; theta.len()];
    for (i, pair) in theta.windows(2).enumerate() {
        let [a, b] = [pair[0], pair[1]];
        let area = a.cos() - b.cos();
        // ∫ (θ − a) sin θ dθ over the interval, divided by its length.
        let upper = (b.sin() - a.sin() - (b - a) * b.cos()) / (b - a);
        weights[i] += area - upper;
        weights[i + 1] += upper;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_integrate_what_they_promise() {
        for intervals in [1, 2, 5, 8] {
            let weights = clenshaw_curtis(intervals);
            // ∫ cos²ⁿ θ sin θ dθ = 2/(2n + 1), exact for 2n ≤ N.
            for n in 0..=intervals / 2 {
                let sum: f64 = weights
                    .iter()
                    .enumerate()
                    .map(|(k, w)| w * (PI * k as f64 / intervals as f64).cos().powi(2 * n as i32))
                    .sum();
                assert!((sum - 2.0 / (2.0 * n as f64 + 1.0)).abs() < 1e-14, "{intervals} {n}: {sum}");
            }
        }
        // ∫ θ sin θ dθ = π on any grid.
        let grid = [0.0, 0.3, 1.1, 2.9, PI];
        let sum: f64 = linear_weights(&grid).iter().zip(grid).map(|(w, x)| w * x).sum();
        assert!((sum - PI).abs() < 1e-14);
    }
}
