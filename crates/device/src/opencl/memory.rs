//! One OpenCL device's context, in-order queue and buffers.

use super::error::failed;
use crate::{DeviceError, Memory, MemoryInfo, Result};
use opencl3::command_queue::{
    CommandQueue, enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer,
};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
    ClError,
};
use opencl3::event::release_event;
use opencl3::memory::{CL_MEM_READ_WRITE, create_buffer, release_mem_object};
use opencl3::types::{CL_TRUE, cl_event, cl_int, cl_mem};
use std::any::Any;
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A context with one in-order queue.
pub struct Queue {
    pub(super) context: Context,
    pub(super) commands: CommandQueue,
    total: u64,
    largest: u64,
    /// Bytes in buffers of this queue: OpenCL itself does not report what is free.
    used: AtomicU64,
}

impl Queue {
    /// A queue on `device`.
    pub fn open(device: Device) -> Result<Arc<Self>> {
        let context = Context::from_device(&device).map_err(failed("clCreateContext"))?;
        let commands = CommandQueue::create_default(&context, 0).map_err(failed("clCreateCommandQueue"))?;
        let total = device.global_mem_size().map_err(failed("clGetDeviceInfo"))?;
        let largest = device.max_mem_alloc_size().map_err(failed("clGetDeviceInfo"))?;
        Ok(Arc::new(Self { context, commands, total, largest, used: AtomicU64::new(0) }))
    }

    /// Waits for all work.
    pub fn synchronize(&self) -> Result<()> {
        self.commands.finish().map_err(failed("clFinish"))
    }

    /// What is left of the device's memory after our own buffers.
    pub fn memory(&self) -> MemoryInfo {
        let used = self.used.load(Ordering::Relaxed);
        MemoryInfo { free: self.total.saturating_sub(used), total: self.total }
    }
}

/// The event of an enqueued command is not needed: the queue is in order.
pub(super) fn forget_event(call: &'static str, event: std::result::Result<cl_event, cl_int>) -> Result<()> {
    let event = event.map_err(|code| failed(call)(ClError(code)))?;
    // SAFETY: the event was just returned to us, with one reference that is ours.
    let _ = unsafe { release_event(event) };
    Ok(())
}

/// A buffer, released when dropped; OpenCL keeps it until commands that use it are done.
pub struct ClMemory {
    queue: Arc<Queue>,
    buffer: cl_mem,
    bytes: usize,
}

// SAFETY: OpenCL calls on memory objects are thread-safe.
unsafe impl Send for ClMemory {}
// SAFETY: as above.
unsafe impl Sync for ClMemory {}

impl ClMemory {
    /// `bytes` (> 0) of zeros.
    pub fn zeroed(queue: &Arc<Queue>, bytes: usize) -> Result<Self> {
        let free = queue.memory().free;
        let exhausted = || DeviceError::OutOfMemory { requested: bytes, free };
        if bytes as u64 > free.min(queue.largest) {
            return Err(exhausted());
        }
        // SAFETY: no host memory is involved.
        let buffer =
            unsafe { create_buffer(queue.context.get(), CL_MEM_READ_WRITE, bytes, std::ptr::null_mut()) };
        let buffer = buffer.map_err(|code| match code {
            CL_INVALID_BUFFER_SIZE
            | CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_RESOURCES
            | CL_OUT_OF_HOST_MEMORY => exhausted(),
            code => failed("clCreateBuffer")(ClError(code)),
        })?;
        queue.used.fetch_add(bytes as u64, Ordering::Relaxed);
        let memory = Self { queue: queue.clone(), buffer, bytes };
        // SAFETY: the pattern is one byte, copied by the call; the range is the buffer.
        let event = unsafe {
            let zero = 0_u8;
            let pattern = (&raw const zero).cast();
            enqueue_fill_buffer(queue.commands.get(), buffer, pattern, 1, 0, bytes, 0, null())
        };
        forget_event("clEnqueueFillBuffer", event)?;
        Ok(memory)
    }

    /// The handle, as a kernel argument.
    pub fn handle(&self) -> cl_mem {
        self.buffer
    }

    /// Copies host bytes to its start, and waits.
    pub fn upload(&self, source: &[u8]) -> Result<()> {
        assert!(source.len() <= self.bytes, "upload of {} bytes into {}", source.len(), self.bytes);
        if source.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies inside the buffer, and the call blocks until the source has been read.
        let event = unsafe {
            let (commands, pointer) = (self.queue.commands.get(), source.as_ptr().cast());
            enqueue_write_buffer(commands, self.buffer, CL_TRUE, 0, source.len(), pointer, 0, null())
        };
        forget_event("clEnqueueWriteBuffer", event)
    }

    /// Copies its start to host bytes, and waits.
    pub fn download(&self, target: &mut [u8]) -> Result<()> {
        assert!(target.len() <= self.bytes, "download of {} bytes from {}", target.len(), self.bytes);
        if target.is_empty() {
            return self.queue.synchronize();
        }
        // SAFETY: the range lies inside the buffer, and the call blocks until the target is written.
        let event = unsafe {
            let (commands, pointer) = (self.queue.commands.get(), target.as_mut_ptr().cast());
            enqueue_read_buffer(commands, self.buffer, CL_TRUE, 0, target.len(), pointer, 0, null())
        };
        forget_event("clEnqueueReadBuffer", event)
    }

    /// Copies its first `bytes` to the start of `target`.
    pub fn copy_to(&self, target: &Self, bytes: usize) -> Result<()> {
        assert!(bytes <= self.bytes && bytes <= target.bytes, "copy of {bytes} bytes");
        // Onto itself there is nothing to do, and OpenCL refuses overlapping copies.
        if bytes == 0 || self.buffer == target.buffer {
            return Ok(());
        }
        // SAFETY: both ranges lie inside their buffers.
        let event = unsafe {
            let commands = self.queue.commands.get();
            enqueue_copy_buffer(commands, self.buffer, target.buffer, 0, 0, bytes, 0, null())
        };
        forget_event("clEnqueueCopyBuffer", event)
    }
}

impl Memory for ClMemory {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for ClMemory {
    fn drop(&mut self) {
        // SAFETY: created once, released once.
        let _ = unsafe { release_mem_object(self.buffer) };
        self.queue.used.fetch_sub(self.bytes as u64, Ordering::Relaxed);
    }
}

/// The backend's own type behind `memory`, if it is of this very queue.
pub(super) fn own<'a>(queue: &Arc<Queue>, memory: &'a dyn Memory) -> Result<&'a ClMemory> {
    let memory = memory.as_any().downcast_ref::<ClMemory>();
    let memory = memory.filter(|memory| Arc::ptr_eq(&memory.queue, queue));
    memory.ok_or(DeviceError::Foreign { what: "a buffer" })
}
