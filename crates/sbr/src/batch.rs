//! A batch of aspects that an engine traces together.

use crate::aperture::Aperture;
use crate::layout::SAMPLE_STEP;
use crate::problem::Aspect;
use crate::study::Study;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Tubes in the sample of a bounding sphere full of narrow tubes: a share of 1e-3 of them is known to a third.
const SAMPLES: f64 = 8192.0;

/// Aspects that share an incident plane wave, and the aperture that its rays start from.
#[derive(Clone)]
pub(crate) struct Incidence<'a> {
    pub aspects: &'a [Aspect],
    pub aperture: Aperture,
}

/// The work of an engine: incident waves, frequencies, and the resolution of the result.
pub(crate) struct Batch<'a> {
    pub study: &'a Study,
    pub incidences: Vec<Incidence<'a>>,
    pub frequencies: &'a [f64],
    /// Maximum number of bounces.
    pub bounces: usize,
    /// Whether amplitudes are resolved by bounce and last facet, for hot spots.
    pub by_facet: bool,
}

/// Chooses the tubes whose next hit is looked for after their last bounce. Wide ones always are; of those below `area`, the
/// share area/`self.area`, which then stand for the others. This bounds the searches to some thousands for each incident wave.
#[derive(Clone, Copy)]
pub(crate) struct Sampling {
    area: f64,
}

impl Sampling {
    pub fn new(study: &Study) -> Self {
        Self { area: PI * study.scene.radius.powi(2) / SAMPLES }
    }

    /// The area that a tube stands for, m², if it is in the sample. The numbers identify it: its facets, or its position in a grid.
    pub fn weight(self, numbers: &[u32], area: f64) -> Option<f64> {
        // Multiples of the golden ratio fill the range evenly, in any run of consecutive numbers.
        let hash = numbers.iter().fold(0_u32, |hash, &n| hash.wrapping_add(n).wrapping_mul(SAMPLE_STEP));
        let chance = f64::from(hash) / f64::from(u32::MAX);
        (area >= self.area || chance * self.area < area).then_some(area.max(self.area))
    }

    /// The largest area of which a sample is taken.
    pub fn area(self) -> f64 {
        self.area
    }
}

impl<'a> Batch<'a> {
    pub fn new(study: &'a Study, aspects: &'a [Aspect], frequencies: &'a [f64], by_facet: bool) -> Self {
        let groups: Vec<&[Aspect]> = by_incidence(aspects).collect();
        let incidence = |aspects: &&'a [Aspect]| {
            let [r, _, phi] = aspects[0].incident.frame();
            let aperture = Aperture::new(&study.scene, -r, phi, study.tube_width());
            Incidence { aspects, aperture }
        };
        // In parallel: each aperture projects all facets.
        let incidences = groups.par_iter().map(incidence).collect();
        let bounces = study.problem.bounces.levels()[0];
        Self { study, incidences, frequencies, bounces, by_facet }
    }

    /// Some of its incident waves, given by their indices, with another maximum number of bounces.
    pub fn again(&self, waves: &[usize], bounces: usize) -> Self {
        let incidences = waves.iter().map(|&i| self.incidences[i].clone()).collect();
        Self { incidences, bounces, ..*self }
    }
}

/// Groups of consecutive aspects with the same incident direction.
pub(crate) fn by_incidence(aspects: &[Aspect]) -> impl Iterator<Item = &[Aspect]> {
    aspects.chunk_by(|a, b| a.incident == b.incident)
}
