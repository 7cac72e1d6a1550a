//! The engine on the CPU.

use super::tasks::TASKS_AT_ONCE;
use super::{beams, ray_grid};
use crate::accumulator::Accumulator;
use crate::batch::{Batch, by_incidence};
use crate::engine::{Engine, trace_all};
use crate::error::SbrError;
use crate::scattering::Amplitudes;
use crate::study::Study;
use phasefront_core::Progress;
use rayon::prelude::*;

/// Facets of a batch: tasks for many threads, so that few wait for the last of them.
const FACETS_PER_BATCH: usize = 1 << 18;
/// Batches of a run at least, for several ranks and for checkpoints.
const MIN_BATCHES: usize = 16;
/// Bytes of the sums that a batch holds at once, about.
const MAX_BYTES: usize = 64 << 20;

/// All threads of the host.
pub(crate) struct CpuEngine;

impl Engine for CpuEngine {
    /// Several waves of a small target: a single one leaves threads idle while its aperture is projected and its last tasks end. Does not
    /// depend on the number of threads: neither do the sums over batches.
    fn waves_per_batch(&self, study: &Study) -> usize {
        let aspects = &study.problem.aspects;
        let waves = by_incidence(aspects).count().max(1);
        let bytes_per_wave = TASKS_AT_ONCE
            * aspects.len().div_ceil(waves)
            * study.problem.frequencies.len()
            * size_of::<Amplitudes>();
        (FACETS_PER_BATCH / study.scene.facets.len().max(1))
            .min(MAX_BYTES / bytes_per_wave.max(1))
            .min(waves / MIN_BATCHES)
            .max(1)
    }

    /// Each incident wave by itself: a wave that needs more bounces does not wait for the others, nor they for it.
    fn trace(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        let of_wave = |wave: usize| trace_all(self, &batch.again(&[wave], batch.bounces), progress);
        let all: Vec<Vec<Accumulator>> =
            (0..batch.incidences.len()).into_par_iter().map(of_wave).collect::<Result<_, _>>()?;
        Ok(all.into_iter().flatten().collect())
    }

    fn beams(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        batch.incidences.par_iter().map(|incidence| beams::trace(batch, incidence, progress)).collect()
    }

    fn ray_grid(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        batch.incidences.par_iter().map(|incidence| ray_grid::trace(batch, incidence, progress)).collect()
    }
}
