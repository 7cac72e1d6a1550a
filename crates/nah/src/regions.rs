//! Sound power through parts of a plane, with the field indicators of ISO 9614-1:1993, annex A, of the points in them.

use crate::metrics::REFERENCE_PRESSURE;
use crate::problem::Problem;
use crate::solution::{Beamformed, Plane};
use phasefront_core::decibels::power_db;

/// Reference of sound intensity levels, W/m².
const REFERENCE_INTENSITY: f64 = 1e-12;

/// A rectangle of a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name in tables.
    pub name: String,
    /// From and to along x, m.
    pub x: [f64; 2],
    /// From and to along y, m.
    pub y: [f64; 2],
}

/// Sound power through a region of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionPower {
    /// How many grid points it has, by the parts of their areas that are in it.
    pub points: f64,
    /// The area of these parts, m².
    pub area: f64,
    /// Sound power, W; negative toward the source.
    pub power: f64,
    /// The power that the expected errors of all points together make, if all have the same sign, W.
    pub power_error: f64,
    /// The part of Σ|P_i| that flows toward the source.
    pub negative_fraction: f64,
    /// F₂, the surface pressure-intensity indicator, dB: the level of the mean square of the pressure above that of the mean of |I|.
    pub f2: f64,
    /// F₃, the negative partial power indicator, dB: the same above the level of the mean of I; NaN where more power flows toward the source.
    pub f3: f64,
    /// F₄, the field nonuniformity indicator: the standard deviation of I over the points, relative to its mean.
    pub f4: f64,
}

/// The length that two intervals share.
fn overlap(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[1].min(b[1]) - a[0].max(b[0])).max(0.0)
}

impl Region {
    /// The part of the area of each grid point that is in it: cells of a pitch around the points.
    fn weights(&self, problem: &Problem) -> Vec<f64> {
        let grid = problem.grid;
        let part =
            |at: f64, pitch: f64, side: [f64; 2]| overlap([at - 0.5 * pitch, at + 0.5 * pitch], side) / pitch;
        let weight = |[x, y]: [f64; 2]| part(x, grid.pitch[0], self.x) * part(y, grid.pitch[1], self.y);
        grid.positions().into_iter().map(weight).collect()
    }

    /// Whether there is any of the plane in it.
    pub fn is_on_grid(&self, problem: &Problem) -> bool {
        self.weights(problem).iter().any(|weight| *weight > 0.0)
    }

    /// The power of a hologram through it.
    pub fn power(&self, problem: &Problem, plane: &Plane) -> RegionPower {
        let (grid, fine) = (problem.grid, problem.grid.refined(problem.refine));
        // Grid point (x, y) is point (refine x, refine y) of the saved plane.
        let saved = |i: usize| problem.refine * (i / grid.columns * fine.columns + i % grid.columns);
        let weights = self.weights(problem);
        let sum = |of: &dyn Fn(usize) -> f64| -> f64 {
            weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(i, w)| w * of(i)).sum()
        };
        let intensity = |i: usize| plane.intensity[saved(i)];
        let points: f64 = weights.iter().sum();
        let (net, gross) = (sum(&intensity) / points, sum(&|i| intensity(i).abs()) / points);
        // Of amplitudes: half of their squares.
        let square = sum(&|i| 0.5 * plane.pressure[saved(i)].norm_sqr()) / points;
        let error = sum(&|i| {
            let (p, u) = (plane.pressure[saved(i)].norm(), plane.velocity[saved(i)].norm());
            let (of_p, of_u) = (plane.pressure_error[i], plane.velocity_error[i]);
            0.5 * (p * of_u + u * of_p + of_p * of_u)
        });
        let variance = sum(&|i| (intensity(i) - net).powi(2)) / (points - 1.0);
        let cell = grid.pitch[0] * grid.pitch[1];
        let level = power_db(square / (REFERENCE_PRESSURE * REFERENCE_PRESSURE));
        let above = |intensity: f64| level - power_db(intensity / REFERENCE_INTENSITY);
        RegionPower {
            points,
            area: points * cell,
            power: net * points * cell,
            power_error: error * cell,
            negative_fraction: 0.5 * (1.0 - net / gross),
            f2: above(gross),
            f3: if net > 0.0 { above(net) } else { f64::NAN },
            f4: if points > 1.0 { variance.max(0.0).sqrt() / net.abs() } else { f64::NAN },
        }
    }

    /// |A|² of the monopoles of a beamforming map in it, Pa² m².
    pub fn strength(&self, found: &Beamformed) -> f64 {
        let is_in = |[x, y]: [f64; 2]| self.x[0] <= x && x < self.x[1] && self.y[0] <= y && y < self.y[1];
        let points = found.focus.positions().into_iter().zip(&found.map.powers);
        points.filter(|(at, _)| is_in(*at)).map(|(_, power)| power).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::input::{Input, Spectrum};
    use num_complex::Complex64;

    fn problem(refine: usize) -> Problem {
        let grid = Grid { columns: 4, rows: 3, pitch: [0.1, 0.2] };
        let pressure = vec![Complex64::ONE; 12];
        Problem {
            refine,
            ..Problem::new(grid, 0.1, Input::Spectra(vec![Spectrum { frequency: 1.0, pressure }]))
        }
    }

    /// A plane with these intensities at the grid points, and others between them.
    fn plane(problem: &Problem, pressure: f64, intensity: impl Fn([f64; 2]) -> f64) -> Plane {
        let fine = problem.grid.refined(problem.refine);
        let all = |value: f64| vec![Complex64::from(value); fine.len()];
        Plane {
            distance: 0.1,
            pressure: all(pressure),
            velocity: all(0.5),
            intensity: fine.positions().into_iter().map(intensity).collect(),
            pressure_error: vec![0.2; 12],
            velocity_error: vec![0.1; 12],
            power: f64::NAN,
        }
    }

    /// A plane wave has F₂ = F₃ = 10 lg(ρc I₀/p₀²) and F₄ = 0, and the parts of the plane add to the whole, wherever the line between them is.
    #[test]
    fn powers_of_regions_add() {
        for refine in [1, 3] {
            let problem = problem(refine);
            let plane = plane(&problem, 2.0, |_| 2.0 / 413.0);
            let region = |x: [f64; 2]| Region { name: String::new(), x, y: [-1.0, 1.0] };
            let [left, right] = [[-1.0, 0.033], [0.033, 1.0]].map(|x| region(x).power(&problem, &plane));
            let whole = 2.0 / 413.0 * 0.4 * 0.6;
            assert!(
                (left.power + right.power - whole).abs() < 1e-12 && (left.area - 0.233 * 0.6).abs() < 1e-12
            );
            let exact = 10.0 * (413.0 * 1e-12 / 4e-10_f64).log10();
            assert!((left.f2 - exact).abs() < 1e-9 && (left.f3 - exact).abs() < 1e-9, "{}", left.f2);
            assert!(left.f4 < 1e-6 && left.negative_fraction.abs() < 1e-12);
            // (2.0 · 0.1 + 0.5 · 0.2 + 0.02)/2 for each m².
            assert!((left.power_error - 0.16 * left.area).abs() < 1e-12);
        }
        assert!(!Region { name: String::new(), x: [3.0, 4.0], y: [-1.0, 1.0] }.is_on_grid(&problem(1)));
    }

    /// By hand: 3 of four columns with 2 W/m², one with −2: Σ|I| is twice ΣI, so that F₃ is 3.01 dB above F₂, and a quarter of Σ|I| is negative. The variance is
    /// (9 · 1 + 3 · 9)/11.
    #[test]
    fn indicators_by_hand() {
        let problem = problem(1);
        let plane = plane(&problem, 1.0, |[x, _]| if x > 0.1 { -2.0 } else { 2.0 });
        let found = Region { name: String::new(), x: [-1.0, 1.0], y: [-1.0, 1.0] }.power(&problem, &plane);
        assert!((found.f3 - found.f2 - 10.0 * 2_f64.log10()).abs() < 1e-9);
        assert!((found.negative_fraction - 0.25).abs() < 1e-12);
        assert!((found.f2 - 10.0 * (0.5 / 4e-10 / 2e12_f64).log10()).abs() < 1e-9, "{}", found.f2);
        assert!((found.f4 - (36.0_f64 / 11.0).sqrt()).abs() < 1e-12, "{}", found.f4);
        let all_negative = Region { name: String::new(), x: [0.1, 1.0], y: [-1.0, 1.0] };
        let found = all_negative.power(&problem, &plane);
        assert!(found.f3.is_nan() && found.power < 0.0 && (found.negative_fraction - 1.0).abs() < 1e-12);
    }
}
