//! Near-field acoustic holography: the pipeline on a CPU or a GPU, and the thesis's tables and figures.

mod cpu;
mod gpu;
mod paper;
mod setup;

use crate::error::BenchError;
use crate::harness::Bench;

pub(crate) use cpu::on_cores;

pub(crate) fn run(bench: &mut Bench<'_>) -> Result<(), BenchError> {
    if let Some(gpu) = bench.backend.gpu().cloned() {
        return gpu::run(bench, &gpu);
    }
    cpu::run(bench)?;
    paper::run(bench)
}
