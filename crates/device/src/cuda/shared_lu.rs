//! cuSOLVERMp: LU of a matrix that the GPUs of several processes share; NCCL carries what they exchange. cudarc declares neither, so
//! that both are called by their symbols.

use super::probe::{self, Loaded};
use super::queue::{CudaMemory, LibraryFault, Queue};
use crate::{DeviceError, Library, Result, SharedLu, SharedMatrix};
use cudarc::cusolver::sys::cudaDataType_t;
use phasefront_core::Precision;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// A handle of either library, or an address on the GPU.
type Pointer = *mut c_void;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
struct GroupName([u8; 128]);

/// Ranks of the grid are numbered row by row.
const ROW_MAJOR: c_int = 1;
/// `CUBLAS_OP_N`: cuSOLVERMp 0.9 solves no transposed systems.
const NOT_TRANSPOSED: c_int = 0;
/// `CUSOLVER_STATUS_ALLOC_FAILED`.
const OUT_OF_MEMORY: c_int = 2;
/// `ncclInvalidUsage`, by which NCCL refuses two ranks on one GPU.
const INVALID_USAGE: c_int = 5;

/// Declares a table of functions and how it is filled.
macro_rules! functions {
    ($table:ident of $library:ident: $($field:ident = $symbol:literal ($($argument:ty),*) -> $result:ty;)*) => {
        struct $table { $($field: unsafe extern "C" fn($($argument),*) -> $result,)* }

        impl $table {
            fn load() -> Result<Self> {
                let library = Library::$library;
                let loaded: &Loaded = probe::load(library)?;
                let missing = |symbol| {
                    let reason = format!("{} has no {symbol}", loaded.file);
                    DeviceError::LibraryVersion { library, reason }
                };
                // SAFETY: the signatures are those of the headers of cuSOLVERMp 0.9 and NCCL 2.
                Ok(Self { $($field: unsafe { loaded.function($symbol) }.ok_or_else(|| missing($symbol))?,)* })
            }
        }
    };
}

functions! { Solver of CuSolverMp:
    create = "cusolverMpCreate"(*mut Pointer, c_int, Pointer) -> c_int;
    destroy = "cusolverMpDestroy"(Pointer) -> c_int;
    create_grid = "cusolverMpCreateDeviceGrid"(Pointer, *mut Pointer, Pointer, i32, i32, c_int) -> c_int;
    destroy_grid = "cusolverMpDestroyGrid"(Pointer) -> c_int;
    create_matrix = "cusolverMpCreateMatrixDesc"(*mut Pointer, Pointer, c_int, i64, i64, i64, i64, u32, u32, i64) -> c_int;
    destroy_matrix = "cusolverMpDestroyMatrixDesc"(Pointer) -> c_int;
    factor_size = "cusolverMpGetrf_bufferSize"(Pointer, i64, i64, Pointer, i64, i64, Pointer, Pointer, c_int, *mut usize, *mut usize) -> c_int;
    factor = "cusolverMpGetrf"(Pointer, i64, i64, Pointer, i64, i64, Pointer, Pointer, c_int, Pointer, usize, Pointer, usize, Pointer) -> c_int;
    solve_size = "cusolverMpGetrs_bufferSize"(Pointer, c_int, i64, i64, Pointer, i64, i64, Pointer, Pointer, Pointer, i64, i64, Pointer, c_int, *mut usize, *mut usize) -> c_int;
    solve = "cusolverMpGetrs"(Pointer, c_int, i64, i64, Pointer, i64, i64, Pointer, Pointer, Pointer, i64, i64, Pointer, c_int, Pointer, usize, Pointer, usize, Pointer) -> c_int;
}

functions! { Nccl of Nccl:
    new_group = "ncclGetUniqueId"(*mut GroupName) -> c_int;
    join = "ncclCommInitRank"(*mut Pointer, c_int, GroupName, c_int) -> c_int;
    abort = "ncclCommAbort"(Pointer) -> c_int;
    error_text = "ncclGetErrorString"(c_int) -> *const c_char;
}

impl Nccl {
    fn check(&self, call: &'static str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function takes any code, and returns a text that lives as long as the library.
        let reason = unsafe { CStr::from_ptr((self.error_text)(code)) }.to_string_lossy().into_owned();
        Err(if code == INVALID_USAGE {
            DeviceError::NoGroup { reason }
        } else {
            DeviceError::Call { call, code: code.into(), reason }
        })
    }
}

/// The libraries, and the group that this GPU has joined.
pub struct CudaSharedLu {
    queue: Arc<Queue>,
    index: usize,
    solver: Solver,
    nccl: Nccl,
    group: Option<Group>,
}

/// A group of GPUs with a matrix.
struct Group {
    matrix: SharedMatrix,
    /// Null until they are made, one after another.
    communicator: Pointer,
    handle: Pointer,
    grid: Pointer,
    descriptor: Pointer,
    /// This rank's entries: the factors, when there are some.
    entries: CudaMemory,
    pivots: CudaMemory,
    /// The status of the last call.
    info: CudaMemory,
}

impl Group {
    /// The status that the last call has left on the GPU; waits for it.
    fn status(&self, call: &'static str) -> Result<Option<usize>> {
        let mut info = [0_i32];
        self.info.download(bytemuck::cast_slice_mut(&mut info))?;
        match info[0] {
            0 => Ok(None),
            // Columns are counted from 1.
            column @ 1.. => Ok(Some(column as usize - 1)),
            code => Err(DeviceError::Call { call, code: code.into(), reason: "an argument is wrong".into() }),
        }
    }
}

// SAFETY: handles may move between threads, and `&mut` keeps them to one at a time.
unsafe impl Send for CudaSharedLu {}

impl CudaSharedLu {
    /// Loads the libraries; an error if they are missing.
    pub fn new(queue: &Arc<Queue>, index: usize) -> Result<Self> {
        // In this order: where cuSOLVERMp is installed by pip, it knows the folder of its NCCL.
        let solver = Solver::load()?;
        Ok(Self { queue: queue.clone(), index, solver, nccl: Nccl::load()?, group: None })
    }

    fn check(&self, call: &'static str, status: c_int) -> Result<()> {
        let fault = if status == OUT_OF_MEMORY { LibraryFault::Memory } else { LibraryFault::Other };
        if status == 0 { Ok(()) } else { Err(self.queue.library_error(call, status.into(), fault)) }
    }

    fn group(&self) -> Result<&Group> {
        self.group.as_ref().ok_or(DeviceError::Foreign { what: "a factorization" })
    }

    /// Makes the handles of a group that has its memory.
    fn open(&self, group: &mut Group, name: GroupName) -> Result<()> {
        let SharedMatrix { grid: [rows, columns], rank, .. } = group.matrix;
        let (ranks, stream) = ((rows * columns) as c_int, self.queue.stream().cast());
        // SAFETY: the context is bound, the stream outlives the handles, and the pointers are to live fields. All ranks are here.
        unsafe {
            let code = (self.nccl.join)(&raw mut group.communicator, ranks, name, rank as c_int);
            self.nccl.check("ncclCommInitRank", code)?;
            let code = (self.solver.create)(&raw mut group.handle, self.index as c_int, stream);
            self.check("cusolverMpCreate", code)?;
            let (handle, communicator) = (group.handle, group.communicator);
            let shape = (rows as i32, columns as i32);
            let code = (self.solver.create_grid)(
                handle,
                &raw mut group.grid,
                communicator,
                shape.0,
                shape.1,
                ROW_MAJOR,
            );
            self.check("cusolverMpCreateDeviceGrid", code)?;
        }
        group.descriptor = self.descriptor(&group.matrix, group.grid, group.matrix.n)?;
        Ok(())
    }

    /// Describes a matrix of so many columns of length n.
    fn descriptor(&self, matrix: &SharedMatrix, grid: Pointer, columns: usize) -> Result<Pointer> {
        let mut made = null_mut();
        let kind = data_type(matrix.precision);
        let sizes = [matrix.n, columns, matrix.block, matrix.own_len(0, matrix.n).max(1)].map(|s| s as i64);
        let [n, columns, block, stored] = sizes;
        // SAFETY: the grid is alive, and the pointer is to a live local.
        let status = unsafe {
            (self.solver.create_matrix)(&raw mut made, grid, kind, n, columns, block, block, 0, 0, stored)
        };
        self.check("cusolverMpCreateMatrixDesc", status)?;
        Ok(made)
    }

    fn solve(&self, group: &Group, rhs: &CudaMemory, columns: usize, descriptor: Pointer) -> Result<()> {
        let (kind, n, count) = (data_type(group.matrix.precision), group.matrix.n as i64, columns as i64);
        let (a, b) = (group.entries.pointer(), rhs.pointer());
        let pivots = group.pivots.pointer();
        let (mut on_device, mut on_host) = (0, 0);
        // SAFETY: factors, pivots and right-hand sides have the lengths that the descriptors tell.
        let status = unsafe {
            (self.solver.solve_size)(
                group.handle,
                NOT_TRANSPOSED,
                n,
                count,
                a,
                1,
                1,
                group.descriptor,
                pivots,
                b,
                1,
                1,
                descriptor,
                kind,
                &raw mut on_device,
                &raw mut on_host,
            )
        };
        self.check("cusolverMpGetrs_bufferSize", status)?;
        let (work, mut host_work) = (self.queue.alloc(on_device.max(1))?, vec![0_u8; on_host.max(1)]);
        // SAFETY: as above; the workspaces have the sizes requested, and outlive the wait for the status.
        let status = unsafe {
            (self.solver.solve)(
                group.handle,
                NOT_TRANSPOSED,
                n,
                count,
                a,
                1,
                1,
                group.descriptor,
                pivots,
                b,
                1,
                1,
                descriptor,
                kind,
                work.pointer(),
                on_device,
                host_work.as_mut_ptr().cast(),
                on_host,
                group.info.pointer(),
            )
        };
        self.check("cusolverMpGetrs", status)?;
        group.status("cusolverMpGetrs").map(|_| ())
    }
}

impl SharedLu for CudaSharedLu {
    fn new_group(&self) -> Result<Vec<u8>> {
        let mut name = GroupName([0; 128]);
        // SAFETY: the pointer is to a live local.
        let code = unsafe { (self.nccl.new_group)(&raw mut name) };
        self.nccl.check("ncclGetUniqueId", code)?;
        Ok(name.0.to_vec())
    }

    fn join(&mut self, matrix: SharedMatrix, group: &[u8]) -> Result<()> {
        let Ok(name) = <[u8; 128]>::try_from(group) else {
            return Err(DeviceError::Foreign { what: "a group of GPUs" });
        };
        self.queue.bind()?;
        // As ScaLAPACK has them: a pivot for each row of this rank, and a block more.
        let pivots = (matrix.own_len(0, matrix.n) + matrix.block) * size_of::<i64>();
        let mut made = Group {
            matrix,
            communicator: null_mut(),
            handle: null_mut(),
            grid: null_mut(),
            descriptor: null_mut(),
            entries: self.queue.alloc(matrix.own_bytes(matrix.n).max(1))?,
            pivots: self.queue.alloc(pivots)?,
            info: self.queue.alloc(size_of::<i64>())?,
        };
        let opened = self.open(&mut made, GroupName(name));
        // Also if it failed halfway: what was made is freed with it.
        self.group = Some(made);
        opened
    }

    fn factor_bytes(&mut self, entries: &[u8]) -> Result<Option<usize>> {
        let group = self.group()?;
        let matrix = &group.matrix;
        assert_eq!(entries.len(), matrix.own_bytes(matrix.n), "the entries are not those of this rank");
        if !entries.is_empty() {
            group.entries.upload(entries)?;
        }
        group.info.zero()?;
        let (kind, n, a) = (data_type(matrix.precision), matrix.n as i64, group.entries.pointer());
        let (descriptor, pivots) = (group.descriptor, group.pivots.pointer());
        let (mut on_device, mut on_host) = (0, 0);
        // SAFETY: the matrix and the pivots have the lengths that the descriptor tells, and the pointers are to live locals.
        let status = unsafe {
            (self.solver.factor_size)(
                group.handle,
                n,
                n,
                a,
                1,
                1,
                descriptor,
                pivots,
                kind,
                &raw mut on_device,
                &raw mut on_host,
            )
        };
        self.check("cusolverMpGetrf_bufferSize", status)?;
        let (work, mut host_work) = (self.queue.alloc(on_device.max(1))?, vec![0_u8; on_host.max(1)]);
        // SAFETY: as above; the workspaces have the sizes requested, and outlive the wait for the status. All ranks are here.
        let status = unsafe {
            (self.solver.factor)(
                group.handle,
                n,
                n,
                a,
                1,
                1,
                descriptor,
                pivots,
                kind,
                work.pointer(),
                on_device,
                host_work.as_mut_ptr().cast(),
                on_host,
                group.info.pointer(),
            )
        };
        self.check("cusolverMpGetrf", status)?;
        group.status("cusolverMpGetrf")
    }

    fn solve_bytes(&self, entries: &mut [u8], columns: usize) -> Result<()> {
        let group = self.group()?;
        assert_eq!(entries.len(), group.matrix.own_bytes(columns), "the entries are not those of this rank");
        let rhs = self.queue.alloc(entries.len().max(1))?;
        if !entries.is_empty() {
            rhs.upload(entries)?;
        }
        let descriptor = self.descriptor(&group.matrix, group.grid, columns)?;
        let solved = self.solve(group, &rhs, columns, descriptor);
        // SAFETY: made above, and destroyed once; the call that used it is finished or has failed.
        unsafe { (self.solver.destroy_matrix)(descriptor) };
        solved?;
        if entries.is_empty() { Ok(()) } else { rhs.download(entries) }
    }
}

impl Drop for CudaSharedLu {
    fn drop(&mut self) {
        let Some(group) = self.group.take() else { return };
        if self.queue.synchronize().is_err() {
            return;
        }
        // `ncclCommDestroy` waits for the other ranks, which after an error may never come; here nothing is under way.
        // SAFETY: what was made is destroyed once, in the reverse order.
        unsafe {
            for (destroy, made) in [
                (self.solver.destroy_matrix, group.descriptor),
                (self.solver.destroy_grid, group.grid),
                (self.solver.destroy, group.handle),
                (self.nccl.abort, group.communicator),
            ] {
                if !made.is_null() {
                    destroy(made);
                }
            }
        }
    }
}

fn data_type(precision: Precision) -> c_int {
    let kind = match precision {
        Precision::Single => cudaDataType_t::CUDA_C_32F,
        Precision::Double => cudaDataType_t::CUDA_C_64F,
    };
    kind as c_int
}
