//! The wave front of a tube on a facet: a polygon with a linear phase.

use crate::cpu::Hit;
use crate::footprint;
use glam::{DMat3, DVec3};
use num_complex::Complex64;

/// Most corners of a tube: four, and one more on each side where it was cut.
pub(crate) const MOST_CORNERS: usize = 8;
/// Below this part of the greatest that it can be, the determinant of a fit says that all points are on a line.
const ON_A_LINE: f64 = 1e-12;

/// Where a corner ray meets the surface, and the length of its path from the front through the origin.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub point: DVec3,
    pub length: f64,
}

/// A tube on the plane of the facet that its centre ray has hit.
///
/// Corners that met a neighbouring facet are moved into the plane along the ray, by d, so that the shares of all tubes still
/// add up to the whole front. d and the path L are fitted linearly, which is exact on a flat surface: the phase towards s is
/// k(s·r + (s·k_in) d − L).
pub(crate) struct Front {
    corners: [DVec3; MOST_CORNERS],
    count: usize,
    pub normal: DVec3,
    middle: DVec3,
    k_in: DVec3,
    moved: Linear,
    path: Linear,
    /// Area across the ray.
    pub cross_section: f64,
}

/// v(ρ) = `value` + `gradient`·ρ.
struct Linear {
    value: f64,
    gradient: DVec3,
    /// Largest distance of a corner from it.
    miss: f64,
}

impl Front {
    /// At `hit`, which the centre ray reaches after `length`.
    pub fn new(places: impl Iterator<Item = Place>, hit: &Hit, length: f64) -> Self {
        let along = 1.0 / hit.k_in.dot(hit.normal);
        let mut corners = [DVec3::ZERO; MOST_CORNERS];
        let (mut moved, mut paths) = ([0.0; MOST_CORNERS], [length; MOST_CORNERS]);
        let mut count = 0;
        for place in places.take(MOST_CORNERS) {
            let away = place.point - hit.point;
            moved[count] = away.dot(hit.normal) * along;
            corners[count] = away - moved[count] * hit.k_in;
            paths[count] = place.length;
            count += 1;
        }
        let fit = Fit::new(&corners[..count], hit.normal);
        Self {
            moved: fit.of(&corners[..count], &moved[..count], 0.0, DVec3::ZERO),
            path: fit.of(&corners[..count], &paths[..count], length, hit.k_in),
            cross_section: (footprint::area(&corners[..count], hit.normal) / along).abs(),
            corners,
            count,
            normal: hit.normal,
            middle: hit.point,
            k_in: hit.k_in,
        }
    }

    /// How far the phase is from linear at the corners, as a length.
    pub fn miss(&self) -> f64 {
        self.moved.miss + self.path.miss
    }

    /// ∫ e^{j(phase towards s)} dS.
    pub fn integral(&self, s: DVec3, k: f64) -> Complex64 {
        let turn = s.dot(self.k_in);
        let q = k * (s + turn * self.moved.gradient - self.path.gradient);
        let phase = k * (s.dot(self.middle) + turn * self.moved.value - self.path.value);
        footprint::integral(&self.corners[..self.count], self.normal, q) * Complex64::cis(phase)
    }
}

/// A least-squares fit over the corners and the centre, which is the origin.
struct Fit {
    mean: DVec3,
    /// Of Σ(ρ − ρ̄)(ρ − ρ̄)ᵀ, filled up along the normal; `None` where all points are on a line.
    inverse: Option<DMat3>,
}

impl Fit {
    fn new(corners: &[DVec3], n: DVec3) -> Self {
        let mean = corners.iter().sum::<DVec3>() / (corners.len() + 1) as f64;
        let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
        let spread = corners.iter().fold(outer(mean), |sum, &corner| sum + outer(corner - mean));
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let matrix = spread + outer(n) * trace;
        let inverse = (matrix.determinant() > ON_A_LINE * trace.powi(3)).then(|| matrix.inverse());
        Self { mean, inverse }
    }

    /// Fits `values` at the corners and `centre` at the origin; points on a line leave the gradient as it is given.
    fn of(&self, corners: &[DVec3], values: &[f64], centre: f64, given: DVec3) -> Linear {
        // The centre's value is taken off: paths are long and differ little.
        let mean = values.iter().map(|v| v - centre).sum::<f64>() / (values.len() + 1) as f64;
        let each = || corners.iter().zip(values).map(|(&corner, v)| (corner, v - centre));
        let gradient = self.inverse.map_or(given, |inverse| {
            let moment =
                each().fold(self.mean * mean, |sum, (corner, v)| sum + (corner - self.mean) * (v - mean));
            inverse * moment
        });
        let value = mean - gradient.dot(self.mean);
        let miss = each().map(|(corner, v)| (v - value - gradient.dot(corner)).abs());
        Linear { value: centre + value, gradient, miss: miss.fold(value.abs(), f64::max) }
    }
}
