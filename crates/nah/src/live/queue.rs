//! A bounded queue between two threads. When it is full, the writer either waits, or drops the oldest item and counts it.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A bounded queue.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    capacity: usize,
}

struct State<T> {
    items: VecDeque<T>,
    closed: bool,
    dropped: u64,
}

/// The result of [`Queue::pop`].
#[derive(Debug, PartialEq, Eq)]
pub enum Popped<T> {
    /// The oldest item.
    Item(T),
    /// No item within the timeout.
    Nothing,
    /// The queue is closed and empty.
    Closed,
}

impl<T> Queue<T> {
    /// An empty queue.
    pub fn new(capacity: usize) -> Self {
        let state = State { items: VecDeque::with_capacity(capacity), closed: false, dropped: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new(), capacity }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        // A poisoned lock is used: items are moved in and out whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends an item, waiting while the queue is full; whether the queue is still open.
    pub fn push_waiting(&self, item: T) -> bool {
        // Closing ends the wait.
        let full = |state: &mut State<T>| state.items.len() >= self.capacity && !state.closed;
        let mut state = self.changed.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        self.add(&mut state, item)
    }

    /// Appends an item at once, dropping the oldest if the queue is full; whether the queue is still open.
    pub fn push_dropping(&self, item: T) -> bool {
        let mut state = self.state();
        // The newest data matter: the oldest item goes.
        if !state.closed && state.items.len() >= self.capacity && state.items.pop_front().is_some() {
            state.dropped += 1;
        }
        self.add(&mut state, item)
    }

    fn add(&self, state: &mut MutexGuard<'_, State<T>>, item: T) -> bool {
        if !state.closed {
            state.items.push_back(item);
            self.changed.notify_all();
        }
        !state.closed
    }

    /// Removes the oldest item, waiting for one until the timeout. Items of a closed queue are still returned.
    pub fn pop(&self, timeout: Duration) -> Popped<T> {
        let empty = |state: &mut State<T>| state.items.is_empty() && !state.closed;
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.state(), timeout, empty)
            .unwrap_or_else(PoisonError::into_inner);
        let popped = match (state.items.pop_front(), state.closed) {
            (Some(item), _) => Popped::Item(item),
            (None, true) => Popped::Closed,
            (None, false) => Popped::Nothing,
        };
        // Unlocked before the notification: the woken thread need not wait for the lock.
        drop(state);
        self.changed.notify_all();
        popped
    }

    /// Refuses further items.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// Number of dropped items.
    pub fn dropped(&self) -> u64 {
        self.state().dropped
    }
}

/// Closes a queue when dropped, for whatever reason, so that no thread waits for it forever.
pub struct CloseOnDrop<'a, T>(pub &'a Queue<T>);

impl<T> Drop for CloseOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const SOON: Duration = Duration::from_millis(1);

    #[test]
    fn a_slow_reader_gets_the_newest_items() {
        let queue = Queue::new(3);
        assert!((0..10).all(|i| queue.push_dropping(i)));
        assert_eq!(queue.dropped(), 7);
        queue.close();
        assert!(!queue.push_dropping(10));
        let items: Vec<_> = (0..4).map(|_| queue.pop(SOON)).collect();
        assert_eq!(items, [Popped::Item(7), Popped::Item(8), Popped::Item(9), Popped::Closed]);
    }

    #[test]
    fn a_waiting_writer_drops_nothing() {
        let queue = Queue::new(2);
        assert_eq!(queue.pop(SOON), Popped::Nothing);
        let read = thread::scope(|scope| {
            scope.spawn(|| {
                let _close = CloseOnDrop(&queue);
                (0..1000).for_each(|i| assert!(queue.push_waiting(i)));
            });
            let mut read = Vec::new();
            while let Popped::Item(i) = queue.pop(Duration::from_mins(1)) {
                read.push(i);
            }
            read
        });
        assert_eq!(read, (0..1000).collect::<Vec<i32>>());
        assert_eq!(queue.dropped(), 0);
    }

    /// A writer must not wait for a reader that has ended.
    #[test]
    fn closing_wakes_a_writer() {
        let queue = Queue::new(1);
        assert!(queue.push_waiting(0));
        let added = thread::scope(|scope| {
            let writer = scope.spawn(|| queue.push_waiting(1));
            thread::sleep(Duration::from_millis(20));
            queue.close();
            writer.join().unwrap()
        });
        assert!(!added);
    }
}
