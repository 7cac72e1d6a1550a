//! The device a run uses, and how it is chosen.

use crate::limits::process_limit;
use crate::{Cuda, DeviceError, DeviceKind, Gpu, GpuInfo, MemoryInfo, OpenCl, Result, cuda};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where a solver runs.
#[derive(Clone)]
pub enum Backend {
    /// The host, with rayon's threads.
    Cpu,
    /// A GPU, or an OpenCL device that is used like one.
    Gpu(Arc<dyn Gpu>),
}

impl Backend {
    /// CPU, CUDA or OpenCL.
    pub fn kind(&self) -> DeviceKind {
        match self {
            Self::Cpu => DeviceKind::Cpu,
            Self::Gpu(gpu) => gpu.info().kind,
        }
    }

    /// `cpu`, `cuda` or `opencl`, as on the command line.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// One line about it: `NVIDIA H200 (cuda:0, sm_90, driver 580.95.05, CUDA 13.0)`.
    pub fn describe(&self) -> String {
        match self {
            Self::Cpu => {
                let threads = rayon::current_num_threads();
                let plural = if threads == 1 { "" } else { "s" };
                format!("CPU, {threads} thread{plural}, {}", simd())
            }
            Self::Gpu(gpu) => {
                let info = gpu.info();
                let index = info.index.map_or_else(String::new, |index| format!(":{index}"));
                let GpuInfo { kind, name, architecture, driver, .. } = info;
                format!("{name} ({kind}{index}, {architecture}, driver {driver})")
            }
        }
    }

    /// Free and total memory. On the CPU: what is available without swapping, within the limits of the container and of the
    /// process.
    pub fn memory(&self) -> Result<MemoryInfo> {
        match self {
            Self::Cpu => host_memory(),
            Self::Gpu(gpu) => gpu.memory(),
        }
    }

    /// The GPU, if it is one.
    pub fn gpu(&self) -> Option<&Arc<dyn Gpu>> {
        match self {
            Self::Cpu => None,
            Self::Gpu(gpu) => Some(gpu),
        }
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

/// The widest SIMD instruction set of this CPU that the libraries dispatch to.
pub(crate) fn simd() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return "AVX-512";
        }
        // The SIMD code needs both.
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return "AVX2";
        }
        "SSE2"
    }
    #[cfg(target_arch = "aarch64")]
    {
        "NEON"
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        "no SIMD"
    }
}

fn host_memory() -> Result<MemoryInfo> {
    let mut system = sysinfo::System::new().map_err(|error| DeviceError::Call {
        call: "sysinfo",
        code: 0,
        reason: error.to_string(),
    })?;
    system.refresh_memory();
    let (mut free, mut total) = (system.available_memory(), system.total_memory());
    if let Some(limits) = system.cgroup_limits() {
        total = total.min(limits.total_memory);
        // Resident memory of the container's processes; its page cache is reclaimable.
        free = free.min(limits.total_memory.saturating_sub(limits.rss));
    }
    if let Some(limit) = process_limit() {
        total = total.min(limit.total);
        free = free.min(limit.free);
    }
    Ok(MemoryInfo { free, total })
}

/// The device requested by the user: `--device auto|cpu|cuda[:N]|opencl`.
///
/// ```
/// use phasefront_device::DeviceChoice;
/// assert_eq!("cuda:1".parse(), Ok(DeviceChoice::Cuda(Some(1))));
/// assert_eq!(DeviceChoice::Cuda(Some(1)).to_string(), "cuda:1");
/// assert!("gpu".parse::<DeviceChoice>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The GPU if it works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU: the one of that index, or the first.
    Cuda(Option<usize>),
    /// An OpenCL device.
    OpenCl,
}

impl FromStr for DeviceChoice {
    type Err = DeviceError;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || DeviceError::UnknownDevice { name: name.into() };
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(None)),
            "opencl" => Ok(Self::OpenCl),
            _ => {
                let index = name.strip_prefix("cuda:").ok_or_else(unknown)?;
                // `parse` alone would take "+1".
                let digits = index.bytes().all(|byte| byte.is_ascii_digit());
                let index = index.parse().ok().filter(|_| digits).ok_or_else(unknown)?;
                Ok(Self::Cuda(Some(index)))
            }
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(None) => f.write_str("cuda"),
            Self::Cuda(Some(index)) => write!(f, "cuda:{index}"),
            Self::OpenCl => f.write_str("opencl"),
        }
    }
}

/// An opened device, with the reason for the choice.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The device.
    pub backend: Backend,
    /// For the user: "NVIDIA H200 (...): a GPU was found".
    pub reason: String,
}

/// Opens the requested device. `auto` selects a GPU if all CUDA libraries work, else the CPU, never OpenCL;
/// any other device that is not available is an error.
///
/// ```
/// use phasefront_device::{DeviceChoice, open};
/// let opened = open(DeviceChoice::Cpu, false).unwrap();
/// assert_eq!(opened.backend.name(), "cpu");
/// ```
pub fn open(choice: DeviceChoice, deterministic: bool) -> Result<Opened> {
    let requested = |backend: Backend| {
        let reason = format!("{}: as requested", backend.describe());
        Opened { backend, reason }
    };
    match choice {
        DeviceChoice::Cpu => Ok(requested(Backend::Cpu)),
        DeviceChoice::Cuda(index) => {
            // The first GPU unless the user names one.
            Ok(requested(Backend::Gpu(Arc::new(whole_cuda(index.unwrap_or(0), deterministic)?))))
        }
        DeviceChoice::OpenCl => Ok(requested(Backend::Gpu(Arc::new(unforked(OpenCl::open)?)))),
        DeviceChoice::Auto => Ok(auto(deterministic)),
    }
}

/// A GPU with every library a run may need: a missing library is reported before any work.
fn whole_cuda(index: usize, deterministic: bool) -> Result<Cuda> {
    let gpu = unforked(|| Cuda::open(index, deterministic))?;
    cuda::require_toolkit()?;
    Ok(gpu)
}

/// The process that has started a GPU driver; zero before.
static DRIVER_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Opens a device, unless a driver was started in a process that this one was forked from: contexts and threads of a driver
/// do not survive a fork, and calls into it then fail or never return.
fn unforked<T>(open: impl FnOnce() -> Result<T>) -> Result<T> {
    let this = std::process::id();
    let started_in = DRIVER_PROCESS.load(Ordering::Relaxed);
    if started_in != 0 && started_in != this {
        return Err(DeviceError::Forked);
    }
    let opened = open();
    let without_driver =
        matches!(opened, Err(DeviceError::LibraryMissing { .. } | DeviceError::LibraryVersion { .. }));
    if !without_driver {
        DRIVER_PROCESS.store(this, Ordering::Relaxed);
    }
    opened
}

fn auto(deterministic: bool) -> Opened {
    match whole_cuda(0, deterministic) {
        Ok(gpu) => {
            let backend = Backend::Gpu(Arc::new(gpu));
            let reason = format!("{}: a GPU was found and works", backend.describe());
            Opened { backend, reason }
        }
        Err(error) => {
            // Not an error: `auto` always yields a device, and the user reads why it is this one.
            let reason = format!("{}: no GPU is used, because {error}", Backend::Cpu.describe());
            Opened { backend: Backend::Cpu, reason }
        }
    }
}
