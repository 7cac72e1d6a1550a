//! What comes out: scattering amplitudes and cross sections.

use num_complex::Complex64;
use std::f64::consts::PI;

/// Everything asked for, one entry per frequency.
#[derive(Debug, Clone)]
pub struct Solution {
    /// In the order of the problem's frequencies.
    pub frequencies: Vec<FrequencySolution>,
    /// What the rays did.
    pub counts: Counts,
}

/// Some of the looks, solved.
#[derive(Debug, Clone)]
pub struct Part {
    /// By frequency, then one for each of the looks in order.
    pub scattering: Vec<Vec<Scattering>>,
    /// What the rays did.
    pub counts: Counts,
}

/// What rays did, over any number of looks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Walks over the tree of triangles: one for each of the paper's rays, one or two for each beam and bounce.
    pub rays: u64,
    /// Most bounces of a tube.
    pub bounces: usize,
    /// Area of the aperture whose rays hit the target, m².
    pub hit_area: f64,
    /// The part of it that is in no tube, m².
    pub discarded_area: f64,
}

impl Counts {
    /// Adds those of other looks.
    pub fn merge(&mut self, other: &Self) {
        self.rays += other.rays;
        self.bounces = self.bounces.max(other.bounces);
        self.hit_area += other.hit_area;
        self.discarded_area += other.discarded_area;
    }

    /// Part of the aperture before the target that is in no tube.
    pub fn discarded_area_share(&self) -> f64 {
        self.discarded_area / self.hit_area.max(f64::MIN_POSITIVE)
    }
}

/// How long a GPU takes for the paper's rays.
#[derive(Debug, Clone, Copy)]
pub struct RayTimes {
    /// Parallel rays that were shot.
    pub rays: usize,
    /// Those that hit the target, and bounced once.
    pub hits: usize,
    /// Seconds for the parallel ones.
    pub first: f64,
    /// Seconds for those after their bounce.
    pub bounced: f64,
}

/// Where on the body an echo comes from: the amplitudes that leave each triangle of the problem's mesh, whose sum is the whole
/// echo without its edges.
#[derive(Debug, Clone)]
pub struct HotSpots {
    /// After one bounce, two, and so on; then by triangle.
    pub by_bounce: Vec<Vec<Scattering>>,
}

/// The solution at one frequency.
#[derive(Debug, Clone)]
pub struct FrequencySolution {
    /// Frequency, Hz.
    pub frequency: f64,
    /// One for each look, in order.
    pub scattering: Vec<Scattering>,
}

/// Scattering amplitudes S = E_s r e^{jkr}/E_i in meters, with phases about the origin of the mesh's coordinates. The first
/// letter is the receiver's polarization, the second the transmitter's: v along θ̂, h along φ̂ of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scattering {
    /// S_θθ.
    pub vv: Complex64,
    /// S_θφ.
    pub vh: Complex64,
    /// S_φθ.
    pub hv: Complex64,
    /// S_φφ.
    pub hh: Complex64,
}

/// Radar cross section of an amplitude: σ = 4π|S|², m².
pub fn cross_section(amplitude: Complex64) -> f64 {
    4.0 * PI * amplitude.norm_sqr()
}

/// Radar cross section in dB over a square meter.
pub fn dbsm(amplitude: Complex64) -> f64 {
    10.0 * cross_section(amplitude).log10()
}
