//! Waiting for other ranks without keeping a core busy.

use std::time::Duration;

/// Polls that only yield: messages between ranks that are in step take less, and a yield lets a rank on the same core
/// send what this one waits for. A blocking wait of MPI would spin for milliseconds there.
const YIELDS: u32 = 10_000;
/// Afterwards the other rank is at work on something long, and a core matters more than the latency.
const PAUSE: Duration = Duration::from_micros(50);

/// The pauses between polls.
#[derive(Default)]
pub struct Backoff {
    polls: u32,
}

impl Backoff {
    /// Pauses for who waits in the background.
    pub fn patient() -> Self {
        Self { polls: YIELDS }
    }

    /// Leaves the core to others for a moment.
    pub fn pause(&mut self) {
        if self.polls < YIELDS {
            self.polls += 1;
            std::thread::yield_now();
        } else {
            std::thread::sleep(PAUSE);
        }
    }
}
