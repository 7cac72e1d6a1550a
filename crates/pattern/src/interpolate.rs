//! The field between the samples.

use crate::pattern::{Circle, Direction, Pattern, SAME_ANGLE};
use crate::polarization::ludwig3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Samples per axis: cubic interpolation.
const NODES: usize = 4;

/// Up to four neighboring samples of one axis with Lagrange weights.
#[derive(Clone, Copy)]
struct Stencil {
    /// Index of the first, below zero or beyond the last where the axis continues there.
    first: isize,
    count: usize,
    weights: [f64; NODES],
}

impl Stencil {
    /// The neighbors of `x` among indices `low..=high`, whose coordinates rise.
    fn around(x: f64, low: isize, high: isize, coordinate: impl Fn(isize) -> f64) -> Self {
        let (mut below, mut above) = (low, high);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if coordinate(middle) <= x { below = middle } else { above = middle }
        }
        let count = NODES.min((high - low + 1) as usize);
        let first = (below - 1).clamp(low, high + 1 - count as isize);
        let mut weights = [0.0; NODES];
        for (node, weight) in weights.iter_mut().enumerate().take(count) {
            let here = coordinate(first + node as isize);
            *weight = (0..count)
                .filter(|&other| other != node)
                .map(|other| coordinate(first + other as isize))
                .map(|other| (x - other) / (here - other))
                .product();
        }
        Self { first, count, weights }
    }

    fn nodes(self) -> impl Iterator<Item = (isize, f64)> {
        (0..self.count).map(move |node| (self.first + node as isize, self.weights[node]))
    }
}

impl Pattern {
    /// [r E_θ, r E_φ] in any direction by cubic interpolation; none outside the grid.
    ///
    /// Across a pole the samples of the opposite azimuth are used: a field at (−θ, φ) is that at (θ, φ + π), where both unit vectors are
    /// reversed. The error falls with the fourth power of the step.
    pub fn field(&self, direction: Direction) -> Option<[Complex64; 2]> {
        self.interpolated(direction, |row, column, beyond| {
            let field = self.at(row, column);
            if beyond { field.map(|component| -component) } else { field }
        })
    }

    /// [r E_co, r E_cross] in any direction by Ludwig's third definition with its reference along +x (see [`Component`](crate::Component)), by
    /// cubic interpolation of these components; none outside the grid.
    ///
    /// Of an antenna that radiates along +z they vary little with φ, other than E_θ and E_φ, so that few azimuths are enough. At the pole
    /// θ = π the definition is singular. Across the other, a component at (−θ, φ) is that at (θ, φ + π).
    ///
    /// ```
    /// # use num_complex::Complex64; use phasefront_pattern::{Direction, Pattern, Powers};
    /// // A Huygens source polarized along x, four azimuths.
    /// let phi: Vec<f64> = (0..4).map(|j| std::f64::consts::FRAC_PI_2 * f64::from(j)).collect();
    /// let fields = phi.iter().map(|p| [p.cos(), -p.sin()].map(|c| Complex64::from(2.0 * c))).collect();
    /// let pattern = Pattern::new(1e9, vec![0.0], phi, fields, Powers::default())?;
    /// let [co, cross] = pattern.ludwig3(Direction { theta: 0.0, phi: 0.7 }).expect("inside");
    /// assert!((co - 2.0).norm() < 1e-14 && cross.norm() < 1e-14);
    /// # Ok::<(), phasefront_pattern::PatternError>(())
    /// ```
    pub fn ludwig3(&self, direction: Direction) -> Option<[Complex64; 2]> {
        self.interpolated(direction, |row, column, _| ludwig3(self.at(row, column), self.phi()[column]))
    }

    /// Cubic interpolation of a quantity of samples, given by their row and column and whether they stand beyond a pole.
    fn interpolated(
        &self,
        direction: Direction,
        sample: impl Fn(usize, usize, bool) -> [Complex64; 2],
    ) -> Option<[Complex64; 2]> {
        let Direction { theta, phi } = direction;
        let (angles, last) = (self.theta(), self.theta().len() - 1);
        if !phi.is_finite() || !(angles[0] - SAME_ANGLE..=angles[last] + SAME_ANGLE).contains(&theta) {
            return None;
        }
        let full = self.circle() != Circle::Partial;
        let [north, south] = self.poles().map(|pole| if pole && full { 2.min(last) as isize } else { 0 });
        let end = last as isize;
        let coordinate = |index: isize| match index {
            index if index < 0 => -angles[index.unsigned_abs()],
            index if index > end => TAU - angles[(2 * end - index) as usize],
            index => angles[index as usize],
        };
        // Beyond a pole the azimuth is the opposite one.
        let here = self.azimuths_around(phi)?;
        let opposite = if full { self.azimuths_around(phi + PI)? } else { here };
        let count = self.distinct_azimuths() as isize;
        let mut sum = [Complex64::ZERO; 2];
        for (index, in_theta) in Stencil::around(theta, -north, end + south, coordinate).nodes() {
            let beyond = index < 0 || index > end;
            let row = if index > end { 2 * end - index } else { index.abs() } as usize;
            let azimuths = if beyond { opposite } else { here };
            for (column, in_phi) in azimuths.nodes() {
                let [first, second] = sample(row, column.rem_euclid(count) as usize, beyond);
                sum[0] += first * (in_theta * in_phi);
                sum[1] += second * (in_theta * in_phi);
            }
        }
        Some(sum)
    }

    /// The samples next to an azimuth; none outside the grid.
    fn azimuths_around(&self, phi: f64) -> Option<Stencil> {
        let (angles, count) = (self.phi(), self.distinct_azimuths() as isize);
        let mut phi = angles[0] + (phi - angles[0]).rem_euclid(TAU);
        if self.circle() != Circle::Partial {
            let coordinate = |index: isize| {
                angles[index.rem_euclid(count) as usize] + TAU * index.div_euclid(count) as f64
            };
            return Some(Stencil::around(phi, -2, count + 1, coordinate));
        }
        // A direction a rounding before the first sample is now almost a turn after it.
        if TAU - (phi - angles[0]) < SAME_ANGLE {
            phi -= TAU;
        }
        let inside = phi <= angles[angles.len() - 1] + SAME_ANGLE;
        inside.then(|| Stencil::around(phi, 0, count - 1, |index| angles[index as usize]))
    }
}
