//! NVIDIA GPUs through the CUDA driver, NVRTC, cuFFT, cuBLAS and cuSOLVER, all loaded at run time.

mod blas;
mod cache;
mod capture;
mod fft;
mod graph;
mod lu;
pub(crate) mod nvrtc;
pub(crate) mod probe;
mod program;
mod queue;
mod second;
mod shared_lu;
mod staging;
mod status;
pub(crate) mod triangular;

use crate::kernel::check_resident;
use crate::{
    Arg, DeviceError, DeviceKind, Direction, Fft, Gpu, GpuInfo, Grid, HostMemory, KernelSource, Library,
    LuFactors, Memory, MemoryInfo, Op, Program, Recording, Result, SharedLu, Stream, Work,
};
use blas::{Operand, Product};
use phasefront_core::Precision;
use program::{Compiler, CudaProgram, Order};
use queue::{CudaMemory, Queue, own};
use staging::Pinned;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// An NVIDIA GPU.
pub struct Cuda {
    info: GpuInfo,
    deterministic: bool,
    /// Whether the GPU supports programmatic dependent launch (compute capability 9.0).
    overlaps: bool,
    queue: Arc<Queue>,
    compiler: Compiler,
    // Created on first use: each costs some tenths of a second and GPU memory.
    fft: Mutex<Option<fft::Plans>>,
    blas: Mutex<Option<blas::Blas>>,
    solver: Mutex<Option<lu::Solver>>,
}

impl Cuda {
    /// Opens GPU `index`. Needs the driver and NVRTC; the other libraries are loaded on first use.
    pub fn open(index: usize, deterministic: bool) -> Result<Self> {
        catch_panic(|| {
            let queue = Queue::open(index)?;
            let nvrtc = nvrtc::Nvrtc::load()?;
            // The description gives the compute capability that the compiler targets.
            let gpu = describe(index)?;
            let compiler = Compiler::new(&queue, nvrtc, gpu.capability)?;
            Ok(Self {
                info: gpu.info(),
                deterministic,
                overlaps: gpu.capability >= (9, 0),
                queue,
                compiler,
                fft: Mutex::default(),
                blas: Mutex::default(),
                solver: Mutex::default(),
            })
        })
    }

    fn own<'a>(&self, memory: &'a dyn Memory) -> Result<&'a CudaMemory> {
        own(&self.queue, memory)
    }

    fn own_host<'a>(&self, memory: &'a dyn HostMemory) -> Result<&'a Pinned> {
        let memory = memory.as_any().downcast_ref::<Pinned>().filter(|memory| memory.is_of(&self.queue));
        memory.ok_or(DeviceError::Foreign { what: "host memory" })
    }

    fn multiply(&self, precision: Precision, product: &Product<'_>) -> Result<()> {
        self.queue.refuse_in_recording("a matrix product")?;
        with(&self.blas, || blas::Blas::new(&self.queue), |blas| blas.multiply(precision, product))
    }

    fn own_program(program: &dyn Program) -> Result<&CudaProgram> {
        let program = program.as_any().downcast_ref::<CudaProgram>();
        program.ok_or(DeviceError::Foreign { what: "a program" })
    }
}

/// Checks that every library of the CUDA toolkit can be used, and loads it.
pub(crate) fn require_toolkit() -> Result<()> {
    catch_panic(|| Library::TOOLKIT.into_iter().try_for_each(|library| probe::load(library).map(|_| ())))
}

/// Version of a library, or why it cannot be used.
pub(crate) fn library_version(library: Library) -> Result<String> {
    catch_panic(|| {
        let version = match library {
            Library::OpenCl | Library::CuSolverMp | Library::Nccl => {
                return Err(DeviceError::LibraryMissing {
                    library,
                    reason: "it is not in the CUDA toolkit".into(),
                });
            }
            Library::Driver => driver_version(),
            Library::Nvrtc => {
                nvrtc::Nvrtc::load().map(|nvrtc| format!("{}.{}", nvrtc.version.0, nvrtc.version.1))
            }
            Library::CuFft => fft::version(),
            Library::CuBlas => blas::version(),
            Library::CuSolver => lu::version(),
        }?;
        Ok(format!("{version} ({})", probe::load(library)?.file))
    })
}

/// Every library and symbol is probed before it is called, so cudarc should not panic. If it does, the user
/// gets an error and not a crash.
fn catch_panic<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        let reason = text.unwrap_or_else(|| "it panicked".into());
        Err(DeviceError::Call { call: "cudarc", code: 0, reason })
    })
}

/// A GPU as the driver describes it.
pub(crate) struct Description {
    pub index: usize,
    pub name: String,
    pub capability: (i32, i32),
    pub total_memory: u64,
    pub driver: String,
}

impl Description {
    pub(crate) fn info(&self) -> GpuInfo {
        let (major, minor) = self.capability;
        GpuInfo {
            kind: DeviceKind::Cuda,
            index: Some(self.index),
            name: self.name.clone(),
            architecture: format!("sm_{major}{minor}"),
            driver: self.driver.clone(),
        }
    }
}

fn describe(index: usize) -> Result<Description> {
    use cudarc::driver::result::device;
    use cudarc::driver::sys::CUdevice_attribute as Attribute;
    let failed = |error| status::driver_error("cuDeviceGetAttribute", error);
    let gpu = device::get(index as i32).map_err(failed)?;
    // SAFETY: the device handle comes from the driver, for an index in range.
    let (major, minor, total) = unsafe {
        (
            device::get_attribute(gpu, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            device::get_attribute(gpu, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
            device::total_mem(gpu),
        )
    };
    Ok(Description {
        index,
        name: device::get_name(gpu).map_err(failed)?,
        capability: (major.map_err(failed)?, minor.map_err(failed)?),
        total_memory: total.map_err(failed)? as u64,
        driver: driver_version()?,
    })
}

/// How many multiprocessors GPU `index` has.
fn multiprocessors(index: usize) -> Result<u32> {
    use cudarc::driver::result::device;
    use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as COUNT;
    let failed = |error| status::driver_error("cuDeviceGetAttribute", error);
    let gpu = device::get(index as i32).map_err(failed)?;
    // SAFETY: the device handle comes from the driver, for an index in range.
    let count = unsafe { device::get_attribute(gpu, COUNT) }.map_err(failed)?;
    Ok(count as u32)
}

/// How many GPUs the driver offers; at least one.
pub(crate) fn gpu_count() -> Result<usize> {
    catch_panic(queue::gpu_count)
}

/// All GPUs the driver offers.
pub(crate) fn gpus() -> Result<Vec<Description>> {
    catch_panic(|| (0..queue::gpu_count()?).map(describe).collect())
}

/// The driver's own version (580.95.05) where the system reports it, else the CUDA version it supports.
fn driver_version() -> Result<String> {
    probe::load(Library::Driver)?;
    let mut cuda = 0;
    // SAFETY: probed above; the pointer is to a live local.
    let _ = unsafe { cudarc::driver::sys::cuDriverGetVersion(&raw mut cuda) };
    let cuda = format!("CUDA {}.{}", cuda / 1000, cuda % 1000 / 10);
    // The driver library reports the CUDA version alone; the kernel module has its own.
    let kernel_module = ["/sys/module/nvidia/version", "/proc/driver/nvidia/version"]
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .find_map(|text| module_version(&text));
    Ok(kernel_module.map_or_else(|| cuda.clone(), |version| format!("{version}, {cuda}")))
}

/// The first word of the shape 580.95.05.
fn module_version(text: &str) -> Option<String> {
    let is_version = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.split_whitespace().find(is_version).map(str::to_owned)
}

/// Runs `f` on the library in `slot`, made by `make` at first use.
fn with<L, T>(
    slot: &Mutex<Option<L>>,
    make: impl FnOnce() -> Result<L>,
    f: impl FnOnce(&mut L) -> Result<T>,
) -> Result<T> {
    // After a panic the slot still holds a whole library or none.
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let library = match &mut *slot {
        Some(library) => library,
        empty => empty.insert(make()?),
    };
    f(library)
}

impl Gpu for Cuda {
    fn info(&self) -> &GpuInfo {
        &self.info
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.queue.memory()
    }

    fn synchronize(&self) -> Result<()> {
        self.queue.synchronize()
    }

    fn alloc_bytes(&self, bytes: usize) -> Result<Box<dyn Memory>> {
        let memory = self.queue.alloc(bytes)?;
        // Memory of the pool holds old values, which would make runs differ.
        memory.zero()?;
        Ok(Box::new(memory))
    }

    fn upload_bytes(&self, source: &[u8], target: &dyn Memory) -> Result<()> {
        let target = self.own(target)?;
        if source.is_empty() { Ok(()) } else { target.upload(source) }
    }

    fn download_bytes(&self, source: &dyn Memory, target: &mut [u8]) -> Result<()> {
        let source = self.own(source)?;
        // A download waits for preceding work, also if it copies nothing.
        if target.is_empty() { self.synchronize() } else { source.download(target) }
    }

    fn copy_bytes(&self, source: &dyn Memory, target: &dyn Memory, bytes: usize) -> Result<()> {
        let (source, target) = (self.own(source)?, self.own(target)?);
        if bytes == 0 { Ok(()) } else { source.copy_to(target, bytes) }
    }

    fn alloc_host_bytes(&self, bytes: usize) -> Result<Box<dyn HostMemory>> {
        Ok(Box::new(Pinned::zeroed(&self.queue, bytes)?))
    }

    fn send_bytes(&self, source: &dyn HostMemory, target: &dyn Memory, bytes: usize) -> Result<()> {
        let (source, target) = (self.own_host(source)?, self.own(target)?);
        assert!(bytes <= target.bytes(), "{bytes} bytes sent to {}", target.bytes());
        if bytes == 0 { Ok(()) } else { source.send(target, bytes) }
    }

    fn fetch_bytes(&self, source: &dyn Memory, target: &dyn HostMemory, bytes: usize) -> Result<()> {
        let (source, target) = (self.own(source)?, self.own_host(target)?);
        assert!(bytes <= source.bytes(), "{bytes} bytes fetched of {}", source.bytes());
        if bytes == 0 { Ok(()) } else { target.fetch(source, bytes) }
    }

    fn compile(&self, source: &KernelSource, defines: &[(&str, &str)]) -> Result<Arc<dyn Program>> {
        Ok(self.compiler.program(source, defines)?)
    }

    fn launch(&self, program: &dyn Program, name: &str, grid: Grid, args: &[Arg<'_>]) -> Result<()> {
        Self::own_program(program)?.launch(&self.queue, name, grid, args, Order::Any)
    }

    fn launch_dependent(
        &self,
        program: &dyn Program,
        name: &str,
        grid: Grid,
        args: &[Arg<'_>],
    ) -> Result<()> {
        let order = if self.overlaps { Order::Dependent } else { Order::Any };
        Self::own_program(program)?.launch(&self.queue, name, grid, args, order)
    }

    fn launch_cooperative(
        &self,
        program: &dyn Program,
        name: &str,
        grid: Grid,
        args: &[Arg<'_>],
    ) -> Result<()> {
        let group_size = grid.group_size.iter().product();
        check_resident(name, grid, self.resident_groups(program, name, group_size)?)?;
        Self::own_program(program)?.launch(&self.queue, name, grid, args, Order::Cooperative)
    }

    fn resident_groups(&self, program: &dyn Program, name: &str, group_size: u32) -> Result<u32> {
        let groups = Self::own_program(program)?.groups_per_multiprocessor(&self.queue, name, group_size)?;
        Ok(groups * multiprocessors(self.info.index.unwrap_or_default())?)
    }

    fn record<'a>(&self, work: Box<Work<'a>>) -> Result<Box<dyn Recording + 'a>> {
        Ok(Box::new(graph::Graph::record(&self.queue, work)?))
    }

    fn switch(&self, stream: Stream) -> Result<Stream> {
        self.queue.switch(stream)
    }

    fn order(&self, waiting: Stream) -> Result<()> {
        self.queue.order(waiting)
    }

    fn fft_bytes(&self, shape: Fft, direction: Direction, data: &dyn Memory) -> Result<()> {
        let data = self.own(data)?;
        // cuFFT refuses nothing-to-do; a transform of one value is that value.
        if shape.len() <= shape.batch {
            return Ok(());
        }
        let bytes = shape.len() * 2 * shape.precision.bytes();
        assert!(bytes <= data.bytes(), "FFT of {bytes} bytes in a buffer of {}", data.bytes());
        with(&self.fft, || fft::Plans::new(&self.queue), |plans| plans.execute(shape, direction, data))
    }

    fn lu_factor_bytes(&self, n: usize, precision: Precision, matrix: &dyn Memory) -> Result<LuFactors> {
        let matrix = self.own(matrix)?;
        self.queue.refuse_in_recording("a factorization")?;
        if n == 0 {
            return Ok(LuFactors { n, pivots: Box::new(()) });
        }
        assert!(n * n * 2 * precision.bytes() <= matrix.bytes(), "LU order does not match its matrix");
        let solver = || lu::Solver::new(&self.queue, self.deterministic);
        let pivots = with(&self.solver, solver, |solver| solver.factor(n, precision, matrix))?;
        Ok(LuFactors { n, pivots: Box::new(pivots) })
    }

    fn lu_solve_bytes(
        &self,
        lu: &LuFactors,
        op: Op,
        precision: Precision,
        matrix: &dyn Memory,
        rhs: &dyn Memory,
        columns: usize,
    ) -> Result<()> {
        let (matrix, rhs) = (self.own(matrix)?, self.own(rhs)?);
        self.queue.refuse_in_recording("a solution")?;
        if lu.n == 0 || columns == 0 {
            return Ok(());
        }
        let value = 2 * precision.bytes();
        assert!(lu.n * lu.n * value <= matrix.bytes(), "LU order does not match its matrix");
        assert!(lu.n * columns * value <= rhs.bytes(), "right-hand sides do not match the LU order");
        let pivots = lu.pivots.downcast_ref::<lu::Pivots>().filter(|pivots| pivots.is_of(&self.queue));
        let pivots = pivots.ok_or(DeviceError::Foreign { what: "a factorization" })?;
        // Transposed systems stay with cuSOLVER: the condition estimate solves them for single
        // columns.
        if op == Op::None && columns >= triangular::MANY_COLUMNS {
            let factors = triangular::Factors {
                gpu: self,
                kernels: &*triangular::kernels(self, precision)?,
                multiply: &|product| self.multiply(precision, product),
                n: lu.n,
                precision,
                matrix,
                permutation: pivots.permutation(),
            };
            return factors.solve(rhs, columns);
        }
        let solver = || lu::Solver::new(&self.queue, self.deterministic);
        with(&self.solver, solver, |solver| solver.solve(pivots, op, precision, matrix, rhs, columns))
    }

    fn shared_lu(&self) -> Result<Option<Box<dyn SharedLu>>> {
        let index = self.info.index.unwrap_or_default();
        catch_panic(|| {
            Ok(Some(Box::new(shared_lu::CudaSharedLu::new(&self.queue, index)?) as Box<dyn SharedLu>))
        })
    }

    fn gemm_bytes(
        &self,
        shape: [usize; 3],
        precision: Precision,
        a: &dyn Memory,
        b: &dyn Memory,
        c: &dyn Memory,
    ) -> Result<()> {
        let [m, n, k] = shape;
        if m == 0 || n == 0 {
            return Ok(());
        }
        // An empty sum is zero.
        if k == 0 {
            return self.own(c)?.zero();
        }
        let whole = |memory, ld| Operand { memory, at: 0, ld, stride: 0 };
        let (a, b, c) = (whole(a, m), whole(b, k), whole(c, m));
        self.multiply(precision, &Product { shape, batch: 1, alpha: 1.0, beta: 0.0, a, b, c })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version_of_the_kernel_module() {
        let proc = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\nGCC version: 12.2.0";
        assert_eq!(module_version(proc).as_deref(), Some("580.95.05"));
        assert_eq!(module_version("550.54.15\n").as_deref(), Some("550.54.15"));
        assert_eq!(module_version(""), None);
    }

    #[test]
    fn a_panic_below_becomes_an_error() {
        let error = catch_panic::<()>(|| panic!("Missing symbol")).unwrap_err();
        assert_eq!(error.to_string(), "cudarc failed: Missing symbol (code 0)");
    }
}
