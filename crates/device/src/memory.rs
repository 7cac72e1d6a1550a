//! Device buffers, host memory for asynchronous copies, memory sizes.

use crate::error::{DeviceError, Result};
use bytemuck::Zeroable;
use std::any::Any;
use std::marker::PhantomData;

/// Memory on a device, untyped; each backend has its own.
pub trait Memory: Send + Sync {
    /// For the backend to get its own type back.
    fn as_any(&self) -> &dyn Any;
    /// Size in bytes.
    fn bytes(&self) -> usize;
}

/// `len` contiguous values of `T` on a device; freed when dropped.
///
/// Like a file handle, it is written through a shared reference: the device's queue orders the accesses.
pub struct Buffer<T> {
    memory: Box<dyn Memory>,
    len: usize,
    element: PhantomData<T>,
}

impl<T> Buffer<T> {
    /// The first `len` values of `memory`.
    pub(crate) fn new(memory: Box<dyn Memory>, len: usize) -> Self {
        Self { memory, len, element: PhantomData }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The untyped memory, as kernels and backends take it.
    pub fn memory(&self) -> &dyn Memory {
        &*self.memory
    }
}

/// Host memory for asynchronous copies, untyped; each backend has its own.
///
/// Not `Send`, like recordings: no other thread can start a copy while the host reads or writes it.
pub trait HostMemory {
    /// For the backend to get its own type back.
    fn as_any(&self) -> &dyn Any;
    /// Waits for the device, then writes from byte `at` on.
    fn write_bytes(&self, at: usize, source: &[u8]) -> Result<()>;
    /// Waits for the device, then reads from byte `at` on.
    fn read_bytes(&self, at: usize, target: &mut [u8]) -> Result<()>;
}

/// A large array of zeros on the host: an error where the system grants no memory for it, where `vec!` ends the process. Its pages come
/// from the system when they are first touched, by the threads that work on them.
///
/// ```
/// assert_eq!(phasefront_device::zeros::<f64>(3).unwrap(), [0.0; 3]);
/// assert!(phasefront_device::zeros::<f64>(usize::MAX / 16).is_err());
/// ```
pub fn zeros<T: Zeroable>(len: usize) -> Result<Vec<T>> {
    let requested = (len as u64).saturating_mul(size_of::<T>() as u64);
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| DeviceError::HostMemory { requested })
}

/// Device memory, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Free now.
    pub free: u64,
    /// Installed.
    pub total: u64,
}

/// Peak memory of a run, in bytes: what a solver's `Study` estimates before the device is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// On the GPU; zero on the CPU.
    pub device: u64,
    /// In host memory.
    pub host: u64,
}
