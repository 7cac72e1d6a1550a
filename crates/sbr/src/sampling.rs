//! Samples of the tubes that may go on bouncing at the maximum number of bounces.

use crate::batch::Batch;
use crate::layout::{MAX_SAMPLES, SAMPLE_STEP};
use crate::problem::Tubes;
use std::f64::consts::PI;

/// Rays that measure the power left of one incident wave, were its tubes to fill the bounding sphere: a share of 1e-3 of it is known to a
/// third. With few bounces most beams end at the maximum, and as many rays would take a part of the run time; ray grids have more anyway.
const SAMPLES: f64 = 8192.0;
const FEW_BOUNCES: usize = 5;
const SAMPLES_OF_FEW: f64 = 512.0;

/// Chooses rays. Wide tubes have several; of narrow ones, some stand for the others.
#[derive(Clone, Copy)]
pub(crate) struct Sampling {
    /// The area that a ray stands for, m².
    pub area: f64,
}

impl Sampling {
    pub fn new(batch: &Batch<'_>) -> Self {
        let is_short = batch.bounces < FEW_BOUNCES && batch.study.problem.tubes == Tubes::Beams;
        let samples = if is_short { SAMPLES_OF_FEW } else { SAMPLES };
        Self { area: PI * batch.study.scene.radius.powi(2) / samples }
    }

    /// Of a spherical wave, whose tubes have areas at unit distance, for a scene of this radius there.
    pub fn of_view(radius: f64) -> Self {
        Self { area: PI * radius * radius / SAMPLES }
    }

    /// The number of rays for a tube and the area that each stands for, m²; no rays if the tube is not in the sample. The numbers
    /// identify the tube: its facets, or its position in a grid.
    pub fn rays(self, numbers: &[u32], area: f64) -> (usize, f64) {
        if area >= self.area {
            let count = (area / self.area).ceil().min(MAX_SAMPLES as f64) as usize;
            return (count, area / count as f64);
        }
        // Multiples of the golden ratio fill the range evenly, in any run of consecutive numbers.
        let hash = numbers.iter().fold(0_u32, |hash, &n| hash.wrapping_add(n).wrapping_mul(SAMPLE_STEP));
        let chance = f64::from(hash) / f64::from(u32::MAX);
        (usize::from(chance * self.area < area), self.area)
    }
}
