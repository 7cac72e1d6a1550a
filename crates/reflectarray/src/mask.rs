//! The mask: the samples of each region, and the bounds on D there.

use crate::problem::{Problem, Region};
use phasefront_core::FieldError;
use phasefront_core::decibels::{power_db, power_ratio};
use rayon::prelude::*;
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::Arc;

/// Bounds on |E|² at the samples: all lower bounds, then all upper bounds. Changed bounds are always a new allocation, so that an
/// engine recognizes by the pointer those it has uploaded.
pub(crate) type IntensityBounds = Arc<[f64]>;

/// Bounds on the directivity at the points of the grid, u fastest; samples with u² + v² > 1 have none.
#[derive(Debug, Clone)]
pub struct Mask {
    /// Samples of each region ([`Region::has_sample`]), ascending.
    pub regions: Vec<Vec<usize>>,
    /// Samples of any region, ascending.
    pub covered: Vec<usize>,
    /// Lower bound of D at each sample, linear; 0 where there is none.
    pub lower: Vec<f64>,
    /// Upper bound, linear; infinite where there is none.
    pub upper: Vec<f64>,
    /// Lower bound of each region, dBi.
    pub(crate) region_lower: Vec<f64>,
}

impl Mask {
    /// The mask of a problem. Regions without samples, and overlapping regions with contradictory bounds, are errors.
    pub(crate) fn new(problem: &Problem) -> Result<Self, FieldError> {
        let samples = samples(problem);
        let inside = |region: &Region| -> Vec<usize> {
            // Visible space only: directivity is undefined beyond.
            let inside = |p: [f64; 2]| is_visible(p) && region.has_sample(p, problem.uv_grid.spacing);
            // Outlines of coasts have thousands of corners.
            (0..samples.len()).into_par_iter().filter(|&i| inside(samples[i])).collect()
        };
        let regions: Vec<Vec<usize>> = problem.coverage.iter().map(inside).collect();
        if let Some(i) = regions.iter().position(Vec::is_empty) {
            return Err(empty_region(problem, i));
        }
        let mut covered: Vec<usize> = regions.concat();
        covered.sort_unstable();
        covered.dedup();
        // Where no bound is given, the target is what an ideal pattern could attain.
        let attainable = attainable(problem, covered.iter().map(|&i| samples[i]));
        let region_lower = problem.coverage.iter().map(|r| r.lower.unwrap_or(attainable)).collect();
        let (lower, upper) = (vec![0.0; samples.len()], vec![f64::INFINITY; samples.len()]);
        let mut mask = Self { regions, covered, lower, upper, region_lower };
        // Upper bounds first: lower ones are capped by them.
        mask.set_upper(problem, &samples);
        mask.check_overlaps(problem, &samples)?;
        mask.apply_lower();
        Ok(mask)
    }

    /// Sets the lower bound of one region, dBi; where an upper bound is lower, that one holds.
    pub(crate) fn set_lower(&mut self, region: usize, dbi: f64) {
        self.region_lower[region] = dbi;
        self.apply_lower();
    }

    /// The bounds in |E|² = D/scale.
    pub(crate) fn on_intensity(&self, scale: f64) -> IntensityBounds {
        self.lower.iter().chain(&self.upper).map(|d| d / scale).collect()
    }

    fn set_upper(&mut self, problem: &Problem, samples: &[[f64; 2]]) {
        for (region, inside) in problem.coverage.iter().zip(&self.regions) {
            let Some(upper) = region.upper.map(power_ratio) else { continue };
            // Upper bounds hold inside the polygons; lower bounds also at the samples around them.
            for &i in inside.iter().filter(|&&i| region.contains(samples[i])) {
                self.upper[i] = self.upper[i].min(upper);
            }
        }
        let Some(outside) = problem.outside else { return };
        let upper = power_ratio(outside.upper);
        for (i, p) in samples.iter().enumerate() {
            // The transition band has no bound, so that the beam can fall off.
            let is_near = |region: &Region| {
                region.has_sample(*p, problem.uv_grid.spacing) || region.distance(*p) < outside.margin
            };
            if is_visible(*p) && !problem.coverage.iter().any(is_near) {
                self.upper[i] = upper;
            }
        }
    }

    fn apply_lower(&mut self) {
        self.lower.fill(0.0);
        for (lower, inside) in self.region_lower.iter().zip(&self.regions) {
            let lower = power_ratio(*lower);
            for &i in inside {
                // Of overlapping regions the stricter bound, but never above an upper one.
                self.lower[i] = self.lower[i].max(lower.min(self.upper[i]));
            }
        }
    }

    /// A sample of two regions must be able to satisfy both.
    fn check_overlaps(&self, problem: &Problem, samples: &[[f64; 2]]) -> Result<(), FieldError> {
        for (i, region) in problem.coverage.iter().enumerate() {
            let Some(lower) = region.lower else { continue };
            // At samples just outside the outline the lower bound yields, so that touching regions
            // are no contradiction.
            let refused = |&&s: &&usize| region.contains(samples[s]) && power_ratio(lower) > self.upper[s];
            let Some(&sample) = self.regions[i].iter().find(refused) else { continue };
            let upper = power_db(self.upper[sample]);
            let message = format!(
                "the lower bound of {lower} dBi in `{}` exceeds the upper bound of {upper:.2} dBi of an overlapping region",
                region.name
            );
            let advice = "separate the regions, or make their bounds compatible";
            return Err(FieldError::new(format!("geometry.coverage[{i}].lower_dbi"), message, advice));
        }
        Ok(())
    }
}

fn is_visible([u, v]: [f64; 2]) -> bool {
    u * u + v * v <= 1.0
}

/// All (u, v), u fastest.
fn samples(problem: &Problem) -> Vec<[f64; 2]> {
    let u = problem.uv_grid.u();
    problem.uv_grid.v().into_iter().flat_map(|v| u.iter().map(move |&u| [u, v])).collect()
}

/// Attainable directivity, dBi: all power spread evenly over the coverage, D = 4π/Ω with dΩ = du dv/cos θ, or that of the uniformly
/// illuminated aperture, 4πA/λ², if less.
fn attainable(problem: &Problem, covered: impl Iterator<Item = [f64; 2]>) -> f64 {
    let area = problem.uv_grid.spacing.powi(2);
    // cos θ is bounded from below near the horizon: one
    // sample would otherwise have an unbounded solid angle.
    let solid_angle: f64 = covered.map(|[u, v]| area / (1.0 - u * u - v * v).max(area).sqrt()).sum();
    let [width, height] =
        [0, 1].map(|axis| problem.lattice.elements[axis] as f64 * problem.lattice.spacing[axis]);
    let aperture = 4.0 * PI * width * height / problem.wavelength().powi(2);
    power_db((4.0 * PI / solid_angle).min(aperture))
}

fn empty_region(problem: &Problem, i: usize) -> FieldError {
    let (uv_grid, name) = (&problem.uv_grid, &problem.coverage[i].name);
    let [u, v] = [uv_grid.u(), uv_grid.v()].map(|axis| [axis[0], axis[axis.len() - 1]]);
    let message = format!(
        "no point of the (u, v) grid in visible space belongs to `{name}`: the points span u = {:.4} to {:.4} and v = {:.4} to {:.4} in steps of {}",
        u[0], u[1], v[0], v[1], uv_grid.spacing
    );
    let advice = "use a smaller spacing, or move solve.uv_grid";
    FieldError::new(format!("geometry.coverage[{i}]"), message, advice)
}

impl Region {
    /// Whether one of its polygons contains the point.
    pub(crate) fn contains(&self, p: [f64; 2]) -> bool {
        self.polygons.iter().any(|polygon| polygon.contains(p))
    }

    /// Whether a sample of a grid with this step belongs to the region: it lies inside, or outside by less than half the diagonal
    /// of a sample cell. The boundary, where a beam falls off most steeply, then lies between samples of the region.
    pub fn has_sample(&self, p: [f64; 2], step: f64) -> bool {
        self.contains(p) || self.distance(p) <= step * FRAC_1_SQRT_2
    }

    /// Distance from the point to the nearest outline.
    pub(crate) fn distance(&self, p: [f64; 2]) -> f64 {
        self.polygons.iter().map(|polygon| polygon.distance(p)).fold(f64::INFINITY, f64::min)
    }
}
