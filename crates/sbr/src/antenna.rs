//! Antennas at points: where they are, where they look, and what they radiate.
//!
//! A direction d sees the field √G(d) ê(d), with the gain G and a unit vector ê of polarization, so that an antenna that radiates the power
//! P has the far field E = √(η₀P/2π) √G ê e^{−jkr}/r.

use crate::field::Field;
use glam::DVec3;
use num_complex::Complex64;
use phasefront_core::constants::{C0, ETA0, wavenumber};
use phasefront_pattern::{Direction, Pattern, Powers};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

/// Relative difference of the frequency of samples from the requested one up to which they apply: the beam scales as the frequency.
pub(crate) const FREQUENCY_TOLERANCE: f64 = 0.01;
/// Length of a dipole in wavelengths below which its current is linear, and its pattern sin θ to 1e-5.
const SHORT_DIPOLE: f64 = 1e-3;
/// Intervals of Simpson's rule for the power of a dipole; the integrand has as many lobes as the dipole half wavelengths.
const INTERVALS: usize = 2000;
/// Below this cosine from the opposite of the boresight, polarization has no direction by Ludwig's definition.
const BACKWARD: f64 = 1e-12;

/// An antenna at a point.
///
/// Its axes are z' along the boresight, x' = φ̂ and y' = θ̂ of the direction −z', turned about z' by `rotation` from x' toward y'. The target
/// sees an antenna that looks at it polarized along x' (0) as H, and along y' (a quarter turn) as V.
#[derive(Debug, Clone, PartialEq)]
pub struct Antenna {
    /// In the coordinates of the mesh, m.
    pub position: [f64; 3],
    /// Direction of its main beam; of any length.
    pub boresight: [f64; 3],
    /// Rotation about the boresight, rad: the angle of polarization from the horizontal.
    pub rotation: f64,
    /// What it radiates.
    pub pattern: AntennaPattern,
}

/// The far field of an antenna. All but sampled ones are polarized along x' by Ludwig's third definition.
#[derive(Debug, Clone, PartialEq)]
pub enum AntennaPattern {
    /// Gain 1 in all directions.
    Isotropic,
    /// G = 2(p + 1) cos^p θ in front, nothing behind.
    Cosine {
        /// Exponent p of the power pattern.
        power_exponent: f64,
    },
    /// A thin dipole along x', fed in its middle, with sinusoidal current.
    Dipole {
        /// At each frequency of the problem, m.
        lengths: Vec<f64>,
    },
    /// Samples, with their +z along the boresight and their +x along x'.
    Sampled(SampledAntenna),
}

/// A far field from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledAntenna {
    /// By frequency; the nearest applies.
    pub far_fields: Arc<[Pattern]>,
    /// Phase center in the coordinates of the samples, m: the point that stands at the position.
    pub phase_center: [f64; 3],
}

impl SampledAntenna {
    /// The far field of the frequency nearest to this one, Hz.
    pub(crate) fn nearest(&self, frequency: f64) -> Option<&Pattern> {
        let off = |pattern: &Pattern| (pattern.frequency() - frequency).abs();
        self.far_fields.iter().min_by(|a, b| off(a).total_cmp(&off(b)))
    }
}

/// The power that the fields of a pattern belong to, W: that of their gain if it is known, else what they radiate.
pub(crate) fn power(pattern: &Pattern) -> Option<f64> {
    let powers = pattern.powers();
    powers.available.or(powers.accepted).or(powers.radiated).or_else(|| pattern.radiated_power().ok())
}

/// An antenna at one frequency.
pub(crate) struct AntennaAt<'a> {
    axes: [DVec3; 3],
    kind: Kind<'a>,
}

enum Kind<'a> {
    Isotropic,
    /// Exponent of the power, and √G on the boresight.
    Cosine(f64, f64),
    /// kL/2 (0 for a short one), and √G over its pattern function.
    Dipole(f64, f64),
    Sampled(Samples<'a>),
}

struct Samples<'a> {
    far_field: &'a Pattern,
    /// √(2π/η₀P).
    scale: f64,
    /// Wavenumber times the phase center.
    shift: DVec3,
    /// Whether they vary less with φ as Ludwig's components than along θ̂ and φ̂.
    by_ludwig: bool,
}

impl Antenna {
    /// At the frequency of this index in the problem. A checked antenna has a pattern with a known power there.
    pub(crate) fn at(&self, index: usize, frequency: f64) -> AntennaAt<'_> {
        let kind = match &self.pattern {
            AntennaPattern::Isotropic => Kind::Isotropic,
            AntennaPattern::Cosine { power_exponent } => {
                Kind::Cosine(*power_exponent, (2.0 * (power_exponent + 1.0)).sqrt())
            }
            AntennaPattern::Dipole { lengths } => {
                let length = lengths[index] * frequency / C0;
                let half = if length < SHORT_DIPOLE { 0.0 } else { PI * length };
                Kind::Dipole(half, dipole_scale(half))
            }
            AntennaPattern::Sampled(sampled) => {
                sampled.nearest(frequency).map_or(Kind::Isotropic, |far_field| {
                    Kind::Sampled(Samples {
                        far_field,
                        scale: power(far_field).map_or(0.0, |power| (TAU / (ETA0 * power)).sqrt()),
                        shift: wavenumber(frequency) * DVec3::from(sampled.phase_center),
                        by_ludwig: varies_less_by_ludwig(far_field),
                    })
                })
            }
        };
        AntennaAt { axes: self.axes(), kind }
    }

    /// x', y' and z'.
    pub(crate) fn axes(&self) -> [DVec3; 3] {
        let z = DVec3::from(self.boresight).normalize_or(DVec3::Z);
        let horizontal = f64::hypot(z.x, z.y);
        // φ̂ of −z'; at the poles that of φ = 0.
        let phi = if horizontal < BACKWARD { DVec3::Y } else { DVec3::new(z.y, -z.x, 0.0) / horizontal };
        let (sin, cos) = self.rotation.sin_cos();
        let x = cos * phi + sin * z.cross(phi);
        [x, z.cross(x), z]
    }

    pub(crate) fn point(&self) -> DVec3 {
        DVec3::from(self.position)
    }
}

impl AntennaAt<'_> {
    /// √G ê toward a unit vector; none beyond the samples.
    pub fn field(&self, d: DVec3) -> Option<Field> {
        let [x, y, z] = self.axes;
        match &self.kind {
            Kind::Isotropic => Some(Field::real(self.co_polar(x, d))),
            Kind::Cosine(exponent, peak) => {
                let cosine = z.dot(d).max(0.0);
                Some(Field::real(peak * cosine.powf(0.5 * exponent) * self.co_polar(x, d)))
            }
            Kind::Dipole(half, scale) => {
                let cosine = x.dot(d);
                let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
                // −θ̂ sin θ of a dipole along x'.
                Some(Field::real(scale * dipole_over_sine(*half, cosine, sine) * (x - cosine * d)))
            }
            Kind::Sampled(samples) => {
                let [a, b, c] = self.axes.map(|axis| axis.dot(d));
                let direction = Direction { theta: a.hypot(b).atan2(c), phi: b.atan2(a) };
                let factor = Complex64::from_polar(samples.scale, -samples.shift.dot(DVec3::new(a, b, c)));
                let ([first, second], basis) = if samples.by_ludwig {
                    (samples.far_field.ludwig3(direction)?, [self.co_polar(x, d), self.co_polar(y, d)])
                } else {
                    let (sin, cos) = direction.phi.sin_cos();
                    let (radial, phi) = (cos * x + sin * y, cos * y - sin * x);
                    let theta = direction.theta.cos() * radial - direction.theta.sin() * z;
                    (samples.far_field.field(direction)?, [theta, phi])
                };
                let [first, second] = [first * factor, second * factor];
                Some(Field {
                    re: first.re * basis[0] + second.re * basis[1],
                    im: first.im * basis[0] + second.im * basis[1],
                })
            }
        }
    }

    /// Ludwig's third definition: an axis of the antenna carried from the boresight to d along the great circle.
    fn co_polar(&self, axis: DVec3, d: DVec3) -> DVec3 {
        let z = self.axes[2];
        let forward = 1.0 + z.dot(d);
        if forward < BACKWARD { axis } else { axis - axis.dot(d) / forward * (d + z) }
    }

    /// Estimated error of interpolation between samples relative to the peak, in directions at most this far from another by the cosine: that of
    /// every second sample of an angle from the others, over 16, since it falls with the fourth power of the step. None without samples.
    pub fn interpolation_error(&self, toward: DVec3, cosine: f64) -> Option<f64> {
        let Kind::Sampled(samples) = &self.kind else { return None };
        let pattern = samples.far_field;
        let (thetas, phis) = (pattern.theta(), pattern.phi());
        let peak = (self.peak_gain() / samples.scale.powi(2)).sqrt();
        let toward = DVec3::from(self.axes.map(|axis| axis.dot(toward)));
        // Directions a few samples aside belong to those in between.
        let step = |angles: &[f64]| angles.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        let reach = cosine.clamp(-1.0, 1.0).acos() + 2.0 * step(thetas).max(step(phis));
        let error = |every: [usize; 2]| {
            let coarse = every_other(pattern, every)?;
            let mut worst = 0.0_f64;
            for (i, &theta) in thetas.iter().enumerate() {
                for (j, &phi) in phis.iter().enumerate() {
                    let at = Direction { theta, phi };
                    if DVec3::from(at.unit()).angle_between(toward) > reach {
                        continue;
                    }
                    let found = if samples.by_ludwig { coarse.ludwig3(at) } else { coarse.field(at) };
                    let [a, b] = pattern.at(i, j);
                    let exact = if samples.by_ludwig { ludwig([a, b], phi) } else { [a, b] };
                    let Some(found) = found else { continue };
                    worst = worst.max((found[0] - exact[0]).norm().hypot((found[1] - exact[1]).norm()));
                }
            }
            Some(worst / (16.0 * peak))
        };
        [[2, 1], [1, 2]].into_iter().filter_map(error).reduce(f64::max)
    }

    /// Largest gain.
    pub fn peak_gain(&self) -> f64 {
        match &self.kind {
            Kind::Isotropic => 1.0,
            Kind::Cosine(_, peak) => peak * peak,
            Kind::Dipole(half, scale) => {
                let gain = |i: usize| {
                    let (sine, cosine) = (FRAC_PI_2 * i as f64 / INTERVALS as f64).sin_cos();
                    (scale * dipole_over_sine(*half, cosine, sine) * sine).powi(2)
                };
                (1..=INTERVALS).map(gain).fold(0.0, f64::max)
            }
            Kind::Sampled(samples) => {
                let squares = samples.far_field.fields().iter().map(|[a, b]| a.norm_sqr() + b.norm_sqr());
                samples.scale.powi(2) * squares.fold(0.0, f64::max)
            }
        }
    }
}

/// Pattern function of a dipole over sin θ, [cos(h cos θ) − cos h]/sin² θ with h = kL/2; 1 for a short one (C. A. Balanis, "Antenna
/// Theory", eq. 4-62).
fn dipole_over_sine(half: f64, cosine: f64, sine: f64) -> f64 {
    if half == 0.0 {
        return 1.0;
    }
    if sine < 1e-4 {
        // The limit on the axis.
        return 0.5 * half * half.sin();
    }
    ((half * cosine).cos() - half.cos()) / (sine * sine)
}

/// One over the root of the mean of the squared pattern over the sphere.
fn dipole_scale(half: f64) -> f64 {
    // ½ ∫ F² sin θ dθ by Simpson's rule.
    let step = PI / INTERVALS as f64;
    let value = |i: usize| {
        let (sine, cosine) = (step * i as f64).sin_cos();
        (dipole_over_sine(half, cosine, sine) * sine).powi(2) * sine
    };
    let weight = |i: usize| if i == 0 || i == INTERVALS { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    let sum: f64 = (0..=INTERVALS).map(|i| weight(i) * value(i)).sum();
    1.0 / (sum * step / 6.0).sqrt()
}

/// Every so many of the samples in θ and φ; none where too few are left.
fn every_other(pattern: &Pattern, every: [usize; 2]) -> Option<Pattern> {
    let kept = |count: usize, every: usize| (0..count).step_by(every).collect::<Vec<_>>();
    let (thetas, phis) = (kept(pattern.theta().len(), every[0]), kept(pattern.phi().len(), every[1]));
    let fields = thetas.iter().flat_map(|&i| phis.iter().map(move |&j| pattern.at(i, j))).collect();
    let theta = thetas.iter().map(|&i| pattern.theta()[i]).collect();
    let phi = phis.iter().map(|&j| pattern.phi()[j]).collect();
    Pattern::new(pattern.frequency(), theta, phi, fields, Powers::default()).ok()
}

/// Components by Ludwig's third definition with its reference along x.
fn ludwig([theta, phi]: [Complex64; 2], azimuth: f64) -> [Complex64; 2] {
    let (sin, cos) = azimuth.sin_cos();
    [theta * cos - phi * sin, theta * sin + phi * cos]
}

/// Whether the components of Ludwig's third definition vary less from one azimuth to the next than E_θ and E_φ: so they do for antennas
/// that radiate along +z; of a dipole along z, E_θ does not vary at all.
fn varies_less_by_ludwig(pattern: &Pattern) -> bool {
    let phis = pattern.phi();
    let mut variation = [0.0; 2];
    for i in 0..pattern.theta().len() {
        for j in 1..phis.len() {
            let [before, after] = [pattern.at(i, j - 1), pattern.at(i, j)];
            let change =
                |a: [Complex64; 2], b: [Complex64; 2]| (a[0] - b[0]).norm_sqr() + (a[1] - b[1]).norm_sqr();
            variation[0] += change(before, after);
            variation[1] += change(ludwig(before, phis[j - 1]), ludwig(after, phis[j]));
        }
    }
    variation[1] < variation[0]
}
