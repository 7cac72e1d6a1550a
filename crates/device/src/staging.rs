//! Host memory that a GPU copies from and to by itself, so that small transfers can be part of a recording.
//!
//! An upload from ordinary memory waits, and so does a download: for some kilobytes the waiting is all it costs. CUDA copies
//! page-locked memory in the order of its queue instead, and inside a graph; OpenCL has a plain path.

use crate::{Buffer, DeviceError, Gpu, Result};
use bytemuck::Pod;
use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;

/// Host memory for copies, untyped; each backend has its own.
///
/// It stays with the thread that made it, as do recordings: nobody else can set off a copy while it is read or written here.
pub trait HostMemory {
    /// For the backend to get its own type back.
    fn as_any(&self) -> &dyn Any;
    /// Waits for the device, then writes from byte `at` on.
    fn write_bytes(&self, at: usize, source: &[u8]) -> Result<()>;
    /// Waits for the device, then reads from byte `at` on.
    fn read_bytes(&self, at: usize, target: &mut [u8]) -> Result<()>;
}

/// A run of `len` values of `T` on the host, for `send` and `fetch` of `dyn Gpu`.
pub struct Staging<T> {
    memory: Box<dyn HostMemory>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Staging<T> {
    /// Puts `values` from place `at` on; waits for the device first, which may still copy from here.
    ///
    /// # Panics
    /// If they do not fit.
    pub fn write(&self, at: usize, values: &[T]) -> Result<()> {
        assert!(
            at <= self.len && values.len() <= self.len - at,
            "{} values at {at} of {}",
            values.len(),
            self.len
        );
        self.memory.write_bytes(at * size_of::<T>(), bytemuck::cast_slice(values))
    }

    /// The values in `range`; waits for the device first, which may still copy to here.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<T>> {
        assert!(range.end <= self.len, "{range:?} of {} values", self.len);
        let mut values = vec![T::zeroed(); range.len()];
        self.memory.read_bytes(range.start * size_of::<T>(), bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }
}

impl dyn Gpu + '_ {
    /// `len` zeros on the host, to copy from and to.
    pub fn staging<T: Pod>(&self, len: usize) -> Result<Staging<T>> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(DeviceError::TooLarge { values: len })?;
        let memory = self.alloc_host_bytes(bytes.max(size_of::<T>()))?;
        Ok(Staging { memory, len, element: PhantomData })
    }

    /// Copies the first `count` values of `source` over the start of `target`, in the order of the queue.
    ///
    /// # Panics
    /// If one of them is shorter.
    pub fn send<T: Pod>(&self, source: &Staging<T>, target: &Buffer<T>, count: usize) -> Result<()> {
        assert!(count <= source.len.min(target.len()), "{count} of {} to {}", source.len, target.len());
        self.send_bytes(&*source.memory, target.memory(), count * size_of::<T>())
    }

    /// Copies the first `count` values of `source` over the start of `target`, in the order of the queue.
    ///
    /// # Panics
    /// If one of them is shorter.
    pub fn fetch<T: Pod>(&self, source: &Buffer<T>, target: &Staging<T>, count: usize) -> Result<()> {
        assert!(count <= target.len.min(source.len()), "{count} of {} to {}", source.len(), target.len);
        self.fetch_bytes(source.memory(), &*target.memory, count * size_of::<T>())
    }
}
