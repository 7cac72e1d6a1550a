//! Playback of recordings.

use super::block::{BlockData, LiveBlock, TimedBlock};
use super::queue::{CloseOnDrop, Queue};
use crate::input::Input;
use crate::problem::PlaybackRate;
use crate::summary::StreamCounts;
use std::thread;
use std::time::{Duration, Instant};

/// Plays back a recording block by block, a number of times.
pub struct Player<'a> {
    /// The recording.
    pub input: &'a Input,
    /// Its frames, and those of a block.
    pub frames: usize,
    pub hop: usize,
    /// Frames per second.
    pub rate: f64,
    /// How fast it is played.
    pub playback: PlaybackRate,
    /// How many times.
    pub repeats: u64,
    /// The block to start at.
    pub start: u64,
}

impl Player<'_> {
    /// Number of blocks; an incomplete last block is dropped.
    pub fn blocks(&self) -> u64 {
        (self.frames as u64).saturating_mul(self.repeats) / self.hop as u64
    }

    /// Plays until the end, or until the queue is closed.
    pub fn run(&self, queue: &Queue<TimedBlock>) -> StreamCounts {
        let _close = CloseOnDrop(queue);
        let start = Instant::now();
        let mut counts = StreamCounts::default();
        for number in self.start..self.blocks() {
            let block = LiveBlock { number, data: self.data(number) };
            let open = match self.playback {
                PlaybackRate::FullSpeed => queue.push_waiting((block, None)),
                PlaybackRate::RealTime => {
                    // Due when its last frame would have been received.
                    let played = (number - self.start + 1) as f64 * self.hop as f64;
                    let due = start + Duration::from_secs_f64(played / self.rate);
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    // Latency counts from the due time, including that of a late wake-up.
                    queue.push_dropping((block, Some(due)))
                }
            };
            if !open {
                break;
            }
            counts.accepted = number + 1;
        }
        counts
    }

    /// A block across the end of the recording continues at its beginning.
    fn data(&self, number: u64) -> BlockData {
        let first = (number * self.hop as u64 % self.frames as u64) as usize;
        if first + self.hop <= self.frames {
            return BlockData::Recording(first);
        }
        match self.input {
            Input::Samples(samples) => {
                BlockData::Samples(self.wrapped(&samples.values, samples.microphones, first))
            }
            Input::Bits(bits) => BlockData::Words(self.wrapped(&bits.words, bits.microphones, first)),
            Input::Spectra(_) | Input::Stream(_) => BlockData::Samples(Vec::new()),
        }
    }

    fn wrapped<T: Copy>(&self, values: &[T], microphones: usize, first: usize) -> Vec<T> {
        let frames = (first..first + self.hop).map(|n| n % self.frames);
        frames.flat_map(|n| &values[n * microphones..][..microphones]).copied().collect()
    }
}
