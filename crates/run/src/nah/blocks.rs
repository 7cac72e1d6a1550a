//! The finished blocks of a recording, saved every few seconds.

use crate::checkpoint::Checkpoints;
use phasefront_core::Progress;
use phasefront_nah::{Checkpoint, CheckpointSink};
use std::time::{Duration, Instant};

/// How much work a kill may cost; blocks take microseconds, a checkpoint milliseconds.
const INTERVAL: Duration = Duration::from_secs(2);

/// Where finished blocks are saved.
pub(super) struct FinishedBlocks<'a> {
    checkpoints: &'a Checkpoints,
    progress: &'a Progress,
    saved: Instant,
}

impl<'a> FinishedBlocks<'a> {
    pub(super) fn new(checkpoints: &'a Checkpoints, progress: &'a Progress) -> Self {
        Self { checkpoints, progress, saved: Instant::now() }
    }
}

impl CheckpointSink for FinishedBlocks<'_> {
    fn is_due(&mut self) -> bool {
        self.saved.elapsed() > INTERVAL
    }

    fn save(&mut self, checkpoint: &Checkpoint) {
        self.saved = Instant::now();
        // The stream must not wait, nor end, for a full disk; but a stopped run will have less to resume from.
        if let Err(error) = self.checkpoints.replace(checkpoint) {
            self.progress.warn(&format!("the finished blocks cannot be saved: {error}"));
        }
    }
}
