//! Adaptive beams, from queue to queue: breadth first in place of the recursion on the CPU.

use super::kernels::{GROUP, tag_stride};
use super::run::{MEMORY_SHARE, Run};
use crate::error::SbrError;
use crate::layout::{
    CANDIDATES_STRIDE, COUNTER_HITS, COUNTER_NARROW, COUNTER_NEXT, COUNTER_PAIRS, MAX_CORNERS,
};
use phasefront_core::Progress;
use phasefront_device::{Arg, Buffer, Gpu, Grid};

/// Beams in a queue, at most: enough to keep the largest GPU busy.
const MAX_BEAMS: usize = 1 << 24;
/// Facets that start beams at once are at most one `START`-th of the capacity of a queue.
const START: usize = 2;
/// Bound on the rounding error of projected bounding boxes in single precision, relative to the size of the target.
const ROUNDING: f64 = 32.0 * f32::EPSILON as f64;
/// Number of counters.
const COUNTERS: usize = COUNTER_HITS + 1;
/// Counters that are cleared in every round: all up to this one.
const ROUND_COUNTERS: usize = COUNTER_PAIRS + 1;
/// Pairs of beam and candidate per beam of a queue, at most.
const TASKS: usize = 2;
/// Integers of these pairs per beam of a queue.
const TASK_INTS: usize = 2 * TASKS;
/// Hits of the beams of a queue over all bounces, per beam, at most.
const HITS: usize = 3;
/// Work items that search for the candidates of one beam, at most.
const LANES: usize = 8;

/// A queue of beams.
struct Queue {
    corners: Buffer<f64>,
    tags: Buffer<i32>,
    capacity: usize,
}

impl Queue {
    fn new(gpu: &dyn Gpu, capacity: usize, bounces: usize) -> Result<Self, SbrError> {
        Ok(Self {
            corners: gpu.alloc(2 * MAX_CORNERS * capacity)?,
            tags: gpu.alloc(tag_stride(bounces) * capacity)?,
            capacity,
        })
    }

    /// Arguments of a kernel that reads the queue.
    fn items(&self, count: i32) -> [Arg<'_>; 3] {
        [(&self.corners).into(), (&self.tags).into(), Arg::I32(count)]
    }

    /// Arguments of a kernel that appends to the queue.
    fn room(&self) -> [Arg<'_>; 3] {
        [(&self.corners).into(), (&self.tags).into(), Arg::I64(self.capacity as i64)]
    }
}

/// The queues of a run.
struct Beams<'a> {
    run: &'a Run<'a>,
    queues: [Queue; 2],
    narrow: Queue,
    hits: Queue,
    counts: Buffer<i32>,
    lists: Buffer<i32>,
    /// Pairs of beam and candidate.
    tasks: Buffer<i32>,
    /// Rays of the current attempt, by incident wave: those of an attempt that overflows do not count.
    rays: Buffer<i64>,
}

/// Traces and radiates the beams of all facets, as many at a time as fit into memory.
pub(super) fn trace(run: &Run<'_>, progress: &Progress) -> Result<(), SbrError> {
    let gpu = run.gpu();
    let bounces = run.config.bounces;
    let items = run.batch.incidences.len() * run.batch.study.scene.facets.len();
    let free = gpu.memory()?.free as f64 * MEMORY_SHARE;
    let most = ((free / bytes_per_beam(bounces) as f64) as usize).clamp(START, MAX_BEAMS);
    // Small problems need no more than a few beams per facet.
    let most = most.min(2 * START * items.max(1024));
    let beams = Beams {
        run,
        queues: [Queue::new(gpu, most, bounces)?, Queue::new(gpu, most, bounces)?],
        narrow: Queue::new(gpu, most, bounces)?,
        hits: Queue::new(gpu, HITS * most, bounces)?,
        counts: gpu.alloc(COUNTERS)?,
        lists: gpu.alloc(CANDIDATES_STRIDE * most)?,
        tasks: gpu.alloc(TASK_INTS * most)?,
        rays: gpu.alloc(run.batch.incidences.len())?,
    };
    // Half of the capacity at the start: beams split while they are traced.
    let (mut first, mut at_once) = (0, most / START);
    while first < items {
        progress.check()?;
        let count = at_once.min(items - first);
        if beams.trace(first, count)? {
            // Overflow is retried with half as many facets. Radiation comes last, so that a failed
            // attempt leaves no trace in the far field.
            first += count;
        } else if count == 1 {
            return Err(SbrError::BeamsDoNotFit { beams: most });
        } else {
            at_once = count / 2;
        }
    }
    Ok(())
}

/// Bytes of all buffers for one beam of a queue's capacity: corners in double precision, integers of 4 bytes. Two queues of beams
/// in turn, that of narrow ones, and that of hits.
fn bytes_per_beam(bounces: usize) -> usize {
    (3 + HITS) * (8 * 2 * MAX_CORNERS + 4 * tag_stride(bounces)) + 4 * (CANDIDATES_STRIDE + TASK_INTS)
}

impl Beams<'_> {
    /// Traces the beams of a range of facets to their end; `false` if a queue overflowed, in which case nothing was radiated.
    fn trace(&self, first: usize, items: usize) -> Result<bool, SbrError> {
        let run = self.run;
        let scene = &run.batch.study.scene;
        let waves = Arg::from(&run.waves);
        let narrow = Arg::F64(run.batch.study.narrow_beam_area());
        let counts = Arg::from(&self.counts);
        run.clear_counts(&self.counts)?;
        run.clear_sums(&self.rays)?;
        // Two queues in turn: a round reads one and appends to the other.
        let [mut queue, mut next] = [&self.queues[0], &self.queues[1]];
        let mut args = run.scene_args();
        args.extend([waves, Arg::I32(scene.facets.len() as i32)]);
        args.extend([Arg::I64(first as i64), Arg::I64(items as i64), narrow]);
        args.extend(queue.room().into_iter().chain(self.narrow.room()).chain([counts]));
        run.launch("launch_beams", Grid::cover(items, GROUP), &args)?;
        while let Some(waiting) = self.counts()? {
            if waiting[COUNTER_NEXT] == 0 {
                return self.finish(waiting);
            }
            // Narrow beams and hits accumulate over the rounds and are not cleared.
            let cleared = [counts, Arg::I64(ROUND_COUNTERS as i64)];
            run.launch("clear_counts", Grid::cover(ROUND_COUNTERS, GROUP), &cleared)?;
            // Each kernel makes the work list of the next:
            // its length is read back to size the launch.
            for (kernel, counter) in [("find_occluders", COUNTER_NEXT), ("clip_hits", COUNTER_PAIRS)] {
                // The first kernel works on the queue that the last round filled; its counter has
                // just been cleared on the device, hence the copy.
                let items = match counter {
                    COUNTER_NEXT => waiting[COUNTER_NEXT],
                    _ => match self.counts()? {
                        Some(waiting) => waiting[counter],
                        None => return Ok(false),
                    },
                };
                if items > 0 {
                    self.round(kernel, items, queue, next)?;
                }
            }
            std::mem::swap(&mut queue, &mut next);
        }
        Ok(false)
    }

    /// One kernel of a round.
    fn round(&self, kernel: &str, items: i32, queue: &Queue, next: &Queue) -> Result<(), SbrError> {
        let run = self.run;
        let scene = &run.batch.study.scene;
        let mut args = run.scene_args();
        args.extend([Arg::from(&run.waves), Arg::F64(scene.tolerance), Arg::F64(ROUNDING * scene.radius)]);
        args.push(Arg::F64(run.batch.study.narrow_beam_area()));
        args.extend(queue.items(items));
        let capacity = Arg::I64((TASKS * queue.capacity) as i64);
        args.extend([Arg::from(&self.lists), (&self.tasks).into(), capacity]);
        args.extend(next.room().into_iter().chain(self.narrow.room()).chain(self.hits.room()));
        args.extend([Arg::from(&self.counts), (&self.rays).into()]);
        // Eight lanes share the search of one beam.
        let lanes = if kernel == "find_occluders" { LANES } else { 1 };
        run.launch(kernel, Grid::cover(items as usize * lanes, GROUP), &args)
    }

    /// The counters of the queues; `None` if a queue overflowed.
    fn counts(&self) -> Result<Option<[i32; COUNTERS]>, SbrError> {
        let mut counts = [0; COUNTERS];
        counts.copy_from_slice(&self.run.gpu().download(&self.counts)?);
        // In the order of the counters: next, pairs, narrow, hits.
        let most = self.queues[0].capacity;
        let capacities = [most, TASKS * most, self.narrow.capacity, self.hits.capacity];
        let fit = counts.iter().zip(capacities).all(|(&count, capacity)| count as usize <= capacity);
        Ok(fit.then_some(counts))
    }

    /// Traces narrow beams along their central rays, then radiates all hits.
    fn finish(&self, waiting: [i32; COUNTERS]) -> Result<bool, SbrError> {
        let run = self.run;
        let mut args = run.scene_args();
        args.push((&run.waves).into());
        if waiting[COUNTER_NARROW] > 0 {
            let mut args = args.clone();
            args.extend(self.narrow.items(waiting[COUNTER_NARROW]).into_iter().chain(self.hits.room()));
            args.extend([Arg::from(&self.counts), (&self.rays).into()]);
            run.launch("trace_narrow", Grid::cover(waiting[COUNTER_NARROW] as usize, GROUP), &args)?;
        }
        // Narrow beams hit facets too: hits are counted only after they have been traced.
        let Some(waiting) = self.counts()? else { return Ok(false) };
        let waves = self.rays.len();
        let rays = [Arg::from(&self.rays), Arg::I64(waves as i64), (&run.sums).into()];
        run.launch("add_rays", Grid::cover(waves, GROUP), &rays)?;
        if waiting[COUNTER_HITS] > 0 {
            args.extend(self.hits.items(waiting[COUNTER_HITS]));
            args.push(Arg::F64(run.batch.study.tube_width()));
            let grid = Grid::cover(waiting[COUNTER_HITS] as usize, GROUP);
            let sampled = [&args[..], &[run.sample_area()], &run.sums_args()].concat();
            run.launch("measure_remaining", grid, &sampled)?;
            args.extend(run.sums_args());
            run.launch("radiate_beams", grid, &args)?;
        }
        Ok(true)
    }
}
