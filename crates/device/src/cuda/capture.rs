//! The stream capture of the current thread, if it is recording a graph.

use cudarc::driver::sys::CUstream;
use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

/// Tells queues apart.
pub type QueueId = usize;

struct Current {
    /// The queue whose work is captured.
    queue: QueueId,
    stream: CUstream,
    /// What the graph uses beside the buffers that the work borrows.
    retained: Vec<Arc<dyn Any>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// A capture in progress on this thread; dropping it ends the capture, also when the work panics.
pub struct Capture {
    queue: QueueId,
}

impl Capture {
    /// Routes the work of `queue` on this thread to `stream`.
    pub fn begin(queue: QueueId, stream: CUstream) -> Self {
        // Per thread: others continue to use the stream of the queue.
        CURRENT.set(Some(Current { queue, stream, retained: Vec::new() }));
        Self { queue }
    }

    /// Ends the capture; returns what the graph must keep alive.
    pub fn end(self) -> Vec<Arc<dyn Any>> {
        // Taken before the drop below, which then finds nothing.
        let current = CURRENT.take().filter(|current| current.queue == self.queue);
        current.map_or_else(Vec::new, |current| current.retained)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        // After a panic, later work of the thread must not go to a capture that has ended.
        CURRENT.take();
    }
}

/// The capture stream, if this thread captures work of `queue`.
pub fn recorded_stream(queue: QueueId) -> Option<CUstream> {
    CURRENT.with_borrow(|current| {
        current.as_ref().filter(|current| current.queue == queue).map(|current| current.stream)
    })
}

/// Retains `item` as long as the graph in capture, if there is one.
pub fn retain<K: Any>(queue: QueueId, item: &Arc<K>) {
    CURRENT.with_borrow_mut(|current| {
        if let Some(current) = current.as_mut().filter(|current| current.queue == queue) {
            current.retained.push(item.clone());
        }
    });
}
