//! OpenCL 1.2 devices, which run every kernel on machines without an NVIDIA GPU.
//!
//! Kernels run on the device; FFT, LU and GEMM run on the host.

mod error;
mod memory;
mod program;
mod staging;

use crate::cuda::probe::is_hidden;
use crate::kernel::check_resident;
use crate::{
    Arg, DeviceError, DeviceKind, Direction, Fft, Gpu, GpuInfo, Grid, HostMemory, KernelSource, Library,
    LuFactors, Memory, MemoryInfo, Op, Program, Recording, Result, Work, cpu,
};
use bytemuck::Pod;
use error::failed;
use memory::{ClMemory, Queue};
use num_complex::{Complex32, Complex64};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::DLOPEN_RUNTIME_LOAD_FAILED;
use opencl3::platform::get_platforms;
use phasefront_core::Precision;
use program::{ClProgram, Programs};
use staging::Pageable;
use std::sync::{Arc, Mutex, PoisonError};

/// An OpenCL device that computes in double precision.
pub struct OpenCl {
    info: GpuInfo,
    queue: Arc<Queue>,
    programs: Programs,
}

/// A device and the platform it belongs to.
pub(crate) struct Found {
    device: Device,
    pub name: String,
    pub platform: String,
    pub version: String,
    pub double: bool,
    gpu: bool,
}

/// Every device of every platform.
pub(crate) fn devices() -> Result<Vec<Found>> {
    // The first call makes the loader start every driver; two threads must not do so at once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if is_hidden(Library::OpenCl) {
        let reason = "hidden by the user".into();
        return Err(DeviceError::LibraryMissing { library: Library::OpenCl, reason });
    }
    let platforms = get_platforms().map_err(|error| match error.0 {
        DLOPEN_RUNTIME_LOAD_FAILED => DeviceError::LibraryMissing {
            library: Library::OpenCl,
            reason: "no libOpenCL on the library path".into(),
        },
        // The loader's way to say that no driver is installed.
        PLATFORM_NOT_FOUND_KHR => DeviceError::NoOpenClPlatform,
        _ => failed("clGetPlatformIDs")(error),
    })?;
    if platforms.is_empty() {
        return Err(DeviceError::NoOpenClPlatform);
    }
    let mut found = Vec::new();
    for platform in &platforms {
        let name = platform.name().unwrap_or_default();
        // A platform without devices answers with an error; the others may still have some.
        for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
            let device = Device::new(id);
            found.push(Found {
                name: device.name().unwrap_or_default().trim().to_owned(),
                platform: name.clone(),
                version: device.version().unwrap_or_default().trim().to_owned(),
                double: device.double_fp_config().is_ok_and(|config| config != 0),
                gpu: device.dev_type().is_ok_and(|kind| kind & CL_DEVICE_TYPE_GPU != 0),
                device,
            });
        }
    }
    Ok(found)
}

/// OpenCL 1.2 may run the groups of a kernel one after another: residency is guaranteed for one group only.
const ONE_GROUP: u32 = 1;

/// CL_PLATFORM_NOT_FOUND_KHR.
const PLATFORM_NOT_FOUND_KHR: i32 = -1001;

impl OpenCl {
    /// Opens the first device with double precision, a GPU before others.
    pub fn open() -> Result<Self> {
        let mut found = devices()?;
        let names = found.iter().map(|device| device.name.as_str()).collect::<Vec<_>>().join(", ");
        if found.is_empty() {
            return Err(DeviceError::NoOpenClPlatform);
        }
        found.retain(|device| device.double);
        // A stable sort: among GPUs the order of the loader remains.
        found.sort_by_key(|device| !device.gpu);
        let Some(found) = found.into_iter().next() else {
            return Err(DeviceError::NoDoublePrecision { devices: names });
        };
        let queue = Queue::open(found.device)?;
        let driver = found.device.driver_version().unwrap_or_default();
        let info = GpuInfo {
            kind: DeviceKind::OpenCl,
            index: None,
            name: found.name,
            architecture: found.version,
            driver: format!("{} {}", found.platform, driver.trim()),
        };
        Ok(Self { info, programs: Programs::new(&queue), queue })
    }

    fn own<'a>(&self, memory: &'a dyn Memory) -> Result<&'a ClMemory> {
        memory::own(&self.queue, memory)
    }

    fn own_host(memory: &dyn HostMemory) -> Result<&Pageable> {
        memory.as_any().downcast_ref::<Pageable>().ok_or(DeviceError::Foreign { what: "host memory" })
    }

    fn read<T: Pod>(memory: &ClMemory, len: usize) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); len];
        memory.download(bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    fn fft_on_host<C: cpu::HostComplex>(shape: Fft, direction: Direction, data: &ClMemory) -> Result<()> {
        // Reading waits for all kernels before it in the queue.
        let mut values = Self::read::<C>(data, shape.len())?;
        cpu::fft(shape, direction, &mut values);
        data.upload(bytemuck::cast_slice(&values))
    }

    fn factor_on_host<C: cpu::HostComplex>(n: usize, matrix: &ClMemory) -> Result<cpu::Lu> {
        let mut values = Self::read::<C>(matrix, n * n)?;
        // The factors go back to the device, where solves expect them.
        let lu = cpu::lu_factor(n, &mut values)?;
        matrix.upload(bytemuck::cast_slice(&values))?;
        Ok(lu)
    }

    fn solve_on_host<C: cpu::HostComplex>(
        lu: &cpu::Lu,
        op: Op,
        matrix: &ClMemory,
        rhs: &ClMemory,
        columns: usize,
    ) -> Result<()> {
        let factors = Self::read::<C>(matrix, lu.n() * lu.n())?;
        let mut values = Self::read::<C>(rhs, lu.n() * columns)?;
        cpu::lu_solve(lu, op, &factors, &mut values);
        rhs.upload(bytemuck::cast_slice(&values))
    }

    fn gemm_on_host<C: cpu::HostComplex>(
        shape: [usize; 3],
        a: &ClMemory,
        b: &ClMemory,
        c: &ClMemory,
    ) -> Result<()> {
        let [m, n, k] = shape;
        let (a, b) = (Self::read::<C>(a, m * k)?, Self::read::<C>(b, k * n)?);
        let mut product = vec![C::zeroed(); m * n];
        cpu::gemm(shape, &a, &b, &mut product);
        c.upload(bytemuck::cast_slice(&product))
    }
}

/// OpenCL 1.2 has no graphs: the work is called again.
struct Replay<'a>(Box<Work<'a>>);

impl Recording for Replay<'_> {
    fn replay(&self) -> Result<()> {
        (self.0)()
    }
}

impl Gpu for OpenCl {
    fn info(&self) -> &GpuInfo {
        &self.info
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.queue.memory())
    }

    fn synchronize(&self) -> Result<()> {
        self.queue.synchronize()
    }

    fn alloc_bytes(&self, bytes: usize) -> Result<Box<dyn Memory>> {
        Ok(Box::new(ClMemory::zeroed(&self.queue, bytes)?))
    }

    fn upload_bytes(&self, source: &[u8], target: &dyn Memory) -> Result<()> {
        self.own(target)?.upload(source)
    }

    fn download_bytes(&self, source: &dyn Memory, target: &mut [u8]) -> Result<()> {
        self.own(source)?.download(target)
    }

    fn copy_bytes(&self, source: &dyn Memory, target: &dyn Memory, bytes: usize) -> Result<()> {
        self.own(source)?.copy_to(self.own(target)?, bytes)
    }

    fn alloc_host_bytes(&self, bytes: usize) -> Result<Box<dyn HostMemory>> {
        Ok(Box::new(Pageable::zeroed(bytes)))
    }

    fn send_bytes(&self, source: &dyn HostMemory, target: &dyn Memory, bytes: usize) -> Result<()> {
        Self::own_host(source)?.send(self.own(target)?, bytes)
    }

    fn fetch_bytes(&self, source: &dyn Memory, target: &dyn HostMemory, bytes: usize) -> Result<()> {
        Self::own_host(target)?.fetch(self.own(source)?, bytes)
    }

    fn compile(&self, source: &KernelSource, defines: &[(&str, &str)]) -> Result<Arc<dyn Program>> {
        Ok(self.programs.get(source, defines)?)
    }

    fn launch(&self, program: &dyn Program, name: &str, grid: Grid, args: &[Arg<'_>]) -> Result<()> {
        let program = program.as_any().downcast_ref::<ClProgram>();
        let program = program.ok_or(DeviceError::Foreign { what: "a program" })?;
        program.launch(&self.queue, name, grid, args)
    }

    fn launch_cooperative(
        &self,
        program: &dyn Program,
        name: &str,
        grid: Grid,
        args: &[Arg<'_>],
    ) -> Result<()> {
        // Several groups might run one after another and wait for each other forever.
        check_resident(name, grid, ONE_GROUP)?;
        self.launch(program, name, grid, args)
    }

    fn resident_groups(&self, _: &dyn Program, _: &str, _: u32) -> Result<u32> {
        Ok(ONE_GROUP)
    }

    fn record<'a>(&self, work: Box<Work<'a>>) -> Result<Box<dyn Recording + 'a>> {
        // As on CUDA, recording runs the work once.
        work()?;
        Ok(Box::new(Replay(work)))
    }

    fn fft_bytes(&self, shape: Fft, direction: Direction, data: &dyn Memory) -> Result<()> {
        let data = self.own(data)?;
        match shape.precision {
            Precision::Single => Self::fft_on_host::<Complex32>(shape, direction, data),
            Precision::Double => Self::fft_on_host::<Complex64>(shape, direction, data),
        }
    }

    fn lu_factor_bytes(&self, n: usize, precision: Precision, matrix: &dyn Memory) -> Result<LuFactors> {
        let matrix = self.own(matrix)?;
        let lu = match precision {
            Precision::Single => Self::factor_on_host::<Complex32>(n, matrix),
            Precision::Double => Self::factor_on_host::<Complex64>(n, matrix),
        }?;
        Ok(LuFactors { n, pivots: Box::new(lu) })
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
        let lu = lu.pivots.downcast_ref::<cpu::Lu>();
        let lu = lu.ok_or(DeviceError::Foreign { what: "a factorization" })?;
        match precision {
            Precision::Single => Self::solve_on_host::<Complex32>(lu, op, matrix, rhs, columns),
            Precision::Double => Self::solve_on_host::<Complex64>(lu, op, matrix, rhs, columns),
        }
    }

    fn gemm_bytes(
        &self,
        shape: [usize; 3],
        precision: Precision,
        a: &dyn Memory,
        b: &dyn Memory,
        c: &dyn Memory,
    ) -> Result<()> {
        let (a, b, c) = (self.own(a)?, self.own(b)?, self.own(c)?);
        match precision {
            Precision::Single => Self::gemm_on_host::<Complex32>(shape, a, b, c),
            Precision::Double => Self::gemm_on_host::<Complex64>(shape, a, b, c),
        }
    }
}
