//! What tubes add up to.

use crate::exit::{Amplitudes, Exit, Tube};
use crate::post::Counts;
use num_complex::Complex64;

/// Sums over tubes.
#[derive(Clone)]
pub(crate) struct Tally {
    pub sums: Vec<Amplitudes>,
    pub counts: Counts,
    /// Bounces, last facet, and what left it, where that is asked for.
    pub hot_spots: Vec<(usize, u32, Amplitudes)>,
}

impl Tally {
    pub fn new(sums: usize) -> Self {
        let sums = vec![[Complex64::ZERO; 4]; sums];
        Self { sums, counts: Counts::default(), hot_spots: Vec::new() }
    }

    /// Adds a tube; if `hot_spots`, to the facet that it left.
    pub fn add(&mut self, exit: &Exit<'_>, tube: &Tube<'_>, area: f64, hot_spots: bool) {
        let bounces = tube.way.len();
        if hot_spots && let Some(&facet) = tube.way.last() {
            let mut spot = [[Complex64::ZERO; 4]];
            exit.add(tube, &mut spot);
            self.hot_spots.push((bounces, facet, spot[0]));
        } else {
            exit.add(tube, &mut self.sums);
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
