//! Blocks as they are passed between threads.

use std::time::{Duration, Instant};

/// How long a thread waits for input before it checks whether to stop.
pub const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A block of frames of all microphones.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveBlock {
    /// Sequence number; consecutive blocks have consecutive numbers.
    pub number: u64,
    /// Samples or words.
    pub data: BlockData,
}

/// The data of a block.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockData {
    /// A hop of the recording from this frame on.
    Recording(usize),
    /// Samples, Pa.
    Samples(Vec<f32>),
    /// 32-bit words of bitstreams.
    Words(Vec<u32>),
}

/// A block with the time at which its last frame arrived; none if the block waited to be processed.
pub type TimedBlock = (LiveBlock, Option<Instant>);
