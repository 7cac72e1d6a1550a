//! cuFFT: batched complex transforms in place, with cached plans.

use super::probe;
use super::queue::{CudaMemory, LibraryFault, Queue};
use crate::{Direction, Fft, Library, Result};
use cudarc::cufft::sys::{self, cufftHandle, cufftResult, cufftType};
use phasefront_core::Precision;
use std::collections::HashMap;
use std::sync::Arc;

/// A solver uses a handful of shapes; a sweep over shapes must not fill the GPU with plans and their work areas.
const MAX_PLANS: usize = 16;

/// The plans made so far.
pub struct Plans {
    queue: Arc<Queue>,
    plans: HashMap<Fft, Arc<Plan>>,
}

/// A plan and its work area. A recorded graph holds on to both.
struct Plan {
    queue: Arc<Queue>,
    handle: cufftHandle,
    work: Option<CudaMemory>,
}

impl Plans {
    /// No plans yet; an error if there is no cuFFT.
    pub fn new(queue: &Arc<Queue>) -> Result<Self> {
        probe::load(Library::CuFft)?;
        Ok(Self { queue: queue.clone(), plans: HashMap::new() })
    }

    /// Transforms `data` in place.
    pub fn execute(&mut self, shape: Fft, direction: Direction, data: &CudaMemory) -> Result<()> {
        self.queue.bind()?;
        let plan = self.plan(shape)?;
        let handle = plan.handle;
        self.queue.retain_in_recording(&plan);
        let sign = match direction {
            Direction::Forward => -1,
            Direction::Inverse => 1,
        };
        // SAFETY: the plan is alive and for this shape, and `data` holds all its values (checked by the caller).
        unsafe {
            self.check("cufftSetStream", sys::cufftSetStream(handle, self.queue.stream().cast()))?;
            match shape.precision {
                Precision::Single => {
                    let status = sys::cufftExecC2C(handle, data.pointer(), data.pointer(), sign);
                    self.check("cufftExecC2C", status)
                }
                Precision::Double => {
                    let status = sys::cufftExecZ2Z(handle, data.pointer(), data.pointer(), sign);
                    self.check("cufftExecZ2Z", status)
                }
            }
        }
    }

    fn plan(&mut self, shape: Fft) -> Result<Arc<Plan>> {
        if let Some(plan) = self.plans.get(&shape) {
            return Ok(plan.clone());
        }
        if self.plans.len() >= MAX_PLANS {
            self.plans.clear();
        }
        let plan = Arc::new(self.make(shape)?);
        self.plans.insert(shape, plan.clone());
        Ok(plan)
    }

    fn make(&self, shape: Fft) -> Result<Plan> {
        // An axis of one value is none.
        let axes = [shape.planes, shape.rows, shape.cols].map(|size| size as i64);
        let mut sizes: Vec<_> = axes.into_iter().filter(|&size| size > 1).collect();
        let kind = match shape.precision {
            Precision::Single => cufftType::CUFFT_C2C,
            Precision::Double => cufftType::CUFFT_Z2Z,
        };
        let mut handle = 0;
        // SAFETY: the context is bound and the pointer is to a live local.
        self.check("cufftCreate", unsafe { sys::cufftCreate(&raw mut handle) })?;
        let mut plan = Plan { queue: self.queue.clone(), handle, work: None };
        let mut work_bytes = 0;
        let none = std::ptr::null_mut;
        // SAFETY: the plan is alive; null layouts mean contiguous data; the sizes outlive the call.
        unsafe {
            self.check("cufftSetAutoAllocation", sys::cufftSetAutoAllocation(handle, 0))?;
            let status = sys::cufftMakePlanMany64(
                handle,
                sizes.len() as i32,
                sizes.as_mut_ptr(),
                none(),
                1,
                0,
                none(),
                1,
                0,
                kind,
                shape.batch as i64,
                &raw mut work_bytes,
            );
            self.check("cufftMakePlanMany64", status)?;
            if work_bytes > 0 {
                let work = plan.work.insert(self.queue.alloc(work_bytes)?);
                self.check("cufftSetWorkArea", sys::cufftSetWorkArea(handle, work.pointer()))?;
            }
        }
        Ok(plan)
    }

    fn check(&self, call: &'static str, status: cufftResult) -> Result<()> {
        if status == cufftResult::CUFFT_SUCCESS {
            return Ok(());
        }
        let fault = match status {
            cufftResult::CUFFT_ALLOC_FAILED => LibraryFault::Memory,
            cufftResult::CUFFT_SETUP_FAILED => LibraryFault::Unfit(Library::CuFft),
            _ => LibraryFault::Other,
        };
        Err(self.queue.library_error(call, status as i64, fault))
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // If the GPU is lost, the plan is lost with it: destroying it would call into a broken context.
        if self.queue.synchronize().is_ok() {
            // SAFETY: created by cuFFT, destroyed once, with the context bound and no work under way.
            // The stream of its last transform may have been that of a recording, which is gone.
            let _ = unsafe {
                sys::cufftSetStream(self.handle, self.queue.stream().cast());
                sys::cufftDestroy(self.handle)
            };
        }
    }
}

/// Version of cuFFT as major * 1000 + minor * 100 + patch, as it states it.
pub fn version() -> Result<String> {
    probe::load(Library::CuFft)?;
    let mut version = 0;
    // SAFETY: probed above; the pointer is to a live local.
    let _ = unsafe { sys::cufftGetVersion(&raw mut version) };
    Ok(format!("{}.{}.{}", version / 1000, version / 100 % 10, version % 100))
}
