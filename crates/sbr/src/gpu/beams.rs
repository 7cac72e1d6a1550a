//! Beams, from queue to queue.

use super::{GROUP, MEMORY_SHARE, Run};
use crate::cpu::MOST_MET;
use crate::error::SbrError;
use crate::footprint::MOST_CORNERS;
use phasefront_core::Progress;
use phasefront_device::{Arg, Buffer, Gpu, Grid};

/// Beams that a queue holds, at most: enough to keep the largest GPU busy.
const MOST_BEAMS: usize = 1 << 24;
/// Facets that start at once, as a part of what a queue holds.
const START: usize = 2;
/// Single precision rounds products with boxes' planes by less than this part of the target's size.
const ROUNDING: f64 = 32.0 * f32::EPSILON as f64;
/// Places in the counters: beams of the next round; beams with something in their way, and facets that they may reach, of this one;
/// beams that are too narrow, and that have left the target.
const NEXT: usize = 0;
const FREE: usize = 1;
const PASS: usize = 2;
const NARROW: usize = 3;
const EXITS: usize = 4;
const COUNTERS: usize = 5;
/// Counters that begin anew with each round.
const OF_ROUND: usize = 3;
/// Facets in the way of a beam, and how many they are.
const LIST: usize = MOST_MET + 1;
/// Tasks for each beam of a queue, at most.
const TASKS: usize = 2;
/// Work items that search for one beam, at most.
const LANES: usize = 8;

/// Beams that wait.
struct Queue {
    corners: Buffer<f64>,
    tags: Buffer<i32>,
    capacity: usize,
}

impl Queue {
    fn new(gpu: &dyn Gpu, capacity: usize, bounces: usize) -> Result<Self, SbrError> {
        Ok(Self {
            corners: gpu.alloc(2 * MOST_CORNERS * capacity)?,
            tags: gpu.alloc((4 + bounces) * capacity)?,
            capacity,
        })
    }

    /// To take from.
    fn items(&self, count: i32) -> [Arg<'_>; 3] {
        [(&self.corners).into(), (&self.tags).into(), Arg::I32(count)]
    }

    /// To add to.
    fn room(&self) -> [Arg<'_>; 3] {
        [(&self.corners).into(), (&self.tags).into(), Arg::I64(self.capacity as i64)]
    }
}

/// The queues of a run.
struct Beams<'a> {
    run: &'a Run<'a>,
    queues: [Queue; 2],
    narrow: Queue,
    exits: Queue,
    counts: Buffer<i32>,
    lists: Buffer<i32>,
    /// Beams and facets; then beams.
    tasks: Buffer<i32>,
}

/// Follows the beams of all facets, as many at a time as memory holds.
pub(super) fn shoot(run: &Run<'_>, progress: &Progress) -> Result<(), SbrError> {
    let gpu = &*run.engine.gpu;
    let bounces = run.shape.bounces;
    let items = run.incidences.len() * run.study.scene.facets.len();
    let bytes = 8 * 2 * MOST_CORNERS + 4 * (4 + bounces);
    let free = gpu.memory()?.free as f64 * MEMORY_SHARE;
    // Of five parts the queue of what leaves takes two.
    let most =
        ((free / (5 * bytes) as f64) as usize).clamp(START, MOST_BEAMS).min(2 * START * items.max(1024));
    let beams = Beams {
        run,
        queues: [Queue::new(gpu, most, bounces)?, Queue::new(gpu, most, bounces)?],
        narrow: Queue::new(gpu, most, bounces)?,
        exits: Queue::new(gpu, 2 * most, bounces)?,
        counts: gpu.alloc(COUNTERS)?,
        lists: gpu.alloc(LIST * most)?,
        tasks: gpu.alloc((2 * TASKS + 1) * most)?,
    };
    let (mut first, mut at_once) = (0, most / START);
    while first < items {
        progress.check()?;
        let count = at_once.min(items - first);
        if beams.follow(first, count)? {
            first += count;
        } else if count == 1 {
            return Err(SbrError::BeamsDoNotFit { beams: most });
        } else {
            at_once = count / 2;
        }
    }
    Ok(())
}

impl Beams<'_> {
    /// Follows those of some facets to their end; `false` if a queue was too short, and nothing was added.
    fn follow(&self, first: usize, items: usize) -> Result<bool, SbrError> {
        let run = self.run;
        let scene = &run.study.scene;
        let waves = Arg::from(&run.waves);
        let narrow = Arg::F64(run.study.narrow_beam());
        let counts = Arg::from(&self.counts);
        run.clear_counts(&self.counts)?;
        let [mut queue, mut next] = [&self.queues[0], &self.queues[1]];
        let mut args = run.scene_args();
        args.extend([waves, Arg::I32(scene.facets.len() as i32)]);
        args.extend([Arg::I64(first as i64), Arg::I64(items as i64), narrow]);
        args.extend(queue.room().into_iter().chain(self.narrow.room()).chain([counts]));
        run.launch("begin", Grid::cover(items, GROUP), &args)?;
        while let Some(waiting) = self.waiting()? {
            if waiting[NEXT] == 0 {
                return self.finish(waiting);
            }
            run.launch("clear_counts", Grid::cover(OF_ROUND, GROUP), &[counts, Arg::I64(OF_ROUND as i64)])?;
            for (kernel, counter) in [("search", NEXT), ("free_parts", FREE), ("pass", PASS)] {
                let items = match counter {
                    NEXT => waiting[NEXT],
                    _ => match self.waiting()? {
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
        let scene = &run.study.scene;
        let mut args = run.scene_args();
        args.extend([Arg::from(&run.waves), Arg::F64(scene.touching), Arg::F64(ROUNDING * scene.radius)]);
        args.push(Arg::F64(run.study.narrow_beam()));
        args.extend(queue.items(items));
        let capacity = Arg::I64((TASKS * queue.capacity) as i64);
        args.extend([Arg::from(&self.lists), (&self.tasks).into(), capacity]);
        args.extend(next.room().into_iter().chain(self.narrow.room()).chain(self.exits.room()));
        args.extend([Arg::from(&self.counts), (&run.sums).into()]);
        let lanes = if kernel == "search" { LANES } else { 1 };
        run.launch(kernel, Grid::cover(items as usize * lanes, GROUP), &args)
    }

    /// What is in the queues; `None` if one was too short.
    fn waiting(&self) -> Result<Option<[i32; COUNTERS]>, SbrError> {
        let mut counts = [0; COUNTERS];
        counts.copy_from_slice(&self.run.engine.gpu.download(&self.counts)?);
        let most = self.queues[0].capacity;
        let capacities = [most, most, TASKS * most, self.narrow.capacity, self.exits.capacity];
        let fit = counts.iter().zip(capacities).all(|(&count, capacity)| count as usize <= capacity);
        Ok(fit.then_some(counts))
    }

    /// Narrow beams by their middle rays, and then all that left the target to the receivers.
    fn finish(&self, waiting: [i32; COUNTERS]) -> Result<bool, SbrError> {
        let run = self.run;
        let mut args = run.scene_args();
        args.push((&run.waves).into());
        if waiting[NARROW] > 0 {
            let mut args = args.clone();
            args.extend(self.narrow.items(waiting[NARROW]).into_iter().chain(self.exits.room()));
            args.extend([Arg::from(&self.counts), (&run.sums).into()]);
            run.launch("follow", Grid::cover(waiting[NARROW] as usize, GROUP), &args)?;
        }
        let Some(waiting) = self.waiting()? else { return Ok(false) };
        if waiting[EXITS] > 0 {
            args.extend(self.exits.items(waiting[EXITS]));
            args.push(Arg::F64(run.study.tube_width()));
            args.extend(run.sums_args());
            run.launch("send", Grid::cover(waiting[EXITS] as usize, GROUP), &args)?;
        }
        Ok(true)
    }
}
