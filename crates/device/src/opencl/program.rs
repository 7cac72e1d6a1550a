//! OpenCL programs: building, lookup and launch of kernels.

use super::error::failed;
use super::memory::{Queue, forget_event, own};
use crate::kernel::{Parameters, full_text};
use crate::{Arg, DeviceError, Grid, KernelSource, Program, Result};
use opencl3::command_queue::enqueue_nd_range_kernel;
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_INVALID_KERNEL_NAME, ClError};
use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::program as cl;
use std::any::Any;
use std::collections::HashMap;
use std::ptr::null;
use std::sync::{Arc, Mutex, PoisonError};

/// The dialect is OpenCL C 1.2. Subnormal numbers may be zero: CPUs take a hundred cycles for each, and fields begin and end among them.
const OPTIONS: &str = "-cl-std=CL1.2 -cl-denorms-are-zero";

/// Builds kernel files and caches the programs. Between runs, the OpenCL driver caches them on disk.
pub struct Programs {
    queue: Arc<Queue>,
    built: Mutex<HashMap<String, Arc<ClProgram>>>,
}

impl Programs {
    /// None yet.
    pub fn new(queue: &Arc<Queue>) -> Self {
        Self { queue: queue.clone(), built: Mutex::default() }
    }

    /// The program of `source`, built at the first call.
    pub fn get(&self, source: &KernelSource, defines: &[(&str, &str)]) -> Result<Arc<ClProgram>> {
        // The whole text is the key: it includes the macros.
        let text = full_text(source, defines);
        let built = || self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = built().get(&text) {
            return Ok(program.clone());
        }
        let program = Arc::new(self.build(*source, &text)?);
        Ok(built().entry(text).or_insert(program).clone())
    }

    fn build(&self, source: KernelSource, text: &str) -> Result<ClProgram> {
        // Drivers differ in whether their compiler may run on two threads at once.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let context = &self.queue.context;
        let mut program =
            cl::Program::create_from_source(context, text).map_err(failed("clCreateProgramWithSource"))?;
        program.build(context.devices(), OPTIONS).map_err(|error| match error.0 {
            CL_BUILD_PROGRAM_FAILURE => {
                let log = program.get_build_log(context.default_device());
                let log = log.unwrap_or_else(|_| "the compiler left no log".into());
                DeviceError::KernelCompile { file: source.name.into(), log: log.trim_end().to_owned() }
            }
            _ => failed("clBuildProgram")(error),
        })?;
        Ok(ClProgram { queue: self.queue.clone(), source, program, kernels: Mutex::default() })
    }
}

/// A kernel file built for a device.
pub struct ClProgram {
    queue: Arc<Queue>,
    source: KernelSource,
    program: cl::Program,
    kernels: Mutex<HashMap<String, (Kernel, Parameters)>>,
}

impl ClProgram {
    /// Launches kernel `name`; an empty grid is no work.
    pub fn launch(&self, queue: &Arc<Queue>, name: &str, grid: Grid, args: &[Arg<'_>]) -> Result<()> {
        if !Arc::ptr_eq(queue, &self.queue) {
            return Err(DeviceError::Foreign { what: "a program" });
        }
        // A kernel object holds its arguments: one thread at a time may set them and enqueue it.
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if !kernels.contains_key(name) {
            kernels.insert(name.into(), (self.kernel(name)?, Parameters::of(&self.source, name)?));
        }
        let (kernel, parameters) = &kernels[name];
        parameters.check(name, args)?;
        for (index, arg) in args.iter().enumerate() {
            set_argument(queue, kernel, index as u32, arg)?.map_err(failed("clSetKernelArg"))?;
        }
        // Arguments are checked first, so that an empty launch reports its errors too.
        if grid.groups.contains(&0) {
            return Ok(());
        }
        let local = grid.group_size.map(|size| size as usize);
        // OpenCL counts work items where CUDA counts groups.
        let global: [usize; 3] = std::array::from_fn(|d| grid.groups[d] as usize * local[d]);
        // SAFETY: all arguments are set, with the types the kernel declares; both sizes have three entries.
        let event = unsafe {
            let (commands, kernel) = (queue.commands.get(), kernel.get());
            enqueue_nd_range_kernel(commands, kernel, 3, null(), global.as_ptr(), local.as_ptr(), 0, null())
        };
        forget_event("clEnqueueNDRangeKernel", event)
    }

    fn kernel(&self, name: &str) -> Result<Kernel> {
        let missing = || DeviceError::KernelNotFound { file: self.source.name.into(), kernel: name.into() };
        // The binding panics on a name with a zero byte.
        if name.contains('\0') {
            return Err(missing());
        }
        Kernel::create(&self.program, name).map_err(|error| match error.0 {
            CL_INVALID_KERNEL_NAME => missing(),
            _ => failed("clCreateKernel")(error),
        })
    }
}

impl Program for ClProgram {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn set_argument(
    queue: &Arc<Queue>,
    kernel: &Kernel,
    index: u32,
    arg: &Arg<'_>,
) -> Result<std::result::Result<(), ClError>> {
    fn set<T>(kernel: &Kernel, index: u32, value: &T) -> std::result::Result<(), ClError> {
        // SAFETY: OpenCL copies the value and compares its size with the parameter's.
        unsafe { set_kernel_arg(kernel.get(), index, size_of::<T>(), (&raw const *value).cast()) }
            .map_err(ClError)
    }
    Ok(match arg {
        Arg::Buffer(memory) => set(kernel, index, &own(queue, *memory)?.handle()),
        Arg::I32(value) => set(kernel, index, value),
        Arg::I64(value) => set(kernel, index, value),
        Arg::F32(value) => set(kernel, index, value),
        Arg::F64(value) => set(kernel, index, value),
    })
}
