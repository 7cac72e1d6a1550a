//! Compiled kernels on the GPU: loading, lookup and launch.

use super::cache::{self, Cache, Key};
use super::nvrtc::{self, Nvrtc};
use super::queue::{Queue, own};
use super::status::{check, driver_error};
use crate::kernel::{Parameters, full_text};
use crate::{Arg, DeviceError, Grid, KernelSource, Program, Result};
use cudarc::driver::{DriverError, sys};
use std::any::Any;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

/// Compiles kernel files; caches the machine code in memory and on disk.
pub struct Compiler {
    queue: Arc<Queue>,
    nvrtc: Nvrtc,
    architecture: i32,
    disk: Cache,
    memory: Mutex<HashMap<Key, Arc<CudaProgram>>>,
}

impl Compiler {
    /// A compiler for the GPU of `queue`, whose compute capability is `capability`.
    pub fn new(queue: &Arc<Queue>, nvrtc: Nvrtc, capability: (i32, i32)) -> Result<Self> {
        let architecture = nvrtc.architecture_for(capability)?;
        let disk = Cache::from_environment();
        Ok(Self { queue: queue.clone(), nvrtc, architecture, disk, memory: Mutex::default() })
    }

    /// The program of `source`, compiled if it is in neither cache.
    pub fn program(&self, source: &KernelSource, defines: &[(&str, &str)]) -> Result<Arc<CudaProgram>> {
        let key = self.key(source, defines);
        let programs = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs().get(&key) {
            return Ok(program.clone());
        }
        // The lock is not held while compiling. Two threads may compile the same text; one entry
        // stays.
        let program = Arc::new(self.load_or_compile(&key, source, defines)?);
        Ok(programs().entry(key).or_insert(program).clone())
    }

    fn key(&self, source: &KernelSource, defines: &[(&str, &str)]) -> Key {
        let version = format!("{:?} sm_{} {:?}", self.nvrtc.version, self.architecture, nvrtc::OPTIONS);
        cache::key(&[full_text(source, defines).as_bytes(), version.as_bytes()])
    }

    fn load_or_compile(
        &self,
        key: &Key,
        source: &KernelSource,
        defines: &[(&str, &str)],
    ) -> Result<CudaProgram> {
        // A cached file may be whole and still not load, for example with an older driver.
        if let Some(cubin) = self.disk.load(key) {
            match CudaProgram::load(&self.queue, *source, &cubin) {
                Ok(program) => return Ok(program),
                Err(error) => {
                    tracing::warn!(%error, file = source.name, "a cached kernel does not load");
                    self.disk.remove(key);
                }
            }
        }
        let cubin = self.nvrtc.compile(source, defines, self.architecture)?;
        let program = CudaProgram::load(&self.queue, *source, &cubin)?;
        self.disk.store(key, &cubin);
        Ok(program)
    }
}

/// How the groups of a launch are scheduled.
#[derive(Clone, Copy)]
pub enum Order {
    /// In any order, after all previous launches.
    Any,
    /// Concurrently: a cooperative launch.
    Cooperative,
    /// Programmatic dependent launch: may start before the previous kernel has finished, once that one triggers it.
    Dependent,
}

#[derive(Clone)]
struct Kernel(sys::CUfunction, Arc<Parameters>);

/// A kernel file loaded on a GPU.
pub struct CudaProgram {
    queue: Arc<Queue>,
    source: KernelSource,
    module: sys::CUmodule,
    kernels: Mutex<HashMap<String, Kernel>>,
}

// SAFETY: modules and functions are handles of the thread-safe driver API.
unsafe impl Send for CudaProgram {}
// SAFETY: as above; the map is behind a mutex.
unsafe impl Sync for CudaProgram {}
// SAFETY: a function is a handle of the thread-safe driver API.
unsafe impl Send for Kernel {}

impl CudaProgram {
    fn load(queue: &Arc<Queue>, source: KernelSource, cubin: &[u8]) -> Result<Self> {
        queue.bind()?;
        let mut module = std::ptr::null_mut();
        // SAFETY: the image is a whole CUBIN from NVRTC or a cache that checked it; the driver copies it.
        let status = unsafe { sys::cuModuleLoadData(&raw mut module, cubin.as_ptr().cast()) };
        check("cuModuleLoadData", status)?;
        Ok(Self { queue: queue.clone(), source, module, kernels: Mutex::default() })
    }

    fn kernel(&self, name: &str) -> Result<Kernel> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(name) {
            return Ok(kernel.clone());
        }
        let missing = || DeviceError::KernelNotFound { file: self.source.name.into(), kernel: name.into() };
        let c_name = CString::new(name).ok().filter(|_| !name.is_empty()).ok_or_else(missing)?;
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name terminated, the pointer to a live local.
        match unsafe { sys::cuModuleGetFunction(&raw mut function, self.module, c_name.as_ptr()) } {
            sys::CUresult::CUDA_SUCCESS => {}
            sys::CUresult::CUDA_ERROR_NOT_FOUND => return Err(missing()),
            code => return Err(driver_error("cuModuleGetFunction", DriverError(code))),
        }
        let kernel = Kernel(function, Arc::new(Parameters::of(&self.source, name)?));
        kernels.insert(name.into(), kernel.clone());
        Ok(kernel)
    }

    /// Kernel `name`, with the GPU bound to this thread, if the program is of `queue`.
    fn bound_kernel(&self, queue: &Arc<Queue>, name: &str) -> Result<Kernel> {
        if !Arc::ptr_eq(queue, &self.queue) {
            return Err(DeviceError::Foreign { what: "a program" });
        }
        queue.bind()?;
        self.kernel(name)
    }

    /// How many groups of `group_size` items of kernel `name` one multiprocessor holds at once.
    pub fn groups_per_multiprocessor(&self, queue: &Arc<Queue>, name: &str, group_size: u32) -> Result<u32> {
        let Kernel(function, _) = self.bound_kernel(queue, name)?;
        let mut groups = 0;
        // SAFETY: the function is loaded and the pointer to a live local; kernels have no dynamic shared memory.
        let status = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut groups, function, group_size as i32, 0)
        };
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor", status)?;
        Ok(groups as u32)
    }

    /// Launches kernel `name`; an empty grid is no work.
    pub fn launch(
        &self,
        queue: &Arc<Queue>,
        name: &str,
        grid: Grid,
        args: &[Arg<'_>],
        order: Order,
    ) -> Result<()> {
        let Kernel(function, parameters) = self.bound_kernel(queue, name)?;
        parameters.check(name, args)?;
        let mut values = args.iter().map(|arg| argument(queue, arg)).collect::<Result<Vec<u64>>>()?;
        // Arguments are checked first, so that an empty launch reports its errors too.
        if grid.groups.contains(&0) {
            return Ok(());
        }
        let mut pointers: Vec<_> = values.iter_mut().map(|value| (&raw mut *value).cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (grid.groups, grid.group_size);
        let (stream, pointers, none) = (queue.stream(), pointers.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: the values outlive the call, which copies them, and agree with the kernel's parameters in number
        // and type. The buffers live until work queued before their drop is done. All zeros are a launch attribute.
        unsafe {
            match order {
                Order::Any => check(
                    "cuLaunchKernel",
                    sys::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, 0, stream, pointers, none),
                ),
                Order::Cooperative => check(
                    "cuLaunchCooperativeKernel",
                    sys::cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, 0, stream, pointers),
                ),
                Order::Dependent => {
                    let mut early: sys::CUlaunchAttribute = std::mem::zeroed();
                    early.id =
                        sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
                    early.value.programmaticStreamSerializationAllowed = 1;
                    let config = sys::CUlaunchConfig {
                        gridDimX: gx,
                        gridDimY: gy,
                        gridDimZ: gz,
                        blockDimX: bx,
                        blockDimY: by,
                        blockDimZ: bz,
                        sharedMemBytes: 0,
                        hStream: stream,
                        attrs: &raw mut early,
                        numAttrs: 1,
                    };
                    check(
                        "cuLaunchKernelEx",
                        sys::cuLaunchKernelEx(&raw const config, function, pointers, none),
                    )
                }
            }
        }
    }
}

impl Program for CudaProgram {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaProgram {
    fn drop(&mut self) {
        if self.queue.synchronize().is_ok() {
            // SAFETY: loaded once, unloaded once, with no kernel of it under way.
            let _ = unsafe { sys::cuModuleUnload(self.module) };
        }
    }
}

/// The bytes of an argument at the start of a word.
fn argument(queue: &Arc<Queue>, arg: &Arg<'_>) -> Result<u64> {
    // The driver reads as many bytes as the parameter has, from the start of the word.
    let word = |[a, b, c, d]: [u8; 4]| u64::from_ne_bytes([a, b, c, d, 0, 0, 0, 0]);
    Ok(match arg {
        Arg::Buffer(memory) => own(queue, *memory)?.address(),
        Arg::I32(value) => word(value.to_ne_bytes()),
        Arg::F32(value) => word(value.to_ne_bytes()),
        Arg::I64(value) => value.cast_unsigned(),
        Arg::F64(value) => value.to_bits(),
    })
}
