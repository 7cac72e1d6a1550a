//! The paper's tubes, in blocks of rays.

use super::{GROUP, MEMORY_SHARE, Run};
use crate::aperture::RAYS;
use crate::error::SbrError;
use phasefront_core::Progress;
use phasefront_device::{Arg, Buffer, Grid};

/// Blocks of a batch, at most: enough to keep the largest GPU busy for milliseconds.
const MOST_BLOCKS: usize = 1 << 15;

/// Shoots all blocks, as many at a time as memory holds.
pub(super) fn shoot(run: &Run<'_>, progress: &Progress) -> Result<(), SbrError> {
    let blocks = |(i, incidence): (usize, &super::Incidence<'_>)| {
        let place = |b: &[usize; 2]| [i as i32, b[0] as i32, b[1] as i32];
        incidence.blocks.iter().map(place).collect::<Vec<_>>()
    };
    let all: Vec<[i32; 3]> = run.incidences.iter().enumerate().flat_map(blocks).collect();
    let gpu = &*run.engine.gpu;
    let free = gpu.memory()?.free as f64 * MEMORY_SHARE;
    let most = ((free / (4 * RAYS * RAYS) as f64) as usize).clamp(1, MOST_BLOCKS);
    let last: Buffer<i32> = gpu.alloc(RAYS * RAYS * most.min(all.len()))?;
    for blocks in all.chunks(most) {
        progress.check()?;
        let rays = blocks.len() * RAYS * RAYS;
        let blocks = gpu.upload(blocks.as_flattened())?;
        let grid = Grid::cover(rays, GROUP);
        let mut args = run.scene_args();
        args.extend([Arg::from(&run.waves), (&blocks).into(), (&last).into()]);
        args.extend([Arg::F64(run.study.tube_width()), Arg::I64(rays as i64)]);
        run.launch("trace", grid, &args)?;
        args.extend(run.sums_args());
        run.launch("tubes", grid, &args)?;
    }
    Ok(())
}
