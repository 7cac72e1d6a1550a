//! The finished aspects of a sweep, saved range by range.

use crate::checkpoint::Checkpoints;
use crate::error::RunError;
use phasefront_core::Progress;
use phasefront_sbr::{Checkpoint, Counts, Problem, ScatteringMatrix};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// How much work a power failure may cost; flushing to the disk more often would slow down short batches.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// The finished aspects, in ranges that may have been done in any order.
pub(super) struct Journal<'a> {
    checkpoints: &'a Checkpoints,
    /// Time of the last flush.
    flushed: Instant,
    /// By the first aspect of each range; ranges do not overlap.
    pieces: BTreeMap<usize, Checkpoint>,
}

impl<'a> Journal<'a> {
    /// Starts a journal, or reads that of an interrupted run.
    pub(super) fn open(
        checkpoints: &'a Checkpoints,
        problem: &Problem,
        progress: &Progress,
    ) -> Result<Self, RunError> {
        let (aspects, frequencies) = (problem.aspects.len(), problem.frequencies.len());
        let mut journal = Self { checkpoints, flushed: Instant::now(), pieces: BTreeMap::new() };
        checkpoints.pieces(progress, |piece: Checkpoint| {
            let aspects_of = std::slice::from_ref(&piece.aspects);
            let is_new = piece.aspects.end <= aspects && journal.left(aspects_of) == aspects_of;
            let fits = is_new && piece.scattering.len() == frequencies;
            if fits {
                journal.pieces.insert(piece.aspects.start, piece);
            }
            fits
        })?;
        Ok(journal)
    }

    /// The number of finished aspects.
    pub(super) fn finished(&self) -> usize {
        self.pieces.values().map(|piece| piece.aspects.len()).sum()
    }

    /// What is not done of some ranges of aspects, which are in order.
    pub(super) fn left(&self, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut left = Vec::new();
        for range in ranges {
            let mut next = range.start;
            for piece in self.pieces.values().map(|piece| &piece.aspects) {
                if piece.end > next && piece.start < range.end {
                    left.extend((next < piece.start).then_some(next..piece.start));
                    next = piece.end;
                }
            }
            left.extend((next < range.end).then_some(next..range.end));
        }
        left
    }

    /// Adds a range of aspects, to the file first.
    pub(super) fn add(&mut self, piece: Checkpoint) -> Result<(), RunError> {
        let flush = self.flushed.elapsed() > FLUSH_INTERVAL;
        self.checkpoints.append(&piece, flush)?;
        if flush {
            self.flushed = Instant::now();
        }
        self.pieces.insert(piece.aspects.start, piece);
        Ok(())
    }

    /// All aspects in their order, whoever has done them: by frequency, then by aspect.
    pub(super) fn into_whole(self, frequencies: usize) -> (Vec<Vec<ScatteringMatrix>>, Counts) {
        let (mut scattering, mut counts) = (vec![Vec::new(); frequencies], Counts::default());
        for piece in self.pieces.into_values() {
            for (all, some) in scattering.iter_mut().zip(piece.scattering) {
                all.extend(some);
            }
            counts.merge(&piece.counts);
        }
        (scattering, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_done_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::none(folder.path());
        let mut journal = Journal::open(&checkpoints, &Problem::default(), &Progress::silent()).unwrap();
        assert_eq!(journal.left(&[0..4, 4..9]), [0..4, 4..9]);
        let mut done = |aspects: Range<usize>| {
            let piece =
                Checkpoint { aspects: aspects.clone(), scattering: Vec::new(), counts: Counts::default() };
            journal.pieces.insert(aspects.start, piece);
            journal.left(&[0..4, 4..9])
        };
        assert_eq!(done(6..7), [0..4, 4..6, 7..9]);
        assert_eq!(done(0..2), [2..4, 4..6, 7..9]);
        assert_eq!(done(2..5), [5..6, 7..9]);
        assert_eq!(done(5..6).len(), 1);
        assert_eq!(done(7..9), [0..0; 0]);
        assert_eq!(journal.finished(), 9);
    }
}
