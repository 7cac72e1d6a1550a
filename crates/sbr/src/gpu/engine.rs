//! The engine on a GPU.

use super::run::Run;
use super::scene::DeviceScene;
use super::{beams, ray_grid};
use crate::accumulator::Accumulator;
use crate::batch::Batch;
use crate::engine::{Engine, RayTimes};
use crate::error::SbrError;
use crate::problem::Tubes;
use crate::scene::Scene;
use crate::study::Study;
use phasefront_core::Progress;
use phasefront_device::Gpu;
use std::sync::Arc;

/// Facets times incident waves of a batch of beams, at least. An interrupted run loses one batch, about a second.
const FACETS_PER_BATCH: usize = 1 << 23;
/// Incident waves of a batch of ray grids, which have many more rays.
const RAY_GRIDS_PER_BATCH: usize = 32;

/// A GPU with the target in its memory.
pub(crate) struct GpuEngine {
    scene: DeviceScene,
}

impl GpuEngine {
    pub fn new(gpu: &Arc<dyn Gpu>, scene: &Scene) -> Result<Self, SbrError> {
        Ok(Self { scene: DeviceScene::new(gpu, scene)? })
    }
}

impl Engine for GpuEngine {
    fn waves_per_batch(&self, study: &Study) -> usize {
        match study.problem.tubes {
            Tubes::Beams => FACETS_PER_BATCH.div_ceil(study.scene.facets.len()),
            Tubes::RayGrid => RAY_GRIDS_PER_BATCH,
        }
    }

    fn beams(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        let run = Run::new(&self.scene, batch)?;
        beams::trace(&run, progress)?;
        run.totals()
    }

    fn ray_grid(&self, batch: &Batch<'_>, progress: &Progress) -> Result<Vec<Accumulator>, SbrError> {
        let run = Run::new(&self.scene, batch)?;
        ray_grid::trace(&run, progress)?;
        run.totals()
    }

    fn ray_times(&self, batch: &Batch<'_>, repeats: usize) -> Result<Option<RayTimes>, SbrError> {
        ray_grid::times(&Run::new(&self.scene, batch)?, repeats).map(Some)
    }
}
