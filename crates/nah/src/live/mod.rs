//! Holograms of what is heard block by block: a recording that is played, or a stream that has no end.
//!
//! One thread brings blocks, one makes holograms, one shows some of them, and for streams one more looks every second whether other filters fit better.
//! Between them are queues with few places: where something is slow, blocks or pictures are left out and counted, and
//! nothing is ever late by more than a queue holds. A recording that is not played in real time waits instead.

mod assemble;
mod datagram;
mod feed;
mod queue;
mod tally;
mod tune;

pub use datagram::Datagram;
pub use feed::Pace;
pub use tally::{Counts, History, Latencies};

use crate::error::NahError;
use crate::input::{Block, Stream};
use crate::pipeline::Pipeline;
use crate::post::level;
use crate::problem::Study;
use crate::scalar::Scalar;
use crate::solve::{Solution, block};
use assemble::{Assembler, Data};
use feed::{Listener, Player, Timed, bind};
use phasefront_core::{FieldError, Frame, Progress};
use phasefront_device::Backend;
use queue::{Closing, Popped, Queue};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};
use tune::Tuner;

/// Blocks that may wait for their holograms.
const BLOCKS: usize = 64;
/// Pictures that may wait to be shown.
const PICTURES: usize = 4;
/// The least time from one picture to the next.
const SPACING: Duration = Duration::from_millis(16);
/// How long to wait for a block before looking whether to stop.
const TICK: Duration = Duration::from_millis(20);

/// What there is to tell of a stream, or of a recording that was played.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Followed {
    /// Holograms in numbers.
    pub history: History,
    /// From the last moment of each block to its holograms, s.
    pub latencies: Latencies,
    /// What came in.
    pub counts: Counts,
    /// Blocks that came too fast to be looked at.
    pub dropped_blocks: u64,
    /// Pictures that came too fast to be shown.
    pub dropped_pictures: u64,
    /// How long it took, s.
    pub seconds: f64,
}

/// Maps of the level on the first plane, one for each frequency, dB.
struct Picture(Vec<Vec<f32>>);

impl Study {
    /// Takes a recording block by block, as if it were heard now.
    pub(crate) fn replay<T: Scalar>(
        &self,
        pipeline: &mut Pipeline<T>,
        backend: &Backend,
        rate: f64,
        progress: &Progress,
    ) -> Result<Followed, NahError> {
        let problem = &self.problem;
        let player = Player {
            input: &problem.input,
            frames: problem.frames(),
            hop: problem.analysis.hop,
            rate,
            pace: problem.pace,
            times: problem.times,
        };
        let queue = Queue::new(BLOCKS);
        let mut follower = Follower::new((self, backend), pipeline, rate, player.pace == Pace::Full);
        let total = Some(player.blocks());
        let counts = thread::scope(|scope| {
            let feed = scope.spawn(|| player.run(&queue));
            let followed = follower.run(&queue, total, progress);
            let counts = joined(feed);
            followed.map(|()| counts)
        })?;
        progress.check()?;
        Ok(follower.finish(counts, &queue))
    }

    /// Listens to a stream until its time is over, or until the user stops it.
    pub(crate) fn listen<T: Scalar>(
        &self,
        stream: &Stream,
        backend: &Backend,
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        let socket = bind(stream.address).map_err(|error| {
            let message = format!("cannot listen at {}: {error}", stream.address);
            FieldError::new("source.listen", message, "take another port, or end what listens there")
        })?;
        let (kept, carriers) = self.carriers::<T>(&self.guess(), backend, progress)?;
        let rate = stream.sample_rate();
        let analysis = self.problem.analysis;
        let mut pipeline = Pipeline::new(self.ear(backend, rate)?, self.mend(&[]), carriers);
        let mut assembler = Assembler::new(stream.clone(), analysis.hop, analysis.samples);
        let (queue, stop, dead) = (Queue::new(BLOCKS), AtomicBool::new(false), Mutex::default());
        let duration = stream.duration.map(Duration::from_secs_f64);
        let listener = Listener { socket: &socket, duration, stop: &stop, dead: &dead };
        let tuner = Tuner::new(self, backend, &dead, kept);
        let mut follower = Follower::new((self, backend), &mut pipeline, rate, false);
        follower.tuner = Some(&tuner);
        progress.note(&format!("listening at {}", stream.address));
        let counts = thread::scope(|scope| {
            let _closing = Closing(tuner.requests());
            scope.spawn(|| tuner.run());
            let feed = scope.spawn(|| listener.run(&mut assembler, &queue));
            let followed = follower.run(&queue, None, progress);
            stop.store(true, Ordering::Relaxed);
            let counts = joined(feed);
            followed.map(|()| counts)
        })?;
        let counts = counts.map_err(|error| {
            let message = format!("listening at {} failed: {error}", stream.address);
            FieldError::new("source.listen", message, "look at the network, and run it again")
        })?;
        let followed = follower.finish(counts, &queue);
        if followed.history.holograms == 0 {
            return Err(nothing_came(stream, &counts).into());
        }
        let kept = tuner.kept();
        let line = |i: usize| self.line(&pipeline, i, kept[i], Vec::new());
        let lines = (0..kept.len()).map(line).collect::<Result<_, _>>()?;
        let dead = dead.into_inner().unwrap_or_default();
        Ok(Solution { lines, followed, dead })
    }
}

fn nothing_came(stream: &Stream, counts: &Counts) -> FieldError {
    let Counts { taken, corrupt, .. } = counts;
    let message = format!(
        "nothing that gives a hologram came in at {}: {taken} datagrams were good and {corrupt} were not",
        stream.address
    );
    let advice = "let the array send to this address, with as many microphones as the grid has and in the format of the case; \
                  a first hologram takes as many samples as a spectrum";
    FieldError::new("source.listen", message, advice)
}

/// What a thread gives back; where it panicked, so does this one.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Makes holograms of blocks.
struct Follower<'a, T: Scalar> {
    study: &'a Study,
    backend: &'a Backend,
    pipeline: &'a mut Pipeline<T>,
    rate: f64,
    /// Whether a slow picture is waited for.
    waits: bool,
    tuner: Option<&'a Tuner<'a, T>>,
    /// The number of the block that follows from the last one.
    next: u64,
    /// Samples since filters were looked at; none were at the beginning.
    since_tuned: f64,
    shown: Option<Instant>,
    /// Blocks since the progress was told.
    untold: u64,
    followed: Followed,
}

impl<'a, T: Scalar> Follower<'a, T> {
    fn new(
        (study, backend): (&'a Study, &'a Backend),
        pipeline: &'a mut Pipeline<T>,
        rate: f64,
        waits: bool,
    ) -> Self {
        Self {
            study,
            backend,
            pipeline,
            rate,
            waits,
            tuner: None,
            next: 0,
            since_tuned: f64::INFINITY,
            shown: None,
            untold: 0,
            followed: Followed::default(),
        }
    }

    /// Takes blocks until there are no more, or until the user stops it.
    fn run(&mut self, queue: &Queue<Timed>, total: Option<u64>, progress: &Progress) -> Result<(), NahError> {
        let _closing = Closing(queue);
        let start = Instant::now();
        let stage = progress.stage("holograms", total, "blocks");
        let pictures = Queue::new(PICTURES);
        thread::scope(|scope| {
            let _closing = Closing(&pictures);
            scope.spawn(|| self.study.show(&pictures, progress));
            while progress.check().is_ok() {
                match queue.pop(TICK) {
                    Popped::Item(block) => self.take(block)?,
                    Popped::Nothing => {}
                    Popped::Closed => break,
                }
                if self.shown.is_none_or(|shown| shown.elapsed() >= SPACING) {
                    stage.advance(std::mem::take(&mut self.untold));
                    self.picture(&pictures);
                }
            }
            Ok::<(), NahError>(())
        })?;
        stage.advance(self.untold);
        self.followed.dropped_pictures = pictures.dropped();
        self.followed.seconds = start.elapsed().as_secs_f64();
        Ok(())
    }

    fn take(&mut self, (heard, at): Timed) -> Result<(), NahError> {
        let problem = &self.study.problem;
        if heard.number != self.next {
            // What was heard before does not belong to what comes now.
            self.pipeline.set_ear(self.study.ear(self.backend, self.rate)?);
        }
        self.next = heard.number + 1;
        self.untold += 1;
        let start = at.unwrap_or_else(Instant::now);
        let hop = problem.analysis.hop;
        let made = match &heard.data {
            Data::Part(first) => self.pipeline.push(block(&problem.input, *first, hop))?,
            Data::Samples(samples) => self.pipeline.push(Block::Samples(samples))?,
            Data::Words(words) => self.pipeline.push(Block::Words(words))?,
        };
        if !made {
            return Ok(());
        }
        self.followed.latencies.add(start.elapsed().as_secs_f64());
        let first = (heard.number + 1) as f64 * hop as f64 - problem.analysis.samples as f64;
        self.followed.history.add(|| self.study.moments(self.pipeline, first / self.rate));
        self.tune(hop);
        Ok(())
    }

    /// Asks for better filters every second, and takes those that there are.
    fn tune(&mut self, hop: usize) {
        let Some(tuner) = self.tuner else { return };
        self.since_tuned += hop as f64;
        if self.since_tuned > self.rate {
            self.since_tuned = 0.0;
            tuner.ask(self.pipeline);
        }
        tuner.take(self.pipeline);
    }

    /// Hands over what there is to see.
    fn picture(&mut self, pictures: &Queue<Picture>) {
        if self.followed.history.holograms == 0 {
            return;
        }
        self.shown = Some(Instant::now());
        let map = |line| {
            let field = self.pipeline.field(line, 0);
            field.iter().map(|p| level(T::complex_to_f64(*p).norm()) as f32).collect()
        };
        let picture = Picture((0..self.study.frequencies.len()).map(map).collect());
        if self.waits {
            pictures.push_waiting(picture);
        } else {
            pictures.push_dropping(picture);
        }
    }

    fn finish(self, counts: Counts, queue: &Queue<Timed>) -> Followed {
        Followed { counts, dropped_blocks: queue.dropped(), ..self.followed }
    }
}

impl Study {
    /// Shows pictures as they come.
    fn show(&self, pictures: &Queue<Picture>, progress: &Progress) {
        loop {
            match pictures.pop(TICK) {
                Popped::Item(Picture(maps)) => {
                    for (frequency, map) in self.frequencies.iter().zip(maps) {
                        self.frame(*frequency, &map, progress);
                    }
                }
                Popped::Nothing => {}
                Popped::Closed => return,
            }
        }
    }

    fn frame(&self, frequency: f64, levels: &[f32], progress: &Progress) {
        let grid = self.problem.grid;
        let ([left, bottom], [right, top]) = (grid.place(0), grid.place(grid.len() - 1));
        progress.frame(Frame {
            name: &format!("{frequency} Hz"),
            rows: grid.rows,
            cols: grid.columns,
            x: [left, right],
            y: [bottom, top],
            value_label: "sound pressure level (dB re 20 µPa)",
            values: levels,
        });
    }
}
