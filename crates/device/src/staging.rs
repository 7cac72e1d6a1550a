//! Pinned (page-locked) host memory, so that small transfers can be part of a recording.
//!
//! Uploads from and downloads to pageable memory are synchronous: for a few kilobytes the wait is the whole cost. Copies of pinned
//! memory are asynchronous, in stream order, and can be captured in a CUDA graph. OpenCL uses pageable memory and waits.

use crate::{Buffer, DeviceError, Gpu, HostMemory, Result};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::Range;

/// `len` contiguous values of `T` in pinned host memory, for `send` and `fetch` of `dyn Gpu`.
pub struct Staging<T> {
    memory: Box<dyn HostMemory>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Staging<T> {
    /// Writes `values` from index `at` on; waits for the device first, which may still copy from here.
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
        let mut values = vec![T::zeroed(); range.len()];
        self.read_into(range.start, &mut values)?;
        Ok(values)
    }

    /// The values from index `at` on; waits as [`Self::read`] does.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn read_into(&self, at: usize, values: &mut [T]) -> Result<()> {
        assert!(
            at <= self.len && values.len() <= self.len - at,
            "{} values at {at} of {}",
            values.len(),
            self.len
        );
        self.memory.read_bytes(at * size_of::<T>(), bytemuck::cast_slice_mut(values))
    }
}

impl dyn Gpu + '_ {
    /// `len` zeros on the host, to copy from and to.
    pub fn staging<T: Pod>(&self, len: usize) -> Result<Staging<T>> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(DeviceError::TooLarge { values: len })?;
        // Zero-size allocations differ between drivers: one element at least.
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
