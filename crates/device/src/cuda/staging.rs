//! Pinned (page-locked) host memory.

use super::queue::{CudaMemory, Queue};
use super::second;
use super::status::check;
use crate::{HostMemory, Result, Stream};
use cudarc::driver::sys;
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

/// Page-locked memory, freed when dropped. The pointer keeps it on one thread.
pub struct Pinned {
    queue: Arc<Queue>,
    pointer: *mut u8,
    bytes: usize,
    /// Where its last copy is.
    copied_on: Cell<Stream>,
}

impl Pinned {
    /// `bytes` (> 0) of zeros.
    pub fn zeroed(queue: &Arc<Queue>, bytes: usize) -> Result<Self> {
        queue.refuse_in_recording("an allocation")?;
        queue.bind()?;
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the context is bound, and the pointer is to a live local.
        check("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&raw mut pointer, bytes, 0) })?;
        let pointer = pointer.cast::<u8>();
        // SAFETY: so many bytes were just allocated, and nobody else has them.
        unsafe { pointer.write_bytes(0, bytes) };
        Ok(Self { queue: queue.clone(), pointer, bytes, copied_on: Cell::new(Stream::First) })
    }

    /// Whether it belongs to `queue`.
    pub fn is_of(&self, queue: &Arc<Queue>) -> bool {
        Arc::ptr_eq(&self.queue, queue)
    }

    /// A copy is about to be queued: all copies under way must be on one stream.
    fn copies_on_current_stream(&self) -> Result<()> {
        let now = second::current(self.queue.id());
        let before = self.copied_on.replace(now);
        if before == now { Ok(()) } else { self.queue.synchronize_stream(before) }
    }

    /// Copies its first `bytes` to the start of `target`; does not wait.
    pub fn send(&self, target: &CudaMemory, bytes: usize) -> Result<()> {
        self.queue.bind()?;
        self.copies_on_current_stream()?;
        // SAFETY: both ranges are in bounds, and this memory is written and freed only after waiting for the queue.
        let status = unsafe {
            sys::cuMemcpyHtoDAsync_v2(target.address(), self.at(0, bytes).cast(), bytes, self.queue.stream())
        };
        check("cuMemcpyHtoD", status)
    }

    /// Copies the first `bytes` of `source` to its start; does not wait.
    pub fn fetch(&self, source: &CudaMemory, bytes: usize) -> Result<()> {
        self.queue.bind()?;
        self.copies_on_current_stream()?;
        // SAFETY: as above; it is read after waiting for the queue, too.
        let status = unsafe {
            sys::cuMemcpyDtoHAsync_v2(self.at(0, bytes).cast(), source.address(), bytes, self.queue.stream())
        };
        check("cuMemcpyDtoH", status)
    }

    /// Where byte `at` lies, with `bytes` from there on.
    fn at(&self, at: usize, bytes: usize) -> *mut u8 {
        assert!(at <= self.bytes && bytes <= self.bytes - at, "{bytes} bytes at {at} of {}", self.bytes);
        // SAFETY: inside the allocation, or one past its end.
        unsafe { self.pointer.add(at) }
    }
}

impl HostMemory for Pinned {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn write_bytes(&self, at: usize, source: &[u8]) -> Result<()> {
        self.queue.synchronize_stream(self.copied_on.get())?;
        // SAFETY: in range; no copy is under way, and none begins: whoever could begin one is on this thread.
        unsafe { self.at(at, source.len()).copy_from_nonoverlapping(source.as_ptr(), source.len()) };
        Ok(())
    }

    fn read_bytes(&self, at: usize, target: &mut [u8]) -> Result<()> {
        self.queue.synchronize_stream(self.copied_on.get())?;
        // SAFETY: as above; all of it was written when it was allocated.
        unsafe { self.at(at, target.len()).copy_to_nonoverlapping(target.as_mut_ptr(), target.len()) };
        Ok(())
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if self.queue.synchronize().is_ok() {
            // SAFETY: allocated by the matching call, freed once, and no copy is under way.
            let _ = unsafe { sys::cuMemFreeHost(self.pointer.cast()) };
        }
    }
}
