//! cuSOLVER: LU with partial pivoting of complex matrices, by its 64-bit interface.

use super::probe;
use super::queue::{CudaMemory, LibraryFault, Queue};
use crate::{DeviceError, Library, Op, Result};
use cudarc::cusolver::sys::{
    self, cublasOperation_t, cudaDataType_t, cusolverDeterministicMode_t, cusolverStatus_t,
    libraryPropertyType_t,
};
use phasefront_core::Precision;
use std::sync::Arc;

/// A cuSOLVER handle on the queue's stream.
pub struct Solver {
    queue: Arc<Queue>,
    handle: sys::cusolverDnHandle_t,
    parameters: sys::cusolverDnParams_t,
    /// cuSOLVER's host workspace; grows to the largest request.
    host_work: Vec<u8>,
}

// SAFETY: a handle may move between threads; the owner's mutex keeps it to one at a time.
unsafe impl Send for Solver {}

/// Row interchanges of a factorization.
pub struct Pivots {
    /// As cuSOLVER has them: `n` 64-bit indices from 1, then the status word of the last call.
    memory: CudaMemory,
    /// All of them together: row i of P A is row `permutation[i]` of A.
    permutation: CudaMemory,
    n: usize,
}

impl Pivots {
    /// Whether they belong to `queue`.
    pub fn is_of(&self, queue: &Arc<Queue>) -> bool {
        self.memory.is_of(queue)
    }

    /// All interchanges as one permutation, `n` 64-bit indices from 0.
    pub fn permutation(&self) -> &CudaMemory {
        &self.permutation
    }

    fn info(&self) -> *mut i32 {
        self.memory.pointer::<i64>().wrapping_add(self.n).cast()
    }
}

/// Row i was exchanged with row `pivots[i]` (from 1), one after another; the rows where they end up.
fn permutation(pivots: &[i64]) -> Vec<i64> {
    let mut rows: Vec<i64> = (0..pivots.len() as i64).collect();
    // Interchanges act one after another, each on the result of those before it.
    for (i, &pivot) in pivots.iter().enumerate() {
        rows.swap(i, pivot as usize - 1);
    }
    rows
}

fn data_type(precision: Precision) -> cudaDataType_t {
    match precision {
        Precision::Single => cudaDataType_t::CUDA_C_32F,
        Precision::Double => cudaDataType_t::CUDA_C_64F,
    }
}

fn operation(op: Op) -> cublasOperation_t {
    match op {
        Op::None => cublasOperation_t::CUBLAS_OP_N,
        Op::Transpose => cublasOperation_t::CUBLAS_OP_T,
        Op::ConjTranspose => cublasOperation_t::CUBLAS_OP_C,
    }
}

impl Solver {
    /// A handle; an error if there is no cuSOLVER.
    pub fn new(queue: &Arc<Queue>, deterministic: bool) -> Result<Self> {
        probe::load(Library::CuSolver)?;
        queue.bind()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the context is bound and the pointer is to a live local.
        check(queue, "cusolverDnCreate", unsafe { sys::cusolverDnCreate(&raw mut handle) })?;
        let mut solver =
            Self { queue: queue.clone(), handle, parameters: std::ptr::null_mut(), host_work: Vec::new() };
        // SAFETY: the handle was just created, the stream outlives it.
        unsafe {
            check(queue, "cusolverDnSetStream", sys::cusolverDnSetStream(handle, queue.stream().cast()))?;
            let status = sys::cusolverDnCreateParams(&raw mut solver.parameters);
            check(queue, "cusolverDnCreateParams", status)?;
            // CUDA before 12.2 has no such mode.
            if deterministic && probe::has(Library::CuSolver, "cusolverDnSetDeterministicMode") {
                let mode = cusolverDeterministicMode_t::CUSOLVER_DETERMINISTIC_RESULTS;
                let status = sys::cusolverDnSetDeterministicMode(handle, mode);
                check(queue, "cusolverDnSetDeterministicMode", status)?;
            }
        }
        Ok(solver)
    }

    /// Factors the `n` x `n` matrix in place (`n` > 0).
    pub fn factor(&mut self, n: usize, precision: Precision, matrix: &CudaMemory) -> Result<Pivots> {
        let pivots = Pivots {
            memory: self.queue.alloc((n + 1) * size_of::<i64>())?,
            permutation: self.queue.alloc(n * size_of::<i64>())?,
            n,
        };
        let (kind, order) = (data_type(precision), n as i64);
        let (mut device_bytes, mut host_bytes) = (0, 0);
        // SAFETY: the handle is alive, the context bound by `alloc`, the pointers are to live locals.
        let status = unsafe {
            sys::cusolverDnXgetrf_bufferSize(
                self.handle,
                self.parameters,
                order,
                order,
                kind,
                matrix.pointer(),
                order,
                kind,
                &raw mut device_bytes,
                &raw mut host_bytes,
            )
        };
        check(&self.queue, "cusolverDnXgetrf_bufferSize", status)?;
        let work = self.queue.alloc(device_bytes.max(1))?;
        self.host_work.resize(self.host_work.len().max(host_bytes), 0);
        // SAFETY: the matrix holds n*n values and the pivots n + 1 words (checked or allocated above); both
        // workspaces have the requested sizes, and the wait below comes before either is freed or reused.
        let status = unsafe {
            sys::cusolverDnXgetrf(
                self.handle,
                self.parameters,
                order,
                order,
                kind,
                matrix.pointer(),
                order,
                pivots.memory.pointer(),
                kind,
                work.pointer(),
                device_bytes,
                self.host_work.as_mut_ptr().cast(),
                host_bytes,
                pivots.info(),
            )
        };
        check(&self.queue, "cusolverDnXgetrf", status)?;
        let mut words = vec![0_i64; n + 1];
        // The status is the first half of the last word; nobody writes the other.
        let written = n * size_of::<i64>() + size_of::<i32>();
        pivots.memory.download(&mut bytemuck::cast_slice_mut(&mut words)[..written])?;
        let info: &[i32] = bytemuck::cast_slice(&words[n..]);
        match info[0] {
            0 => {
                pivots.permutation.upload(bytemuck::cast_slice(&permutation(&words[..n])))?;
                Ok(pivots)
            }
            column @ 1.. => Err(DeviceError::Singular { column: column as usize - 1 }),
            parameter => Err(bad_parameter("cusolverDnXgetrf", parameter)),
        }
    }

    /// Solves for `columns` (> 0) right-hand sides in place.
    pub fn solve(
        &mut self,
        pivots: &Pivots,
        op: Op,
        precision: Precision,
        matrix: &CudaMemory,
        rhs: &CudaMemory,
        columns: usize,
    ) -> Result<()> {
        self.queue.bind()?;
        let (kind, order) = (data_type(precision), pivots.n as i64);
        // SAFETY: the matrix holds the factors, n*n values, and the right-hand sides n*columns (checked by the
        // caller); the status word belongs to the pivots.
        let status = unsafe {
            sys::cusolverDnXgetrs(
                self.handle,
                self.parameters,
                operation(op),
                order,
                columns as i64,
                kind,
                matrix.pointer(),
                order,
                pivots.memory.pointer(),
                kind,
                rhs.pointer(),
                order,
                pivots.info(),
            )
        };
        check(&self.queue, "cusolverDnXgetrs", status)
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        if self.queue.synchronize().is_ok() {
            // SAFETY: both were created by cuSOLVER and are destroyed once, with no work under way.
            unsafe {
                if !self.parameters.is_null() {
                    let _ = sys::cusolverDnDestroyParams(self.parameters);
                }
                let _ = sys::cusolverDnDestroy(self.handle);
            }
        }
    }
}

fn bad_parameter(call: &'static str, parameter: i32) -> DeviceError {
    DeviceError::Call { call, code: parameter.into(), reason: format!("parameter {} is wrong", -parameter) }
}

fn check(queue: &Queue, call: &'static str, status: cusolverStatus_t) -> Result<()> {
    if status == cusolverStatus_t::CUSOLVER_STATUS_SUCCESS {
        return Ok(());
    }
    let fault = match status {
        cusolverStatus_t::CUSOLVER_STATUS_ALLOC_FAILED => LibraryFault::Memory,
        cusolverStatus_t::CUSOLVER_STATUS_NOT_INITIALIZED
        | cusolverStatus_t::CUSOLVER_STATUS_ARCH_MISMATCH => LibraryFault::Unfit(Library::CuSolver),
        _ => LibraryFault::Other,
    };
    Err(queue.library_error(call, status as i64, fault))
}

/// Version of cuSOLVER.
pub fn version() -> Result<String> {
    probe::load(Library::CuSolver)?;
    let property = |kind| {
        let mut value = 0;
        // SAFETY: probed above; the pointer is to a live local.
        let _ = unsafe { sys::cusolverGetProperty(kind, &raw mut value) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interchanges_become_a_permutation() {
        // Rows 0 and 2, then 1 and 2, then nothing, then nothing: a b c d -> c b a d -> c a b d.
        assert_eq!(permutation(&[3, 3, 3, 4]), [2, 0, 1, 3]);
    }
}
