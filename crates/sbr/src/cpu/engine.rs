//! The engine on the CPU.

use super::{beams, ray_grid};
use crate::accumulator::Accumulator;
use crate::batch::Batch;
use crate::engine::Engine;
use crate::error::SbrError;
use crate::study::Study;
use phasefront_core::Progress;

/// All threads of the host.
pub(crate) struct Cpu;

impl Engine for Cpu {
    /// One incident wave keeps all threads busy.
    fn waves_per_batch(&self, _study: &Study) -> usize {
        1
    }

    fn beams(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        batch.incidences.iter().map(|incidence| beams::trace(batch, incidence, progress)).collect()
    }

    fn ray_grid(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        batch.incidences.iter().map(|incidence| ray_grid::trace(batch, incidence, progress)).collect()
    }
}
