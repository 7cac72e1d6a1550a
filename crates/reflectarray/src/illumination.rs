//! Feed illumination: the wave of the feed at the elements.

use crate::parallel::{BLOCK, equal};
use crate::problem::{Design, Feed};
use num_complex::Complex64;
use phasefront_core::constants::wavenumber;
use phasefront_device::cpu::team;
use rayon::prelude::*;

/// Elements of a thread's share: fewer would cost more in scheduling than they compute.
const MIN_CHUNK: usize = 512;

/// f(x, y) = cos^{m_f}(θ) e^{−jβr}/r, with r the distance from the feed and θ the angle from its boresight, which points at the
/// array center (the cos^q feed model; J. Huang and J. A. Encinar, "Reflectarray Antennas", Wiley 2008).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Illumination {
    feed: Feed,
    beta: f64,
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
    pub fn new(feed: Feed, frequency: f64) -> Self {
        Self { feed, beta: wavenumber(frequency) }
    }

    /// r = √(x² + (y + y_off)² + z₀²)
    pub fn distance(&self, x: f64, y: f64) -> f64 {
        let Feed { offset, height, .. } = self.feed;
        (x * x + (y + offset).powi(2) + height * height).sqrt()
    }

    /// ∂r/∂x = x/r and ∂r/∂y = (y + y_off)/r.
    pub fn distance_gradient(&self, x: f64, y: f64) -> [f64; 2] {
        let r = self.distance(x, y);
        [x / r, (y + self.feed.offset) / r]
    }

    /// cos^{m_f}(θ)/r with cos θ = n/(r r₀), n = (y + y_off) y_off + z₀² and r₀ the distance of the array center; zero in the
    /// back half space of the feed.
    pub fn amplitude(&self, x: f64, y: f64) -> f64 {
        let r = self.distance(x, y);
        // The clamp removes rounding beyond 1 and the back half space of the feed.
        let cos = (self.along_axis(y) / (r * self.distance(0.0, 0.0))).clamp(0.0, 1.0);
        cos.powf(0.5 * self.feed.power_exponent) / r
    }

    fn along_axis(&self, y: f64) -> f64 {
        (y + self.feed.offset) * self.feed.offset + self.feed.height.powi(2)
    }

    /// ln f = m_f ln n − (m_f + 1) ln r − jβr + const, so that
    /// (∂f/∂x)/f = −(m_f + 1) x/r² − jβ x/r and (∂f/∂y)/f = m_f y_off/n − (m_f + 1) y'/r² − jβ y'/r, y' = y + y_off.
    pub fn at(&self, x: f64, y: f64) -> FeedWave {
        let (r, m) = (self.distance(x, y), 0.5 * self.feed.power_exponent);
        let shifted = y + self.feed.offset;
        // Amplitude and phase of the spherical wave share the factors x/r and y'/r: one complex
        // number for both axes.
        let common = Complex64::new(-(m + 1.0) / (r * r), -self.beta / r);
        FeedWave {
            value: Complex64::from_polar(self.amplitude(x, y), -self.beta * r),
            dx: common * x,
            dy: common * shifted + m * self.feed.offset / self.along_axis(y),
        }
    }

    /// a_n = f_n e^{jψ_n} of a design.
    pub fn excitations(&self, design: &Design) -> Vec<Complex64> {
        let mut a = Vec::new();
        excite(&self.waves(design), design, &mut a);
        a
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
