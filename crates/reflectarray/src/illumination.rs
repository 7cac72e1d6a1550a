//! Feed illumination: the wave of the feed at the elements.

use crate::feed_pattern::{Factor, FeedSamples};
use crate::parallel::{BLOCK, equal};
use crate::problem::{Design, Feed, FeedPattern};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::cpu::team;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Elements of a thread's share: fewer would cost more in scheduling than they compute.
const MIN_CHUNK: usize = 512;

/// f(x, y) = p(x, y) e^{−jβr}/r, with r the distance from the feed. p is the co-polar pattern of the feed toward (x, y): cos^{m_f}(θ), θ from
/// its boresight, which points at the array center (the cos^q feed model; J. Huang and J. A. Encinar, "Reflectarray Antennas",
/// Wiley 2008), or that of samples.
#[derive(Debug, Clone)]
pub(crate) struct Illumination {
    /// y_off and z₀.
    offset: f64,
    height: f64,
    beta: f64,
    pattern: Beam,
}

/// Where p comes from.
#[derive(Debug, Clone)]
enum Beam {
    /// cos^{m_f}(θ), with the exponent m_f.
    Cosine(f64),
    Sampled(FeedSamples),
}

/// f and its logarithmic derivatives (∂f/∂x)/f and (∂f/∂y)/f.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeedWave {
    pub value: Complex64,
    pub dx: Complex64,
    pub dy: Complex64,
}

/// f at all elements of a design.
#[derive(Debug, Default)]
pub(crate) struct Waves {
    x: Vec<f64>,
    y: Vec<f64>,
    pub values: Vec<FeedWave>,
}

impl Illumination {
    pub fn new(feed: &Feed, frequency: f64) -> Self {
        let pattern = match &feed.pattern {
            FeedPattern::Cosine { power_exponent } => Beam::Cosine(0.5 * power_exponent),
            FeedPattern::Sampled(sampled) => Beam::Sampled(FeedSamples::new(feed, sampled, frequency)),
        };
        Self { offset: feed.offset, height: feed.height, beta: wavenumber(frequency), pattern }
    }

    /// The samples, if the feed is given by samples.
    pub fn sampled(&self) -> Option<&FeedSamples> {
        match &self.pattern {
            Beam::Cosine(_) => None,
            Beam::Sampled(pattern) => Some(pattern),
        }
    }

    /// β, y_off, z₀ and the exponent m_f; that is zero where the pattern has samples.
    pub fn parameters(&self) -> [f64; 4] {
        let exponent = if let Beam::Cosine(exponent) = self.pattern { exponent } else { 0.0 };
        [self.beta, self.offset, self.height, exponent]
    }

    /// The element at (x, y) as seen from the feed.
    pub fn point(&self, x: f64, y: f64) -> [f64; 3] {
        [x, y + self.offset, self.height]
    }

    /// r = √(x² + (y + y_off)² + z₀²)
    pub fn distance(&self, x: f64, y: f64) -> f64 {
        (x * x + (y + self.offset).powi(2) + self.height * self.height).sqrt()
    }

    /// Electrical path length −arg(f)/β: the distance, less what the phase of the pattern is ahead. It may jump by wavelengths.
    pub fn path(&self, x: f64, y: f64) -> f64 {
        let r = self.distance(x, y);
        self.sampled().map_or(r, |pattern| r - pattern.components(self.point(x, y))[0].arg() / self.beta)
    }

    /// Its gradient: ∂r/∂x = x/r and ∂r/∂y = (y + y_off)/r, less that of arg(p)/β.
    pub fn path_gradient(&self, x: f64, y: f64) -> [f64; 2] {
        let r = self.distance(x, y);
        let geometric = [x / r, (y + self.offset) / r];
        self.sampled().map_or(geometric, |pattern| {
            let factor = pattern.factor(self.point(x, y));
            [geometric[0] - factor.dx.im / self.beta, geometric[1] - factor.dy.im / self.beta]
        })
    }

    /// |f|; for the cosine with cos θ = n/(r r₀), n = (y + y_off) y_off + z₀² and r₀ the distance of the array center, and zero in the
    /// back half space of the feed.
    pub fn amplitude(&self, x: f64, y: f64) -> f64 {
        let r = self.distance(x, y);
        match &self.pattern {
            Beam::Cosine(exponent) => {
                // The clamp removes rounding beyond 1 and the back half space of the feed.
                let cos = (self.along_axis(y) / (r * self.distance(0.0, 0.0))).clamp(0.0, 1.0);
                cos.powf(*exponent) / r
            }
            Beam::Sampled(pattern) => pattern.components(self.point(x, y))[0].norm() / r,
        }
    }

    /// r² times the power density of co- and cross-polar field: |p|² of both.
    pub fn intensity(&self, x: f64, y: f64) -> f64 {
        match &self.pattern {
            Beam::Cosine(_) => (self.amplitude(x, y) * self.distance(x, y)).powi(2),
            Beam::Sampled(pattern) => {
                pattern.components(self.point(x, y)).iter().map(Complex64::norm_sqr).sum()
            }
        }
    }

    /// ∮|p|² dΩ; none where the samples do not tell. The cosine has 2π/(2m_f + 1) in its half space.
    pub fn total(&self) -> Option<f64> {
        match &self.pattern {
            Beam::Cosine(exponent) => Some(TAU / (2.0 * exponent + 1.0)),
            Beam::Sampled(pattern) => pattern.total(),
        }
    }

    fn along_axis(&self, y: f64) -> f64 {
        (y + self.offset) * self.offset + self.height.powi(2)
    }

    /// For the cosine, ln f = m_f ln n − (m_f + 1) ln r − jβr + const, so that
    /// (∂f/∂x)/f = −(m_f + 1) x/r² − jβ x/r and (∂f/∂y)/f = m_f y_off/n − (m_f + 1) y'/r² − jβ y'/r, y' = y + y_off.
    /// Samples have m_f = 0 and add the logarithmic derivatives of p.
    pub fn at(&self, x: f64, y: f64) -> FeedWave {
        let (r, shifted) = (self.distance(x, y), y + self.offset);
        let m = self.parameters()[3];
        // Amplitude and phase of the spherical wave share the factors x/r and y'/r: one complex
        // number for both axes.
        let common = Complex64::new(-(m + 1.0) / (r * r), -self.beta / r);
        match &self.pattern {
            Beam::Cosine(_) => FeedWave {
                value: Complex64::from_polar(self.amplitude(x, y), -self.beta * r),
                dx: common * x,
                dy: common * shifted + m * self.offset / self.along_axis(y),
            },
            Beam::Sampled(pattern) => {
                let factor = pattern.factor(self.point(x, y));
                FeedWave {
                    value: factor.value * Complex64::from_polar(1.0 / r, -self.beta * r),
                    dx: common * x + factor.dx,
                    dy: common * shifted + factor.dy,
                }
            }
        }
    }

    /// p and its logarithmic derivatives at the elements of a design; empty without samples.
    pub fn factors(&self, design: &Design) -> Vec<Factor> {
        let Some(pattern) = self.sampled() else { return Vec::new() };
        let positions = design.x.par_iter().zip(&design.y);
        positions.with_min_len(MIN_CHUNK).map(|(&x, &y)| pattern.factor(self.point(x, y))).collect()
    }

    /// a_n = f_n e^{jψ_n} of a design.
    pub fn excitations(&self, design: &Design) -> Vec<Complex64> {
        let mut a = Vec::new();
        excite(&self.waves(design), design, &mut a);
        a
    }

    /// The same of the cross-polar field of the feed, which the elements reflect with the same phases; none without samples.
    pub fn cross_excitations(&self, design: &Design) -> Option<Vec<Complex64>> {
        let pattern = self.sampled()?;
        let of = |n: usize| {
            let (x, y) = (design.x[n], design.y[n]);
            let r = self.distance(x, y);
            let wave = Complex64::from_polar(1.0 / r, design.phase[n] - self.beta * r);
            pattern.components(self.point(x, y))[1] * wave
        };
        Some((0..design.len()).into_par_iter().with_min_len(MIN_CHUNK).map(of).collect())
    }

    /// f_n at the elements of a design, with its logarithmic derivatives.
    pub fn waves(&self, design: &Design) -> Waves {
        let positions = design.x.par_iter().zip(&design.y);
        let values = positions.with_min_len(MIN_CHUNK).map(|(&x, &y)| self.at(x, y)).collect();
        Waves { x: design.x.clone(), y: design.y.clone(), values }
    }
}

/// a_n = f_n e^{jψ_n}; false, and nothing of use, if the waves are those at other positions.
pub(crate) fn excite(waves: &Waves, design: &Design, a: &mut Vec<Complex64>) -> bool {
    if waves.values.len() != design.len() {
        return false;
    }
    a.resize(design.len(), Complex64::ZERO);
    // Each thread compares the positions of its own elements.
    let unmoved = team::map_mut(BLOCK, &mut a[..], |first, a: &mut [Complex64]| {
        let own = first..first + a.len();
        for (a, (wave, &phase)) in
            a.iter_mut().zip(waves.values[own.clone()].iter().zip(&design.phase[first..]))
        {
            *a = wave.value * Complex64::cis(phase);
        }
        equal(&waves.x[own.clone()], &design.x[own.clone()]) && equal(&waves.y[own.clone()], &design.y[own])
    });
    unmoved.into_iter().all(|unmoved| unmoved)
}
