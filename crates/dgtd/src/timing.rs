//! How fast fields run.

use crate::cpu::Cpu;
use crate::engine::Engine;
use crate::error::DgtdError;
use crate::gpu::{GpuEngine, KernelShape};
use crate::solve::Study;
use phasefront_core::Precision;
use phasefront_device::Backend;
use std::time::Instant;

impl Study {
    /// Seconds that `steps` steps take, after some to warm up; on a GPU with kernels cut as asked, or as usual.
    pub fn time_steps(
        &self,
        backend: &Backend,
        steps: usize,
        shape: Option<KernelShape>,
    ) -> Result<f64, DgtdError> {
        let shape = shape.unwrap_or_else(|| KernelShape::new(&self.plan, self.problem.precision));
        match (backend, self.problem.precision) {
            (Backend::Cpu, Precision::Single) => timed(&mut Cpu::<f32>::new(self), steps, self.step.dt),
            (Backend::Cpu, Precision::Double) => timed(&mut Cpu::<f64>::new(self), steps, self.step.dt),
            (Backend::Gpu(gpu), Precision::Single) => {
                timed(&mut GpuEngine::<f32>::with_shape(self, gpu, shape)?, steps, self.step.dt)
            }
            (Backend::Gpu(gpu), Precision::Double) => {
                timed(&mut GpuEngine::<f64>::with_shape(self, gpu, shape)?, steps, self.step.dt)
            }
        }
    }
}

fn timed(engine: &mut dyn Engine, steps: usize, dt: f64) -> Result<f64, DgtdError> {
    for step in 0..steps.div_ceil(4) {
        engine.step(step as f64 * dt)?;
    }
    // The energy waits for all work before it.
    engine.energy()?;
    let started = Instant::now();
    for step in 0..steps {
        engine.step(step as f64 * dt)?;
    }
    engine.energy()?;
    Ok(started.elapsed().as_secs_f64())
}
