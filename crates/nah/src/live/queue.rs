//! A queue with so many places, between two threads. Where the reader is slow, either the writer waits, or what is oldest is left out and counted.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A queue with so many places.
pub struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    places: usize,
}

struct State<T> {
    items: VecDeque<T>,
    closed: bool,
    dropped: u64,
}

/// What a reader gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Popped<T> {
    /// The oldest item.
    Item(T),
    /// Nothing came in time.
    Nothing,
    /// Nothing will come any more.
    Closed,
}

impl<T> Queue<T> {
    /// An empty one.
    pub fn new(places: usize) -> Self {
        let state = State { items: VecDeque::with_capacity(places), closed: false, dropped: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new(), places }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item as soon as there is a place; whether the queue is still open.
    pub fn push_waiting(&self, item: T) -> bool {
        let full = |state: &mut State<T>| state.items.len() >= self.places && !state.closed;
        let mut state = self.changed.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        self.add(&mut state, item)
    }

    /// Adds an item at once, in place of the oldest where there is no other; whether the queue is still open.
    pub fn push_dropping(&self, item: T) -> bool {
        let mut state = self.state();
        if !state.closed && state.items.len() >= self.places && state.items.pop_front().is_some() {
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

    /// Takes the oldest item, waiting for one no longer than this. What was in a queue when it was closed still comes.
    pub fn pop(&self, patience: Duration) -> Popped<T> {
        let empty = |state: &mut State<T>| state.items.is_empty() && !state.closed;
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.state(), patience, empty)
            .unwrap_or_else(PoisonError::into_inner);
        let popped = match (state.items.pop_front(), state.closed) {
            (Some(item), _) => Popped::Item(item),
            (None, true) => Popped::Closed,
            (None, false) => Popped::Nothing,
        };
        drop(state);
        self.changed.notify_all();
        popped
    }

    /// Nothing is added from here on.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// Items that were left out.
    pub fn dropped(&self) -> u64 {
        self.state().dropped
    }
}

/// Closes a queue when it goes, whatever the reason, so that nobody waits for it forever.
pub struct Closing<'a, T>(pub &'a Queue<T>);

impl<T> Drop for Closing<'_, T> {
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
    fn a_slow_reader_gets_the_newest_and_the_rest_is_counted() {
        let queue = Queue::new(3);
        assert!((0..10).all(|i| queue.push_dropping(i)));
        assert_eq!(queue.dropped(), 7);
        queue.close();
        assert!(!queue.push_dropping(10));
        let items: Vec<_> = (0..4).map(|_| queue.pop(SOON)).collect();
        assert_eq!(items, [Popped::Item(7), Popped::Item(8), Popped::Item(9), Popped::Closed]);
    }

    #[test]
    fn a_writer_that_waits_loses_nothing() {
        let queue = Queue::new(2);
        assert_eq!(queue.pop(SOON), Popped::Nothing);
        let read = thread::scope(|scope| {
            scope.spawn(|| {
                let _closing = Closing(&queue);
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

    /// A writer that waits for a place must not wait for a reader that has gone.
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
