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
    /// Several NVIDIA GPUs of this machine.
    Gpus(GpuList),
    /// An OpenCL device.
    OpenCl,
}

/// NVIDIA GPUs by their indices. One may stand several times: it is then shared, which tests use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuList {
    indices: [u8; MAX_GPUS],
    len: usize,
}

/// GPUs of one process, at most.
const MAX_GPUS: usize = 16;

impl GpuList {
    /// From the indices; none for no or too many, or for an index beyond 255.
    fn new(indices: &[usize]) -> Option<Self> {
        let mut list = Self { indices: [0; MAX_GPUS], len: indices.len() };
        for (at, index) in indices.iter().enumerate() {
            *list.indices.get_mut(at)? = u8::try_from(*index).ok()?;
        }
        (!indices.is_empty()).then_some(list)
    }

    /// The indices, in the order given.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        let Self { indices, len } = *self;
        indices.into_iter().take(len).map(usize::from)
    }
}

impl DeviceChoice {
    /// The device of one of several ranks on a machine, which share its GPUs.
    pub fn of_rank(self, node_rank: usize) -> Result<Self> {
        let turn = |gpus: usize| Self::Cuda(Some(node_rank % gpus.max(1)));
        Ok(match self {
            Self::Cuda(None) => turn(cuda::gpu_count()?),
            Self::Auto => cuda::gpu_count().ok().filter(|gpus| *gpus > 0).map_or(Self::Auto, turn),
            Self::Gpus(list) => Self::Cuda(list.indices().nth(node_rank % list.len.max(1))),
            Self::Cpu | Self::Cuda(Some(_)) | Self::OpenCl => self,
        })
    }
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
                let list = name.strip_prefix("cuda:").ok_or_else(unknown)?;
                let index = |text: &str| {
                    // `parse` alone would take "+1".
                    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                    text.parse().ok().filter(|_| digits).ok_or_else(unknown)
                };
                let indices = list.split(',').map(index).collect::<Result<Vec<usize>>>()?;
                match indices[..] {
                    [index] => Ok(Self::Cuda(Some(index))),
                    _ => GpuList::new(&indices).map(Self::Gpus).ok_or_else(unknown),
                }
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
            Self::Gpus(list) => {
                let indices: Vec<String> = list.indices().map(|index| index.to_string()).collect();
                write!(f, "cuda:{}", indices.join(","))
            }
            Self::OpenCl => f.write_str("opencl"),
        }
    }
}

/// An opened device, with the reason for the choice.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The device.
    pub backend: Backend,
    /// Further GPUs of a list.
    pub others: Vec<Backend>,
    /// For the user: "NVIDIA H200 (...): a GPU was found".
    pub reason: String,
}

impl Opened {
    /// The CPU, for the reason that a GPU was not taken.
    pub fn without_gpu(reason: &dyn fmt::Display) -> Self {
        // Not an error: `auto` always yields a device, and the user reads why it is this one.
        let reason = format!("{}: no GPU is used, because {reason}", Backend::Cpu.describe());
        Self { backend: Backend::Cpu, others: Vec::new(), reason }
    }

    /// All devices, for the result.
    pub fn describe(&self) -> String {
        let mut all = vec![self.backend.describe()];
        all.extend(self.others.iter().map(Backend::describe));
        all.join("; ")
    }
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
        Opened { backend, others: Vec::new(), reason }
    };
    match choice {
        DeviceChoice::Cpu => Ok(requested(Backend::Cpu)),
        DeviceChoice::Cuda(index) => {
            // The first GPU unless the user names one.
            Ok(requested(Backend::Gpu(Arc::new(whole_cuda(index.unwrap_or(0), deterministic)?))))
        }
        DeviceChoice::Gpus(list) => {
            let open = |index| Ok(Backend::Gpu(Arc::new(whole_cuda(index, deterministic)?)));
            let mut gpus = list.indices().map(open).collect::<Result<Vec<Backend>>>()?;
            let others = gpus.split_off(1);
            let opened = Opened { backend: gpus.remove(0), others, reason: String::new() };
            Ok(Opened { reason: format!("{}: as requested", opened.describe()), ..opened })
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
            Opened { backend, others: Vec::new(), reason }
        }
        Err(error) => Opened::without_gpu(&error),
    }
}
