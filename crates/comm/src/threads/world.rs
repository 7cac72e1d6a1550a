//! What the ranks of one process share: messages under one lock, and the first failure.

use crate::buffer::Buffer;
use crate::error::{CommError, Result};
use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a message is for; each kind has its own order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// From rank 0 to the others.
    Broadcast,
    /// From every rank to rank 0.
    Gather,
    /// Of `send` and `receive`.
    Direct,
}

/// Sender, receiver and purpose of messages.
pub type Route = (usize, usize, Purpose);

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelId {
    /// The halo exchange, counted in the order of their creation.
    pub halo: usize,
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// Which of their links it is.
    pub nth: usize,
}

/// Buffers on their way; a neighbor may be one exchange ahead.
#[derive(Default)]
pub struct Channel {
    /// Sent and not received yet.
    pub full: VecDeque<Buffer>,
    /// Returned by the receiver, to be filled again.
    pub empty: Vec<Buffer>,
}

/// Everything under the lock.
#[derive(Default)]
pub struct State {
    /// Messages that nobody has taken yet.
    pub mail: HashMap<Route, VecDeque<Vec<u8>>>,
    /// Halo exchanges.
    pub channels: HashMap<ChannelId, Channel>,
    failure: Option<(usize, CommError)>,
}

/// The ranks of one process.
pub struct World {
    /// How many there are.
    pub size: usize,
    /// Where they run.
    pub host: String,
    state: Mutex<State>,
    changed: Condvar,
}

impl World {
    /// A world of `size` ranks.
    pub fn new(size: usize) -> Self {
        Self { size, host: crate::host::name(), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Changes the state and wakes those who wait for it.
    pub fn update<R>(&self, change: impl FnOnce(&mut State) -> R) -> Result<R> {
        let mut state = self.lock();
        state.check()?;
        let answer = change(&mut state);
        self.changed.notify_all();
        Ok(answer)
    }

    /// Takes from the state what may be there already.
    pub fn take<R>(&self, take: impl FnOnce(&mut State) -> R) -> Result<R> {
        let mut state = self.lock();
        state.check()?;
        Ok(take(&mut state))
    }

    /// Waits until `take` gets something from the state, or a rank fails.
    pub fn wait_for<R>(&self, mut take: impl FnMut(&mut State) -> Option<R>) -> Result<R> {
        let mut state = self.lock();
        loop {
            state.check()?;
            if let Some(taken) = take(&mut state) {
                return Ok(taken);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes every further call of all ranks fail. The first failure counts.
    pub fn fail(&self, rank: usize, error: CommError) {
        self.lock().failure.get_or_insert((rank, error));
        self.changed.notify_all();
    }

    /// The rank that failed first, and what the others were told.
    pub fn failure(&self) -> Option<(usize, CommError)> {
        self.lock().failure.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No change stops halfway, so that the state of a rank that panicked is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> Result<()> {
        self.failure.as_ref().map_or(Ok(()), |(_, error)| Err(error.clone()))
    }
}
