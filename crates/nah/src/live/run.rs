//! Playback of a recording and reception of a stream, each with its threads.

use super::adaptation::{AdaptiveRegularization, initial_phasors};
use super::assembler::Assembler;
use super::player::Player;
use super::processor::Processor;
use super::queue::{CloseOnDrop, Queue};
use super::receiver::{Receiver, bind};
use crate::checkpoint::{Checkpoint, CheckpointSink, NoCheckpoints};
use crate::engine::Engine;
use crate::error::NahError;
use crate::input::Stream;
use crate::pipeline::Pipeline;
use crate::problem::PlaybackRate;
use crate::scalar::Scalar;
use crate::solution::Solution;
use crate::spectral::{Analysis, FrontEnd};
use crate::study::Study;
use crate::summary::{StreamCounts, Summary};
use phasefront_core::{FieldError, Progress};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// Blocks that may wait to be processed.
const WAITING_BLOCKS: usize = 64;

impl Study {
    /// Processes a recording block by block, as if it were received now, after those that are finished. Whether the user interrupted it is up to
    /// the caller to ask.
    pub(crate) fn play_back<T: Scalar>(
        &self,
        pipeline: &mut Pipeline<T>,
        (finished, sink): (Checkpoint, &mut dyn CheckpointSink),
        (engine, rate): (&dyn Engine<T>, f64),
        progress: &Progress,
    ) -> Result<Summary, NahError> {
        let problem = &self.problem;
        let start = self.refill_from(finished.blocks);
        let player = Player {
            input: &problem.input,
            frames: problem.frames(),
            hop: problem.analysis.hop,
            rate,
            playback: problem.playback,
            repeats: problem.repeats,
            start,
        };
        let queue = Queue::new(WAITING_BLOCKS);
        // At full speed nothing may be dropped; in real time nothing may wait.
        let waits = player.playback == PlaybackRate::FullSpeed;
        let mut processor = Processor::new((self, engine), pipeline, rate, waits, finished);
        processor.start_at(start);
        let total = Some(player.blocks() - start);
        let counts = thread::scope(|scope| {
            let feed = scope.spawn(|| player.run(&queue));
            let processed = processor.run(&queue, total, sink, progress);
            // After the processor has closed the queue: the player ends at its next block.
            let counts = joined(feed);
            processed.map(|()| counts)
        })?;
        Ok(processor.finish(counts, &queue))
    }

    /// The block to start at, so that the window and the sums of the sliding DFT are those of an uninterrupted run after so many finished blocks: the
    /// sums go back two windows, and depend on where a block is in its revolution of `samples` frames.
    fn refill_from(&self, finished: u64) -> u64 {
        let Analysis { samples, hop, method } = self.problem.analysis;
        let settling = FrontEnd::new(self.problem.format(), method).settling_frames();
        let needed = (2 * samples + settling).div_ceil(hop) as u64 + 1;
        // Blocks after which the window begins at the same frame of a revolution.
        let revolution =
            (1..=samples).find(|blocks| (blocks * hop).is_multiple_of(samples)).unwrap_or(1) as u64;
        finished.saturating_sub(needed) / revolution * revolution
    }

    /// Receives a stream until its duration is over, or until the user interrupts.
    pub(crate) fn receive<T: Scalar>(
        &self,
        stream: &Stream,
        engine: &dyn Engine<T>,
        progress: &Progress,
    ) -> Result<Solution, NahError> {
        let socket = bind(stream.address).map_err(|error| {
            let message = format!("cannot bind to {}: {error}", stream.address);
            FieldError::new("source.listen", message, "choose another port, or stop the program that uses it")
        })?;
        // Something must be reconstructed before the first phasors are known.
        let (regularization, reconstructor) =
            self.reconstructor::<T>((&self.frequencies, &initial_phasors(self)), &[], engine, progress)?;
        let rate = stream.sample_rate();
        let analysis = self.problem.analysis;
        let estimator = self.spectrum_estimator(engine, analysis.method, rate)?;
        let mut pipeline = Pipeline::new(estimator, self.preprocessing(&[]), reconstructor);
        let mut assembler = Assembler::new(stream.clone(), analysis.hop, analysis.samples);
        let (queue, stop, dead) = (Queue::new(WAITING_BLOCKS), AtomicBool::new(false), Mutex::default());
        let duration = stream.duration.map(Duration::from_secs_f64);
        let receiver = Receiver { socket: &socket, duration, stop: &stop, dead: &dead };
        let adaptation = AdaptiveRegularization::new(self, engine, &dead, regularization);
        let mut processor = Processor::new((self, engine), &mut pipeline, rate, false, Checkpoint::default());
        processor.adaptation = Some(&adaptation);
        progress.note(&format!("listening at {}", stream.address));
        let counts = thread::scope(|scope| {
            // Ends the adaptation thread on every return.
            let _close = CloseOnDrop(adaptation.requests());
            scope.spawn(|| adaptation.run());
            let feed = scope.spawn(|| receiver.run(&mut assembler, &queue));
            let processed = processor.run(&queue, None, &mut NoCheckpoints, progress);
            // The receiver checks this between datagrams.
            stop.store(true, Ordering::Relaxed);
            let counts = joined(feed);
            processed.map(|()| counts)
        })?;
        let counts = counts.map_err(|error| {
            let message = format!("receiving at {} failed: {error}", stream.address);
            FieldError::new("source.listen", message, "check the network, and run it again")
        })?;
        let summary = processor.finish(counts, &queue);
        if summary.history.holograms == 0 {
            return Err(nothing_received(stream, &counts).into());
        }
        let regularization = adaptation.regularization();
        let dead = dead.into_inner().unwrap_or_default();
        let at = &self.frequencies;
        let hologram = |i: usize| self.hologram(&pipeline, (i, at[i], &dead), regularization[i], Vec::new());
        let holograms = (0..regularization.len()).map(hologram).collect::<Result<_, _>>()?;
        Ok(Solution { holograms, beamformed: Vec::new(), summary, dead, interrupted: false })
    }
}

fn nothing_received(stream: &Stream, counts: &StreamCounts) -> FieldError {
    let StreamCounts { accepted, corrupt, .. } = counts;
    let message = format!(
        "no hologram could be computed from the stream at {}: {accepted} datagrams were accepted and {corrupt} rejected",
        stream.address
    );
    let advice = "let the array send to this address, with as many microphones as the grid and in the format of the case; \
                  the first hologram needs a full window of samples";
    FieldError::new("source.listen", message, advice)
}

/// The result of a thread; a panic there is a panic here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
