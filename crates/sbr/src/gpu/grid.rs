//! The paper's tubes, in blocks of rays.

use super::{GROUP, MEMORY_SHARE, Run};
use crate::aperture::RAYS;
use crate::error::SbrError;
use crate::post::RayTimes;
use phasefront_core::Progress;
use phasefront_device::{Arg, Buffer, Grid};
use std::time::Instant;

/// Blocks of a batch, at most: enough to keep the largest GPU busy for milliseconds.
const MOST_BLOCKS: usize = 1 << 15;

/// Blocks of rays on the device.
struct Batch<'a> {
    run: &'a Run<'a>,
    grid: Grid,
    blocks: Buffer<i32>,
    /// The facets that rays meet first, and last.
    first: &'a Buffer<i32>,
    last: &'a Buffer<i32>,
}

/// Shoots all blocks, as many at a time as memory holds.
pub(super) fn shoot(run: &Run<'_>, progress: &Progress) -> Result<(), SbrError> {
    let gpu = &*run.engine.gpu;
    let all = blocks(run);
    let free = gpu.memory()?.free as f64 * MEMORY_SHARE;
    let most = ((free / (2 * 4 * RAYS * RAYS) as f64) as usize).clamp(1, MOST_BLOCKS);
    let rays = RAYS * RAYS * most.min(all.len());
    let [first, last] = [gpu.alloc(rays)?, gpu.alloc(rays)?];
    for blocks in all.chunks(most) {
        progress.check()?;
        let batch = Batch::new(run, blocks, &first, &last)?;
        batch.trace(0.0)?;
        batch.bounce()?;
        // The rays in the middle of the tubes.
        batch.trace(0.5)?;
        batch.tubes()?;
    }
    Ok(())
}

/// Times the rays of a run, as many as are shot at once.
pub(super) fn times(run: &Run<'_>, repeats: usize) -> Result<RayTimes, SbrError> {
    let gpu = &*run.engine.gpu;
    let all = blocks(run);
    let blocks = &all[..all.len().min(MOST_BLOCKS)];
    let rays = RAYS * RAYS * blocks.len();
    let [first, last] = [gpu.alloc(rays)?, gpu.alloc(rays)?];
    let batch = Batch::new(run, blocks, &first, &last)?;
    let mut times = RayTimes { rays, hits: 0, first: f64::INFINITY, bounced: f64::INFINITY };
    for _ in 0..repeats {
        gpu.synchronize()?;
        let start = Instant::now();
        batch.trace(0.0)?;
        gpu.synchronize()?;
        let half = Instant::now();
        batch.bounce()?;
        gpu.synchronize()?;
        times.first = times.first.min((half - start).as_secs_f64());
        times.bounced = times.bounced.min(half.elapsed().as_secs_f64());
    }
    times.hits = gpu.download(&first)?.iter().filter(|&&facet| facet >= 0).count();
    Ok(times)
}

/// Look and first ray of each.
fn blocks(run: &Run<'_>) -> Vec<[i32; 3]> {
    let blocks = |(i, incidence): (usize, &super::Incidence<'_>)| {
        let place = |b: &[usize; 2]| [i as i32, b[0] as i32, b[1] as i32];
        incidence.blocks.iter().map(place).collect::<Vec<_>>()
    };
    run.incidences.iter().enumerate().flat_map(blocks).collect()
}

impl<'a> Batch<'a> {
    fn new(
        run: &'a Run<'a>,
        blocks: &[[i32; 3]],
        first: &'a Buffer<i32>,
        last: &'a Buffer<i32>,
    ) -> Result<Self, SbrError> {
        // A whole number of groups: no work item is idle.
        let grid = Grid::cover(blocks.len() * RAYS * RAYS, GROUP);
        Ok(Self { run, grid, blocks: run.engine.gpu.upload(blocks.as_flattened())?, first, last })
    }

    fn args(&self) -> Vec<Arg<'_>> {
        let mut args = self.run.scene_args();
        args.extend([Arg::from(&self.run.waves), (&self.blocks).into()]);
        args.push(Arg::F64(self.run.study.tube_width()));
        args
    }

    /// What rays meet first that are so many tubes off the grid.
    fn trace(&self, off: f64) -> Result<(), SbrError> {
        let args = [&self.args()[..], &[Arg::F64(off), self.first.into()]].concat();
        self.run.launch("trace", self.grid, &args)
    }

    /// What they meet last.
    fn bounce(&self) -> Result<(), SbrError> {
        let args = [&self.args()[..], &[Arg::from(self.first), self.last.into()]].concat();
        self.run.launch("bounce", self.grid, &args)
    }

    fn tubes(&self) -> Result<(), SbrError> {
        let rays = [Arg::from(self.first), self.last.into()];
        let args = [&self.args()[..], &rays, &self.run.sums_args()].concat();
        self.run.launch("tubes", self.grid, &args)
    }
}
