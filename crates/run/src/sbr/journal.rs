//! The finished aspects of a sweep, saved range by range.

use crate::checkpoint::Checkpoints;
use crate::error::RunError;
use phasefront_core::Progress;
use phasefront_sbr::{Checkpoint, Counts, Problem, ScatteringMatrix};
use std::time::{Duration, Instant};

/// How much work a power failure may cost; flushing to the disk more often would slow down short batches.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// The finished aspects, from the first on.
pub(super) struct Journal<'a> {
    checkpoints: &'a Checkpoints,
    /// Time of the last flush.
    flushed: Instant,
    /// By frequency, then by aspect.
    pub scattering: Vec<Vec<ScatteringMatrix>>,
    pub counts: Counts,
}

impl<'a> Journal<'a> {
    /// Starts a journal, or reads that of an interrupted run.
    pub(super) fn open(
        checkpoints: &'a Checkpoints,
        problem: &Problem,
        progress: &Progress,
    ) -> Result<Self, RunError> {
        let (aspects, frequencies) = (problem.aspects.len(), problem.frequencies.len());
        let scattering = vec![Vec::with_capacity(aspects); frequencies];
        let mut journal =
            Self { checkpoints, flushed: Instant::now(), scattering, counts: Counts::default() };
        checkpoints.pieces(progress, |piece: Checkpoint| {
            let next = piece.aspects.start == journal.finished() && piece.aspects.end <= aspects;
            let fits = next && piece.scattering.len() == frequencies;
            if fits {
                journal.take(piece);
            }
            fits
        })?;
        Ok(journal)
    }

    /// The number of finished aspects.
    pub(super) fn finished(&self) -> usize {
        self.scattering.first().map_or(0, Vec::len)
    }

    /// Adds the next aspects, to the file first.
    pub(super) fn add(&mut self, piece: Checkpoint) -> Result<(), RunError> {
        let flush = self.flushed.elapsed() > FLUSH_INTERVAL;
        self.checkpoints.append(&piece, flush)?;
        if flush {
            self.flushed = Instant::now();
        }
        self.take(piece);
        Ok(())
    }

    fn take(&mut self, piece: Checkpoint) {
        for (all, some) in self.scattering.iter_mut().zip(piece.scattering) {
            all.extend(some);
        }
        self.counts.merge(&piece.counts);
    }
}
