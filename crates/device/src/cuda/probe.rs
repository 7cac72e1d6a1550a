//! Finds the CUDA libraries before anything calls them.
//!
//! cudarc panics where a library or a symbol is missing. So each library is loaded here first, by the names and
//! in the order of cudarc's own search, and the symbols in use are looked up once. A library that passed
//! stays loaded: cudarc then gets the same one.

use crate::{DeviceError, Library, Result};
use std::sync::OnceLock;

/// A library that was found; it stays loaded until the process ends.
pub struct Loaded {
    handle: libloading::Library,
    /// The name it was found under.
    pub file: String,
}

/// Names in this variable (`nvrtc,cusolver`) are treated as not installed; for tests and for finding faults.
const HIDE: &str = "PHASEFRONT_HIDE_LIBRARIES";

/// Whether the user requested to do without `library`.
pub fn is_hidden(library: Library) -> bool {
    std::env::var(HIDE)
        .is_ok_and(|names| names.split(',').any(|name| name.trim().eq_ignore_ascii_case(library.stem())))
}

/// Loads `library` and checks that it has every symbol in use; later calls return the first answer.
pub fn load(library: Library) -> Result<&'static Loaded> {
    static FOUND: [OnceLock<Result<Loaded>>; 7] = [const { OnceLock::new() }; 7];
    let slot = match library {
        Library::Driver => 0,
        Library::Nvrtc => 1,
        Library::CuFft => 2,
        Library::CuBlas => 3,
        Library::CuSolver => 4,
        Library::CuSolverMp => 5,
        Library::Nccl => 6,
        Library::OpenCl => {
            return Err(DeviceError::LibraryMissing { library, reason: "it is not a CUDA library".into() });
        }
    };
    // Failures are stored too: no second search.
    FOUND[slot].get_or_init(|| find(library)).as_ref().map_err(Clone::clone)
}

/// Whether `library` has an optional `symbol`.
pub fn has(library: Library, symbol: &str) -> bool {
    load(library).is_ok_and(|loaded| loaded.has(symbol))
}

impl Loaded {
    /// A function that cudarc does not declare.
    ///
    /// # Safety
    /// `F` is the type of a function pointer, with the signature that the library gives to `symbol`.
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        // SAFETY: as the caller says; the library stays loaded.
        unsafe { self.handle.get::<F>(symbol.as_bytes()) }.ok().map(|found| *found)
    }

    fn has(&self, symbol: &str) -> bool {
        // SAFETY: the symbol is only looked up, never used as the type it is looked up with.
        unsafe { self.handle.get::<*const ()>(symbol.as_bytes()) }.is_ok()
    }
}

fn find(library: Library) -> Result<Loaded> {
    if is_hidden(library) {
        return Err(DeviceError::LibraryMissing { library, reason: format!("hidden by {HIDE}") });
    }
    let loaded = open_first(library)?;
    // A library of an old version loads, but lacks symbols.
    for symbol in symbols(library) {
        if !loaded.has(symbol) {
            let reason = format!("{} has no {symbol}", loaded.file);
            return Err(DeviceError::LibraryVersion { library, reason });
        }
    }
    Ok(loaded)
}

fn open_first(library: Library) -> Result<Loaded> {
    let mut broken = None;
    let mut names = cudarc::get_lib_name_candidates(library.stem());
    if library == Library::Driver {
        names.extend(cudarc::get_lib_name_candidates("nvcuda")); // its name on Windows
    }
    // Versions of their own, beside those of CUDA.
    match library {
        Library::CuSolverMp => names.insert(0, "libcusolverMp.so.0".into()),
        Library::Nccl => names.insert(0, "libnccl.so.2".into()),
        _ => {}
    }
    for name in &names {
        // SAFETY: loading runs the initializers of NVIDIA's libraries, which have no preconditions.
        match unsafe { libloading::Library::new(name) } {
            Ok(handle) => return Ok(Loaded { handle, file: name.clone() }),
            Err(error) => {
                // Of a file that is not there the loader says just that. It names another one when what this one needs
                // is missing, and gives another reason when the file is damaged.
                let text = root_cause(&error);
                if !(text.contains(name.as_str()) && text.contains("No such file")) {
                    broken.get_or_insert(text);
                }
            }
        }
    }
    let reason = broken.unwrap_or_else(|| format!("no lib{}.so on this system", library.stem()));
    Err(DeviceError::LibraryMissing { library, reason })
}

/// libloading keeps what the system said in the source of its error.
fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

/// The symbols in use of each library, without the optional ones.
fn symbols(library: Library) -> &'static [&'static str] {
    match library {
        Library::Driver => DRIVER,
        Library::Nvrtc => NVRTC,
        Library::CuFft => CUFFT,
        Library::CuBlas => CUBLAS,
        Library::CuSolver => CUSOLVER,
        Library::CuSolverMp => CUSOLVERMP,
        Library::Nccl => NCCL,
        Library::OpenCl => &[],
    }
}

const DRIVER: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuDeviceGetDefaultMemPool",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuCtxGetStreamPriorityRange",
    "cuStreamCreate",
    "cuStreamCreateWithPriority",
    "cuStreamWaitEvent",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventDestroy_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
    "cuGraphDestroy",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemPoolSetAttribute",
    "cuMemPoolGetAttribute",
    "cuMemPoolTrimTo",
    "cuMemsetD8Async",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuLaunchCooperativeKernel",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
];

const NVRTC: &[&str] = &[
    "nvrtcVersion",
    "nvrtcGetErrorString",
    "nvrtcGetNumSupportedArchs",
    "nvrtcGetSupportedArchs",
    "nvrtcCreateProgram",
    "nvrtcCompileProgram",
    "nvrtcDestroyProgram",
    "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog",
    "nvrtcGetCUBINSize",
    "nvrtcGetCUBIN",
];

const CUFFT: &[&str] = &[
    "cufftGetVersion",
    "cufftCreate",
    "cufftDestroy",
    "cufftSetStream",
    "cufftSetAutoAllocation",
    "cufftSetWorkArea",
    "cufftMakePlanMany64",
    "cufftExecC2C",
    "cufftExecZ2Z",
];

const CUBLAS: &[&str] = &[
    "cublasGetProperty",
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasSetStream_v2",
    "cublasCgemm_v2_64",
    "cublasZgemm_v2_64",
    "cublasCgemmStridedBatched_64",
    "cublasZgemmStridedBatched_64",
];

const CUSOLVER: &[&str] = &[
    "cusolverGetProperty",
    "cusolverDnCreate",
    "cusolverDnDestroy",
    "cusolverDnSetStream",
    "cusolverDnCreateParams",
    "cusolverDnDestroyParams",
    "cusolverDnXgetrf_bufferSize",
    "cusolverDnXgetrf",
    "cusolverDnXgetrs",
];

const CUSOLVERMP: &[&str] = &[
    "cusolverMpCreate",
    "cusolverMpDestroy",
    "cusolverMpCreateDeviceGrid",
    "cusolverMpDestroyGrid",
    "cusolverMpCreateMatrixDesc",
    "cusolverMpDestroyMatrixDesc",
    "cusolverMpGetrf_bufferSize",
    "cusolverMpGetrf",
    "cusolverMpGetrs_bufferSize",
    "cusolverMpGetrs",
];

const NCCL: &[&str] = &["ncclGetUniqueId", "ncclCommInitRank", "ncclCommAbort", "ncclGetErrorString"];
