//! Waiting for other ranks without keeping a core busy.

use std::time::{Duration, Instant};

/// How long polls only yield, which lets a rank on the same core send what this one waits for; a blocking wait of MPI
/// would spin for milliseconds there. Long enough for the largest piece of a message, which moves only when polled.
const YIELD_TIME: Duration = Duration::from_millis(100);
/// Afterwards the other rank is at work on something long, and a core matters more than the latency.
const PAUSE: Duration = Duration::from_micros(50);

/// The pauses between polls.
pub struct Backoff {
    started: Instant,
}

impl Backoff {
    /// Pauses for one wait, which begins now.
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Leaves the core to others for a moment.
    pub fn pause(&self) {
        if self.started.elapsed() < YIELD_TIME { std::thread::yield_now() } else { long_pause() }
    }
}

/// The pause of who waits in the background.
pub fn long_pause() {
    std::thread::sleep(PAUSE);
}
