//! A uniform grid of rays, in blocks.

use super::kernels::GROUP;
use super::run::{MEMORY_SHARE, Run};
use crate::batch::Incidence;
use crate::engine::RayTimes;
use crate::error::SbrError;
use crate::layout::{BLOCK_STRIDE, BLOCK_WAVE, BLOCK_X, BLOCK_Y, RAYS};
use phasefront_core::Progress;
use phasefront_device::{Arg, Buffer, Grid};
use rayon::prelude::*;
use std::time::Instant;

/// Blocks that are traced at once, at most: enough to keep the largest GPU busy for milliseconds.
const MAX_BLOCKS: usize = 1 << 15;

/// Blocks of rays on the device.
struct RayBlocks<'a> {
    run: &'a Run<'a>,
    grid: Grid,
    blocks: Buffer<i32>,
    /// First and last facet of each ray.
    first: &'a Buffer<i32>,
    last: &'a Buffer<i32>,
}

/// Traces and radiates all blocks, as many at a time as fit into memory.
pub(super) fn trace(run: &Run<'_>, progress: &Progress) -> Result<(), SbrError> {
    let gpu = run.gpu();
    let all = blocks(run);
    let free = gpu.memory()?.free as f64 * MEMORY_SHARE;
    // Two integers of 4 bytes per ray: first and last facet.
    let most = ((free / (2 * 4 * RAYS * RAYS) as f64) as usize).clamp(1, MAX_BLOCKS);
    let count = RAYS * RAYS * most.min(all.len());
    let [first, last] = [gpu.alloc(count)?, gpu.alloc(count)?];
    for blocks in all.chunks(most) {
        progress.check()?;
        let rays = RayBlocks::new(run, blocks, &first, &last)?;
        // Primary hits of coherent warps first; reflections, which diverge, in a second pass.
        rays.primary_hits(0.0)?;
        rays.reflections()?;
        // The central rays of the tubes.
        rays.primary_hits(0.5)?;
        rays.tubes()?;
    }
    Ok(())
}

/// Times the rays of a run, as many as are traced at once.
pub(super) fn times(run: &Run<'_>, repeats: usize) -> Result<RayTimes, SbrError> {
    let gpu = run.gpu();
    let all = blocks(run);
    let blocks = &all[..all.len().min(MAX_BLOCKS)];
    let count = RAYS * RAYS * blocks.len();
    let [first, last] = [gpu.alloc(count)?, gpu.alloc(count)?];
    let rays = RayBlocks::new(run, blocks, &first, &last)?;
    let mut times = RayTimes { rays: count, hits: 0, first: f64::INFINITY, bounced: f64::INFINITY };
    for _ in 0..repeats {
        // The minimum over repeats excludes clock ramp-up and scheduling noise.
        gpu.synchronize()?;
        let start = Instant::now();
        rays.primary_hits(0.0)?;
        gpu.synchronize()?;
        let half = Instant::now();
        rays.reflections()?;
        gpu.synchronize()?;
        times.first = times.first.min((half - start).as_secs_f64());
        times.bounced = times.bounced.min(half.elapsed().as_secs_f64());
    }
    times.hits = gpu.download(&first)?.iter().filter(|&&facet| facet >= 0).count();
    Ok(times)
}

/// Incident wave and grid coordinates of the first ray of each block.
fn blocks(run: &Run<'_>) -> Vec<[i32; BLOCK_STRIDE]> {
    let scene = &run.batch.study.scene;
    let of_wave = |(i, incidence): (usize, &Incidence<'_>)| {
        let block = |first: &[usize; 2]| {
            let mut entry = [0; BLOCK_STRIDE];
            entry[BLOCK_WAVE] = i as i32;
            entry[BLOCK_X] = first[0] as i32;
            entry[BLOCK_Y] = first[1] as i32;
            entry
        };
        incidence.aperture.occupied(scene).iter().map(block).collect::<Vec<_>>()
    };
    // Finding occupied blocks projects all facets for
    // each wave: in parallel, in the order of waves.
    run.batch.incidences.par_iter().enumerate().flat_map_iter(of_wave).collect()
}

impl<'a> RayBlocks<'a> {
    fn new(
        run: &'a Run<'a>,
        blocks: &[[i32; BLOCK_STRIDE]],
        first: &'a Buffer<i32>,
        last: &'a Buffer<i32>,
    ) -> Result<Self, SbrError> {
        // A block is an integer number of groups: no work item is idle.
        let grid = Grid::cover(blocks.len() * RAYS * RAYS, GROUP);
        Ok(Self { run, grid, blocks: run.gpu().upload(blocks.as_flattened())?, first, last })
    }

    fn args(&self) -> Vec<Arg<'_>> {
        let mut args = self.run.scene_args();
        args.extend([Arg::from(&self.run.waves), (&self.blocks).into()]);
        args.push(Arg::F64(self.run.batch.study.tube_width()));
        args
    }

    /// First facets of rays that are offset from the grid by a fraction of a tube.
    fn primary_hits(&self, offset: f64) -> Result<(), SbrError> {
        let args = [&self.args()[..], &[Arg::F64(offset), self.first.into()]].concat();
        self.run.launch("primary_hits", self.grid, &args)
    }

    /// Last facets of the rays.
    fn reflections(&self) -> Result<(), SbrError> {
        let args = [&self.args()[..], &[Arg::from(self.first), self.last.into()]].concat();
        self.run.launch("reflections", self.grid, &args)
    }

    /// Tubes between the rays, radiated along their central rays.
    fn tubes(&self) -> Result<(), SbrError> {
        let rays = [Arg::from(self.first), self.last.into(), self.run.sample_area()];
        let args = [&self.args()[..], &rays, &self.run.sums_args()].concat();
        self.run.launch("radiate_tubes", self.grid, &args)
    }
}
