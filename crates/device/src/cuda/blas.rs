//! cuBLAS: the complex matrix product.

use super::probe;
use super::queue::{LibraryFault, Queue, own};
use crate::{Library, Memory, Result};
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

    /// C ← α A B + β C; no dimension is zero.
    ///
    /// # Panics
    /// If a matrix reaches beyond its memory.
    pub fn multiply(&mut self, precision: Precision, product: &Product<'_>) -> Result<()> {
        let Product { shape: [m, n, k], batch, a, b, c, .. } = *product;
        let value = 2 * precision.bytes();
        for (x, rows, cols) in [(a, m, k), (b, k, n), (c, m, n)] {
            assert!(
                x.end(rows, cols, batch) * value <= x.memory.bytes(),
                "a matrix reaches beyond its memory"
            );
        }
        self.queue.bind()?;
        match precision {
            Precision::Single => self.multiply_single(product),
            Precision::Double => self.multiply_double(product),
        }
    }
}

/// Where the matrices of a product lie, one per member of a batch; column-major. Counted in complex values.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    /// What they are part of.
    pub memory: &'a dyn Memory,
    /// Offset of the first.
    pub at: usize,
    /// From one column to the next.
    pub ld: usize,
    /// From one matrix to the next.
    pub stride: usize,
}

impl Operand<'_> {
    /// The same from row `row` on.
    pub fn from(self, row: usize) -> Self {
        Self { at: self.at + row, ..self }
    }

    /// Behind the last value of `batch` matrices of `rows` x `cols`.
    fn end(&self, rows: usize, cols: usize, batch: usize) -> usize {
        self.at + (batch - 1) * self.stride + (cols - 1) * self.ld + rows
    }

    fn address<T>(&self, queue: &Arc<Queue>) -> Result<*mut T> {
        Ok(own(queue, self.memory)?.pointer::<T>().wrapping_add(self.at))
    }
}

/// C ← α A B + β C with A `m` x `k` and B `k` x `n`, for every member of a batch.
pub struct Product<'a> {
    /// m, n, k.
    pub shape: [usize; 3],
    /// How many.
    pub batch: usize,
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// A.
    pub a: Operand<'a>,
    /// B.
    pub b: Operand<'a>,
    /// C.
    pub c: Operand<'a>,
}

/// The product in one precision. One matrix goes to the routine without batch, which knows more algorithms.
macro_rules! multiply {
    ($name:ident, $complex:ident, $real:ty, $gemm:ident, $batched:ident) => {
        impl Blas {
            fn $name(&self, product: &Product<'_>) -> Result<()> {
                let Product { a, b, c, .. } = product;
                let [m, n, k] = product.shape.map(|size| size as i64);
                let [alpha, beta] =
                    [product.alpha, product.beta].map(|x| sys::$complex { x: x as $real, y: 0.0 });
                let (alpha, beta) = (&raw const alpha, &raw const beta);
                let [lda, ldb, ldc] = [a.ld, b.ld, c.ld].map(|ld| ld as i64);
                let [sa, sb, sc] = [a.stride, b.stride, c.stride].map(|stride| stride as i64);
                let (batch, handle) = (product.batch as i64, self.handle);
                let queue = &self.queue;
                let (a, b, c) = (a.address(queue)?, b.address(queue)?, c.address(queue)?);
                // SAFETY: `multiply` has checked that the matrices lie inside their memory, `address` that it is this
                // queue's; the scalars are read before the call returns.
                let status = unsafe {
                    if batch == 1 {
                        sys::$gemm(handle, N, N, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
                    } else {
                        sys::$batched(
                            handle, N, N, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, batch,
                        )
                    }
                };
                check(queue, stringify!($gemm), status)
            }
        }
    };
}
multiply!(multiply_single, float2, f32, cublasCgemm_v2_64, cublasCgemmStridedBatched_64);
multiply!(multiply_double, double2, f64, cublasZgemm_v2_64, cublasZgemmStridedBatched_64);

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
