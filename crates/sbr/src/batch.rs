//! A batch of aspects that an engine traces together.

use crate::aperture::Aperture;
use crate::problem::Aspect;
use crate::study::Study;
use rayon::prelude::*;

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
