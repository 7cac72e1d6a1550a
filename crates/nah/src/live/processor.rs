//! Reconstruction of blocks as they arrive, and display of some of the holograms.

use super::adaptation::AdaptiveRegularization;
use super::block::{BlockData, POLL_INTERVAL, TimedBlock};
use super::queue::{CloseOnDrop, Popped, Queue};
use crate::checkpoint::{Checkpoint, CheckpointSink};
use crate::engine::Engine;
use crate::error::NahError;
use crate::input::Block;
use crate::metrics::level;
use crate::pipeline::Pipeline;
use crate::scalar::Scalar;
use crate::stages::block;
use crate::study::Study;
use crate::summary::{StreamCounts, Summary};
use phasefront_core::{Frame, Progress};
use std::thread;
use std::time::{Duration, Instant};

/// Level maps that may wait to be displayed.
const WAITING_MAPS: usize = 4;
/// The shortest time between displayed maps.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(16);

/// Sound pressure levels on the first plane at each frequency, dB.
struct LevelMaps(Vec<Vec<f32>>);

/// Reconstructs holograms of blocks.
pub struct Processor<'a, T: Scalar> {
    study: &'a Study,
    engine: &'a dyn Engine<T>,
    pipeline: &'a mut Pipeline<T>,
    rate: f64,
    /// Whether to wait for a slow display.
    waits: bool,
    /// For streams, the thread that updates the regularization.
    pub adaptation: Option<&'a AdaptiveRegularization<'a, T>>,
    /// The number of the block that continues the last one.
    next: u64,
    /// Samples since the last update of the regularization was requested.
    since_update: f64,
    displayed: Option<Instant>,
    /// Blocks that are not yet reported as progress.
    unreported: u64,
    /// What is finished.
    state: Checkpoint,
}

impl<'a, T: Scalar> Processor<'a, T> {
    /// For a pipeline at a sample rate.
    pub fn new(
        (study, engine): (&'a Study, &'a dyn Engine<T>),
        pipeline: &'a mut Pipeline<T>,
        rate: f64,
        waits: bool,
        state: Checkpoint,
    ) -> Self {
        Self {
            study,
            engine,
            pipeline,
            rate,
            waits,
            adaptation: None,
            next: 0,
            since_update: f64::INFINITY,
            displayed: None,
            unreported: 0,
            state,
        }
    }

    /// Starts at a block other than the first one.
    pub fn start_at(&mut self, block: u64) {
        self.next = block;
    }

    /// Processes blocks until the queue is closed, or until the user interrupts.
    pub fn run(
        &mut self,
        queue: &Queue<TimedBlock>,
        total: Option<u64>,
        sink: &mut dyn CheckpointSink,
        progress: &Progress,
    ) -> Result<(), NahError> {
        // Closed on every return, so that the feeding thread ends too.
        let _close = CloseOnDrop(queue);
        let start = Instant::now();
        let stage = progress.stage("holograms", total, "blocks");
        let maps = Queue::new(WAITING_MAPS);
        thread::scope(|scope| {
            let _close = CloseOnDrop(&maps);
            scope.spawn(|| display(self.study, &maps, progress));
            while progress.check().is_ok() {
                match queue.pop(POLL_INTERVAL) {
                    Popped::Item(block) => {
                        self.process(block)?;
                        if sink.is_due() {
                            sink.save(&self.state);
                        }
                    }
                    Popped::Nothing => {}
                    Popped::Closed => break,
                }
                // Progress and maps at the rate of the display, not of the blocks.
                if self.displayed.is_none_or(|displayed| displayed.elapsed() >= DISPLAY_INTERVAL) {
                    stage.advance(std::mem::take(&mut self.unreported));
                    self.push_maps(&maps);
                }
            }
            Ok::<(), NahError>(())
        })?;
        stage.advance(self.unreported);
        self.state.summary.dropped_maps += maps.dropped();
        self.state.summary.seconds += start.elapsed().as_secs_f64();
        if progress.check().is_err() {
            sink.save(&self.state);
        }
        Ok(())
    }

    fn process(&mut self, (received, arrived): TimedBlock) -> Result<(), NahError> {
        let problem = &self.study.problem;
        if received.number != self.next {
            // The window must not span a gap.
            let estimator = self.study.spectrum_estimator(self.engine, problem.analysis.method, self.rate)?;
            self.pipeline.set_spectrum_estimator(estimator);
        }
        self.next = received.number + 1;
        self.unreported += 1;
        if received.number < self.state.blocks {
            return self.refill(&received.data);
        }
        self.state.blocks = received.number + 1;
        // Recordings at full speed have no arrival time: latency is processing time.
        let start = arrived.unwrap_or_else(Instant::now);
        let hop = problem.analysis.hop;
        let full = match &received.data {
            BlockData::Recording(first) => self.pipeline.push(block(&problem.input, *first, hop))?,
            BlockData::Samples(samples) => self.pipeline.push(Block::Samples(samples))?,
            BlockData::Words(words) => self.pipeline.push(Block::Words(words))?,
        };
        if !full {
            return Ok(());
        }
        let summary = &mut self.state.summary;
        summary.latencies.add(start.elapsed().as_secs_f64());
        // Time of the first sample of the window.
        let first = (received.number + 1) as f64 * hop as f64 - problem.analysis.samples as f64;
        summary.history.add(|| self.study.summaries(self.pipeline, first / self.rate));
        // Of every hologram, also where the history is thinned.
        summary.powers.add(self.study.powers(self.pipeline));
        self.adapt(hop);
        Ok(())
    }

    /// Fills the window with a block that a run before this one has finished.
    fn refill(&mut self, data: &BlockData) -> Result<(), NahError> {
        let problem = &self.study.problem;
        self.pipeline.push_finished(match data {
            BlockData::Recording(first) => block(&problem.input, *first, problem.analysis.hop),
            BlockData::Samples(samples) => Block::Samples(samples),
            BlockData::Words(words) => Block::Words(words),
        })
    }

    /// Requests an update of the regularization every second, and applies one that is ready.
    fn adapt(&mut self, hop: usize) {
        let Some(adaptation) = self.adaptation else { return };
        self.since_update += hop as f64;
        if self.since_update > self.rate {
            self.since_update = 0.0;
            adaptation.request(self.pipeline);
        }
        adaptation.apply(self.pipeline);
    }

    /// Passes the newest level maps to the display.
    fn push_maps(&mut self, maps: &Queue<LevelMaps>) {
        if self.state.summary.history.holograms == 0 {
            return;
        }
        self.displayed = Some(Instant::now());
        let map = |frequency| {
            let field = self.pipeline.field(frequency, 0);
            field.iter().map(|p| level(T::complex_to_f64(*p).norm()) as f32).collect()
        };
        let newest = LevelMaps((0..self.study.frequencies.len()).map(map).collect());
        // At full speed no map is dropped; in real time the display must not hold up the blocks.
        if self.waits {
            maps.push_waiting(newest);
        } else {
            maps.push_dropping(newest);
        }
    }

    /// The summary of the run.
    pub fn finish(self, counts: StreamCounts, queue: &Queue<TimedBlock>) -> Summary {
        let summary = self.state.summary;
        Summary { counts, dropped_blocks: summary.dropped_blocks + queue.dropped(), ..summary }
    }
}

/// Displays level maps as they arrive.
fn display(study: &Study, maps: &Queue<LevelMaps>, progress: &Progress) {
    loop {
        match maps.pop(POLL_INTERVAL) {
            Popped::Item(LevelMaps(maps)) => {
                for (frequency, levels) in study.frequencies.iter().zip(maps) {
                    display_map(study, *frequency, &levels, progress);
                }
            }
            Popped::Nothing => {}
            Popped::Closed => return,
        }
    }
}

fn display_map(study: &Study, frequency: f64, levels: &[f32], progress: &Progress) {
    let grid = study.problem.grid;
    let ([left, bottom], [right, top]) = (grid.position(0), grid.position(grid.len() - 1));
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
