//! The sampled far field of a feed toward points of the array plane.
//!
//! The boresight points at the array center: z' = (0, y_off, z₀)/r₀, x' = x and y' = z' × x'. The antenna is rotated by ρ about z', so that
//! a direction (θ, φ') of these axes is (θ, φ' − ρ) of its samples. With its phase center at p in place of the origin of the samples, the
//! wave at r r̂ is E(r̂) e^{−jβ p·r̂} e^{−jβr}/r. Its co- and cross-polar components are those of Ludwig's third definition for the
//! polarization angle χ from x' (A. C. Ludwig, IEEE Trans. Antennas Propag. 21 (1973), 116-119).

use crate::problem::{Feed, SampledFeed};
use num_complex::Complex64;
use phasefront_core::constants::{ETA0, wavenumber};
use phasefront_pattern::{Direction, Pattern as FarField, Powers};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Relative difference of the frequency of samples from the requested one up to which they apply: the beam scales as the frequency.
pub(crate) const FREQUENCY_TOLERANCE: f64 = 0.01;
/// Step of differences in a direction, rad. The error of a derivative is about 1e-10 of the field.
const STEP: f64 = 1e-5;

/// A sampled feed at one frequency.
#[derive(Debug, Clone)]
pub(crate) struct FeedSamples {
    feed: SampledFeed,
    /// Index of the far field.
    index: usize,
    polarization: f64,
    beta: f64,
    /// sin and cos of the angle of the boresight from z, toward y.
    tilt: [f64; 2],
    /// One over the peak of |E|.
    scale: f64,
}

/// Co-polar factor p of the feed's wave f = p e^{−jβr}/r, and its derivatives ∂p/∂x and ∂p/∂y over p.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor {
    pub value: Complex64,
    pub dx: Complex64,
    pub dy: Complex64,
}

impl SampledFeed {
    /// The far field of the frequency nearest to this one, Hz.
    pub(crate) fn nearest(&self, frequency: f64) -> usize {
        let off = |i: &usize| (self.far_fields[*i].frequency() - frequency).abs();
        (0..self.far_fields.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0)
    }
}

impl FeedSamples {
    pub fn new(feed: &Feed, sampled: &SampledFeed, frequency: f64) -> Self {
        let index = sampled.nearest(frequency);
        let norms = sampled.far_fields[index].fields().iter().map(|[a, b]| a.norm_sqr() + b.norm_sqr());
        let distance = feed.offset.hypot(feed.height);
        Self {
            index,
            polarization: feed.polarization,
            beta: wavenumber(frequency),
            tilt: [feed.offset / distance, feed.height / distance],
            scale: 1.0 / norms.fold(f64::MIN_POSITIVE, f64::max).sqrt(),
            feed: sampled.clone(),
        }
    }

    pub fn far_field(&self) -> &FarField {
        &self.feed.far_fields[self.index]
    }

    /// ∮|p|² dΩ of both components, if the samples cover the sphere or the radiated power is known.
    pub fn total(&self) -> Option<f64> {
        let far_field = self.far_field();
        let power = far_field.radiated_power().ok().or(far_field.powers().radiated)?;
        // U = |E|²/2η₀
        Some(power * 2.0 * ETA0 * self.scale * self.scale)
    }

    /// Direction of a point, given from the feed in the axes of the array, in those of the boresight.
    fn direction(&self, [x, y, z]: [f64; 3]) -> Direction {
        let [sin, cos] = self.tilt;
        let (across, along) = (cos * y - sin * z, sin * y + cos * z);
        Direction { theta: x.hypot(across).atan2(along), phi: across.atan2(x) }
    }

    /// θ and φ of a point in the axes of the samples.
    pub fn angles(&self, point: [f64; 3]) -> [f64; 2] {
        let Direction { theta, phi } = self.direction(point);
        [theta, phi - self.feed.rotation]
    }

    /// Whether there are samples around the direction of a point.
    pub fn covers(&self, point: [f64; 3]) -> bool {
        let [theta, phi] = self.angles(point);
        self.far_field().field(Direction { theta, phi }).is_some()
    }

    /// Co- and cross-polar factors of the wave at a point, relative to the peak of the field. Beyond the samples, which a search may
    /// leave for a while, the outermost ones are continued.
    pub fn components(&self, point: [f64; 3]) -> [Complex64; 2] {
        let Direction { theta, phi } = self.direction(point);
        let of_antenna = Direction { theta, phi: phi - self.feed.rotation };
        let far_field = self.far_field();
        let field = far_field
            .ludwig3(of_antenna)
            .or_else(|| far_field.ludwig3(nearest_sampled(far_field, of_antenna)));
        let shift: f64 = of_antenna.unit().iter().zip(self.feed.phase_center).map(|(r, p)| r * p).sum();
        let factor = self.scale * Complex64::cis(-self.beta * shift);
        // e_co(χ) = cos χ e_co(0) + sin χ e_cross(0), with χ from the x axis of the antenna.
        let (sin, cos) = (self.polarization - self.feed.rotation).sin_cos();
        let [co, cross] = field.unwrap_or_default().map(|component| component * factor);
        [co * cos + cross * sin, cross * cos - co * sin]
    }

    /// Estimated error of interpolation in θ, relative to the peak: that of every second sample from the others, over 16, since it falls
    /// with the fourth power of the step. None for few samples.
    pub fn interpolation_error(&self) -> Option<f64> {
        let far_field = self.far_field();
        let (thetas, phis) = (far_field.theta(), far_field.phi());
        let kept: Vec<usize> = (0..thetas.len()).step_by(2).collect();
        let fields = kept.iter().flat_map(|&i| (0..phis.len()).map(move |j| far_field.at(i, j))).collect();
        let theta = kept.iter().map(|&i| thetas[i]).collect();
        let coarse =
            FarField::new(far_field.frequency(), theta, phis.to_vec(), fields, Powers::default()).ok()?;
        let front = |i: &usize| thetas[*i] <= FRAC_PI_2;
        let errors =
            (1..thetas.len()).step_by(2).filter(front).flat_map(|i| (0..phis.len()).map(move |j| (i, j)));
        let error = |(i, j): (usize, usize)| {
            let at = Direction { theta: thetas[i], phi: phis[j] };
            let (found, exact) = (coarse.ludwig3(at)?, far_field.ludwig3(at)?);
            Some((found[0] - exact[0]).norm().hypot((found[1] - exact[1]).norm()))
        };
        errors.filter_map(error).reduce(f64::max).map(|largest| largest * self.scale / 16.0)
    }

    /// The co-polar factor with its logarithmic derivatives, by central differences.
    pub fn factor(&self, [x, y, z]: [f64; 3]) -> Factor {
        let co = |x: f64, y: f64| self.components([x, y, z])[0];
        let (value, step) = (co(x, y), STEP * (x * x + y * y + z * z).sqrt());
        let slope = |after: Complex64, before: Complex64| {
            // In a null there is no wave that could change.
            let slope = (after - before) / (2.0 * step * value);
            if slope.is_finite() { slope } else { Complex64::ZERO }
        };
        Factor {
            value,
            dx: slope(co(x + step, y), co(x - step, y)),
            dy: slope(co(x, y + step), co(x, y - step)),
        }
    }
}

/// The direction of the grid of samples next to one outside, by θ and by φ.
fn nearest_sampled(far_field: &FarField, Direction { theta, phi }: Direction) -> Direction {
    let (thetas, phis) = (far_field.theta(), far_field.phi());
    let theta = theta.clamp(thetas[0], thetas[thetas.len() - 1]);
    if far_field.field(Direction { theta, phi }).is_some() {
        return Direction { theta, phi };
    }
    let (first, last) = (phis[0], phis[phis.len() - 1]);
    let beyond = (phi - last).rem_euclid(TAU);
    let before = (first - phi).rem_euclid(TAU);
    Direction { theta, phi: if beyond < before { last } else { first } }
}
