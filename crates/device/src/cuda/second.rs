//! The second stream of a queue, whose work runs beside that of the first.

use super::capture::QueueId;
use super::status::check;
use crate::{Result, Stream};
use cudarc::driver::sys::{self, CUevent, CUstream};
use std::cell::Cell;

thread_local! {
    /// The queue whose work on this thread goes to its second stream.
    static SWITCHED: Cell<Option<QueueId>> = const { Cell::new(None) };
}

/// From now on the work of `queue` on this thread goes to `stream`.
pub fn switch(queue: QueueId, stream: Stream) {
    SWITCHED.set((stream == Stream::Second).then_some(queue));
}

/// The stream that the work of `queue` on this thread goes to.
pub fn current(queue: QueueId) -> Stream {
    if SWITCHED.get() == Some(queue) { Stream::Second } else { Stream::First }
}

/// A stream, and the events by which it and the first one wait for each other.
pub struct Second {
    pub stream: CUstream,
    /// Of the first stream, and of this one. Each stream has its own: between the record of one thread and its wait, another thread may
    /// record once more, and what is waited for must then be more of the same stream, not less.
    events: [CUevent; 2],
}

impl Second {
    /// A stream of the highest priority: its kernels are short, and others wait for them. The context must be bound.
    pub fn new() -> Result<Self> {
        let (mut stream, mut events) = (std::ptr::null_mut(), [std::ptr::null_mut(); 2]);
        let (mut lowest, mut highest) = (0, 0);
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let untimed = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the caller has bound the context, and the pointers are to live locals.
        unsafe {
            let status = sys::cuCtxGetStreamPriorityRange(&raw mut lowest, &raw mut highest);
            check("cuCtxGetStreamPriorityRange", status)?;
            for event in &mut events {
                check("cuEventCreate", sys::cuEventCreate(&raw mut *event, untimed))?;
            }
            let status = sys::cuStreamCreateWithPriority(&raw mut stream, flags, highest);
            check("cuStreamCreateWithPriority", status)?;
        }
        Ok(Self { stream, events })
    }

    /// Later work of `waiting` begins after all that the other stream has now; the host does not wait. The context must be bound.
    pub fn order(&self, waiting: Stream, first: CUstream) -> Result<()> {
        let (waiting, awaited, event) = match waiting {
            Stream::First => (first, self.stream, self.events[1]),
            Stream::Second => (self.stream, first, self.events[0]),
        };
        // SAFETY: event and streams are alive. A stream waits for what the event recorded last before the call, so that the event can be
        // used again at once.
        unsafe {
            check("cuEventRecord", sys::cuEventRecord(event, awaited))?;
            check("cuStreamWaitEvent", sys::cuStreamWaitEvent(waiting, event, 0))
        }
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. The queue has waited for all work and bound its context.
        unsafe {
            let _ = sys::cuStreamDestroy_v2(self.stream);
            for event in self.events {
                let _ = sys::cuEventDestroy_v2(event);
            }
        }
    }
}
