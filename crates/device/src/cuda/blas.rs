//! cuBLAS: the complex matrix product.

use super::probe;
use super::queue::{CudaMemory, LibraryFault, Queue};
use crate::{Library, Result};
use cublasOperation_t::CUBLAS_OP_N as N;
use cudarc::cublas::sys::{self, cublasOperation_t, cublasStatus_t, libraryPropertyType_t};
use phasefront_core::Precision;
use std::sync::Arc;

/// A cuBLAS handle on the queue's stream.
pub struct Blas {
    queue: Arc<Queue>,
    handle: sys::cublasHandle_t,
}

// SAFETY: a handle may move between threads; the owner's mutex keeps it to one at a time.
unsafe impl Send for Blas {}

impl Blas {
    /// A handle; an error if there is no cuBLAS.
    pub fn new(queue: &Arc<Queue>) -> Result<Self> {
        probe::load(Library::CuBlas)?;
        queue.bind()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the context is bound and the pointer is to a live local.
        check(queue, "cublasCreate", unsafe { sys::cublasCreate_v2(&raw mut handle) })?;
        let blas = Self { queue: queue.clone(), handle };
        // SAFETY: the handle was just created, the stream outlives it.
        let status = unsafe { sys::cublasSetStream_v2(handle, queue.stream().cast()) };
        check(queue, "cublasSetStream", status)?;
        Ok(blas)
    }

    /// C = A B, column-major; no dimension is zero and the sizes were checked by the caller.
    pub fn gemm(
        &mut self,
        [m, n, k]: [usize; 3],
        precision: Precision,
        a: &CudaMemory,
        b: &CudaMemory,
        c: &CudaMemory,
    ) -> Result<()> {
        self.queue.bind()?;
        let [m, n, k] = [m as i64, n as i64, k as i64];
        match precision {
            Precision::Single => {
                let [one, zero] = [1.0, 0.0].map(|x| sys::float2 { x, y: 0.0 });
                // SAFETY: the sizes are the caller's duty; the scalars are read before the call returns.
                let status = unsafe {
                    sys::cublasCgemm_v2_64(
                        self.handle,
                        N,
                        N,
                        m,
                        n,
                        k,
                        &raw const one,
                        a.pointer(),
                        m,
                        b.pointer(),
                        k,
                        &raw const zero,
                        c.pointer(),
                        m,
                    )
                };
                check(&self.queue, "cublasCgemm", status)
            }
            Precision::Double => {
                let [one, zero] = [1.0, 0.0].map(|x| sys::double2 { x, y: 0.0 });
                // SAFETY: the sizes are the caller's duty; the scalars are read before the call returns.
                let status = unsafe {
                    sys::cublasZgemm_v2_64(
                        self.handle,
                        N,
                        N,
                        m,
                        n,
                        k,
                        &raw const one,
                        a.pointer(),
                        m,
                        b.pointer(),
                        k,
                        &raw const zero,
                        c.pointer(),
                        m,
                    )
                };
                check(&self.queue, "cublasZgemm", status)
            }
        }
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        if self.queue.synchronize().is_ok() {
            // SAFETY: created by cuBLAS, destroyed once, with no work under way.
            let _ = unsafe { sys::cublasDestroy_v2(self.handle) };
        }
    }
}

fn check(queue: &Queue, call: &'static str, status: cublasStatus_t) -> Result<()> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS {
        return Ok(());
    }
    let fault = match status {
        cublasStatus_t::CUBLAS_STATUS_ALLOC_FAILED => LibraryFault::Memory,
        cublasStatus_t::CUBLAS_STATUS_NOT_INITIALIZED | cublasStatus_t::CUBLAS_STATUS_ARCH_MISMATCH => {
            LibraryFault::Unfit(Library::CuBlas)
        }
        _ => LibraryFault::Other,
    };
    Err(queue.library_error(call, status as i64, fault))
}

/// Version of cuBLAS.
pub fn version() -> Result<String> {
    probe::load(Library::CuBlas)?;
    let property = |kind| {
        let mut value = 0;
        // SAFETY: probed above; the pointer is to a live local.
        let _ = unsafe { sys::cublasGetProperty(kind, &raw mut value) };
        value
    };
    let [a, b, c] = [
        libraryPropertyType_t::MAJOR_VERSION,
        libraryPropertyType_t::MINOR_VERSION,
        libraryPropertyType_t::PATCH_LEVEL,
    ]
    .map(property);
    Ok(format!("{a}.{b}.{c}"))
}
