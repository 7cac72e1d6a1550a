//! What can go wrong on a device, and what to do about it.

use phasefront_core::units::bytes_text;
use std::fmt;

/// Result of a device call.
pub type Result<T> = std::result::Result<T, DeviceError>;

/// A library that is loaded at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Library {
    /// The NVIDIA driver, libcuda.
    Driver,
    /// The run-time compiler of CUDA kernels.
    Nvrtc,
    /// FFT.
    CuFft,
    /// Matrix products.
    CuBlas,
    /// Dense linear systems.
    CuSolver,
    /// Dense linear systems that several GPUs share.
    CuSolverMp,
    /// Communication between GPUs.
    Nccl,
    /// The OpenCL loader.
    OpenCl,
}

impl Library {
    /// The libraries of the CUDA toolkit: what a GPU run needs beside the driver.
    pub const TOOLKIT: [Self; 4] = [Self::Nvrtc, Self::CuFft, Self::CuBlas, Self::CuSolver];

    /// Its name without prefix, suffix and version: `cufft` of `libcufft.so.12`.
    pub fn stem(self) -> &'static str {
        match self {
            Self::Driver => "cuda",
            Self::Nvrtc => "nvrtc",
            Self::CuFft => "cufft",
            Self::CuBlas => "cublas",
            Self::CuSolver => "cusolver",
            Self::CuSolverMp => "cusolverMp",
            Self::Nccl => "nccl",
            Self::OpenCl => "OpenCL",
        }
    }

    /// How to get it.
    fn install(self) -> &'static str {
        match self {
            Self::Driver => "install the NVIDIA driver (version 525 or newer)",
            Self::Nvrtc => {
                "install CUDA's NVRTC: the CUDA toolkit, the distribution's package (cuda-nvrtc, libnvrtc12), or `pip install nvidia-cuda-nvrtc`"
            }
            Self::CuFft => {
                "install cuFFT: the CUDA toolkit, the distribution's package (libcufft), or `pip install nvidia-cufft`"
            }
            Self::CuBlas => {
                "install cuBLAS: the CUDA toolkit, the distribution's package (libcublas), or `pip install nvidia-cublas`"
            }
            Self::CuSolver => {
                "install cuSOLVER, and the cuBLAS and cuSPARSE it needs: the CUDA toolkit, the distribution's packages (libcusolver), or `pip install nvidia-cusolver`"
            }
            Self::CuSolverMp | Self::Nccl => {
                "install cuSOLVERMp, and the NCCL and cuBLASMp it needs: NVIDIA's HPC SDK, or `pip install nvidia-cusolvermp-cu13` (-cu12 for CUDA 12)"
            }
            Self::OpenCl => {
                "install an OpenCL loader (ocl-icd-libopencl1) and a driver for it (pocl-opencl-icd runs on any CPU)"
            }
        }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Driver => "NVIDIA driver",
            Self::Nvrtc => "NVRTC",
            Self::CuFft => "cuFFT",
            Self::CuBlas => "cuBLAS",
            Self::CuSolver => "cuSOLVER",
            Self::CuSolverMp => "cuSOLVERMp",
            Self::Nccl => "NCCL",
            Self::OpenCl => "OpenCL loader",
        })
    }
}

/// A device error. [`DeviceError::advice`] says what to do.
///
/// ```
/// use phasefront_device::{DeviceChoice, DeviceError};
/// let error = "gpu".parse::<DeviceChoice>().unwrap_err();
/// assert!(matches!(error, DeviceError::UnknownDevice { .. }));
/// assert_eq!(error.advice(), "write auto, cpu, cuda, cuda:N (N counts the GPUs from 0), cuda:N,M for several, or opencl");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// A run-time library cannot be loaded.
    #[error("{library} not found: {reason}")]
    LibraryMissing {
        /// Which one.
        library: Library,
        /// What the system's loader said.
        reason: String,
    },
    /// A run-time library of an incompatible version.
    #[error("{library} is incompatible: {reason}")]
    LibraryVersion {
        /// Which one.
        library: Library,
        /// Why it is incompatible.
        reason: String,
    },
    /// The driver is there and finds no GPU.
    #[error("the NVIDIA driver finds no GPU: {reason}")]
    NoGpu {
        /// What the driver said.
        reason: String,
    },
    /// There is no GPU of that index.
    #[error("there is no GPU cuda:{index}, {}", count_text(*count))]
    GpuIndex {
        /// The index requested.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The OpenCL loader finds no platform.
    #[error("OpenCL has no platform")]
    NoOpenClPlatform,
    /// No OpenCL device computes in double precision.
    #[error("no OpenCL device computes in double precision ({devices})")]
    NoDoublePrecision {
        /// The devices that were found.
        devices: String,
    },
    /// An unknown device name.
    #[error("unknown device \"{name}\"")]
    UnknownDevice {
        /// What was written.
        name: String,
    },
    /// Device memory is exhausted.
    #[error("out of device memory: {}{} free", requested_text(*requested), bytes_text(*free))]
    OutOfMemory {
        /// Bytes requested; 0 if a library requested them without saying how many.
        requested: usize,
        /// Bytes that were free.
        free: u64,
    },
    /// The system grants no memory of the host.
    #[error("the system grants no {} of memory", bytes_text(*requested))]
    HostMemory {
        /// Bytes requested.
        requested: u64,
    },
    /// More values than the address space holds.
    #[error("{values} values do not fit in the address space")]
    TooLarge {
        /// How many were requested.
        values: usize,
    },
    /// The GPU is unusable until the program ends.
    #[error("the GPU failed in {call}: {reason}")]
    DeviceLost {
        /// The call that reported it; the cause may be an earlier one.
        call: &'static str,
        /// What the driver said.
        reason: String,
    },
    /// A kernel file does not compile.
    #[error("kernel file {file} does not compile:\n{log}")]
    KernelCompile {
        /// Its name.
        file: String,
        /// What the compiler said.
        log: String,
    },
    /// A program has no kernel of that name.
    #[error("kernel file {file} has no kernel \"{kernel}\"")]
    KernelNotFound {
        /// The kernel file.
        file: String,
        /// The kernel requested.
        kernel: String,
    },
    /// The arguments of a launch are not the kernel's parameters.
    #[error("kernel \"{kernel}\": {reason}")]
    KernelArguments {
        /// The kernel.
        kernel: String,
        /// In what they differ.
        reason: String,
    },
    /// A cooperative launch with more groups than are resident at once.
    #[error(
        "kernel \"{kernel}\": a cooperative launch of {groups} groups, of which {resident} are resident at once"
    )]
    TooManyGroups {
        /// The kernel.
        kernel: String,
        /// Groups requested.
        groups: u64,
        /// Groups of that size that are resident at once.
        resident: u32,
    },
    /// A buffer, program or factorization of another device was passed in.
    #[error("{what} belongs to another device")]
    Foreign {
        /// What it is.
        what: &'static str,
    },
    /// This process was forked from one that had opened a GPU, whose driver does not survive a fork.
    #[error("this process was forked from one that had opened a GPU, and cannot use GPUs itself")]
    Forked,
    /// The GPUs of several ranks form no group.
    #[error("NCCL connects no GPUs: {reason}")]
    NoGroup {
        /// What it said.
        reason: String,
    },
    /// Recorded work contains an operation that cannot be recorded.
    #[error("{what} cannot be part of a recording")]
    NotRecordable {
        /// What it does.
        what: &'static str,
    },
    /// A matrix has no inverse.
    #[error("the matrix is singular: no pivot in column {column}")]
    Singular {
        /// First column without a pivot, from 0.
        column: usize,
    },
    /// Any other call that failed.
    #[error("{call} failed: {reason} (code {code})")]
    Call {
        /// The call.
        call: &'static str,
        /// Its code.
        code: i64,
        /// What the library says of the code.
        reason: String,
    },
}

impl DeviceError {
    /// What the user can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::LibraryMissing { library: Library::Driver, .. } | Self::NoGpu { .. } => {
                "use --device cpu, or install the NVIDIA driver and check that `nvidia-smi` lists the GPU".into()
            }
            Self::LibraryMissing { library, .. } => {
                format!("{}; or add its folder to LD_LIBRARY_PATH", library.install())
            }
            Self::LibraryVersion { library, .. } => {
                format!("{}, of a CUDA version compatible with both the driver and the GPU", library.install())
            }
            Self::GpuIndex { .. } => {
                "`phasefront doctor` lists the GPUs; CUDA_VISIBLE_DEVICES may hide some".into()
            }
            Self::NoOpenClPlatform => "install an OpenCL driver; pocl-opencl-icd runs on any CPU".into(),
            Self::NoDoublePrecision { .. } => "use --device cpu, or an OpenCL device with cl_khr_fp64".into(),
            Self::UnknownDevice { .. } => {
                "write auto, cpu, cuda, cuda:N (N counts the GPUs from 0), cuda:N,M for several, or opencl".into()
            }
            Self::OutOfMemory { .. } => {
                "make the problem smaller, use single precision or --device cpu, or free the GPU's memory (`nvidia-smi` lists the processes that use it)".into()
            }
            Self::HostMemory { .. } => {
                "make the problem smaller, use single precision, close other programs, or raise the limit of this process (`ulimit -v`, or the memory of the batch job)".into()
            }
            Self::TooLarge { .. } => "make the problem smaller".into(),
            Self::DeviceLost { .. } => {
                "start the run again; if it fails again, use --device cpu and report it, with `dmesg | grep -i xid` if that shows anything".into()
            }
            Self::KernelCompile { .. }
            | Self::KernelNotFound { .. }
            | Self::KernelArguments { .. }
            | Self::TooManyGroups { .. }
            | Self::Foreign { .. }
            | Self::NotRecordable { .. } => {
                "this is an error in Phasefront: please report it with the output of `phasefront doctor`; --device cpu needs no kernels".into()
            }
            Self::NoGroup { .. } => {
                "start as many ranks on a host as it has GPUs; NCCL_DEBUG=WARN shows the cause, and NCCL_MULTI_RANK_GPU_ENABLE=1 lets ranks share a GPU".into()
            }
            Self::Forked => {
                "start processes with the start method \"spawn\" of multiprocessing instead of \"fork\", fork before the first use of a GPU, or use the device cpu".into()
            }
            Self::Singular { .. } => {
                "the problem has no unique solution: check for bodies that touch or coincide, and for resonant frequencies".into()
            }
            Self::Call { .. } => "use --device cpu, and report it with the output of `phasefront doctor`".into(),
        }
    }
}

fn count_text(count: usize) -> String {
    match count {
        0 => "there is none".into(),
        1 => "only cuda:0".into(),
        n => format!("only cuda:0 to cuda:{}", n - 1),
    }
}

fn requested_text(requested: usize) -> String {
    if requested == 0 { String::new() } else { format!("{} requested, ", bytes_text(requested as u64)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_and_the_advice_says_what_to_do() {
        let oom = DeviceError::OutOfMemory { requested: 3 << 30, free: 1 << 30 };
        assert_eq!(oom.to_string(), "out of device memory: 3.0 GiB requested, 1.0 GiB free");
        let index = DeviceError::GpuIndex { index: 3, count: 2 };
        assert_eq!(index.to_string(), "there is no GPU cuda:3, only cuda:0 to cuda:1");
        for library in Library::TOOLKIT {
            let missing = DeviceError::LibraryMissing { library, reason: String::new() };
            assert!(missing.advice().contains(&library.to_string()), "{}", missing.advice());
        }
    }
}
