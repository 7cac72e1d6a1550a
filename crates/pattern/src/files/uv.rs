//! From a grid of direction cosines u = sin θ cos φ and v = sin θ sin φ to a pattern.
//!
//! The samples are interpolated on rings θ = asin(n·h) with the step h of the grid, by cubic interpolation of the Ludwig-3 components,
//! which are smooth functions of u and v also on the axis.

use super::grasp::{Components, Grid};
use crate::error::PatternError;
use crate::pattern::{Pattern, Powers};
use num_complex::Complex64;
use std::f64::consts::TAU;

/// Samples per axis of the interpolation.
const NODES: usize = 4;

/// Uniform samples of one axis.
struct Axis {
    first: f64,
    step: f64,
    count: usize,
}

impl Axis {
    fn of(values: &[f64]) -> Option<Self> {
        let (&[first, second, ..], count) = (values, values.len()) else { return None };
        (count >= NODES && second > first).then_some(Self { first, step: second - first, count })
    }

    /// Distance from the axis of the beam to the nearer end.
    fn reach(&self) -> f64 {
        (-self.first).min(self.first + self.step * (self.count - 1) as f64)
    }

    /// Index of the first of four nodes, and their Lagrange weights.
    fn stencil(&self, x: f64) -> (usize, [f64; NODES]) {
        let position = (x - self.first) / self.step;
        let start = ((position.floor() as isize - 1).max(0) as usize).min(self.count - NODES);
        let local = position - start as f64;
        let weight = |node: usize| {
            (0..NODES).filter(|&m| m != node).map(|m| (local - m as f64) / (node as f64 - m as f64)).product()
        };
        (start, [0, 1, 2, 3].map(weight))
    }
}

/// The pattern of a uv grid.
pub(super) fn to_pattern(
    grid: &Grid,
    components: Components,
    frequency: f64,
) -> Result<Pattern, PatternError> {
    let refuse = |what: &str, advice: &str| {
        Err(PatternError::Unsupported { line: grid.line, what: what.into(), advice: advice.into() })
    };
    let (Some(u), Some(v)) = (Axis::of(&grid.x), Axis::of(&grid.y)) else {
        return refuse("a uv grid with fewer than four rising values of u or v", "export more samples");
    };
    let samples = smooth(grid, components);
    let (step, reach) = (u.step.max(v.step), u.reach().min(v.reach()).min(1.0));
    let rings = if reach > 0.0 { (reach / step + 1e-9).floor() as usize + 1 } else { 0 };
    // The outermost ring is sampled as densely as the grid; a multiple of four has the principal planes.
    let azimuths = ((TAU * reach / step / 4.0).ceil().max(2.0) as usize) * 4;
    let phi: Vec<f64> = (0..azimuths).map(|j| TAU * j as f64 / azimuths as f64).collect();
    let (mut theta, mut fields) = (Vec::new(), Vec::new());
    for ring in 0..rings {
        let radius = (step * ring as f64).min(1.0);
        let row: Option<Vec<_>> = phi
            .iter()
            .map(|&phi| {
                let field = interpolated(&samples, &u, &v, radius * phi.cos(), radius * phi.sin())?;
                Some(Components::Ludwig3.to_volts(field, phi))
            })
            .collect();
        // Missing samples, or the edge of the visible region: the rings inside are what the grid determines.
        let Some(row) = row else { break };
        theta.push(radius.asin());
        fields.extend(row);
    }
    if theta.len() < 2 {
        let advice = "export a uv grid about u = v = 0, or a theta-phi grid (IGRID 7)";
        return refuse("a uv grid that does not surround the axis", advice);
    }
    Pattern::new(frequency, theta, phi, fields, Powers::default())
}

/// Ludwig-3 components of the samples inside the visible region.
fn smooth(grid: &Grid, components: Components) -> Vec<Option<[Complex64; 2]>> {
    let directions = grid.y.iter().flat_map(|&v| grid.x.iter().map(move |&u| (u, v)));
    grid.fields
        .iter()
        .zip(directions)
        .map(|(sample, (u, v))| {
            let visible = u.hypot(v) <= 1.0 + 1e-9;
            sample.filter(|_| visible).map(|field| components.to_ludwig3(field, v.atan2(u)))
        })
        .collect()
}

/// The field between the samples; none where one of its neighbors is missing.
fn interpolated(
    samples: &[Option<[Complex64; 2]>],
    u: &Axis,
    v: &Axis,
    at_u: f64,
    at_v: f64,
) -> Option<[Complex64; 2]> {
    let ((column, in_u), (row, in_v)) = (u.stencil(at_u), v.stencil(at_v));
    let mut sum = [Complex64::ZERO; 2];
    for (m, weight_v) in in_v.into_iter().enumerate() {
        for (n, weight_u) in in_u.into_iter().enumerate() {
            let [co, cross] = samples[(row + m) * u.count + column + n]?;
            sum[0] += co * (weight_u * weight_v);
            sum[1] += cross * (weight_u * weight_v);
        }
    }
    Some(sum)
}
