//! Timing of steps and kernels, for benchmarks.

use crate::cpu::Cpu;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::gpu::{GpuEngine, GpuReal, KernelLayout, SplitKernel, fastest_split};
use crate::solve::step;
use crate::study::Study;
use phasefront_core::Precision;
use phasefront_device::{Backend, Gpu};
use std::sync::Arc;
use std::time::Instant;

impl Study {
    /// Seconds for `steps` steps after a warm-up; on a GPU with the given kernel layout, or the default one.
    pub fn time_steps(
        &self,
        backend: &Backend,
        steps: usize,
        shape: Option<KernelLayout>,
    ) -> Result<f64, DgtdError> {
        match (backend, self.problem.precision) {
            (Backend::Cpu, Precision::Single) => timed(&mut Cpu::<f32>::new(self)?, steps, self.step.dt),
            (Backend::Cpu, Precision::Double) => timed(&mut Cpu::<f64>::new(self)?, steps, self.step.dt),
            (Backend::Gpu(gpu), Precision::Single) => {
                timed(&mut gpu_engine::<f32>(self, gpu, shape)?, steps, self.step.dt)
            }
            (Backend::Gpu(gpu), Precision::Double) => {
                timed(&mut gpu_engine::<f64>(self, gpu, shape)?, steps, self.step.dt)
            }
        }
    }

    /// Split kernels in single precision: their layout, and the seconds of each kernel for all elements.
    pub fn time_kernels(
        &self,
        gpu: &Arc<dyn Gpu>,
        times: usize,
    ) -> Result<(KernelLayout, [f64; 3]), DgtdError> {
        let mut engine = GpuEngine::<f32>::with_layout(self, gpu, fastest_split::<f32>(self, gpu)?)?;
        let mut seconds = [0.0; 3];
        for (seconds, kernel) in seconds.iter_mut().zip(SplitKernel::ALL) {
            *seconds = engine.time_kernel(kernel, times)? / times as f64;
        }
        Ok((engine.shape(), seconds))
    }
}

fn gpu_engine<'a, T: GpuReal>(
    study: &'a Study,
    gpu: &Arc<dyn Gpu>,
    shape: Option<KernelLayout>,
) -> Result<GpuEngine<'a, T>, DgtdError> {
    match shape {
        Some(shape) => GpuEngine::with_layout(study, gpu, shape),
        None => GpuEngine::new(study, gpu),
    }
}

fn timed(engine: &mut dyn Engine, steps: usize, dt: f64) -> Result<f64, DgtdError> {
    // Warm-up: clocks rise, and caches and pages are filled.
    for i in 0..steps.div_ceil(4) {
        step(engine, i as f64 * dt, dt)?;
    }
    // Computing the energy waits for all work before it.
    engine.energy()?;
    let started = Instant::now();
    for i in 0..steps {
        step(engine, i as f64 * dt, dt)?;
    }
    engine.energy()?;
    Ok(started.elapsed().as_secs_f64())
}
