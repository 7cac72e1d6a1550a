//! Diagnostics: devices, libraries and their speed. Works with any library missing.

use crate::backend::simd;
use crate::{Backend, DeviceError, DeviceKind, Gpu, Library, Result, cpu, cuda, opencl};
use num_complex::Complex64;
use phasefront_core::units::bytes_text;
use rayon::prelude::*;
use std::fmt;
use std::time::Instant;

/// State of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Present and working.
    Found,
    /// Missing.
    Missing,
    /// Present but not working.
    Broken,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Found => "found",
            Self::Missing => "missing",
            Self::Broken => "broken",
        })
    }
}

/// One component that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its name: "cuFFT".
    pub what: String,
    /// Its state.
    pub state: State,
    /// Version, size, or what is wrong.
    pub detail: String,
    /// What to do; empty if nothing.
    pub advice: String,
}

impl Finding {
    fn new(what: impl Into<String>, result: Result<String>) -> Self {
        let what = what.into();
        match result {
            Ok(detail) => Self { what, state: State::Found, detail, advice: String::new() },
            Err(error) => {
                let state = match error {
                    DeviceError::LibraryMissing { .. }
                    | DeviceError::NoGpu { .. }
                    | DeviceError::NoOpenClPlatform => State::Missing,
                    _ => State::Broken,
                };
                Self { what, state, detail: error.to_string(), advice: error.advice() }
            }
        }
    }
}

/// Everything a run may use: CPU, memory, driver, GPUs, the CUDA libraries, OpenCL.
///
/// ```
/// let findings = phasefront_device::doctor::findings();
/// assert_eq!(findings[0].what, "CPU");
/// ```
pub fn findings() -> Vec<Finding> {
    let mut found = vec![
        Finding::new("CPU", Ok(cpu_text())),
        Finding::new(
            "memory",
            Backend::Cpu
                .memory()
                .map(|memory| format!("{} of {} free", bytes_text(memory.free), bytes_text(memory.total))),
        ),
        Finding::new(Library::Driver.to_string(), cuda::library_version(Library::Driver)),
    ];
    found.extend(gpu_findings());
    for library in Library::TOOLKIT {
        found.push(Finding::new(library.to_string(), cuda::library_version(library)));
    }
    found.extend(opencl_findings());
    found
}

fn cpu_text() -> String {
    let mut name = String::new();
    if let Ok(mut system) = sysinfo::System::new() {
        system.refresh_cpu_all();
        name = system.cpus().first().map_or_else(String::new, |cpu| cpu.brand().trim().to_owned() + ", ");
    }
    format!("{name}{} threads, {}", rayon::current_num_threads(), simd())
}

fn gpu_findings() -> Vec<Finding> {
    match cuda::gpus() {
        Ok(gpus) => gpus
            .iter()
            .map(|gpu| {
                let text =
                    format!("{}, {}, {}", gpu.name, gpu.info().architecture, bytes_text(gpu.total_memory));
                Finding::new(format!("GPU cuda:{}", gpu.index), Ok(text))
            })
            .collect(),
        Err(error) => vec![Finding::new("GPU", Err(error))],
    }
}

fn opencl_findings() -> Vec<Finding> {
    match opencl::devices() {
        Ok(devices) => devices
            .iter()
            .map(|device| {
                let double = if device.double { "" } else { ", no double precision" };
                let text = format!("{} ({}, {}{double})", device.name, device.platform, device.version);
                Finding::new("OpenCL", Ok(text))
            })
            .collect(),
        Err(error) => vec![Finding::new("OpenCL", Err(error))],
    }
}

/// Measured peak rates of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Bytes read plus bytes written per second by a copy inside the device's memory.
    pub copy_bytes_per_s: f64,
    /// Operations per second of a complex128 matrix product, 8 m n k of them.
    pub gemm_flop_per_s: f64,
}

/// How often each measurement is repeated; the median counts.
const REPEATS: usize = 5;
/// Far beyond any cache, and a few milliseconds on a GPU.
const COPY_BYTES: usize = 1 << 30;
/// At most this fraction of the free memory is used for measuring.
const MEMORY_SHARE: u64 = 8;

/// Measures copy bandwidth and GEMM rate of `backend`; takes a few seconds on a CPU.
pub fn measure(backend: &Backend) -> Result<Rates> {
    // Other programs may use the device: the measurement must not exhaust its memory.
    let share = (backend.memory()?.free / MEMORY_SHARE) as usize;
    let words = (COPY_BYTES.min(share) / size_of::<u64>()).max(1);
    match backend {
        Backend::Cpu => Ok(measure_cpu(words)),
        Backend::Gpu(gpu) => measure_gpu(&**gpu, words),
    }
}

fn measure_cpu(words: usize) -> Rates {
    const CHUNK: usize = 1 << 16;
    // Not zeros: pages that were never written share one physical page, which stays in the cache.
    let source = vec![1_u64; words];
    let mut target = vec![0_u64; words];
    let copy = median(|| {
        target
            .par_chunks_mut(CHUNK)
            .zip(source.par_chunks(CHUNK))
            .for_each(|(target, source)| target.copy_from_slice(source));
        Ok(())
    });
    let n = 1000;
    let (a, b) = (vec![Complex64::ONE; n * n], vec![Complex64::I; n * n]);
    let mut c = vec![Complex64::ZERO; n * n];
    let gemm = median(|| {
        cpu::gemm([n, n, n], &a, &b, &mut c);
        Ok(())
    });
    // Neither can fail on the host.
    rates(words, copy.unwrap_or(f64::INFINITY), n, gemm.unwrap_or(f64::INFINITY))
}

fn measure_gpu(gpu: &dyn Gpu, words: usize) -> Result<Rates> {
    let (source, target) = (gpu.alloc::<u64>(words)?, gpu.alloc::<u64>(words)?);
    let copy = median(|| {
        gpu.copy(&source, &target)?;
        gpu.synchronize()
    })?;
    // The matrices may need their memory.
    drop((source, target));
    // OpenCL multiplies on the host: a size that a CPU finishes in a moment.
    let n = if gpu.info().kind == DeviceKind::Cuda { 4096 } else { 1000 };
    let a = gpu.upload(&vec![Complex64::ONE; n * n])?;
    let b = gpu.upload(&vec![Complex64::I; n * n])?;
    let c = gpu.alloc::<Complex64>(n * n)?;
    let gemm = median(|| {
        gpu.gemm([n, n, n], &a, &b, &c)?;
        gpu.synchronize()
    })?;
    Ok(rates(words, copy, n, gemm))
}

fn rates(words: usize, copy: f64, n: usize, gemm: f64) -> Rates {
    Rates {
        copy_bytes_per_s: 2.0 * (words * size_of::<u64>()) as f64 / copy,
        // A complex multiply-add has four multiplications and four additions.
        gemm_flop_per_s: 8.0 * (n as f64).powi(3) / gemm,
    }
}

/// Median seconds of `f`, after one call to warm up.
fn median(mut f: impl FnMut() -> Result<()>) -> Result<f64> {
    f()?;
    let mut seconds = [0.0; REPEATS];
    for second in &mut seconds {
        let start = Instant::now();
        f()?;
        *second = start.elapsed().as_secs_f64();
    }
    // The median ignores a run that another program disturbed.
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[REPEATS / 2])
}
