//! One GPU's context, stream and memory.

use super::capture::{self, QueueId};
use super::probe;
use super::second::{self, Second};
use super::status::{check, driver_error, reason};
use crate::{DeviceError, Library, Memory, MemoryInfo, Result, Stream};
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{self, CUdeviceptr, CUresult};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A context with a stream to which all work goes in order, and a second one for work beside it.
pub struct Queue {
    /// Made at first use; dropped before the context.
    second: OnceLock<Second>,
    context: Arc<CudaContext>,
    stream: sys::CUstream,
    /// Where stream-ordered allocations come from; GPUs without it allocate by `cuMemAlloc`.
    pool: Option<sys::CUmemoryPool>,
    total: u64,
}

// SAFETY: the driver API is thread-safe, and every method binds the context to the calling thread first.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    /// The GPU of that index; refuses an index out of range.
    pub fn open(index: usize) -> Result<Arc<Self>> {
        let count = gpu_count()?;
        if index >= count {
            return Err(DeviceError::GpuIndex { index, count });
        }
        let context =
            CudaContext::new(index).map_err(|error| driver_error("cuDevicePrimaryCtxRetain", error))?;
        let total = context.total_mem().map_err(|error| driver_error("cuDeviceTotalMem", error))? as u64;
        let pool = if context.has_async_alloc() { Some(keeping_pool(&context)?) } else { None };
        let mut stream = std::ptr::null_mut();
        // SAFETY: the context is current on this thread since `new`, and the pointer is to a live local.
        let status = unsafe {
            sys::cuStreamCreate(&raw mut stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32)
        };
        check("cuStreamCreate", status)?;
        Ok(Arc::new(Self { second: OnceLock::new(), context, stream, pool, total }))
    }

    /// Makes this context current on the calling thread; every raw call needs it.
    pub fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| driver_error("cuCtxSetCurrent", error))
    }

    /// The stream, for the libraries and for launches; on a thread that records, the one it records from.
    pub fn stream(&self) -> sys::CUstream {
        capture::recorded_stream(self.id()).unwrap_or_else(|| self.stream_of(second::current(self.id())))
    }

    /// The first stream also stands for a second one that has never been used.
    fn stream_of(&self, stream: Stream) -> sys::CUstream {
        match (stream, self.second.get()) {
            (Stream::Second, Some(second)) => second.stream,
            _ => self.stream,
        }
    }

    /// From now on this thread's work goes to `stream`; the stream that it went to before.
    pub fn switch(&self, stream: Stream) -> Result<Stream> {
        self.refuse_in_recording("work on a second stream")?;
        if stream == Stream::Second {
            self.second()?;
        }
        let before = second::current(self.id());
        second::switch(self.id(), stream);
        Ok(before)
    }

    /// Later work of `waiting` begins after all that the other stream has now; the host does not wait.
    pub fn order(&self, waiting: Stream) -> Result<()> {
        self.refuse_in_recording("work on a second stream")?;
        self.second()?.order(waiting, self.stream)
    }

    fn second(&self) -> Result<&Second> {
        self.bind()?;
        if let Some(second) = self.second.get() {
            return Ok(second);
        }
        // Another thread may be faster; then its stream is used.
        let made = Second::new()?;
        Ok(self.second.get_or_init(|| made))
    }

    /// Tells this queue from others.
    pub fn id(&self) -> QueueId {
        std::ptr::from_ref(self).addr()
    }

    /// Keeps `item` alive as long as the graph in recording, if there is one.
    pub fn retain_in_recording<K: Any>(&self, item: &Arc<K>) {
        capture::retain(self.id(), item);
    }

    /// Fails while this thread records: a recording cannot hold `what`.
    pub fn refuse_in_recording(&self, what: &'static str) -> Result<()> {
        capture::recorded_stream(self.id()).map_or(Ok(()), |_| Err(DeviceError::NotRecordable { what }))
    }

    /// Waits for all work; reports what failed in it.
    pub fn synchronize(&self) -> Result<()> {
        if self.second.get().is_some() {
            self.synchronize_stream(Stream::Second)?;
        }
        self.synchronize_stream(Stream::First)
    }

    /// Waits for the work of one stream.
    pub fn synchronize_stream(&self, stream: Stream) -> Result<()> {
        self.refuse_in_recording("waiting for the device")?;
        self.bind()?;
        // SAFETY: the stream lives as long as `self`.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream_of(stream)) })
    }

    /// Free and total memory. What the pool holds without using counts as free: the next allocation gets it.
    pub fn memory(&self) -> Result<MemoryInfo> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is bound, the pointers are to live locals.
        check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
        let mut free = free as u64;
        if let Some(pool) = self.pool {
            use sys::CUmemPool_attribute as Attribute;
            let reserved = pool_attribute(pool, Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
            let used = pool_attribute(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
            free += reserved.saturating_sub(used);
        }
        Ok(MemoryInfo { free, total: total as u64 })
    }

    /// `bytes` (> 0) of uninitialized memory.
    pub fn alloc(self: &Arc<Self>, bytes: usize) -> Result<CudaMemory> {
        self.refuse_in_recording("an allocation")?;
        self.bind()?;
        let mut status = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
        let mut address = 0;
        if bytes as u64 <= self.total {
            status = self.try_alloc(bytes, &mut address);
        }
        if status == CUresult::CUDA_ERROR_OUT_OF_MEMORY && bytes as u64 <= self.total {
            // The pool may be fragmented: release it and try once more.
            self.trim()?;
            status = self.try_alloc(bytes, &mut address);
        }
        if status == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(DeviceError::OutOfMemory { requested: bytes, free: self.memory()?.free });
        }
        check("cuMemAlloc", status)?;
        Ok(CudaMemory { queue: self.clone(), address, bytes })
    }

    fn try_alloc(&self, bytes: usize, address: &mut CUdeviceptr) -> CUresult {
        // SAFETY: the context is bound by the caller, the stream is alive, the pointer is to a live local.
        unsafe {
            if self.pool.is_some() {
                sys::cuMemAllocAsync(address, bytes, self.stream)
            } else {
                sys::cuMemAlloc_v2(address, bytes)
            }
        }
    }

    /// Gives unused memory of the pool back to the driver.
    fn trim(&self) -> Result<()> {
        self.synchronize()?;
        match self.pool {
            // SAFETY: the default pool lives as long as the context.
            Some(pool) => check("cuMemPoolTrimTo", unsafe { sys::cuMemPoolTrimTo(pool, 0) }),
            None => Ok(()),
        }
    }

    /// The error behind a failed call of a CUDA library: a lost GPU or exhausted memory, where that is the cause.
    pub fn library_error(&self, call: &'static str, code: i64, cause: LibraryFault) -> DeviceError {
        if let Err(error) = self.synchronize() {
            return error;
        }
        match cause {
            LibraryFault::Memory => {
                DeviceError::OutOfMemory { requested: 0, free: self.memory().map_or(0, |memory| memory.free) }
            }
            LibraryFault::Unfit(library) => DeviceError::LibraryVersion {
                library,
                reason: format!("{call} fails with code {code} on this GPU and driver"),
            },
            LibraryFault::Other => {
                DeviceError::Call { call, code, reason: "the CUDA library gives no further reason".into() }
            }
        }
    }
}

/// Cause of a failed CUDA library call.
#[derive(Clone, Copy)]
pub enum LibraryFault {
    /// Its allocation failed.
    Memory,
    /// It does not initialize: its version does not match the driver or the GPU.
    Unfit(Library),
    /// Something else.
    Other,
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.synchronize().is_ok() {
            // SAFETY: all memory and programs hold an `Arc` of this queue, so nothing uses the stream any more.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.stream) };
        }
    }
}

/// How many GPUs the driver offers; at least one.
pub fn gpu_count() -> Result<usize> {
    probe::load(Library::Driver)?;
    match CudaContext::device_count() {
        Ok(count) if count > 0 => Ok(count as usize),
        Ok(_) => Err(DeviceError::NoGpu { reason: "the device count is zero".into() }),
        Err(error) => match error.0 {
            CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
            | CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
            | CUresult::CUDA_ERROR_STUB_LIBRARY => {
                Err(DeviceError::LibraryVersion { library: Library::Driver, reason: reason(error.0) })
            }
            // Whatever keeps the driver from initializing, no GPU is available.
            code => Err(DeviceError::NoGpu { reason: reason(code) }),
        },
    }
}

/// The device's default memory pool, set to retain freed memory: an allocation then takes microseconds, not milliseconds.
fn keeping_pool(context: &CudaContext) -> Result<sys::CUmemoryPool> {
    let mut pool = std::ptr::null_mut();
    let mut threshold = u64::MAX;
    // SAFETY: the device exists, and the attribute is a 64-bit number.
    unsafe {
        let status = sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device());
        check("cuDeviceGetDefaultMemPool", status)?;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        check(
            "cuMemPoolSetAttribute",
            sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()),
        )?;
    }
    Ok(pool)
}

fn pool_attribute(pool: sys::CUmemoryPool, attribute: sys::CUmemPool_attribute) -> Result<u64> {
    let mut value = 0_u64;
    // SAFETY: the pool lives as long as its context, and both requested attributes are 64-bit numbers.
    let status = unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()) };
    check("cuMemPoolGetAttribute", status)?;
    Ok(value)
}

/// Device memory, freed in the order of the first stream when dropped, after all work of the second.
pub struct CudaMemory {
    queue: Arc<Queue>,
    address: CUdeviceptr,
    bytes: usize,
}

impl CudaMemory {
    /// Its address on the GPU.
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// The address as the pointer type the libraries want.
    pub fn pointer<T>(&self) -> *mut T {
        self.address as *mut T
    }

    /// Whether it belongs to `queue`.
    pub fn is_of(&self, queue: &Arc<Queue>) -> bool {
        Arc::ptr_eq(&self.queue, queue)
    }

    /// Sets all bytes to zero.
    pub fn zero(&self) -> Result<()> {
        self.queue.bind()?;
        // SAFETY: the range is this allocation, whole.
        let status = unsafe { sys::cuMemsetD8Async(self.address, 0, self.bytes, self.queue.stream()) };
        check("cuMemsetD8", status)
    }

    /// Copies host bytes to its start. Waits: the driver may read pageable memory after the call returns.
    pub fn upload(&self, source: &[u8]) -> Result<()> {
        assert!(source.len() <= self.bytes, "upload of {} bytes into {}", source.len(), self.bytes);
        self.queue.refuse_in_recording("an upload")?;
        self.queue.bind()?;
        // SAFETY: the range lies inside this allocation, and the source outlives the wait below.
        let status = unsafe {
            sys::cuMemcpyHtoDAsync_v2(self.address, source.as_ptr().cast(), source.len(), self.queue.stream)
        };
        check("cuMemcpyHtoD", status)?;
        self.queue.synchronize()
    }

    /// Copies its start to host bytes, and waits.
    pub fn download(&self, target: &mut [u8]) -> Result<()> {
        assert!(target.len() <= self.bytes, "download of {} bytes from {}", target.len(), self.bytes);
        self.queue.refuse_in_recording("a download")?;
        self.queue.bind()?;
        // SAFETY: the range lies inside this allocation, and the target outlives the wait below.
        let status = unsafe {
            let pointer = target.as_mut_ptr().cast();
            sys::cuMemcpyDtoHAsync_v2(pointer, self.address, target.len(), self.queue.stream)
        };
        check("cuMemcpyDtoH", status)?;
        self.queue.synchronize()
    }

    /// Copies its first `bytes` to the start of `target`.
    pub fn copy_to(&self, target: &Self, bytes: usize) -> Result<()> {
        assert!(bytes <= self.bytes && bytes <= target.bytes, "copy of {bytes} bytes");
        self.queue.bind()?;
        // SAFETY: both ranges lie inside their allocations, which are freed in stream order.
        let status =
            unsafe { sys::cuMemcpyDtoDAsync_v2(target.address, self.address, bytes, self.queue.stream()) };
        check("cuMemcpyDtoD", status)
    }
}

/// The backend's own type behind `memory`, if it is of this very queue.
pub fn own<'a>(queue: &Arc<Queue>, memory: &'a dyn Memory) -> Result<&'a CudaMemory> {
    let memory = memory.as_any().downcast_ref::<CudaMemory>().filter(|memory| memory.is_of(queue));
    memory.ok_or(DeviceError::Foreign { what: "a buffer" })
}

impl Memory for CudaMemory {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let freed = self.queue.bind().and_then(|()| {
            // Work of the second stream may still use it.
            if self.queue.second.get().is_some() {
                self.queue.order(Stream::First)?;
            }
            // SAFETY: allocated by the matching call, freed once, after all work queued before.
            let status = unsafe {
                if self.queue.pool.is_some() {
                    sys::cuMemFreeAsync(self.address, self.queue.stream)
                } else {
                    sys::cuMemFree_v2(self.address)
                }
            };
            check("cuMemFree", status)
        });
        if let Err(error) = freed {
            tracing::warn!(%error, "device memory was not freed");
        }
    }
}
