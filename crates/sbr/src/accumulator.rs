//! Sums of far fields over ray tubes, and ray statistics.

use crate::far_field::{FarField, RayTube};
use crate::scattering::Amplitudes;
use num_complex::Complex64;

/// Ray statistics over any number of aspects.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Traversals of the acceleration structure: one per ray of a grid, one or two per beam and bounce.
    pub rays: u64,
    /// Largest number of bounces of any tube.
    pub bounces: usize,
    /// Area of the incident aperture whose rays hit the target, m².
    pub hit_area: f64,
    /// The part of it in discarded tubes, m².
    pub discarded_area: f64,
    /// Power that was still bouncing after the last bounce, as the area of the incident wave that carries it, m²: what it would hit
    /// next is neglected. Reflection losses are taken into account, at the frequency where they are least.
    pub remaining_power: f64,
    /// The same relative to the illuminated area, of the incident wave for which it is largest.
    pub worst_remaining_share: f64,
    /// Σ|½(S − S̃)|² over the amplitudes that reciprocity makes equal, m², with S̃ from transmitter and receiver exchanged: the cross-polarized
    /// ones in monostatic directions, all in bistatic ones.
    pub exchange_error: f64,
    /// Σ|½(S + S̃)|² over the same amplitudes, and a millionth of all, below which they are noise.
    pub exchange_level: f64,
}

impl Counts {
    /// Adds the statistics of other aspects.
    pub fn merge(&mut self, other: &Self) {
        self.rays += other.rays;
        self.bounces = self.bounces.max(other.bounces);
        self.hit_area += other.hit_area;
        self.discarded_area += other.discarded_area;
        self.remaining_power += other.remaining_power;
        self.worst_remaining_share = self.worst_remaining_share.max(other.worst_remaining_share);
        self.exchange_error += other.exchange_error;
        self.exchange_level += other.exchange_level;
    }

    /// Power that was still bouncing after the last bounce, relative to all that hit the target.
    pub(crate) fn remaining_share(&self) -> f64 {
        // A sample may exceed the whole by its noise.
        (self.remaining_power / self.hit_area.max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// What transmitter and receiver exchanged differ by, rms, relative to the amplitudes that should be equal: half of the difference, as
    /// their mean is the result.
    pub fn reciprocity_error(&self) -> f64 {
        (self.exchange_error / self.exchange_level.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// Fraction of the illuminated aperture in discarded tubes.
    pub fn discarded_area_share(&self) -> f64 {
        // Nothing hit: 0 instead of 0/0.
        self.discarded_area / self.hit_area.max(f64::MIN_POSITIVE)
    }
}

/// Far fields of one incident wave, summed over its tubes.
#[derive(Clone)]
pub(crate) struct Accumulator {
    /// By aspect, then by frequency.
    pub sums: Vec<Amplitudes>,
    pub counts: Counts,
    /// Number of bounces, last facet and far field of each tube, if amplitudes are resolved by facet.
    pub hot_spots: Vec<(usize, u32, Amplitudes)>,
}

impl Accumulator {
    pub fn new(sums: usize) -> Self {
        let sums = vec![[Complex64::ZERO; 4]; sums];
        Self { sums, counts: Counts::default(), hot_spots: Vec::new() }
    }

    /// Adds a tube with this newly hit area in the incident aperture; with `by_facet`, to the facet that it hit last.
    pub fn add(&mut self, far_field: &FarField<'_>, tube: &RayTube<'_>, area: f64, by_facet: bool) {
        let bounces = tube.path.len();
        if by_facet && let Some(&facet) = tube.path.last() {
            // Hot spots have one aspect and one frequency: a single sum per tube.
            let mut spot = [[Complex64::ZERO; 4]];
            far_field.add(tube, &mut spot);
            self.hot_spots.push((bounces, facet, spot[0]));
        } else {
            far_field.add(tube, &mut self.sums);
        }
        self.counts.bounces = self.counts.bounces.max(bounces);
        self.counts.hit_area += area;
    }

    pub fn merge(&mut self, other: Self) {
        for (sum, more) in self.sums.iter_mut().flatten().zip(other.sums.iter().flatten()) {
            *sum += more;
        }
        self.counts.merge(&other.counts);
        self.hot_spots.extend(other.hot_spots);
    }
}
